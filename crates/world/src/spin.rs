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
//! A thread never waits in this way with a lock in its hands that each round takes and gives back: who would change something
//! may need that very lock. It waits as soon as it has given it back.
//!
//! What this loses where nobody knows what a thread keeps to itself, and the verdict says so: a loop that counts its rounds and
//! gives up may give up later than it could. Where somebody knows (the number given to [`World::hint`] and [`World::round`]),
//! nothing is guessed and nothing lost, until a thread has changed on its own for very long without doing anything.

use raddle_trace::limits::{MAX_EMPTY_HINTS, MAX_UNLIKE_HINTS, QUIET_ROUNDS};
use raddle_trace::{Event, Kind, ObjectId, Operation, Outcome, Place, ThreadId};

use crate::world::World;

/// What a thread that gave a hint has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// Go on: it is making progress, as far as can be told.
    GoOn,
    /// Wait, with an operation of kind [`Kind::Spin`] and this mask.
    Wait(u64, Trust),
}

/// How well it is known that a thread only waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// A round has left everything as it was.
    Known,
    /// It may have changed something under a lock, where nobody looks.
    Assumed,
    /// It has changed on its own, for so long that the others go first.
    Cut,
}

/// What a thread waits for in a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaits {
    /// A change of something that it has seen.
    Change,
    /// A moment, and nothing else.
    Time,
    /// Whichever of the two comes first.
    ChangeOrTime,
}

/// How often in a row a thread may give way, or wait in vain, without seeing any change, before it lets the others go first.
const PATIENCE: u32 = 100;

/// How often the time of a thread that waits by the clock runs out, without any change in between.
const MAX_STRIDES: u32 = 2;

/// More observations than any thread is asked for: it waits at the next opportunity.
const ENOUGH: u32 = u32::MAX / 2;

/// An object that a thread has seen since its last progress.
#[derive(Clone, Copy, Debug)]
struct Watched {
    object: ObjectId,
    /// How often it had changed when last seen.
    changes: u32,
    /// How often the thread has taken it, if it can be taken.
    taken: u32,
    /// Whether the thread has it now.
    held: bool,
}

/// A loop, and in which state the thread was at its last round.
#[derive(Clone, Copy, Debug)]
struct Passed {
    which: u64,
    /// Stands for a part of that state.
    mark: u64,
    /// Stands for all of it, if somebody has looked.
    own: Option<u64>,
    /// What it had done that no event tells.
    unseen: Unseen,
}

/// What an event is to a thread that may be in a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sight {
    /// It has looked at an object, and changed nothing.
    Looks,
    /// It has taken a lock, or tried to.
    Takes,
    /// It has given a lock back.
    GivesBack,
    /// It has let readers in to a lock that it keeps.
    LetsIn,
    /// It has begun to wait, and given a lock back for that.
    Waits,
    /// Whether it waits for a change rather than for the clock.
    StaysOrNot,
    /// Neither here nor there.
    Nothing,
    /// It has changed something.
    Progress,
}

impl Sight {
    #[inline]
    fn of(event: &Event) -> Sight {
        use Kind::*;
        let looks = |looks: bool| if looks { Sight::Looks } else { Sight::Progress };
        match event.operation.kind {
            Load | Timeout | OnceLook => Sight::Looks,
            Store | ReadModifyWrite | CompareExchange | WeakCompareExchange => {
                looks(event.before == event.value)
            }
            Lock | TryLock | TimedLock | Relock | Read | TryRead | TimedRead | Write | TryWrite
            | TimedWrite => Sight::Takes,
            Unlock | ReadUnlock | WriteUnlock => Sight::GivesBack,
            Downgrade => Sight::LetsIn,
            Wait | TimedWait | FickleWait => Sight::Waits,
            TryAcquire | TimedAcquire | TryReceive | TimedReceive | TrySend | TimedPark | NotifyOne
            | NotifyAll => looks(matches!(event.outcome, Outcome::Failed | Outcome::TimedOut)),
            Spin | PlainRead | Fence | LockAgain | UnlockInner => Sight::Nothing,
            Choose if Operation::chooses_time(Choose, event.operation.operand) => Sight::StaysOrNot,
            _ => Sight::Progress,
        }
    }
}

