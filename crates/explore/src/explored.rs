//! What a search tried, as the tree of its decisions: who went, who did not, and why not.
//!
//! A [`Recorded`] strategy is another strategy that is watched. Whatever was decided is a node of the tree; the threads
//! that could have gone instead are its siblings, with what the strategy says of them. Only the first levels are kept: as
//! many as fit into [`MOST`] nodes, so that what is shown of them is whole. For each prefix a run that begins with it is kept
//! to be shown ([`KeptRun`]). A strategy that is not watched pays nothing.

mod kept;
mod prefix;

pub use kept::KeptRun;
pub use prefix::{Explored, Fate, Passed, Prefix};

use kept::KeptRuns;
use raddle_coverage::{Growth, HapSets};
use raddle_trace::{Ending, Place, Run, ThreadId};

use crate::model::{Beyond, ModelNet};
use crate::{
    Again, Choice, Chooser, Decision, Doubt, Estimate, Guarantee, ModelSize, NoPick, Offer, Strategy, Waiting,
};

/// The most nodes that are kept.
const MOST: usize = 2_000;
/// Levels below this are never kept.
const DEEPEST: usize = 40;

/// A prefix while the search goes on.
#[derive(Clone, Debug)]
struct Node {
    prefix: Prefix,
    level: usize,
    children: Vec<usize>,
}

/// A strategy that is watched.
pub struct Recorded {
    inner: Box<dyn Strategy + Send>,
    nodes: Vec<Node>,
    /// The first decisions of all.
    roots: Vec<usize>,
    /// For each decision of the current run: the number of its event, the node before it and the node chosen.
    path: Vec<(usize, Option<usize>, usize)>,
    /// How many levels are kept.
    levels: usize,
    /// Whether the next decision is the first of a run.
    is_new_run: bool,
    found: bool,
    left_out: u64,
    replayed: usize,
    /// How many complete runs were made.
    runs: u64,
    kept: KeptRuns,
}

impl Recorded {
    /// Watches a strategy.
    #[must_use]
    pub fn new(inner: Box<dyn Strategy + Send>) -> Recorded {
        Recorded {
            inner,
            nodes: Vec::new(),
            roots: Vec::new(),
            path: Vec::new(),
            levels: DEEPEST,
            is_new_run: true,
            found: false,
            left_out: 0,
            replayed: 0,
            runs: 0,
            kept: KeptRuns::default(),
        }
    }

    /// Whether a decision at this event is kept; where the path has not come that far it is only counted.
    fn is_kept(&mut self, event: usize) -> bool {
        if std::mem::take(&mut self.is_new_run) {
            self.path.clear();
            self.replayed = self.inner.replayed();
        }
        let kept = self.path.len() < self.levels;
        self.left_out += u64::from(!kept && event >= self.replayed);
        kept
    }

    /// The prefixes that continue the current one.
    fn continued(&self) -> &[usize] {
        self.path.last().map_or(&self.roots, |&(_, _, node)| &self.nodes[node].children)
    }

    /// Goes to the continuation that was chosen, if it is known.
    fn follow(&mut self, event: usize, thread: ThreadId, alternative: Option<u32>) -> bool {
        let chosen = self.continued().iter().copied().find(|&node| {
            let prefix = &self.nodes[node].prefix;
            prefix.thread == thread && prefix.alternative == alternative
        });
        let before = self.path.last().map(|&(_, _, node)| node);
        self.path.extend(chosen.map(|chosen| (event, before, chosen)));
        chosen.is_some()
    }

    /// Adds what can continue the current prefix. A prefix that was met in a run that chance made may lack some of it.
    fn add(&mut self, continuations: impl Iterator<Item = Prefix>) {
        let parent = self.path.last().map(|&(_, _, node)| node);
        for prefix in continuations {
            let is_known = self.continued().iter().any(|&node| {
                let known = &self.nodes[node].prefix;
                (known.thread, known.alternative) == (prefix.thread, prefix.alternative)
            });
            if is_known {
                continue;
            }
            let index = self.nodes.len();
            let prefix = Prefix { parent, ..prefix };
            self.nodes.push(Node { prefix, level: self.path.len(), children: Vec::new() });
            match parent {
                Some(parent) => self.nodes[parent].children.push(index),
                None => self.roots.push(index),
            }
        }
    }

