//! The two accesses of a data race.

use raddle_detect::Access;
use raddle_trace::ObjectId;

use crate::snippet::Mark;
use crate::text::listed;
use crate::words::Words;

/// Every description of an access has these words.
pub(crate) const HOLDING: &str = ", holding ";

/// Where the two accesses are.
pub(crate) fn marks(first: &Access, second: &Access, words: &Words<'_>) -> Vec<Mark> {
    let mark = |access: &Access| Mark {
        place: access.place,
        remark: describe(access, words),
        strong: access.writes,
    };
    if first.place == second.place {
        let remark = format!("{} and {} are both here", first.thread, second.thread);
        return vec![Mark { place: first.place, remark, strong: true }];
    }
    vec![mark(first), mark(second)]
}

/// The access with its place in the source.
pub(crate) fn with_place(access: &Access, words: &Words<'_>) -> String {
    format!("{}, {}", describe(access, words), words.files.named(access.place))
}

fn describe(access: &Access, words: &Words<'_>) -> String {
    let what = if access.writes { "write" } else { "read" };
    let holding = access.holding.iter().map(|lock| words.object(*lock).to_owned()).collect::<Vec<String>>();
    let holding = if holding.is_empty() { "nothing".to_owned() } else { listed(&holding) };
    format!("{what} by {}, step {}{HOLDING}{holding}", words.thread(access.thread), access.event + 1)
}

/// Why nothing orders the two.
pub(crate) fn reason(first: &Access, second: &Access, words: &Words<'_>) -> String {
    let why = match (first.holding.is_empty(), second.holding.is_empty()) {
        (true, true) => "no lock, join, channel or atomic hand-over links them".to_owned(),
        (false, true) => format!("only {} holds a lock", first.thread),
        (true, false) => format!("only {} holds a lock", second.thread),
        (false, false) if first.holding.iter().any(|lock| second.holding.contains(lock)) => {
            "the lock that both hold is shared by readers".to_owned()
        }
        (false, false) => "both hold a lock, but not the same one".to_owned(),
    };
    let weak = if words.run.weaker_orders { "; relaxed atomic operations order nothing" } else { "" };
    format!("nothing orders the two accesses: {why}{weak}")
}

/// What could be done about it.
pub(crate) fn help(object: ObjectId, words: &Words<'_>) -> String {
    format!("guard {} with one mutex in both places, or make it atomic", words.object(object))
}
