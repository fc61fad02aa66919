//! `raddle completions`: from the arguments themselves.

use clap::CommandFactory;

use crate::arguments::{Arguments, Completions};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;

/// Writes the completions of a shell.
pub(crate) fn run(arguments: &Completions) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "raddle", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Good)
}
