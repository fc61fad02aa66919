//! The variables of the environment that belong to Raddle, once for Rust tests and for the command.

use raddle_explore::nearest;

/// What all their names begin with.
pub const PREFIX: &str = "RADDLE_";

/// What checks in Rust read; most are settings of the command as well.
const OF_CHECKS: &[&str] = &[
    "AIM",
    "BOUND",
    "CONTEXT",
    "FORMATS",
    "HAPSET",
    "KEEP_CHECKS",
    "KEEP_GOING",
    "KEEP_SIZE",
    "KEEP_TIME",
    "MATCH",
    "MAX_RUNS",
    "MAX_RUN_TIME",
    "MAX_STEPS",
    "MAX_TIME",
    "MODEL",
    "OUT",
    "RECORD",
    "REPLAY",
    "REPORT",
    "SEED",
    "STRATEGY",
    "VERBOSE",
    "WORKERS",
];

/// What the command, the runtime of C and C++ programs and our own tests read.
const OF_OTHERS: &[&str] = &[
    "ACCEPT_INCOMPLETE",
    "BLESS",
    "CFLAGS",
    "CHANNEL",
    "CHECKPOINTS",
    "COLOR",
    "CORPUS_REPLAYS",
    "FORMAT",
    "ISOLATION",
    "LEAKS",
    "LEARN_NATIVE",
    "LIB",
    "LIST",
    "LIST_MOST",
    "LLVM",
    "MAX_DESCRIPTORS",
    "MAX_FILE_SIZE",
    "MAX_MEMORY",
    "MAX_OUTPUT",
    "MAX_PROCESSES",
    "MESSAGE_FORMAT",
    "PAGES",
    "PANIC",
    "PROFILE",
    "PROGRESS",
    "RACES",
    "SHOW_OUTPUT",
    "SPURIOUS_WAKEUPS",
    "STACK_SIZE",
    "TEST_TOOLS",
    "TIMEOUTS",
];

/// What is wrong with the name of a variable, if somebody believes that it is one of ours and it is not.
#[must_use]
pub fn misnamed_variable(name: &str) -> Option<String> {
    let word = name.strip_prefix(PREFIX)?;
    if OF_CHECKS.contains(&word) || OF_OTHERS.contains(&word) {
        return None;
    }
    // Without the beginning that they all have, which would make them look alike.
    Some(match nearest(word, OF_CHECKS).or_else(|| nearest(word, OF_OTHERS)) {
        Some(near) => format!("{name}: there is no such variable, did you mean {PREFIX}{near}?"),
        None => format!(
            "{name}: there is no such variable, and names that begin with {PREFIX} are Raddle's own; unset it, or take \
             one of {PREFIX}{}",
            OF_CHECKS.join(&format!(", {PREFIX}"))
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_known_leads_to_the_nearest() {
        assert_eq!(misnamed_variable("RADDLE_STRATEGY"), None);
        assert_eq!(misnamed_variable("RADDLE_PROFILE"), None);
        assert_eq!(misnamed_variable("RUST_LOG"), None);
        assert_eq!(
            misnamed_variable("RADDLE_STRATEGI").as_deref(),
            Some("RADDLE_STRATEGI: there is no such variable, did you mean RADDLE_STRATEGY?")
        );
        assert_eq!(
            misnamed_variable("RADDLE_MAX_MEMROY").as_deref(),
            Some("RADDLE_MAX_MEMROY: there is no such variable, did you mean RADDLE_MAX_MEMORY?")
        );
        let unlike = misnamed_variable("RADDLE_XYZZY_QUUX").expect("it is not known");
        assert!(unlike.contains("unset it, or take one of RADDLE_AIM, RADDLE_BOUND, "), "{unlike}");
    }
}
