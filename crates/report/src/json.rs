//! The record as JSON, as published in `docs/schema/`.
//!
//! What scripts rely on: the keys are never renamed or removed within one `schema` number; more may be added.

mod file;

pub(crate) use file::{Estimate as EstimateFile, Finding as FindingObject};

use raddle_detect::{Access, Block, Detail, Spot, Waiter};
use raddle_explore::{Doubt, Estimate, Limit, Verdict};
use raddle_trace::{Place, ThreadId};

use crate::calls::Entered;
use crate::finding::words_of;
use crate::passing::Beside;
use crate::story::{StoryStep, plain_story, story};
use crate::words::Words;
use crate::{Counted, Fate, FindingRecord, Line, Passing, Record, Style, Tree, ending, passing};

/// The version of the format.
pub(crate) const SCHEMA: u32 = 1;

/// More prefixes of what was tried are not written; the page has them.
const MOST_PREFIXES: usize = 500;

/// The record as one JSON document, without the steps of its findings.
#[must_use]
pub fn json(record: &Record) -> String {
    text(&check(record))
}

/// One finding with every step, as one JSON document.
#[must_use]
pub fn finding_json(record: &Record, finding: &FindingRecord) -> String {
    text(&file::FindingFile {
        schema: SCHEMA,
        program: record.program.clone(),
        strategy: record.strategy.to_string(),
        finding: self::finding(finding, Steps::All),
    })
}

fn text(value: &impl serde::Serialize) -> String {
    // Only maps with keys that are no strings, and failing implementations, cannot be written; there are none here.
    let text =
        serde_json::to_string_pretty(value).expect("bug in raddle: a record cannot be written as JSON");
    text + "\n"
}

fn check(record: &Record) -> file::Check {
    let reached = &record.reached;
    file::Check {
        schema: SCHEMA,
        program: record.program.clone(),
        strategy: record.strategy.to_string(),
        verdict: record.verdict.word(),
        runs: reached.runs,
        blocked: reached.blocked,
        guided_runs: (reached.beside > 0).then_some(reached.beside),
        steps: reached.steps,
        threads: reached.threads,
        longest: reached.longest,
        seconds: finite(record.seconds),
        workers: record.workers,
        isolation: record.isolation.as_ref().map(|kept| kept.how),
        isolation_reason: record.isolation.as_ref().map(|kept| kept.why.clone()),
        finished: reached.finished,
        weaker_orders: reached.weaker_orders,
        assumed_waiting: reached.cut_short.or(reached.assumed_waiting).and_then(at),
        limit: match record.verdict {
            Verdict::Stopped(reached) => Some(limit(reached)),
            _ => reached.limit.map(limit),
        },
        estimate: reached.estimate.map(estimate),
        doubt: reached.doubt.as_ref().map(doubt),
        uncontrolled: record
            .uncontrolled
            .iter()
            .map(|call| file::Uncontrolled { name: call.name.clone(), at: at(call.place), runs: call.runs })
            .collect(),
        model: record.model.map(|model| file::Model {
            places: model.places,
            transitions: model.transitions,
            events: model.events,
            conditions: model.conditions,
            terminals: model.terminals,
            markings: model.markings,
        }),
        no_model: reached.beyond.map(crate::beyond),
        coverage: record.coverage.as_ref().map(|coverage| file::Coverage {
            pairs: coverage.pairs,
            new_per_100_runs: finite(coverage.new_per_100_runs),
            one_sided: coverage.one_sided.iter().map(one_sided).collect(),
            growth: coverage.growth.clone(),
        }),
        explored: record.tree.as_ref().map(explored),
        command: record.command.clone(),
        findings: record.findings.iter().map(|found| finding(found, Steps::None)).collect(),
    }
}

/// A finding as it stands in the record: without its steps.
pub(crate) fn brief(found: &FindingRecord) -> FindingObject {
    finding(found, Steps::None)
}

pub(crate) fn estimate(estimate: Estimate) -> EstimateFile {
    file::Estimate {
        done: finite(estimate.done),
        total_runs: finite(estimate.total_runs),
        uncertainty: finite(estimate.uncertainty),
    }
}

