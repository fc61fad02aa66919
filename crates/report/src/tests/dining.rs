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
    assert!(text.contains("T0 holds mutex 1 already; give it back first"), "{text}");
}

const CIRCLE: &str = r#"
       FAIL  deadlock: T1 and T2 wait for each other                                    finding k3f7

             T1 philosopher ── wants ──▶ mutex 2 ── held by ──▶ T2
             T2 ── wants ──▶ mutex 1 ── held by ──▶ T1

  thread          holds    since                 wants          at
  ──────────────  ───────  ────────────────────  ─────────────  ────────────
  T1 philosopher  mutex 1  step 3, dining.rs:12  mutex 2        dining.rs:16
  T2              mutex 2  step 4, dining.rs:14  mutex 1        dining.rs:17
  T0 main         –        –                     the end of T1  dining.rs:15

  step  T0 main                T1 philosopher   T2               where
  ────  ─────────────────────  ───────────────  ───────────────  ────────────
     1  create T1                                                dining.rs:10
     2  create T2                                                dining.rs:11
     3                         lock mutex 1                      dining.rs:12
  ⇄  4                                          lock mutex 2     dining.rs:14
                               ✗ wants mutex 2                   dining.rs:16
                                                ✗ wants mutex 1  dining.rs:17
        ✗ wants the end of T1                                    dining.rs:15

        ⇄ a switch nobody forced (pre-emption)
 first used  mutex 1 dining.rs:8 · mutex 2 dining.rs:9

      ╭▸ crates/report/src/tests/dining.rs:16:12
   15 │     script.blocked(0, Join, ObjectId::NONE, Some(1));
      │            ───────────────────────────────────────── T0 waits for the end of T1
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

   step  T0 main                T1 philosopher   T2               where
  -----  ---------------------  ---------------  ---------------  ------------
      1  create T1                                                dining.rs:10
      2  create T2                                                dining.rs:11
      3                         lock mutex 1                      dining.rs:12
  <>  4                                          lock mutex 2     dining.rs:14
                                x wants mutex 2                   dining.rs:16
                                                 x wants mutex 1  dining.rs:17
         x wants the end of T1                                    dining.rs:15

        <> a switch nobody forced (pre-emption)
 first used  mutex 1 dining.rs:8 | mutex 2 dining.rs:9

      --> crates/report/src/tests/dining.rs:16:12
   15 |     script.blocked(0, Join, ObjectId::NONE, Some(1));
      |            ---------------------------------- T0 waits for the end of T1
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
       FAIL  deadlock: T0 main waits for ever                                           finding k3f7

  thread   holds  since  wants                  at
  ───────  ─────  ─────  ─────────────────────  ────────────
  T0 main  –      –      a notify of condvar 1  dining.rs:29

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
       FAIL  deadlock: T0 main waits for ever                       finding k3f7

  thread   holds  since  wants                  at
  -------  -----  -----  ---------------------  ------------
  T0 main  -      -      a notify of condvar 1  dining.rs:29

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
