//! What happens during a check, told to its folder.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use raddle_report::{Format, Happening, Record, event_line};

use crate::{CheckFolder, Most};

/// How often it is told how far the search is.
const EVERY: Duration = Duration::from_secs(1);

/// The folder of a check that goes on, which is told what happens.
pub struct Events {
    /// The folder, or why there is none.
    folder: std::io::Result<CheckFolder>,
    start: Instant,
    /// When it was last told how far the search is.
    told: Instant,
}

impl Events {
    /// A check begins. That there can be no folder is no reason not to search.
    #[must_use]
    pub fn begin(out: &Path) -> Events {
        let start = Instant::now();
        Events { folder: CheckFolder::begin(out), start, told: start }
    }

    /// What the first line says of itself: the folder, if there is one, and the seconds since 1970.
    #[must_use]
    pub fn place_and_time(&self) -> (Option<String>, u64) {
        let path = self.folder.as_ref().ok().map(|folder| folder.path().display().to_string());
        (path, SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }

    /// Something happened; the line that was written.
    pub fn tell(&mut self, happening: &Happening<'_>) -> String {
        let line = event_line(self.start.elapsed().as_secs_f64(), happening);
        if let Ok(folder) = &mut self.folder
            && let Err(error) = folder.note(&line)
        {
            self.folder = Err(error);
        }
        line
    }

    /// Whether it is time to tell how far the search is; if it is, the next time is a while from now.
    pub fn is_time(&mut self) -> bool {
        let is_time = self.told.elapsed() >= EVERY;
        if is_time {
            self.told = Instant::now();
        }
        is_time
    }

    /// The folder of the check, or why there is none.
    ///
    /// # Errors
    /// If it could not be made or written to.
    pub fn folder(&mut self) -> std::io::Result<&mut CheckFolder> {
        // The error stays, as far as it can be copied.
        self.folder.as_mut().map_err(|error| match error.raw_os_error() {
            Some(code) => std::io::Error::from_raw_os_error(code),
            None => std::io::Error::new(error.kind(), error.to_string()),
        })
    }

    /// Keeps what the check arrived at.
    ///
    /// # Errors
    /// If there is no folder, or something cannot be written.
    pub fn keep(
        &mut self,
        record: &Record,
        formats: &[Format],
        source: &dyn Fn(&str) -> Option<String>,
    ) -> std::io::Result<()> {
        self.folder().and_then(|folder| folder.keep_record(record, formats, source))
    }

    /// Tells what was found and that the check is over; the lines that were written. The exit code is for who is a command.
    pub fn tell_end(&mut self, record: &Record, exit_code: Option<u8>) -> String {
        let findings: String =
            record.findings.iter().map(|finding| self.tell(&Happening::Finding(finding))).collect();
        findings + &self.tell(&Happening::Ended { record, exit_code })
    }

    /// Everything was told: old checks may go.
    ///
    /// # Errors
    /// If there is no folder, or `raddle-out/` cannot be locked.
    pub fn finish(self, most: &Most) -> std::io::Result<()> {
        self.folder.and_then(|folder| folder.finish(most))
    }
}
