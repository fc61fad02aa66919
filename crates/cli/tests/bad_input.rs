//! What is no program, or not one of ours: each is told apart, with the exit code that the documentation names.

mod common;

use common::Folder;

const EMPTY: &str = "int main(void) { return 0; }\n";

/// Checks a file and looks at the exit code and at what is said.
fn refused(folder: &Folder, file: &str, code: i32, said: &str) {
    let ran = folder.raddle(&["check", file]);
    assert_eq!(ran.code, Some(code), "{file}: {ran:#?}");
    assert!(ran.err.contains(said), "{file}: {}", ran.err);
    assert_eq!(ran.out, "", "{file}");
}

#[test]
fn what_cannot_be_read_is_exit_code_2() {
    let folder = Folder::new();
    std::fs::create_dir(folder.0.join("folder.c")).expect("a folder can be made");
    std::os::unix::fs::symlink("loop.c", folder.0.join("loop.c")).expect("a link can be made");
    refused(
        &folder,
        "missing.c",
        2,
        "could not read missing.c: there is no such file; give a C or C++ source file",
    );
    refused(&folder, "folder.c", 2, "could not read folder.c: it is a folder; give");
    refused(&folder, "loop.c", 2, "could not read loop.c: Too many levels of symbolic links");
    refused(&folder, "/dev/null", 2, "could not read /dev/null: it is no ordinary file");
}

#[test]
fn what_does_not_compile_or_link_is_exit_code_3_with_the_words_of_the_tools() {
    let folder = Folder::new();
    folder.file("syntax.c", "int main(void) { return 0 }\n");
    folder.file("calls.c", "int missing(void);\nint main(void) { return missing(); }\n");
    folder.file("part.c", "int part(void) { return 0; }\n");
    refused(&folder, "syntax.c", 3, "syntax.c:1:26: error: expected ';'");
    refused(
        &folder,
        "syntax.c",
        3,
        "raddle: syntax.c did not compile, see above; flags for the compiler go into --cflags",
    );
    refused(&folder, "calls.c", 3, "undefined reference to `missing'");
    refused(
        &folder,
        "calls.c",
        3,
        "raddle: calls.c compiled, but could not be linked: something is missing, see above; name the source files that have \
         it as well (raddle check calls.c OTHER.c), or their libraries in --cflags (-lNAME)",
    );
    refused(&folder, "part.c", 3, "undefined reference to `main'");
    refused(
        &folder,
        "part.c",
        3,
        "raddle: part.c compiled, but there is no function `main` to begin with; name the file that has it as well, or write \
         one that starts the threads: raddle check part.c main.c",
    );
}

#[test]
fn what_is_no_program_of_ours_is_exit_code_3_and_says_what_it_is() {
    let folder = Folder::new();
    folder.file("script", "#!/bin/sh\necho no\n");
    folder.file("empty", "");
    folder.file("it.c", EMPTY);
    let build = |arguments: &[&str]| assert_eq!(folder.raddle(arguments).code, Some(0), "{arguments:?}");
    build(&["cc", "-c", "it.c", "-o", "it.o"]);
    build(&["cc", "-shared", "-fPIC", "it.c", "-o", "libit.so"]);
    let plain =
        std::process::Command::new("clang-19").args(["it.c", "-o", "plain"]).current_dir(&folder.0).status();
    assert!(plain.is_ok_and(|status| status.success()), "clang-19 is there");
    refused(&folder, "script", 3, "`script` is not a program for Linux (an ELF file)");
    refused(&folder, "empty", 3, "`empty` is not a program for Linux (an ELF file)");
    refused(&folder, "it.o", 3, "`it.o` is an object file; give the program that it is linked into");
    refused(&folder, "libit.so", 3, "`libit.so` is a shared library; give a program that uses it");
    refused(&folder, "plain", 3, "`plain` was not built for raddle: build it with `raddle cc`");
    refused(&folder, "plain", 3, "make CC=\"raddle cc\" CXX=\"raddle c++\"");
}

#[test]
fn a_program_for_another_machine_is_exit_code_3() {
    let folder = Folder::new();
    // The head of an ELF file: 32 or 64 bits, little-endian, a program for machine 3 (x86) or 183 (ARM).
    let head = |class: u8, machine: u8, length: usize| {
        let mut bytes = vec![0; length];
        bytes[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1]);
        bytes[16..24].copy_from_slice(&[2, 0, machine, 0, 1, 0, 0, 0]);
        bytes[length - 12] = length as u8;
        bytes
    };
    std::fs::write(folder.0.join("x86"), head(1, 3, 52)).expect("a file can be written");
    std::fs::write(folder.0.join("arm"), head(2, 183, 64)).expect("a file can be written");
    refused(&folder, "x86", 3, "`x86` is for another machine (I386); give a program for 64-bit x86 Linux");
    refused(&folder, "arm", 3, "`arm` is for another machine (Aarch64); give a program for 64-bit x86 Linux");
}

