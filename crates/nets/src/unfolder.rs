//! The unfolder: possible extensions in adequate order, cut-offs, and a net that may grow meanwhile.
//!
//! Esparza, Römer and Vogler, Figure 5, with one change that stateful exploration needs: places and transitions may be
//! added at any time, and the extensions of a new transition are then sought among the conditions that exist. An event
//! found that way can be smaller than events already there. Nothing is taken back for it: the cut-off rule asks for a
//! *smaller* event with the same marking, wherever it came from, so the prefix stays complete, though it may be larger
//! than that of a net given at once.

use crate::concurrency::Concurrency;
use crate::extensions::{Finder, Shape};
use crate::id::{ConditionId, EventId, PlaceId, TransitionId};
use crate::limits::{BadTransition, Limits, Stop};
use crate::markings::{Markings, scramble};
use crate::net::Net;
use crate::occurrence::{Condition, Event, NONE, Occurrence, Walker};
use crate::order::Order;
use crate::queue::{Extension, Queue};

/// What an event's marking was seen at before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Companion {
    /// The initial marking.
    Initial,
    /// The marking of a smaller event.
    Event(EventId),
}

/// What has been decided about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Taken, and neither extended nor cut off yet.
    Open,
    /// Its conditions take part in extensions.
    Extended,
    /// Nothing is sought after it: a cut-off (or terminal), with the event that makes it one if that is known.
    CutOff(Option<Companion>),
}

/// Unfolds a net step by step.
///
/// [`next`](Unfolder::next) does what the textbook does. A caller with a cut-off rule of its own uses
/// [`take`](Unfolder::take) to get the smallest possible extension as an event, and then decides between
/// [`extend`](Unfolder::extend) and [`cut_off`](Unfolder::cut_off); [`companion`](Unfolder::companion) is the built-in
/// rule. [`add_place`](Unfolder::add_place) and [`add_transition`](Unfolder::add_transition) may come at any time.
#[derive(Clone, Debug)]
pub struct Unfolder {
    pub(crate) order: Order,
    pub(crate) limits: Limits,
    pub(crate) shape: Shape,
    pub(crate) marked: Vec<bool>,
    pub(crate) net: Occurrence,
    pub(crate) status: Vec<Status>,
    pub(crate) concurrency: Concurrency,
    pub(crate) queue: Queue,
    pub(crate) walker: Walker,
    finder: Finder,
    /// For each place the conditions that may be consumed.
    conditions_of: Vec<Vec<u32>>,
    pub(crate) markings: Markings,
    pub(crate) cut_offs: usize,
    /// Why extensions were lost, if some were: the prefix can never be complete then.
    pub(crate) lost: Option<Stop>,
    /// Whether events are still taken in ascending order. It ends when a late transition has extensions, or an event is
    /// extended after others were taken.
    is_ascending: bool,
    cut: Vec<u32>,
    /// The Parikh word of the walk that is the base of extensions.
    base_word: Vec<u32>,
    more_word: Vec<u32>,
}

impl Unfolder {
    /// An unfolder of the empty net.
    #[must_use]
    pub fn new(order: Order, limits: Limits) -> Self {
        Self {
            order,
            limits,
            shape: Shape::default(),
            marked: Vec::new(),
            net: Occurrence::default(),
            status: Vec::new(),
            concurrency: Concurrency::new(),
            queue: Queue::default(),
            walker: Walker::default(),
            finder: Finder::default(),
            conditions_of: Vec::new(),
            markings: Markings::new(),
            cut_offs: 0,
            lost: None,
            is_ascending: true,
            cut: Vec::new(),
            base_word: Vec::new(),
            more_word: Vec::new(),
        }
    }

    /// An unfolder of a whole net.
    #[must_use]
    pub fn of_net(net: &Net, order: Order, limits: Limits) -> Self {
        let mut unfolder = Self::new(order, limits);
        for place in net.places() {
            unfolder.add_place(net.is_marked(place));
        }
        for transition in net.transitions() {
            let added = unfolder.add_transition(net.preset(transition), net.postset(transition));
            debug_assert!(added.is_ok(), "bug in raddle: a net holds a transition that cannot be unfolded");
        }
        unfolder
    }

    /// Adds a place, with or without a token in the initial marking.
    ///
    /// A marked place added late is marked in everything that has happened so far.
    pub fn add_place(&mut self, is_marked: bool) -> PlaceId {
        let place = self.marked.len() as u32;
        self.marked.push(is_marked);
        self.shape.consumers.push(Vec::new());
        self.conditions_of.push(Vec::new());
        if is_marked {
            let condition = self.net.conditions.len() as u32;
            self.net.conditions.push(Condition { place, producer: NONE });
            self.net.initial.push(condition);
            self.conditions_of[place as usize].push(condition);
            self.concurrency.add_initial(&self.net);
        }
        PlaceId(place)
    }