/// Whether a thread still has a lock that it did something to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Afterwards {
    Held,
    Free,
}

/// Whether an event changes anything but the state of a lock that a loop may take and give back in every round.
#[must_use]
pub fn is_progress(event: &Event) -> bool {
    Sight::of(event) == Sight::Progress
}

/// What a thread has done that no event tells.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Unseen {
    /// How often it has looked at the clock.
    looks: u32,
    /// How often it may have changed what a lock guards.
    touches: u32,
}

/// What a thread saw in the current round of a loop, and in the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// The objects seen since the last progress.
    watched: Vec<Watched>,
    /// A hash of the places and objects of the current round.
    current: u64,
    /// The same of the round before; zero if there was none.
    previous: u64,
    /// Observations of something already seen and unchanged, since the last progress.
    repeated: u32,
    /// What the thread kept to itself at its last hint, if somebody has looked.
    own: Option<u64>,
    /// Hints since the last progress at which that had changed, and nothing else.
    unlike: u32,
    /// Hints in a row without anything seen in between.
    empty: u32,
    /// Whether a round took a lock: what it saw under the lock is not known here.
    locked: bool,
    /// What it has done so far that no event tells.
    unseen: Unseen,
    /// The same when it last gave a hint.
    unseen_before: Unseen,
    /// Whether it may have changed something under a lock in the last round.
    touched: bool,
    /// The loops that the thread has gone round since the last progress.
    passed: Vec<Passed>,
    /// How often it has given way, or waited in vain, since it last saw a change.
    idle: u32,
    /// Whether it waits because of that, although it may do something else in each round.
    impatient: bool,
    /// Whether its loop goes by the clock: it looked there in the last round.
    clocked: bool,
    /// How often its time has run out since it last saw a change.
    ran_out: u32,
    /// Whether it has decided to wait for a change rather than for the clock.
    stays: bool,
}

impl Rounds {
    pub(crate) fn clear(&mut self) {
        self.watched.clear();
        self.current = 0;
        self.previous = 0;
        self.repeated = 0;
        self.own = None;
        self.unlike = 0;
        self.empty = 0;
        self.locked = false;
        self.unseen = Unseen::default();
        self.unseen_before = Unseen::default();
        self.touched = false;
        self.passed.clear();
        self.idle = 0;
        self.impatient = false;
        self.clocked = false;
        self.ran_out = 0;
        self.stays = false;
    }

    /// The thread has given way, or waited in vain.
    fn idles(&mut self) {
        self.idle += 1;
        if self.idle > PATIENCE {
            self.idle = 0;
            self.impatient = true;
            self.repeated = ENOUGH;
        }
    }

    /// Makes it what another one is; what was allocated stays.
    pub(crate) fn put_back(&mut self, saved: &Rounds) {
        let (mut watched, mut passed) = (std::mem::take(&mut self.watched), std::mem::take(&mut self.passed));
        watched.clone_from(&saved.watched);
        passed.clone_from(&saved.passed);
        *self = Rounds { watched, passed, ..*saved };
    }

