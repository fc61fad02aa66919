//! What is known of a program: local states and objects.

use raddle_trace::{Kind, ThreadId, ThreadSet};

use super::local::{Local, Seen};
use super::valuation::Content;
use super::{Called, Intent, LocalState, Marking, Next, ObjectName, ThreadState, Valuation};
use crate::Doubt;

/// Why a program is beyond the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// It uses an operation that has no construct: a spin loop, a channel without room.
    Operation(Kind),
    /// It uses memory that is not synchronised, in a way that the model does not show: whether there are races, or what threads
    /// know from it, depends on more than local states.
    Plain,
    /// Threads share memory that no lock guards, and are told of each other by something that orders nothing (`races.rs`): a
    /// failed try, a notification, a weak atomic operation. Its markings do not show all races then.
    Unordered,
    /// Two runs do not tell which of their objects are the same.
    Objects,
    /// A number that a thread uses is another one in each run: an address.
    Unstable,
    /// A run failed before it came to where it was sent: what comes there cannot be known.
    Hidden,
    /// It is too large.
    Size,
}

/// An object as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Thing {
    /// The object that this one turned out to be.
    pub(super) is: Option<ObjectName>,
    /// Its level before anybody touched it.
    pub(super) first: Option<i64>,
    /// Whether it is a memory cell; unknown while nobody has touched it.
    pub(super) memory: Option<bool>,
    /// The threads that use it.
    pub(super) users: ThreadSet,
    /// The threads that look at it without changing it.
    pub(super) readers: ThreadSet,
    /// Whether somebody changes it, and whether it is plain memory.
    pub(super) changed: bool,
    pub(super) plain: bool,
    /// The locks that are always held when it is used while other threads are around, and when it is used at all after
    /// the first thread was created.
    pub(super) guards: super::movers::Guards,
    pub(super) guards_ever: super::movers::Guards,
    /// Whether there is an operation that notices a lock without waiting for it.
    pub(super) tried: bool,
    /// Its number in the run that met it first.
    pub(super) number: usize,
}

/// What is known of a program.
#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    locals: Vec<Local>,
    pub(super) things: Vec<Thing>,
    by_value: bool,
    /// Changes when a run has shown objects, or threads that use them.
    pub(super) version: u64,
    pub(super) layout: (Vec<super::alike::Layout>, ThreadSet),
    /// Changes when two names are found to stand for one object.
    pub(super) renamed: u64,
    /// Whether threads other than the main thread create threads.
    pub(super) nested: bool,
    /// The threads that hand something over to who waits for their end.
    pub(super) heirs: ThreadSet,
    /// Whether a thread was told of another by something that does not order what the two did before.
    pub(super) told_without_order: bool,
    pub(super) beyond: Option<Beyond>,
    pub(super) doubt: Option<Doubt>,
    /// Pairs of objects that one run has shown to be different.
    pub(super) apart: std::collections::BTreeSet<(ObjectName, ObjectName)>,
    pub(super) called: Called,
    /// Whether objects have the same number in all runs.
    pub(crate) stable: bool,
    /// Pairs of objects that no run has shown to be different or the same.
    pub(super) unknown: Vec<(ObjectName, ObjectName)>,
}

impl Knowledge {
    pub(crate) fn new(by_value: bool) -> Knowledge {
        let mut main = Local::new(ThreadId::MAIN, None);
        main.next = Next::Does(Intent::local(Kind::Start));
        Knowledge {
            locals: vec![main],
            things: Vec::new(),
            by_value,
            version: 0,
            layout: (Vec::new(), ThreadSet::EMPTY),
            renamed: 0,
            nested: false,
            heirs: ThreadSet::EMPTY,
            told_without_order: false,
            beyond: None,
            doubt: None,
            apart: std::collections::BTreeSet::new(),
            called: Called::default(),
            stable: false,
            unknown: Vec::new(),
        }
    }

    /// Nothing is known any more, except how objects are numbered.
    pub(crate) fn anew(&self) -> Knowledge {
        Knowledge { stable: self.stable, ..Knowledge::new(self.by_value) }
    }

    /// The first local state of the main thread.
    pub(crate) fn main(&self) -> LocalState {
        LocalState(0)
    }

    /// Changes when the places of the net have to be laid out anew.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Changes when markings that were kept are no longer valid.
    pub(crate) fn renamed(&self) -> u64 {
        self.renamed
    }

    pub(crate) fn beyond(&self) -> Option<Beyond> {
        self.beyond
    }

    pub(crate) fn give_up(&mut self, why: Beyond) {
        self.beyond.get_or_insert(why);
    }

    pub(crate) fn doubt(&self) -> Option<&Doubt> {
        self.doubt.as_ref()
    }

    /// Whether the contents of cells are named by their values.
    pub(crate) fn by_value(&self) -> bool {
        self.by_value
    }

    pub(crate) fn local(&self, state: LocalState) -> &Local {
        &self.locals[state.index()]
    }

    /// All local states.
    pub(super) fn locals(&self) -> impl Iterator<Item = LocalState> + use<> {
        (0..self.locals.len() as u32).map(LocalState)
    }

