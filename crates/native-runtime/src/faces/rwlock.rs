//! Reader-writer locks.

use std::ffi::{c_int, c_void};

use libc::{pthread_rwlock_t, timespec};
use raddle_runtime::with_world;
use raddle_trace::{Kind, Operation};
use raddle_world::ObjectKind;

use crate::control::{self, controls, primitive};
use crate::faces::{mutex, time};
use crate::lifetime;
use crate::objects::Use;
use crate::real::real;
use crate::record;
use crate::state::{self, here};

fn take(lock: *mut pthread_rwlock_t, kind: Kind, deadline: u64) -> c_int {
    let place = here();
    let number = primitive(lock as usize, place, || ObjectKind::RwLock);
    let current = state::with(|state| state.current);
    let writer = with_world(|world| world.is_owner(number, current));
    if writer && !matches!(kind, Kind::TryRead | Kind::TryWrite) {
        return libc::EDEADLK;
    }
    let executed = control::visit(Operation::new(kind, number, 0), place);
    control::answer(&executed, deadline)
}

macro_rules! takes {
    ($($name:ident => $kind:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: *mut pthread_rwlock_t) -> c_int {
            if controls(lock) {
                return take(lock, $kind, 0);
            }
            // SAFETY: as the C library says.
            record::taking($kind, lock, || unsafe { real!(fn $name(*mut pthread_rwlock_t) -> c_int)(lock) })
        }
    )*};
}

takes! {
    pthread_rwlock_rdlock => Kind::Read;
    pthread_rwlock_tryrdlock => Kind::TryRead;
    pthread_rwlock_wrlock => Kind::Write;
    pthread_rwlock_trywrlock => Kind::TryWrite;
}

macro_rules! timed {
    ($($name:ident => $kind:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int {
            if controls(lock) {
                return take(lock, $kind, time::moment(until));
            }
            // SAFETY: as the C library says.
            record::taking($kind, lock, || unsafe {
                real!(fn $name(*mut pthread_rwlock_t, *const timespec) -> c_int)(lock, until)
            })
        }
    )*};
}

timed! {
    pthread_rwlock_timedrdlock => Kind::TimedRead;
    pthread_rwlock_timedwrlock => Kind::TimedWrite;
}

macro_rules! clocked {
    ($($name:ident => $kind:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lock: *mut pthread_rwlock_t, clock: c_int, until: *const timespec) -> c_int {
            if controls(lock) {
                return take(lock, $kind, time::moment(until));
            }
            // SAFETY: as the C library says.
            unsafe { real!(fn $name(*mut pthread_rwlock_t, c_int, *const timespec) -> c_int)(lock, clock, until) }
        }
    )*};
}

clocked! {
    pthread_rwlock_clockrdlock => Kind::TimedRead;
    pthread_rwlock_clockwrlock => Kind::TimedWrite;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int {
    if !controls(lock) {
        // SAFETY: as the C library says.
        return record::giving(Kind::ReadUnlock, lock, || unsafe {
            real!(fn pthread_rwlock_unlock(*mut pthread_rwlock_t) -> c_int)(lock)
        });
    }
    let place = here();
    let number = primitive(lock as usize, place, || ObjectKind::RwLock);
    let current = state::with(|state| state.current);
    let (writes, free) = with_world(|world| {
        (world.is_owner(number, current), world.level(number) >= raddle_trace::level::RW_FREE)
    });
    if free {
        control::misuse("unlocked a lock that nobody holds", place);
    }
    let kind = if writes { Kind::WriteUnlock } else { Kind::ReadUnlock };
    control::visit(Operation::new(kind, number, 0), place);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_rwlock_init(
    lock: *mut pthread_rwlock_t,
    attributes: *const c_void,
) -> c_int {
    if controls(lock) {
        lifetime::changed(lock as usize, "initialises a lock");
        control::renew(lock as usize, here(), ObjectKind::RwLock);
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_rwlock_init(*mut pthread_rwlock_t, *const c_void) -> c_int)(lock, attributes) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_rwlock_destroy(lock: *mut pthread_rwlock_t) -> c_int {
    if controls(lock) {
        mutex::refuse_held(lock as usize, "destroys a lock that", here());
        lifetime::changed(lock as usize, "destroys a lock");
        state::with(|state| state.objects.forget(lock as usize, Use::Primitive));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_rwlock_destroy(*mut pthread_rwlock_t) -> c_int)(lock) }
}
