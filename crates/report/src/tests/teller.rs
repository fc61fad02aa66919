use raddle_trace::Kind::*;

use super::*;

/// One thread reads what another writes.
fn race(script: &mut Script) {
    let balance = script.object("cell", 0);
    let mutex = script.object("mutex", 1);
    script.thread(0, Create, 1);
    script.event(1, Lock, mutex, 0);
    script.event(1, PlainWrite, balance, 0);
    script.event(1, Unlock, mutex, 0);
    script.preempt();
    script.event(0, PlainRead, balance, 0);
}

pub(super) fn script() -> Script {
    let mut script = Script::with_threads(&[None, Some("teller")]);
    race(&mut script);
    script
}

#[test]
fn a_data_race() {
    let text = report_on(&script(), &WIDE);
    check_shape(&text, &WIDE);
    check(&text, RACE);
}

#[test]
fn a_data_race_without_unicode_in_80_columns() {
    let text = report_on(&script(), &PLAIN);
    check_shape(&text, &PLAIN);
    check(&text, RACE_PLAIN);
}

const RACE: &str = r#"
       FAIL  data race on cell 1                                                        finding k3f7

      ╭▸ crates/report/src/tests/teller.rs:11:12
   11 │     script.event(1, PlainWrite, balance, 0);
      │            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ write by T1 teller, step 3, holding mutex 1
      …
   14 │     script.event(0, PlainRead, balance, 0);
      │            ─────────────────────────────── read by T0 main, step 5, holding nothing

  step  T0 main       T1 teller       where
  ────  ────────────  ──────────────  ────────────
     1  create T1                     teller.rs:9
     2                lock mutex 1    teller.rs:10
     3                writes cell 1   teller.rs:11  races with step 5
     4                unlock mutex 1  teller.rs:12
  ⇄  5  reads cell 1                  teller.rs:14  races with step 3

        ⇄ a switch nobody forced (pre-emption)
 first used  mutex 1 teller.rs:8 · cell 1 teller.rs:7

       note  nothing orders the two accesses: only T1 holds a lock
       help  guard cell 1 with one mutex in both places, or make it atomic
      scope  found in run 4 · shrunk from 21 to 5 steps, 3 to 1 pre-emption · replayed, same end
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
const RACE_PLAIN: &str = r#"
       FAIL  data race on cell 1                                    finding k3f7

      --> crates/report/src/tests/teller.rs:11:12
   11 |     script.event(1, PlainWrite, balance, 0);
      |            ================= write by T1 teller, step 3, holding mutex 1
      ..
   14 |     script.event(0, PlainRead, balance, 0);
      |            -------------------- read by T0 main, step 5, holding nothing

   step  T0 main       T1 teller       where
  -----  ------------  --------------  ------------
      1  create T1                     teller.rs:9
      2                lock mutex 1    teller.rs:10
      3                writes cell 1   teller.rs:11  races with step 5
      4                unlock mutex 1  teller.rs:12
  <>  5  reads cell 1                  teller.rs:14  races with step 3

        <> a switch nobody forced (pre-emption)
 first used  mutex 1 teller.rs:8 | cell 1 teller.rs:7

       note  nothing orders the two accesses: only T1 holds a lock
       help  guard cell 1 with one mutex in both places, or make it atomic
      scope  found in run 4 | shrunk from 21 to 5 steps, 3 to 1 pre-emption |
             replayed, same end
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
