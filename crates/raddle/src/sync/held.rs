//! What a guard needs to give its lock back in a run.

use std::sync::{LockResult, TryLockError, TryLockResult};

use raddle_trace::{Kind, ObjectId, Operation, Place};

/// A lock that was taken in a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub lock: ObjectId,
    /// Where it was taken; its release has no place of its own.
    pub place: Place,
    /// Whether there is something under it whose value the run does not see.
    pub carries: bool,
    /// Whether whoever has it may have changed that.
    pub touched: bool,
}

impl Held {
    /// Gives the lock back. The real lock has to be free already: it is another thread's turn during this.
    pub(super) fn release(self, kind: Kind) {
        self.visit(kind, self.place);
    }

    /// Goes from writing to reading at this place. Readers have to be able to take the real lock already, for the same reason.
    pub(super) fn downgrade(self, place: Place) -> Held {
        self.visit(Kind::Downgrade, place);
        Held { place, touched: false, ..self }
    }

    fn visit(self, kind: Kind, place: Place) {
        if raddle_runtime::in_run() {
            if self.touched {
                raddle_runtime::touch();
            }
            raddle_runtime::visit(Operation::new(kind, self.lock, 0).carrying(self.carries), place);
        }
    }
}

/// The guard of a real lock that has to be free, since the run says so.
#[track_caller]
pub(super) fn must_be_free<G>(taken: TryLockResult<G>) -> LockResult<G> {
    match taken {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Err(poisoned),
        Err(TryLockError::WouldBlock) if raddle_runtime::unwinding() => {
            // Another thread of the run, which is over, holds it and will not give it back.
            raddle_runtime::end_of_run()
        }
        Err(TryLockError::WouldBlock) => panic!(
            "this lock is held by somebody outside the run: probably a static is used by two checks at once (run the \
             tests with `--test-threads=1`), or a guard was kept across the check"
        ),
    }
}
