//! The pages of the book that are written from the code: commands, settings, exit codes.
//!
//! The test compares them with `docs/src/reference`; with `RADDLE_BLESS=1` it writes them.

use std::fmt::Write as _;
use std::path::Path;

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::settings::keys::{KEYS, Key, ValueKind};

const NOTE: &str = "<!-- Written from the code: RADDLE_BLESS=1 cargo test -p raddle-cli reference -->\n";

fn commands() -> String {
    let mut command = Arguments::command().term_width(100);
    command.build();
    let mut pages = vec![("raddle".to_owned(), help(&mut command))];
    for below in command.get_subcommands_mut().filter(|below| !below.is_hide_set()) {
        pages.push((format!("raddle {}", below.get_name()), help(below)));
    }
    let mut page = format!("# Commands\n\n{NOTE}\n");
    for (name, help) in pages {
        let _ = write!(page, "## {name}\n\n```text\n{help}\n```\n\n");
    }
    page.trim_end().to_owned() + "\n"
}

fn help(command: &mut clap::Command) -> String {
    let text = command.render_long_help().to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn exit_codes() -> String {
    let mut page = format!("# Exit codes\n\n{NOTE}\n| code | meaning | what to do |\n|---:|---|---|\n");
    for exit in Exit::ALL {
        let _ = writeln!(page, "| {} | {} | {} |", exit.code(), exit.meaning(), exit.advice());
    }
    page
}

fn settings() -> String {
    let mut page = format!(
        "# Settings\n\n{NOTE}\nEvery setting is an option of `raddle check`, a key of `raddle.toml` and a variable of the \
         environment. The order is: command line, environment, profile of `raddle.toml`, built-in value. \
         `raddle show-config` prints each value and where it came from.\n"
    );
    let mut heading = "";
    for key in KEYS {
        if key.heading != heading {
            heading = key.heading;
            let _ = write!(
                page,
                "\n## {heading}\n\n| option, key | value | built-in | variable | what |\n|---|---|---|---|---|\n"
            );
        }
        let built_in = key.built_in.map_or_else(|| "–".to_owned(), |text| format!("`{text}`"));
        let _ = writeln!(
            page,
            "| `{}` | {} | {built_in} | `{}` | {} |",
            key.name,
            value(key),
            key.variable(),
            key.help.replace('|', "\\|")
        );
    }
    page + "\n" + FILE
}

fn value(key: &Key) -> String {
    let words = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    match key.kind {
        ValueKind::Word(known) => words(known),
        ValueKind::Switch => "–".to_owned(),
        _ => format!("`{}`", key.value_name),
    }
}

const FILE: &str = "## raddle.toml

The file is looked for in the current folder and upwards. It has the tables `[default]` and `[ci]`, whose keys are the names above, and one
`[[program]]` for each program of the project. `--profile ci` takes what `[ci]` says, and from `[default]` what it does not say. A key that is
not known is refused, with the line and the nearest key that is.

```toml
[default]
strategy = \"auto\"
max-time = \"10m\"

[ci]
progress = \"counter\"

[[program]]
name   = \"bounded buffer\"
source = [\"src/buffer.c\", \"tests/buffer_main.c\"]
cflags = \"-Iinclude\"
```
";

#[test]
fn the_reference_in_the_book_says_what_the_code_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference");
    for (name, page) in
        [("commands.md", commands()), ("settings.md", settings()), ("exit-codes.md", exit_codes())]
    {
        let path = folder.join(name);
        if std::env::var_os("RADDLE_BLESS").is_some() {
            std::fs::write(&path, &page).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == page,
            "docs/src/reference/{name} is not what the code says: run RADDLE_BLESS=1 cargo test -p raddle-cli reference"
        );
    }
}
