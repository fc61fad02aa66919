//! The file in which the orders of statements that were seen are kept from one search to the next.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use raddle_coverage::HapSets;

/// The HaPSets of a file; none if there is no such file yet.
///
/// # Errors
/// If the file cannot be read, is none of ours, or tells statements apart by another number of calls; a whole sentence.
pub fn read_hapsets(path: &Path, context: u32) -> Result<Option<HapSets>, String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("could not read the HaPSets in {}: {error}", path.display())),
    };
    let refused = |reason: String| format!("could not use the HaPSets in {}: {reason}", path.display());
    let sets = HapSets::from_bytes(&bytes).map_err(|error| refused(error.to_string()))?;
    // Merging with empty sets tells whether the two go together.
    HapSets::new(context).merge(&sets).map_err(|error| refused(error.to_string()))?;
    Ok(Some(sets))
}

/// Adds what was learned to a file. Other searches may have added to it meanwhile, so it is read again.
///
/// # Errors
/// If the file cannot be used or written; a whole sentence.
pub fn add_hapsets(path: &Path, learned: &HapSets) -> Result<(), String> {
    // From reading to moving nobody else adds: no thread of ours, and no other process.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _alone = Alone::with(path);
    let context = learned.context();
    let mut all = read_hapsets(path, context)?.unwrap_or_else(|| HapSets::new(context));
    all.merge(learned).map_err(|error| format!("could not add to {}: {error}", path.display()))?;
    // Written aside and moved, so that nobody ever reads half of it.
    let half = path.with_extension(format!("{}.half", std::process::id()));
    std::fs::write(&half, all.to_text()).and_then(|()| std::fs::rename(&half, path)).map_err(|error| {
        // Whatever there is of it is of no use; what went wrong first is what matters.
        let _ = std::fs::remove_file(&half);
        format!("could not write the HaPSets to {}: {error}", path.display())
    })
}

/// A file beside another one that says that somebody is adding to that one.
struct Alone(PathBuf);

impl Alone {
    /// Waits until nobody else is there. Adding takes milliseconds: who has been there for seconds was ended on the way.
    fn with(path: &Path) -> Alone {
        let lock = path.with_extension("lock");
        for _ in 0..2500 {
            match File::options().write(true).create_new(true).open(&lock) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                // Where no file can be made, writing will say why.
                _ => break,
            }
        }
        Alone(lock)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // If it is not there, that is what is wanted.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use raddle_coverage::{Half, Order, Statement};

    use super::*;

    #[test]
    fn what_many_add_at_once_is_all_there_and_nothing_else_is_left() {
        let folder = std::env::temp_dir().join(format!("raddle-learned-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
        let file = folder.join("pairs.txt");
        std::thread::scope(|scope| {
            for line in 1..=16 {
                let file = &file;
                scope.spawn(move || {
                    let mut sets = HapSets::new(0);
                    let statement = |line| Statement {
                        file: "a.c".into(),
                        line,
                        column: 1,
                        half: Half::First,
                        context: 0,
                    };
                    let (first, second) = (sets.number(&statement(line)), sets.number(&statement(100)));
                    sets.insert(first, second, Order::Scheduled);
                    add_hapsets(file, &sets).expect("it can be written");
                });
            }
        });
        let all = read_hapsets(&file, 0).expect("whole").expect("there");
        let files = std::fs::read_dir(&folder).expect("the folder is there").count();
        let _ = std::fs::remove_dir_all(&folder);
        assert_eq!((all.len(), files), (16, 1));
    }
}
