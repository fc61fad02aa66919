//! What learning has to know of an operation, looked up at once.

use raddle_trace::{Accesses, Class, Event, Kind, ObjectId, Operation, Outcome};

use crate::Half;

/// How many classes there are.
pub(crate) const CLASSES: usize = 8;

/// The classes by number.
const ALL_CLASSES: [Class; CLASSES] = {
    use Class::*;
    [None, Reading, Shared, Observing, Exclusive, LastButOne, Tail, Head]
};

/// What HaPSets have to know of an operation that ended in some way, in one number: how it touches its object, and the bits
/// below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sort(u32);

impl Sort {
    pub(crate) const CLASS: u32 = 0xf;
    /// It is the second half of a statement.
    pub(crate) const SECOND: u32 = 1 << 4;
    /// It gives a lock back.
    pub(crate) const GIVES_BACK: u32 = 1 << 5;
    /// It takes a lock that its thread has.
    pub(crate) const TAKES_AGAIN: u32 = 1 << 6;
    /// It creates, starts or joins a thread.
    pub(crate) const OF_THREADS: u32 = 1 << 7;
    /// Somebody else made its thread go on.
    pub(crate) const SUMMONED: u32 = 1 << 8;
    /// How it touches its object depends on its operand.
    pub(crate) const BY_OPERAND: u32 = 1 << 9;

    fn of(kind: Kind, class: Class) -> Sort {
        let class = match kind {
            Kind::PlainRead => Class::Reading,
            Kind::PlainWrite => Class::Exclusive,
            _ => class,
        };
        let bits = [
            (Half::of(kind) == Half::Second, Sort::SECOND),
            (kind.releases() && !kind.is_wait(), Sort::GIVES_BACK),
            (kind == Kind::LockAgain, Sort::TAKES_AGAIN),
            (matches!(kind, Kind::Create | Kind::Start | Kind::Join), Sort::OF_THREADS),
            (matches!(kind, Kind::Join | Kind::Relock), Sort::SUMMONED),
            (kind == Kind::TrySend, Sort::BY_OPERAND),
        ];
        Sort(bits.iter().filter(|(has, _)| *has).fold(class as u32, |sort, (_, bit)| sort | bit))
    }

    #[inline]
    pub(crate) fn is(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    #[inline]
    pub(crate) fn class(self) -> Class {
        ALL_CLASSES[(self.0 & Sort::CLASS) as usize % CLASSES]
    }
}

/// How many kinds and outcomes there is room for in [`Sorts`].
const KINDS: usize = 64;
const OUTCOMES: usize = 8;
const _: () = assert!(Kind::ALL.len() <= KINDS && Outcome::ALL.len() <= OUTCOMES);

/// All sorts, by kind and outcome, and which classes conflict, a bit for each: telling takes longer than looking it up.
#[derive(Clone, Debug)]
pub(crate) struct Sorts {
    sorts: Box<[Sort; KINDS * OUTCOMES]>,
    conflicting: [u8; CLASSES],
}

impl Default for Sorts {
    fn default() -> Sorts {
        let mut sorts = Box::new([Sort(0); KINDS * OUTCOMES]);
        for kind in Kind::ALL {
            for outcome in Outcome::ALL {
                let class = Accesses::of(&Operation::new(kind, ObjectId::NONE, 0), outcome).first.class;
                sorts[kind as usize * OUTCOMES + outcome as usize] = Sort::of(kind, class);
            }
        }
        let conflicting = ALL_CLASSES.map(|class| {
            let conflicts = |other: &Class| class.conflicts_with(*other);
            ALL_CLASSES.into_iter().filter(conflicts).fold(0, |mask, other| mask | 1 << other as u8)
        });
        Sorts { sorts, conflicting }
    }
}

impl Sorts {
    /// The classes that conflict with this one.
    #[inline]
    pub(crate) fn conflicting(&self, class: Class) -> u8 {
        self.conflicting[class as usize % CLASSES]
    }

    #[inline]
    pub(crate) fn of(&self, event: &Event) -> Sort {
        let number = event.operation.kind as usize * OUTCOMES + event.outcome as usize;
        let sort = self.sorts[number % (KINDS * OUTCOMES)];
        if sort.is(Sort::BY_OPERAND) {
            return Sort::of(event.operation.kind, event.accesses().first.class);
        }
        sort
    }
}
