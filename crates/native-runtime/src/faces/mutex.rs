//! Mutexes of all types, and spin locks.

use std::ffi::{c_int, c_void};

use libc::{pthread_mutex_t, pthread_mutexattr_t, timespec};
use raddle_runtime::with_world;
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use crate::control::{self, controls, primitive};
use crate::faces::time;
use crate::lifetime;
use crate::objects::Use;
use crate::real::real;
use crate::record;
use crate::state::{self, here};

/// What a mutex does when its owner takes it again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Normal,
    Recursive,
    ErrorChecking,
}

/// The type, where the C library keeps it.
fn type_of(mutex: *mut pthread_mutex_t) -> Type {
    // SAFETY: a mutex of the program; the type is its fifth number, by the layout that its static initialisers fix.
    let kind = unsafe { *mutex.cast::<c_int>().add(4) } & 3;
    match kind {
        libc::PTHREAD_MUTEX_RECURSIVE => Type::Recursive,
        libc::PTHREAD_MUTEX_ERRORCHECK => Type::ErrorChecking,
        _ => Type::Normal,
    }
}

/// What the C library keeps as the owner of a robust mutex whose owner has ended, and of one that nobody can repair.
const INCONSISTENT: c_int = c_int::MAX;
const NOT_RECOVERABLE: c_int = c_int::MAX - 1;
/// The bit of the type that makes a mutex robust.
const ROBUST: c_int = 16;

fn is_robust(mutex: *mut pthread_mutex_t) -> bool {
    // SAFETY: as for the type.
    unsafe { *mutex.cast::<c_int>().add(4) & ROBUST != 0 }
}

/// Where the C library keeps the owner. The program's memory is restored with everything that was written down in it.
fn mark_of(mutex: *mut pthread_mutex_t) -> *mut c_int {
    // The owner is the third number of a mutex.
    mutex.cast::<c_int>().wrapping_add(2)
}

/// What taking a robust mutex says of the one who had it before.
fn inherited(mutex: *mut pthread_mutex_t) -> c_int {
    if !is_robust(mutex) {
        return 0;
    }
    // SAFETY: a mutex of the program, which the thread has taken.
    match unsafe { *mark_of(mutex) } {
        INCONSISTENT => libc::EOWNERDEAD,
        NOT_RECOVERABLE => libc::ENOTRECOVERABLE,
        _ => 0,
    }
}

/// The current thread ends: the robust mutexes that it holds can be taken by others, who are told.
pub(crate) fn abandon() {
    while let Some(mutex) = state::with(|state| state.own().robust.pop()) {
        let (mutex, place) = (mutex as *mut pthread_mutex_t, here());
        // SAFETY: a mutex of the program that the thread holds.
        unsafe { *mark_of(mutex) = INCONSISTENT };
        control::visit(Operation::new(Kind::Unlock, number(mutex, place), 0), place);
    }
}

/// The number of a mutex.
pub(crate) fn number(mutex: *mut pthread_mutex_t, place: Place) -> ObjectId {
    primitive(mutex as usize, place, || ObjectKind::Mutex)
}

fn is_owner(lock: ObjectId) -> bool {
    let current = state::with(|state| state.current);
    with_world(|world| world.is_owner(lock, current))
}

