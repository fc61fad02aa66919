use raddle_trace::{Kind, ObjectId};

use super::*;

/// A small generator: the same seed gives the same runs.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

const KINDS: [(Kind, usize); 12] = [
    (Kind::Load, 0),
    (Kind::Store, 0),
    (Kind::CompareExchange, 0),
    (Kind::Lock, 1),
    (Kind::Unlock, 1),
    (Kind::Wait, 2),
    (Kind::NotifyOne, 2),
    (Kind::PlainWrite, 3),
    (Kind::Send, 4),
    (Kind::Receive, 4),
    (Kind::Post, 5),
    (Kind::Choose, 0),
];

fn random_run(dice: &mut Dice) -> Script {
    let names: Vec<Option<&str>> =
        (0..40).map(|number| (number % 3 == 1).then_some("worker with a long name")).collect();
    let mut script = Script::with_threads(&names);
    let kinds = ["atomic", "mutex", "condvar", "cell", "channel", "semaphore"];
    let objects: Vec<ObjectId> =
        kinds.iter().flat_map(|kind| [script.object(kind, 1), script.object(kind, 1)]).collect();
    let most = if dice.below(3) == 0 { 40 } else { 4 };
    let threads = 1 + dice.below(most);
    for thread in 1..threads.min(30) {
        script.thread(0, Kind::Create, thread);
    }
    for _ in 0..dice.below(61 - threads.min(30)) {
        let thread = dice.below(threads);
        let (kind, group) = KINDS[dice.below(KINDS.len())];
        let object = objects[group * 2 + dice.below(2)];
        if dice.below(8) == 0 {
            script.preempt();
        }
        let value = dice.below(1 << 30) as i64;
        match kind {
            Kind::Store => script.store(thread, object, value << dice.below(33)),
            Kind::Wait => _ = script.event(thread, kind, object, 2),
            Kind::Lock => script.lock(thread, object),
            _ => _ = script.event(thread, kind, object, value as u64 % 7),
        }
    }
    match dice.below(3) {
        0 => script.panics(dice.below(threads), "assertion `left == right` failed\n  left: 1\n right: 2"),
        1 => script.panics(dice.below(threads), &"a very long message ".repeat(30)),
        _ => {
            for thread in 0..threads {
                let (kind, object, by) = match dice.below(3) {
                    0 => (Kind::Join, ObjectId::NONE, Some(dice.below(threads))),
                    1 => (Kind::Lock, objects[2], Some(dice.below(threads))),
                    _ => (Kind::Wait, objects[4], None),
                };
                script.blocked(thread, kind, object, by);
            }
        }
    }
    script
}

#[test]
fn every_report_fits_the_screen() {
    let mut dice = Dice(1);
    for number in 0..1_500 {
        let script = random_run(&mut dice);
        let narrow = Style::new(true, 60);
        check_width(&report_on(&script, &narrow), &narrow);
        for style in [WIDE, PLAIN] {
            let text = report_on(&script, &style);
            check_shape(&text, &style);
            assert!(text.contains("replay  "), "run {number}\n{text}");
        }
    }
}

#[test]
fn a_run_of_many_steps_is_folded() {
    let mut script = Script::default();
    let cell = script.object("atomic", 0);
    let own = script.object("atomic", 0);
    for _ in 0..10_000 {
        script.load(1, own);
    }
    script.load(0, cell);
    script.load(1, cell);
    script.panics(0, "gone");
    let text = report_on(&script, &WIDE);
    check_shape(&text, &WIDE);
    assert!(text.contains("steps"), "{text}");
}
