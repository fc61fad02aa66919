//! Writes runs by hand: one call per event, its place being that of the call.

use std::panic::Location;

use raddle_trace::{
    Accesses, Blocked, Ending, Event, Held, Kind, ObjectId, ObjectNote, Operation, Outcome, Pending, Place,
    Run, ThreadId, Trouble,
};

#[derive(Default)]
pub(super) struct Script {
    pub run: Run,
    levels: Vec<i64>,
    preempts: bool,
}

#[track_caller]
fn here() -> Place {
    Place::Rust(Location::caller())
}

impl Script {
    pub(super) fn with_threads(names: &[Option<&str>]) -> Script {
        let mut script = Script::default();
        script.run.thread_names = names.iter().map(|name| name.map(str::to_owned)).collect();
        script
    }

    #[track_caller]
    pub(super) fn object(&mut self, kind: &'static str, level: i64) -> ObjectId {
        self.run.objects.push(ObjectNote { kind, place: here(), ..ObjectNote::default() });
        self.levels.push(level);
        ObjectId::new(self.levels.len() - 1)
    }

    /// The next event is a pre-emption.
    pub(super) fn preempt(&mut self) -> &mut Script {
        self.preempts = true;
        self
    }

    #[track_caller]
    pub(super) fn event(&mut self, thread: usize, kind: Kind, object: ObjectId, operand: u64) -> &mut Event {
        let operation = Operation::new(kind, object, operand);
        let level = self.levels.get(object.index()).copied().unwrap_or(0);
        let outcome = raddle_trace::level::outcome(&operation, level).unwrap_or(Outcome::Done);
        let after = raddle_trace::level::after(&operation, outcome, level);
        if let Some(level) = self.levels.get_mut(object.index()) {
            *level = after;
        }
        self.run.events.push(Event {
            thread: ThreadId::new(thread),
            operation,
            outcome,
            alternative: 0,
            alternatives: 1,
            before: level,
            value: after,
            cause: None,
            decided: !kind.is_urgent(),
            preempts: std::mem::take(&mut self.preempts),
            place: here(),
        });
        self.run.events.last_mut().expect("one was just added")
    }

    #[track_caller]
    pub(super) fn load(&mut self, thread: usize, cell: ObjectId) {
        self.event(thread, Kind::Load, cell, 0);
    }

    #[track_caller]
    pub(super) fn store(&mut self, thread: usize, cell: ObjectId, value: i64) {
        self.event(thread, Kind::Store, cell, 0).value = value;
        self.levels[cell.index()] = value;
    }

    #[track_caller]
    pub(super) fn lock(&mut self, thread: usize, mutex: ObjectId) {
        let since = self.run.events.len() as u32;
        self.event(thread, Kind::Lock, mutex, 0);
        self.run.held.push(Held { object: mutex, by: ThreadId::new(thread), since });
    }

    #[track_caller]
    pub(super) fn thread(&mut self, thread: usize, kind: Kind, other: usize) {
        self.event(thread, kind, ObjectId::NONE, other as u64);
    }

    /// The run ends while the thread wants this.
    #[track_caller]
    pub(super) fn blocked(&mut self, thread: usize, kind: Kind, object: ObjectId, by: Option<usize>) {
        let pending = Pending {
            operation: Operation::new(kind, object, by.unwrap_or(0) as u64),
            outcome: None,
            accesses: Accesses::NOTHING,
            alternatives: 1,
            place: here(),
            cause: None,
        };
        self.run.blocked.push(Blocked { thread: ThreadId::new(thread), pending, by: by.map(ThreadId::new) });
        self.run.ending = Ending::Deadlock;
    }

    #[track_caller]
    pub(super) fn panics(&mut self, thread: usize, message: &str) {
        self.run.trouble = Some(Trouble {
            thread: ThreadId::new(thread),
            message: message.to_owned(),
            place: here(),
            block: None,
        });
        self.run.ending = Ending::Panic;
    }
}
