//! Threads, in and outside of a check.

mod common;

use std::cell::{Cell, RefCell};

use common::{finding_of, outcomes};
use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, mpsc};
use raddle::thread::{self, Builder};
use raddle::time::{Duration, Instant, SystemTime};

#[test]
fn threads_have_names_and_numbers() {
    let body = || {
        let named = Builder::new().name("worker".to_owned()).stack_size(1 << 21);
        let other =
            named.spawn(|| (thread::current().id(), thread::current().name().map(str::to_owned))).unwrap();
        let (id, name) = (other.thread().id(), other.thread().name().map(str::to_owned));
        assert_eq!(other.join().unwrap(), (id, name));
        assert_ne!(thread::current().id(), id);
        let nameless = thread::spawn(|| thread::current().name().map(str::to_owned));
        assert_eq!(nameless.join().unwrap(), None);
    };
    body();
    raddle::check(body);
    raddle::check(|| assert_eq!(thread::current().name(), Some("main")));
}

#[test]
fn scoped_threads_borrow_and_are_joined() {
    let body = || {
        let numbers = Mutex::new(vec![1]);
        let total = thread::scope(|scope| {
            let two = scope.spawn(|| {
                scope.spawn(|| numbers.lock().unwrap().push(3));
                2
            });
            numbers.lock().unwrap().push(two.join().unwrap());
            Builder::new()
                .name("scoped".to_owned())
                .spawn_scoped(scope, || numbers.lock().unwrap().len())
                .unwrap()
                .join()
                .unwrap()
        });
        assert!(total >= 2);
        assert_eq!(numbers.into_inner().unwrap().iter().sum::<u32>(), 6);
    };
    body();
    raddle::check(body);
}

#[test]
fn a_scope_whose_run_ends_in_the_middle_does_not_leave_its_threads_behind() {
    for _ in 0..20 {
        let finding = finding_of(|| {
            let text = Mutex::new("some text".to_owned());
            thread::scope(|scope| {
                scope.spawn(|| {
                    let guard = text.lock().unwrap();
                    thread::yield_now();
                    assert_eq!(guard.len(), 9);
                    thread::park();
                    drop(guard);
                });
                scope.spawn(|| thread::park());
            });
        });
        assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
    }
}

#[test]
fn a_panic_in_a_thread_is_a_finding() {
    let finding = finding_of(|| drop(thread::spawn(|| panic!("on purpose")).join()));
    assert!(finding.contains("on purpose"), "{finding}");
    let finding = finding_of(|| thread::scope(|scope| drop(scope.spawn(|| panic!("in a scope")))));
    assert!(finding.contains("in a scope"), "{finding}");
}

#[test]
fn a_token_lasts_until_it_is_taken() {
    raddle::check(|| {
        let main = thread::current();
        let other = thread::spawn(move || {
            main.unpark();
            thread::park();
        });
        other.thread().unpark();
        thread::park();
        other.join().unwrap();
    });
    let finding = finding_of(thread::park);
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

#[test]
fn sleeping_and_timing_out_take_virtual_time_only() {
    let real = std::time::Instant::now();
    raddle::check(|| {
        let start = Instant::now();
        let other = thread::spawn(|| thread::sleep(Duration::from_secs(5)));
        thread::sleep(Duration::from_secs(2));
        thread::park_timeout(Duration::from_secs(1));
        assert_eq!(start.elapsed(), Duration::from_secs(3));
        other.join().unwrap();
        assert_eq!(start.elapsed(), Duration::from_secs(5));
        assert_eq!(Instant::now() - Duration::from_secs(5), start);
    });
    assert!(real.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_loop_that_asks_whether_a_thread_is_finished_ends() {
    raddle::check(|| {
        let other = thread::spawn(|| 5);
        while !other.is_finished() {
            thread::yield_now();
        }
        assert_eq!(other.join().unwrap(), 5);
    });
}

#[test]
fn a_spinning_thread_waits_for_a_change() {
    raddle::check(|| {
        let turn = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&turn);
        let rival = thread::spawn(move || {
            while other.load(SeqCst) != 1 {
                raddle::hint::spin_loop();
            }
            other.store(2, SeqCst);
        });
        turn.store(1, SeqCst);
        while turn.load(SeqCst) != 2 {
            raddle::hint::spin_loop();
        }
        rival.join().unwrap();
    });
}

#[test]
fn a_detached_thread_is_part_of_the_run() {
    let seen = outcomes(|| {
        let number = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&number);
        drop(thread::spawn(move || other.store(1, SeqCst)));
        number.load(SeqCst)
    });
    assert_eq!(seen, [0, 1].into());
}

raddle::thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(1) };
    /// With documentation.
    pub(crate) static NAMES: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    static LAST: Cell<u32> = Cell::new(7)
}

