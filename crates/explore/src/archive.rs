//! The state of a strategy as a list of numbers, so that a search can go on in another process.
//!
//! Numbers are all there is in it: threads, sets, masks, events. Whoever stores them sees to it that they come back whole;
//! reading what makes no sense gives nothing, never a panic.

use raddle_trace::{Access, Accesses, Class, ObjectId, Step, ThreadId, ThreadSet, limits};

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
pub fn digest(events: &[raddle_trace::Event]) -> u64 {
    events.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, event| {
        let object = event.operation.object.index() as u64;
        let step =
            [event.thread.index() as u64, event.operation.kind as u64, object, event.alternative.into()];
        step.iter().fold(hash, |hash, number| (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3))
    })
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
