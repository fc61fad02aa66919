//! Exit codes: one enum, from which the help, `raddle explain` and the documentation come.

use std::process::ExitCode;

/// How the command ended, for scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Nothing found, and the goal was reached.
    Good,
    /// At least one finding.
    Found,
    /// Wrong use.
    Usage,
    /// The program could not be built or started.
    NotStarted,
    /// A limit stopped the search.
    Incomplete,
    /// The program was not under control.
    Untrusted,
    /// Replay left the schedule.
    Diverged,
    /// A bug in raddle.
    Bug,
    /// The user stopped it.
    Interrupted,
}

impl Exit {
    /// All of them, by code.
    pub(crate) const ALL: [Exit; 9] = [
        Exit::Good,
        Exit::Found,
        Exit::Usage,
        Exit::NotStarted,
        Exit::Incomplete,
        Exit::Untrusted,
        Exit::Diverged,
        Exit::Bug,
        Exit::Interrupted,
    ];

    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Good => 0,
            Exit::Found => 1,
            Exit::Usage => 2,
            Exit::NotStarted => 3,
            Exit::Incomplete => 4,
            Exit::Untrusted => 5,
            Exit::Diverged => 6,
            // Never 101: a panic of ours must not look like a panic of theirs.
            Exit::Bug => 70,
            Exit::Interrupted => 130,
        }
    }

    /// The exit with this code.
    pub(crate) fn from_code(code: u8) -> Option<Exit> {
        Exit::ALL.into_iter().find(|exit| exit.code() == code)
    }

    /// What it means, in one line.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Exit::Good => "nothing found, and the goal was reached",
            Exit::Found => "at least one finding",
            Exit::Usage => "wrong use: arguments, configuration, unreadable file",
            Exit::NotStarted => "the program could not be built or started",
            Exit::Incomplete => "incomplete: nothing found, but a limit stopped the search",
            Exit::Untrusted => "not trustworthy: the program was not under control",
            Exit::Diverged => "replay left the recorded schedule",
            Exit::Bug => "a bug in raddle",
            Exit::Interrupted => "interrupted; what was done is kept, and the search can go on",
        }
    }

    /// What to do about it.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Exit::Good => {
                "The goal is what the strategy promises: every interleaving (`exhausted`), all within the bound \
                 (`exhausted-within`), or as many samples as were asked for (`sampled`). The verdict says which."
            }
            Exit::Found => {
                "Each finding has an id and a folder in raddle-out/findings. `raddle replay ID` makes it happen again, \
                 `raddle explain ID` tells it at length."
            }
            Exit::Usage => {
                "The message names the argument, the key of raddle.toml or the file, and what to write instead. \
                 `raddle show-config` says where every setting comes from."
            }
            Exit::NotStarted => {
                "Either the compiler refused the source (its own message comes first), or the program is not one that \
                 `raddle cc` built, or something is missing on this machine, which `raddle doctor` names."
            }
            Exit::Incomplete => {
                "Go on where the search stopped (`raddle check --resume latest`), raise the limit that the message names, make \
                 the program smaller (fewer threads, fewer rounds), or take what was covered: --accept-incomplete turns \
                 this code into 0."
            }
            Exit::Untrusted => {
                "With the same schedule the program did something else, or it called something that raddle does not \
                 control. The message names the calls. Findings that were shown did happen; that there are no others is \
                 not claimed."
            }
            Exit::Diverged => {
                "The program has changed since the finding was recorded, or does something that raddle does not control. \
                 Check it again to find it again."
            }
            Exit::Bug => {
                "Please send us the file that the message names. It has no part of your program's source."
            }
            Exit::Interrupted => {
                "What was found until then is in raddle-out. If the verdict has a line `continue`, `raddle check --resume latest` \
                 goes on where the search stopped."
            }
        }
    }

    /// The table at the end of `raddle --help`.
    pub(crate) fn table() -> String {
        let lines = Exit::ALL.map(|exit| format!("  {:>3}  {}", exit.code(), exit.meaning()));
        format!("Exit codes (more: raddle explain CODE):\n{}", lines.join("\n"))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_read_back_and_none_is_a_rust_panic() {
        for exit in Exit::ALL {
            assert_eq!(Exit::from_code(exit.code()), Some(exit));
            assert_ne!(exit.code(), 101);
        }
        assert_eq!(Exit::from_code(9), None);
    }
}
