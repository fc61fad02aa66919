//! A panic of ours: an exit code of its own, a message, and a file to send.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::PathBuf;

use crate::exit::Exit;
use crate::output::say;
use crate::refusal;

/// Runs the command; a panic becomes a message and [`Exit::Bug`].
pub(crate) fn guarded(command: impl FnOnce() -> Exit) -> Exit {
    std::panic::set_hook(Box::new(report));
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        refusal::tell(Exit::Bug, "a bug in raddle, not in your program");
        Exit::Bug
    })
}

/// Panics, if the environment asks for it here: what a bug of ours looks like has to be tested, too.
pub(crate) fn on_purpose(place: &str) {
    if std::env::var_os("RADDLE_PANIC").is_some_and(|wanted| wanted == place) {
        panic!("bug in raddle: RADDLE_PANIC asks for it");
    }
}

fn report(panic: &PanicHookInfo<'_>) {
    raddle_native::terminal::give_back();
    let text = description(&panic.to_string(), &std::backtrace::Backtrace::force_capture().to_string());
    let path = file();
    let kept = match std::fs::write(&path, &text) {
        Ok(()) => format!("please send {}", path.display()),
        Err(error) => format!("{} could not be written ({error}); please send this:\n{text}", path.display()),
    };
    say(&format!("raddle: a bug in raddle, not in your program: {panic}\nraddle: {kept}"));
}

fn file() -> PathBuf {
    std::env::temp_dir().join(format!("raddle-bug-{}.txt", std::process::id()))
}

fn description(panic: &str, backtrace: &str) -> String {
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    format!(
        "raddle {} on {} {}\narguments: {arguments:?}\n{panic}\n{backtrace}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_ours_has_its_own_code_and_leaves_a_file() {
        let exit = guarded(|| panic!("bug in raddle: on purpose"));
        // The test runner's own hook has to come back.
        drop(std::panic::take_hook());
        assert_eq!(exit, Exit::Bug);
        let text = std::fs::read_to_string(file()).expect("the file that the message names is there");
        assert!(text.contains("bug in raddle: on purpose"), "{text}");
        let _ = std::fs::remove_file(file());
    }
}