/// The first levels of what was tried, as many as fit.
fn explored(tree: &Tree) -> file::Explored {
    let mut depths: Vec<usize> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        depths.push(node.parent.and_then(|parent| depths.get(parent)).map_or(0, |depth| depth + 1));
    }
    let within = |depth: usize| depths.iter().filter(|own| **own <= depth).count();
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let depth = (0..=deepest).rev().find(|depth| within(*depth) <= MOST_PREFIXES).unwrap_or(0);
    let mut numbers = vec![None; tree.nodes.len()];
    let mut prefixes = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate().filter(|(index, _)| depths[*index] <= depth) {
        numbers[index] = Some(prefixes.len());
        let parent = node.parent.and_then(|parent| numbers.get(parent).copied().flatten());
        prefixes.push(file::Prefix {
            parent,
            step: node.step.clone(),
            fate: fate(node.fate),
            runs: node.runs,
        });
    }
    let left_out = tree.left_out + (tree.nodes.len() - prefixes.len()) as u64;
    file::Explored { levels: depth as u64, left_out, prefixes }
}

/// The word for what became of a prefix.
fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Explored => "explored",
        Fate::Found => "found",
        Fate::Asleep => "asleep",
        Fate::BeyondBound => "beyond-bound",
        Fate::Equivalent => "equivalent",
        Fate::Covered => "covered",
        Fate::NotDrawn => "not-drawn",
        Fate::Waiting => "waiting",
    }
}

fn one_sided((first, second): &(Line, Line)) -> file::OneSided {
    let at =
        |line: &Line| file::At { file: line.file.clone(), line: line.line, column: None, function: None };
    file::OneSided { first: at(first), second: at(second), aim: Line::aim(second, first) }
}

/// JSON has no word for what is not a number.
fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

fn limit(limit: Limit) -> file::Limit {
    match limit {
        Limit::Runs(runs) => file::Limit { kind: "runs", at: runs as f64 },
        Limit::Interrupted(runs) => file::Limit { kind: "interrupted", at: runs as f64 },
        Limit::Time(time) => file::Limit { kind: "seconds", at: time.as_secs_f64() },
        Limit::Rounds => file::Limit { kind: "rounds", at: 0.0 },
        Limit::Steps(steps) => file::Limit { kind: "steps", at: steps as f64 },
        Limit::Threads(threads) => file::Limit { kind: "threads", at: threads as f64 },
        Limit::RunTime(time) => file::Limit { kind: "run-seconds", at: time.as_secs_f64() },
    }
}

fn doubt(doubt: &Doubt) -> file::Doubt {
    match doubt {
        Doubt::NotDeterministic { event, before, now, place } => file::Doubt {
            kind: "not-deterministic",
            step: *event,
            before: before.clone(),
            now: now.clone(),
            at: at(*place),
        },
        Doubt::Uncontrolled { name, place } => file::Doubt {
            kind: "uncontrolled",
            step: 0,
            before: String::new(),
            now: name.clone(),
            at: at(*place),
        },
        Doubt::Lost { how } => {
            file::Doubt { kind: "lost", step: 0, before: String::new(), now: how.clone(), at: None }
        }
    }
}

fn at(place: Place) -> Option<file::At> {
    Some(file::At {
        file: place.file()?.to_owned(),
        line: place.line()?,
        column: place.column(),
        function: place.function().map(str::to_owned),
    })
}

/// Whether the steps of a finding are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    All,
    None,
}

fn finding(found: &FindingRecord, steps: Steps) -> file::Finding {
    let style = Style::default();
    let view = found.view();
    let words = words_of(&view, &style);
    let fact = &found.fact;
    let mut written = file::Finding {
        id: found.id.clone(),
        kind: fact.kind.word(),
        message: message(found, &words),
        run: found.found_in_run,
        at: at(fact.place),
        schedule: found.schedule.clone(),
        replay: found.replay.clone(),
        headline: ending::sentence(fact, &words),
        thread: fact.thread.index(),
        steps: found.fact.length(&found.run),
        preemptions: found.preemptions,
        found_steps: found.found_steps,
        found_preemptions: found.found_preemptions,
        threads: threads(found, &words),
        notes: found.notes.clone(),
        met: found.met.map(|met| file::Met {
            times: met.times,
            of: met.of,
            what: match met.what {
                Counted::Traces => "traces",
                Counted::Runs => "runs",
            },
            finished: met.finished,
        }),
        passing: found.passing.as_ref().map(|passing| self::passing(found, passing, &words, steps)),
        race: None,
        deadlock: None,
        memory: None,
        trace: (steps == Steps::All).then(|| trace(&words, &story(&words, &found.fact))),
    };
    match &fact.detail {
        Detail::None => {}
        Detail::Race { object, first, second } => {
            written.race = Some(file::Race {
                object: words.object(*object).to_owned(),
                first: access(first, &words),
                second: access(second, &words),
            });
        }
        Detail::Deadlock { waiters, cycle } => {
            written.deadlock = Some(file::Deadlock {
                waiters: waiters.iter().map(|waiter| self::waiter(waiter, &words)).collect(),
                cycle: cycle.iter().map(|thread| thread.index()).collect(),
            });
        }
        Detail::Memory(block) => written.memory = Some(memory(block)),
    }
    written
}

