//! What a check returns.

use std::fmt;
use std::path::{Path, PathBuf};

use raddle_explore::{Limit, Reached, StrategyName, Verdict};
use raddle_report::{FindingRecord, Record, Style};
use raddle_trace::TraceKey;

use super::Check;
use super::findings::read_source;

/// Something that went wrong, with the schedule that makes it happen again.
///
/// ```
/// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| assert!(raddle::choose(2) == 0, "chose one"));
/// let finding = &report.findings()[0];
/// assert_eq!(finding.kind(), "panic");
/// assert_eq!(finding.message(), "chose one");
/// ```
#[derive(Clone, Debug)]
pub struct Finding {
    record: FindingRecord,
    place: String,
    text: String,
    schedule: Option<PathBuf>,
}

impl Finding {
    pub(super) fn new(record: FindingRecord, schedule: Option<PathBuf>) -> Finding {
        let text = raddle_report::finding(&record.view(), &Style::default(), &read_source);
        Finding { place: record.fact.place.to_string(), text, schedule, record }
    }

    /// Everything that is known of it.
    pub(super) fn record(&self) -> &FindingRecord {
        &self.record
    }

    /// What kind of thing went wrong: `assertion`, `panic`, `deadlock`, `data-race`, `crash`, `misuse`, `livelock`.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| assert_eq!(1, 2));
    /// assert_eq!(report.findings()[0].kind(), "assertion");
    /// ```
    #[must_use]
    pub fn kind(&self) -> &str {
        self.record.fact.kind.word()
    }

    /// The program's own words, if it had any.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert_eq!(report.findings()[0].message(), "no");
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.record.fact.message
    }

    /// Where it showed, as `file:line`.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert!(report.findings()[0].place().contains(".rs:"));
    /// ```
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The short name by which it can be replayed.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert_eq!(report.findings()[0].id().len(), 5);
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.record.id
    }

    /// The number of the run in which it was found, counted from one.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert_eq!(report.findings()[0].run(), 1);
    /// ```
    #[must_use]
    pub fn run(&self) -> u64 {
        self.record.found_in_run
    }

    /// The report: what happened, step by step.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert!(report.findings()[0].text().contains("FAIL"));
    /// ```
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file with its schedule, if it could be written.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert!(report.findings()[0].schedule().unwrap().is_file());
    /// ```
    #[must_use]
    pub fn schedule(&self) -> Option<&Path> {
        self.schedule.as_deref()
    }

    /// How many steps the run that is shown has.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert_eq!(report.findings()[0].steps(), 1); // The main thread starts.
    /// ```
    #[must_use]
    pub fn steps(&self) -> usize {
        self.record.run.events.len()
    }

    /// How many pre-emptions the run that is shown has: switches away from a thread that could have gone on.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert_eq!(report.findings()[0].preemptions(), 0);
    /// ```
    #[must_use]
    pub fn preemptions(&self) -> usize {
        raddle_explore::preemptions(&self.record.run.events)
    }

    /// A number that names the trace of the run that is shown: the same for every replay.
    ///
    /// ```
    /// let fails = || raddle::Check::new().out(std::env::temp_dir()).run(|| panic!("no"));
    /// assert_eq!(fails().findings()[0].trace(), fails().findings()[0].trace());
    /// ```
    #[must_use]
    pub fn trace(&self) -> u64 {
        TraceKey::of(&self.record.run.events).0
    }
}

