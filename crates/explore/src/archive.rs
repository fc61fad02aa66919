//! The state of a strategy as a list of numbers, so that a search can go on in another process.
//!
//! Numbers are all there is in it: threads, sets, masks, events. Whoever stores them sees to it that they come back whole;
//! reading what makes no sense gives nothing, never a panic.

use std::sync::Arc;

use raddle_coverage::{Growth, Half, HapSets, Order, Statement, StatementId};
use raddle_trace::{Access, Accesses, Class, Event, ObjectId, Run, Step, ThreadId, ThreadSet, limits};

use crate::Replay;

/// Where a search stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Saved {
    /// The state of the strategy.
    pub state: Vec<u64>,
    /// The choices of the last run.
    pub steps: Vec<Step>,
    /// How many events it had.
    pub events: usize,
    /// What tells them apart from others ([`digest`]).
    pub digest: u64,
}

/// A number for the steps of a run, with the numbers of their objects.
#[must_use]
pub fn digest(events: &[Event]) -> u64 {
    events.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, event| {
        let (thread, kind) = (event.thread.index() as u64, event.operation.kind as u64);
        let step = thread | kind << 8 | u64::from(event.alternative) << 16;
        let object = (event.operation.object.index() as u64).rotate_left(40);
        (hash ^ step ^ object).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}

/// A run that can be made again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kept {
    /// Its choices.
    steps: Vec<Step>,
    /// How many events it had.
    events: usize,
    /// What tells them apart from others.
    digest: u64,
}

impl Kept {
    /// Keeps another run instead.
    pub(crate) fn replace(&mut self, events: &[Event]) {
        Replay::steps_into(events, &mut self.steps);
        self.events = events.len();
        self.digest = digest(events);
    }
}

/// The runs that a strategy asks for when it goes on.
pub struct Again<'a> {
    /// The last run that was made before.
    pub(crate) last: &'a Run,
    /// Makes another one again; nothing if the program does something else now.
    pub(crate) make: &'a mut dyn FnMut(&Kept) -> Option<Run>,
}

impl Saved {
    /// The last run.
    pub(crate) fn last(&self) -> Kept {
        Kept { steps: self.steps.clone(), events: self.events, digest: self.digest }
    }
}

impl Kept {
    /// Makes the run again, if it still is the same.
    pub(crate) fn again(&self, run: &mut dyn FnMut(&mut Replay<'_>) -> Run) -> Option<Run> {
        if self.events == 0 {
            return Some(Run::default());
        }
        let mut made = run(&mut Replay::new(&self.steps));
        made.events.truncate(self.events);
        (made.events.len() == self.events && digest(&made.events) == self.digest).then_some(made)
    }
}

/// Numbers that are read one by one.
pub(crate) struct Numbers<'a>(std::slice::Iter<'a, u64>);

impl<'a> Numbers<'a> {
    pub(crate) fn new(numbers: &'a [u64]) -> Numbers<'a> {
        Numbers(numbers.iter())
    }

    /// The value, if nothing is left behind it.
    pub(crate) fn only<T: Archive>(mut self) -> Option<T> {
        let value = T::take(&mut self)?;
        self.0.next().is_none().then_some(value)
    }
}

/// What can be written as numbers.
pub(crate) trait Archive: Sized {
    fn put(&self, out: &mut Vec<u64>);
    fn take(input: &mut Numbers<'_>) -> Option<Self>;

    /// All its numbers.
    fn numbers(&self) -> Vec<u64> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Archive for $type {
            fn put(&self, out: &mut Vec<u64>) {
                out.push(*self as u64);
            }

            fn take(input: &mut Numbers<'_>) -> Option<$type> {
                <$type>::try_from(*input.0.next()?).ok()
            }
        }
    )*};
}
numbers!(u32, u64, usize);

impl Archive for bool {
    fn put(&self, out: &mut Vec<u64>) {
        out.push((*self).into());
    }

    fn take(input: &mut Numbers<'_>) -> Option<bool> {
        Some(*input.0.next()? != 0)
    }
}

impl<T: Archive> Archive for Option<T> {
    fn put(&self, out: &mut Vec<u64>) {
        out.push(self.is_some().into());
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(input: &mut Numbers<'_>) -> Option<Option<T>> {
        Some(if bool::take(input)? { Some(T::take(input)?) } else { None })
    }
}

impl<T: Archive> Archive for Vec<T> {
    fn put(&self, out: &mut Vec<u64>) {
        out.push(self.len() as u64);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(input: &mut Numbers<'_>) -> Option<Vec<T>> {
        let count = usize::take(input)?;
        // Nothing takes less than a number, so a count beyond what is left is nonsense.
        (count <= input.0.len()).then_some(())?;
        (0..count).map(|_| T::take(input)).collect()
    }
}

impl<T: Archive, U: Archive> Archive for (T, U) {
    fn put(&self, out: &mut Vec<u64>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<(T, U)> {
        Some((T::take(input)?, U::take(input)?))
    }
}

impl Archive for ThreadId {
    fn put(&self, out: &mut Vec<u64>) {
        out.push(self.index() as u64);
    }

