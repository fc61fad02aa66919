//! Every example finds its bug, and its fixed twin passes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should not")]

use std::process::Command;

/// Runs an example in a folder of its own, so that it leaves nothing in the sources; its output, and whether it passed.
fn run(program: &str) -> (String, bool) {
    let name = std::path::Path::new(program).file_name().unwrap();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new(program)
        .current_dir(&folder)
        .env("RUST_BACKTRACE", "0")
        .env("RADDLE_OUT", &folder)
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (text, output.status.success())
}

#[track_caller]
fn check(broken: &str, headline: &str, fixed: &str) {
    let (text, passed) = run(broken);
    assert!(!passed && text.contains(headline), "{text}");
    let (text, passed) = run(fixed);
    assert!(passed, "{text}");
}

macro_rules! examples {
    ($($broken:ident, $fixed:ident: $headline:literal;)*) => {
        $(#[test]
        fn $broken() {
            let broken = env!(concat!("CARGO_BIN_EXE_", stringify!($broken)));
            let fixed = env!(concat!("CARGO_BIN_EXE_", stringify!($fixed)));
            check(broken, $headline, fixed);
        })*
    };
}

examples! {
    bank, bank_fixed: "FAIL  assertion";
    bounded_buffer, bounded_buffer_fixed: "FAIL  deadlock";
    dining, dining_fixed: "FAIL  deadlock";
    double_checked, double_checked_fixed: "FAIL  data race";
    reference_count, reference_count_fixed: "FAIL  assertion";
    work_queue, work_queue_fixed: "FAIL  deadlock";
}
