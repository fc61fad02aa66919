//! `raddle show-config`: every setting, its value, and where it came from.

use crate::arguments::ShowConfig;
use crate::commands::settings;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;

/// Shows the settings as `raddle check` would take them.
pub(crate) fn run(arguments: &ShowConfig) -> Result<Exit, Failure> {
    let settings = settings(&arguments.settings)?;
    let mut text = match &settings.file {
        Some(file) => format!("file     {}\n", file.path.display()),
        None => "file     none (raddle.toml was not found here or above)\n".to_owned(),
    };
    text.push_str(&format!("profile  {}\n\n", settings.profile));
    let width = settings.all().iter().map(|setting| setting.key.name.len()).max().unwrap_or(0);
    for setting in settings.all() {
        let value = setting.text.as_deref().unwrap_or("-");
        let name = setting.key.name;
        text.push_str(&format!("{name:width$}  {value:<14}  {}\n", setting.origin));
    }
    for program in settings.file.iter().flat_map(|file| &file.programs) {
        text.push_str(&format!("\nprogram  {}: {}", program.name, program.source.join(" ")));
    }
    print(&text)?;
    Ok(Exit::Good)
}