    /// Sees an object that has changed so often, `own` times by what the thread itself does now.
    fn see(&mut self, object: ObjectId, changes: u32, own: u32, takes: bool, place: Place) {
        let address = place.address();
        // How often a thread took a lock itself is nothing that it saw.
        let version = if self.locked { 0 } else { u64::from(changes) << 32 };
        let number =
            (address ^ version ^ (object.index() as u64) << 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        self.current = self.current.rotate_left(5) ^ number;
        match self.watched.iter_mut().find(|seen| seen.object == object) {
            Some(seen) => {
                if seen.changes + own == changes {
                    self.repeated += 1;
                } else {
                    (self.repeated, self.idle, self.impatient) = (0, 0, false);
                    (self.ran_out, self.stays) = (0, false);
                    if self.locked {
                        // What changed under the lock, the thread may be about to see only now.
                        self.passed.clear();
                    }
                }
                seen.changes = changes;
                seen.taken += u32::from(takes);
                seen.held |= takes;
            }
            None => self.watched.push(Watched { object, changes, taken: u32::from(takes), held: takes }),
        }
    }

    /// The thread comes by a loop, with this in its hands: whether it had the same when it last came by.
    fn passes_alike(&mut self, which: u64, own: u64) -> bool {
        let unseen = self.unseen;
        let Some(passed) = self.passed.iter_mut().find(|passed| passed.which == which) else {
            self.passed.push(Passed { which, mark: 0, own: Some(own), unseen });
            return false;
        };
        let before = std::mem::replace(&mut passed.unseen, unseen);
        let alike = passed.own.replace(own) == Some(own);
        self.end_round(before);
        alike
    }

    /// A round has come to its end that began when the thread had done this that no event tells.
    fn end_round(&mut self, before: Unseen) {
        self.clocked = self.unseen.looks != before.looks;
        self.touched = self.unseen.touches != before.touches;
    }

    /// How well it is known that the thread only waits, if it is to wait now.
    fn trust(&self) -> Trust {
        match (self.impatient, self.touched) {
            (true, _) => Trust::Cut,
            (false, true) => Trust::Assumed,
            (false, false) => Trust::Known,
        }
    }

    fn mask(&self) -> u64 {
        self.watched.iter().fold(0, |mask, seen| mask | seen.object.watch_bit())
    }

    /// Whether the thread has something in its hands that it takes in every round. What it took once, before the loop, it
    /// keeps while it waits, and others wait for it with reason.
    fn holds_what_it_takes_again(&self) -> bool {
        self.watched.iter().any(|seen| seen.held && seen.taken > 1)
    }
}

impl World {
    /// Takes note of an executed event, to recognise loops.
    #[inline]
    pub fn observe(&mut self, event: &Event) {
        use Kind::{CompareExchange, Load, ReadModifyWrite, Store};
        // What most events are is told here without a detour.
        match event.operation.kind {
            Store | ReadModifyWrite | CompareExchange if event.before != event.value => {
                debug_assert_eq!(Sight::of(event), Sight::Progress);
                self.threads[event.thread.index()].rounds.clear();
            }
            Load => {
                debug_assert_eq!(Sight::of(event), Sight::Looks);
                let changes = self.objects[event.operation.object.index()].changes;
                let rounds = &mut self.threads[event.thread.index()].rounds;
                rounds.see(event.operation.object, changes, 0, false, event.place);
            }
            _ => self.observe_any(event),
        }
    }

    fn observe_any(&mut self, event: &Event) {
        let sight = Sight::of(event);
        let rounds = &mut self.threads[event.thread.index()].rounds;
        let takes = match sight {
            Sight::Nothing => return,
            Sight::StaysOrNot => {
                rounds.stays = event.alternative == 0;
                return;
            }
            Sight::GivesBack => return self.forget_own_change(event, Afterwards::Free),
            Sight::LetsIn => return self.forget_own_change(event, Afterwards::Held),
            Sight::Waits => {
                // A loop around a wait waits there: whether the thread is among those who can be notified matters to all.
                rounds.passed.clear();
                return self.forget_own_change(event, Afterwards::Free);
            }
            Sight::Progress => return rounds.clear(),
            Sight::Looks => false,
            Sight::Takes => {
                rounds.locked = true;
                event.outcome == Outcome::Done
            }
        };
        if event.alternatives > 1 {
            // It could have gone otherwise, and may do so in the next round.
            rounds.passed.clear();
        }
        if event.operation.kind == Kind::Timeout || event.outcome == Outcome::TimedOut {
            rounds.idles();
        }
        let changes = self.objects[event.operation.object.index()].changes;
        // Taking a lock alone is a change to others, but not to whoever does it.
        let own = rounds.locked && event.before != event.value && event.operation.kind.takes_alone();
        rounds.see(event.operation.object, changes, u32::from(own), takes, event.place);
    }