    /// Adds a transition, and its possible extensions among the conditions that there are. Its rank in the Parikh words
    /// is its number.
    ///
    /// # Errors
    /// When the preset is empty, or a place does not exist or stands twice on one side.
    pub fn add_transition(
        &mut self,
        preset: &[PlaceId],
        postset: &[PlaceId],
    ) -> Result<TransitionId, BadTransition> {
        let rank = self.shape.presets.len() as u32;
        self.add_ranked_transition(preset, postset, rank)
    }

    /// As [`add_transition`](Self::add_transition), with the number that stands for the transition in Parikh words and
    /// Foata levels. Ranks must differ; they let a net that was learned in another order have the same unfolding.
    ///
    /// # Errors
    /// As for [`add_transition`](Self::add_transition).
    pub fn add_ranked_transition(
        &mut self,
        preset: &[PlaceId],
        postset: &[PlaceId],
        rank: u32,
    ) -> Result<TransitionId, BadTransition> {
        if preset.is_empty() {
            return Err(BadTransition::NoPreset);
        }
        let first = preset[0].0;
        let (preset, postset) = (self.checked(preset)?, self.checked(postset)?);
        let transition = self.shape.presets.len() as u32;
        self.shape.consume(transition, &preset, first);
        let touched = preset.iter().chain(&postset);
        self.shape.hashes.push(touched.fold(0, |hash, &place| hash ^ scramble(place)));
        self.shape.presets.push(preset);
        self.shape.postsets.push(postset);
        self.shape.ranks.push(rank);
        self.finder.room = self.room();
        let Self { shape, net, concurrency, conditions_of, .. } = self;
        self.finder.of_transition(shape, net, concurrency, transition, conditions_of);
        if !self.finder.found.is_empty() && !self.net.events.is_empty() {
            self.is_ascending = false;
        }
        self.walker.closure(&self.net, &[]);
        self.push_found(0);
        Ok(TransitionId(transition))
    }

