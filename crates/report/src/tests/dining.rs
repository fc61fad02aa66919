use raddle_trace::Kind::*;
use raddle_trace::ObjectId;

use super::*;

/// Two threads take two locks in two orders.
pub(super) fn dine(script: &mut Script) {
    let left = script.object("mutex", 1);
    let right = script.object("mutex", 1);
    script.thread(0, Create, 1);
    script.thread(0, Create, 2);
    script.lock(1, left);
    script.preempt();
    script.lock(2, right);
    script.blocked(0, Join, ObjectId::NONE, Some(1));
    script.blocked(1, Lock, right, Some(2));
    script.blocked(2, Lock, left, Some(1));
}

/// A notification comes before the wait.
fn miss(script: &mut Script) {
    let mutex = script.object("mutex", 1);
    let ready = script.object("condvar", 0);
    script.thread(0, Create, 1);
    script.event(1, NotifyOne, ready, 0);
    script.thread(1, End, 0);
    script.event(0, Lock, mutex, 0);
    script.event(0, Wait, ready, 0);
    script.blocked(0, Wait, ready, None);
}

/// A thread wants what it has.
fn repeat(script: &mut Script) {
    let mutex = script.object("mutex", 1);
    script.lock(0, mutex);
    script.blocked(0, Lock, mutex, Some(0));
}

fn check_both(names: &[Option<&str>], play: fn(&mut Script), wide: &str, plain: &str) {
    let mut script = Script::with_threads(names);
    play(&mut script);
    for (style, expected) in [(WIDE, wide), (PLAIN, plain)] {
        let text = report_on(&script, &style);
        check_shape(&text, &style);
        check(&text, expected);
    }
}

#[test]
fn two_threads_in_a_circle() {
    check_both(&[None, Some("philosopher"), None], dine, CIRCLE, CIRCLE_PLAIN);
}

#[test]
fn a_notification_that_came_too_early() {
    check_both(&[], miss, EARLY, EARLY_PLAIN);
}

#[test]
fn a_thread_that_waits_for_itself() {
    let mut script = Script::default();
    repeat(&mut script);
    let text = report_on(&script, &WIDE);
    assert!(text.contains("deadlock: T0 main waits for itself"), "{text}");
    assert!(text.contains("T0 holds mutex 1 already; it has to unlock it first"), "{text}");
}

#[test]
fn whoever_reads_a_lock_is_told_even_if_others_read_it_too() {
    let mut script = Script::default();
    let lock = script.object("rwlock", raddle_trace::level::RW_FREE);
    script.event(1, Read, lock, 0);
    script.event(2, Read, lock, 0);
    script.run.held.push(raddle_trace::Held { object: lock, by: raddle_trace::ThreadId::new(1), since: 1 });
    script.blocked(1, Write, lock, Some(1));
    script.blocked(2, Write, lock, None);
    let text = report_on(&script, &WIDE);
    assert!(text.contains("  T1      rwlock 1  step 1, "), "{text}");
    assert!(text.contains("  T2      rwlock 1  step 2, "), "{text}");
    assert!(text.contains("hint  T1 holds rwlock 1 already, and whoever reads cannot also write"), "{text}");
}

#[test]
fn what_a_semaphore_and_a_barrier_wait_for_is_said() {
    let mut script = Script::default();
    let permits = script.object("semaphore", 2);
    script.event(1, Acquire, permits, 0);
    script.event(2, Acquire, permits, 0);
    script.blocked(0, Join, ObjectId::NONE, Some(1));
    script.blocked(1, Acquire, permits, None);
    script.blocked(2, Acquire, permits, None);
    let text = report_on(&script, &WIDE);
    assert!(text.contains("deadlock: T1 and T2 wait for ever for a permit of semaphore 1"), "{text}");
    assert!(
        text.contains("semaphore 1 was acquired by T1 in step 1 and T2 in step 2; nobody posted it"),
        "{text}"
    );
    // Whoever only waits for another that waits comes last.
    assert!(text.find("T2      a permit") < text.find("T0 main  the end of T1"), "{text}");

    let mut script = Script::default();
    let barrier = script.object("barrier", 3);
    script.event(1, Arrive, barrier, 0).outcome = raddle_trace::Outcome::Done;
    script.blocked(1, Pass, barrier, None);
    let text = report_on(&script, &WIDE);
    assert!(text.contains("only T1 (step 1) arrived at barrier 1, which waits for more threads"), "{text}");
}

#[test]
fn a_finding_of_the_command_says_the_next_commands() {
    let mut script = Script::default();
    repeat(&mut script);
    let found = judge(&script.run).expect("the run shows something");
    let mut view = view_of(&script, &found);
    view.replay = "raddle replay k3f7";
    view.schedule = Some("raddle-out/findings/k3f7/schedule.txt");
    view.page = Some("raddle-out/findings/k3f7/report.html");
    let text = finding(&view, &WIDE, &source);
    check(text.split_once("unlock it first\n").expect("a hint").1, NEXT);
    let narrow = finding(&view, &Style::new(true, 70), &source);
    assert!(narrow.contains("     replay  raddle replay k3f7\n"), "{narrow}");
}

const NEXT: &str = r#"
     replay  raddle replay k3f7                in gdb: raddle replay k3f7 --gdb --until 1
     report  raddle report k3f7 --open         every step: raddle explain k3f7
    kept in  raddle-out/findings/k3f7