    /// What the thread itself did to a lock is no reason to go on.
    fn forget_own_change(&mut self, event: &Event, afterwards: Afterwards) {
        let lock = event.operation.mutex().unwrap_or(event.operation.object);
        let changes = self.objects[lock.index()].changes;
        let rounds = &mut self.threads[event.thread.index()].rounds;
        if let Some(seen) = rounds.watched.iter_mut().find(|seen| seen.object == lock) {
            seen.changes = changes;
            seen.held &= afterwards == Afterwards::Held;
        }
    }

    /// A thread said that it has nothing to do for now; `own` stands for everything that it keeps to itself, if somebody has
    /// looked. A thread that has changed on its own goes on, because it may be about to do something else.
    pub fn hint(&mut self, thread: ThreadId, own: Option<u64>) -> Hint {
        let rounds = &mut self.threads[thread.index()].rounds;
        rounds.empty = if rounds.current == 0 { rounds.empty + 1 } else { 0 };
        // A loop of nothing but hints can only wait for the others to come to an end.
        let idles = rounds.empty > MAX_EMPTY_HINTS;
        let alike = rounds.current != 0 && rounds.current == rounds.previous;
        let unlike = rounds.own != own;
        rounds.own = own;
        rounds.unlike += u32::from(alike && unlike);
        // One that changes for ever, and never does anything with it, has to let the others go at last.
        rounds.impatient |= rounds.unlike > MAX_UNLIKE_HINTS;
        let spins = idles || (alike && (!unlike || rounds.impatient));
        rounds.previous = rounds.current;
        rounds.current = 0;
        let before = std::mem::replace(&mut rounds.unseen_before, rounds.unseen);
        rounds.end_round(before);
        if spins && rounds.holds_what_it_takes_again() {
            rounds.repeated = ENOUGH;
            return Hint::GoOn;
        }
        if spins { Hint::Wait(rounds.mask(), rounds.trust()) } else { Hint::GoOn }
    }

    /// Whether a thread that goes round a loop may be waiting: it has seen something and made no progress since, or has done
    /// neither for very long. `mark` stands for a part of what it keeps to itself: if that has changed since it last came by, there
    /// is no need to look at the rest. Only then [`World::round`] has to be asked.
    #[inline]
    pub fn may_wait(&mut self, thread: ThreadId, which: u64, mark: u64) -> bool {
        let rounds = &mut self.threads[thread.index()].rounds;
        if rounds.watched.is_empty() {
            rounds.empty += 1;
            if rounds.empty <= MAX_EMPTY_HINTS {
                return false;
            }
        }
        let unseen = rounds.unseen;
        match rounds.passed.iter_mut().find(|passed| passed.which == which) {
            Some(passed) if passed.mark == mark => true,
            Some(passed) => {
                *passed = Passed { which, mark, own: None, unseen };
                false
            }
            None => {
                rounds.passed.push(Passed { which, mark, own: None, unseen });
                true
            }
        }
    }

    /// A thread gives way, or sleeps.
    pub fn idles(&mut self, thread: ThreadId) {
        self.threads[thread.index()].rounds.idles();
    }

    /// A thread looks at the clock.
    pub fn look_at_clock(&mut self, thread: ThreadId) {
        self.threads[thread.index()].rounds.unseen.looks += 1;
    }

    /// What a thread may wait for that is about to wait: if its loop goes by the clock, its time may run out before anything
    /// changes. How long it would wait is not known, so time runs out in two strides; a loop that goes on after the second one
    /// has no end in the clock, or a very far one.
    #[must_use]
    pub fn awaits(&self, thread: ThreadId) -> Awaits {
        let rounds = &self.threads[thread.index()].rounds;
        match rounds.clocked && !rounds.stays && rounds.ran_out < MAX_STRIDES {
            true if rounds.watched.is_empty() => Awaits::Time,
            true => Awaits::ChangeOrTime,
            false => Awaits::Change,
        }
    }

