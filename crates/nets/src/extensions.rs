//! The search for possible extensions.
//!
//! A set of conditions enables a transition when it has one condition per place of the preset and all of them are pairwise
//! concurrent. Only sets with a condition of the newest event are sought, so each extension is found exactly once. What
//! the event is concurrent with is already known then, and by safety each place that it marks itself has only its own
//! condition. For a transition that takes one further place (a thread and a lock or a variable) every candidate is an
//! extension: no pair has to be checked.

use crate::concurrency::Concurrency;
use crate::occurrence::Occurrence;

/// What the transitions look like, for the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// For each transition the places of its preset and postset, sorted.
    pub(crate) presets: Vec<Box<[u32]>>,
    pub(crate) postsets: Vec<Box<[u32]>>,
    pub(crate) ranks: Vec<u32>,
    /// For each transition what it does to the hash of a marking.
    pub(crate) hashes: Vec<u64>,
    /// For each place the transitions that consume from it.
    pub(crate) consumers: Vec<Vec<Consumer>>,
}

/// A transition that consumes from a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consumer {
    pub(crate) transition: u32,
    /// Another place of its preset, if it has one. A valuation of a variable can have thousands of consumers, each for
    /// one local state of a thread: whether that state can be there at all is asked before anything else.
    pub(crate) also: u32,
}

impl Shape {
    /// Enters a transition with a sorted preset as a consumer of its places. Where there is a choice, the place that was
    /// `first` stands for the rest of the preset.
    pub(crate) fn consume(&mut self, transition: u32, preset: &[u32], first: u32) {
        for &place in preset {
            let other = || preset.iter().copied().find(|&other| other != place);
            let also = if place == first { other().unwrap_or(place) } else { first };
            self.consumers[place as usize].push(Consumer { transition, also });
        }
    }
}

/// Scratch memory and results of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    /// For each place the conditions that are candidates for it.
    buckets: Vec<Vec<u32>>,
    place_stamps: Vec<u32>,
    transition_stamps: Vec<u32>,
    stamp: u32,
    wanted: Vec<u32>,
    transitions: Vec<u32>,
    own: Vec<u32>,
    missing: Vec<u32>,
    chosen: Vec<u32>,
    /// The presets found, one after the other.
    pub(crate) presets: Vec<u32>,
    /// The transition of each preset found.
    pub(crate) found: Vec<u32>,
    /// How many conditions the presets found may have together; there can be exponentially many.
    pub(crate) room: usize,
    /// Whether there were more.
    pub(crate) is_over: bool,
}

impl Finder {
    fn begin(&mut self, shape: &Shape) {
        self.found.clear();
        self.presets.clear();
        self.is_over = false;
        self.transitions.clear();
        for place in self.wanted.drain(..) {
            self.buckets[place as usize].clear();
        }
        if self.stamp > u32::MAX - 3 {
            self.stamp = 0;
            self.place_stamps.fill(0);
            self.transition_stamps.fill(0);
        }
        // Three stamps: places that can be marked together with the event, those of them that are wanted, and places
        // that the event marks itself.
        self.stamp += 3;
        self.buckets.resize_with(shape.consumers.len(), Vec::new);
        self.place_stamps.resize(shape.consumers.len(), 0);
        self.transition_stamps.resize(shape.presets.len(), 0);
    }

    /// Finds the extensions that consume a condition of an event just given a slot. `kept` is the rest of its cut.
    /// Returns a place that two tokens could be on at once, if there is one.
    pub(crate) fn after_event(
        &mut self,
        shape: &Shape,
        net: &Occurrence,
        concurrency: &Concurrency,
        event: u32,
        kept: &[u32],
    ) -> Option<u32> {
        self.begin(shape);
        let own = self.stamp;
        for condition in net.postset(event) {
            let place = net.place(condition);
            self.place_stamps[place as usize] = own;
            self.buckets[place as usize].push(condition);
            self.wanted.push(place);
        }
        let (there, wanted) = (own - 2, own - 1);
        let row = concurrency.newest_row();
        let others = || {
            row.iter().flat_map(|&slot| net.postset(concurrency.event_of(slot))).chain(kept.iter().copied())
        };
        let mut twice = None;
        for condition in others() {
            let place = net.place(condition);
            let stamp = &mut self.place_stamps[place as usize];
            if *stamp == own {
                twice = Some(place);
            } else {
                *stamp = there;
            }
        }
        if self.want(shape, net, event) {
            for condition in others() {
                let place = net.place(condition);
                if self.place_stamps[place as usize] == wanted {
                    self.buckets[place as usize].push(condition);
                }
            }
        }
        if twice.is_none() {
            for nth in 0..self.transitions.len() {
                self.combine(self.transitions[nth], shape, net, concurrency);
            }
        }
        twice
    }