fn passing(found: &FindingRecord, passing: &Passing, words: &Words<'_>, steps: Steps) -> file::Passing {
    let beside = passing.run.as_ref().map(|run| Beside::new(words, &found.fact, run, words.style));
    let trace = beside.as_ref().filter(|_| steps == Steps::All);
    file::Passing {
        tried: passing.tried,
        parts_at: beside.as_ref().map(|beside| beside.parts + 1),
        goes_on_at: beside.as_ref().map(|beside| beside.goes_on + 1),
        text: passing::sentence(words, &found.fact, Some(passing)).unwrap_or_default(),
        trace: trace.map(|beside| self::trace(&beside.words, &plain_story(&beside.words))),
    }
}

/// The program's own words; the condition alone for an assertion; our sentence where the program has none.
fn message(found: &FindingRecord, words: &Words<'_>) -> String {
    let message = &found.fact.message;
    match ending::condition(message.lines().next().unwrap_or_default()) {
        Some(condition) => condition.to_owned(),
        None if message.is_empty() => ending::sentence(&found.fact, words),
        None => message.clone(),
    }
}

fn threads(found: &FindingRecord, words: &Words<'_>) -> Vec<file::Thread> {
    let count = found.run.events.iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
    let count = count.max(found.run.thread_names.len().min(raddle_trace::limits::MAX_THREADS));
    (0..count)
        .map(ThreadId::new)
        .map(|thread| file::Thread {
            number: thread.index(),
            label: words.thread(thread),
            name: found.run.thread_names.get(thread.index()).cloned().flatten(),
        })
        .collect()
}

fn trace(words: &Words<'_>, steps: &[StoryStep]) -> Vec<file::Step> {
    // Without sources: in Rust only they tell of calls, and whoever reads this has them.
    let entered = Entered::of(words, &|_| None);
    steps.iter().enumerate().map(|(index, each)| step(each, entered.stack(index))).collect()
}

fn step(step: &StoryStep, calls: Vec<String>) -> file::Step {
    file::Step {
        step: step.number,
        thread: step.thread.index(),
        text: step.text.clone(),
        at: at(step.place),
        preempts: step.preempts,
        comment: step.comment.clone(),
        change: step.change.as_ref().map(|change| file::Change {
            what: change.what.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        }),
        holds: step.holds.clone(),
        after: step.after.clone(),
        switch: step.switch.clone(),
        calls,
    }
}

fn access(access: &Access, words: &Words<'_>) -> file::Access {
    file::Access {
        thread: access.thread.index(),
        step: access.event + 1,
        writes: access.writes,
        at: at(access.place),
        holding: access.holding.iter().map(|lock| words.object(*lock).to_owned()).collect(),
    }
}

fn waiter(waiter: &Waiter, words: &Words<'_>) -> file::Waiter {
    let holds = waiter.holds.iter().map(|(object, since, place)| file::Held {
        object: words.object(*object).to_owned(),
        since: *since as usize + 1,
        at: at(*place),
    });
    file::Waiter {
        thread: waiter.thread.index(),
        wants: ending::wants(waiter, words),
        at: at(waiter.place),
        by: waiter.by.map(ThreadId::index),
        holds: holds.collect(),
    }
}

fn memory(block: &Block) -> file::Memory {
    let spot = |spot: &Spot| file::Spot {
        thread: spot.thread.index(),
        after_step: spot.events_before,
        at: at(spot.place),
        stack: spot.stack.iter().filter_map(|place| at(*place)).collect(),
    };
    file::Memory {
        size: block.size,
        offset: block.offset,
        touched: block.touched,
        writes: block.writes,
        allocated: block.allocated.as_ref().map(spot),
        freed: block.freed.as_ref().map(spot),
    }
}
