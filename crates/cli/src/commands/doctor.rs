//! `raddle doctor`: what this machine has, what it lacks, and what to install.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_instrument::driver::DriverError;
use raddle_instrument::tools::Tools;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;

/// How much a missing thing matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    Needed,
    Useful,
}

struct Finding {
    what: &'static str,
    weight: Weight,
    /// What is there, or what to do about it.
    found: Result<String, String>,
}

/// Looks at everything; exit code 3 if something is missing without which no C program can be checked.
pub(crate) fn run() -> Result<Exit, Failure> {
    let compilers = [compiler("clang", Tools::find_clang()), compiler("clang++", Tools::find_clangxx())];
    let rest = [linked_program(), randomisation(), landlock(), seccomp(), debugger()];
    let findings: Vec<Finding> = compilers.into_iter().chain(libraries()).chain(rest).collect();
    let mut text = String::new();
    for finding in &findings {
        let (word, what) = match (&finding.found, finding.weight) {
            (Ok(what), _) => ("ok", what),
            (Err(what), Weight::Needed) => ("MISSING", what),
            (Err(what), Weight::Useful) => ("absent", what),
        };
        text.push_str(&format!("{word:>8}  {:<9}  {what}\n", finding.what));
    }
    let lacks = findings.iter().any(|finding| finding.found.is_err() && finding.weight == Weight::Needed);
    text.push_str(if lacks {
        "\nC and C++ programs cannot be checked here before what is MISSING is there.\n"
    } else {
        "\nC and C++ programs can be checked here.\n"
    });
    print(&text)?;
    Ok(if lacks { Exit::NotStarted } else { Exit::Good })
}

fn first_line(program: impl AsRef<OsStr>) -> Option<String> {
    let output =
        Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

fn compiler(what: &'static str, program: Result<PathBuf, DriverError>) -> Finding {
    let found = program.map_err(|error| error.to_string()).and_then(|program| {
        first_line(&program).ok_or_else(|| {
            format!("{} does not start; on Debian and Ubuntu: apt-get install clang-19", program.display())
        })
    });
    Finding { what, weight: Weight::Needed, found }
}

/// The plugin of the compiler, the library that is linked, and the header that programs may include.
fn libraries() -> Vec<Finding> {
    let found = |what, weight, found| Finding { what, weight, found };
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(error) => return vec![found("libraries", Weight::Needed, Err(error.to_string()))],
    };
    let shown = |path: &Path| path.canonicalize().as_deref().unwrap_or(path).display().to_string();
    let header = tools.include.as_deref().map(|folder| shown(&folder.join("raddle.h")));
    vec![
        found("plugin", Weight::Needed, Ok(shown(&tools.plugin))),
        found("runtime", Weight::Needed, Ok(shown(&tools.runtime_library))),
        found(
            "raddle.h",
            Weight::Useful,
            header.ok_or_else(|| "needed only by programs that include it".to_owned()),
        ),
    ]
}

/// Compiles and runs the smallest program: what no list of packages can promise.
fn linked_program() -> Finding {
    let try_it = || -> Result<String, String> {
        let folder = crate::scratch::Scratch::new().map_err(|failure| failure.text)?;
        let source = folder.path().join("empty.c");
        let written = std::fs::write(&source, "int main(void) { return 0; }\n");
        let built = written.map_err(|error| error.to_string()).and_then(|()| {
            crate::compile::build(std::slice::from_ref(&source), &[]).map_err(|failure| failure.text)
        });
        let status = Command::new(&built?.binary).status().map_err(|error| error.to_string())?;
        if status.success() {
            Ok("an empty program was built and ran".to_owned())
        } else {
            Err(status.to_string())
        }
    };
    let found = try_it().map_err(|error| {
        format!("an empty program could not be built and run ({error}); on Debian and Ubuntu: apt-get install libc6-dev")
    });
    Finding { what: "building", weight: Weight::Needed, found }
}

fn randomisation() -> Finding {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let found = match read("/proc/sys/kernel/randomize_va_space").as_str() {
        "0" => Ok("addresses are not randomised here".to_owned()),
        _ if no_randomisation_works() => Ok("can be switched off for a program".to_owned()),
        _ => Err(
            "address randomisation cannot be switched off (in a container: allow the system call personality); programs \
             that look at addresses may not replay"
                .to_owned(),
        ),
    };
    Finding { what: "addresses", weight: Weight::Useful, found }
}

fn no_randomisation_works() -> bool {
    Command::new("setarch").args(["-R", "true"]).status().is_ok_and(|status| status.success())
}

fn landlock() -> Finding {
    let active = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    let found = if active.contains("landlock") {
        Ok("the kernel has it".to_owned())
    } else {
        Err("the kernel does not offer it; raddle does not need it".to_owned())
    };
    Finding { what: "landlock", weight: Weight::Useful, found }
}

fn seccomp() -> Finding {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:")).map(str::trim);
    let found = match mode {
        Some("0") => Ok("no filter is active".to_owned()),
        Some(mode) => Ok(format!("a filter is active (mode {mode}), as in containers")),
        None if Path::new("/proc/self").exists() => Err("the kernel does not tell".to_owned()),
        None => Err("/proc is not mounted; raddle needs it to watch a program's memory".to_owned()),
    };
    Finding { what: "seccomp", weight: Weight::Useful, found }
}

fn debugger() -> Finding {
    let found = first_line("gdb").ok_or_else(|| {
        "needed only for raddle replay --gdb; on Debian and Ubuntu: apt-get install gdb".to_owned()
    });
    Finding { what: "gdb", weight: Weight::Useful, found }
}
