//! What a thread did in one step, in a few words.

use raddle_trace::{Event, Kind, ObjectId, Operation, Outcome, ThreadId};

use crate::text::count;
use crate::words::Words;

/// The words for event number `index`.
pub(crate) fn cell(words: &Words<'_>, index: usize) -> String {
    let event = &words.run.events[index];
    memory(words, event)
        .or_else(|| lock(words, event))
        .or_else(|| condvar(words, event, index))
        .or_else(|| channel(words, event))
        .unwrap_or_else(|| other(words, event))
}

/// A kind of operation without its object, in small letters: `read modify write`.
pub(crate) fn spoken(kind: Kind) -> String {
    let mut words = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

fn memory(words: &Words<'_>, event: &Event) -> Option<String> {
    use Kind::*;
    let symbols = words.symbols;
    let object = words.object(event.operation.object);
    let show = |value| words.value(event.operation.object, value);
    let expected = event.operation.operand as i64;
    Some(match event.operation.kind {
        Load => format!("{object} {} {}", symbols.read, show(event.value)),
        Store => format!("{object} {} {}", symbols.written, show(event.value)),
        ReadModifyWrite => {
            format!("{object} {} {} (was {})", symbols.written, show(event.value), show(event.before))
        }
        Add => format!("{object} {} {}", symbols.written, show(event.value)),
        CompareExchange | WeakCompareExchange => match event.outcome {
            Outcome::Failed if event.before == expected => format!("{object} fails for no reason"),
            Outcome::Failed => format!("{object} is {}, not {}", show(event.before), show(expected)),
            _ => format!("{object} {} {} {}", show(event.before), symbols.exchanged, show(event.value)),
        },
        PlainRead => format!("reads {object}"),
        PlainWrite => format!("writes {object}"),
        Fence => "fence".to_owned(),
        _ => return None,
    })
}

fn lock(words: &Words<'_>, event: &Event) -> Option<String> {
    use Kind::*;
    let object = words.object(event.operation.object);
    let tried = |what: &str| match event.outcome {
        Outcome::Failed => format!("{what} {object}: held"),
        Outcome::TimedOut => format!("{what} {object}: gives up"),
        _ => format!("{what} {object}"),
    };
    Some(match event.operation.kind {
        Lock | TimedLock => tried("lock"),
        TryLock => tried("try lock"),
        Relock => {
            let woken = if event.cause.is_some() { "woken, " } else { "" };
            format!("{} {woken}lock {object}", words.symbols.cut)
        }
        Unlock => tried("unlock"),
        LockAgain => format!("lock {object} again"),
        UnlockInner => format!("unlock {object} once"),
        Read | TimedRead => tried("read lock"),
        TryRead => tried("try read lock"),
        ReadUnlock => tried("read unlock"),
        Write | TimedWrite => tried("write lock"),
        TryWrite => tried("try write lock"),
        WriteUnlock => tried("write unlock"),
        Downgrade => tried("downgrade"),
        _ => return None,
    })
}

fn condvar(words: &Words<'_>, event: &Event, index: usize) -> Option<String> {
    use Kind::*;
    let object = words.object(event.operation.object);
    Some(match event.operation.kind {
        Wait | TimedWait | FickleWait => {
            let mutex = event.operation.mutex().map_or("the mutex", |mutex| words.object(mutex));
            format!("wait {object} (gives {mutex} back)")
        }
        Timeout => "gives up waiting".to_owned(),
        SpuriousWake => "wakes for no reason".to_owned(),
        NotifyOne | NotifyAll if event.outcome == Outcome::Failed => {
            format!("notify {object}: nobody waits")
        }
        NotifyOne => match words.woken(index) {
            Some(thread) => format!("notify {object}: {thread}"),
            None => format!("notify {object}: one"),
        },
        NotifyAll => format!("notify {object}: all {}", event.before),
        _ => return None,
    })
}

fn channel(words: &Words<'_>, event: &Event) -> Option<String> {
    use Kind::*;
    let object = words.object(event.operation.object);
    let tried = |what: &str, failed: &str| match event.outcome {
        Outcome::Failed => format!("{what} {object}: {failed}"),
        Outcome::TimedOut => format!("{what} {object}: gives up"),
        Outcome::Closed => format!("{what} {object}: closed"),
        _ => format!("{what} {object}"),
    };
    Some(match event.operation.kind {
        Send => tried("send", "full"),
        TrySend => tried("try send", "full"),
        Receive | TimedReceive => tried("receive", "empty"),
        TryReceive => tried("try receive", "empty"),
        AddSender => format!("clones a sender of {object}"),
        DropSender => format!("drops a sender of {object}"),
        DropReceiver => format!("drops the receiver of {object}"),
        Offer => format!("waits at {object} {}", words.symbols.cut),
        Taken => format!("{} taken from {object}", words.symbols.cut),
        _ => return None,
    })
}

fn other(words: &Words<'_>, event: &Event) -> String {
    use Kind::*;
    let operation = &event.operation;
    let object = words.object(operation.object);
    let thread = || format!("T{}", operation.operand);
    let given_up = event.outcome == Outcome::TimedOut;
    let permit = |what: &str| match event.outcome {
        Outcome::Failed => format!("{what} {object}: none left"),
        Outcome::TimedOut => format!("{what} {object}: gives up"),
        _ => format!("{what} {object}"),
    };
    match operation.kind {
        Acquire | TimedAcquire => permit("acquire"),
        TryAcquire => permit("try acquire"),
        Post => format!("{object} + {}", count(operation.operand, "permit")),
        Arrive if event.outcome == Outcome::Last => format!("arrives at {object} (last)"),
        Arrive => format!("arrives at {object}"),
        Pass => format!("passes {object}"),
        OnceEnter if event.outcome == Outcome::Already => format!("{object} is done"),
        OnceEnter => format!("enters {object}"),
        OnceExit => format!("completes {object}"),
        OncePoison => format!("poisons {object}"),
        OnceLook => format!("looks at {object}"),
        Create => format!("create {}", thread()),
        Start => "starts".to_owned(),
        End => "ends".to_owned(),
        Join => format!("join {}", thread()),
        Detach => format!("detach {}", thread()),
        Park | TimedPark if given_up => "park: gives up".to_owned(),
        Park | TimedPark => "park: has its token".to_owned(),
        Unpark => match token_owner(words, operation.object) {
            Some(owner) => format!("unpark {owner}"),
            None => "unpark".to_owned(),
        },
        Spin => "spins until something changes".to_owned(),
        Choose if Operation::chooses_time(Choose, operation.operand) => match event.alternative {
            0 => "waits, there is time",
            _ => "its time runs out",
        }
        .to_owned(),
        Choose => format!("chooses {} of 0..{}", event.alternative, operation.operand),
        // The other kinds have their words above.
        _ => format!("{:?} {object}", operation.kind),
    }
}

/// The thread to which a token belongs: threads get theirs in the order of their creation.
fn token_owner(words: &Words<'_>, token: ObjectId) -> Option<ThreadId> {
    let parks = |event: &&Event| {
        matches!(event.operation.kind, Kind::Park | Kind::TimedPark) && event.operation.object == token
    };
    if let Some(event) = words.run.events.iter().find(parks) {
        return Some(event.thread);
    }
    let notes = &words.run.objects;
    let before = notes.iter().take(token.index()).filter(|note| note.kind == "token").count();
    let number = before + token.index().saturating_sub(notes.len());
    let created = words.run.events.iter().filter(|event| event.operation.kind == Kind::Create);
    let mut owners = std::iter::once(ThreadId::MAIN)
        .chain(created.map(|event| ThreadId::new(event.operation.operand as usize)));
    owners.nth(number)
}
