//! Old checks go: by number, by age and by size.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::folder::{CHECKS, EVENTS, numbers};
use crate::lock;

/// How much is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Most {
    /// Checks.
    pub checks: usize,
    /// How old a check can be, or a finding of which no check is left.
    pub age: Duration,
    /// Bytes of all checks and findings together.
    pub size: u64,
}

impl Default for Most {
    /// A hundred checks, thirty days, two gibibytes.
    fn default() -> Most {
        Most { checks: 100, age: Duration::from_secs(30 * 24 * 3600), size: 2 << 30 }
    }
}

/// Something that can go.
struct Old {
    path: PathBuf,
    age: Duration,
    size: u64,
}

impl Old {
    fn new(path: PathBuf) -> Old {
        let changed = std::fs::metadata(&path).and_then(|what| what.modified());
        let age = changed.ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        Old { age: age.unwrap_or_default(), size: size_of(&path), path }
    }

    /// Removes it; who cannot be removed stays, and the next check tries again.
    fn go(self, total: &mut u64) {
        if std::fs::remove_dir_all(&self.path).is_ok() {
            *total = total.saturating_sub(self.size);
        }
    }
}

/// Removes what is too much. A check that goes on, and the one with this name, stay; so do findings of a check that stays.
pub(crate) fn prune(out: &Path, most: &Most, own: &str) {
    let checks = out.join(CHECKS);
    let mut old: Vec<Old> = Vec::new();
    let mut total = 0;
    // Newest first.
    for (index, number) in numbers(out).into_iter().rev().enumerate() {
        let check = Old::new(checks.join(number.to_string()));
        total += check.size;
        if number.to_string() == own || is_used(&check.path) {
            continue;
        }
        if index >= most.checks || check.age > most.age {
            check.go(&mut total);
        } else {
            old.push(check);
        }
    }
    let all_findings: Vec<Old> = entries(&out.join("findings")).map(Old::new).collect();
    total += all_findings.iter().map(|finding| finding.size).sum::<u64>();
    while total > most.size {
        let Some(oldest) = old.pop() else { break };
        oldest.go(&mut total);
    }
    let shown: BTreeSet<_> = entries(&checks)
        .flat_map(|check| entries(&check.join("findings")).collect::<Vec<_>>())
        .filter_map(|link| Some(link.file_name()?.to_owned()))
        .collect();
    let is_shown = |finding: &Old| finding.path.file_name().is_some_and(|name| shown.contains(name));
    let mut left: Vec<Old> = all_findings.into_iter().filter(|finding| !is_shown(finding)).collect();
    left.sort_by_key(|finding| std::cmp::Reverse(finding.age));
    for finding in left {
        if finding.age > most.age || total > most.size {
            finding.go(&mut total);
        }
    }
}

/// Whether somebody writes to the folder of a check, or goes on with it.
fn is_used(check: &Path) -> bool {
    File::open(check.join(EVENTS)).is_ok_and(|events| !lock::is_free(&events))
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The bytes of all files below; links count nothing.
fn size_of(path: &Path) -> u64 {
    let Ok(what) = std::fs::symlink_metadata(path) else { return 0 };
    match () {
        () if what.is_dir() => entries(path).map(|path| size_of(&path)).sum(),
        () if what.is_symlink() => 0,
        () => what.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with checks of 1,000 bytes each, and what each has found.
    fn folder(name: &str, checks: &[(&str, &[&str])], findings: &[&str]) -> PathBuf {
        let out = std::env::temp_dir().join(format!("raddle-prune-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&out);
        let write = |path: PathBuf| {
            std::fs::create_dir_all(path.parent().expect("it is below a folder")).expect("it can be made");
            std::fs::write(path, [b'x'; 1000]).expect("it can be written");
        };
        for finding in findings {
            write(out.join("findings").join(finding).join("finding.json"));
        }
        for (check, found) in checks {
            let path = out.join(CHECKS).join(check);
            write(path.join(EVENTS));
            std::fs::create_dir(path.join("findings")).expect("it can be made");
            for id in *found {
                std::os::unix::fs::symlink(format!("../../../findings/{id}"), path.join("findings").join(id))
                    .expect("it can be made");
            }
        }
        out
    }

    fn left(out: &Path) -> (Vec<u64>, Vec<String>) {
        let mut findings: Vec<String> = entries(&out.join("findings"))
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        findings.sort();
        (numbers(out), findings)
    }

    const ALL: Most = Most { checks: 100, age: Duration::from_secs(3600), size: 1 << 30 };

    #[test]
    fn by_number_the_newest_checks_stay_and_no_finding_goes() {
        let checks: [(&str, &[&str]); 4] = [("2", &["aaaaa"]), ("9", &[]), ("10", &[]), ("11", &[])];
        let out = folder("number", &checks, &["aaaaa"]);
        prune(&out, &Most { checks: 2, ..ALL }, "11");
        assert_eq!(left(&out), (vec![10, 11], vec!["aaaaa".to_owned()]));
        let _ = std::fs::remove_dir_all(&out);
    }

    #[test]
    fn by_age_checks_go_and_findings_of_which_no_check_is_left() {
        let checks: [(&str, &[&str]); 2] = [("1", &["aaaaa"]), ("2", &["bbbbb"])];
        let out = folder("age", &checks, &["aaaaa", "bbbbb"]);
        // Everything is older than nothing; only the check that has just been made stays, with what it found.
        prune(&out, &Most { age: Duration::ZERO, ..ALL }, "2");
        assert_eq!(left(&out), (vec![2], vec!["bbbbb".to_owned()]));
        let _ = std::fs::remove_dir_all(&out);
    }

    #[test]
    fn by_size_the_oldest_go_until_the_rest_fits() {
        let checks: [(&str, &[&str]); 4] = [("1", &["aaaaa"]), ("2", &[]), ("3", &[]), ("4", &["bbbbb"])];
        let out = folder("size", &checks, &["aaaaa", "bbbbb"]);
        // Six thousand bytes and a little for nothing: two checks have to go, and what nobody speaks of any more stays
        // as long as there is room.
        prune(&out, &Most { size: 4_500, ..ALL }, "4");
        assert_eq!(left(&out), (vec![3, 4], vec!["aaaaa".to_owned(), "bbbbb".to_owned()]));
        prune(&out, &Most { size: 2_500, ..ALL }, "4");
        assert_eq!(left(&out), (vec![4], vec!["bbbbb".to_owned()]));
        let _ = std::fs::remove_dir_all(&out);
    }

    #[test]
    fn a_check_that_goes_on_stays_whatever_its_age() {
        let out = folder("used", &[("1", &[]), ("2", &[]), ("3", &[])], &[]);
        let used = File::open(out.join(CHECKS).join("1").join(EVENTS)).expect("it is there");
        lock::shared(&used).expect("nobody else has it");
        prune(&out, &Most { checks: 1, age: Duration::ZERO, size: 0 }, "3");
        assert_eq!(left(&out).0, [1, 3]);
        let _ = std::fs::remove_dir_all(&out);
    }
}
