//! Selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025). Guarantee: a sample; if every run has
//! as many events in each thread as the first one had, all orders of the selected events are equally likely.
//!
//! A walk that draws threads evenly prefers orders in which short threads end early. Here a thread is drawn with the
//! weight of the events that it, and the threads it has still to create, have left. Only selected events count: in each
//! run those at one group of places that touch the same objects, drawn anew among those where threads meet, because a uniform choice among all orders
//! of everything spreads itself too thin. A thread whose next event is selected waits until it is drawn for it; in
//! between the others go as they come.
//!
//! Differences from the paper: places are grouped by what the first run touched, since objects cannot be compared
//! between runs; one selection among the groups is "everything".

use std::collections::BTreeMap;

use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{Event, Kind, Place, Run, ThreadId, ThreadSet};

use crate::archive::{Archive, Kept, Numbers};
use crate::rng::Rng;
use crate::{Again, Choice, Chooser, Decision, Fate, NoPick, Offer, Passed, Strategy};

/// A place, as something that can be ordered.
type Spot = (&'static str, u32, u32);

fn spot(place: Place) -> Spot {
    (place.file().unwrap_or(""), place.line().unwrap_or(0), place.column().unwrap_or(0))
}

/// What the first run was made of.
#[derive(Clone, Debug, Default)]
struct Profile {
    /// The group of each place.
    groups: BTreeMap<Spot, usize>,
    /// For each group, how many events each thread had there; the last entry is that of all events.
    counts: Vec<Vec<u64>>,
    /// The groups at which more than one thread was, and everything.
    selections: Vec<usize>,
    /// Who created whom.
    parents: Vec<Option<ThreadId>>,
    /// One more than the highest number of a thread.
    width: usize,
    /// The run itself.
    run: Kept,
}

impl Profile {
    fn of(run: &Run) -> Profile {
        let mut profile =
            Profile { parents: vec![None; MAX_THREADS], width: run.threads, ..Profile::default() };
        // The first place at each object leads its group; a place that touches two objects joins their groups.
        let mut leaders: BTreeMap<usize, Spot> = BTreeMap::new();
        let mut up: BTreeMap<Spot, Spot> = BTreeMap::new();
        for event in run.events.iter().filter(|event| event.decided) {
            let here = top(&up, spot(event.place));
            let leader = *leaders.entry(event.operation.object.index()).or_insert(here);
            let leader = top(&up, leader);
            if leader != here {
                up.insert(here, leader);
            }
        }
        let mut numbers: BTreeMap<Spot, usize> = BTreeMap::new();
        for event in run.events.iter().filter(|event| event.decided) {
            let next = numbers.len();
            let group = *numbers.entry(top(&up, spot(event.place))).or_insert(next);
            profile.groups.insert(spot(event.place), group);
        }
        profile.counts = vec![vec![0; MAX_THREADS]; numbers.len() + 1];
        for event in &run.events {
            profile.count(event, numbers.len());
        }
        let contested = |group: &usize| profile.counts[*group].iter().filter(|count| **count > 0).count() > 1;
        profile.run.replace(&run.events);
        profile.selections = (0..numbers.len()).filter(contested).chain([numbers.len()]).collect();
        profile
    }

    fn count(&mut self, event: &Event, all: usize) {
        if event.operation.kind == Kind::Create
            && let Some(parent) = self.parents.get_mut(event.operation.operand as usize)
        {
            *parent = Some(event.thread);
        }
        if event.decided {
            let group = self.groups.get(&spot(event.place)).copied().unwrap_or(all);
            self.counts[group][event.thread.index()] += 1;
            if group != all {
                self.counts[all][event.thread.index()] += 1;
            }
        }
    }
}

/// The leader of a place's group so far.
fn top(up: &BTreeMap<Spot, Spot>, mut spot: Spot) -> Spot {
    while let Some(&next) = up.get(&spot) {
        spot = next;
    }
    spot
}

/// Threads drawn by the weight of what they have left.
#[derive(Clone, Debug)]
pub struct Surw {
    rng: Rng,
    profile: Option<Profile>,
    /// The group that counts in this run, `groups` of the profile for everything.
    selected: usize,
    /// What each thread has left.
    left: Vec<u64>,
    created: ThreadSet,
    /// Who is to make the next selected event.
    intended: Option<ThreadId>,
}

impl Surw {
    /// The same seed makes the same runs.
    #[must_use]
    pub fn new(seed: u64) -> Surw {
        Surw {
            rng: Rng::new(seed),
            profile: None,
            selected: 0,
            left: vec![0; MAX_THREADS],
            created: ThreadSet::EMPTY,
            intended: None,
        }
    }

    fn is_selected(&self, place: Place) -> bool {
        let Some(profile) = &self.profile else { return true };
        let all = profile.counts.len() - 1;
        self.selected == all || profile.groups.get(&spot(place)) == Some(&self.selected)
    }

    /// What a thread and the threads it has still to create have left. A thread that was never able to go counts as not
    /// yet created: its creator cannot have been before it in anything that was decided.
    fn weight(&self, thread: ThreadId) -> u64 {
        let mut weight = self.left[thread.index()];
        let Some(profile) = &self.profile else { return weight };
        for index in 0..profile.width {
            let (child, mut above) = (ThreadId::new(index), ThreadId::new(index));
            if self.left[index] == 0 || self.created.contains(child) {
                continue;
            }
            while let Some(parent) = profile.parents[above.index()] {
                if parent == thread {
                    weight += self.left[index];
                    break;
                }
                if self.created.contains(parent) {
                    break;
                }
                above = parent;
            }
        }
        weight
    }

    /// Draws a thread by weight; evenly if nobody has anything left.
    fn draw(&mut self, among: ThreadSet) -> ThreadId {
        let weights: Vec<u64> = among.iter().map(|thread| self.weight(thread)).collect();
        let sum: u64 = weights.iter().sum();
        let mut number = self.rng.below(if sum == 0 { among.len() } else { sum as usize }) as u64;
        for (thread, weight) in among.iter().zip(weights) {
            let weight = if sum == 0 { 1 } else { weight };
            if number < weight {
                return thread;
            }
            number -= weight;
        }
        unreachable!("bug in raddle: a drawn number is below the sum of the weights")
    }
}

impl Chooser for Surw {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.created = self.created.union(at.enabled);
        let wanted = |surw: &Surw, thread: ThreadId| surw.is_selected(at.pending[thread.index()].place);
        if self.intended.is_none_or(|intended| !at.enabled.contains(intended)) {
            self.intended = Some(self.draw(at.enabled));
        }
        let intended = self.intended;
        let free: ThreadSet =
            at.enabled.iter().filter(|thread| Some(*thread) == intended || !wanted(self, *thread)).collect();
        let number = if free.len() == 1 { 0 } else { self.rng.below(free.len()) };
        let chosen = free.nth(number).expect("bug in raddle: the intended thread is free to go");
        if wanted(self, chosen) {
            let left = &mut self.left[chosen.index()];
            *left = left.saturating_sub(u64::from(!raddle_trace::fault!(SurwForgetsToCount)));
            self.intended = None;
        }
        Choice::Go(chosen)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        Ok(self.rng.below(at.alternatives as usize) as u32)
    }
}

impl Strategy for Surw {
    fn begin(&mut self) -> bool {
        self.created = ThreadSet::EMPTY;
        self.intended = None;
        if let Some(profile) = &self.profile {
            self.selected = profile.selections[self.rng.below(profile.selections.len())];
            self.left.clone_from(&profile.counts[self.selected]);
        }
        true
    }

    fn learn(&mut self, run: &Run) {
        if self.profile.is_none() && run.events.iter().any(|event| event.decided) {
            self.profile = Some(Profile::of(run));
        }
    }

    fn passes_over(&self, _passed: Passed) -> Fate {
        Fate::NotDrawn
    }

    fn save(&self) -> Option<Vec<u64>> {
        let profiled = self.profile.as_ref().map(|profile| profile.run.clone());
        Some((self.rng.clone(), profiled).numbers())
    }

    fn restore(&mut self, saved: &[u64], again: &mut Again<'_>) -> bool {
        let Some((rng, profiled)) = Numbers::new(saved).only::<(Rng, Option<Kept>)>() else { return false };
        self.rng = rng;
        let Some(profiled) = profiled else { return true };
        self.profile = (again.make)(&profiled).map(|run| Profile::of(&run));
        self.profile.is_some()
    }
}
