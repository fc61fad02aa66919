//! A replay that left the recorded schedule, or in which nothing went wrong.

use crate::sanitise::sanitise;
use crate::text::{INDENT, clip, count, headline, keyed};
use crate::{Face, Style};

/// Where a replay left its schedule.
#[derive(Clone, Copy, Debug)]
pub struct Diverged<'a> {
    /// At which step, counted from one.
    pub step: usize,
    /// What the schedule says.
    pub recorded: &'a str,
    /// What the program did.
    pub observed: &'a str,
    /// The schedule, or the finding that it belongs to.
    pub schedule: &'a str,
    /// How the program is checked.
    pub face: Face,
}

/// The text for people.
#[must_use]
pub fn diverged(diverged: &Diverged<'_>, style: &Style) -> String {
    let columns = style.columns();
    let line = |key: &str, text: &str| {
        keyed(key, &clip(&sanitise(text, style), columns - INDENT, style.symbols().cut), columns)
    };
    let sentence = format!("replay left the recorded schedule at step {}", diverged.step);
    let mut lines = headline("DIVERGED", &sentence, "", columns);
    lines.extend(line("recorded", &spoken(diverged.recorded)));
    lines.extend(line("observed", &spoken(diverged.observed)));
    lines.extend(line("schedule", diverged.schedule));
    let next = match diverged.face {
        Face::Rust => "run the test without RADDLE_REPLAY to search again",
        Face::Command => "check the program again to find it again",
    };
    let why = "the program has changed since, or does something that raddle does not control; ";
    lines.extend(keyed("next", &format!("{why}{next}"), columns));
    lines.join("\n") + "\n"
}

/// What a schedule notes of a step, for people: `CompareExchange queue.c:88` is `compare exchange, queue.c:88`.
fn spoken(note: &str) -> String {
    let Some((kind, place)) = note.split_once(' ') else { return note.to_owned() };
    let is_kind =
        kind.len() > 2 && kind.starts_with(char::is_uppercase) && kind.chars().all(char::is_alphabetic);
    if !is_kind {
        return note.to_owned();
    }
    let mut words = String::new();
    for letter in kind.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    format!("{words}, {place}")
}

/// The text for a recorded run that was made again and passes.
#[must_use]
pub fn replayed_well(steps: usize, threads: usize, style: &Style) -> String {
    let columns = style.columns();
    let sentence = "the recorded run was made again: it comes to its end, and nothing is wrong";
    let mut lines = headline("PASS", sentence, "", columns);
    let (steps, threads) = (count(steps as u64, "step"), count(threads as u64, "thread"));
    lines.extend(keyed("run", &format!("{steps} {} {threads}", style.symbols().dot), columns));
    lines.extend(keyed("scope", "this schedule alone, which says nothing about others", columns));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn what_a_schedule_notes_is_said_in_words() {
        assert_eq!(spoken("CompareExchange queue.c:88"), "compare exchange, queue.c:88");
        assert_eq!(spoken("Load a b.c:1"), "load, a b.c:1");
        assert_eq!(spoken("T3 lock queue.mutex queue.c:88"), "T3 lock queue.mutex queue.c:88");
        assert_eq!(spoken("nothing"), "nothing");
    }
}
