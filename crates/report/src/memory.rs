//! Memory that was used wrongly: the access, the allocation and what freed the block.

use raddle_detect::{Block, Finding, FindingKind, Spot};
use raddle_trace::ThreadId;

use crate::snippet::Mark;
use crate::text::{count, grouped};
use crate::words::Words;

/// The finding in one sentence, without its place.
pub(crate) fn sentence(kind: FindingKind, thread: ThreadId, block: &Block, words: &Words<'_>) -> String {
    let who = words.thread(thread);
    let size = count(block.size, "byte");
    match kind {
        FindingKind::UseAfterFree => {
            let by = match &block.freed {
                Some(spot) if spot.thread == thread => " that it freed itself".to_owned(),
                Some(spot) => format!(" that {} freed", words.thread(spot.thread)),
                None => " that was freed".to_owned(),
            };
            format!("use after free: {who} {} of a block of {size}{by}", access(block))
        }
        FindingKind::DoubleFree => {
            let by = match &block.freed {
                Some(spot) if spot.thread == thread => "it freed before".to_owned(),
                Some(spot) => format!("{} freed before", words.thread(spot.thread)),
                None => "is not one it may free".to_owned(),
            };
            format!("double free: {who} frees a block of {size} that {by}")
        }
        FindingKind::OutOfBounds => {
            format!("out of bounds: {who} {} {} a block of {size}", access(block), where_to(block))
        }
        FindingKind::Leak => format!("leak: a block of {size} is never freed"),
        _ => format!("{}: {who} {} of a block of {size}", kind.word(), access(block)),
    }
}

/// What the access does.
pub(crate) fn access(block: &Block) -> String {
    match (block.touched, block.writes) {
        (0, _) => "frees the block".to_owned(),
        (bytes, true) => format!("writes {}", count(bytes, "byte")),
        (bytes, false) => format!("reads {}", count(bytes, "byte")),
    }
}

/// Where the access lies, seen from the block.
fn where_to(block: &Block) -> String {
    let end = i64::try_from(block.size).unwrap_or(i64::MAX);
    match block.offset {
        before if before < 0 => format!("{} before", count(before.unsigned_abs(), "byte")),
        inside if inside < end => "across the end of".to_owned(),
        behind if behind == end => "just behind".to_owned(),
        behind => format!("{} behind", count((behind - end).unsigned_abs(), "byte")),
    }
}

/// Allocation and end of the block, each with its keyword.
pub(crate) fn history(block: &Block, words: &Words<'_>) -> Vec<(&'static str, String)> {
    let spots = [("allocated", &block.allocated), ("freed", &block.freed)];
    spots.iter().filter_map(|(key, spot)| Some((*key, by_whom(spot.as_ref()?, words)))).collect()
}

fn by_whom(spot: &Spot, words: &Words<'_>) -> String {
    let when = match spot.events_before {
        0 => "before step 1".to_owned(),
        step => format!("after step {}", grouped(step as u64)),
    };
    let function =
        spot.place.function().map_or_else(String::new, |name| format!(" in {}", words.clean(name)));
    let mut text =
        format!("by {}, {when}, {}{function}", words.thread(spot.thread), words.files.named(spot.place));
    let calls: Vec<String> = spot.stack.iter().map(|place| words.files.named(*place)).collect();
    if !calls.is_empty() {
        text.push_str(&format!(", called from {}", calls.join(", ")));
    }
    text
}

/// The source lines that matter: the access, the allocation, the end of the block.
pub(crate) fn marks(finding: &Finding, block: &Block) -> Vec<Mark> {
    let mut marks = Vec::new();
    if finding.kind != FindingKind::Leak {
        let remark = format!("{} {}", finding.thread, access(block));
        marks.push(Mark { place: finding.place, remark, strong: true });
    }
    for (what, spot) in [("allocates it", &block.allocated), ("freed it before", &block.freed)] {
        if let Some(spot) = spot {
            let remark = format!("{} {what}", spot.thread);
            let strong = finding.kind == FindingKind::Leak;
            marks.push(Mark { place: spot.place, remark, strong });
        }
    }
    marks
}
