//! The occurrence net: conditions and events with their causes, and the walks over them.
//!
//! An event is stored after its causes, so event numbers are a linearisation of causality. Everything that needs the
//! history of an event (its configuration, cut, Parikh word, Foata levels) is one walk backwards; a walk costs no more
//! than the configuration is large, because it leaves stamps instead of keeping sets.

use crate::order::Leveled;

/// Stands for "no event": the producer of an initial condition.
pub(crate) const NONE: u32 = u32::MAX;

/// What is stored of a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) place: u32,
    /// The event that produced it, or [`NONE`].
    pub(crate) producer: u32,
}

/// What is stored of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) transition: u32,
    pub(crate) rank: u32,
    /// Where its preset begins in `presets`.
    pub(crate) preset: u32,
    pub(crate) preset_length: u32,
    /// Where its immediate causes begin in `causes`.
    pub(crate) causes: u32,
    pub(crate) causes_length: u32,
    /// Its first condition; the postset is consecutive.
    pub(crate) postset: u32,
    pub(crate) postset_length: u32,
    /// The number of events in its local configuration, itself included.
    pub(crate) size: u32,
    /// The length of the longest chain of events that ends in it: its level in every Foata normal form.
    pub(crate) level: u32,
    /// The hash of the marking of its local configuration, relative to the initial marking.
    pub(crate) hash: u64,
}

/// Conditions and events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrence {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) events: Vec<Event>,
    /// The presets of events and of possible extensions, each sorted.
    pub(crate) presets: Vec<u32>,
    /// The events that produced the presets of events, each once.
    causes: Vec<u32>,
    pub(crate) initial: Vec<u32>,
}

impl Occurrence {
    pub(crate) fn preset(&self, event: u32) -> &[u32] {
        let Event { preset, preset_length, .. } = self.events[event as usize];
        &self.presets[preset as usize..(preset + preset_length) as usize]
    }

    fn causes(&self, event: u32) -> &[u32] {
        let Event { causes, causes_length, .. } = self.events[event as usize];
        &self.causes[causes as usize..(causes + causes_length) as usize]
    }

    /// Adds an event; its causes are found here.
    pub(crate) fn push(&mut self, mut event: Event) {
        let start = self.causes.len();
        for nth in event.preset..event.preset + event.preset_length {
            let producer = self.producer(self.presets[nth as usize]);
            if producer != NONE && !self.causes[start..].contains(&producer) {
                self.causes.push(producer);
            }
        }
        event.causes = start as u32;
        event.causes_length = (self.causes.len() - start) as u32;
        self.events.push(event);
    }

    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.conditions.len() * size_of::<Condition>()
            + self.events.len() * size_of::<Event>()
            + (self.presets.len() + self.causes.len()) * 4
    }

    pub(crate) fn postset(&self, event: u32) -> std::ops::Range<u32> {
        let Event { postset, postset_length, .. } = self.events[event as usize];
        postset..postset + postset_length
    }

    pub(crate) fn place(&self, condition: u32) -> u32 {
        self.conditions[condition as usize].place
    }

    pub(crate) fn producer(&self, condition: u32) -> u32 {
        self.conditions[condition as usize].producer
    }
}

/// Scratch memory of walks: stamps on events and conditions, and the result of the last walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walker {
    event_stamps: Vec<u32>,
    condition_stamps: Vec<u32>,
    stamp: u32,
    /// The stamp of a walk that the following ones need not repeat; 0 if there is none.
    base: u32,
    /// The events met by the last walk, in the order in which they were met.
    pub(crate) events: Vec<u32>,
}

impl Walker {
    fn begin(&mut self, net: &Occurrence) {
        if self.stamp == u32::MAX {
            self.stamp = 0;
            self.base = 0;
            self.event_stamps.fill(0);
            self.condition_stamps.fill(0);
        }
        self.stamp += 1;
        self.event_stamps.resize(net.events.len(), 0);
        self.events.clear();
    }

    fn visit(&mut self, event: u32) {
        let stamp = &mut self.event_stamps[event as usize];
        if *stamp != self.stamp && (*stamp != self.base || self.base == 0) {
            *stamp = self.stamp;
            self.events.push(event);
        }
    }

    fn close(&mut self, net: &Occurrence) {
        let mut next = 0;
        while next < self.events.len() {
            for &cause in net.causes(self.events[next]) {
                self.visit(cause);
            }
            next += 1;
        }
    }

    /// Collects the causes of a set of conditions.
    pub(crate) fn causes(&mut self, net: &Occurrence, conditions: &[u32]) {
        self.base = 0;
        self.more_causes(net, conditions);
    }

    /// Collects the causes of a set of conditions that the walk called the base has not met.
    pub(crate) fn more_causes(&mut self, net: &Occurrence, conditions: &[u32]) {
        self.begin(net);
        for &condition in conditions {
            let producer = net.producer(condition);
            if producer != NONE {
                self.visit(producer);
            }
        }
        self.close(net);
    }

    /// Collects events and all their causes.
    pub(crate) fn closure(&mut self, net: &Occurrence, events: &[u32]) {
        self.base = 0;
        self.begin(net);
        for &event in events {
            self.visit(event);
        }
        self.close(net);
    }

    /// Makes the last walk the base of `more_causes`, until another kind of walk.
    pub(crate) const fn keep_as_base(&mut self) {
        self.base = self.stamp;
    }

    /// Whether the last walk met the event.
    pub(crate) fn met(&self, event: u32) -> bool {
        self.event_stamps[event as usize] == self.stamp
    }

    /// Whether two events of the last walk consume the same condition.
    pub(crate) fn has_conflict(&mut self, net: &Occurrence) -> bool {
        self.condition_stamps.resize(net.conditions.len(), 0);
        for &event in &self.events {
            for &condition in net.preset(event) {
                let stamp = &mut self.condition_stamps[condition as usize];
                if *stamp == self.stamp {
                    return true;
                }
                *stamp = self.stamp;
            }
        }
        false
    }

    /// The conditions that remain when the events of the last walk have happened.
    pub(crate) fn cut(&mut self, net: &Occurrence, cut: &mut Vec<u32>) {
        self.condition_stamps.resize(net.conditions.len(), 0);
        cut.clear();
        for &event in &self.events {
            for &condition in net.preset(event) {
                self.condition_stamps[condition as usize] = self.stamp;
            }
        }
        let kept = |condition: &u32| self.condition_stamps[*condition as usize] != self.stamp;
        cut.extend(net.initial.iter().copied().filter(kept));
        for &event in &self.events {
            cut.extend(net.postset(event).filter(kept));
        }
    }

    /// The Parikh word of the last walk.
    pub(crate) fn word(&self, net: &Occurrence, word: &mut Vec<u32>) {
        word.clear();
        word.extend(self.events.iter().map(|&event| net.events[event as usize].rank));
        word.sort_unstable();
    }

    /// The Foata normal form of the last walk.
    pub(crate) fn levels(&self, net: &Occurrence, levels: &mut Vec<Leveled>) {
        levels.clear();
        levels.extend(self.events.iter().map(|&event| {
            let Event { level, rank, .. } = net.events[event as usize];
            Leveled { level, rank }
        }));
        levels.sort_unstable();
    }
}
