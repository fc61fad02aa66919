//! Records to try every format on.

use std::time::Duration;

use raddle_detect::{Block, Spot, judge};
use raddle_explore::{Doubt, Estimate, Limit, Reached, StrategyName, Verdict};
use raddle_trace::{Ending, Failure, Kind, Place, Site, ThreadId};

use super::*;
use crate::{Coverage, FindingRecord, Passing, PassingRun, Record, Uncontrolled};

/// Everything that a format must not take for its own.
pub(super) const EVIL: &str =
    "</script><img src=x onerror=alert(1)>\u{202e}\0\x1b[2J]]>\n\"'`--&amp;%0A::error|$(x)\u{2028}日本";

pub(super) fn found(script: &Script, id: &str) -> FindingRecord {
    FindingRecord {
        fact: judge(&script.run).expect("the run shows something"),
        run: script.run.clone(),
        names: Vec::new(),
        id: id.to_owned(),
        found_in_run: 4,
        found_steps: 21,
        found_preemptions: 3,
        preemptions: script.run.events.iter().filter(|event| event.preempts).count(),
        replay: format!("raddle replay {id}"),
        schedule: Some(format!("raddle-out/findings/{id}/schedule.txt")),
        page: None,
        notes: Vec::new(),
        met: None,
        passing: None,
    }
}

/// The finding with a run beside it that takes the same steps in another order, with these values, and passes.
pub(super) fn beside(found: FindingRecord, order: &[usize], values: &[(usize, i64)]) -> FindingRecord {
    let mut run = found.run.clone();
    (run.ending, run.trouble) = (Ending::Finished, None);
    run.blocked.clear();
    run.held.clear();
    run.events = order.iter().map(|index| found.run.events[*index]).collect();
    for (index, value) in values {
        run.events[*index].value = *value;
    }
    for event in &mut run.events {
        event.preempts = false;
    }
    let run = Some(PassingRun { run, names: found.names.clone() });
    FindingRecord { passing: Some(Passing { run, tried: 3 }), ..found }
}

/// The lost withdrawal beside a run in which nobody comes in between.
pub(super) fn bank_beside() -> FindingRecord {
    let order = [0, 1, 2, 3, 4, 8, 9, 5, 6, 7, 10, 11, 12];
    beside(found(&bank::script(), "k3f7"), &order, &[(7, 70), (8, 30), (12, 30)])
}

/// A race that no run was found without.
pub(super) fn race_alone() -> FindingRecord {
    let passing = Some(Passing { run: None, tried: 7 });
    FindingRecord { passing, ..found(&teller::script(), "m2c8") }
}

pub(super) fn reached() -> Reached {
    Reached {
        runs: 1_204,
        blocked: 3,
        steps: 51_234,
        longest: 61,
        threads: 4,
        finished: true,
        ..Reached::default()
    }
}

/// A failed search with these findings.
pub(super) fn failed(program: &str, findings: Vec<FindingRecord>) -> Record {
    let mut record = Record::new(program, StrategyName::OptimalDpor, Verdict::Failed, reached());
    record.seconds = 3.1;
    record.findings = findings;
    record
}

fn site(function: &'static str, line: u32) -> Place {
    Place::Site(Box::leak(Box::new(Site { file: "src/queue.c", function, line, column: 5, context: 0 })))
}

/// One thread gives a block back that another still uses.
pub(super) fn freed() -> Script {
    let mut script = Script::with_threads(&[None, Some("consumer")]);
    let head = script.object("atomic", 0);
    script.run.objects[0].name = Some("queue.head");
    script.thread(0, Kind::Create, 1);
    script.load(1, head);
    script.preempt();
    script.store(0, head, 7);
    let at = [("main", 31), ("consume", 12), ("produce", 22)];
    for (event, (function, line)) in script.run.events.iter_mut().zip(at) {
        event.place = site(function, line);
    }
    script.panics(1, "use after free");
    script.run.ending = Ending::Failed(Failure::UseAfterFree);
    let spot = |thread, events_before, function, line, stack| Spot {
        thread: ThreadId::new(thread),
        events_before,
        place: site(function, line),
        stack,
    };
    let trouble = script.run.trouble.as_mut().expect("it has just been written");
    trouble.place = site("consume", 14);
    trouble.block = Some(Block {
        size: 24,
        offset: 8,
        touched: 4,
        writes: false,
        allocated: Some(spot(0, 0, "node_new", 5, vec![site("main", 30)])),
        freed: Some(spot(0, 3, "produce", 23, Vec::new())),
    });
    script
}

