//! The folder of one check, and `latest`, which leads to it.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use raddle_report::{Format, Record, check_files, write_files};

use crate::prune::{Most, prune};
use crate::{Alone, forget, lock};

/// Where the folders of checks lie, below `raddle-out/`.
pub(crate) const CHECKS: &str = "checks";
/// The file that says what happens. Who writes to it has it locked: nobody removes the folder meanwhile.
pub const EVENTS: &str = "events.jsonl";
const LATEST: &str = "latest";

/// The folder of a check that goes on.
pub struct CheckFolder {
    out: PathBuf,
    name: String,
    events: File,
    /// Where `latest` led before.
    before: Option<PathBuf>,
    /// Whether there is something to keep.
    kept: bool,
}

impl CheckFolder {
    /// A new folder, to which `latest` leads from now on.
    ///
    /// # Errors
    /// If the folder cannot be made or locked.
    pub fn begin(out: &Path) -> std::io::Result<CheckFolder> {
        let alone = Alone::in_folder(out)?;
        let checks = out.join(CHECKS);
        std::fs::create_dir_all(&checks)?;
        if is_old(out) {
            move_old(out)?;
        }
        let name = (numbers(out).last().copied().unwrap_or(0) + 1).to_string();
        let path = checks.join(&name);
        std::fs::create_dir(&path)?;
        let events = File::options().create_new(true).append(true).open(path.join(EVENTS))?;
        lock::alone(&events)?;
        let before = std::fs::read_link(out.join(LATEST)).ok();
        lead_to(out, &Path::new(CHECKS).join(&name))?;
        drop(alone);
        Ok(CheckFolder { out: out.to_owned(), name, events, before, kept: false })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.out.join(CHECKS).join(&self.name)
    }

    /// The path by which others find it: `latest`, unless another check has begun meanwhile.
    #[must_use]
    pub fn public_path(&self) -> PathBuf {
        let link = std::fs::read_link(self.out.join(LATEST)).ok();
        let is_latest = link.is_some_and(|link| link == Path::new(CHECKS).join(&self.name));
        if is_latest { self.out.join(LATEST) } else { self.path() }
    }

    /// What `--resume` takes for it.
    #[must_use]
    pub fn resume_name(&self) -> String {
        let public = self.public_path();
        if public == self.path() { public.display().to_string() } else { LATEST.to_owned() }
    }

    /// Adds a line to what happens.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note(&mut self, line: &str) -> std::io::Result<()> {
        self.events.write_all(line.as_bytes())
    }

    /// Keeps one file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&mut self, name: &str, text: &str) -> std::io::Result<PathBuf> {
        self.kept = true;
        std::fs::write(self.path().join(name), text)?;
        Ok(self.public_path().join(name))
    }

    /// Keeps the check in the formats that other programs read, its page, and links to what it found.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn keep_record(
        &mut self,
        record: &Record,
        formats: &[Format],
        source: &dyn Fn(&str) -> Option<String>,
    ) -> std::io::Result<()> {
        self.kept = true;
        let findings = self.path().join("findings");
        std::fs::create_dir_all(&findings)?;
        for finding in record.findings.iter().filter(|finding| finding.schedule.is_some()) {
            symlink(Path::new("../../../findings").join(&finding.id), findings.join(&finding.id))?;
        }
        write_files(&self.path(), &check_files(record, formats, source))
    }

    /// The check is over: old ones may go.
    ///
    /// # Errors
    /// If `raddle-out/` cannot be locked.
    pub fn finish(mut self, most: &Most) -> std::io::Result<()> {
        self.kept = true;
        let alone = Alone::in_folder(&self.out)?;
        prune(&self.out, most, &self.name);
        drop(alone);
        Ok(())
    }
}

impl Drop for CheckFolder {
    /// A check that came to nothing leaves nothing behind.
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        let Ok(_alone) = Alone::in_folder(&self.out) else { return };
        if self.public_path() != self.path() {
            let _ = match &self.before {
                Some(before) if self.out.join(before).is_dir() => lead_to(&self.out, before),
                _ => forget(&self.out.join(LATEST)),
            };
        }
        let _ = std::fs::remove_dir_all(self.path());
    }
}

/// The folder of the last check that has such a file: `latest`, or an earlier one if `latest` was given up on the way.
#[must_use]
pub fn last_with(out: &Path, file: &str) -> Option<PathBuf> {
    let earlier = numbers(out).into_iter().rev().map(|number| out.join(CHECKS).join(number.to_string()));
    std::iter::once(out.join(LATEST)).chain(earlier).find(|folder| folder.join(file).is_file())
}

/// The numbers of the checks that there are, in order.
pub(crate) fn numbers(out: &Path) -> Vec<u64> {
    let entries = std::fs::read_dir(out.join(CHECKS)).into_iter().flatten().flatten();
    let mut numbers: Vec<u64> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

/// Makes `latest` lead somewhere else, so that it always leads somewhere.
fn lead_to(out: &Path, target: &Path) -> std::io::Result<()> {
    let half = out.join(format!(".latest-{}", std::process::id()));
    forget(&half)?;
    symlink(target, &half)?;
    std::fs::rename(&half, out.join(LATEST))
}

/// Whether there is a folder where earlier versions kept the last check, and where there is a link now.
fn is_old(out: &Path) -> bool {
    std::fs::symlink_metadata(out.join(LATEST)).is_ok_and(|what| what.is_dir())
}

/// What such a folder holds becomes a check like others.
fn move_old(out: &Path) -> std::io::Result<()> {
    let checks = out.join(CHECKS);
    std::fs::create_dir_all(&checks)?;
    let name = (numbers(out).last().copied().unwrap_or(0) + 1).to_string();
    std::fs::rename(out.join(LATEST), checks.join(&name))?;
    lead_to(out, &Path::new(CHECKS).join(name))
}

/// Makes sure that `latest`, if it is there, is a link.
///
/// # Errors
/// If it is a folder that cannot be moved.
pub fn be_new(out: &Path) -> std::io::Result<()> {
    if !is_old(out) {
        return Ok(());
    }
    let _alone = Alone::in_folder(out)?;
    move_old(out)
}
