//! Programs that make no sense are refused.

use raddle_oracle::parse;

/// What is wrong with the program, if anything.
fn problem(text: &str) -> Option<&'static str> {
    parse(&text.replace(';', "\n")).expect("the text is a program").check().err().map(|error| error.problem)
}

#[test]
fn sensible_programs_are_accepted() {
    for text in [
        "thread 0",
        "mutex m; thread 0; lock m",
        "mutex m; thread 0; try-lock m r0; if r0 1 {; unlock m; }",
        "recursive-mutex m; thread 0; lock m; lock m; unlock m; unlock m",
        "mutex m; condvar v; thread 0; timed-lock m r0; if r0 1 {; wait v m; unlock m; }",
        "thread 0; spawn 1; unpark 1; join 1; thread 1; unpark 0; park",
        "channel q 1 1; thread 0; spawn 1; receive q r0; thread 1; send q 1; drop-sender q",
    ] {
        assert_eq!(problem(text), None, "{text}");
    }
}

#[test]
fn senseless_programs_are_refused() {
    for (text, expected) in [
        ("mutex m; thread 0; unlock m", "a lock is given back that may not be held"),
        ("mutex m; thread 0; try-lock m r0; unlock m", "a lock is given back that may not be held"),
        (
            "mutex m; cell c 0; thread 0; try-lock m r0; load c r0; if r0 1 {; unlock m; }",
            "a lock is given back that may not be held",
        ),
        ("rwlock w; thread 0; read w; write-unlock w", "a lock is given back that may not be held"),
        ("rwlock w; thread 0; read w; downgrade w", "a lock is given back that may not be held"),
        (
            "rwlock w; thread 0; write w; downgrade w; write-unlock w",
            "a lock is given back that may not be held",
        ),
        (
            "recursive-mutex m; condvar v; thread 0; lock m; lock m; wait v m",
            "a wait does not surely hold its mutex once",
        ),
        ("mutex m; thread 0; load m r0", "an object is not of the sort that the statement needs"),
        ("barrier b 0; thread 0", "a barrier is for nobody"),
        (
            "channel q 0 0; thread 0; spawn 1; try-receive q r0; thread 1; receive q r0",
            "a channel without room has several receivers",
        ),
        ("channel q 1 0; thread 0; send q 1", "a channel has not as many senders as threads that send"),
        ("channel q 1 1; thread 0; drop-sender q; send q 1", "a sender is used after it was dropped"),
        ("thread 0; thread 1", "a thread is never spawned"),
        (
            "thread 0; spawn 1; spawn 1; thread 1",
            "threads are not spawned once each, in the order of their numbers",
        ),
        ("thread 0; spawn 1; join 1; join 1; thread 1", "a thread is joined that is not a child, or twice"),
        ("thread 0; unpark 1; spawn 1; thread 1", "a thread is unparked that may not have been created"),
        ("thread 0; choose 0 r0", "a choice has no alternative"),
    ] {
        assert_eq!(problem(text), Some(expected), "{text}");
    }
}

#[test]
fn a_spawn_inside_a_block_is_refused() {
    assert!(problem("thread 0; if r0 0 {; spawn 1; }; thread 1").is_some());
}