/// Names, messages and paths that want to be taken for something else.
pub(super) fn hostile() -> Record {
    let mut script = Script::with_threads(&[Some(EVIL), Some(EVIL), None]);
    let cell = script.object("atomic", 0);
    script.run.objects[0].name = Some(EVIL);
    script.thread(0, Kind::Create, 1);
    script.store(1, cell, 5);
    script.preempt();
    script.load(0, cell);
    let place = Place::Site(Box::leak(Box::new(Site {
        file: EVIL,
        function: EVIL,
        line: 3,
        column: 400,
        context: 0,
    })));
    script.run.events.iter_mut().for_each(|event| event.place = place);
    script.panics(0, &format!("assertion failed: {EVIL}"));
    script.run.trouble.as_mut().expect("it has just been written").place = place;
    let mut finding = beside(found(&script, EVIL), &[0, 2, 1], &[]);
    finding.replay = EVIL.to_owned();
    finding.schedule = Some(EVIL.to_owned());
    finding.notes = vec![EVIL.to_owned()];
    let mut record = failed(EVIL, vec![finding]);
    record.command = Some(EVIL.to_owned());
    record.uncontrolled = vec![Uncontrolled { name: EVIL.to_owned(), place, runs: 3 }];
    record
}

/// A search that a limit stopped, with everything that only some strategies know.
pub(super) fn stopped() -> Record {
    let limit = Limit::Time(Duration::from_secs(600));
    let estimate = Estimate { done: 0.18, total_runs: 6_700.0, uncertainty: 0.4 };
    let reached = Reached { finished: false, limit: Some(limit), estimate: Some(estimate), ..reached() };
    let mut record = Record::new("server.c", StrategyName::OptimalDpor, Verdict::Stopped(limit), reached);
    let line = |line| crate::Line { file: EVIL.to_owned(), line };
    record.coverage = Some(Coverage {
        pairs: 1_310,
        new_per_100_runs: 1.2,
        one_sided: vec![(line(12), line(30)), (line(30), line(44))],
        growth: vec![(1, 80), (10, 400), (100, 900), (1_000, 1_300), (1_204, 1_310)],
    });
    record.model = Some(crate::ModelSizes { places: 40, transitions: 31, events: 90, ..Default::default() });
    record
}

pub(super) fn untrusted() -> Record {
    let doubt = Doubt::NotDeterministic {
        event: 7,
        before: "T1 Lock at pool.c:88".to_owned(),
        now: "T1 Unlock at pool.c:90".to_owned(),
        place: Place::Unknown,
    };
    let reached = Reached { doubt: Some(doubt.clone()), ..reached() };
    let mut record = Record::new("pool.c", StrategyName::OptimalDpor, Verdict::Untrusted(doubt), reached);
    record.uncontrolled = vec![
        Uncontrolled { name: "getrandom".to_owned(), place: site("seed", 12), runs: 1_204 },
        Uncontrolled { name: "pthread_cancel".to_owned(), place: Place::Unknown, runs: 31 },
    ];
    record
}

/// One record of each sort.
pub(super) fn all() -> Vec<Record> {
    let mut dining = Script::with_threads(&[None, Some("philosopher"), None]);
    dining::dine(&mut dining);
    let passed = Record::new("buffer.c", StrategyName::OptimalDpor, Verdict::Exhausted, reached());
    vec![
        failed("bank.c", vec![bank_beside(), race_alone()]),
        failed("dine.c", vec![found(&dining, "p9d2")]),
        failed("queue.c", vec![found(&freed(), "u4f3")]),
        passed,
        stopped(),
        untrusted(),
        hostile(),
    ]
}
