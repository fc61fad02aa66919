//! Why a command could not do what it was asked for.

use std::fmt::Display;

use crate::exit::Exit;

/// A reason to stop, with the exit code that goes with it.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What, where, and what to do next; empty if there is nothing to say.
    pub(crate) text: String,
}

impl Failure {
    /// Arguments, configuration or a file are not what they should be.
    pub(crate) fn usage(text: impl Display) -> Failure {
        Failure { exit: Exit::Usage, text: text.to_string() }
    }

    /// The program could not be built or started.
    pub(crate) fn not_started(text: impl Display) -> Failure {
        Failure { exit: Exit::NotStarted, text: text.to_string() }
    }
}

/// Trouble with our own output.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::usage(format!("could not write the output to stdout: {error}; is there room where it goes?"))
    }
}