    fn stay_small(&mut self) {
        while self.nodes.len() > MOST && self.levels > 1 {
            self.forget_a_level();
        }
    }

    /// Forgets the deepest level, so that those above it stay whole.
    fn forget_a_level(&mut self) {
        self.levels -= 1;
        let (levels, before) = (self.levels, self.nodes.len());
        let mut kept = 0;
        let numbers: Vec<Option<usize>> = self
            .nodes
            .iter()
            .map(|node| {
                (node.level < levels).then(|| {
                    kept += 1;
                    kept - 1
                })
            })
            .collect();
        let renumber = |old: usize| numbers.get(old).copied().flatten();
        self.nodes.retain(|node| node.level < levels);
        for node in &mut self.nodes {
            node.prefix.parent = node.prefix.parent.and_then(renumber);
            node.children = node.children.iter().copied().filter_map(renumber).collect();
        }
        self.roots = self.roots.iter().copied().filter_map(renumber).collect();
        self.path.truncate(levels);
        for (_, before, node) in &mut self.path {
            *before = before.and_then(renumber);
            *node = renumber(*node).unwrap_or(*node);
        }
        self.left_out += (before - self.nodes.len()) as u64;
        self.kept.forget_all_but(self.nodes.iter_mut().map(|node| &mut node.prefix.kept));
    }

    /// Keeps a run for the prefixes of its way that have none yet, or one that tells less.
    fn keep(&mut self, run: &Run, found: bool) {
        // Most runs of a long search have nothing new to show, so that is found out before anything is copied.
        if !found && !self.lacks_a_run() || !self.kept.has_room(run) {
            return;
        }
        let Some(run) = kept::kept(run, self.runs, found) else { return };
        let known = |node: usize| self.nodes[node].prefix.kept;
        let way = self.path.iter().map(|&(_, _, node)| node);
        let better: Vec<usize> = way.filter(|&node| self.kept.is_better(&run, known(node))).collect();
        if better.is_empty() {
            return;
        }
        let number = self.kept.keep(run);
        let mut replaced = false;
        for node in better {
            replaced |= self.nodes[node].prefix.kept.replace(number).is_some();
        }
        // Only then may there be one that nothing refers to: it takes longer to find out than most runs take.
        if replaced {
            self.kept.forget_all_but(self.nodes.iter_mut().map(|node| &mut node.prefix.kept));
        }
    }

    /// Whether a prefix of the current way has no complete run to be shown, and could get one.
    fn lacks_a_run(&self) -> bool {
        !self.kept.is_full()
            && self.path.iter().any(|&(_, _, node)| self.kept.lack(self.nodes[node].prefix.kept))
    }

    /// What is left to be tried along the way of the last run.
    fn mark_waiting(&self, nodes: &mut [Node]) {
        for (event, threads) in self.inner.waiting() {
            let Some(&(_, before, _)) = self.path.iter().find(|&&(at, _, _)| at == event) else { continue };
            let siblings = match before {
                Some(node) => &self.nodes[node].children,
                None => &self.roots,
            };
            for &sibling in siblings {
                let prefix = &mut nodes[sibling].prefix;
                if prefix.runs == 0 && threads.contains(prefix.thread) && prefix.alternative.is_none() {
                    prefix.fate = Fate::Waiting;
                }
            }
        }
    }
}