/// What a check arrived at.
///
/// ```
/// let report = raddle::Check::new().run(|| ());
/// assert!(report.is_exhausted());
/// assert_eq!(report.runs(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    program: String,
    strategy: StrategyName,
    verdict: Verdict,
    reached: Reached,
    seconds: f64,
    workers: usize,
    findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(
        check: &Check,
        verdict: Verdict,
        reached: Reached,
        seconds: f64,
        findings: Vec<Finding>,
    ) -> Report {
        let report = Report {
            program: check.program(),
            strategy: check.strategy,
            verdict,
            reached,
            seconds,
            workers: check.workers,
            findings,
        };
        let incomplete = matches!(report.verdict, Verdict::Stopped(_));
        if check.verbose || incomplete {
            say(&report.summary());
        }
        report
    }

    /// What may be claimed: `exhausted`, `exhausted-within`, `sampled`, `stopped`, `failed` or `untrusted`.
    ///
    /// ```
    /// assert_eq!(raddle::Check::new().run(|| ()).verdict(), "exhausted");
    /// ```
    #[must_use]
    pub fn verdict(&self) -> &str {
        self.verdict.word()
    }

    /// Whether every interleaving was covered and nothing was found.
    ///
    /// ```
    /// assert!(raddle::Check::new().run(|| ()).is_exhausted());
    /// ```
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.verdict == Verdict::Exhausted
    }

    /// Complete runs.
    ///
    /// ```
    /// assert_eq!(raddle::Check::new().run(|| { raddle::choose(3); }).runs(), 3);
    /// ```
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.reached.runs
    }

    /// Runs that were given up because they could only have repeated others.
    ///
    /// ```
    /// assert_eq!(raddle::Check::new().run(|| ()).blocked(), 0);
    /// ```
    #[must_use]
    pub fn blocked(&self) -> u64 {
        self.reached.blocked
    }

    /// Steps of all runs together.
    ///
    /// ```
    /// assert_eq!(raddle::Check::new().run(|| ()).steps(), 2); // The main thread starts and ends.
    /// ```
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.reached.steps
    }

    /// How many ordered pairs of statements the runs have shown, with those that were known before, if the strategy learns
    /// them.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// assert_eq!(Check::new().run(|| ()).pairs(), None);
    /// assert_eq!(Check::new().strategy(Strategy::HapSet).max_runs(5).run(|| ()).pairs(), Some(0));
    /// ```
    #[must_use]
    pub fn pairs(&self) -> Option<usize> {
        self.reached.covered.as_ref().map(|covered| covered.sets.len())
    }

    /// The pairs of lines, each as `file:line`, of which the first has been seen before the second but never after it,
    /// although the schedule alone decided that. Give one to [`Check::aim`], the second first, to look for it.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// assert!(Check::new().strategy(Strategy::HapSet).max_runs(5).run(|| ()).one_sided().is_empty());
    /// ```
    #[must_use]
    pub fn one_sided(&self) -> Vec<(String, String)> {
        let covered = self.reached.covered.as_ref();
        let pairs = covered.map(|covered| covered.sets.one_sided()).unwrap_or_default();
        pairs.iter().map(|pair| (pair.first.to_string(), pair.second.to_string())).collect()
    }

    /// The size of the model of the program, if the strategy built one: `stateful-naive` and the unfoldings do, unless the
    /// program is beyond their model.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// let model = Check::new().strategy(Strategy::Unfolding).run(|| ()).model().unwrap();
    /// assert_eq!((model.places, model.transitions), (3, 2)); // The main thread starts and ends.
    /// ```
    #[must_use]
    pub fn model(&self) -> Option<raddle_explore::ModelSize> {
        self.reached.model
    }

    /// What went wrong.
    ///
    /// ```
    /// assert!(raddle::Check::new().run(|| ()).findings().is_empty());
    /// ```
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The program's name.
    ///
    /// ```
    /// assert_eq!(raddle::Check::new().name("empty").run(|| ()).program(), "empty");
    /// ```
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The verdict and how far it reaches, in words.
    ///
    /// ```
    /// assert!(raddle::Check::new().run(|| ()).summary().contains("PASS"));
    /// ```
    #[must_use]
    pub fn summary(&self) -> String {
        raddle_report::summary(&self.record().summary(), &Style::default())
    }

    /// Everything about the check as one JSON document; its schema is in `docs/schema/` of the project.
    ///
    /// ```
    /// assert!(raddle::Check::new().run(|| ()).json().contains("\"verdict\": \"exhausted\""));
    /// ```
    #[must_use]
    pub fn json(&self) -> String {
        raddle_report::json(&self.record())
    }

    /// Everything about the check as one HTML page that needs nothing else.
    ///
    /// ```
    /// assert!(raddle::Check::new().run(|| ()).page().starts_with("<!DOCTYPE html>"));
    /// ```
    #[must_use]
    pub fn page(&self) -> String {
        raddle_report::page(&self.record(), &read_source)
    }

    /// What every format is made from.
    pub(super) fn record(&self) -> Record {
        let mut record =
            Record::new(&self.program, self.strategy, self.verdict.clone(), self.reached.clone());
        record.seconds = self.seconds;
        record.workers = self.workers;
        record.findings = self.findings.iter().map(|finding| finding.record().clone()).collect();
        record
    }

    /// Why a test should fail, if it should: a finding, doubt, or a run that had to be given up although nobody asked for
    /// it.
    pub(super) fn failure(&self) -> Option<String> {
        let given_up = matches!(self.verdict, Verdict::Stopped(Limit::Steps(_) | Limit::Threads(_)));
        if !self.findings.is_empty() {
            let texts: Vec<&str> = self.findings.iter().map(Finding::text).collect();
            Some(format!("\n{}", texts.join("\n")))
        } else if given_up || matches!(self.verdict, Verdict::Untrusted(_)) {
            Some(format!("\n{}", self.summary()))
        } else {
            None
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{}", finding.text)?;
        }
        f.write_str(&self.summary())
    }
}

/// The one place where the library prints: where a test's output goes.
#[expect(clippy::print_stderr, reason = "a library for tests speaks to whoever runs them")]
pub(super) fn say(text: &str) {
    eprintln!("{text}");
}
