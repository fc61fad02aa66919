//! The driver in the place of the compiler: all the ways in which build systems call one.

mod support;

use std::path::Path;
use std::process::Command;

use raddle_instrument::driver::{DriverError, Language, compile};
use raddle_instrument::model::{self, ModelError};
use support::{drive, folder, run, tools};

const COUNTER: &str = "int count; int next(void) { return ++count; }\n";
const USER: &str =
    "#include <stdio.h>\nint next(void); int main(void) { next(); printf(\"%d\\n\", next()); return 0; }\n";

/// A folder with a program of two files.
fn project(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    write(&folder, "counter.c", COUNTER);
    write(&folder, "user.c", USER);
    folder
}

fn write(folder: &Path, file: &str, text: &str) {
    std::fs::write(folder.join(file), text).expect("the folder can be written");
}

fn printed(program: &Path) -> String {
    String::from_utf8_lossy(&run(program, None).stdout).into_owned()
}

#[test]
fn several_files_become_a_program_at_once() {
    let folder = project("at-once");
    assert!(drive(Language::C, &folder, "-Werror -Wall @/counter.c @/user.c -o @/it"));
    assert_eq!(printed(&folder.join("it")), "2\n");
    let model = model::read(&folder.join("it")).expect("the program has a model");
    assert_eq!(model.modules.len(), 2);
    assert_eq!(model.externals, ["printf"]);
    assert!(model.uncontrolled.is_empty());
    let sites: Vec<String> = model
        .sites
        .iter()
        .map(|site| format!("{}:{} {} {}", site.line, site.column, site.function, site.kind))
        .collect();
    assert_eq!(
        sites,
        ["1:36 next read", "1:36 next write", "2:34 main call", "2:57 main call", "2:42 main call"]
    );
    let functions: Vec<&str> = model.functions.iter().map(|each| each.name.as_str()).collect();
    assert_eq!(functions, ["next", "main"]);
}

#[test]
fn objects_are_compiled_and_linked_apart_with_dependencies() {
    let folder = project("apart");
    assert!(drive(
        Language::C,
        &folder,
        "-Werror -c @/counter.c -MD -MF @/counter.d -o @/counter.o -O2 -fPIC"
    ));
    assert!(drive(Language::C, &folder, "-Werror -c @/user.c -o @/user.o -std=c99 -g0"));
    assert!(drive(Language::C, &folder, "-Werror @/counter.o @/user.o -o @/it -lm"));
    assert!(std::fs::read_to_string(folder.join("counter.d")).is_ok_and(|text| text.contains("counter.c")));
    assert_eq!(printed(&folder.join("it")), "2\n");
    assert_eq!(model::read(&folder.join("it")).map(|model| model.modules.len()).ok(), Some(2));
}

#[test]
fn shared_libraries_archives_and_response_files_work() {
    let folder = project("libraries");
    write(
        &folder,
        "arguments",
        &format!("-c '{}'\n-o {}", folder.join("counter.c").display(), folder.join("counter.o").display()),
    );
    assert!(
        compile(
            Language::C,
            &["-fPIC".into(), format!("@{}", folder.join("arguments").display()).into()],
            tools()
        )
        .is_ok_and(|status| status.success())
    );
    assert!(drive(Language::C, &folder, "-shared @/counter.o -o @/libcounter.so"));
    assert!(drive(Language::C, &folder, "@/user.c -L@ -lcounter -Wl,-rpath,@ -o @/shared"));
    assert_eq!(printed(&folder.join("shared")), "2\n");
    let archive = folder.join("libother.a");
    let made = Command::new("ar").arg("rcs").arg(&archive).arg(folder.join("counter.o")).status();
    assert!(made.is_ok_and(|status| status.success()));
    assert!(drive(Language::C, &folder, "@/user.c -L@ -lother -o @/archived"));
    assert_eq!(printed(&folder.join("archived")), "2\n");
    let model = model::read(&folder.join("archived")).expect("the program has a model");
    assert_eq!((model.modules.len(), model.uncontrolled.len()), (2, 0));
}

#[test]
fn objects_of_other_compilers_link_and_are_listed() {
    let folder = project("mixed");
    write(&folder, "third.s", ".globl third\n.text\nthird: ret\n.section .note.GNU-stack,\"\",@progbits\n");
    let object = folder.join("counter.o");
    let status =
        Command::new("clang-19").arg("-c").arg(folder.join("counter.c")).arg("-o").arg(&object).status();
    assert!(status.is_ok_and(|status| status.success()));
    assert!(drive(Language::C, &folder, "-Werror @/user.c @/counter.o @/third.s -o @/it"));
    assert_eq!(printed(&folder.join("it")), "2\n");
    let model = model::read(&folder.join("it")).expect("the program has a model");
    let expected = [object.display().to_string(), folder.join("third.s").display().to_string()];
    assert_eq!(model.uncontrolled, expected);
    assert_eq!(model.externals, ["next", "printf"]);
}

