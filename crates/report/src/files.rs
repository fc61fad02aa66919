//! Short names of source files: the last part of the path, or more where two files would look the same.

use std::collections::BTreeMap;

use raddle_trace::{Place, Run};

use crate::Style;
use crate::sanitise::sanitise;

/// The short names of all files of a run.
pub(crate) struct Files {
    short: BTreeMap<&'static str, String>,
}

impl Files {
    pub(crate) fn of(run: &Run, more: &[Place], style: &Style) -> Files {
        let events = run.events.iter().map(|event| event.place);
        let blocked = run.blocked.iter().map(|blocked| blocked.pending.place);
        let objects = run.objects.iter().map(|object| object.place);
        let calls = run.calls.made.iter().map(|call| call.place);
        let places = events.chain(blocked).chain(objects).chain(calls).chain(more.iter().copied());
        let mut files: Vec<&'static str> = places.filter_map(Place::file).collect();
        files.sort_unstable();
        files.dedup();
        let short = |file: &'static str| sanitise(shortest(file, &files), style);
        Files { short: files.iter().map(|file| (*file, short(file))).collect() }
    }

    /// The place with the short name of its file; empty if it is not known.
    pub(crate) fn place(&self, place: Place) -> String {
        match (place.file().and_then(|file| self.short.get(file)), place.line()) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => String::new(),
        }
    }

    /// The place in a sentence.
    pub(crate) fn named(&self, place: Place) -> String {
        let name = self.place(place);
        if name.is_empty() { "an unknown place".to_owned() } else { name }
    }
}

/// The shortest end of the path that no other file shares.
fn shortest<'a>(file: &'a str, all: &[&str]) -> &'a str {
    let starts = file.rmatch_indices(['/', '\\']).map(|(at, _)| at);
    for start in starts {
        let end = &file[start..];
        if !all.iter().any(|other| *other != file && (other.ends_with(end) || **other == end[1..])) {
            return &end[1..];
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_as_long_as_it_has_to_be() {
        let all = ["src/a/mod.rs", "src/b/mod.rs", "src/lib.rs", "xlib.rs"];
        assert_eq!(shortest(all[0], &all), "a/mod.rs");
        assert_eq!(shortest(all[2], &all), "lib.rs");
        assert_eq!(shortest(all[3], &all), "xlib.rs");
        assert_eq!(shortest("lib.rs", &["lib.rs", "src/lib.rs"]), "lib.rs");
        assert_eq!(shortest("src/lib.rs", &["lib.rs", "src/lib.rs"]), "src/lib.rs");
    }
}
