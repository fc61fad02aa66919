//! Where it is told what happens during a check: in its folder, and on stdout if that was asked for.

use std::path::Path;

use raddle_channel::Progress;
use raddle_native::Plan;
use raddle_report::{Happening, ListedRun, Record};
use raddle_store::{CheckFolder, Most};

use crate::failure::Failure;
use crate::output::print;

/// Who is told what happens.
pub(crate) struct Events {
    kept: raddle_store::Events,
    printed: bool,
    /// What went wrong on stdout.
    failed: Option<Failure>,
}

impl Events {
    /// A check begins.
    pub(crate) fn begin(out: &Path, printed: bool, program: &str, plan: &Plan) -> Events {
        let mut events = Events { kept: raddle_store::Events::begin(out), printed, failed: None };
        let (folder, time) = events.kept.place_and_time();
        events.tell(&Happening::Started {
            program,
            arguments: &plan.arguments(),
            strategy: plan.task.strategy,
            workers: plan.workers as usize,
            version: env!("CARGO_PKG_VERSION"),
            time,
            folder: folder.as_deref(),
        });
        events
    }

    /// Something happened.
    fn tell(&mut self, happening: &Happening<'_>) {
        let line = self.kept.tell(happening);
        self.print(&line);
    }

    fn print(&mut self, lines: &str) {
        if self.printed
            && let Err(failure) = print(lines)
        {
            self.failed.get_or_insert(failure);
        }
    }

    /// The search goes on.
    pub(crate) fn progress(&mut self, progress: &Progress, findings: usize) {
        if !self.kept.is_time() {
            return;
        }
        self.tell(&Happening::Progress {
            runs: progress.runs,
            blocked: progress.blocked,
            steps: progress.steps,
            threads: progress.threads,
            findings,
            estimate: progress.estimate,
        });
    }

    /// A run is listed.
    pub(crate) fn listed(&mut self, run: &ListedRun<'_>) {
        self.tell(&Happening::Listed(run));
    }

    /// The folder of the check, or why there is none.
    pub(crate) fn folder(&mut self) -> std::io::Result<&mut CheckFolder> {
        self.kept.folder()
    }

    /// The check has come to its end; whether everything could be kept.
    pub(crate) fn end(
        mut self,
        record: &Record,
        exit_code: u8,
        most: &Most,
    ) -> Result<std::io::Result<()>, Failure> {
        let lines = self.kept.tell_end(record, Some(exit_code));
        self.print(&lines);
        match self.failed {
            Some(failure) => Err(failure),
            None => Ok(self.kept.finish(most)),
        }
    }
}
