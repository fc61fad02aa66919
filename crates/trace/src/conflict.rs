//! The one dependence relation.
//!
//! Two operations of different threads are independent when, from any state in which both can go, both orders lead
//! to the same state and neither enables or disables the other. Everything else is dependent. The relation below
//! is an over-approximation, as fine as a table over kinds and outcomes can be; a test runs every pair it calls
//! independent in both orders, from the very state in which the pair met.
//!
//! An operation touches one object, rarely two, in one of a few [`Class`]es, and dependence is a matter of the classes:
//!
//! | class | who | commutes with |
//! |---|---|---|
//! | exclusive | writes, acquisitions, releases, notifications, the last arrival at a barrier | nothing |
//! | reading | reads; what a spinning thread watches | reading, observing |
//! | shared | posts, additions whose sum nobody sees, unparks, readers of a lock, starting to wait, arrivals at a barrier | shared |
//! | observing | a failed try, a notification that found nobody | observing, reading |
//! | last but one | the arrival before the last | shared |
//! | tail, head | blocking sends, blocking receives | each other; shared |
//!
//! A failed compare-exchange is a read. A failed try is *observing* rather than shared, because it sees whether the
//! level is zero, which a shared operation may change.

use crate::level::channel::OFFERED;
use crate::{Kind, ObjectId, Operation, Outcome};

/// How an operation touches an object; see the table above.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Class {
    /// Not at all.
    #[default]
    None,
    /// Looks at the level.
    Reading,
    /// Commutes with its like.
    Shared,
    /// Commutes with its like.
    Observing,
    /// Commutes with nothing.
    Exclusive,
    /// Commutes with [`Class::Shared`], but not with its like.
    LastButOne,
    /// Appends to a channel.
    Tail,
    /// Takes from a channel.
    Head,
}

impl Class {
    /// Whether two operations that touch the same object in these classes are dependent.
    #[inline]
    #[must_use]
    pub fn conflicts_with(self, other: Class) -> bool {
        use Class::*;
        let reads = matches!(self, Shared | Reading) || matches!(other, Shared | Reading);
        if crate::fault!(ReadsConflictNever) && reads {
            return false;
        }
        let commutes = matches!(
            (self, other),
            (None, _)
                | (_, None)
                | (Shared, Shared | Tail | Head | LastButOne)
                | (LastButOne, Shared)
                | (Observing | Reading, Observing | Reading)
                | (Tail, Head | Shared)
                | (Head, Tail | Shared)
        );
        !commutes
    }
}

/// One object, touched in one way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The object.
    pub object: ObjectId,
    /// How it is touched.
    pub class: Class,
}

impl Access {
    const NOTHING: Access = Access { object: ObjectId::NONE, class: Class::None };
}

/// Everything that one operation touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Accesses {
    /// The object it is done to.
    pub first: Access,
    /// The mutex that a wait gives back.
    pub second: Access,
    /// The objects that a spinning thread watches, as a mask; it reads them all.
    pub watched: u64,
}

impl Accesses {
    /// Touches nothing.
    pub const NOTHING: Accesses = Accesses { first: Access::NOTHING, second: Access::NOTHING, watched: 0 };

    /// What `operation` touches when it ends with `outcome`. Part of whoever asks: where the kind is known, next to nothing is left,
    /// and the operation need not go through memory.
    #[inline(always)]
    #[must_use]
    pub fn of(operation: &Operation, outcome: Outcome) -> Accesses {
        let mut accesses = Accesses {
            first: Access { object: operation.object, class: class(operation, outcome) },
            ..Accesses::NOTHING
        };
        match operation.kind {
            kind if kind.is_wait() && !crate::fault!(WaitForgetsMutex) => {
                let object = ObjectId::new(operation.operand as usize);
                accesses.second = Access { object, class: Class::Exclusive };
            }
            Kind::Spin if !crate::fault!(SpinReadsNothing) => accesses.watched = operation.operand,
            _ => {}
        }
        accesses
    }

    /// Whether nothing is touched.
    #[inline]
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.first.class == Class::None && self.second.class == Class::None && self.watched == 0
    }

    /// How `object` is touched.
    #[inline]
    #[must_use]
    pub fn class_on(&self, object: ObjectId) -> Class {
        if self.first.object == object && self.first.class != Class::None {
            self.first.class
        } else if self.second.object == object {
            self.second.class
        } else if object != ObjectId::NONE && self.watched & object.watch_bit() != 0 {
            Class::Reading
        } else {
            Class::None
        }
    }
}

