//! Runs that are kept to be shown: for each prefix one that begins with it, the most telling that was made.

use raddle_trace::{Ending, Run};

/// The most events and objects of all runs together: telling and writing them takes as long as some thousand runs do.
const MOST: usize = 10_000;
/// The most events of one run.
const LONGEST: usize = 1_000;

/// A run that is kept to be shown.
#[derive(Clone, Debug, Default)]
pub struct KeptRun {
    /// Its number among the complete runs, counted from one; none if it was given up.
    pub number: Option<u64>,
    /// Whether it shows a finding.
    pub found: bool,
    /// The run, with its first events.
    pub run: Run,
    /// How many events it had beyond those.
    pub left_out: u64,
}

impl KeptRun {
    /// A run that shows a finding tells more than one that passes, and that more than one that was given up.
    fn telling(&self) -> Telling {
        match (self.found, self.number) {
            (true, _) => Telling::Found,
            (false, Some(_)) => Telling::Complete,
            (false, None) => Telling::GivenUp,
        }
    }

    /// How much of what may be kept it takes.
    fn size(&self) -> usize {
        self.run.events.len() + self.run.objects.len()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Telling {
    GivenUp,
    Complete,
    Found,
}

/// All runs that are kept.
#[derive(Default)]
pub(super) struct KeptRuns {
    runs: Vec<KeptRun>,
    size: usize,
    /// Whether a run was turned away since something was forgotten.
    is_full: bool,
}

impl KeptRuns {
    /// Whether a complete run would tell more than the one that is known.
    pub(super) fn lack(&self, known: Option<usize>) -> bool {
        known.is_none_or(|known| self.runs[known].telling() < Telling::Complete)
    }

    /// Whether this run tells more than the one that is known.
    pub(super) fn is_better(&self, run: &KeptRun, known: Option<usize>) -> bool {
        known.is_none_or(|known| self.runs[known].telling() < run.telling())
    }

    /// Whether there is room for what is kept of a run.
    pub(super) fn has_room(&mut self, run: &Run) -> bool {
        self.is_full = self.size + run.events.len().min(LONGEST) + run.objects.len() > MOST;
        !self.is_full
    }

    /// Whether there was no room for the last run.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Keeps a run and gives its number among those that are kept.
    pub(super) fn keep(&mut self, kept: KeptRun) -> usize {
        self.size += kept.size();
        self.runs.push(kept);
        self.runs.len() - 1
    }

    /// Forgets the runs that nothing refers to any more, and corrects what refers to the others.
    pub(super) fn forget_all_but<'a>(&mut self, used: impl Iterator<Item = &'a mut Option<usize>>) {
        let used: Vec<&mut usize> = used.filter_map(Option::as_mut).collect();
        let mut numbers = vec![None; self.runs.len()];
        used.iter().for_each(|number| numbers[**number] = Some(0));
        numbers.iter_mut().flatten().enumerate().for_each(|(next, number)| *number = next);
        let mut is_used = numbers.iter().map(Option::is_some);
        self.runs.retain(|_| is_used.next().unwrap_or(false));
        let before = std::mem::replace(&mut self.size, self.runs.iter().map(KeptRun::size).sum());
        self.is_full &= self.size == before;
        used.into_iter().for_each(|number| *number = numbers[*number].unwrap_or(*number));
    }

    /// The runs themselves.
    pub(super) fn all(&self) -> &[KeptRun] {
        &self.runs
    }
}

/// What is kept of a run; nothing of one that does not belong to the tree.
pub(super) fn kept(run: &Run, number: u64, found: bool) -> Option<KeptRun> {
    if matches!(run.ending, Ending::Elsewhere | Ending::Diverged) {
        return None;
    }
    let number = (run.ending != Ending::Blocked).then_some(number);
    let events = run.events[..run.events.len().min(LONGEST)].to_vec();
    let left_out = (run.events.len() - events.len()) as u64;
    // Who waits and what went wrong is said of the end; who holds what since when counts in events that may be cut off.
    let run = Run {
        events,
        ending: run.ending,
        blocked: run.blocked.clone(),
        objects: run.objects.clone(),
        thread_names: run.thread_names.clone(),
        bodies: run.bodies.clone(),
        trouble: run.trouble.clone(),
        trouble_after: run.trouble_after,
        race: run.race,
        threads: run.threads,
        ..Run::default()
    };
    Some(KeptRun { number, found, run, left_out })
}