    fn checked(&self, places: &[PlaceId]) -> Result<Box<[u32]>, BadTransition> {
        let mut sorted: Vec<u32> = places.iter().map(|place| place.0).collect();
        sorted.sort_unstable();
        if let Some(&last) = sorted.last()
            && last as usize >= self.marked.len()
        {
            return Err(BadTransition::UnknownPlace(PlaceId(last)));
        }
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(BadTransition::Twice(PlaceId(pair[0]))),
            None => Ok(sorted.into_boxed_slice()),
        }
    }

    /// How many more conditions presets may hold.
    fn room(&self) -> usize {
        let by_memory = self.limits.bytes.saturating_sub(self.bytes()) / 4;
        // Presets are found by 32-bit numbers.
        by_memory.min((u32::MAX as usize).saturating_sub(self.net.presets.len()))
    }

    /// Takes note that extensions were lost, because there was no room for them.
    fn lose(&mut self) {
        let (used, limit) = (self.bytes(), self.limits.bytes);
        self.lost = Some(Stop::Bytes { used: used.max(limit.saturating_add(1)), limit });
    }

    /// Puts what the finder found into the queue. All of it comes after the last walk, a configuration whose marking has
    /// the hash given, so only what is not in that has to be walked for each.
    fn push_found(&mut self, base_hash: u64) {
        let base_size = self.walker.events.len();
        self.walker.word(&self.net, &mut self.base_word);
        self.walker.keep_as_base();
        let mut start = 0;
        if self.finder.is_over {
            self.lose();
            return;
        }
        for nth in 0..self.finder.found.len() {
            if self.bytes() > self.limits.bytes {
                self.lose();
                return;
            }
            let transition = self.finder.found[nth];
            let length = self.shape.presets[transition as usize].len();
            let preset = self.net.presets.len() as u32;
            self.net.presets.extend_from_slice(&self.finder.presets[start..start + length]);
            start += length;
            let conditions = &self.net.presets[preset as usize..];
            self.walker.more_causes(&self.net, conditions);
            let more = self.walker.events.iter().map(|&event| &self.net.events[event as usize]);
            let rank = self.shape.ranks[transition as usize];
            let own_hash = self.shape.hashes[transition as usize];
            let hash = more.fold(base_hash ^ own_hash, |hash, event| {
                hash ^ self.shape.hashes[event.transition as usize]
            });
            let producers = conditions.iter().map(|&condition| self.net.producer(condition));
            let below = producers.filter(|&event| event != NONE);
            let level = below.map(|event| self.net.events[event as usize].level + 1).max().unwrap_or(0);
            let mut word = Vec::new();
            if self.order != Order::Mcmillan {
                self.walker.word(&self.net, &mut self.more_word);
                self.more_word.insert(self.more_word.partition_point(|&other| other < rank), rank);
                merge(&self.base_word, &self.more_word, &mut word);
            }
            let item = Extension {
                transition,
                rank,
                preset,
                preset_length: length as u32,
                size: (base_size + self.walker.events.len() + 1) as u32,
                level,
                hash,
                word,
                levels: Vec::new(),
            };
            self.queue.push(item, self.order, &self.net);
        }
    }

    /// Takes the smallest possible extension and adds it, with its postset, as an open event; `None` when there is none.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn take(&mut self) -> Result<Option<EventId>, Stop> {
        if let Some(stop) = &self.lost {
            return Err(stop.clone());
        }
        if self.queue.len() == 0 {
            return Ok(None);
        }
        if self.net.events.len() >= self.limits.events.min(NONE as usize / 2) {
            return Err(Stop::Events(self.limits.events));
        }
        let used = self.bytes();
        if used > self.limits.bytes {
            return Err(Stop::Bytes { used, limit: self.limits.bytes });
        }
        let Some(item) = self.queue.pop(self.order, &self.net) else { return Ok(None) };
        let event = self.net.events.len() as u32;
        let first = self.net.conditions.len() as u32;
        let postset = &self.shape.postsets[item.transition as usize];
        let produced = postset.iter().map(|&place| Condition { place, producer: event });
        self.net.conditions.extend(produced);
        self.net.push(Event {
            transition: item.transition,
            rank: item.rank,
            preset: item.preset,
            preset_length: item.preset_length,
            postset: first,
            postset_length: postset.len() as u32,
            causes: 0,
            causes_length: 0,
            size: item.size,
            level: item.level,
            hash: item.hash,
        });
        self.status.push(Status::Open);
        self.concurrency.add_event(&self.net);
        Ok(Some(EventId(event)))
    }

    /// The smaller event (or the initial marking) with the same marking as an event, which makes it a cut-off.
    ///
    /// Only extended events are companions.
    pub fn companion(&mut self, event: EventId) -> Option<Companion> {
        let entry = self.markings.find(&self.net, &mut self.walker, event.0)?;
        if entry == 0 {
            return Some(Companion::Initial);
        }
        self.is_smaller(entry - 1, event.0).then_some(Companion::Event(EventId(entry - 1)))
    }

    /// Whether one event is smaller than another in the adequate order.
    fn is_smaller(&mut self, left: u32, right: u32) -> bool {
        let (a, b) = (self.net.events[left as usize], self.net.events[right as usize]);
        if a.size != b.size {
            return a.size < b.size;
        }
        if self.order == Order::Mcmillan {
            return false;
        }
        // Without late transitions events are taken in ascending order, and numbered in it.
        if self.is_ascending { left < right } else { self.compare(left, right).is_lt() }
    }

    /// Compares two events of the same size.
    fn compare(&mut self, left: u32, right: u32) -> std::cmp::Ordering {
        let (mut words, mut levels) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for (nth, event) in [left, right].into_iter().enumerate() {
            self.walker.closure(&self.net, &[event]);
            self.walker.word(&self.net, &mut words[nth]);
            self.walker.levels(&self.net, &mut levels[nth]);
        }
        words[0].cmp(&words[1]).then_with(|| self.order.compare_levels(&levels[0], &levels[1]))
    }

    /// Lets an event take part in extensions, and finds those that it makes possible.
    ///
    /// An event that was cut off may be extended later. One that is extended already stays as it is.
    ///
    /// # Errors
    /// When the net turns out not to be safe, or there are more extensions than the memory that is allowed. Both are for
    /// good: nothing can be taken after that.
    pub fn extend(&mut self, event: EventId) -> Result<(), Stop> {
        if self.admit(event) { self.grow(event) } else { Ok(()) }
    }

    /// The first half of [`extend`](Unfolder::extend): what the event produced can be asked about
    /// ([`neighbours`](Unfolder::neighbours)), and transitions may be added that it is the first to enable, before
    /// [`grow`](Unfolder::grow) finds its extensions. False if the event was extended before.
    pub fn admit(&mut self, event: EventId) -> bool {
        match self.status[event.index()] {
            Status::Extended => return false,
            Status::CutOff(_) => self.cut_offs -= 1,
            Status::Open => {}
        }
        self.status[event.index()] = Status::Extended;
        // Whatever was taken since may be larger than what this event makes possible.
        self.is_ascending &= event.index() + 1 == self.net.events.len();
        self.remember(event.0);
        self.walker.closure(&self.net, &[event.0]);
        self.walker.cut(&self.net, &mut self.cut);
        let own = self.net.postset(event.0);
        self.cut.retain(|condition| !own.contains(condition));
        self.concurrency.extend(&self.net, event.0, &self.cut);
        true
    }

    /// The places of the conditions that can hold together with those of the event that was admitted last and are not its
    /// own. A place can come more than once.
    pub fn neighbours(&self) -> impl Iterator<Item = PlaceId> {
        self.neighbouring_conditions().map(|condition| PlaceId(self.net.place(condition.0)))
    }

    /// The conditions that can hold together with those of the event that was admitted last and are not its own.
    pub fn neighbouring_conditions(&self) -> impl Iterator<Item = ConditionId> {
        let row = self.concurrency.newest_row().iter();
        let produced = row.flat_map(|&slot| self.net.postset(self.concurrency.event_of(slot)));
        produced.chain(self.cut.iter().copied()).map(ConditionId)
    }

    /// The conditions of a place that may be consumed: initial ones, and those of extended events.
    pub fn conditions_of(&self, place: PlaceId) -> impl Iterator<Item = ConditionId> {
        self.conditions_of[place.index()].iter().map(|&condition| ConditionId(condition))
    }

    /// Whether two conditions can hold at the same time, which are initial or of events that were admitted. Quicker than
    /// [`can_hold_together`](Unfolder::can_hold_together).
    #[must_use]
    pub fn are_together(&self, left: ConditionId, right: ConditionId) -> bool {
        self.concurrency.are_concurrent(&self.net, left.0, right.0)
    }

    /// The second half of [`extend`](Unfolder::extend), for the event that was admitted last.
    ///
    /// # Errors
    /// As for [`extend`](Unfolder::extend).
    pub fn grow(&mut self, event: EventId) -> Result<(), Stop> {
        for condition in self.net.postset(event.0) {
            self.conditions_of[self.net.place(condition) as usize].push(condition);
        }
        self.finder.room = self.room();
        let twice = self.finder.after_event(&self.shape, &self.net, &self.concurrency, event.0, &self.cut);
        if let Some(place) = twice {
            let transition = TransitionId(self.net.events[event.index()].transition);
            let stop = Stop::Unsafe { place: PlaceId(place), transition };
            self.lost = Some(stop.clone());
            return Err(stop);
        }
        self.walker.closure(&self.net, &[event.0]);
        self.push_found(self.net.events[event.index()].hash);
        self.lost.clone().map_or(Ok(()), Err)
    }

    /// Enters the marking of an event into the table, unless a smaller event is there.
    fn remember(&mut self, event: u32) {
        match self.markings.find(&self.net, &mut self.walker, event) {
            Some(0) => {}
            Some(entry) => {
                if self.is_smaller(event, entry - 1) {
                    self.markings.replace(&self.net, entry, event);
                }
            }
            None => self.markings.add(&self.net, event),
        }
    }

    /// Ends the unfolding at an open event. An event that was decided already stays as it is.
    pub fn cut_off(&mut self, event: EventId, companion: Option<Companion>) {
        if self.status[event.index()] == Status::Open {
            self.status[event.index()] = Status::CutOff(companion);
            self.cut_offs += 1;
        }
    }

    /// Takes the smallest possible extension; cuts it off if its marking was seen before, and extends it otherwise.
    ///
    /// # Errors
    /// When a limit is reached or the net is not safe.
    #[expect(clippy::should_implement_trait, reason = "it can fail, and the net may grow between two calls")]
    pub fn next(&mut self) -> Result<Option<EventId>, Stop> {
        let Some(event) = self.take()? else { return Ok(None) };
        match self.companion(event) {
            Some(companion) => self.cut_off(event, Some(companion)),
            None => self.extend(event)?,
        }
        Ok(Some(event))
    }

    /// Unfolds until nothing is left.
    ///
    /// # Errors
    /// When a limit is reached or the net is not safe.
    pub fn complete(&mut self) -> Result<(), Stop> {
        while self.next()?.is_some() {}
        Ok(())
    }
}

/// Merges two sorted lists.
fn merge(left: &[u32], right: &[u32], merged: &mut Vec<u32>) {
    merged.reserve_exact(left.len() + right.len());
    let mut rest = left;
    for &number in right {
        let (before, after) = rest.split_at(rest.partition_point(|&other| other <= number));
        merged.extend_from_slice(before);
        merged.push(number);
        rest = after;
    }
    merged.extend_from_slice(rest);
}
