//! Threads that borrow.
//!
//! Outside a check a scope is one of `std`. In a run it counts the threads that still have something of the borrowed
//! in their hands: when the run ends in the middle, the frame that owns it must not go before they have.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use raddle_runtime::in_run;

use super::handle::{self, Thread};
use super::join::InRun;
use super::packet::{Packet, Shared};
use super::{Builder, ScopedJoinHandle};
use crate::place::here;

/// Creates threads that may borrow what lives longer than the scope, and waits for them at its end.
///
/// # Panics
/// At its end, if a thread panicked whose handle was not joined.
///
/// ```
/// use raddle::sync::Mutex;
///
/// raddle::check(|| {
///     let numbers = Mutex::new(vec![1]);
///     raddle::thread::scope(|scope| {
///         scope.spawn(|| numbers.lock().unwrap().push(2));
///         numbers.lock().unwrap().push(3);
///     });
///     assert_eq!(numbers.into_inner().unwrap().len(), 3);
/// });
/// ```
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    if in_run() { scope_in_run(f) } else { real_scope(f) }
}

fn real_scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    // Our scope has to live as long as the one of `std`, since threads may hold on to it until they are joined; but it
    // refers to that one, which exists only within the call. So there is only its memory outside.
    let mut memory = MaybeUninit::<Scope<'_, 'env>>::uninit();
    let memory = memory.as_mut_ptr();
    std::thread::scope(|real| {
        let scope: *mut Scope<'_, 'env> = memory.cast();
        // SAFETY: the memory is of the right size and alignment, which do not depend on lifetimes, and lives until all
        // threads of the scope have been joined. What is written needs no destructor.
        let scope = unsafe {
            scope.write(Scope { kind: Kind::Real(real), lifetimes: PhantomData });
            &*scope
        };
        f(scope)
    })
}

#[track_caller]
fn scope_in_run<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let place = here();
    let in_run = InRunScope::default();
    let scope = Scope { kind: Kind::InRun(in_run), lifetimes: PhantomData };
    // As in `std`, a panic waits at the end of the scope until all threads have been joined.
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    let joined = catch_unwind(AssertUnwindSafe(|| scope.in_run().join_all(place)));
    if raddle_runtime::unwinding() && scope.in_run().using.load(Ordering::Relaxed) > 0 {
        // Threads that the run left behind still borrow from our callers, who must not go on.
        raddle_runtime::end_of_run();
    }
    match (result, joined) {
        (Ok(result), Ok(Panics::None)) => result,
        (Ok(_), Ok(Panics::Some)) => panic!("a scoped thread panicked"),
        (Err(payload), _) | (_, Err(payload)) => resume_unwind(payload),
    }
}

/// A scope for threads that borrow; made by [`scope`].
///
/// ```
/// use raddle::thread::{self, Scope};
///
/// fn start<'scope>(scope: &'scope Scope<'scope, '_>, number: &'scope u32) {
///     scope.spawn(move || assert_eq!(*number, 5));
/// }
///
/// let number = 5;
/// thread::scope(|scope| start(scope, &number));
/// ```
pub struct Scope<'scope, 'env: 'scope> {
    kind: Kind<'scope, 'env>,
    lifetimes: PhantomData<(&'scope mut &'scope (), &'env mut &'env ())>,
}

enum Kind<'scope, 'env: 'scope> {
    Real(&'scope std::thread::Scope<'scope, 'env>),
    InRun(InRunScope),
}

#[derive(Default)]
struct InRunScope {
    children: Mutex<Vec<Child>>,
    /// How many threads have not dropped everything that they borrow.
    using: Arc<AtomicUsize>,
}

struct Child {
    number: raddle_trace::ThreadId,
    fate: Arc<Fate>,
}

/// What became of a thread.
#[derive(Default)]
pub(super) struct Fate {
    pub joined: AtomicBool,
    panicked: AtomicBool,
}

/// Whether threads panicked that nobody joined.
enum Panics {
    None,
    Some,
}

