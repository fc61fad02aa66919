use raddle_trace::Kind::*;

use super::*;

/// Two threads take money from one account, and one of them loses its part.
fn withdraw(script: &mut Script) {
    let balance = script.object("atomic", 100);
    script.thread(0, Create, 1);
    script.thread(0, Create, 2);
    script.thread(1, Start, 0);
    script.thread(2, Start, 0);
    for thread in [1, 2] {
        let withdraw = if thread == 1 { 30 } else { 40 };
        script.load(thread, balance);
        if thread == 1 {
            script.preempt();
            continue;
        }
        script.store(thread, balance, 100 - withdraw);
        script.thread(thread, End, 0);
        script.store(1, balance, 70);
        script.thread(1, End, 0);
    }
    script.thread(0, Join, 1);
    script.thread(0, Join, 2);
    script.load(0, balance);
    script.panics(0, "assertion failed: balance == 30");
}

pub(super) fn script() -> Script {
    let mut script = Script::with_threads(&[None, Some("teller"), Some("teller")]);
    withdraw(&mut script);
    script
}

#[test]
fn a_failed_assertion() {
    let text = report_on(&script(), &WIDE);
    check_shape(&text, &WIDE);
    check(&text, A_FAILED_ASSERTION);
}

#[test]
fn a_failed_assertion_without_unicode_in_80_columns() {
    let text = report_on(&script(), &PLAIN);
    check_shape(&text, &PLAIN);
    check(&text, A_FAILED_ASSERTION_PLAIN);
}

const A_FAILED_ASSERTION: &str = r#"
       FAIL  assertion `balance == 30` failed in T0 main, bank.rs:27                    finding k3f7

  step  T0 main          T1 teller       T2 teller       where
  ────  ───────────────  ──────────────  ──────────────  ──────────
     1  create T1                                        bank.rs:8
     2  create T2                                        bank.rs:9
     5                   atomic 1 → 100                  bank.rs:14
  ⇄  6                                   atomic 1 → 100  bank.rs:14
     7                                   atomic 1 ← 60   bank.rs:19
     8                                   ends            bank.rs:20
     9                   atomic 1 ← 70                   bank.rs:21  undoes step 7
    10                   ends                            bank.rs:22
    11  join T1                                          bank.rs:24
    12  join T2                                          bank.rs:25
    13  atomic 1 → 70                                    bank.rs:26
        ✗ balance == 30                                  bank.rs:27

        → read   ← written   ⇄ a switch nobody forced (pre-emption)
        steps without a line start a thread
 first used  atomic 1 bank.rs:7

      ╭▸ crates/report/src/tests/bank.rs:27:12
   14 │         script.load(thread, balance);
      │                ───────────────────── step 5 reads before step 7 writes
      …
   21 │         script.store(1, balance, 70);
      │                ───────────────────── step 9 undoes step 7
      …
   27 │     script.panics(0, "assertion failed: balance == 30");
      │            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ T0 fails here

      scope  found in run 4 · shrunk from 21 to 13 steps, 3 to 1 pre-emption · replayed, same end
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
const A_FAILED_ASSERTION_PLAIN: &str = r#"
       FAIL  assertion `balance == 30` failed in T0 main,           finding k3f7
             bank.rs:27

   step  T0 main        T1 teller     T2 teller        where
  -----  -------------  ------------  ---------------  ----------
      1  create T1                                     bank.rs:8
      2  create T2                                     bank.rs:9
      5                 atomic 1 -> 100                bank.rs:14
  <>  6                               atomic 1 -> 100  bank.rs:14
      7                               atomic 1 <- 60   bank.rs:19
      8                               ends             bank.rs:20
      9                 atomic 1 <- 70                 bank.rs:21  undoes step 7
     10                 ends                           bank.rs:22
     11  join T1                                       bank.rs:24
     12  join T2                                       bank.rs:25
     13  atomic 1 -> 70                                bank.rs:26
         x balance == 30                               bank.rs:27

        -> read   <- written   <> a switch nobody forced (pre-emption)
        steps without a line start a thread
 first used  atomic 1 bank.rs:7

      --> crates/report/src/tests/bank.rs:27:12
   14 |         script.load(thread, balance);
      |                --------------------- step 5 reads before step 7 writes
      ..
   21 |         script.store(1, balance, 70);
      |                --------------------- step 9 undoes step 7
      ..
   27 |     script.panics(0, "assertion failed: balance == 30");
      |            ============================================ T0 fails here

      scope  found in run 4 | shrunk from 21 to 13 steps, 3 to 1 pre-emption |
             replayed, same end
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;