/// Takes a mutex by an operation of this kind.
fn take(mutex: *mut pthread_mutex_t, kind: Kind, deadline: u64) -> c_int {
    let place = here();
    let lock = number(mutex, place);
    if is_owner(lock) {
        match type_of(mutex) {
            Type::Recursive => {
                control::visit(Operation::new(Kind::LockAgain, lock, 0), place);
                return 0;
            }
            Type::ErrorChecking if kind != Kind::TryLock => return libc::EDEADLK,
            _ => {}
        }
    }
    let executed = control::visit(Operation::new(kind, lock, 0), place);
    // It may have been freed while the thread waited.
    crate::memory::must_be_valid(mutex as usize, 1, true, crate::abi::caller);
    let answer = control::answer(&executed, deadline);
    if answer != 0 || !is_robust(mutex) {
        return answer;
    }
    let inherited = inherited(mutex);
    if inherited == libc::ENOTRECOVERABLE {
        control::visit(Operation::new(Kind::Unlock, lock, 0), place);
    } else {
        state::with(|state| state.own().robust.push(mutex as usize));
    }
    inherited
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_init(
    mutex: *mut pthread_mutex_t,
    attributes: *const pthread_mutexattr_t,
) -> c_int {
    let init = real!(fn pthread_mutex_init(*mut pthread_mutex_t, *const pthread_mutexattr_t) -> c_int);
    if controls(mutex) {
        let place = here();
        crate::memory::must_be_valid(
            mutex as usize,
            size_of::<pthread_mutex_t>() as u64,
            true,
            crate::abi::caller,
        );
        refuse_held(mutex as usize, "initialises a mutex that", place);
        lifetime::changed(mutex as usize, "initialises a mutex");
        control::renew(mutex as usize, place, ObjectKind::Mutex);
    }
    // SAFETY: as the C library says; in a run it only writes down the type.
    unsafe { init(mutex, attributes) }
}

/// A lock that somebody holds must not be destroyed or made anew.
pub(crate) fn refuse_held(address: usize, what: &str, place: Place) {
    let known = state::with(|state| state.objects.find(address, Use::Primitive));
    let holder = known.and_then(|lock| with_world(|world| world.held().find(|held| held.object == lock)));
    if let Some(held) = holder {
        control::misuse(format!("{what} {} holds", held.by), place);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut pthread_mutex_t) -> c_int {
    if controls(mutex) {
        let place = here();
        refuse_held(mutex as usize, "destroys a mutex that", place);
        lifetime::changed(mutex as usize, "destroys a mutex");
        state::with(|state| state.objects.forget(mutex as usize, Use::Primitive));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_mutex_destroy(*mut pthread_mutex_t) -> c_int)(mutex) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int {
    if controls(mutex) {
        return take(mutex, Kind::Lock, 0);
    }
    // SAFETY: as the C library says.
    record::taking(Kind::Lock, mutex, || unsafe {
        real!(fn pthread_mutex_lock(*mut pthread_mutex_t) -> c_int)(mutex)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int {
    if controls(mutex) {
        return take(mutex, Kind::TryLock, 0);
    }
    // SAFETY: as the C library says.
    record::taking(Kind::TryLock, mutex, || unsafe {
        real!(fn pthread_mutex_trylock(*mut pthread_mutex_t) -> c_int)(mutex)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_timedlock(
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> c_int {
    if controls(mutex) {
        return take(mutex, Kind::TimedLock, time::moment(until));
    }
    // SAFETY: as the C library says.
    record::taking(Kind::TimedLock, mutex, || unsafe {
        real!(fn pthread_mutex_timedlock(*mut pthread_mutex_t, *const timespec) -> c_int)(mutex, until)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_clocklock(
    mutex: *mut pthread_mutex_t,
    clock: c_int,
    until: *const timespec,
) -> c_int {
    if controls(mutex) {
        return take(mutex, Kind::TimedLock, time::moment(until));
    }
    // SAFETY: as the C library says.
    record::taking(Kind::TimedLock, mutex, || unsafe {
        real!(fn pthread_mutex_clocklock(*mut pthread_mutex_t, c_int, *const timespec) -> c_int)(
            mutex, clock, until,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int {
    if !controls(mutex) {
        // SAFETY: as the C library says.
        return record::giving(Kind::Unlock, mutex, || unsafe {
            real!(fn pthread_mutex_unlock(*mut pthread_mutex_t) -> c_int)(mutex)
        });
    }
    let place = here();
    let lock = number(mutex, place);
    let kind = match (is_owner(lock), type_of(mutex)) {
        (true, Type::Recursive) if with_world(|world| world.depth(lock)) > 0 => Kind::UnlockInner,
        (false, Type::ErrorChecking | Type::Recursive) => return libc::EPERM,
        _ => Kind::Unlock,
    };
    if kind == Kind::Unlock && is_robust(mutex) {
        state::with(|state| state.own().robust.retain(|each| *each != mutex as usize));
        if inherited(mutex) == libc::EOWNERDEAD {
            // SAFETY: a mutex of the program that the thread holds.
            unsafe { *mark_of(mutex) = NOT_RECOVERABLE };
        }
    }
    control::visit(Operation::new(kind, lock, 0), place);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_consistent(mutex: *mut pthread_mutex_t) -> c_int {
    if !controls(mutex) {
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_mutex_consistent(*mut pthread_mutex_t) -> c_int)(mutex) };
    }
    if inherited(mutex) != libc::EOWNERDEAD {
        return libc::EINVAL;
    }
    // SAFETY: a mutex of the program that the thread holds.
    unsafe { *mark_of(mutex) = 0 };
    0
}

/// A spin lock is a mutex of the normal type.
macro_rules! spin {
    ($($name:ident => $kind:expr, $recorded:ident, $busy:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: *mut c_void) -> c_int {
            if !controls(lock) {
                // SAFETY: as the C library says.
                return record::$recorded($kind, lock, || unsafe { real!(fn $name(*mut c_void) -> c_int)(lock) });
            }
            let place = here();
            let number = primitive(lock as usize, place, || ObjectKind::Mutex);
            let executed = control::visit(Operation::new($kind, number, 0), place);
            if executed.outcome == Outcome::Failed { $busy } else { 0 }
        }
    )*};
}

spin! {
    pthread_spin_lock => Kind::Lock, taking, 0;
    pthread_spin_trylock => Kind::TryLock, taking, libc::EBUSY;
    pthread_spin_unlock => Kind::Unlock, giving, 0;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_spin_init(lock: *mut c_void, shared: c_int) -> c_int {
    if controls(lock) {
        lifetime::changed(lock as usize, "initialises a spin lock");
        control::renew(lock as usize, here(), ObjectKind::Mutex);
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_spin_init(*mut c_void, c_int) -> c_int)(lock, shared) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_spin_destroy(lock: *mut c_void) -> c_int {
    if controls(lock) {
        refuse_held(lock as usize, "destroys a spin lock that", here());
        lifetime::changed(lock as usize, "destroys a spin lock");
        state::with(|state| state.objects.forget(lock as usize, Use::Primitive));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_spin_destroy(*mut c_void) -> c_int)(lock) }
}
