//! Compiles the part of the plugin that only C++ can say, against the headers of LLVM 19.

use std::process::Command;

/// What `llvm-config-19` answers, or nothing if it cannot be run.
fn ask_llvm(question: &str) -> Option<String> {
    let program = std::env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-19".to_owned());
    let output = Command::new(program).arg(question).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| answer.trim().to_owned())
}

fn main() {
    println!("cargo::rerun-if-changed=shim/shim.cpp");
    println!("cargo::rerun-if-env-changed=LLVM_CONFIG");
    let Some(include) = ask_llvm("--includedir") else {
        println!(
            "cargo::error=`llvm-config-19` was not found: install the packages clang-19 and llvm-19-dev \
             (`. ./setup.sh` does it on Debian), or set LLVM_CONFIG to the llvm-config of LLVM 19"
        );
        return;
    };
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("shim/shim.cpp")
        .flag("-isystem")
        .flag(include)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-Wno-unused-parameter")
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .compile("raddle_pass_shim");
}
