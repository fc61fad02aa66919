//! Runs that take long without a step, and do end: how busy the machine is does not decide about the verdict.

#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;

#[test]
fn a_run_that_ends_when_it_is_made_again_was_only_slow() {
    let folder = Folder::new();
    let source = "#include <stdio.h>
int main(void)
{
    FILE *been = fopen(\"been\", \"r\");
    if (been) {
        fclose(been);
        return 0;
    }
    fclose(fopen(\"been\", \"w\"));
    for (;;)
        __asm__ volatile(\"\");
}
";
    folder.file("once.c", source);
    let ran = folder.raddle(&["check", "once.c", "--max-run-time", "300ms", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
    assert_eq!((ran.code, json["verdict"].as_str()), (Some(4), Some("stopped")), "{ran:#?}");
    assert_eq!(json["limit"]["kind"], "run-seconds", "{ran:#?}");
}

/// It waits in the kernel most of the time, as if a busy machine did not let it run, but never for long.
#[test]
fn a_thread_that_is_seldom_let_run_is_in_no_endless_loop() {
    let folder = Folder::new();
    let source = "int main(void)
{
    for (int round = 0; round < 6; round++) {
        long result = 7;
        for (int i = 0; i < 10000000; i++)
            __asm__ volatile(\"\");
        __asm__ volatile(\"syscall\" : \"+a\"(result) : \"D\"(0L), \"S\"(0L), \"d\"(200L) : \"rcx\", \"r11\", \"memory\");
    }
    return 0;
}
";
    folder.file("seldom.c", source);
    let ran = folder.raddle(&["check", "seldom.c", "--max-run-time", "500ms", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(0), "{ran:#?}");
    // The call by hand is what is not known of it.
    assert_eq!(json["verdict"], "untrusted", "{ran:#?}");
}

/// A loop that calls hooks in every round is nearly always found in one of them, where it cannot be left.
#[test]
fn a_loop_full_of_hooks_is_ended_soon_after_its_time() {
    let folder = Folder::new();
    let source = std::fs::read_to_string(common::root().join("corpus/hostile/endless_loop.c")).unwrap();
    folder.file("endless_loop.c", &source);
    let arguments =
        ["check", "endless_loop.c", "--max-run-time", "200ms", "--max-time", "8s", "--format", "json"];
    let ran = folder.raddle(&arguments);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
    assert_eq!(json["findings"][0]["kind"], "livelock", "{ran:#?}");
}
