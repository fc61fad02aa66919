//! Reading and writing pipes, sockets and event descriptors: scheduling points that go when the descriptor is ready.
//!
//! All descriptors share one lock and one condition variable: an operation that finds its descriptor not ready waits until
//! something was done to any of them. Files and terminals are always ready and are no scheduling points.

use std::ffi::{c_int, c_void};

use libc::{msghdr, nfds_t, pollfd, sockaddr, socklen_t, ssize_t};
use raddle_trace::{Kind, Operation};
use raddle_world::ObjectKind;

use crate::control::{self, controlled};
use crate::objects::Use;
use crate::real::real;
use crate::state::here;
use crate::{abi, hooks};

/// What is waited for.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Pipes, sockets and event descriptors, all together.
    Descriptors,
    /// Signals.
    Signals,
}

impl Source {
    /// Stand for its lock and its condition variable; no object of the program has these addresses.
    const fn addresses(self) -> (usize, usize) {
        match self {
            Source::Descriptors => (2, 3),
            Source::Signals => (4, 5),
        }
    }
}

/// What an object with one of those addresses is called in a report.
pub(crate) fn name_of(address: usize) -> Option<&'static str> {
    let sources = [
        (Source::Descriptors, "descriptor tables", "a pipe or socket"),
        (Source::Signals, "signal tables", "a signal"),
    ];
    sources.into_iter().find_map(|(source, tables, awaited)| {
        let (lock, changed) = source.addresses();
        if address == lock { Some(tables) } else { (address == changed).then_some(awaited) }
    })
}

/// Whether the descriptor is a pipe, a socket, or one that is no file at all, such as that of `eventfd`.
fn can_wait(descriptor: c_int) -> bool {
    // SAFETY: a plain structure that the call fills.
    unsafe {
        let mut facts: libc::stat = std::mem::zeroed();
        libc::fstat(descriptor, &raw mut facts) == 0
            && matches!(facts.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK | 0)
    }
}

fn is_blocking(descriptor: c_int) -> bool {
    // SAFETY: only numbers.
    unsafe { libc::fcntl(descriptor, libc::F_GETFL) & libc::O_NONBLOCK == 0 }
}

fn ready(descriptor: c_int, events: i16) -> bool {
    let mut one = pollfd { fd: descriptor, events, revents: 0 };
    // SAFETY: one structure, and no time to wait.
    unsafe { real!(fn poll(*mut pollfd, nfds_t, c_int) -> c_int)(&raw mut one, 1, 0) != 0 }
}

/// Does `f` when the descriptors or signals are as it needs them.
pub(super) fn when<R>(source: Source, is_ready: impl Fn() -> bool, f: impl FnOnce() -> R) -> R {
    let place = here();
    let (lock, changed) = source.addresses();
    let lock = control::object(lock, Use::Primitive, place, || ObjectKind::Mutex);
    let changed = control::object(changed, Use::Primitive, place, || ObjectKind::Condvar);
    control::visit(Operation::new(Kind::Lock, lock, 0), place);
    while !is_ready() {
        control::visit(Operation::new(Kind::Wait, changed, lock.index() as u64), place);
        while control::wait_for_turn().kind != Kind::Relock {}
    }
    let result = f();
    control::visit(Operation::new(Kind::NotifyAll, changed, 0), place);
    control::visit(Operation::new(Kind::Unlock, lock, 0), place);
    result
}

/// Does `f` when the descriptor is ready, if it is one that can let somebody wait.
fn around<R>(descriptor: c_int, events: i16, may_wait: bool, f: impl FnOnce() -> R) -> R {
    if controlled() && can_wait(descriptor) {
        let waits = may_wait && is_blocking(descriptor);
        return when(Source::Descriptors, || !waits || ready(descriptor, events), f);
    }
    f()
}

/// The program is about to hand over these bytes.
fn gives(data: *const c_void, size: usize) {
    // SAFETY: the program lets the kernel read these bytes.
    unsafe { hooks::__raddle_read(data, size as u64, abi::caller()) };
}

/// The program has got this many bytes, if it has.
fn got(data: *mut c_void, count: ssize_t) {
    if let Ok(size @ 1..) = u64::try_from(count) {
        // SAFETY: the program let the kernel write these bytes.
        unsafe { hooks::__raddle_write(data, size, 0, abi::caller()) };
    }
}

/// Functions that move bytes from or to memory of the program.
macro_rules! moves {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(; $flags:ident)?) => $events:ident, $does:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(descriptor: c_int, data: *mut c_void, size: usize $(, $argument: $type)*) -> ssize_t {
            let may_wait = true $(&& $flags & libc::MSG_DONTWAIT == 0)?;
            let real = real!(fn $name(c_int, *mut c_void, usize $(, $type)*) -> ssize_t);
            if $does == Moves::Out && controlled() {
                gives(data, size);
            }
            // SAFETY: as the C library says.
            around(descriptor, libc::$events, may_wait, || unsafe {
                let count = real(descriptor, data, size $(, $argument)*);
                if $does == Moves::In && controlled() {
                    got(data, count);
                }
                count
            })
        }
    )*};
}

/// Which way bytes go.
#[derive(PartialEq, Eq)]
enum Moves {
    In,
    Out,
}
const IN: Moves = Moves::In;
const OUT: Moves = Moves::Out;