impl InRunScope {
    fn join_all(&self, place: raddle_trace::Place) -> Panics {
        let mut panics = Panics::None;
        // A thread may create more while we wait for it.
        while let Some(child) = self.pop() {
            if !child.fate.joined.load(Ordering::Relaxed) {
                wait_for_body(child.number, place);
                if child.fate.panicked.load(Ordering::Relaxed) {
                    panics = Panics::Some;
                }
            }
        }
        panics
    }

    fn pop(&self) -> Option<Child> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

/// Waits for the end of what a thread was to do. As in `std`, its thread-local variables may go later; if nobody can tell, that is
/// the same as its end.
fn wait_for_body(thread: raddle_trace::ThreadId, place: raddle_trace::Place) {
    if !raddle_runtime::ends_are_visible() {
        return raddle_runtime::join(thread, place);
    }
    while !raddle_runtime::has_ended(thread, place) {
        super::give_way(None, place);
    }
}

/// One of those who use what the scope borrows.
struct Using(Arc<AtomicUsize>);

impl Using {
    fn new(count: &Arc<AtomicUsize>) -> Using {
        count.fetch_add(1, Ordering::Relaxed);
        Using(Arc::clone(count))
    }
}

impl Drop for Using {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a thread of a scope starts with. The order of the fields is the one in which they are dropped.
struct Body<F, T> {
    f: F,
    packet: Shared<T>,
    name: Option<Arc<str>>,
    fate: Arc<Fate>,
    using: Using,
}

impl<T, F: FnOnce() -> T> Body<F, T> {
    fn run(self) {
        let Body { f, packet, name, fate, using } = self;
        // Dropped last, whatever happens, since what is declared first is dropped last.
        let _using = using;
        let packet = packet;
        handle::set_name(name);
        let panicked = packet.fill(f);
        fate.panicked.store(panicked, Ordering::Relaxed);
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    fn in_run(&self) -> &InRunScope {
        match &self.kind {
            Kind::InRun(scope) => scope,
            Kind::Real(_) => unreachable!("bug in raddle: the scope of a run is not one"),
        }
    }

    /// Creates a thread in the scope.
    ///
    /// # Panics
    /// Outside a check, if the system cannot create one.
    ///
    /// ```
    /// let number = 5;
    /// let sum = raddle::thread::scope(|scope| {
    ///     let other = scope.spawn(|| number + 1);
    ///     number + other.join().unwrap()
    /// });
    /// assert_eq!(sum, 11);
    /// ```
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new().spawn_scoped(self, f).expect("failed to spawn thread")
    }

    #[track_caller]
    pub(super) fn create<F, T>(
        &'scope self,
        builder: Builder,
        name: Option<Arc<str>>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let scope = match &self.kind {
            Kind::Real(scope) => {
                let handle = builder.real().spawn_scoped(scope, f)?;
                return Ok(ScopedJoinHandle::real(handle));
            }
            Kind::InRun(scope) => scope,
        };
        builder.refuse_huge_stack()?;
        let packet = Shared::new(Packet::new());
        let fate = Arc::new(Fate::default());
        let body = Body {
            f,
            packet: Shared::clone(&packet),
            name: name.clone(),
            fate: Arc::clone(&fate),
            using: Using::new(&scope.using),
        };
        let (text, stack) = builder.into_parts();
        // SAFETY: `f` borrows for `'scope`. `scope_in_run`, in whose call we are, does not return before the thread was
        // joined; and if the run ends before that, not while the body of the thread exists, which `using` counts.
        let number = unsafe { raddle_runtime::spawn_unchecked(move || body.run(), text, stack, here()) };
        let child = Child { number, fate: Arc::clone(&fate) };
        scope.children.lock().unwrap_or_else(PoisonError::into_inner).push(child);
        let in_run = InRun::new(Thread::in_run(number, name), number, packet);
        Ok(ScopedJoinHandle::in_run(in_run, fate))
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}
