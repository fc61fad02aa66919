//! Bug patterns in C (`corpus/patterns/c`), each with two threads and with ten: the guided strategies find them all.

mod common;

use std::path::PathBuf;

use common::Folder;

fn programs() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/patterns/c");
    let files =
        std::fs::read_dir(folder).expect("the folder is there").map(|file| file.expect("a file").path());
    let mut programs: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    programs.sort();
    programs
}

/// What a line of the head says.
fn stated(source: &str, key: &str) -> String {
    let line = source.lines().find_map(|line| line.strip_prefix(&format!("//! {key}: ")));
    line.unwrap_or_else(|| panic!("the head says `{key}`")).to_owned()
}

#[test]
fn hapset_and_auto_find_every_pattern_in_c() {
    let programs = programs();
    assert!(programs.len() >= 10, "{programs:?}");
    let folder = Folder::new();
    for program in programs {
        let expected = stated(&std::fs::read_to_string(&program).expect("a text"), "finding");
        for threads in ["2", "10"] {
            let (source, define) = (program.display().to_string(), format!("-DN={threads}"));
            let built = folder.raddle(&["cc", &define, &source, "-o", "program"]);
            assert_eq!(built.code, Some(0), "{built:#?}");
            for strategy in ["hapset", "auto"] {
                let check = ["check", "./program", "--strategy", strategy, "--max-runs", "300"];
                let ran = folder.raddle(&[&check[..], &["--format", "json"]].concat());
                let found = &ran.json()["findings"][0]["kind"];
                assert_eq!(found, &expected, "{source}, {threads} threads, {strategy}");
            }
        }
    }
}
