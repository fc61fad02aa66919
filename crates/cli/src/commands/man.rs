//! `raddle man`: the manual page, from the arguments themselves.

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;

/// Writes the manual page: the command, then each of its commands.
pub(crate) fn run() -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    command.build();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        let man = clap_mangen::Man::new(subcommand.clone());
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
    }
    print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Good)
}