/// Whether two operations of different threads that touch these objects are dependent.
#[inline]
#[must_use]
pub fn dependent(a: &Accesses, b: &Accesses) -> bool {
    if a.first.object == b.first.object && a.first.class.conflicts_with(b.first.class) {
        return true;
    }
    // Only waits and spins touch more than one object.
    let simple =
        a.second.class == Class::None && b.second.class == Class::None && (a.watched | b.watched) == 0;
    !simple && dependent_elsewhere(a, b)
}

#[cold]
fn dependent_elsewhere(a: &Accesses, b: &Accesses) -> bool {
    let touches = |accesses: &Accesses, access: &Access| {
        access.class != Class::None && accesses.class_on(access.object).conflicts_with(access.class)
    };
    touches(b, &a.first) || touches(b, &a.second) || touches(a, &b.first) || touches(a, &b.second)
}

/// Which operations a search takes for dependent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// All that touch the same object, as in Figures 1 and 2 of Saarikivi, Kähkönen, Heljanko.
    SameObject,
    /// Only those that the classes tell to be: the commutative reads of their Figure 3, and everything like them.
    Classes,
}

impl Relation {
    /// The accesses as this relation sees them.
    #[inline]
    #[must_use]
    pub fn view(self, accesses: Accesses) -> Accesses {
        let coarse = |access: Access| match access.class {
            Class::None => access,
            _ => Access { class: Class::Exclusive, ..access },
        };
        match self {
            Relation::Classes => accesses,
            Relation::SameObject => Accesses {
                first: coarse(accesses.first),
                second: coarse(accesses.second),
                watched: accesses.watched,
            },
        }
    }
}

/// The class in which `operation`, ending with `outcome`, touches its object.
#[inline(always)]
#[must_use]
pub fn class(operation: &Operation, outcome: Outcome) -> Class {
    use Kind::*;
    match (operation.kind, outcome) {
        (Load | OnceLook, _) => Class::Reading,
        (CompareExchange | WeakCompareExchange, Outcome::Failed) => Class::Reading,
        (OnceEnter, Outcome::Already) => Class::Reading,
        (Arrive, Outcome::Done) => Class::Shared,
        (Arrive, Outcome::LastButOne) => Class::LastButOne,
        (Wait | TimedWait | FickleWait | Timeout | SpuriousWake, _) => Class::Shared,
        (Post | Unpark | DropSender | Add, _) if !crate::fault!(PostsOnlyObserve) => Class::Shared,
        (Post | Unpark | DropSender | Add, _) => Class::Observing,
        (Read | ReadUnlock, _) => Class::Shared,
        (TryRead | TimedRead, Outcome::Done) => Class::Shared,
        (Send, Outcome::Done) => Class::Tail,
        (Receive, Outcome::Done) => Class::Head,
        // On a channel without a bound a try to send cannot fail, so it shows nothing.
        (TrySend, Outcome::Done) if operation.operand == u64::MAX => Class::Tail,
        // Begins to wait, as at a condition variable: only a try to send can tell.
        (Offer, _) => Class::Shared,
        // Whoever tries to send afterwards finds nobody.
        (TimedReceive, Outcome::TimedOut) if operation.operand == OFFERED => Class::Exclusive,
        (_, Outcome::Failed | Outcome::TimedOut | Outcome::Closed) => {
            if crate::fault!(FailedTryTouchesNothing) { Class::None } else { Class::Observing }
        }
        // A sender is only added while there is one, so nobody can tell.
        (Create | Start | End | Join | Detach | Pass | Choose | Fence | Taken | AddSender, _) => Class::None,
        (PlainRead | PlainWrite | LockAgain | UnlockInner | Spin, _) => Class::None,
        _ => Class::Exclusive,
    }
}

/// The classes in which `operation` could touch its object if it had to go without knowing the level: what Figure 3
/// of Saarikivi, Kähkönen, Heljanko calls "may write".
#[must_use]
pub fn widest(operation: &Operation) -> Accesses {
    use Kind::*;
    let outcome = match operation.kind {
        Arrive => Outcome::Last,
        Receive | Send | TrySend => {
            let mut accesses = Accesses::of(operation, Outcome::Done);
            accesses.first.class = Class::Exclusive;
            return accesses;
        }
        _ => Outcome::Done,
    };
    Accesses::of(operation, outcome)
}
