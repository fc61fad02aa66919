//! How a check is made again: which one of its test it is, the command that replays a finding, and where its files are.

use std::cell::RefCell;
use std::env;
use std::path::{Path, PathBuf};

thread_local! {
    /// How many checks of each name this OS thread has made. A test has an OS thread of its own.
    static MADE: RefCell<Vec<(String, u32)>> = const { RefCell::new(Vec::new()) };
}

/// Counts a check of this name; the first one of a test has the number one.
pub(super) fn count(name: &str) -> u32 {
    MADE.with_borrow_mut(|made| match made.iter_mut().find(|(known, _)| known == name) {
        Some((_, checks)) => {
            *checks += 1;
            *checks
        }
        None => {
            made.push((name.to_owned(), 1));
            1
        }
    })
}

/// What a schedule calls the program of a check: its name, and which one of that name it was, unless it was the first.
pub(super) fn called(name: &str, number: u32) -> String {
    if number == 1 { name.to_owned() } else { format!("{name} (check {number})") }
}

/// The name and the number of what a schedule calls its program.
pub(super) fn name_and_number(called: &str) -> (&str, u32) {
    let numbered = called.strip_suffix(')').and_then(|called| called.rsplit_once(" (check "));
    let numbered = numbered.and_then(|(name, number)| Some((name, number.parse().ok()?)));
    numbered.unwrap_or((called, 1))
}

/// The command that runs one test of this package again, from where the user stands.
pub(super) fn test_command(test: &str) -> String {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = match (shell(), folder, env::var("CARGO_PKG_NAME")) {
        (Some(shell), Some(folder), Ok(name)) => {
            package_argument(&shell, &folder, &name, &|file| file.is_file())
        }
        _ => String::new(),
    };
    format!("cargo test {package}{test} -- --exact")
}

/// Where the user stands: Cargo leaves the shell's folder in this variable, but runs tests in the folder of their package.
fn shell() -> Option<PathBuf> {
    env::var_os("PWD").map(PathBuf::from).filter(|shell| shell.is_absolute())
}

/// What tells Cargo which package is meant, if that is not the one in which the user stands.
fn package_argument(shell: &Path, folder: &Path, name: &str, is_file: &dyn Fn(&Path) -> bool) -> String {
    let is_in_package = shell.starts_with(folder);
    let is_in_some = shell.ancestors().any(|folder| is_file(&folder.join("Cargo.toml")));
    match (is_in_package, is_in_some) {
        (true, _) => String::new(),
        (false, true) => format!("-p {name} "),
        (false, false) => format!("--manifest-path {} ", folder.join("Cargo.toml").display()),
    }
}

/// What has to stand before a command so that it finds what this check has kept.
pub(super) fn variables(id: &str) -> String {
    let out = env::var("RADDLE_OUT").map(|out| format!("RADDLE_OUT={out} ")).unwrap_or_default();
    format!("{out}RADDLE_REPLAY={id}")
}

/// A path as it is seen from where the user stands.
pub(super) fn seen_from_shell(path: &Path) -> PathBuf {
    let Ok(whole) = std::path::absolute(path) else { return path.to_owned() };
    let here = env::current_dir().unwrap_or_default();
    match shell() {
        Some(shell) if shell != here => {
            whole.strip_prefix(&shell).map_or_else(|_| whole.clone(), Path::to_owned)
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{called, name_and_number, package_argument};

    #[test]
    fn what_a_schedule_calls_its_program_tells_which_check_it_was() {
        for (name, number) in [("bank::transfer", 1), ("bank::transfer", 2), ("odd (check x)", 1), ("", 7)] {
            assert_eq!(name_and_number(&called(name, number)), (name, number));
        }
    }

    #[test]
    fn the_command_names_the_package_if_the_user_stands_elsewhere() {
        let is_file =
            |file: &Path| [Path::new("/w/Cargo.toml"), Path::new("/w/m/Cargo.toml")].contains(&file);
        let from = |shell: &str| package_argument(Path::new(shell), Path::new("/w/m"), "m", &is_file);
        assert_eq!(from("/w/m"), "");
        assert_eq!(from("/w/m/src"), "");
        assert_eq!(from("/w"), "-p m ");
        assert_eq!(from("/w/other"), "-p m ");
        assert_eq!(from("/home"), "--manifest-path /w/m/Cargo.toml ");
    }
}
