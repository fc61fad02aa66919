//! Threads with a name or a stack of another size.

use std::io;
use std::sync::Arc;

use raddle_runtime::in_run;

use super::handle::{self, Thread};
use super::join::InRun;
use super::packet::{Packet, Shared};
use super::{JoinHandle, Scope, ScopedJoinHandle};
use crate::place::here;

/// The largest stack that a thread of a check can ask for.
const MAX_STACK: usize = 8 << 30;

/// Settings of a thread to be created: the mirror of the type of this name in `std`.
///
/// ```
/// use raddle::thread::{self, Builder};
///
/// let other = Builder::new().name("worker".to_owned()).spawn(|| thread::current().name().map(str::to_owned));
/// assert_eq!(other.unwrap().join().unwrap().as_deref(), Some("worker"));
/// ```
#[derive(Debug, Default)]
#[must_use = "a builder does nothing until `spawn` is called"]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// Settings of a thread without a name.
    ///
    /// ```
    /// # use raddle::thread::Builder;
    /// Builder::new().spawn(|| ()).unwrap().join().unwrap();
    /// ```
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Gives the thread a name. Reports of a check use it.
    ///
    /// # Panics
    /// When the thread is created, if the name contains a zero byte.
    ///
    /// ```
    /// # use raddle::thread::Builder;
    /// let named = Builder::new().name("writer".to_owned());
    /// ```
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Sets the size of the stack in bytes. In a check it is at least 2 MiB.
    ///
    /// ```
    /// # use raddle::thread::Builder;
    /// let large = Builder::new().stack_size(8 << 20);
    /// ```
    pub fn stack_size(mut self, bytes: usize) -> Builder {
        self.stack_size = Some(bytes);
        self
    }

    /// Creates the thread.
    ///
    /// # Errors
    /// Outside a check, if the system cannot create one.
    ///
    /// ```
    /// # use raddle::thread::Builder;
    /// assert_eq!(Builder::new().spawn(|| 5).unwrap().join().unwrap(), 5);
    /// ```
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: the closure and its result live as long as they like.
        unsafe { self.spawn_unchecked(f) }
    }

    /// Creates a thread that may borrow, without looking after what it borrows.
    ///
    /// # Errors
    /// Outside a check, if the system cannot create one.
    ///
    /// # Safety
    /// As for [`std::thread::Builder::spawn_unchecked`]: what the thread borrows has to live until it has been joined. If a
    /// run ends before that, threads go before those that created them.
    ///
    /// ```
    /// # use raddle::thread::Builder;
    /// let number = 5;
    /// // SAFETY: the thread is joined before the number goes.
    /// let other = unsafe { Builder::new().spawn_unchecked(|| number + 1) }.unwrap();
    /// assert_eq!(other.join().unwrap(), 6);
    /// ```
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        if !in_run() {
            // SAFETY: passed on to the caller.
            return unsafe { self.real().spawn_unchecked(f) }.map(JoinHandle::real);
        }
        self.refuse_huge_stack()?;
        let packet = Shared::new(Packet::new());
        let theirs = Shared::clone(&packet);
        let name = self.shared_name();
        let their_name = name.clone();
        let body = move || {
            handle::set_name(their_name);
            theirs.fill(f);
        };
        let place = here();
        // SAFETY: passed on to the caller.
        let number = unsafe { raddle_runtime::spawn_unchecked(body, self.name, self.stack_size, place) };
        let handle = InRun::new(Thread::in_run(number, name), number, packet).detaching(place);
        Ok(JoinHandle::in_run(handle))
    }

    /// Creates a thread that may borrow what lives longer than `scope`.
    ///
    /// # Errors
    /// Outside a check, if the system cannot create one.
    ///
    /// ```
    /// use raddle::thread::{self, Builder};
    ///
    /// let number = 5;
    /// thread::scope(|scope| {
    ///     let other = Builder::new().spawn_scoped(scope, || number + 1).unwrap();
    ///     assert_eq!(other.join().unwrap(), 6);
    /// });
    /// ```
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let name = self.shared_name();
        scope.create(self, name, f)
    }

    pub(super) fn real(self) -> std::thread::Builder {
        let builder = std::thread::Builder::new();
        let builder = match self.name {
            Some(name) => builder.name(name),
            None => builder,
        };
        match self.stack_size {
            Some(bytes) => builder.stack_size(bytes),
            None => builder,
        }
    }

    /// As in `std`, a stack that no system could give is an error, not the end of the test.
    pub(super) fn refuse_huge_stack(&self) -> io::Result<()> {
        match self.stack_size {
            Some(bytes) if bytes > MAX_STACK => Err(io::Error::new(
                io::ErrorKind::OutOfMemory,
                format!("a stack of {bytes} bytes; in a check it has at most {MAX_STACK}"),
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn into_parts(self) -> (Option<String>, Option<usize>) {
        (self.name, self.stack_size)
    }

    #[track_caller]
    fn shared_name(&self) -> Option<Arc<str>> {
        let name = self.name.as_deref()?;
        assert!(!name.contains('\0'), "thread name may not contain interior null bytes");
        Some(Arc::from(name))
    }
}