#[test]
fn of_a_library_only_those_objects_are_listed_that_are_linked() {
    let folder = project("library_of_others");
    write(&folder, "unused.c", "int unused(void) { return 1; }\n");
    for name in ["counter", "unused"] {
        let (source, object) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.o")));
        let status = Command::new("clang-19").arg("-c").arg(source).arg("-o").arg(object).status();
        assert!(status.is_ok_and(|status| status.success()));
    }
    let (library, objects) = (folder.join("libboth.a"), [folder.join("counter.o"), folder.join("unused.o")]);
    let status = Command::new("ar").arg("rcs").arg(&library).args(objects).status();
    assert!(status.is_ok_and(|status| status.success()));
    assert!(drive(Language::C, &folder, "@/user.c @/libboth.a -o @/it"));
    assert_eq!(printed(&folder.join("it")), "2\n");
    let model = model::read(&folder.join("it")).expect("the program has a model");
    assert_eq!(model.uncontrolled, [format!("{}(counter.o)", library.display())]);
}

#[test]
fn what_clang_answers_without_a_file_is_handed_on() {
    let folder = project("questions");
    for line in [
        "--version",
        "-dumpmachine",
        "-print-search-dirs",
        "-v",
        "-E @/counter.c -o @/out.i",
        "-S @/counter.c -o @/out.s",
        "-fsyntax-only @/counter.c",
        "-x c -c /dev/null -o @/null.o",
        "-S -emit-llvm @/counter.c -o @/out.ll",
    ] {
        assert!(drive(Language::C, &folder, line), "{line}");
    }
    assert!(std::fs::read_to_string(folder.join("out.i")).is_ok_and(|text| text.contains("return ++count")));
    assert!(std::fs::read_to_string(folder.join("out.s")).is_ok_and(|text| text.contains("__raddle_write")));
    assert!(drive(Language::C, &folder, "-c @/out.i -o @/again.o"));
    assert!(drive(Language::C, &folder, "-c @/out.s -o @/assembled.o"));
}

#[test]
fn a_program_that_clang_does_not_accept_is_clangs_to_reject() {
    let folder = folder("wrong");
    write(&folder, "wrong.c", "int main(void) { return x; }\n");
    assert!(!drive(
        Language::C,
        &folder,
        "-w -c @/wrong.c -o @/wrong.o -ferror-limit=1 -fno-caret-diagnostics"
    ));
}

#[test]
fn a_static_program_is_refused_with_the_reason() {
    let error = compile(Language::C, &["-static".into(), "x.c".into()], tools()).map(|_| ());
    assert!(matches!(&error, Err(DriverError::Static { option }) if option == "-static"), "{error:?}");
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let mut elsewhere = tools().clone();
    elsewhere.clang = "/nowhere/clang-19".into();
    let error =
        compile(Language::C, &["x.c".into()], &elsewhere).map(|_| ()).map_err(|error| error.to_string());
    assert!(error.is_err_and(|text| text.starts_with("`/nowhere/clang-19` could not be started")));
}

#[test]
fn a_program_of_another_compiler_is_said_to_be_one() {
    let folder = project("foreign");
    let status = Command::new("clang-19")
        .args([folder.join("counter.c"), folder.join("user.c")])
        .arg("-o")
        .arg(folder.join("it"))
        .status();
    assert!(status.is_ok_and(|status| status.success()));
    let error = model::read(&folder.join("it")).map(|_| ());
    assert!(matches!(error, Err(ModelError::NotInstrumented { .. })));
}

#[test]
fn assembly_that_touches_unknown_memory_is_listed() {
    let folder = folder("assembly");
    let text = "int main(void) { asm volatile(\"cld; rep stosb\" ::: \"memory\", \"rdi\", \"rcx\", \"rax\"); asm volatile(\"pause\" ::: \"memory\"); return 0; }\n";
    write(&folder, "it.c", text);
    assert!(drive(Language::C, &folder, "@/it.c -o @/it"));
    let model = model::read(&folder.join("it")).expect("the program has a model");
    assert_eq!(model.uncontrolled, [format!("inline assembly at {}:1:18", folder.join("it.c").display())]);
}