    pub(super) fn local_mut(&mut self, state: LocalState) -> &mut Local {
        &mut self.locals[state.index()]
    }

    /// The local state that a step which saw this leads to.
    pub(super) fn child(&mut self, from: LocalState, seen: Seen) -> LocalState {
        if let Some(&known) = self.locals[from.index()].children.get(&seen) {
            return known;
        }
        let state = LocalState(self.locals.len() as u32);
        self.locals.push(Local::new(self.locals[from.index()].thread, Some(from)));
        self.locals[from.index()].children.insert(seen, state);
        state
    }

    /// The first local state of a thread that is created in this one.
    pub(super) fn created(&mut self, from: LocalState, thread: ThreadId) -> LocalState {
        if let Some(&known) = self.locals[from.index()].created.get(&thread) {
            return known;
        }
        let state = LocalState(self.locals.len() as u32);
        let mut first = Local::new(thread, None);
        first.next = Next::Does(Intent::local(Kind::Start));
        self.locals.push(first);
        self.locals[from.index()].created.insert(thread, state);
        state
    }

    /// Whether it is known what a thread in this state does next, so that no run is needed to go on from here.
    pub(crate) fn is_complete(&self, state: ThreadState) -> bool {
        match state {
            ThreadState::Absent | ThreadState::Over => true,
            ThreadState::Asleep(_) | ThreadState::At(_) => self.knows_next(state),
        }
    }

    fn knows_next(&self, state: ThreadState) -> bool {
        let Some(local) = state.local() else { return true };
        let local = self.local(local);
        match local.next {
            Next::Unknown => false,
            Next::Ended | Next::Fails | Next::Exits => true,
            Next::Does(intent) => {
                // An object that nobody has touched has only been seen to keep somebody waiting.
                let untouched = intent
                    .object
                    .is_some_and(|object| self.things[self.find(object).index()].first.is_none());
                !untouched || waits(intent.kind)
            }
        }
    }

    /// Whether a thread that is in this state has come to its end.
    pub(crate) fn has_ended(&self, state: ThreadState) -> bool {
        state == ThreadState::Over || state.local().is_some_and(|at| self.local(at).next == Next::Ended)
    }

    /// The state as a place of the net: what a thread has seen does not matter any more when it has ended, unless it
    /// hands something over to who waits for it.
    pub(crate) fn as_place(&self, thread: ThreadId, state: ThreadState) -> ThreadState {
        let forgotten = self.has_ended(state) && !self.heirs.contains(thread);
        if forgotten { ThreadState::Over } else { state }
    }

    /// Whether a thread that is in this state has asked for the end of the program.
    pub(crate) fn exits(&self, state: ThreadState) -> bool {
        state.local().is_some_and(|local| self.local(local).next == Next::Exits)
    }

    /// Whether somebody waits for ever if nothing can happen any more.
    pub(crate) fn is_deadlock(&self, marking: &Marking) -> bool {
        let waits = |state: ThreadState| state.local().is_some() && !self.has_ended(state);
        let mut states = marking.threads().map(|(_, state)| state);
        states.any(waits) && !marking.threads().any(|(_, state)| self.exits(state))
    }

    /// The object that a name stands for.
    pub(crate) fn find(&self, object: ObjectName) -> ObjectName {
        let mut at = object;
        while let Some(is) = self.things[at.index()].is {
            at = is;
        }
        at
    }

    /// All objects, in order of name.
    pub(crate) fn objects(&self) -> impl Iterator<Item = ObjectName> {
        let own = self.things.iter().enumerate().filter(|(_, thing)| thing.is.is_none());
        own.map(|(index, _)| ObjectName(index as u32))
    }

    /// Whether the object is a memory cell.
    pub(crate) fn is_memory(&self, object: ObjectName) -> bool {
        self.things[object.index()].memory == Some(true)
    }

    /// The threads that use an object.
    pub(crate) fn users(&self, object: ObjectName) -> ThreadSet {
        self.things[object.index()].users
    }

    /// The threads that look at an object without changing it.
    pub(crate) fn readers(&self, object: ObjectName) -> ThreadSet {
        self.things[object.index()].readers
    }

    /// The number of the object in the run that met it first.
    pub(crate) fn number(&self, object: ObjectName) -> usize {
        self.things[object.index()].number
    }

    /// The valuation of an object before anybody touched it.
    pub(crate) fn first_valuation(&self, object: ObjectName) -> Option<Valuation> {
        let thing = &self.things[object.index()];
        let first = thing.first?;
        Some(match (thing.memory, self.by_value) {
            (Some(true), true) => Valuation::first(0).with_content(Content::Value(first)),
            (Some(true), false) => Valuation::first(0),
            _ => Valuation::first(first),
        })
    }

    /// The number that a cell holds.
    pub(crate) fn value(&self, object: ObjectName, content: Content) -> Option<i64> {
        match content {
            Content::First => self.things[object.index()].first,
            Content::By(state) => self.local(state).wrote,
            Content::Value(value) => Some(value),
        }
    }
}

/// Whether an operation of this kind waits until its object lets it go.
fn waits(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Lock | Relock | Read | Write | Acquire | Park | OnceEnter | Send | Receive)
}
