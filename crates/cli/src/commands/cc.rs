//! `raddle cc` and `raddle c++`: in the place of the compiler.

use std::ffi::OsString;

use raddle_instrument::driver::{self, Language};
use raddle_instrument::tools::Tools;

use crate::exit::Exit;
use crate::failure::Failure;

/// Does what clang would do with these arguments. What clang refuses, clang has explained itself.
pub(crate) fn run(language: Language, arguments: &[OsString]) -> Result<Exit, Failure> {
    let tools = Tools::find().map_err(Failure::not_started)?;
    let status = driver::compile(language, arguments, &tools).map_err(Failure::not_started)?;
    // Build systems ask the compiler whether something compiles, so its failure is not 0 but no more is promised.
    Ok(if status.success() { Exit::Good } else { Exit::NotStarted })
}