#[test]
fn each_limit_is_kept_and_named() {
    let folder = Folder::new();
    folder.file(
        "memory.c",
        "#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\nint main(void) { for (;;) { void *p = mmap(0, 1 << \
         20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 1 << 20); } }\n",
    );
    folder.file(
        "file.c",
        "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"large\", \"w\"); static char block[4096]; for (int i = 0; i < \
         1000; i++) fwrite(block, 1, sizeof block, f); fclose(f); return 0; }\n",
    );
    folder.file(
        "open.c",
        "#include <assert.h>\n#include <fcntl.h>\nint main(void) { int most = 0, next; while ((next = open(\"/dev/null\", 0)) \
         >= 0) most = next; assert(most < 64); assert(most < 20); return 0; }\n",
    );
    folder.file(
        "forks.c",
        "#include <unistd.h>\nint main(void) { for (int i = 0; i < 40; i++) if (fork() == 0) break; for (;;) __asm__ \
         volatile(\"\"); }\n",
    );
    folder.file("loop.c", "int main(void) { for (;;) __asm__ volatile(\"\"); }\n");
    let check =
        |file: &str, flags: &[&str]| folder.raddle(&[&["check", file, "--max-time", "20s"], flags].concat());
    let memory = check("memory.c", &["--max-memory", "64M", "--max-run-time", "20s"]);
    assert!(memory.code == Some(5) && memory.out.contains("--max-memory"), "{memory:#?}");
    let file = check("file.c", &["--max-file-size", "64K"]);
    assert!(file.code == Some(1) && file.out.contains("--max-file-size"), "{file:#?}");
    assert_eq!(std::fs::metadata(folder.0.join("large")).map(|file| file.len()).ok(), Some(64 << 10));
    let open = check("open.c", &["--max-descriptors", "40"]);
    assert!(open.code == Some(1) && open.out.contains("most < 20"), "{open:#?}");
    let forks = check("forks.c", &["--max-processes", "8", "--max-run-time", "20s"]);
    assert!(forks.code == Some(5) && forks.out.contains("--max-processes"), "{forks:#?}");
    let endless = check("loop.c", &["--max-run-time", "1s"]);
    assert!(
        endless.code == Some(1) && endless.out.contains("went on for too long without a visible step"),
        "{endless:#?}"
    );
}

/// What gdb says if a finding is replayed under it up to a step; none if there is no gdb.
fn in_gdb(folder: &Folder, id: &str, until: &str) -> Option<common::Ran> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["replay", id, "--gdb", "--until", until])
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut commands = child.stdin.take().expect("its input is a pipe");
    // One that could not start gdb does not read.
    let _ = commands.write_all(b"backtrace\nkill\nquit\n");
    drop(commands);
    let ran = common::Ran::new(&child.wait_with_output().expect("the command ends"));
    if folder.raddle(&["doctor"]).out.lines().any(|line| line.starts_with("  absent  gdb")) {
        assert_eq!(ran.code, Some(3), "{ran:#?}");
        assert!(
            ran.err.contains("could not start gdb") && ran.err.contains("apt-get install gdb"),
            "{ran:#?}"
        );
        return None;
    }
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.out.contains("received signal SIGTRAP"), "{ran:#?}");
    Some(ran)
}

#[test]
fn gdb_stops_right_before_the_second_access_of_a_race() {
    let folder = Folder::new();
    folder.file("double_checked.c", include_str!("../../../examples/c/double_checked.c"));
    let found = folder.raddle(&["check", "double_checked.c"]);
    let (_, said) = found.out.split_once("in gdb: raddle replay ").expect("the command is there");
    let words: Vec<&str> = said.split_whitespace().take(4).collect();
    let [id, "--gdb", "--until", until] = words[..] else { panic!("{words:?}") };
    // The report counts the accesses as steps, the run does not.
    assert!(found.out.contains(&format!("     {until}             writes config")), "{found:#?}");
    if let Some(ran) = in_gdb(&folder, id, until) {
        // The lock that is held at the second access was taken in the step before.
        assert!(ran.out.contains("at double_checked.c:16"), "{ran:#?}");
    }
}

#[test]
fn gdb_stops_before_a_step() {
    let folder = Folder::new();
    folder.file(
        "late.c",
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int done;\nstatic void *work(void \
         *unused) {\n  atomic_store(&done, 1);\n  return unused;\n}\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, \
         work, 0);\n  assert(atomic_load(&done) == 1);\n  return pthread_join(t, 0);\n}\n",
    );
    let found = folder.raddle(&["check", "late.c", "--format", "json"]).json();
    let id = found["findings"][0]["id"].as_str().expect("a finding has an id").to_owned();
    if let Some(ran) = in_gdb(&folder, &id, "3") {
        // The second step creates the thread.
        assert!(ran.out.contains("in main () at late.c:11"), "{ran:#?}");
    }
}