    fn take(input: &mut Numbers<'_>) -> Option<ThreadId> {
        usize::take(input).filter(|number| *number < limits::MAX_THREADS).map(ThreadId::new)
    }
}

impl Archive for ThreadSet {
    fn put(&self, out: &mut Vec<u64>) {
        self.iter().collect::<Vec<ThreadId>>().put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<ThreadSet> {
        Some(Vec::<ThreadId>::take(input)?.into_iter().collect())
    }
}

impl Archive for Access {
    fn put(&self, out: &mut Vec<u64>) {
        out.push(self.object.index() as u64);
        out.push(self.class as u64);
    }

    fn take(input: &mut Numbers<'_>) -> Option<Access> {
        use Class::*;
        let object = ObjectId::new(u32::take(input)? as usize);
        let classes = [None, Reading, Shared, Observing, Exclusive, LastButOne, Tail, Head];
        Some(Access { object, class: *classes.get(usize::take(input)?)? })
    }
}

/// Writes a struct field by field.
macro_rules! archive {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::archive::Archive for $type {
            fn put(&self, out: &mut Vec<u64>) {
                $($crate::archive::Archive::put(&self.$field, out);)*
            }

            fn take(input: &mut $crate::archive::Numbers<'_>) -> Option<$type> {
                Some(Self { $($field: $crate::archive::Archive::take(input)?),* })
            }
        }
    };
}
pub(crate) use archive;

archive!(Accesses { first, second, watched });
archive!(Kept { steps, events, digest });

impl Archive for Step {
    fn put(&self, out: &mut Vec<u64>) {
        match self {
            Step::Thread(thread) => thread.put(out),
            Step::Alternative(alternative) => out.push(u64::from(*alternative) << 32 | u64::from(u32::MAX)),
        }
    }

    fn take(input: &mut Numbers<'_>) -> Option<Step> {
        let number = u64::take(input)?;
        if number as u32 == u32::MAX {
            return Some(Step::Alternative((number >> 32) as u32));
        }
        Numbers::new(&[number]).only().map(Step::Thread)
    }
}

/// A text as its length and its bytes, eight to a number.
impl Archive for Arc<str> {
    fn put(&self, out: &mut Vec<u64>) {
        self.len().put(out);
        for bytes in self.as_bytes().chunks(8) {
            out.push(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)));
        }
    }

    fn take(input: &mut Numbers<'_>) -> Option<Arc<str>> {
        let length = usize::take(input)?;
        (length.div_ceil(8) <= input.0.len()).then_some(())?;
        let numbers: Vec<u64> = input.0.by_ref().take(length.div_ceil(8)).copied().collect();
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).take(length).collect();
        String::from_utf8(bytes).ok().map(Arc::from)
    }
}

impl Archive for StatementId {
    fn put(&self, out: &mut Vec<u64>) {
        self.number().put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<StatementId> {
        u32::take(input).map(StatementId::new)
    }
}

impl Archive for Statement {
    fn put(&self, out: &mut Vec<u64>) {
        self.file.put(out);
        ((self.line, self.column), (self.half == Half::Second, self.context)).put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<Statement> {
        let file = Arc::take(input)?;
        let ((line, column), (second, context)) = Archive::take(input)?;
        let half = if second { Half::Second } else { Half::First };
        Some(Statement { file, line, column, half, context })
    }
}

/// With the numbers of the statements, which their file forgets.
impl Archive for HapSets {
    fn put(&self, out: &mut Vec<u64>) {
        self.context().put(out);
        self.statements().to_vec().put(out);
        let pairs = self.numbered();
        let pairs = pairs.map(|(first, second, order)| ((first, second), order == Order::Scheduled));
        pairs.collect::<Vec<_>>().put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<HapSets> {
        let mut sets = HapSets::new(u32::take(input)?);
        let statements = Vec::<Statement>::take(input)?;
        for (index, statement) in statements.iter().enumerate() {
            (sets.number(statement).number() as usize == index).then_some(())?;
        }
        for ((first, second), scheduled) in Vec::<((StatementId, StatementId), bool)>::take(input)? {
            (first.number().max(second.number()) < statements.len() as u32).then_some(())?;
            sets.insert(first, second, if scheduled { Order::Scheduled } else { Order::Fixed });
        }
        Some(sets)
    }
}

impl Archive for Growth {
    fn put(&self, out: &mut Vec<u64>) {
        (self.runs(), self.points().to_vec()).put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<Growth> {
        let (runs, points) = Archive::take(input)?;
        Some(Growth::from_parts(runs, points))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nonsense_is_refused() {
        let value = vec![(ThreadSet::only(ThreadId::new(3)), Some(7_u32)), (ThreadSet::EMPTY, None)];
        let numbers = value.numbers();
        assert_eq!(Numbers::new(&numbers).only::<Vec<(ThreadSet, Option<u32>)>>(), Some(value));
        for cut in 0..numbers.len() {
            assert_eq!(Numbers::new(&numbers[..cut]).only::<Vec<(ThreadSet, Option<u32>)>>(), None);
        }
        assert_eq!(Numbers::new(&[u64::MAX, 1]).only::<Vec<ThreadId>>(), None);
        assert_eq!(Numbers::new(&[200]).only::<ThreadId>(), None);
    }
}