    /// The time of a thread has run out; how often since it last saw a change, this time included.
    pub fn runs_out_of_time(&mut self, thread: ThreadId) -> u32 {
        let rounds = &mut self.threads[thread.index()].rounds;
        rounds.ran_out += 1;
        rounds.ran_out
    }

    /// Whether the loop of a waiting thread goes by the clock.
    #[must_use]
    pub fn goes_by_clock(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].rounds.clocked
    }

    /// Whether a thread has seen the same again since anything changed.
    #[must_use]
    pub fn sees_the_same(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].rounds.repeated > 0
    }

    /// A thread comes to a loop from outside.
    #[inline]
    pub fn begin_loop(&mut self, thread: ThreadId, which: u64) {
        self.threads[thread.index()].rounds.passed.retain(|passed| passed.which != which);
    }

    /// A thread goes round a loop, and `own` stands for everything that it keeps to itself. If that is what it was when the thread
    /// last came by, and it has only looked at things since, then the next round will be the same, unless somebody changes
    /// one of them. No guess: what a thread does follows from its own state and what it sees.
    pub fn round(&mut self, thread: ThreadId, which: u64, own: u64) -> Hint {
        let rounds = &mut self.threads[thread.index()].rounds;
        if !rounds.passes_alike(which, own) {
            return Hint::GoOn;
        }
        if rounds.holds_what_it_takes_again() {
            rounds.repeated = ENOUGH;
            return Hint::GoOn;
        }
        Hint::Wait(rounds.mask(), rounds.trust())
    }

    /// Whether the thread has read the same things so often that it may be spinning without a hint, or is known to, and only had
    /// to give something back first. Then [`World::quiet_round`] has to be asked.
    #[inline]
    #[must_use]
    pub fn may_spin_without_hint(&self, thread: ThreadId) -> bool {
        let rounds = &self.threads[thread.index()].rounds;
        rounds.repeated >= QUIET_ROUNDS
            && (rounds.repeated >= ENOUGH || self.options.guesses_loops)
            && rounds.repeated >= QUIET_ROUNDS.saturating_mul(rounds.watched.len().max(1) as u32)
            && !rounds.holds_what_it_takes_again()
    }

    /// A thread that may spin without a hint comes to an operation; `which` stands for where that is, and `own` for everything
    /// that the thread keeps to itself. It waits if that is what it was when the thread last came by.
    pub fn quiet_round(&mut self, thread: ThreadId, which: u64, own: u64) -> Hint {
        let rounds = &mut self.threads[thread.index()].rounds;
        if rounds.repeated < ENOUGH && !rounds.passes_alike(which, own) {
            rounds.unlike += 1;
            // Nothing is like what it was at the first time that a thread comes by. And one that takes a lock in every round and
            // changes on its own is doing something.
            let often = rounds.unlike > MAX_UNLIKE_HINTS + rounds.passed.len() as u32;
            rounds.impatient |= often && !rounds.locked;
            if !rounds.impatient {
                return Hint::GoOn;
            }
        }
        let trust = rounds.trust();
        rounds.repeated = 0;
        Hint::Wait(rounds.mask(), trust)
    }

    /// A thread that has a lock may have changed what the lock guards.
    pub fn touches(&mut self, thread: ThreadId) {
        self.threads[thread.index()].rounds.unseen.touches += 1;
    }

    /// Whether nobody changed what the thread has seen.
    #[must_use]
    pub fn nothing_changed(&self, thread: ThreadId) -> bool {
        let watched = &self.threads[thread.index()].rounds.watched;
        watched.iter().all(|seen| self.objects[seen.object.index()].changes == seen.changes)
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
