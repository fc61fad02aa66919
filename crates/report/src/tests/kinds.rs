use raddle_trace::schedule::ThreadName;
use raddle_trace::{Kind, ObjectId, ObjectNote, Outcome, ThreadId};

use super::*;
use crate::cells::cell;
use crate::words::Words;
use crate::{object_label, thread_label};

/// The words for one event of thread 1 on an object of this kind.
fn words_for(object: &'static str, level: i64, kind: Kind, operand: u64, outcome: Option<Outcome>) -> String {
    let mut script = Script::default();
    let object = script.object(object, level);
    let event = script.event(1, kind, object, operand);
    event.outcome = outcome.unwrap_or(event.outcome);
    cell(&Words::new(&script.run, &[], &[], &WIDE), 0)
}

#[test]
fn every_kind_has_its_words() {
    use Kind::*;
    use Outcome::{Already, Closed, Failed, Last, TimedOut};
    type Case = (&'static str, i64, Kind, u64, Option<Outcome>, &'static str);
    let table: &[Case] = &[
        ("atomic", 7, Load, 0, None, "atomic 1 → 7"),
        ("atomic", -1, Load, 0, None, "atomic 1 → -1"),
        ("atomic", 0x1234_5678_9ab0, Load, 0, None, "atomic 1 → ptr 1"),
        ("atomic", i64::MAX, Load, 0, None, "atomic 1 → 0x7fffffffffffffff"),
        ("atomic", 7, Store, 0, None, "atomic 1 ← 7"),
        ("atomic", 7, ReadModifyWrite, 0, None, "atomic 1 ← 7 (was 7)"),
        ("atomic", 7, CompareExchange, 7, None, "atomic 1 7 ⇒ 7"),
        ("atomic", 7, CompareExchange, 5, None, "atomic 1 is 7, not 5"),
        ("atomic", 7, WeakCompareExchange, 7, Some(Failed), "atomic 1 fails for no reason"),
        ("atomic", 7, Fence, 0, None, "fence"),
        ("cell", 0, PlainRead, 0, None, "reads cell 1"),
        ("cell", 0, PlainWrite, 0, None, "writes cell 1"),
        ("mutex", 1, Lock, 0, None, "lock mutex 1"),
        ("mutex", 0, TryLock, 0, None, "try lock mutex 1: held"),
        ("mutex", 0, TimedLock, 0, None, "lock mutex 1: gives up"),
        ("mutex", 1, Relock, 0, None, "… lock mutex 1"),
        ("mutex", 0, Unlock, 0, None, "unlock mutex 1"),
        ("mutex", 0, LockAgain, 0, None, "lock mutex 1 again"),
        ("mutex", 0, UnlockInner, 0, None, "unlock mutex 1 once"),
        ("rwlock", 9, Read, 0, None, "read lock rwlock 1"),
        ("rwlock", 0, TryRead, 0, None, "try read lock rwlock 1: held"),
        ("rwlock", 0, TimedRead, 0, None, "read lock rwlock 1: gives up"),
        ("rwlock", 0, ReadUnlock, 0, None, "read unlock rwlock 1"),
        ("rwlock", 1 << 20, Write, 0, None, "write lock rwlock 1"),
        ("rwlock", 0, TryWrite, 0, None, "try write lock rwlock 1: held"),
        ("rwlock", 0, TimedWrite, 0, None, "write lock rwlock 1: gives up"),
        ("rwlock", 0, WriteUnlock, 0, None, "write unlock rwlock 1"),
        ("rwlock", 0, Downgrade, 0, None, "downgrade rwlock 1"),
        ("condvar", 0, Wait, 0, None, "wait condvar 1 (gives condvar 1 back)"),
        ("condvar", 0, TimedWait, 0, None, "wait condvar 1 (gives condvar 1 back)"),
        ("condvar", 0, FickleWait, 0, None, "wait condvar 1 (gives condvar 1 back)"),
        ("condvar", 1, Timeout, 0, None, "gives up waiting"),
        ("condvar", 1, SpuriousWake, 0, None, "wakes for no reason"),
        ("condvar", 0, NotifyOne, 0, None, "notify condvar 1: nobody waits"),
        ("condvar", 1, NotifyOne, 0, None, "notify condvar 1: one"),
        ("condvar", 3, NotifyAll, 0, None, "notify condvar 1: all 3"),
        ("semaphore", 1, Acquire, 0, None, "acquire semaphore 1"),
        ("semaphore", 0, TryAcquire, 0, None, "try acquire semaphore 1: none left"),
        ("semaphore", 0, TimedAcquire, 0, None, "acquire semaphore 1: gives up"),
        ("semaphore", 0, Post, 1, None, "semaphore 1 + 1 permit"),
        ("barrier", 0, Arrive, 3, None, "arrives at barrier 1"),
        ("barrier", 0, Arrive, 3, Some(Last), "arrives at barrier 1 (last)"),
        ("barrier", 0, Pass, 3, None, "passes barrier 1"),
        ("atomic", 4, Add, 1, None, "atomic 1 ← 5"),
        ("once", 0, OnceEnter, 0, None, "enters once 1"),
        ("once", 2, OnceEnter, 0, Some(Already), "once 1 is done"),
        ("once", 1, OnceExit, 0, None, "completes once 1"),
        ("once", 1, OncePoison, 0, None, "poisons once 1"),
        ("once", 1, OnceLook, 0, None, "looks at once 1"),
        ("token", 0, Create, 2, None, "create T2"),
        ("token", 0, Start, 0, None, "starts"),
        ("token", 0, End, 0, None, "ends"),
        ("token", 0, Join, 2, None, "join T2"),
        ("token", 0, Detach, 2, None, "detach T2"),
        ("token", 1, Park, 0, None, "park: has its token"),
        ("token", 0, TimedPark, 0, None, "park: gives up"),
        ("token", 0, Unpark, 0, None, "unpark T0"),
        ("channel", 1 << 32, Send, 4, None, "send channel 1"),
        ("channel", 1 << 32, TrySend, 0, None, "try send channel 1: full"),
        ("channel", 1 << 32, Receive, 0, None, "receive channel 1"),
        ("channel", 1 << 32, TryReceive, 0, None, "try receive channel 1: empty"),
        ("channel", 1 << 32, TimedReceive, 0, None, "receive channel 1: gives up"),
        ("channel", 0, Receive, 0, Some(Closed), "receive channel 1: closed"),
        ("channel", 0, TimedReceive, 0, Some(TimedOut), "receive channel 1: gives up"),
        ("channel", 0, AddSender, 0, None, "clones a sender of channel 1"),
        ("channel", 1 << 32, DropSender, 0, None, "drops a sender of channel 1"),
        ("channel", 0, DropReceiver, 0, None, "drops the receiver of channel 1"),
        ("channel", 0, Taken, 0, None, "… taken from channel 1"),
        ("channel", 0, Offer, 0, None, "waits at channel 1 …"),
        ("channel", 1 << 61 | 1 << 32, TrySend, 0, None, "try send channel 1"),
        ("atomic", 0, Spin, 1, None, "spins until something changes"),
        ("atomic", 0, Choose, 5, None, "chooses 0 of 0..5"),
    ];
    for (object, level, kind, operand, outcome, expected) in table {
        assert_eq!(words_for(object, *level, *kind, *operand, *outcome), *expected, "{kind:?}");
    }
}

#[test]
fn objects_are_numbered_by_kind_in_the_order_of_use() {
    let mut script = Script::default();
    script.run.objects = ["token", "mutex", "atomic", "mutex"]
        .map(|kind| ObjectNote { kind, ..ObjectNote::default() })
        .to_vec();
    script.event(0, Kind::Lock, ObjectId::new(3), 0);
    script.event(0, Kind::Lock, ObjectId::new(1), 0);
    let label = |object| object_label(ObjectId::new(object), &script.run);
    assert_eq!([label(3), label(1), label(2)], ["mutex 1", "mutex 2", "atomic 1"]);
}

#[test]
fn threads_have_their_names() {
    let script = Script::with_threads(&[None, Some("worker"), None]);
    let names = [ThreadName(vec![]), ThreadName(vec![0]), ThreadName(vec![1])];
    let label = |thread| thread_label(ThreadId::new(thread), &script.run, &names);
    assert_eq!([label(0), label(1), label(2), label(7)], ["T0 main", "T1 worker", "T2", "T7"]);
}
