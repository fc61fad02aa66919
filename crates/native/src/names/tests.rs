//! Names of a program that is compiled for the test.

use std::process::Command;

use super::Symbols;

const SOURCE: &str = "
#include <pthread.h>
int balance;
struct account { int id; struct { int amount; long when; } history[3]; };
struct account account;
pthread_mutex_t fork_lock[3];
struct { pthread_mutex_t mutex; int items[2][4]; } queue;
_Atomic int seen;
int main(void) { static int calls; return balance + account.id + (int)sizeof fork_lock + calls++ + queue.items[0][0] + seen; }
";

/// The offset of a global, as the linker sees it.
fn offset(symbols: &Symbols, name: &str) -> u64 {
    let variable = symbols.variables.iter().find(|variable| variable.name == name);
    variable.unwrap_or_else(|| panic!("{name} is not known")).start
}

/// The names of a program with this source.
fn symbols_of(name: &str, text: &str) -> Symbols {
    let folder = std::env::temp_dir().join(format!("raddle-names-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let (source, program) = (folder.join("names.c"), folder.join("names"));
    std::fs::write(&source, text).expect("a temporary file");
    let status = Command::new("cc").arg("-g").arg(&source).arg("-o").arg(&program).status();
    assert!(status.expect("cc is there").success());
    let symbols = Symbols::of(&program);
    let _ = std::fs::remove_dir_all(&folder);
    symbols
}

#[test]
fn what_holds_a_number_is_found_down_to_members_and_elements() {
    let source = "#include <pthread.h>\n#include <stdbool.h>\nstruct { short id; struct { char *next; float load; } parts[2]; } all;\n\
        pthread_mutex_t lock;\nunsigned char grid[2][2];\n_Atomic int seen;\nbool done;\nint main(void) { return seen; }\n";
    let mut scalars = symbols_of("scalars", source).scalars();
    scalars.sort_by(|a, b| a.name.cmp(&b.name));
    let names: Vec<&str> = scalars.iter().map(|scalar| scalar.name.as_str()).collect();
    let parts =
        ["all.id", "all.parts[0].load", "all.parts[0].next", "all.parts[1].load", "all.parts[1].next"];
    let rest = ["done", "grid[0][0]", "grid[0][1]", "grid[1][0]", "grid[1][1]", "seen"];
    assert_eq!(names, [&parts[..], &rest[..]].concat());
    let shown = |name: &str, bits: u64| {
        let scalar = scalars.iter().find(|scalar| scalar.name == name);
        scalar.unwrap_or_else(|| panic!("{name}")).show(bits)
    };
    assert_eq!(
        [shown("all.id", 0xffff), shown("seen", 0xffff_fffe), shown("grid[1][0]", 255)],
        ["-1", "-2", "255"]
    );
    assert_eq!(
        [shown("done", 1), shown("all.parts[0].next", 0), shown("all.parts[1].next", 9)],
        ["1", "null", "not null"]
    );
    assert_eq!(shown("all.parts[0].load", u64::from(1.5_f32.to_bits())), "1.5");
}

#[test]
fn parts_of_globals_are_named_as_one_would_write_them() {
    let symbols = symbols_of("parts", SOURCE);
    let name = |global: &str, within: u64| symbols.name(offset(&symbols, global) + within);
    assert_eq!(name("balance", 0).as_deref(), Some("balance"));
    assert_eq!(name("calls", 0).as_deref(), Some("calls"));
    assert_eq!(name("seen", 0).as_deref(), Some("seen"));
    assert_eq!(name("account", 0).as_deref(), Some("account.id"));
    assert_eq!(name("account", 8 + 2 * 16).as_deref(), Some("account.history[2].amount"));
    assert_eq!(name("account", 8 + 2 * 16 + 8).as_deref(), Some("account.history[2].when"));
    assert_eq!(name("fork_lock", 40).as_deref(), Some("fork_lock[1]"));
    assert_eq!(name("queue", 0).as_deref(), Some("queue.mutex"));
    assert_eq!(name("queue", 40 + 4 * 5).as_deref(), Some("queue.items[1][1]"));
    assert_eq!(symbols.name(0), None);
}

#[test]
fn what_is_no_program_has_no_names() {
    assert_eq!(Symbols::read(b"\x7fELF and then nothing").name(0), None);
}