moves! {
    fn read() => POLLIN, IN;
    fn write() => POLLOUT, OUT;
    fn recv(flags: c_int; flags) => POLLIN, IN;
    fn send(flags: c_int; flags) => POLLOUT, OUT;
    fn recvfrom(flags: c_int, from: *mut sockaddr, length: *mut socklen_t; flags) => POLLIN, IN;
    fn sendto(flags: c_int, to: *const sockaddr, length: socklen_t; flags) => POLLOUT, OUT;
}

unsafe extern "C" {
    /// Ends the program because a buffer is too small.
    fn __chk_fail() -> !;
}

/// Functions that know how large the buffer is; otherwise as those without.
macro_rules! fortified {
    ($(fn $name:ident = $plain:ident($($argument:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(descriptor: c_int, data: *mut c_void, size: usize, room: usize $(, $argument: $type)*) -> ssize_t {
            // SAFETY: as the C library says.
            unsafe {
                if size > room {
                    __chk_fail();
                }
                $plain(descriptor, data, size $(, $argument)*)
            }
        }
    )*};
}

fortified! {
    fn __read_chk = read();
    fn __recv_chk = recv(flags: c_int);
    fn __recvfrom_chk = recvfrom(flags: c_int, from: *mut sockaddr, length: *mut socklen_t);
}

/// Functions whose first argument is the descriptor they wait for.
macro_rules! waits {
    ($($events:ident: fn $name:ident($($argument:ident: $type:ty),* $(; $flags:ident: $flags_type:ty $(, $more:ident: $more_type:ty)*)?) -> $result:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(descriptor: c_int, $($argument: $type,)* $($flags: $flags_type, $($more: $more_type,)*)?) -> $result {
            let may_wait = true $(&& $flags & libc::MSG_DONTWAIT == 0)?;
            let real = real!(fn $name(c_int, $($type,)* $($flags_type, $($more_type,)*)?) -> $result);
            // SAFETY: as the C library says.
            around(descriptor, libc::$events, may_wait, || unsafe {
                real(descriptor, $($argument,)* $($flags, $($more,)*)?)
            })
        }
    )*};
}

waits! {
    POLLIN: fn readv(data: *const libc::iovec, count: c_int) -> ssize_t;
    POLLOUT: fn writev(data: *const libc::iovec, count: c_int) -> ssize_t;
    POLLIN: fn recvmsg(message: *mut msghdr; flags: c_int) -> ssize_t;
    POLLOUT: fn sendmsg(message: *const msghdr; flags: c_int) -> ssize_t;
    POLLIN: fn accept(address: *mut sockaddr, length: *mut socklen_t) -> c_int;
    POLLIN: fn accept4(address: *mut sockaddr, length: *mut socklen_t, flags: c_int) -> c_int;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn connect(descriptor: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    let connect = real!(fn connect(c_int, *const sockaddr, socklen_t) -> c_int);
    // SAFETY: as the C library says. A local server that listens takes the connection at once.
    around(descriptor, libc::POLLOUT, false, || unsafe { connect(descriptor, address, length) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    let close = real!(fn close(c_int) -> c_int);
    // Whoever waits for the other end sees it.
    // SAFETY: as the C library says.
    around(descriptor, libc::POLLIN, false, || unsafe { close(descriptor) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(
    descriptor: c_int,
    events: *mut libc::epoll_event,
    most: c_int,
    timeout: c_int,
) -> c_int {
    let wait = real!(fn epoll_wait(c_int, *mut libc::epoll_event, c_int, c_int) -> c_int);
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { wait(descriptor, events, most, timeout) };
    }
    // Only the last look may take the events: those that are told once would be lost otherwise.
    let is_ready = || timeout >= 0 || ready(descriptor, libc::POLLIN);
    // SAFETY: as the C library says; without waiting.
    when(Source::Descriptors, is_ready, || unsafe { wait(descriptor, events, most, 0) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(list: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int {
    let poll = real!(fn poll(*mut pollfd, nfds_t, c_int) -> c_int);
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { poll(list, count, timeout) };
    }
    // SAFETY: as the C library says; without waiting.
    let now = || unsafe { poll(list, count, 0) };
    let result = when(Source::Descriptors, || timeout >= 0 || now() != 0, now);
    if result == 0 {
        crate::faces::time::pass(u64::try_from(timeout).unwrap_or(0) * 1_000_000);
    }
    result
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn select(
    count: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    timeout: *mut libc::timeval,
) -> c_int {
    type Set = *mut libc::fd_set;
    let select = real!(fn select(c_int, Set, Set, Set, *mut libc::timeval) -> c_int);
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { select(count, read, write, except, timeout) };
    }
    let look = |keep: bool| {
        // SAFETY: as the C library says; the sets are copied so that looking does not change them.
        unsafe {
            let copy = |set: Set| if set.is_null() { None } else { Some(*set) };
            let mut sets = [copy(read), copy(write), copy(except)];
            let [a, b, c] =
                sets.each_mut().map(|set| set.as_mut().map_or(std::ptr::null_mut(), |set| &raw mut *set));
            let mut none = libc::timeval { tv_sec: 0, tv_usec: 0 };
            let result = select(count, a, b, c, &raw mut none);
            if keep {
                for (set, new) in [read, write, except].into_iter().zip(sets) {
                    if let Some(new) = new {
                        *set = new;
                    }
                }
            }
            result
        }
    };
    let result = when(Source::Descriptors, || !timeout.is_null() || look(false) != 0, || look(true));
    if result == 0 && !timeout.is_null() {
        // SAFETY: the program gives a time.
        let time = unsafe { &*timeout };
        crate::faces::time::pass(crate::faces::time::nanoseconds(time.tv_sec, time.tv_usec * 1000));
    }
    result
}
