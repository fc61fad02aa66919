//! Mutexes and reader-writer locks.

use raddle_trace::ThreadId;

/// A mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Mutex {
    recursive: bool,
    holder: Option<ThreadId>,
    /// How often the holder has taken it.
    depth: u32,
}

impl Mutex {
    pub(crate) fn normal() -> Mutex {
        Mutex { recursive: false, holder: None, depth: 0 }
    }

    pub(crate) fn recursive() -> Mutex {
        Mutex { recursive: true, ..Mutex::normal() }
    }

    pub(crate) fn is_free(&self) -> bool {
        self.holder.is_none()
    }

    /// Whether the thread may take it once more although it is not free.
    pub(crate) fn may_nest(&self, thread: ThreadId) -> bool {
        self.recursive && self.holder == Some(thread)
    }

    /// Whether giving it back would leave the thread its holder.
    pub(crate) fn is_nested(&self) -> bool {
        self.depth > 1
    }

    pub(crate) fn take(&mut self, thread: ThreadId) {
        assert!(self.is_free() || self.may_nest(thread), "bug in raddle: {thread} took a held mutex");
        self.holder = Some(thread);
        self.depth += 1;
    }

    pub(crate) fn give_back(&mut self, thread: ThreadId) {
        assert!(self.holder == Some(thread), "bug in raddle: {thread} unlocked a mutex that it did not hold");
        self.depth -= 1;
        if self.depth == 0 {
            self.holder = None;
        }
    }
}

/// A reader-writer lock. Readers are only counted: who they are makes no difference to anybody.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct RwLock {
    readers: u32,
    writer: Option<ThreadId>,
}

impl RwLock {
    pub(crate) fn can_read(&self) -> bool {
        self.writer.is_none()
    }

    pub(crate) fn can_write(&self) -> bool {
        self.writer.is_none() && self.readers == 0
    }

    pub(crate) fn read(&mut self) {
        assert!(self.can_read(), "bug in raddle: read beside a writer");
        self.readers += 1;
    }

    pub(crate) fn end_reading(&mut self) {
        assert!(self.readers > 0, "bug in raddle: ended a read that nobody began");
        self.readers -= 1;
    }

    pub(crate) fn write(&mut self, thread: ThreadId) {
        assert!(self.can_write(), "bug in raddle: write beside others");
        self.writer = Some(thread);
    }

    pub(crate) fn end_writing(&mut self, thread: ThreadId) {
        assert!(self.writer == Some(thread), "bug in raddle: {thread} ended a write that it did not begin");
        self.writer = None;
    }
}
