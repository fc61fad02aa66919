//! What a search says at its end.

use raddle_explore::{Doubt, Guarantee, Limit, Reached, StrategyName, Verdict};
use raddle_trace::Place;

use crate::sanitise::sanitise;
use crate::text::{
    INDENT, clip, clip_start, count, grouped, headline, keyed, keyed_as_is, pad, pad_start, roughly, seconds,
    width,
};
use crate::{Coverage, Line, Style, Uncontrolled};

/// A search that has come to its end.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// The program.
    pub program: &'a str,
    /// How it was searched.
    pub strategy: StrategyName,
    /// What may be claimed.
    pub verdict: &'a Verdict,
    /// How far the search came.
    pub reached: &'a Reached,
    /// How long it took.
    pub seconds: f64,
    /// How many workers searched.
    pub workers: usize,
    /// What the program did that is not under control.
    pub uncontrolled: &'a [Uncontrolled],
    /// How the program is checked.
    pub face: Face,
    /// The command that goes on where the search stopped, if it can.
    pub resume: Option<&'a str>,
    /// How many findings there are.
    pub findings: usize,
    /// The folder in which the record of the check is kept.
    pub record: Option<&'a str>,
}

/// How a program is checked, and so what settings are called and what is under control.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Face {
    /// A Rust closure, by the library.
    #[default]
    Rust,
    /// A compiled program, by the command.
    Command,
}

impl Face {
    /// The name of a setting.
    fn setting(self, name: &str) -> String {
        match self {
            Face::Rust => name.replace('-', "_"),
            Face::Command => format!("--{name}"),
        }
    }

    /// What there is to say about a loop that was taken for waiting.
    fn about_waiting(self) -> &'static str {
        match self {
            Face::Rust => "what it may change under its lock is not seen",
            Face::Command => "that its wait is notified after several have given up was not tried",
        }
    }
}

/// More calls that are not under control are not listed.
const MOST_CALLS: usize = 5;
/// A passing check prints no more than this.
const MOST_LINES: usize = 10;

/// The end of a search as text: verdict, scope, what is outside, what to do next.
#[must_use]
pub fn summary(summary: &Summary<'_>, style: &Style) -> String {
    let text = Text { summary, style };
    let mut lines = text.first_lines();
    lines.extend(text.scope());
    lines.extend(text.next());
    lines.extend(text.record());
    // On a narrow screen the same takes more lines.
    if style.columns() >= 80 {
        lines.truncate(MOST_LINES);
    }
    lines.join("\n") + "\n"
}

struct Text<'a> {
    summary: &'a Summary<'a>,
    style: &'a Style,
}

