//! Which steps may be taken at once with what comes before them.
//!
//! A step that never waits and that can be moved in front of any step of another thread needs no place of its own in the
//! order: whoever interrupts the thread before it may as well interrupt it after it (Lipton, "Reduction: a method of proving
//! properties of parallel programs", 1975). Such are: what only concerns the thread itself; giving up a lock for which others
//! only wait; and the use of memory that no other thread uses, or only while it holds a lock that this one holds too.
//!
//! Whether memory is guarded like that is learned from runs. A run that shows otherwise changes the layout of the net, and
//! the net is built anew. Such a run is made: up to the first unguarded access everything was as supposed, so the local
//! state before it is found.

use raddle_trace::{Event, Kind, Outcome, ThreadId};

use super::{Intent, Knowledge, LocalState, Next, ObjectName, ThreadState};

/// The locks that all threads hold when they use an object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Guards(Option<Vec<ObjectName>>);

impl Guards {
    fn are_held(&self) -> bool {
        self.0.as_ref().is_none_or(|locks| !locks.is_empty())
    }

    pub(super) fn meet(&mut self, held: &[ObjectName]) {
        match &mut self.0 {
            Some(locks) => locks.retain(|lock| held.contains(lock)),
            None => self.0 = Some(held.to_vec()),
        }
    }

    /// What both say, after two names were found to be one.
    pub(super) fn meet_all(&mut self, other: &Guards) {
        if let Some(locks) = &other.0 {
            self.meet(locks);
        }
    }
}

impl Knowledge {
    /// Whether a thread in this state takes its next step at once.
    pub(crate) fn goes_on(&self, state: ThreadState) -> bool {
        let ThreadState::At(_) = state else { return false };
        let Some(intent) = self.intent(state) else { return false };
        match intent.kind {
            Kind::Start | Kind::End | Kind::Create | Kind::Pass => true,
            Kind::Unlock | Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange => {
                intent.object.is_some_and(|object| self.is_calm(object))
            }
            _ => false,
        }
    }

    /// Whether a run that comes to this state fails there.
    pub(crate) fn fails(&self, state: ThreadState) -> bool {
        state.local().is_some_and(|local| self.local(local).next == Next::Fails)
    }

    /// Whether others notice nothing of an object while a thread is at it: a lock that nobody only tries to take, or memory
    /// that is guarded.
    pub(crate) fn is_calm(&self, object: ObjectName) -> bool {
        let thing = &self.things[object.index()];
        match thing.memory {
            Some(true) => {
                let guards = if self.nested { &thing.guards_ever } else { &thing.guards };
                thing.users.len() <= 1 || guards.are_held()
            }
            Some(false) => !thing.tried,
            None => false,
        }
    }

    /// Takes note of how an object is used in a local state.
    pub(super) fn note_use(&mut self, local: LocalState, intent: &Intent) {
        use Kind::*;
        if intent.kind == Join && intent.carries {
            self.heirs.insert(ThreadId::new(intent.operand as usize));
        }
        let Some(object) = intent.object else { return };
        match intent.kind {
            Load | Store | ReadModifyWrite | CompareExchange | WeakCompareExchange => {
                let state = self.local(local);
                let (thread, around, before) = (state.thread, state.around, state.creates);
                let held: Vec<ObjectName> = state.held.iter().map(|lock| self.find(*lock)).collect();
                let found = |guards: &mut Guards, knowledge: &Knowledge| {
                    if let Some(locks) = &mut guards.0 {
                        locks.iter_mut().for_each(|lock| *lock = knowledge.find(*lock));
                    }
                };
                let thing = &self.things[object.index()];
                let (mut guards, mut ever) = (thing.guards.clone(), thing.guards_ever.clone());
                found(&mut guards, self);
                found(&mut ever, self);
                // While there is no other thread, nothing has to be guarded.
                if thread != ThreadId::MAIN || !around.is_empty() {
                    guards.meet(&held);
                }
                if thread != ThreadId::MAIN || before {
                    ever.meet(&held);
                }
                let thing = &mut self.things[object.index()];
                (thing.guards, thing.guards_ever) = (guards, ever);
                if !matches!(intent.kind, Store | ReadModifyWrite) {
                    thing.readers.insert(thread);
                }
                thing.changed |= intent.kind != Load;
                thing.plain |= intent.plain;
            }
            Lock | Relock | Unlock | LockAgain | UnlockInner => {}
            _ => self.things[object.index()].tried = true,
        }
    }

    /// Takes note of the locks that a thread holds after a step, and of the threads that are around.
    pub(super) fn note_locks(
        &mut self,
        from: LocalState,
        target: LocalState,
        intent: &Intent,
        event: &Event,
    ) {
        use Kind::*;
        let state = self.local(from);
        let (mut held, mut around, mut creates) = (state.held.clone(), state.around, state.creates);
        let let_go = |held: &mut Vec<ObjectName>, lock: Option<ObjectName>, knowledge: &Knowledge| {
            let lock = lock.map(|lock| knowledge.find(lock));
            held.retain(|known| Some(knowledge.find(*known)) != lock);
        };
        match intent.kind {
            Lock | TryLock | TimedLock | Relock if event.outcome == Outcome::Done => {
                held.extend(intent.object);
            }
            Unlock => let_go(&mut held, intent.object, self),
            Wait | TimedWait | FickleWait => let_go(&mut held, intent.mutex, self),
            Create => {
                around.insert(ThreadId::new(intent.operand as usize));
                creates = true;
                self.nested |= event.thread != ThreadId::MAIN;
            }
            Join => around.remove(ThreadId::new(intent.operand as usize)),
            _ => {}
        }
        let target = self.local_mut(target);
        (target.held, target.around, target.creates) = (held, around, creates);
    }
}
