//! Loops that are taken for waiting, put to the test.
//!
//! A loop is taken for waiting if its rounds saw the same and left the thread's registers and stack as they were. What it counts
//! elsewhere, on the heap or in a static, nobody sees. So the first time that a loop is about to wait, the run is made again up to
//! there, on the side, and then only this thread goes on, for many rounds more. If it does what it did before, it waits. If it does
//! anything else, it counts: the search starts again, and tells the rounds of this loop apart ([`Hidden::Rounds`]).
//!
//! What this cannot tell: a loop that counts further than the trial lasts.

use raddle_explore::{Choice, Chooser, Decision, NoPick, Offer, Replay, RunLimits};
use raddle_trace::{Ending, Event, Kind, ObjectId, Operation, Outcome, Place, Run, Step, ThreadId};
use raddle_world::{Trust, is_progress};

use crate::stage::Stage;

/// How often the thread may say that it waits.
const HINTS: u32 = 1000;
/// How many events it may make.
const EVENTS: usize = 4000;

/// Places of loops whose rounds are told apart.
#[derive(Clone, Copy, Default, Debug)]
pub struct CountedLoops([Option<Place>; 8]);

impl CountedLoops {
    /// Whether the rounds of the loop at this place are told apart.
    #[inline]
    #[must_use]
    pub fn contains(&self, place: Place) -> bool {
        self.0[0].is_some() && self.0.contains(&Some(place))
    }

    /// Whether there is room for no more of them.
    #[must_use]
    pub fn is_full(&self) -> bool {
        !self.0.contains(&None)
    }

    pub(crate) fn add(&mut self, place: Place) {
        if let Some(free) = self.0.iter_mut().find(|free| free.is_none()) {
            *free = Some(place);
        }
    }
}

/// A loop that is taken for waiting for the first time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspect {
    place: Place,
    thread: ThreadId,
    /// How many events there were.
    events: usize,
}

/// What is known about the loops of a program, and who is being tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trials {
    /// Whether loops are put to the test at all.
    pub wanted: bool,
    /// Loops that wait.
    proven: Vec<Place>,
    /// Who is to be tried after this run.
    suspect: Option<Suspect>,
    /// Who is on trial in this run, and how many hints it has left.
    on_trial: Option<(Suspect, u32)>,
}

impl Stage {
    /// The current thread is about to wait in a loop; whether it may.
    pub(crate) fn may_wait_at(&mut self, place: Place, trust: Trust) -> bool {
        if !self.trials.wanted {
            return true;
        }
        let (thread, events) = (self.current, self.run.events.len());
        if let Some((suspect, hints)) = &mut self.trials.on_trial {
            if suspect.thread != thread || events < suspect.events {
                return true;
            }
            *hints = hints.saturating_sub(1);
            if *hints == 0 {
                self.end(Ending::Elsewhere);
            }
            return false;
        }
        // If something has changed, it will not wait. And one that goes by the clock has other rounds when its time is up.
        if trust != Trust::Cut
            && self.trials.suspect.is_none()
            && !self.world.goes_by_clock(thread)
            && !self.trials.proven.contains(&place)
            && self.world.nothing_changed(thread)
        {
            self.trials.suspect = Some(Suspect { place, thread, events });
        }
        true
    }

    /// Begins the trial of whoever the last run made suspect: the steps that lead there, and its run.
    pub(crate) fn begin_trial(&mut self) -> Option<Trial> {
        let suspect = self.trials.suspect.take()?;
        self.trials.on_trial = Some((suspect, HINTS));
        let run = std::mem::take(&mut self.run);
        let steps = Replay::steps_of(&run.events[..suspect.events]);
        Some(Trial { suspect, run, steps })
    }

    /// Ends it: the run is what it was, unless the loop was found to count.
    pub(crate) fn end_trial(&mut self, trial: Trial) {
        let Trial { suspect, run: before, .. } = trial;
        self.trials.on_trial = None;
        let tried = std::mem::replace(&mut self.run, before);
        let counts = suspect.did_something_else(&tried);
        if counts && !self.options.counted.is_full() {
            self.run.ending = Ending::NeedsVisible(raddle_trace::Hidden::Rounds(suspect.place));
            return;
        }
        if counts {
            self.run.cut_short.get_or_insert(suspect.place);
        }
        self.trials.proven.push(suspect.place);
    }
}

/// A trial, and the run that it is to be forgotten for.
pub(crate) struct Trial {
    suspect: Suspect,
    run: Run,
    steps: Vec<Step>,
}

impl Trial {
    pub(crate) fn limits(&self) -> RunLimits {
        RunLimits { max_steps: self.suspect.events + EVENTS }
    }

    /// Leads to where the suspect was about to wait, and then lets nobody else go.
    pub(crate) fn chooser(&self) -> impl Chooser + '_ {
        Alone { way: Replay::new(&self.steps), from: self.suspect.events, thread: self.suspect.thread }
    }
}

struct Alone<'a> {
    way: Replay<'a>,
    from: usize,
    thread: ThreadId,
}

impl Chooser for Alone<'_> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        match at.event < self.from {
            true => self.way.decide(at),
            false if at.enabled.contains(self.thread) => Choice::Go(self.thread),
            false => Choice::GiveUp,
        }
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.way.pick(at)
    }
}

/// What a step of a loop is told by.
fn told_by(operation: Operation, place: Place) -> (Kind, ObjectId, Place) {
    (operation.kind, operation.object, place)
}

/// What it is told by once it has been made.
fn told_with_result(event: &Event) -> ((Kind, ObjectId, Place), Outcome, i64, i64) {
    (told_by(event.operation, event.place), event.outcome, event.before, event.value)
}

impl Suspect {
    /// Whether the thread did anything in its trial that it had not done in its rounds before.
    fn did_something_else(&self, tried: &Run) -> bool {
        if tried.events.len() < self.events {
            // The program does not do the same again, which the search will notice.
            return false;
        }
        let (before, after) = tried.events.split_at(self.events);
        let own = before.iter().rev().filter(|event| event.thread == self.thread);
        let rounds: Vec<&Event> = own.take_while(|event| !is_progress(event)).collect();
        let is_new = |event: &Event| {
            is_progress(event)
                || !rounds.iter().any(|known| told_with_result(known) == told_with_result(event))
        };
        if after.iter().any(is_new) {
            return true;
        }
        match tried.ending {
            Ending::StepLimit | Ending::Elsewhere => false,
            // It waits where it waited before, but for somebody who may not go now.
            Ending::Blocked => {
                let wants = tried.blocked.iter().find(|blocked| blocked.thread == self.thread);
                !wants.is_some_and(|wants| {
                    let wants = told_by(wants.pending.operation, wants.pending.place);
                    rounds.iter().any(|known| told_by(known.operation, known.place) == wants)
                })
            }
            _ => true,
        }
    }
}
