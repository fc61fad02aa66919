//! The record of one check: everything that any format says.
//!
//! Who checks (a Rust test, the command) fills in a record; terminal text, JSON, JUnit, SARIF, the page and the rest are
//! made from it alone, so they cannot disagree. It is data of the domain: what is written to disk has types of its own.

use raddle_coverage::Statement;
use raddle_detect::Finding;
use raddle_explore::{Covered, Guarantee, Reached, StrategyName, Verdict};
use raddle_trace::schedule::ThreadName;
use raddle_trace::{Place, Run};

use crate::{Face, FindingView, Summary, Tree};

/// One check, at its end.
#[derive(Clone, Debug)]
pub struct Record {
    /// What was checked.
    pub program: String,
    /// How it was searched.
    pub strategy: StrategyName,
    /// What may be claimed.
    pub verdict: Verdict,
    /// How far the search came: runs, steps, limits, doubts, estimate.
    pub reached: Reached,
    /// How the program is checked.
    pub face: Face,
    /// How long it took.
    pub seconds: f64,
    /// How many workers searched.
    pub workers: usize,
    /// How runs were kept apart, where there is more than one way.
    pub isolation: Option<Kept>,
    /// What was found.
    pub findings: Vec<FindingRecord>,
    /// What the program did that is not under control.
    pub uncontrolled: Vec<Uncontrolled>,
    /// The sizes of the net, if the strategy builds one.
    pub model: Option<ModelSizes>,
    /// What the runs covered, if that was measured.
    pub coverage: Option<Coverage>,
    /// What was tried and what was not, if that was kept.
    pub tree: Option<Tree>,
    /// The net and its unfolding, as far as they can be drawn.
    pub nets: Vec<Graph>,
    /// The command that makes the same check again.
    pub command: Option<String>,
    /// The command that goes on where the search stopped, if it can.
    pub resume: Option<String>,
    /// The folder in which the record itself is kept, for people to look at.
    pub kept_in: Option<String>,
}

/// How runs were kept apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// `inline` or `fork`.
    pub how: &'static str,
    /// Why, in a few words.
    pub why: String,
}

/// One finding with the run that shows it.
#[derive(Clone, Debug)]
pub struct FindingRecord {
    /// What is wrong.
    pub fact: Finding,
    /// The shrunk run that shows it, with the names of its objects and threads.
    pub run: Run,
    /// The places of the threads in the creation tree, by number.
    pub names: Vec<ThreadName>,
    /// The short name of the finding.
    pub id: String,
    /// The number of the run in which it was found.
    pub found_in_run: u64,
    /// How many steps that run had.
    pub found_steps: usize,
    /// How many pre-emptions that run had.
    pub found_preemptions: usize,
    /// How many pre-emptions are left.
    pub preemptions: usize,
    /// The command that replays it.
    pub replay: String,
    /// Where its schedule is stored.
    pub schedule: Option<String>,
    /// Where its page is stored.
    pub page: Option<String>,
    /// What else has to be said, in whole sentences.
    pub notes: Vec<String>,
    /// How often it was met, if the search went on after it.
    pub met: Option<Met>,
    /// A run that passes and begins like this one, if one was looked for.
    pub passing: Option<Passing>,
}

/// What looking for a run that passes arrived at.
#[derive(Clone, Debug)]
pub struct Passing {
    /// The run; none if no run that was tried passes.
    pub run: Option<PassingRun>,
    /// How many runs were tried.
    pub tried: u64,
}

/// A run that passes, with the names of its objects and threads.
#[derive(Clone, Debug)]
pub struct PassingRun {
    /// The run.
    pub run: Run,
    /// The places of the threads in the creation tree, by number.
    pub names: Vec<ThreadName>,
}

/// How often a finding was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Met {
    /// In how many.
    pub times: u64,
    /// Of how many.
    pub of: u64,
    /// Of what.
    pub what: Counted,
    /// Whether there was nothing left to try.
    pub finished: bool,
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Different traces, of all that there are.
    Traces,
    /// Runs that were made, which may have repeated each other.
    Runs,
}

impl Met {
    /// What may be said of a finding that was met in so many runs, and so many different traces if that is known.
    #[must_use]
    pub fn of(strategy: StrategyName, reached: &Reached, runs: u64, traces: Option<u64>) -> Met {
        let finished = reached.finished && reached.guarantee == Some(Guarantee::All);
        let each_once = matches!(strategy, StrategyName::OptimalDpor | StrategyName::Auto);
        // Without guided runs beside it, each run of such a search is a trace of its own.
        let traces = traces.or((reached.beside == 0).then_some(runs));
        match traces.filter(|_| finished && each_once) {
            Some(times) => Met {
                times,
                of: reached.runs.saturating_sub(reached.beside),
                what: Counted::Traces,
                finished,
            },
            None => Met { times: runs, of: reached.runs, what: Counted::Runs, finished: reached.finished },
        }
    }
}

/// A call that is not under control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uncontrolled {
    /// The function.
    pub name: String,
    /// Where it was called, if that is known.
    pub place: Place,
    /// In how many runs.
    pub runs: u64,
}

