//! Identities: threads, objects, sets of threads.

use std::fmt;

use crate::limits::MAX_THREADS;

/// A thread of the program under test.
///
/// The number stands for a place in the creation tree (see [`crate::schedule::ThreadName`]), so the same thread has
/// the same number in every run of one search, whatever the interleaving.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ThreadId(u8);

impl ThreadId {
    /// The thread that the run starts with.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The thread with this number.
    ///
    /// # Panics
    /// If the number is not below [`MAX_THREADS`].
    #[inline]
    #[must_use]
    pub fn new(index: usize) -> ThreadId {
        assert!(index < MAX_THREADS, "bug in raddle: thread number {index} is out of range");
        ThreadId(index as u8)
    }

    /// The number, for use as an index.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{}", self.0)
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A shared object: a memory cell, a lock, a semaphore, …
///
/// Objects are numbered in the order in which a run first meets them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(u32);

impl ObjectId {
    /// Stands for "no object".
    pub const NONE: ObjectId = ObjectId(u32::MAX);

    /// The object with this number.
    #[inline]
    #[must_use]
    pub fn new(index: usize) -> ObjectId {
        ObjectId(u32::try_from(index).expect("bug in raddle: too many objects"))
    }

    /// The number, for use as an index.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The bit that stands for this object in the mask of a spinning thread ([`crate::Kind::Spin`]). Two objects may
    /// share a bit: that only makes the spin depend on more than it has to.
    #[inline]
    #[must_use]
    pub fn watch_bit(self) -> u64 {
        1 << (self.0 % 64)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of threads: a bit for each, in two words, of which most operations touch one. Two fields and not an array, so that they
/// travel in two registers: to read both at once where one was just written would have to wait for that.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct ThreadSet {
    low: u64,
    high: u64,
}

impl ThreadSet {
    /// No thread.
    pub const EMPTY: ThreadSet = ThreadSet { low: 0, high: 0 };

    /// Just this thread.
    #[inline]
    #[must_use]
    pub fn only(thread: ThreadId) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        set.insert(thread);
        set
    }

    /// The word in which the bit of a thread is.
    #[inline]
    fn word(&mut self, thread: ThreadId) -> &mut u64 {
        if thread.0 < 64 { &mut self.low } else { &mut self.high }
    }

    #[inline]
    fn bit(thread: ThreadId) -> u64 {
        1 << (thread.0 & 63)
    }

    /// Adds a thread.
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) {
        *self.word(thread) |= ThreadSet::bit(thread);
    }

    /// Takes a thread out.
    #[inline]
    pub fn remove(&mut self, thread: ThreadId) {
        *self.word(thread) &= !ThreadSet::bit(thread);
    }

    /// Adds or takes out a thread.
    #[inline]
    pub fn set(&mut self, thread: ThreadId, member: bool) {
        if member {
            self.insert(thread);
        } else {
            self.remove(thread);
        }
    }

    /// Whether the thread is in the set.
    #[inline]
    #[must_use]
    pub fn contains(mut self, thread: ThreadId) -> bool {
        *self.word(thread) & ThreadSet::bit(thread) != 0
    }

    /// Whether the set is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.low | self.high == 0
    }

    /// How many threads are in the set.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        (self.low.count_ones() + self.high.count_ones()) as usize
    }

    /// The thread with the lowest number.
    #[inline]
    #[must_use]
    pub fn first(self) -> Option<ThreadId> {
        if self.low != 0 {
            return Some(ThreadId(self.low.trailing_zeros() as u8));
        }
        (self.high != 0).then(|| ThreadId(64 + self.high.trailing_zeros() as u8))
    }

    /// The set without its first member.
    #[inline]
    fn rest(self) -> ThreadSet {
        match self {
            ThreadSet { low: 0, high } => ThreadSet { low: 0, high: high & high.wrapping_sub(1) },
            ThreadSet { low, high } => ThreadSet { low: low & (low - 1), high },
        }
    }

    /// The thread, if there is just one. Cheaper than counting them.
    #[inline]
    #[must_use]
    pub fn sole(self) -> Option<ThreadId> {
        self.first().filter(|_| self.rest().is_empty())
    }

    /// The members that come in `self` but not in `other`.
    #[inline]
    #[must_use]
    pub fn without(self, other: ThreadSet) -> ThreadSet {
        ThreadSet { low: self.low & !other.low, high: self.high & !other.high }
    }

    /// The members of either.
    #[inline]
    #[must_use]
    pub fn union(self, other: ThreadSet) -> ThreadSet {
        ThreadSet { low: self.low | other.low, high: self.high | other.high }
    }

    /// The `n`-th member in order of number.
    #[inline]
    #[must_use]
    pub fn nth(self, n: usize) -> Option<ThreadId> {
        self.iter().nth(n)
    }

    /// The members in order of number.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = ThreadId> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let first = rest.first()?;
            rest = rest.rest();
            Some(first)
        })
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        threads.into_iter().for_each(|thread| set.insert(thread));
        set
    }
}

impl fmt::Debug for ThreadSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
