//! Programs whose runs and traces were counted by hand or follow from a formula.

use std::collections::BTreeSet;

use raddle_oracle::{Ending, Outcomes, brute_force, parse};

fn outcomes(text: &str) -> Outcomes {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    brute_force(&program, 1_000_000).expect("the program is small")
}

/// Checks the number of runs and of traces.
#[track_caller]
fn check(text: &str, interleavings: u64, traces: usize) -> Outcomes {
    let outcomes = outcomes(text);
    assert_eq!((outcomes.interleavings, outcomes.traces.len()), (interleavings, traces), "\n{text}");
    outcomes
}

/// A program whose main thread only spawns and joins threads with these bodies.
fn threads(objects: &str, bodies: &[&str]) -> String {
    let mut text = format!("{}\nthread 0\n", objects.replace(';', "\n"));
    for word in ["spawn", "join"] {
        (1..=bodies.len()).for_each(|index| text += &format!("  {word} {index}\n"));
    }
    for (index, body) in bodies.iter().enumerate() {
        text += &format!("thread {}\n{}\n", index + 1, body.replace(';', "\n"));
    }
    text
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

fn endings(outcomes: &Outcomes) -> Vec<Ending> {
    outcomes.endings().into_iter().collect()
}

/// For each run that left a different state, one register of one thread.
fn registers(outcomes: &Outcomes, which: &[(usize, usize)]) -> BTreeSet<Vec<i64>> {
    let pick =
        |registers: &Vec<Vec<i64>>| which.iter().map(|(thread, reg)| registers[*thread][*reg]).collect();
    outcomes.ends.iter().map(|end| pick(&end.registers)).collect()
}

#[test]
fn independent_stores_are_one_trace() {
    for (n, m) in [(1, 1), (2, 3), (4, 4), (1, 6)] {
        let text = threads("cell a 0; cell b 0", &[&"store a 1;".repeat(n), &"store b 1;".repeat(m)]);
        let (n, m) = (n as u64, m as u64);
        check(&text, factorial(n + m) / factorial(n) / factorial(m), 1);
    }
}

#[test]
fn writers_of_one_cell_are_all_orders() {
    for n in 1..=5u64 {
        let bodies: Vec<String> = (1..=n).map(|value| format!("store a {value}")).collect();
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        let outcomes = check(&threads("cell a 0", &bodies), factorial(n), factorial(n) as usize);
        assert_eq!(outcomes.ends.len(), n as usize);
    }
}

/// With `1` for a step of the first thread and `2` for one of the second:
/// 111122 111212 112112 121112 211112 111221 112121 121121 211121 112211 121211 211211 122111 212111 221111.
/// Every order of the six steps is another trace, because all of them write.
#[test]
fn four_and_two_steps_have_15_interleavings() {
    check(&threads("cell a 0", &[&"fetch-add a 1 r0;".repeat(4), &"fetch-add a 1 r0;".repeat(2)]), 15, 15);
}

/// The first thread runs through before the second starts, or the other way round, or each takes its first lock and
/// waits for ever. A thread that has its first lock can still be overtaken only in the third way.
#[test]
fn crossed_locks_deadlock_in_one_of_three_traces() {
    let outcomes = outcomes(&threads(
        "mutex a; mutex b",
        &["lock a; lock b; unlock b; unlock a", "lock b; lock a; unlock a; unlock b"],
    ));
    assert_eq!(outcomes.traces.len(), 3);
    assert_eq!(endings(&outcomes), [Ending::Finished, Ending::Deadlock]);
    // Without a pre-emption one thread goes through; the deadlock needs one switch between the two locks.
    let within: Vec<usize> = outcomes.within.iter().map(BTreeSet::len).collect();
    assert_eq!(within, [2, 3, 3, 3]);
}

/// Lock regions of one mutex are ordered in all ways.
#[test]
fn lock_regions_are_all_orders() {
    for (threads_count, regions) in [(2u64, 1u64), (2, 2), (2, 3), (3, 1), (3, 2)] {
        let body = "lock a; unlock a;".repeat(regions as usize);
        let bodies = vec![body.as_str(); threads_count as usize];
        let orders = factorial(threads_count * regions) / factorial(regions).pow(threads_count as u32);
        assert_eq!(outcomes(&threads("mutex a", &bodies)).traces.len() as u64, orders);
    }
}

/// Each reader sees the write before, between or after its two loads: 3³ traces; 7! / 2!³ interleavings.
#[test]
fn three_readers_and_a_writer() {
    let reader = "load a r0; load a r1";
    let outcomes = check(&threads("cell a 0", &[reader, reader, reader, "store a 1"]), 630, 27);
    assert_eq!(outcomes.ends.len(), 27);
}

/// Each reader is before or after the writer: 2³ traces. Interleavings: with k readers before the writer and 3 - k
/// after it, (2k)!/2^k · (6-2k)!/2^(3-k) orders of their steps, for C(3, k) choices: 90 + 3·6·1 + 3·1·6 + 90 = 216.
#[test]
fn readers_of_a_reader_writer_lock_do_not_order_each_other() {
    let reader = "read w; read-unlock w";
    check(&threads("rwlock w", &[reader, reader, reader, "write w; write-unlock w"]), 216, 8);
}

/// The reader is before the writer, or between and after its last two steps: 1 + 3 interleavings. A second writer is before or
/// after.
#[test]
fn a_downgrade_lets_readers_in_and_no_writer() {
    let downgrades = "write w; downgrade w; read-unlock w";
    check(&threads("rwlock w", &[downgrades, "read w; read-unlock w"]), 4, 2);
    check(&threads("rwlock w", &[downgrades, "write w; write-unlock w"]), 2, 2);
    check(&threads("rwlock w", &[downgrades, downgrades]), 2, 2);
}

/// To read can be tried in vain between the first two steps, to write between any two.
#[test]
fn tries_tell_a_downgraded_lock_from_others() {
    let downgrades = "write w; downgrade w; read-unlock w";
    let reads = "try-read w r0; if r0 1 {; read-unlock w; }";
    check(&threads("rwlock w", &[downgrades, reads]), 5, 3);
    let writes = "try-write w r0; if r0 1 {; write-unlock w; }";
    check(&threads("rwlock w", &[downgrades, writes]), 4, 4);
}

#[test]
fn loom_166_has_all_four_outcomes() {
    let text = threads(
        "cell key 0; cell value 0",
        &[
            "store key 1; store value 1; store value 0; load key r0; store key 0",
            "load value r0; load key r1",
        ],
    );
    let outcomes = check(&text, 21, 7);
    let seen = registers(&outcomes, &[(2, 0), (2, 1)]);
    assert_eq!(seen, [[0, 0], [0, 1], [1, 0], [1, 1]].map(Vec::from).into());
}

#[test]
fn loom_392_has_both_outcomes() {
    let text = "cell flag 0\nthread 0\nspawn 1\nload flag r0\njoin 1\nthread 1\nload flag r0\nstore flag 1";
    let outcomes = check(text, 3, 2);
    assert_eq!(registers(&outcomes, &[(0, 0)]), [[0], [1]].map(Vec::from).into());
}

/// The waiter comes first and is notified (then it and the notifier's unlock are in one order), or it comes too late.
#[test]
fn a_notification_can_be_lost() {
    let text =
        threads("mutex m; condvar v", &["lock m; wait v m; unlock m", "lock m; notify-one v; unlock m"]);
    let outcomes = outcomes(&text);
    assert_eq!(endings(&outcomes), [Ending::Finished, Ending::Deadlock]);
    assert_eq!(outcomes.traces.len(), 2);
}

/// Notified before the wait, in it, or timed out before or after a notification that nobody heard.
#[test]
fn a_timed_wait_never_hangs() {
    let outcomes =
        outcomes(&threads("mutex m; condvar v", &["lock m; timed-wait v m r0; unlock m", "notify-one v"]));
    assert_eq!(endings(&outcomes), [Ending::Finished]);
    assert_eq!(registers(&outcomes, &[(1, 0)]), [[0], [1]].map(Vec::from).into());
    // Before the wait; while it lasts; after the timeout.
    assert_eq!(outcomes.traces.len(), 3);
}

#[test]
fn a_notification_chooses_among_the_waiters() {
    let waiter = "lock m; wait v m; unlock m";
    let all = outcomes(&threads("mutex m; condvar v", &[waiter, waiter, "notify-one v; notify-one v"]));
    assert_eq!(endings(&all), [Ending::Finished, Ending::Deadlock]);
    let one = brute_force(
        &parse(
            "mutex m\ncondvar v\nsemaphore s 0\nthread 0\nspawn 1\nspawn 2\nacquire s\nacquire s\nlock m\n\
             unlock m\nnotify-one v\nthread 1\nlock m\npost s 1\nwait v m\nunlock m\nthread 2\nlock m\npost s 1\n\
             wait v m\nunlock m",
        )
        .unwrap(),
        100_000,
    )
    .unwrap();
    assert_eq!(endings(&one), [Ending::Deadlock]);
}

/// Who of the three comes last decides; the first two are not ordered.
#[test]
fn a_barrier_orders_only_the_last() {
    let outcomes = check(&threads("barrier b 3", &["arrive b r0", "arrive b r0", "arrive b r0"]), 6, 3);
    let last = registers(&outcomes, &[(1, 0), (2, 0), (3, 0)]);
    assert_eq!(last, [[0, 0, 1], [0, 1, 0], [1, 0, 0]].map(Vec::from).into());
}

#[test]
fn a_barrier_with_too_few_hangs() {
    let outcomes = outcomes(&threads("barrier b 2", &["arrive b r0", "arrive b r0", "arrive b r0"]));
    assert_eq!(endings(&outcomes), [Ending::Deadlock]);
}

#[test]
fn an_initialisation_runs_once() {
    let body = "once o {; fetch-add a 1 r0; }";
    let outcomes = outcomes(&threads("cell a 0; once-cell o", &[body, body]));
    assert_eq!(outcomes.traces.len(), 2);
    assert!(outcomes.ends.iter().all(|end| end.cells == [1]));
}

/// A weak exchange fails for no reason, or succeeds.
#[test]
fn a_weak_exchange_has_two_alternatives() {
    check(&threads("cell a 0", &["weak-cas a 0 1 r0"]), 2, 2);
    check(&threads("cell a 0", &["weak-cas a 7 1 r0"]), 1, 1);
    check(&threads("cell a 0", &["cas a 0 1 r0", "cas a 0 2 r0"]), 2, 2);
}

#[test]
fn choices_are_counted() {
    check(&threads("", &["choose 3 r0; choose 2 r1"]), 6, 6);
}

/// Posts commute; who acquires first matters.
#[test]
fn semaphores() {
    check(&threads("semaphore s 0", &["post s 1", "post s 1"]), 2, 1);
    check(&threads("semaphore s 1", &["acquire s; post s 1", "acquire s; post s 1"]), 2, 2);
    let outcomes = outcomes(&threads("semaphore s 1", &["acquire s", "acquire s"]));
    assert_eq!((outcomes.traces.len(), endings(&outcomes)), (2, vec![Ending::Deadlock]));
}

#[test]
fn recursive_locks_inside_each_other_are_no_decisions() {
    let body = "lock m; lock m; unlock m; unlock m";
    check(&threads("recursive-mutex m", &[body, body]), 2, 2);
    let twice = outcomes(&threads("mutex m", &["lock m; lock m"]));
    assert_eq!(endings(&twice), [Ending::Deadlock]);
}

#[test]
fn parking_needs_a_token() {
    check("thread 0\nspawn 1\nunpark 1\njoin 1\nthread 1\npark", 1, 1);
    let timed = outcomes("thread 0\nspawn 1\nunpark 1\njoin 1\nthread 1\ntimed-park r0");
    assert_eq!(registers(&timed, &[(1, 0)]), [[0], [1]].map(Vec::from).into());
    assert_eq!(endings(&outcomes("thread 0\npark")), [Ending::Deadlock]);
}

/// A blocking send and a blocking receive do not order each other beyond their messages.
#[test]
fn sends_and_receives_are_one_trace() {
    let send = "send q 7; send q 8; drop-sender q";
    let receive = "receive q r0; receive q r1; receive q r2";
    for capacity in ["1", "2", "unbounded"] {
        let outcomes = outcomes(&threads(&format!("channel q {capacity} 1"), &[send, receive]));
        assert_eq!(outcomes.traces.len(), 1, "{capacity}");
        assert_eq!(registers(&outcomes, &[(2, 0), (2, 1), (2, 2)]), [vec![7, 8, -3]].into());
    }
    let tried =
        outcomes(&threads("channel q 1 1", &["try-send q 7 r0; try-send q 8 r1", "try-receive q r0"]));
    let seen = registers(&tried, &[(1, 0), (1, 1), (2, 0)]);
    assert_eq!(seen, [[1, 0, -1], [1, 0, 7], [1, 1, 7]].map(Vec::from).into());
}

/// A channel without room hands a message over only if both sides are there.
#[test]
fn who_only_tries_at_a_channel_without_room_needs_a_partner_that_waits() {
    let seen = |sender: &str, receiver: &str, registers_of: &[(usize, usize)]| {
        let outcomes = outcomes(&threads("channel q 0 1", &[sender, receiver]));
        (outcomes.traces.len(), registers(&outcomes, registers_of))
    };
    // Full before the receiver waits, sent afterwards; then the receiver finds the channel closed, or its message.
    let tried = seen("try-send q 7 r0; drop-sender q", "receive q r0", &[(1, 0), (2, 0)]);
    assert_eq!(tried, (2, [[0, -3], [1, 7]].map(Vec::from).into()));
    // Nobody waits for long who only tries, so two that try never meet.
    let both = seen("try-send q 7 r0", "try-receive q r0", &[(1, 0), (2, 0)]);
    assert_eq!(both, (1, [vec![0, -1]].into()));
    let waits = seen("send q 7", "try-receive q r0; receive q r1", &[(2, 0)]);
    assert_eq!(waits, (2, [[-1], [7]].map(Vec::from).into()));
    // Gives up before or after the try, or is handed the message.
    let timed = seen("try-send q 7 r0", "timed-receive q r0", &[(1, 0), (2, 0)]);
    assert_eq!(timed, (3, [[0, -2], [1, 7]].map(Vec::from).into()));
    let meet = seen("send q 7; send q 8", "receive q r0; receive q r1", &[(2, 0), (2, 1)]);
    assert_eq!(meet, (1, [vec![7, 8]].into()));
}

#[test]
fn a_spin_waits_for_a_change() {
    let outcomes = outcomes(&threads("cell a 0", &["spin-until a 1", "store a 0; store a 1"]));
    assert_eq!(endings(&outcomes), [Ending::Finished]);
    let never = brute_force(&parse("cell a 0\nthread 0\nspin-until a 1").unwrap(), 10).unwrap();
    assert_eq!((never.interleavings, endings(&never)), (1, vec![Ending::Deadlock]));
}

#[test]
fn a_failed_assertion_ends_the_run() {
    let outcomes = outcomes(&threads("cell a 0", &["load a r0; assert r0 0; store a 5", "store a 1"]));
    assert_eq!(endings(&outcomes), [Ending::Finished, Ending::Panic]);
}

#[test]
fn too_many_runs_are_refused() {
    let program = parse(&threads("cell a 0; cell b 0", &["store a 1; store a 1", "store b 1"])).unwrap();
    assert_eq!(brute_force(&program, 2).unwrap_err().limit, 2);
    assert_eq!(brute_force(&program, 3).unwrap().interleavings, 3);
}