/// The sizes of a net and of its unfolding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModelSizes {
    /// Places of the net.
    pub places: u64,
    /// Transitions of the net.
    pub transitions: u64,
    /// Events of the unfolding.
    pub events: u64,
    /// Conditions of the unfolding.
    pub conditions: u64,
    /// Events at which the unfolding was cut.
    pub terminals: u64,
    /// Markings that were visited.
    pub markings: u64,
}

/// What the runs covered.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    /// Pairs of statements that were seen one right after the other on shared data (HaPSets).
    pub pairs: u64,
    /// How many of them the last hundred runs added.
    pub new_per_100_runs: f64,
    /// Pairs of which only one order was seen, although the schedule alone decided it: what came first, and what later.
    pub one_sided: Vec<(Line, Line)>,
    /// The number of pairs after so many runs, in order.
    pub growth: Vec<(u64, u64)>,
}

/// A line of the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Line {
    /// The file as the compiler named it.
    pub file: String,
    /// The line, counted from one.
    pub line: u32,
}

impl Line {
    /// The order of two lines, as `--aim` wants it: what is to come first, and what later.
    #[must_use]
    pub fn aim(first: &Line, second: &Line) -> String {
        // The end of a path is enough to name a file.
        let name = |line: &Line| line.file.rsplit('/').next().unwrap_or_default().to_owned();
        if first.file == second.file {
            return format!("{}:{}:{}", name(first), first.line, second.line);
        }
        format!("{}:{}:{}:{}", name(first), first.line, name(second), second.line)
    }
}

impl Coverage {
    /// What a search has covered.
    #[must_use]
    pub fn of(covered: &Covered) -> Coverage {
        let line = |statement: &Statement| Line { file: statement.file.to_string(), line: statement.line };
        let mut one_sided: Vec<(Line, Line)> =
            covered.sets.one_sided().iter().map(|pair| (line(&pair.first), line(&pair.second))).collect();
        // Two statements on one line are one line to the reader.
        one_sided.dedup();
        let mut growth = covered.growth.points().to_vec();
        // What did not grow any more is part of the picture.
        if let Some(&(_, pairs)) = growth.last().filter(|(runs, _)| *runs < covered.growth.runs()) {
            growth.push((covered.growth.runs(), pairs));
        }
        Coverage {
            pairs: covered.sets.len() as u64,
            new_per_100_runs: covered.growth.last_hundred() as f64,
            one_sided,
            growth,
        }
    }
}

/// A picture of a net: boxes and circles with arrows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// What it shows.
    pub title: String,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// From which node to which.
    pub edges: Vec<(usize, usize)>,
    /// How many nodes were left out because there were too many.
    pub left_out: u64,
}

/// One node of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What stands in it.
    pub label: String,
    /// How it is drawn.
    pub shape: Shape,
}

/// How a node is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A place or a condition.
    Circle,
    /// A place that holds a token at the beginning.
    Marked,
    /// A transition or an event.
    Box,
    /// An event at which the unfolding was cut.
    Terminal,
}

impl Record {
    /// A record without findings and without anything that only some strategies know.
    #[must_use]
    pub fn new(
        program: impl Into<String>,
        strategy: StrategyName,
        verdict: Verdict,
        reached: Reached,
    ) -> Record {
        let model = reached.model.map(|size| ModelSizes {
            places: size.places as u64,
            transitions: size.transitions as u64,
            events: size.events as u64,
            conditions: size.conditions as u64,
            terminals: size.terminals as u64,
            markings: size.markings as u64,
        });
        let nets = reached.net.as_deref().map(crate::model::pictures).unwrap_or_default();
        let coverage = reached.covered.as_ref().map(Coverage::of);
        let tree = reached.explored.as_ref().filter(|explored| !explored.prefixes.is_empty()).map(Tree::of);
        Record {
            program: program.into(),
            strategy,
            verdict,
            reached,
            face: Face::default(),
            seconds: 0.0,
            workers: 1,
            isolation: None,
            findings: Vec::new(),
            uncontrolled: Vec::new(),
            model,
            coverage,
            tree,
            nets,
            command: None,
            resume: None,
            kept_in: None,
        }
    }

    /// The part that [`crate::summary`] puts into words.
    #[must_use]
    pub fn summary(&self) -> Summary<'_> {
        Summary {
            program: &self.program,
            strategy: self.strategy,
            verdict: &self.verdict,
            reached: &self.reached,
            seconds: self.seconds,
            workers: self.workers,
            uncontrolled: &self.uncontrolled,
            face: self.face,
            resume: self.resume.as_deref(),
            findings: self.findings.len(),
            record: self.kept_in.as_deref(),
        }
    }

    /// The finding with this id.
    #[must_use]
    pub fn finding(&self, id: &str) -> Option<&FindingRecord> {
        self.findings.iter().find(|finding| finding.id == id)
    }
}

impl FindingRecord {
    /// The part that [`crate::finding`] puts into words.
    #[must_use]
    pub fn view(&self) -> FindingView<'_> {
        FindingView {
            finding: &self.fact,
            run: &self.run,
            names: &self.names,
            id: &self.id,
            found_in_run: self.found_in_run,
            found_steps: self.found_steps,
            found_preemptions: self.found_preemptions,
            preemptions: self.preemptions,
            replay: &self.replay,
            schedule: self.schedule.as_deref(),
            page: self.page.as_deref(),
            notes: &self.notes,
            met: self.met,
            passing: self.passing.as_ref(),
        }
    }
}
