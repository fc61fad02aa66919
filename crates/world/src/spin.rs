//! Spinning threads wait.
//!
//! A loop that reads, finds nothing to do and gives a hint (`spin_loop`, `yield_now`, a time-out) would otherwise be a
//! loop without end for a search. Two rounds in a row that saw the same, at the same places, will be followed by a third
//! that is the same again, unless somebody changes something. So after the second one the thread waits until one of the
//! objects has changed since it was read. A loop without any hint is recognised too, after many more rounds.
//!
//! Whether a thread waits depends only on what it saw, not on what others did meanwhile: otherwise two runs of one trace
//! could differ.
//!
//! What this loses, and the verdict says so: a loop that counts its rounds and gives up may give up later than it
//! could.

use raddle_trace::limits::{MAX_EMPTY_HINTS, QUIET_ROUNDS};
use raddle_trace::{Event, Kind, ObjectId, Outcome, Place, ThreadId};

use crate::world::World;

/// What a thread that gave a hint has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// Go on: it is making progress, as far as can be told.
    GoOn,
    /// Wait, with an operation of kind [`Kind::Spin`] and this mask.
    Wait(u64),
}

/// What a thread saw in the current round of a loop, and in the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// The objects seen since the last progress, with their number of changes when last seen.
    watched: Vec<(ObjectId, u32)>,
    /// A hash of the places and objects of the current round.
    current: u64,
    /// The same of the round before; zero if there was none.
    previous: u64,
    /// Observations of something already seen and unchanged, since the last progress.
    repeated: u32,
    /// Hints in a row without anything seen in between.
    empty: u32,
    /// Whether the round took a lock: what it saw under the lock is not known here.
    locked: bool,
}

impl Rounds {
    pub(crate) fn clear(&mut self) {
        self.watched.clear();
        self.current = 0;
        self.previous = 0;
        self.repeated = 0;
        self.empty = 0;
        self.locked = false;
    }

    /// Makes it what another one is; what was allocated stays.
    pub(crate) fn put_back(&mut self, saved: &Rounds) {
        let mut watched = std::mem::take(&mut self.watched);
        watched.clone_from(&saved.watched);
        *self = Rounds { watched, ..*saved };
    }

    fn see(&mut self, object: ObjectId, changes: u32, own: u32, place: Place) {
        let address = place.address();
        // How often a thread took a lock itself is nothing that it saw.
        let version = if self.locked { 0 } else { u64::from(changes) << 32 };
        let number =
            (address ^ version ^ (object.index() as u64) << 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        self.current = self.current.rotate_left(5) ^ number;
        match self.watched.iter_mut().find(|(seen, _)| *seen == object) {
            Some((_, seen_changes)) if *seen_changes + own == changes => {
                *seen_changes = changes;
                self.repeated += 1;
            }
            Some((_, seen_changes)) => {
                *seen_changes = changes;
                self.repeated = 0;
            }
            None => self.watched.push((object, changes)),
        }
    }

    fn mask(&self) -> u64 {
        self.watched.iter().fold(0, |mask, (object, _)| mask | object.watch_bit())
    }
}

impl World {
    /// Takes note of an executed event, to recognise loops.
    pub fn observe(&mut self, event: &Event) {
        use Kind::*;
        let operation = &event.operation;
        let rounds = &mut self.threads[event.thread.index()].rounds;
        let sees = match operation.kind {
            Load | Timeout | OnceLook => true,
            Store | ReadModifyWrite | CompareExchange | WeakCompareExchange => event.before == event.value,
            Lock | TryLock | TimedLock | Relock | Read | TryRead | TimedRead | Write | TryWrite
            | TimedWrite => {
                rounds.locked = true;
                true
            }
            Unlock | ReadUnlock | WriteUnlock | Wait | TimedWait | FickleWait => {
                return self.forget_own_change(event);
            }
            TryAcquire | TimedAcquire | TryReceive | TimedReceive | TrySend | TimedPark | NotifyOne
            | NotifyAll => {
                matches!(event.outcome, Outcome::Failed | Outcome::TimedOut)
            }
            Spin | PlainRead | Fence | LockAgain | UnlockInner => return,
            _ => false,
        };
        if sees {
            let changes = self.objects[operation.object.index()].changes;
            // Taking a lock alone is a change to others, but not to whoever does it.
            let own = rounds.locked && event.before != event.value && operation.kind.takes_alone();
            rounds.see(operation.object, changes, u32::from(own), event.place);
        } else {
            rounds.clear();
        }
    }

    /// What the thread itself did to a lock is no reason to go on.
    fn forget_own_change(&mut self, event: &Event) {
        let lock = event.operation.mutex().unwrap_or(event.operation.object);
        let changes = self.objects[lock.index()].changes;
        let rounds = &mut self.threads[event.thread.index()].rounds;
        if let Some((_, seen)) = rounds.watched.iter_mut().find(|(seen, _)| *seen == lock) {
            *seen = changes;
        }
    }

    /// A thread said that it has nothing to do for now.
    pub fn hint(&mut self, thread: ThreadId) -> Hint {
        let rounds = &mut self.threads[thread.index()].rounds;
        rounds.empty = if rounds.current == 0 { rounds.empty + 1 } else { 0 };
        // A loop of nothing but hints can only wait for the others to come to an end.
        let idles = rounds.empty > MAX_EMPTY_HINTS;
        let spins = idles || (rounds.current != 0 && rounds.current == rounds.previous);
        rounds.previous = rounds.current;
        rounds.current = 0;
        if spins { Hint::Wait(rounds.mask()) } else { Hint::GoOn }
    }

    /// Whether the thread has read the same things so often that it is taken to be spinning without a hint.
    #[inline]
    pub fn spins_without_hint(&mut self, thread: ThreadId) -> Option<u64> {
        let rounds = &self.threads[thread.index()].rounds;
        if rounds.repeated < QUIET_ROUNDS {
            return None;
        }
        let often = rounds.repeated >= QUIET_ROUNDS.saturating_mul(rounds.watched.len().max(1) as u32);
        often.then(|| {
            let rounds = &mut self.threads[thread.index()].rounds;
            rounds.repeated = 0;
            rounds.mask()
        })
    }

    /// Whether the loop of a spinning thread looked under a lock, where its progress cannot be seen.
    #[must_use]
    pub fn looked_under_lock(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].rounds.locked
    }

    /// Whether nobody changed what the thread has seen.
    pub(crate) fn nothing_changed(&self, thread: ThreadId) -> bool {
        let watched = &self.threads[thread.index()].rounds.watched;
        watched.iter().all(|(object, changes)| self.objects[object.index()].changes == *changes)
    }

    /// Lets a spinning thread go on although nothing changed, because nobody else can: what anybody did has led to that.
    pub fn release_spinner(&mut self, thread: ThreadId) {
        self.threads[thread.index()].rounds.clear();
        self.pending[thread.index()].operation.operand = u64::MAX;
        self.pending[thread.index()].outcome = Some(Outcome::Done);
    }

    /// What the thread has seen so far does not belong to the loop that it enters now.
    pub fn start_new_loop(&mut self, thread: ThreadId) {
        self.threads[thread.index()].rounds.clear();
    }
}