impl Text<'_> {
    fn keyed(&self, key: &str, text: &str) -> Vec<String> {
        keyed(key, text, self.style.columns())
    }

    fn dotted(&self, parts: &[String]) -> String {
        parts.join(&format!(" {} ", self.style.symbols().dot))
    }

    fn first_lines(&self) -> Vec<String> {
        let (word, sentence) = self.verdict();
        let reached = self.summary.reached;
        let program = clip_start(&sanitise(self.summary.program, self.style), 30, self.style.symbols().cut);
        let mut lines = headline(word, &sentence, &program, self.style.columns());
        let mut parts = vec![count(reached.runs, "run")];
        if reached.blocked > 0 {
            parts.push(format!("{} cut short", grouped(reached.blocked)));
        }
        parts.push(self.strategy());
        parts.push(count(reached.threads as u64, "thread"));
        // What stops at a finding is no measure.
        if !matches!(self.summary.verdict, Verdict::Failed) {
            parts.push(format!("longest {}", count(reached.longest as u64, "step")));
        }
        if self.summary.workers > 1 {
            parts.push(count(self.summary.workers as u64, "worker"));
        }
        parts.push(seconds(self.summary.seconds));
        lines.extend(self.keyed("explored", &self.dotted(&parts)));
        if let Some(covered) = reached.covered.as_ref().filter(|_| self.measures_coverage()) {
            let one_sided = covered.sets.one_sided().len() as u64;
            let last = count(covered.growth.runs().min(100), "run");
            let parts = [
                format!("{} of statements", count(covered.sets.len() as u64, "ordered pair")),
                format!("{} new in the last {last}", grouped(covered.growth.last_hundred())),
                format!("{} seen one way only", grouped(one_sided)),
            ];
            lines.extend(self.keyed("covered", &self.dotted(&parts)));
        }
        lines
    }

    /// Whether pairs of statements say something: not where everything was covered, or the search ended at a finding.
    fn measures_coverage(&self) -> bool {
        let guided = self.summary.strategy == StrategyName::HapSet;
        guided || matches!(self.summary.verdict, Verdict::Sampled(_) | Verdict::Stopped(_))
    }

    /// How it was searched; of a search that did two things, how much of each.
    fn strategy(&self) -> String {
        let reached = self.summary.reached;
        let used = |strategy: StrategyName| {
            if self.summary.workers > 1 { strategy.of_workers() } else { strategy }
        };
        let asked = self.summary.strategy;
        let name = match used(asked) {
            used if used != asked => format!("{used} in place of {asked}"),
            used => used.to_string(),
        };
        let complete = used(StrategyName::OptimalDpor);
        match reached.beside {
            0 if self.summary.strategy == StrategyName::Auto => format!("{name}: {complete} alone"),
            0 => name,
            beside if self.counts_apart() => {
                format!("{name}: {complete}, and {} beside", count(beside, "guided run"))
            }
            beside => {
                let rest = reached.runs.saturating_sub(beside);
                format!("{name}: {} by {complete}, {} guided", grouped(rest), grouped(beside))
            }
        }
    }

    /// Whether guided runs are not among the runs: the complete search came to its end and would have claimed the same
    /// without them.
    fn counts_apart(&self) -> bool {
        let reached = self.summary.reached;
        let complete = reached.guarantee.is_some_and(|guarantee| guarantee != Guarantee::Sample);
        match self.summary.verdict {
            Verdict::Exhausted => true,
            // It ended as well, although nothing may be claimed.
            Verdict::Untrusted(Doubt::Uncontrolled { .. }) => reached.finished && complete,
            _ => false,
        }
    }

    /// All runs that were made.
    fn all_runs(&self) -> u64 {
        let reached = self.summary.reached;
        reached.runs + if self.counts_apart() { reached.beside } else { 0 }
    }

    /// An order that was never seen, and how to look for it.
    fn unseen(&self) -> Option<String> {
        let covered = self.summary.reached.covered.as_ref()?;
        let pairs = Coverage::of(covered).one_sided;
        let (first, second) = pairs.iter().find(|(first, second)| first != second)?;
        let aim = sanitise(&Line::aim(second, first), self.style);
        Some(format!(
            "{} {aim} looks for an order of two lines that was never seen",
            self.summary.face.setting("aim")
        ))
    }

    /// The word and the sentence that goes with it.
    fn verdict(&self) -> (&'static str, String) {
        let is_conditional = self.summary.reached.assumed_waiting.is_some();
        match self.summary.verdict {
            Verdict::Exhausted if is_conditional => {
                ("PASS", "no problem found; all covered if one loop only waits".to_owned())
            }
            Verdict::Exhausted => ("PASS", "no problem found, and every interleaving was covered".to_owned()),
            Verdict::ExhaustedWithin(bound) => {
                let bound = count(u64::from(*bound), "pre-emption");
                let claim = match is_conditional {
                    true => "; all covered if one loop only waits",
                    false => ", and all of that was covered",
                };
                ("PASS", format!("no problem found with up to {bound}{claim}"))
            }
            Verdict::Sampled(runs) => {
                ("PASS", format!("no problem found in {}", count(*runs, "sampled run")))
            }
            Verdict::Stopped(limit) => {
                ("INCOMPLETE", format!("no problem found so far; {}", stopped_by(*limit, self.summary.face)))
            }
            Verdict::Failed => {
                let (findings, runs) = (self.summary.findings.max(1), self.summary.reached.runs);
                ("FAIL", format!("{} in {}", count(findings as u64, "finding"), count(runs, "run")))
            }
            Verdict::Untrusted(Doubt::NotDeterministic { event, .. }) => (
                "UNTRUSTED",
                format!("no claim: with the same schedule the program did something else at step {event}"),
            ),
            Verdict::Untrusted(Doubt::Uncontrolled { .. }) => {
                ("UNTRUSTED", "no claim: the program does things that raddle does not control".to_owned())
            }
            Verdict::Untrusted(Doubt::Lost { how }) => {
                ("UNTRUSTED", format!("no claim: the search was lost, {}", sanitise(how, self.style)))
            }
        }
    }

    fn scope(&self) -> Vec<String> {
        let schedules = match self.summary.verdict {
            Verdict::Exhausted => "all schedules".to_owned(),
            Verdict::ExhaustedWithin(bound) => {
                format!("all schedules with up to {}", count(u64::from(*bound), "pre-emption"))
            }
            Verdict::Sampled(_) => {
                "a sample of the schedules, which proves nothing about the others".to_owned()
            }
            Verdict::Stopped(limit) => self.part(*limit),
            Verdict::Failed => return Vec::new(),
            Verdict::Untrusted(doubt) => return self.doubt(doubt),
        };
        let too_long = self
            .summary
            .reached
            .too_long
            .filter(|_| matches!(self.summary.verdict, Verdict::Stopped(Limit::Steps(_))));
        let parts = [schedules, "these inputs".to_owned(), self.memory().to_owned()];
        let mut lines = self.keyed("scope", &self.dotted(&parts));
        lines.extend(self.keyed("outside", self.outside()));
        if let Some((thread, place)) = too_long {
            let place =
                if place == Place::Unknown { String::new() } else { format!(", {}", self.place(place)) };
            lines.extend(self.keyed("last step", &format!("by {thread}{place}")));
        }
        if let (Verdict::Exhausted | Verdict::ExhaustedWithin(_), Some(place)) =
            (self.summary.verdict, self.summary.reached.assumed_waiting)
        {
            let place = self.place(place);
            lines.extend(self.keyed(
                "note",
                &format!("the loop at {place} was taken for waiting; {}", self.summary.face.about_waiting()),
            ));
        }
        lines
    }

    fn memory(&self) -> &'static str {
        match (self.summary.reached.weaker_orders, self.summary.face) {
            (false, Face::Rust) => "sequential consistency (no weaker order was used)",
            _ => "sequential consistency",
        }
    }

    fn outside(&self) -> &'static str {
        match (self.summary.reached.weaker_orders, self.summary.face) {
            (true, _) => {
                "weak memory: orders weaker than SeqCst were asked for, and treated as SeqCst; other inputs"
            }
            (false, Face::Rust) => "other inputs, and what does not go through raddle::*",
            (false, Face::Command) => "weak memory, signals, other inputs (why: raddle explain scope)",
        }
    }

    /// How much of the whole a stopped search has seen.
    fn part(&self, limit: Limit) -> String {
        let runs = self.summary.reached.runs;
        match (limit, self.summary.reached.estimate) {
            (Limit::Steps(most), _) => {
                format!("the first {} of each run; what comes later is not known", count(most as u64, "step"))
            }
            (Limit::Rounds, _) => match self.summary.reached.cut_short {
                Some(place) => {
                    format!("all schedules with the first rounds of the loop at {}", self.place(place))
                }
                None => "all schedules with the first rounds of a loop".to_owned(),
            },
            (Limit::Threads(most), _) => format!("runs with up to {}", count(most as u64, "thread")),
            (_, Some(estimate)) => format!(
                "{} of ~{} runs, about {} % ({} {} %)",
                grouped(runs),
                roughly(estimate.total_runs),
                percent(estimate.done),
                self.style.symbols().plus_minus,
                percent(estimate.uncertainty),
            ),
            (_, None) => format!("{}, of how many is not known", count(runs, "run")),
        }
    }

    fn doubt(&self, doubt: &Doubt) -> Vec<String> {
        let line = |key, text: &str| {
            let room = self.style.columns() - INDENT;
            self.keyed(key, &clip(&sanitise(text, self.style), room, self.style.symbols().cut))
        };
        let (before, now, place) = match doubt {
            Doubt::NotDeterministic { before, now, place, .. } => (before, now, place),
            Doubt::Uncontrolled { .. } if !self.summary.uncontrolled.is_empty() => {
                return self.uncontrolled();
            }
            Doubt::Uncontrolled { name, place: Place::Unknown } => return line("uses", name),
            Doubt::Uncontrolled { name, place } => return line("uses", &format!("{name}, {place}")),
            Doubt::Lost { .. } => return Vec::new(),
        };
        let mut lines = line("before", before);
        lines.extend(line("now", now));
        if *place != Place::Unknown && !now.contains(&place.to_string()) {
            lines.extend(line("at", &place.to_string()));
        }
        lines
    }

    /// Each call that is not under control, with its place and how often it was made.
    fn uncontrolled(&self) -> Vec<String> {
        let cut = self.style.symbols().cut;
        let calls: Vec<[String; 3]> =
            self.summary.uncontrolled.iter().take(MOST_CALLS).map(|call| self.call(call)).collect();
        let widest = |column: usize| calls.iter().map(|call| width(&call[column])).max().unwrap_or(0);
        // A name says most at its beginning, a place and the path of an object file at their end.
        let runs = widest(2);
        let room = (self.style.columns() - INDENT).saturating_sub(runs + 4);
        let names = widest(0).min(room - widest(1).min(room * 3 / 5));
        let places = widest(1).min(room - names);
        let row = |call: &[String; 3]| {
            let [name, place, runs] = call;
            let name = if place.is_empty() { clip_start(name, names, cut) } else { clip(name, names, cut) };
            format!("{}  {}  {runs}", pad(&name, names), pad(&clip_start(place, places, cut), places))
        };
        let mut rows: Vec<String> = calls.iter().map(row).collect();
        let more = self.summary.uncontrolled.len().saturating_sub(MOST_CALLS);
        if more > 0 {
            rows.push(format!("{cut} {more} more"));
        }
        let key = |number: usize| pad_start(if number == 0 { "uses" } else { "" }, INDENT - 2);
        rows.iter().enumerate().map(|(number, row)| format!("{}  {row}", key(number))).collect()
    }

    /// The name of a call, its place if it is known, and how often it was made.
    fn call(&self, call: &Uncontrolled) -> [String; 3] {
        let place = if call.place == Place::Unknown { String::new() } else { self.place(call.place) };
        let most = self.summary.uncontrolled.iter().map(|call| call.runs).max().unwrap_or(0);
        let times = pad_start(&grouped(call.runs), width(&grouped(most)));
        let runs = format!("in {times} of {}", count(self.all_runs(), "run"));
        [sanitise(&call.name, self.style), place, runs]
    }

    fn place(&self, place: Place) -> String {
        sanitise(&place.to_string(), self.style)
    }

    fn next(&self) -> Vec<String> {
        let face = self.summary.face;
        let raise = |name: &str| {
            format!("raise {}, or make the test smaller: fewer threads or steps", face.setting(name))
        };
        let advice = match self.summary.verdict {
            Verdict::Exhausted | Verdict::Failed => return Vec::new(),
            Verdict::ExhaustedWithin(_) => {
                "a larger bound, or the strategy optimal-dpor, which covers everything".to_owned()
            }
            Verdict::Sampled(_) => {
                let more = "more runs, or the strategy optimal-dpor, which covers everything if it ends";
                let mut lines = self.go_on();
                lines.extend(self.keyed("next", more));
                lines.extend(self.unseen().map(|aim| self.keyed("or", &aim)).unwrap_or_default());
                return lines;
            }
            Verdict::Stopped(Limit::Interrupted(_)) if self.summary.resume.is_some() => return self.go_on(),
            Verdict::Stopped(Limit::Interrupted(_)) => {
                format!("a limit such as {} 1m ends a search by itself", face.setting("max-time"))
            }
            Verdict::Stopped(Limit::Runs(_)) => raise("max-runs"),
            Verdict::Stopped(Limit::Time(_)) => raise("max-time"),
            Verdict::Stopped(Limit::Steps(_)) => {
                format!("look for a loop that does not end, or raise {}", face.setting("max-steps"))
            }
            Verdict::Stopped(Limit::RunTime(_)) => raise("max-run-time"),
            Verdict::Stopped(Limit::Rounds) => {
                "let the loop do the same in every round while it waits, or give it few rounds".to_owned()
            }
            Verdict::Stopped(Limit::Threads(_)) => "make the test smaller: fewer threads".to_owned(),
            Verdict::Untrusted(Doubt::NotDeterministic { .. }) => match face {
                Face::Rust => CONTROL_ADVICE.to_owned(),
                Face::Command => NATIVE_CONTROL_ADVICE.to_owned(),
            },
            Verdict::Untrusted(Doubt::Uncontrolled { .. }) if face == Face::Rust => OUTSIDE_ADVICE.to_owned(),
            Verdict::Untrusted(Doubt::Uncontrolled { .. }) => {
                "take it out of what is checked; `raddle explain limits` lists what is not controlled".to_owned()
            }
            Verdict::Untrusted(Doubt::Lost { .. }) => {
                "check again with --isolation fork, and with more memory if that was the reason (--max-memory)"
                    .to_owned()
            }
        };
        let mut lines = match self.summary.verdict {
            Verdict::Stopped(_) => self.go_on(),
            _ => Vec::new(),
        };
        lines.extend(self.keyed("next", &advice));
        if matches!(self.summary.verdict, Verdict::Stopped(_)) && face == Face::Command {
            lines.extend(self.keyed("accept", "--accept-incomplete makes the exit code 0 instead of 4"));
        }
        lines
    }

    /// Where more is to be seen; a finding says that itself.
    fn record(&self) -> Vec<String> {
        let folder = self.summary.record.filter(|_| !matches!(self.summary.verdict, Verdict::Failed));
        let Some(folder) = folder else { return Vec::new() };
        let folder = sanitise(folder, self.style);
        let both = format!("{}  view: raddle report --open", pad(&folder, 32));
        let fits = INDENT + width(&both) <= self.style.columns();
        vec![keyed_as_is("record", if fits { &both } else { &folder })]
    }

    /// How the search can go on where it stopped, or why it cannot.
    fn go_on(&self) -> Vec<String> {
        let Summary { strategy, workers, face, .. } = *self.summary;
        let why_not = match self.summary.resume {
            Some(command) => return self.keyed("continue", command),
            None if face == Face::Rust => return Vec::new(),
            None if workers > 1 => {
                "a search by several workers begins anew; by one (--workers 1) it can go on"
            }
            None if strategy.builds_model() => {
                "its model is not kept; optimal-dpor covers the same and can go on"
            }
            None => return Vec::new(),
        };
        self.keyed("continue", &format!("not possible: {why_not}"))
    }
}