impl Chooser for Recorded {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        let choice = self.inner.decide(at);
        let Choice::Go(chosen) = choice else { return choice };
        if at.enabled.len() > 1 && self.is_kept(at.event) && !self.follow(at.event, chosen, None) {
            let running = at.running();
            let prefix = |thread: ThreadId| Prefix {
                parent: None,
                thread,
                kind: at.pending[thread.index()].operation.kind,
                alternative: None,
                place: at.pending[thread.index()].place,
                fate: self.inner.passes_over(Passed::Thread { thread, running }),
                runs: 0,
                event: at.event,
                kept: None,
            };
            let continuations: Vec<Prefix> = at.enabled.iter().map(prefix).collect();
            self.add(continuations.into_iter());
            self.follow(at.event, chosen, None);
            self.stay_small();
        }
        choice
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        let picked = self.inner.pick(at)?;
        if self.is_kept(at.event) && !self.follow(at.event, at.thread, Some(picked)) {
            let prefix = |alternative: u32| Prefix {
                parent: None,
                thread: at.thread,
                kind: at.kind,
                alternative: Some(alternative),
                place: Place::Unknown,
                fate: self.inner.passes_over(Passed::Alternative(alternative)),
                runs: 0,
                event: at.event,
                kept: None,
            };
            let continuations: Vec<Prefix> = (0..at.alternatives).take(MOST / 2).map(prefix).collect();
            self.add(continuations.into_iter());
            self.follow(at.event, at.thread, Some(picked));
            self.stay_small();
        }
        Ok(picked)
    }

    fn wants_names(&self) -> bool {
        // Asked at the end of a run, when its way is known: what is shown has names.
        self.inner.wants_names() || self.lacks_a_run()
    }

    fn sees_plain(&self) -> bool {
        self.inner.sees_plain()
    }

    fn shared(&self) -> usize {
        self.inner.shared()
    }

    fn skip(&mut self, events: usize) {
        self.is_new_run = false;
        self.replayed = self.inner.replayed();
        self.path.truncate(self.path.partition_point(|&(event, _, _)| event < events));
        self.inner.skip(events);
    }
}

impl Strategy for Recorded {
    fn begin(&mut self) -> bool {
        self.is_new_run = true;
        self.inner.begin()
    }

    fn think(&mut self) -> bool {
        self.inner.think()
    }

    fn learn(&mut self, run: &Run) {
        if std::mem::take(&mut self.is_new_run) {
            // A run without a decision.
            self.path.clear();
        }
        let given_up = matches!(run.ending, Ending::Blocked | Ending::Elsewhere | Ending::Diverged);
        let found = std::mem::take(&mut self.found);
        for &(_, _, node) in &self.path {
            let prefix = &mut self.nodes[node].prefix;
            prefix.runs += u64::from(!given_up);
            prefix.fate = match prefix.fate {
                Fate::Found => Fate::Found,
                _ if found => Fate::Found,
                Fate::Explored => Fate::Explored,
                _ if given_up => Fate::Asleep,
                _ => Fate::Explored,
            };
        }
        self.runs += u64::from(!given_up);
        self.keep(run, found);
        self.inner.learn(run);
    }

    fn found(&mut self) {
        self.found = true;
        self.inner.found();
    }

    fn spent(&mut self, part: f64) {
        self.inner.spent(part);
    }

    fn keeps(&mut self) -> bool {
        self.inner.keeps()
    }

    fn replayed(&self) -> usize {
        self.inner.replayed()
    }

    fn guarantee(&self) -> Guarantee {
        self.inner.guarantee()
    }

    fn estimate(&self, runs: u64) -> Option<Estimate> {
        self.inner.estimate(runs)
    }

    fn doubt(&self) -> Option<Doubt> {
        self.inner.doubt()
    }

    fn model(&self) -> Option<ModelSize> {
        self.inner.model()
    }

    fn net(&mut self, most: usize) -> Option<ModelNet> {
        self.inner.net(most)
    }

    fn beyond(&self) -> Option<Beyond> {
        self.inner.beyond()
    }

    fn beside(&self) -> (u64, u64) {
        self.inner.beside()
    }

    fn coverage(&self) -> Option<(&HapSets, &Growth)> {
        self.inner.coverage()
    }

    fn passes_over(&self, passed: Passed) -> Fate {
        self.inner.passes_over(passed)
    }

    fn waiting(&self) -> Waiting {
        self.inner.waiting()
    }

    fn save(&self) -> Option<Vec<u64>> {
        self.inner.save()
    }

    fn restore(&mut self, saved: &[u64], again: &mut Again<'_>) -> bool {
        self.inner.restore(saved, again)
    }

    fn explored(&self) -> Option<Explored> {
        let mut nodes = self.nodes.clone();
        self.mark_waiting(&mut nodes);
        let levels = nodes.iter().map(|node| node.level + 1).max().unwrap_or(0);
        let prefixes = nodes.into_iter().map(|node| node.prefix).collect();
        Some(Explored { prefixes, kept: self.kept.all().to_vec(), levels, left_out: self.left_out })
    }
}