#[test]
fn every_thread_has_its_own_variables() {
    let body = || {
        COUNT.set(5);
        NAMES.with_borrow_mut(|names| names.push(2));
        let other = thread::spawn(|| (COUNT.get(), NAMES.take(), LAST.replace(8)));
        assert_eq!(other.join().unwrap(), (1, vec![1], 7));
        assert_eq!((COUNT.take(), COUNT.get()), (5, 0));
        assert_eq!(NAMES.with_borrow(Vec::len), 2);
        assert_eq!(LAST.try_with(Cell::get), Ok(7));
    };
    raddle::check(body);
    thread::spawn(body).join().unwrap();
}

#[test]
fn thread_local_variables_are_destroyed_with_their_thread() {
    struct Tells(Arc<AtomicU32>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
            assert!(MINE.try_with(|_| ()).is_err());
        }
    }
    raddle::thread_local!(static MINE: RefCell<Option<Tells>> = RefCell::new(None));
    raddle::check(|| {
        let count = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&count);
        thread::spawn(move || MINE.set(Some(Tells(other)))).join().unwrap();
        assert_eq!(count.load(SeqCst), 1);
    });
}

#[test]
fn a_future_is_woken_by_another_thread() {
    use std::task::{Poll, Waker};
    let body = || {
        let shared = Arc::new(Mutex::new((false, None::<Waker>)));
        let other = Arc::clone(&shared);
        let waker = thread::spawn(move || {
            let mut guard = other.lock().unwrap();
            guard.0 = true;
            let waker = guard.1.take();
            drop(guard);
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        raddle::future::block_on(std::future::poll_fn(|context| {
            let mut guard = shared.lock().unwrap();
            if guard.0 {
                return Poll::Ready(());
            }
            guard.1 = Some(context.waker().clone());
            Poll::Pending
        }));
        waker.join().unwrap();
    };
    body();
    raddle::check(body);
}

#[test]
fn a_future_that_nobody_wakes_is_a_deadlock() {
    let finding = finding_of(|| raddle::future::block_on(std::future::pending::<()>()));
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

#[test]
fn every_choice_is_tried() {
    let seen = outcomes(|| (raddle::choose(2), raddle::input::any_bool(), raddle::input::choose(1)));
    assert_eq!(seen.len(), 4);
    assert_eq!(raddle::choose(5), 0);
    assert!(common::panic_of(|| _ = raddle::choose(0)).contains("empty range"));
}

/// Says when it is destroyed.
struct Tells(Arc<AtomicU32>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.store(1, SeqCst);
    }
}

raddle::thread_local!(static TELLS: RefCell<Option<Tells>> = const { RefCell::new(None) });

#[test]
fn a_scope_does_not_wait_for_thread_local_variables_to_go() {
    let seen = outcomes(|| {
        let number = Arc::new(AtomicU32::new(0));
        let start = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(1));
                TELLS.set(Some(Tells(Arc::clone(&number))));
            });
        });
        assert_eq!(start.elapsed(), Duration::from_millis(1));
        number.load(SeqCst)
    });
    assert_eq!(seen, [0, 1].into());
}

#[test]
fn a_join_waits_for_thread_local_variables_to_go_and_is_finished_does_not() {
    let seen = outcomes(|| {
        let number = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&number);
        let thread = thread::spawn(move || TELLS.set(Some(Tells(other))));
        let is_finished = thread.is_finished();
        let seen = number.load(SeqCst);
        thread.join().unwrap();
        (is_finished, seen, number.load(SeqCst))
    });
    assert_eq!(seen, [(false, 0, 1), (false, 1, 1), (true, 0, 1), (true, 1, 1)].into());
}

#[test]
fn time_passes_for_those_who_hear_from_a_thread_that_slept() {
    let seen = outcomes(|| {
        let start = Instant::now();
        let (sender, receiver) = mpsc::channel();
        let lock = Arc::new(Mutex::new(start));
        let other = Arc::clone(&lock);
        let sleeper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(10));
            *other.lock().unwrap() = Instant::now();
            thread::sleep(Duration::from_millis(20));
            sender.send(Instant::now()).unwrap();
        });
        let written = *lock.lock().unwrap();
        let first = Instant::now();
        assert!(first >= written);
        thread::sleep(Duration::from_millis(1));
        let sent = receiver.recv().unwrap();
        let second = Instant::now();
        assert_eq!(second, sent);
        sleeper.join().unwrap();
        (first - start, second - start)
    });
    let times = |first, second| (Duration::from_millis(first), Duration::from_millis(second));
    assert_eq!(seen, [times(0, 30), times(10, 30)].into());
}

