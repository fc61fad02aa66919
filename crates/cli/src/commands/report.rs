//! `raddle report`: the page of a finding or of the last check.

use std::process::Command;

use crate::arguments::Report;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::store;

/// Says where the page is, and opens it if that was asked for.
pub(crate) fn run(arguments: &Report) -> Result<Exit, Failure> {
    let out = store::out(arguments.out.as_deref());
    let page = match &arguments.finding {
        Some(finding) => store::folder_given(&out, finding)?.0.join("report.html"),
        None => {
            let last = raddle_store::last_with(&out, "report.html");
            last.unwrap_or_else(|| out.join("latest")).join("report.html")
        }
    };
    if !page.is_file() {
        return Err(Failure::usage(format!(
            "there is no page at {}: check a program first, it is written on the way",
            page.display()
        )));
    }
    print(&page.display().to_string())?;
    if arguments.open {
        // The page is a file; whatever opens files opens it.
        let opened = Command::new("xdg-open").arg(&page).status();
        if !opened.is_ok_and(|status| status.success()) {
            return Err(Failure::usage(format!(
                "could not open {} (xdg-open is missing or refused it): open it in a browser by hand",
                page.display()
            )));
        }
    }
    Ok(Exit::Good)
}
