//! What the tests share: the tools, with a stand-in for the runtime, folders to build in, and running what was built.
#![allow(dead_code, reason = "not every test uses everything")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use raddle_instrument::driver::{Language, compile};
use raddle_instrument::tools::{PLUGIN, Tools};

/// The folder with the sources of the tests.
pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// A fresh folder for what one test builds.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder
}

/// clang, the plugin that cargo has built because the tests depend on its crate, and the stand-in for the runtime.
pub(crate) fn tools() -> &'static Tools {
    static TOOLS: OnceLock<Tools> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let test = std::env::current_exe().expect("a test knows its own file");
        let plugin = test.ancestors().skip(1).map(|folder| folder.join(PLUGIN)).find(|file| file.is_file());
        let plugin = plugin.expect("cargo has put the plugin above the test program");
        // Test programs run at the same time; each makes its own.
        let runtime_library = folder(&format!("stub-{}", std::process::id())).join("libstub.so");
        let source = sources().join("stub.c");
        let status = Command::new("clang-19")
            .args(["-O1", "-shared", "-fPIC", "-o"])
            .args([&runtime_library, &source])
            .status()
            .expect("clang-19 is installed, see setup.sh");
        assert!(status.success(), "the stand-in for the runtime compiles");
        Tools {
            clang: "clang-19".into(),
            clangxx: "clang++-19".into(),
            plugin,
            runtime_library,
            include: None,
            temporary: None,
            said: None,
            folder: None,
            silent: false,
        }
    })
}

/// Runs the driver on arguments that are parted by spaces; `@` stands for the folder of the test.
pub(crate) fn drive(language: Language, folder: &Path, arguments: &str) -> bool {
    let arguments: Vec<OsString> = arguments
        .split_whitespace()
        .map(|word| word.replace('@', &folder.display().to_string()).into())
        .collect();
    compile(language, &arguments, tools()).expect("clang can be started").success()
}

/// The language of a file, by its name.
pub(crate) fn language(file: &Path) -> Language {
    if file.extension().is_some_and(|extension| extension == "cpp") { Language::Cpp } else { Language::C }
}

/// Writes a C program, builds it and returns what its hooks print.
pub(crate) fn trace(name: &str, flags: &str, source: &str) -> String {
    let folder = folder(name);
    let (language, file) =
        if source.contains("#include <c") { (Language::Cpp, "it.cpp") } else { (Language::C, "it.c") };
    std::fs::write(folder.join(file), source).expect("the folder can be written");
    assert!(drive(language, &folder, &format!("{flags} @/{file} -o @/it")), "{name} compiles");
    let output = Command::new(folder.join("it")).env("STUB_PRINT", "1").output().expect("the program starts");
    assert!(output.status.success(), "{name} ends well: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a program with an environment variable set, or without.
pub(crate) fn run(program: &Path, variable: Option<&str>) -> Output {
    let mut command = Command::new(program);
    command.env_remove("STUB_PRINT").env_remove("STUB_ACTIVE");
    if let Some(variable) = variable {
        command.env(variable, "1");
    }
    command.output().expect("the program starts")
}
