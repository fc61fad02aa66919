//! The sets of the paper's examples, from runs that are written by hand.

use raddle_trace::{Event, Kind, ObjectId, Operation, Outcome, Place, Site, ThreadId};

use crate::{Half, HapSets, Learner, Order, Statement};

fn place(line: u32) -> Place {
    Place::Site(Box::leak(Box::new(Site { file: "a.c", function: "f", line, column: 1, context: 0 })))
}

/// An event of a thread, at the line with this number.
fn event(thread: usize, kind: Kind, object: usize, line: u32) -> Event {
    Event {
        thread: ThreadId::new(thread),
        operation: Operation::new(kind, ObjectId::new(object), 0),
        outcome: Outcome::Done,
        alternative: 0,
        alternatives: 1,
        before: 0,
        value: 0,
        cause: None,
        decided: true,
        preempts: false,
        place: place(line),
    }
}

fn learned(runs: &[Vec<Event>]) -> HapSets {
    let (mut learner, mut sets) = (Learner::default(), HapSets::new(0));
    runs.iter().for_each(|run| _ = learner.learn(&mut sets, run));
    sets
}

/// The lines in the set of a line.
fn set_of(sets: &HapSets, line: u32) -> Vec<u32> {
    let statement = Statement::at(place(line), Half::First, 0);
    sets.of(&statement).into_iter().map(|first| first.line).collect()
}

fn all_sets(sets: &HapSets, lines: &[u32]) -> Vec<Vec<u32>> {
    lines.iter().map(|line| set_of(sets, *line)).collect()
}

/// Figure 1: thread 1 allocates (`e1`) and frees (`e4`), thread 2 tests (`e2`) and uses (`e3`) the pointer.
fn step(number: u32) -> Event {
    match number {
        1 => event(1, Kind::Store, 0, 1),
        2 => event(2, Kind::Load, 0, 2),
        3 => event(2, Kind::Load, 0, 3),
        _ => event(1, Kind::Store, 0, 4),
    }
}

fn run_of(numbers: &[u32]) -> Vec<Event> {
    numbers.iter().copied().map(step).collect()
}

#[test]
fn one_serial_run_of_the_use_between_free_teaches_what_the_paper_says() {
    let sets = learned(&[run_of(&[1, 2, 3, 4])]);
    assert_eq!(all_sets(&sets, &[1, 2, 3, 4]), [vec![], vec![1], vec![], vec![3]]);
}

#[test]
fn all_good_runs_of_the_use_between_free_teach_what_the_paper_says() {
    // Before the allocation and after the freeing the test fails, so there is no use.
    let sets = learned(&[run_of(&[1, 2, 3, 4]), run_of(&[2, 1, 4]), run_of(&[1, 4, 2])]);
    assert_eq!(all_sets(&sets, &[1, 2, 3, 4]), [vec![2], vec![1, 4], vec![], vec![3]]);
}

#[test]
fn the_bad_run_has_pairs_that_no_good_run_has() {
    let mut sets = learned(&[run_of(&[1, 2, 3, 4]), run_of(&[2, 1, 4]), run_of(&[1, 4, 2])]);
    let known = sets.len();
    assert_eq!(Learner::default().learn(&mut sets, &run_of(&[1, 2, 4, 3])), 2);
    assert_eq!(sets.len(), known + 2);
    assert_eq!((set_of(&sets, 3), set_of(&sets, 4)), (vec![4], vec![2, 3]));
}

/// Figure 2: thread 1 reads `x` (line 3) under a lock (line 2) until thread 2, under the lock (line 6), has set it (line 7).
#[test]
fn busy_waiting_teaches_four_pairs_however_long_it_waits() {
    let round = |_| {
        [event(1, Kind::Lock, 0, 2), event(1, Kind::Load, 1, 3), event(1, Kind::Unlock, 0, 4)].into_iter()
    };
    let set = || {
        [event(2, Kind::Lock, 0, 6), event(2, Kind::Store, 1, 7), event(2, Kind::Unlock, 0, 8)].into_iter()
    };
    for rounds in 1..5 {
        let sets = learned(&[(0..rounds).flat_map(round).chain(set()).chain(round(0)).collect()]);
        assert_eq!(
            all_sets(&sets, &[2, 3, 4, 6, 7, 8]),
            [vec![6], vec![7], vec![], vec![2], vec![3], vec![]]
        );
        assert_eq!(sets.one_sided(), []);
    }
}

/// Four lines of two recursive sections: giving the lock back is then a statement like others.
#[test]
fn unlocks_count_where_a_lock_is_taken_recursively() {
    let section = |thread, line| {
        [
            event(thread, Kind::Lock, 0, line),
            event(thread, Kind::LockAgain, 0, line + 1),
            event(thread, Kind::UnlockInner, 0, line + 2),
            event(thread, Kind::Unlock, 0, line + 3),
        ]
    };
    let sets = learned(&[section(1, 10).into_iter().chain(section(2, 20)).collect()]);
    assert_eq!(set_of(&sets, 20), [13]);
}