/// What to do about a compiled program that is not under control.
const NATIVE_CONTROL_ADVICE: &str = "something differs from run to run: memory that was never written, a clock or a file \
    that raddle does not control, or a library that was not compiled by raddle cc; try --isolation fork";

/// What to do about a Rust program that uses something else than Raddle's mirrors.
const OUTSIDE_ADVICE: &str = "use raddle::thread and raddle::sync in all that is checked, in place of std::thread, std::sync \
    and of libraries that start threads or wait by themselves";

/// What to do about a program that is not under control.
const CONTROL_ADVICE: &str = "raddle controls only what goes through raddle::*: replace a real clock by raddle::time, the \
    random order of a HashMap by a BTreeMap, random numbers by raddle::choose, and a static that a run leaves changed by \
    a value made in the test";

pub(crate) fn stopped_by(limit: Limit, face: Face) -> String {
    match limit {
        Limit::Runs(runs) => format!("stopped by {} {}", face.setting("max-runs"), grouped(runs)),
        Limit::Interrupted(runs) => format!("interrupted after {}", count(runs, "run")),
        Limit::Time(time) => format!("stopped by {} {time:?}", face.setting("max-time")),
        Limit::Steps(steps) => {
            format!("a run was longer than {} {}", face.setting("max-steps"), grouped(steps as u64))
        }
        Limit::Rounds => "a loop that goes on changing was made to wait".to_owned(),
        Limit::Threads(threads) => format!("a run had more than {threads} threads"),
        Limit::RunTime(time) => {
            format!(
                "a run that made no step for {} {time:?} was given up, but it does end",
                face.setting("max-run-time")
            )
        }
    }
}

fn percent(part: f64) -> String {
    let percent = part * 100.0;
    if percent < 10.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}
