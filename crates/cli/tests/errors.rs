//! Every way to be refused by the command: what is wrong, where, and what to do next (goal U6 of the book's page of goals).

mod common;

use common::Folder;

/// A refusal: how it is provoked, with which exit code it ends, where it says the fault is, and what it says to do.
struct Refusal {
    arguments: &'static [&'static str],
    code: i32,
    place: &'static str,
    next: &'static str,
}

const fn refused(
    arguments: &'static [&'static str],
    code: i32,
    place: &'static str,
    next: &'static str,
) -> Refusal {
    Refusal { arguments, code, place, next }
}

const REFUSALS: &[Refusal] = &[
    refused(&["chek"], 2, "'chek'", "try '--help'"),
    refused(&["check", "--no-such-flag"], 2, "'--no-such-flag'", "try '--help'"),
    refused(&["check"], 2, "raddle.toml", "give a C or C++ source file"),
    refused(&["check", "absent.c"], 2, "absent.c", "give a C or C++ source file"),
    refused(&["check", "folder"], 2, "folder: it is a folder", "give a C or C++ source file"),
    refused(&["check", "notes.txt"], 3, "notes.txt", "built by `raddle cc`"),
    refused(&["check", "/bin/true"], 3, "/bin/true", "CC=\"raddle cc\""),
    refused(&["check", "/bin/true", "/bin/false"], 2, "several programs", "check one at a time"),
    refused(&["check", "broken.c"], 3, "broken.c did not compile", "--cflags"),
    refused(&["check", "good.c", "--cflags", "'-O2"], 2, "--cflags", "add the '"),
    refused(&["check", "good.c", "--cflags=-static"], 3, "-static", "leave `-static` out"),
    refused(
        &["check", "good.c", "--strategy", "optimal-dpr"],
        2,
        "--strategy",
        "did you mean `optimal-dpor`?",
    ),
    refused(&["check", "good.c", "--max-time", "5"], 2, "--max-time", "write it like"),
    refused(&["check", "good.c", "--max-runs", "many"], 2, "--max-runs", "write"),
    refused(&["check", "good.c", "--max-memory", "2X"], 2, "--max-memory", "write"),
    refused(&["check", "good.c", "--format", "jsn"], 2, "--format", "did you mean `json`?"),
    refused(&["check", "good.c", "--formats", "junit,sarfi"], 2, "--formats", "did you mean `sarif`?"),
    refused(&["check", "good.c", "--formats", "none,sarif"], 2, "--formats", "leave it out"),
    refused(&["check", "good.c", "--leaks=perhaps"], 2, "--leaks", "write `true` or `false`"),
    refused(&["check", "good.c", "--profile", "cj"], 2, "cj", "ci"),
    refused(&["check", "good.c", "--hapset", "folder"], 2, "--hapset", "name another file"),
    refused(
        &["check", "--resume", "latest"],
        2,
        "raddle-out/latest/resume.bin",
        "only a search that a limit",
    ),
    refused(&["check", "--resume", "spoilt"], 2, "spoilt/resume.bin", "check the program again"),
    refused(&["check", "--resume", "latest", "good.c"], 2, "--resume", "try '--help'"),
    refused(&["replay", "abcde"], 2, "raddle-out/findings/abcde", "give an id, or the path of a folder"),
    refused(&["replay", "no-schedule"], 2, "no-schedule/schedule.txt", "check the program again"),
    refused(&["replay", "no-replay"], 2, "no-replay/replay.json", "check the program again"),
    refused(&["replay", "old-replay"], 2, "old-replay/replay.json", "check the program again"),
    refused(&["report"], 2, "raddle-out/latest/report.html", "check a program first"),
    refused(&["report", "abcde"], 2, "raddle-out/findings/abcde", "give an id, or the path of a folder"),
    refused(&["explain", "scop"], 2, "`scop`", "did you mean `scope`?"),
    refused(&["compare", "good.c", "--budget", "5"], 2, "--budget", "write it like"),
    refused(&["compare", "good.c", "--strategies", "evry"], 2, "evry", "did you mean `every`?"),
    refused(&["compare", "good.c", "--format", "sarif"], 2, "--format", "try '--help'"),
    refused(&["nets", "unfold", "absent.ll_net"], 2, "absent.ll_net", "give the path of a net"),
    refused(&["nets", "unfold", "notes.txt"], 2, "notes.txt", "expected a file that begins with"),
    refused(&["completions", "tcsh"], 2, "tcsh", "try '--help'"),
];

/// Everything that the refusals need, but for what they lack.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.file("folder/inside", "");
    folder.file("notes.txt", "not a program\n");
    folder.file("good.c", "int main(void) { return 0; }\n");
    folder.file("broken.c", "int main(void) { return undeclared; }\n");
    folder.file("spoilt/resume.bin", "RDLx and so on");
    folder.file("bank.c", include_str!("../../../examples/c/bank.c"));
    let found = folder.raddle(&["check", "bank.c", "--out", "kept", "--format", "json"]).json();
    let id = found["findings"][0]["id"].as_str().expect("there is a bug in it").to_owned();
    let schedule = std::fs::read_to_string(folder.0.join("kept/findings").join(id).join("schedule.txt"));
    let schedule = &schedule.expect("it was kept");
    folder.file("no-schedule/schedule.txt", "something else\n");
    folder.file("no-schedule/replay.json", "{}");
    folder.file("no-replay/schedule.txt", schedule);
    folder.file("old-replay/schedule.txt", schedule);
    folder.file("old-replay/replay.json", "{ \"schema\": 0 }");
    folder
}

#[test]
fn every_refusal_says_what_is_wrong_where_and_what_to_do() {
    let folder = prepared();
    let mut wrong = Vec::new();
    for refusal in REFUSALS {
        let ran = folder.raddle(refusal.arguments);
        let good = ran.code == Some(refusal.code)
            && ran.err.contains(refusal.place)
            && ran.err.contains(refusal.next)
            && ran.out.is_empty();
        if !good {
            wrong.push(format!("raddle {}: {ran:#?}", refusal.arguments.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), REFUSALS.len(), wrong.join("\n"));
}

#[test]
fn every_mistake_in_the_settings_file_names_its_line() {
    let files = [
        ("[default]\nmax-tme = \"1s\"\n", "raddle.toml:2", "did you mean `max-time`?"),
        ("[default]\nmax-time = \"5\"\n", "raddle.toml:2", "write it like"),
        ("[defalt]\n", "raddle.toml:1", "default"),
        ("[default\n", "raddle.toml:1", ""),
        ("[[program]]\nname = \"x\"\n", "raddle.toml", "source"),
    ];
    for (text, place, next) in files {
        let folder = Folder::new();
        folder.file("raddle.toml", text);
        let ran = folder.raddle(&["check"]);
        assert_eq!(ran.code, Some(2), "{text}: {ran:#?}");
        assert!(ran.err.contains(place) && ran.err.contains(next), "{text}: {}", ran.err);
    }
}