#[test]
fn a_check_can_be_made_by_an_os_thread_with_a_small_stack() {
    let made = std::thread::Builder::new().stack_size(1 << 17).spawn(|| {
        let report = raddle::Check::new().run(|| {
            let number = Arc::new(AtomicU32::new(0));
            let other = {
                let number = Arc::clone(&number);
                thread::spawn(move || number.store(1, SeqCst))
            };
            number.load(SeqCst);
            other.join().unwrap();
        });
        (report.runs(), report.is_exhausted())
    });
    assert_eq!(made.expect("a thread can be started").join().expect("it ends well"), (2, true));
}

#[test]
fn a_run_may_go_on_for_longer_than_a_clock_counts() {
    let report = raddle::Check::new().max_run_time(Duration::MAX).run(|| {
        thread::spawn(|| {}).join().unwrap();
    });
    assert_eq!((report.runs(), report.is_exhausted()), (1, true));
}

#[test]
fn a_thread_that_brings_more_along_than_its_stack_holds_overflows_it() {
    let finding = finding_of(|| {
        let parent = Builder::new().stack_size(64 << 20).spawn(|| {
            let large = std::hint::black_box([7_u8; 3 << 20]);
            thread::spawn(move || large[1 << 20]).join().unwrap()
        });
        parent.unwrap().join().unwrap();
    });
    assert!(finding.contains("T2 overflowed its stack"), "{finding}");
}

/// Counts that it is dropped, as a step.
struct Counts(Arc<AtomicU32>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn a_result_that_nobody_joins_is_dropped_by_whoever_comes_last() {
    let seen = outcomes(|| {
        let drops = Arc::new(AtomicU32::new(0));
        let counts = Counts(Arc::clone(&drops));
        let other = thread::spawn(move || counts);
        drops.fetch_add(0, SeqCst);
        drop(other);
        drops.load(SeqCst)
    });
    assert_eq!(seen, [0, 1].into());
}

#[test]
fn a_result_of_a_scope_that_nobody_joins_is_dropped_by_whoever_comes_last() {
    let seen = outcomes(|| {
        let drops = Arc::new(AtomicU32::new(0));
        thread::scope(|scope| {
            let counts = Counts(Arc::clone(&drops));
            let other = scope.spawn(move || counts);
            drops.fetch_add(0, SeqCst);
            drop(other);
            drops.load(SeqCst)
        })
    });
    assert_eq!(seen, [0, 1].into());
}

#[test]
fn a_handle_may_be_dropped_between_a_step_of_the_thread_and_its_result() {
    struct Adds(Arc<Mutex<u32>>);
    impl Drop for Adds {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let seen = outcomes(|| {
        let sum = Arc::new(Mutex::new(0));
        let adds = Adds(Arc::clone(&sum));
        let other = thread::spawn(move || {
            *adds.0.lock().unwrap() += 10;
            adds
        });
        let before = *sum.lock().unwrap();
        drop(other);
        let after = *sum.lock().unwrap();
        (before, after)
    });
    assert_eq!(seen, [(0, 0), (0, 10), (0, 11), (10, 10), (10, 11)].into());
}

#[test]
fn moments_and_dates_look_as_those_of_std() {
    let fields = |shown: String| {
        let letters = shown.chars().filter(|letter| !letter.is_ascii_digit());
        letters.collect::<String>()
    };
    let instant = fields(format!("{:?}", std::time::Instant::now()));
    assert_eq!(fields(format!("{:?}", Instant::now())), instant);
    let date = std::time::SystemTime::now();
    assert_eq!(format!("{:?}", SystemTime::from(date)), format!("{date:?}"));
    raddle::check(move || {
        assert_eq!(fields(format!("{:?}", Instant::now())), instant);
        assert_eq!(fields(format!("{:?}", SystemTime::now())), fields(format!("{date:?}")));
    });
}

#[test]
fn a_stack_that_no_system_could_give_is_an_error() {
    let body = || {
        assert!(Builder::new().stack_size(usize::MAX / 2).spawn(|| ()).is_err());
        thread::scope(|scope| {
            assert!(Builder::new().stack_size(usize::MAX / 2).spawn_scoped(scope, || ()).is_err());
        });
    };
    body();
    raddle::check(body);
}
