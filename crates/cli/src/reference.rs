//! The pages of the book that are written from the code: commands, settings, exit codes; and the schema of `raddle.toml`.
//!
//! The test compares them with `docs/src/reference`; with `RADDLE_BLESS=1` it writes them.

use std::fmt::Write as _;
use std::path::Path;

use clap::CommandFactory;
use raddle_explore::StrategyName;
use serde_json::{Value, json};

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
        ValueKind::Word(known) | ValueKind::Words(known) => words(known),
        ValueKind::Switch => "–".to_owned(),
        _ => format!("`{}`", key.value_name),
    }
}

const FILE: &str = "## raddle.toml

The file is looked for in the current folder and upwards. It has the tables `[default]` and `[ci]`, whose keys are the names above, and one
`[[program]]` for each program of the project. `--profile ci` takes what `[ci]` says, and from `[default]` what it does not say. A key that is
not known is refused, with the line and the nearest key that is. `docs/schema/raddle-toml.schema.json` is its schema for editors; those that
use Taplo read it from the first line below.

```toml
#:schema https://raddle-rs.github.io/raddle/schema/raddle-toml.schema.json
[default]
strategy = \"auto\"
max-time = \"10m\"

[ci]
progress = \"counter\"
formats  = [\"junit\", \"sarif\", \"github\"]

[[program]]
name   = \"bounded buffer\"
source = [\"src/buffer.c\", \"tests/buffer_main.c\"]
cflags = \"-Iinclude\"
```
";

/// The schema of `raddle.toml`, for editors.
fn file_schema() -> String {
    let profile: serde_json::Map<String, Value> = KEYS
        .iter()
        .map(|key| {
            let mut rules = allowed(key);
            rules["description"] = json!(key.help);
            (key.name.to_owned(), rules)
        })
        .chain([("inherits".to_owned(), json!({ "const": "default" }))])
        .collect();
    let texts =
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://raddle-rs.github.io/raddle/schema/raddle-toml.schema.json",
        "title": "raddle.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "default": { "$ref": "#/definitions/profile" },
            "ci": { "$ref": "#/definitions/profile" },
            "program": { "type": "array", "items": { "$ref": "#/definitions/program" } },
        },
        "definitions": {
            "profile": { "type": "object", "additionalProperties": false, "properties": profile },
            "program": {
                "type": "object",
                "additionalProperties": false,
                "required": ["source"],
                "properties": {
                    "name": { "type": "string", "description": "What it is called in reports." },
                    "source": texts,
                    "cflags": texts,
                    "arguments": texts,
                },
            },
        },
    });
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}

/// What a key may be set to.
fn allowed(key: &Key) -> Value {
    let number = |least: u64, most: u64| json!({ "type": "integer", "minimum": least, "maximum": most });
    match key.kind {
        ValueKind::Strategy => json!({ "enum": StrategyName::ALL.map(StrategyName::as_str) }),
        ValueKind::Number(most) => number(0, most),
        ValueKind::Workers(most) => json!({ "anyOf": [number(1, most), { "const": "cores" }] }),
        ValueKind::Time => json!({ "type": "string", "pattern": "^[0-9]+ *(ms|s|m|h|d)$" }),
        ValueKind::Size => {
            json!({ "anyOf": [number(0, u64::MAX), { "type": "string", "pattern": "^[0-9]+ *[KkMGT]?(i?B)?$" }] })
        }
        ValueKind::Switch => json!({ "type": "boolean" }),
        ValueKind::Word(known) => json!({ "enum": known }),
        ValueKind::Words(known) => {
            json!({ "type": "array", "items": { "enum": known }, "uniqueItems": true })
        }
        ValueKind::Text => {
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
        }
    }
}

#[test]
fn the_reference_in_the_book_says_what_the_code_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, page) in [
        ("src/reference/commands.md", commands()),
        ("src/reference/settings.md", settings()),
        ("src/reference/exit-codes.md", exit_codes()),
        ("schema/raddle-toml.schema.json", file_schema()),
    ] {
        let path = folder.join(name);
        if std::env::var_os("RADDLE_BLESS").is_some() {
            std::fs::write(&path, &page).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == page,
            "docs/{name} is not what the code says: run RADDLE_BLESS=1 cargo test -p raddle-cli reference"
        );
    }
}
