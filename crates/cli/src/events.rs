//! Where it is told what happens during a check: in its folder, and on stdout if that was asked for.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use raddle_channel::Progress;
use raddle_native::Plan;
use raddle_report::{Happening, event_line};

use crate::failure::Failure;
use crate::output::print;
use crate::store::CheckFolder;

/// How often it is told how far the search is.
const EVERY: Duration = Duration::from_secs(1);

/// Who is told what happens.
pub(crate) struct Events {
    /// The folder of the check, or why there is none.
    folder: std::io::Result<CheckFolder>,
    printed: bool,
    start: Instant,
    /// When it was last told how far the search is.
    told: Instant,
    /// What went wrong on stdout.
    failed: Option<Failure>,
}

impl Events {
    /// A check begins.
    pub(crate) fn begin(out: &Path, printed: bool, program: &str, plan: &Plan) -> Events {
        let start = Instant::now();
        let folder = CheckFolder::begin(out);
        let mut events = Events { folder, printed, start, told: start, failed: None };
        let path = events.folder.as_ref().ok().map(|folder| folder.path().display().to_string());
        events.tell(&Happening::Started {
            program,
            arguments: &plan.arguments(),
            strategy: plan.task.strategy,
            workers: plan.workers as usize,
            version: env!("CARGO_PKG_VERSION"),
            time: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            folder: path.as_deref(),
        });
        events
    }

    /// Something happened.
    pub(crate) fn tell(&mut self, happening: &Happening<'_>) {
        let line = event_line(self.start.elapsed().as_secs_f64(), happening);
        if let Ok(folder) = &mut self.folder
            && let Err(error) = folder.note(&line)
        {
            self.folder = Err(error);
        }
        if self.printed
            && let Err(failure) = print(&line)
        {
            self.failed.get_or_insert(failure);
        }
    }

    /// The search goes on.
    pub(crate) fn progress(&mut self, progress: &Progress, findings: usize) {
        if self.told.elapsed() < EVERY {
            return;
        }
        self.told = Instant::now();
        self.tell(&Happening::Progress {
            runs: progress.runs,
            blocked: progress.blocked,
            steps: progress.steps,
            threads: progress.threads,
            findings,
            estimate: progress.estimate,
        });
    }

    /// The folder of the check, or why there is none.
    pub(crate) fn folder(&mut self) -> std::io::Result<&mut CheckFolder> {
        // The error stays, as far as it can be copied.
        self.folder.as_mut().map_err(|error| match error.raw_os_error() {
            Some(code) => std::io::Error::from_raw_os_error(code),
            None => std::io::Error::new(error.kind(), error.to_string()),
        })
    }

    /// Everything was told; the folder, if there is one.
    pub(crate) fn end(self) -> Result<Option<CheckFolder>, Failure> {
        match self.failed {
            Some(failure) => Err(failure),
            None => Ok(self.folder.ok()),
        }
    }
}