    /// Notes the transitions that could consume from the event, and the places they also take from; false if there are
    /// no such places. Transitions whose places cannot all be marked together with the event are left out.
    fn want(&mut self, shape: &Shape, net: &Occurrence, event: u32) -> bool {
        let (own, there, wanted) = (self.stamp, self.stamp - 2, self.stamp - 1);
        let mut wants = false;
        for condition in net.postset(event) {
            for &Consumer { transition, also } in &shape.consumers[net.place(condition) as usize] {
                let can_be = |place: u32| self.place_stamps[place as usize] >= there;
                if !can_be(also) || self.transition_stamps[transition as usize] == own {
                    continue;
                }
                self.transition_stamps[transition as usize] = own;
                let preset = &shape.presets[transition as usize];
                if !preset.iter().all(|&place| can_be(place)) {
                    continue;
                }
                self.transitions.push(transition);
                for &place in preset {
                    let stamp = &mut self.place_stamps[place as usize];
                    if *stamp == there {
                        *stamp = wanted;
                        self.wanted.push(place);
                        wants = true;
                    }
                }
            }
        }
        wants
    }

    /// Finds all extensions of a transition among the conditions that there are, for a transition that is new.
    pub(crate) fn of_transition(
        &mut self,
        shape: &Shape,
        net: &Occurrence,
        concurrency: &Concurrency,
        transition: u32,
        conditions_of: &[Vec<u32>],
    ) {
        self.begin(shape);
        for &place in &shape.presets[transition as usize] {
            self.buckets[place as usize].extend_from_slice(&conditions_of[place as usize]);
            self.wanted.push(place);
        }
        self.combine(transition, shape, net, concurrency);
    }

    /// Combines the candidates for the places of a transition's preset.
    fn combine(&mut self, transition: u32, shape: &Shape, net: &Occurrence, concurrency: &Concurrency) {
        self.own.clear();
        self.missing.clear();
        for &place in &shape.presets[transition as usize] {
            let is_own = self.place_stamps[place as usize] == self.stamp;
            match (is_own, self.buckets[place as usize].as_slice()) {
                (_, []) => return,
                (true, bucket) => self.own.push(bucket[0]),
                (false, _) => self.missing.push(place),
            }
        }
        // The rarest place first: fewer combinations die late.
        let Self { missing, buckets, own, presets, found, chosen, room, is_over, .. } = self;
        missing.sort_by_key(|&place| buckets[place as usize].len());
        chosen.clear();
        let mut emit = |chosen: &[u32], last: Option<u32>| {
            let start = presets.len();
            presets.extend_from_slice(own);
            presets.extend_from_slice(chosen);
            presets.extend(last);
            presets[start..].sort_unstable();
            found.push(transition);
            *is_over |= presets.len() > *room;
            !*is_over
        };
        match missing.split_last() {
            None => {
                emit(&[], None);
            }
            Some((&last, firsts)) => {
                let candidates = Candidates { net, concurrency, buckets, firsts, last };
                candidates.choose(0, chosen, &mut emit);
            }
        }
    }
}

/// The candidates for the places that an extension still needs.
struct Candidates<'a> {
    net: &'a Occurrence,
    concurrency: &'a Concurrency,
    buckets: &'a [Vec<u32>],
    firsts: &'a [u32],
    last: u32,
}

impl Candidates<'_> {
    /// Chooses conditions for the places from `depth` on. Goes on while `emit` says so, and says whether it did.
    fn choose(
        &self,
        depth: usize,
        chosen: &mut Vec<u32>,
        emit: &mut impl FnMut(&[u32], Option<u32>) -> bool,
    ) -> bool {
        let place = self.firsts.get(depth).copied().unwrap_or(self.last);
        for &condition in &self.buckets[place as usize] {
            if !chosen.iter().all(|&other| self.concurrency.are_concurrent(self.net, condition, other)) {
                continue;
            }
            let goes_on = if depth == self.firsts.len() {
                emit(chosen, Some(condition))
            } else {
                chosen.push(condition);
                let goes_on = self.choose(depth + 1, chosen, emit);
                chosen.pop();
                goes_on
            };
            if !goes_on {
                return false;
            }
        }
        true
    }
}
