//! A refusal for programs: who asked for JSON gets a document also if there is no result.

use std::ffi::OsString;

use raddle_report::{Happening, event_line};
use serde_json::json;

use crate::exit::Exit;
use crate::output::print;

/// Prints the refusal as a document, if JSON was asked for.
pub(crate) fn tell(exit: Exit, message: &str) {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let asks = |option, variable| {
        let variable = std::env::var(variable).unwrap_or_default();
        wants_json(&arguments, option, &variable)
    };
    // The exit code says the same, so there is nothing more to do if nobody reads it.
    if asks("--format", "RADDLE_FORMAT") {
        let _ = print(&document(exit, message));
    } else if asks("--message-format", "RADDLE_MESSAGE_FORMAT") {
        let (exit_code, meaning) = (exit.code(), exit.meaning());
        let _ = print(&event_line(0.0, &Happening::Failed { exit_code, meaning, message }));
    }
}

fn document(exit: Exit, message: &str) -> String {
    let error = json!({ "exit_code": exit.code(), "meaning": exit.meaning(), "message": message.trim() });
    format!("{:#}\n", json!({ "schema": 1, "error": error }))
}

/// What was typed is looked at as it stands, because it may be what is wrong.
fn wants_json(arguments: &[OsString], option: &str, variable: &str) -> bool {
    let own: Vec<&OsString> = arguments.iter().take_while(|word| *word != "--").collect();
    if !own.first().is_some_and(|command| *command == "check" || *command == "replay") {
        return false;
    }
    let after = own.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1] == "json");
    let value = |word: &&OsString| Some(word.to_str()?.strip_prefix(option)?.strip_prefix('=')? == "json");
    let joined = own.iter().filter_map(value);
    after.chain(joined).last().unwrap_or(variable == "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_for_those_who_asked_for_one() {
        let asks = |line: &str, variable: &str| {
            wants_json(&line.split(' ').map(OsString::from).collect::<Vec<_>>(), "--format", variable)
        };
        assert!(asks("check --format json absent.c", "") && asks("check --format=json absent.c", ""));
        assert!(asks("check absent.c", "json") && asks("replay abcde --format json", "human"));
        assert!(!asks("check absent.c", "") && !asks("check --format human absent.c", "json"));
        assert!(!asks("check --message-format json absent.c", ""));
        assert!(!asks("check absent.c -- --format json", "") && !asks("doctor --format json", ""));
    }
}