"#;
const CIRCLE: &str = r#"
       FAIL  deadlock: T1 and T2 wait for each other                                    finding k3f7

             T1 philosopher ── wants ──▶ mutex 2 ── held by ──▶ T2
             T2 ── wants ──▶ mutex 1 ── held by ──▶ T1

  thread          holds    since                 wants          at
  ──────────────  ───────  ────────────────────  ─────────────  ────────────
  T1 philosopher  mutex 1  step 3, dining.rs:12  mutex 2        dining.rs:16
  T2              mutex 2  step 4, dining.rs:14  mutex 1        dining.rs:17
  T0 main         –        –                     the end of T1  dining.rs:15

  step  T0 main    T1 philosopher   T2               where
  ────  ─────────  ───────────────  ───────────────  ────────────
     1  create T1                                    dining.rs:10
     2  create T2                                    dining.rs:11
     3             lock mutex 1                      dining.rs:12
  ⇄  4                              lock mutex 2     dining.rs:14
                   ✗ wants mutex 2                   dining.rs:16
                                    ✗ wants mutex 1  dining.rs:17

        ⇄ a switch nobody forced (pre-emption)
 first used  mutex 1 dining.rs:8 · mutex 2 dining.rs:9

      ╭▸ crates/report/src/tests/dining.rs:16:12
   16 │     script.blocked(1, Lock, right, Some(2));
      │            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ T1 waits for mutex 2
   17 │     script.blocked(2, Lock, left, Some(1));
      │            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ T2 waits for mutex 1

      scope  found in run 4 · shrunk from 21 to 4 steps, 3 to 1 pre-emption · replayed, same end
       hint  T1 takes mutex 1 then mutex 2, T2 the other way round; one order for all removes it
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
const CIRCLE_PLAIN: &str = r#"
       FAIL  deadlock: T1 and T2 wait for each other                finding k3f7

             T1 philosopher -- wants --> mutex 2 -- held by --> T2
             T2 -- wants --> mutex 1 -- held by --> T1

  thread          holds    since                 wants          at
  --------------  -------  --------------------  -------------  ------------
  T1 philosopher  mutex 1  step 3, dining.rs:12  mutex 2        dining.rs:16
  T2              mutex 2  step 4, dining.rs:14  mutex 1        dining.rs:17
  T0 main         -        -                     the end of T1  dining.rs:15

   step  T0 main    T1 philosopher   T2               where
  -----  ---------  ---------------  ---------------  ------------
      1  create T1                                    dining.rs:10
      2  create T2                                    dining.rs:11
      3             lock mutex 1                      dining.rs:12
  <>  4                              lock mutex 2     dining.rs:14
                    x wants mutex 2                   dining.rs:16
                                     x wants mutex 1  dining.rs:17

        <> a switch nobody forced (pre-emption)
 first used  mutex 1 dining.rs:8 | mutex 2 dining.rs:9

      --> crates/report/src/tests/dining.rs:16:12
   16 |     script.blocked(1, Lock, right, Some(2));
      |            ================================ T1 waits for mutex 2
   17 |     script.blocked(2, Lock, left, Some(1));
      |            =============================== T2 waits for mutex 1

      scope  found in run 4 | shrunk from 21 to 4 steps, 3 to 1 pre-emption |
             replayed, same end
       hint  T1 takes mutex 1 then mutex 2, T2 the other way round; one order
             for all removes it
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
const EARLY: &str = r#"
       FAIL  deadlock: T0 main waits for ever for a notify of condvar 1                 finding k3f7

  thread   wants                  at
  ───────  ─────────────────────  ────────────
  T0 main  a notify of condvar 1  dining.rs:29

  step  T0 main                              T1                              where
  ────  ───────────────────────────────────  ──────────────────────────────  ────────────
     1  create T1                                                            dining.rs:24
     2                                       notify condvar 1: nobody waits  dining.rs:25
     3                                       ends                            dining.rs:26
     4  lock mutex 1                                                         dining.rs:27
     5  wait condvar 1 (gives mutex 1 back)                                  dining.rs:28
        ✗ wants a notify of condvar 1                                        dining.rs:29

 first used  condvar 1 dining.rs:23 · mutex 1 dining.rs:22

      ╭▸ crates/report/src/tests/dining.rs:29:12
   29 │     script.blocked(0, Wait, ready, None);
      │            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ T0 waits for a notify of condvar 1

      scope  found in run 4 · shrunk from 21 to 5 steps, 3 to 0 pre-emptions · replayed, same end
       hint  the last notify of condvar 1, step 2, found nobody waiting: T0 began to wait in step 5
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
const EARLY_PLAIN: &str = r#"
       FAIL  deadlock: T0 main waits for ever for a notify of       finding k3f7
             condvar 1

  thread   wants                  at
  -------  ---------------------  ------------
  T0 main  a notify of condvar 1  dining.rs:29

   step  T0 main                    T1                              where
  -----  -------------------------  ------------------------------  ------------
      1  create T1                                                  dining.rs:24
      2                             notify condvar 1: nobody waits  dining.rs:25
      3                             ends                            dining.rs:26
      4  lock mutex 1                                               dining.rs:27
      5  wait condvar 1 (gives mutex 1 back)                        dining.rs:28
         x wants a notify of condvar 1                              dining.rs:29

 first used  condvar 1 dining.rs:23 | mutex 1 dining.rs:22

      --> crates/report/src/tests/dining.rs:29:12
   29 |     script.blocked(0, Wait, ready, None);
      |            ========================== T0 waits for a notify of condvar 1

      scope  found in run 4 | shrunk from 21 to 5 steps, 3 to 0 pre-emptions |
             replayed, same end
       hint  the last notify of condvar 1, step 2, found nobody waiting: T0
             began to wait in step 5
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