#[test]
fn a_lost_notification_and_a_useful_one_are_different_pairs() {
    let wait = || event(1, Kind::Wait, 0, 5);
    let notify = |outcome| Event { outcome, ..event(2, Kind::NotifyOne, 0, 9) };
    let relock = || Event { cause: Some(1), ..event(1, Kind::Relock, 1, 5) };
    let useful = learned(&[vec![wait(), notify(Outcome::Done), relock()]]);
    assert_eq!(set_of(&useful, 9), [5]);
    let woken = Statement::at(place(5), Half::Second, 0);
    assert_eq!(useful.of(&woken).len(), 1);
    let lost = learned(&[vec![notify(Outcome::Failed), wait()]]);
    assert_eq!(set_of(&lost, 5), [9]);
    assert_eq!(lost.one_sided().len(), 1);
}

#[test]
fn what_a_creation_or_a_join_orders_is_not_one_sided() {
    let create =
        Event { operation: Operation::new(Kind::Create, ObjectId::NONE, 1), ..event(0, Kind::Create, 9, 2) };
    let unknown = |thread, kind, cause| Event { place: Place::Unknown, cause, ..event(thread, kind, 9, 0) };
    let run = vec![
        event(0, Kind::Store, 0, 1),
        create,
        unknown(1, Kind::Start, Some(1)),
        event(1, Kind::Store, 0, 3),
        event(0, Kind::Store, 0, 4),
        unknown(1, Kind::End, None),
        Event { cause: Some(5), ..event(0, Kind::Join, 9, 5) },
        event(0, Kind::Load, 0, 6),
    ];
    let sets = learned(&[run]);
    let shown: Vec<(u32, u32, Order)> =
        sets.pairs().iter().map(|pair| (pair.first.line, pair.second.line, pair.order)).collect();
    assert_eq!(
        shown,
        [(1, 3, Order::Fixed), (2, 3, Order::Fixed), (3, 4, Order::Scheduled), (3, 5, Order::Fixed)]
    );
    let one_sided: Vec<u32> = sets.one_sided().iter().map(|pair| pair.first.line).collect();
    assert_eq!(one_sided, [3]);
}

#[test]
fn plain_memory_counts_although_it_is_never_a_decision() {
    let run = vec![
        event(1, Kind::PlainWrite, 0, 1),
        event(2, Kind::PlainRead, 0, 2),
        event(3, Kind::PlainRead, 0, 3),
    ];
    let sets = learned(&[run]);
    assert_eq!(all_sets(&sets, &[1, 2, 3]), [vec![], vec![1], vec![1]]);
}

/// The pairs of lines that a run of events teaches.
fn pairs(run: Vec<Event>) -> Vec<(u32, u32)> {
    learned(&[run]).pairs().iter().map(|pair| (pair.first.line, pair.second.line)).collect()
}

#[test]
fn a_lock_is_learned_from_lock_to_lock() {
    let section =
        |thread, line| [event(thread, Kind::Lock, 0, line), event(thread, Kind::Unlock, 0, line + 1)];
    assert_eq!(pairs([section(1, 1), section(2, 3), section(1, 5)].concat()), [(1, 3), (3, 5)]);
}

#[test]
fn a_semaphore_is_learned_from_post_to_wait_and_posts_do_not_meet() {
    let run = vec![
        event(1, Kind::Post, 0, 1),
        event(2, Kind::Post, 0, 2),
        event(3, Kind::Acquire, 0, 3),
        event(1, Kind::Acquire, 0, 4),
    ];
    assert_eq!(pairs(run), [(1, 3), (2, 3), (2, 4), (3, 4)]);
}

#[test]
fn readers_of_a_lock_meet_writers_and_not_each_other() {
    let run = vec![
        event(1, Kind::Read, 0, 1),
        event(2, Kind::Read, 0, 2),
        event(1, Kind::ReadUnlock, 0, 3),
        event(2, Kind::ReadUnlock, 0, 4),
        event(3, Kind::Write, 0, 5),
        event(3, Kind::WriteUnlock, 0, 6),
        event(1, Kind::Read, 0, 7),
    ];
    assert_eq!(pairs(run), [(1, 5), (2, 5), (5, 7)]);
}

#[test]
fn the_last_at_a_barrier_meets_those_that_came_before() {
    let arrive = |thread, line, outcome| Event { outcome, ..event(thread, Kind::Arrive, 0, line) };
    let run =
        vec![arrive(1, 1, Outcome::Done), arrive(2, 2, Outcome::LastButOne), arrive(3, 3, Outcome::Last)];
    assert_eq!(pairs(run), [(1, 3), (2, 3)]);
}
