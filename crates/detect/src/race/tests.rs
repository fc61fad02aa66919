//! Each case is a run, written as one word per event: thread, operation, object.

use raddle_trace::{Event, Kind, ObjectId, Operation, Order, Outcome, Place, Run, ThreadId};

use super::find;

/// Reads `1w0` as: thread 1 writes memory 0. Letters: `r w` plain; `L U` mutex; `s l` release store, acquire load; `S R`
/// relaxed store, load; `f F` release, acquire fence; `p a` post, acquire; `c` creates the thread that the number names, `j`
/// joins it.
fn run(text: &str) -> Run {
    let mut run = Run::default();
    let mut ends = [None; 10];
    for word in text.split_whitespace() {
        let [thread, letter, number] = [0, 1, 2].map(|at| word.as_bytes()[at]);
        let number = usize::from(number - b'0');
        let (kind, order) = match letter {
            b'r' => (Kind::PlainRead, Order::Relaxed),
            b'w' => (Kind::PlainWrite, Order::Relaxed),
            b'L' => (Kind::Lock, Order::SequentiallyConsistent),
            b'U' => (Kind::Unlock, Order::SequentiallyConsistent),
            b's' => (Kind::Store, Order::Release),
            b'S' => (Kind::Store, Order::Relaxed),
            b'l' => (Kind::Load, Order::Acquire),
            b'R' => (Kind::Load, Order::Relaxed),
            b'f' => (Kind::Fence, Order::Release),
            b'F' => (Kind::Fence, Order::Acquire),
            b'p' => (Kind::Post, Order::SequentiallyConsistent),
            b'a' => (Kind::Acquire, Order::SequentiallyConsistent),
            b'e' => (Kind::End, Order::SequentiallyConsistent),
            b'j' => (Kind::Join, Order::SequentiallyConsistent),
            other => panic!("no such letter: {}", other as char),
        };
        let thread = ThreadId::new(usize::from(thread - b'0'));
        let cause = if kind == Kind::Join { ends[number] } else { None };
        if kind == Kind::End {
            ends[thread.index()] = Some(run.events.len() as u32);
        }
        // Objects of different kinds have different numbers.
        let object = ObjectId::new(number + 10 * usize::from(!kind.is_plain()));
        run.events.push(Event {
            thread,
            operation: Operation { order, order_on_failure: order, ..Operation::new(kind, object, 0) },
            outcome: Outcome::Done,
            alternative: 0,
            alternatives: 1,
            before: 0,
            value: 0,
            cause,
            decided: true,
            preempts: false,
            place: Place::Unknown,
        });
    }
    run
}

#[track_caller]
fn check(text: &str, races: bool) {
    assert_eq!(find(&run(text)).is_some(), races, "{text}");
}

#[test]
fn two_writes_without_any_order_race() {
    check("1w0 2w0", true);
    check("1w0 2r0", true);
    check("1r0 2w0", true);
    check("1r0 2r0", false);
    check("1w0 2w1", false);
    check("1w0 1w0", false);
}

#[test]
fn a_mutex_orders_only_those_who_take_it() {
    check("1L0 1w0 1U0 2L0 2w0 2U0", false);
    check("1L0 1w0 1U0 2w0", true);
    check("1L0 1w0 1U0 2L1 2w0 2U1", true);
}

#[test]
fn a_release_store_orders_what_an_acquire_load_follows() {
    check("1w0 1s0 2l0 2r0", false);
    check("1w0 1S0 2l0 2r0", true);
    check("1w0 1s0 2R0 2r0", true);
    check("1s0 1w0 2l0 2r0", true);
}

#[test]
fn fences_make_relaxed_operations_order() {
    check("1w0 1f0 1S0 2R0 2F0 2r0", false);
    check("1w0 1S0 1f0 2R0 2F0 2r0", true);
    check("1w0 1f0 1S0 2F0 2R0 2r0", true);
}

#[test]
fn semaphores_and_joins_order() {
    check("1w0 1p0 2a0 2r0", false);
    check("1w0 1e0 2j1 2r0", false);
    check("1w0 1e0 2r0", true);
}
