//! Programs in which there is nothing to be found.

use std::cell::Cell;
use std::future::poll_fn;
use std::ptr;
use std::task::{Poll, Waker};

use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, Ordering::SeqCst};
use raddle::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, OnceLock, RwLock, mpsc};
use raddle::{future, hint, thread};

use super::{Case, passes, share};

pub(crate) const CASES: [Case; 20] = [
    passes("peterson", peterson),
    passes("dekker", dekker),
    passes("spin_lock_with_swap", || spin_lock(|lock| !lock.swap(true, Ordering::Acquire))),
    passes("spin_lock_with_weak_compare_exchange", || {
        spin_lock(|lock| {
            lock.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
        });
    }),
    passes("ticket_lock", ticket_lock),
    passes("treiber_stack", treiber_stack),
    passes("sequence_lock", sequence_lock),
    passes("double_checked_once_lock", double_checked_once_lock),
    passes("bounded_buffer", bounded_buffer),
    passes("scope_with_a_mutex", scope_with_a_mutex),
    passes("rwlock_cache", rwlock_cache),
    passes("worker_pool", worker_pool),
    passes("barrier_phases", barrier_phases),
    passes("park_handshake", park_handshake),
    passes("future_woken_by_another_thread", future_woken_by_another_thread),
    passes("thread_local_counters", thread_local_counters),
    passes("lazy_lock_static", lazy_lock_static),
    passes("message_behind_a_flag", message_behind_a_flag),
    passes("locks_in_order", locks_in_order),
    passes("wait_in_a_loop", wait_in_a_loop).with_a_spurious_wakeup(),
];

/// A counter that only one thread at a time may touch.
#[derive(Default)]
struct Guarded {
    count: UnsafeCell<usize>,
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    served: AtomicUsize,
}

// SAFETY: the programs here see to it that nobody touches the count at the same time as another.
unsafe impl Sync for Guarded {}

impl Guarded {
    fn add(&self) {
        // SAFETY: as above.
        self.count.with_mut(|count| unsafe { *count += 1 });
    }

    fn count(&self) -> usize {
        // SAFETY: as above.
        self.count.with(|count| unsafe { *count })
    }
}

fn peterson() {
    fn enter(guarded: &Guarded, me: usize) {
        guarded.wants[me].store(true, SeqCst);
        guarded.turn.store(1 - me, SeqCst);
        while guarded.wants[1 - me].load(SeqCst) && guarded.turn.load(SeqCst) == 1 - me {
            hint::spin_loop();
        }
        guarded.add();
        guarded.wants[me].store(false, SeqCst);
    }
    let bodies: [fn(&Guarded); 2] = [|guarded| enter(guarded, 0), |guarded| enter(guarded, 1)];
    assert_eq!(share(Guarded::default(), &bodies).count(), 2);
}

fn dekker() {
    fn enter(guarded: &Guarded, me: usize) {
        guarded.wants[me].store(true, SeqCst);
        while guarded.wants[1 - me].load(SeqCst) {
            if guarded.turn.load(SeqCst) != me {
                guarded.wants[me].store(false, SeqCst);
                while guarded.turn.load(SeqCst) != me {
                    hint::spin_loop();
                }
                guarded.wants[me].store(true, SeqCst);
            }
            hint::spin_loop();
        }
        guarded.add();
        guarded.turn.store(1 - me, SeqCst);
        guarded.wants[me].store(false, SeqCst);
    }
    let bodies: [fn(&Guarded); 2] = [|guarded| enter(guarded, 0), |guarded| enter(guarded, 1)];
    assert_eq!(share(Guarded::default(), &bodies).count(), 2);
}

fn spin_lock(try_lock: fn(&AtomicBool) -> bool) {
    let guarded = Arc::new(Guarded::default());
    let add = move |guarded: &Guarded| {
        while !try_lock(&guarded.wants[0]) {
            hint::spin_loop();
        }
        guarded.add();
        guarded.wants[0].store(false, Ordering::Release);
    };
    let other = Arc::clone(&guarded);
    let rival = thread::spawn(move || add(&other));
    add(&guarded);
    rival.join().unwrap();
    assert_eq!(guarded.count(), 2);
}

fn ticket_lock() {
    let add = |guarded: &Guarded| {
        let ticket = guarded.turn.fetch_add(1, Ordering::Relaxed);
        while guarded.served.load(Ordering::Acquire) != ticket {
            hint::spin_loop();
        }
        guarded.add();
        guarded.served.store(ticket + 1, Ordering::Release);
    };
    assert_eq!(share(Guarded::default(), &[add, add, add]).count(), 3);
}

struct Node {
    value: usize,
    next: *mut Node,
}

/// Nodes that were taken stay until nobody looks at them any more.
#[derive(Default)]
struct Treiber {
    head: AtomicPtr<Node>,
    taken: [AtomicPtr<Node>; 2],
}

impl Treiber {
    fn push(&self, value: usize) {
        let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
        loop {
            let head = self.head.load(Ordering::Acquire);
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next = head };
            if self.head.compare_exchange(head, node, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> *mut Node {
        loop {
            let head = self.head.load(Ordering::Acquire);
            if head.is_null() {
                return head;
            }
            // SAFETY: nodes live until the end of the run.
            let next = unsafe { (*head).next };
            if self.head.compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return head;
            }
        }
    }
}

fn treiber_stack() {
    let first = |stack: &Treiber| {
        stack.push(1);
        stack.taken[0].store(stack.pop(), SeqCst);
    };
    let second = |stack: &Treiber| {
        stack.push(2);
        stack.taken[1].store(stack.pop(), SeqCst);
    };
    let stack = share(Treiber::default(), &[first, second]);
    assert!(stack.head.load(SeqCst).is_null());
    let mut values = stack.taken.each_ref().map(|taken| {
        // SAFETY: both found a node, and each another one.
        unsafe { Box::from_raw(taken.load(SeqCst)) }.value
    });
    values.sort_unstable();
    assert_eq!(values, [1, 2]);
}

fn sequence_lock() {
    #[derive(Default)]
    struct Sequence {
        number: AtomicUsize,
        pair: [AtomicUsize; 2],
    }
    let write = |shared: &Sequence| {
        shared.number.fetch_add(1, SeqCst);
        shared.pair.iter().for_each(|half| half.store(7, SeqCst));
        shared.number.fetch_add(1, SeqCst);
    };
    let read = |shared: &Sequence| loop {
        let before = shared.number.load(SeqCst);
        let pair = shared.pair.each_ref().map(|half| half.load(SeqCst));
        if before.is_multiple_of(2) && shared.number.load(SeqCst) == before {
            assert_eq!(pair[0], pair[1]);
            return;
        }
        hint::spin_loop();
    };
    share(Sequence::default(), &[write, read]);
}

fn double_checked_once_lock() {
    type Once = (OnceLock<usize>, AtomicUsize);
    let get = |once: &Once| {
        let value = match once.0.get() {
            Some(value) => *value,
            None => *once.0.get_or_init(|| once.1.fetch_add(1, SeqCst) + 42),
        };
        assert_eq!(value, 42);
    };
    assert_eq!(share(Once::default(), &[get, get, get]).1.load(SeqCst), 1);
}

fn bounded_buffer() {
    #[derive(Default)]
    struct Buffer {
        item: Mutex<Option<usize>>,
        filled: Condvar,
        emptied: Condvar,
    }
    let produce = |buffer: &Buffer| {
        for item in 0..2 {
            let place = buffer.item.lock().unwrap();
            *buffer.emptied.wait_while(place, |place| place.is_some()).unwrap() = Some(item);
            buffer.filled.notify_one();
        }
    };
    let consume = |buffer: &Buffer| {
        for expected in 0..2 {
            let place = buffer.item.lock().unwrap();
            assert_eq!(
                buffer.filled.wait_while(place, |place| place.is_none()).unwrap().take(),
                Some(expected)
            );
            buffer.emptied.notify_one();
        }
    };
    share(Buffer::default(), &[produce, consume]);
}

fn scope_with_a_mutex() {
    let sum = Mutex::new(0);
    thread::scope(|scope| {
        for number in 1..=3 {
            let sum = &sum;
            scope.spawn(move || *sum.lock().unwrap() += number);
        }
    });
    assert_eq!(sum.into_inner().unwrap(), 6);
}

fn rwlock_cache() {
    let get = |cache: &RwLock<Vec<usize>>| {
        if let Some(value) = cache.read().unwrap().first() {
            assert_eq!(*value, 42);
            return;
        }
        let mut cache = cache.write().unwrap();
        if cache.is_empty() {
            cache.push(42);
        }
    };
    let cache = share(RwLock::new(Vec::new()), &[get, get, get]);
    assert_eq!(*cache.read().unwrap(), [42]);
}

fn worker_pool() {
    let (jobs, queue) = mpsc::channel::<usize>();
    let (results, sums) = mpsc::channel();
    let queue = Arc::new(Mutex::new(queue));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (queue, results) = (Arc::clone(&queue), results.clone());
            thread::spawn(move || {
                loop {
                    let job = queue.lock().unwrap().recv();
                    match job {
                        Ok(job) => results.send(job * 2).unwrap(),
                        Err(_) => return,
                    }
                }
            })
        })
        .collect();
    (1..=2).for_each(|job| jobs.send(job).unwrap());
    drop((jobs, results));
    assert_eq!(sums.iter().sum::<usize>(), 6);
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

fn barrier_phases() {
    type Phases = (Barrier, [AtomicUsize; 2]);
    let work = |phases: &Phases| {
        for phase in &phases.1 {
            phase.fetch_add(1, SeqCst);
            phases.0.wait();
            assert_eq!(phase.load(SeqCst), 2);
        }
    };
    share((Barrier::new(2), Default::default()), &[work, work]);
}

fn park_handshake() {
    let ready = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&ready);
    let waiter = thread::spawn(move || {
        while !other.load(SeqCst) {
            thread::park();
        }
    });
    ready.store(true, SeqCst);
    waiter.thread().unpark();
    waiter.join().unwrap();
}

fn future_woken_by_another_thread() {
    #[derive(Default)]
    struct State {
        ready: bool,
        waker: Option<Waker>,
    }
    let state = Arc::new(Mutex::new(State::default()));
    let other = Arc::clone(&state);
    let worker = thread::spawn(move || {
        let mut state = other.lock().unwrap();
        state.ready = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    });
    future::block_on(poll_fn(|context| {
        let mut state = state.lock().unwrap();
        if state.ready {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }));
    worker.join().unwrap();
}

fn thread_local_counters() {
    raddle::thread_local! {
        static COUNT: Cell<usize> = const { Cell::new(0) };
    }
    let count = |total: &AtomicUsize| {
        (0..3).for_each(|_| COUNT.set(COUNT.get() + 1));
        total.fetch_add(COUNT.get(), SeqCst);
    };
    assert_eq!(share(AtomicUsize::new(0), &[count, count]).load(SeqCst), 6);
    assert_eq!(COUNT.get(), 0);
}

fn lazy_lock_static() {
    static NUMBERS: LazyLock<Mutex<Vec<usize>>> = LazyLock::new(|| Mutex::new(vec![1]));
    let add = |_: &()| NUMBERS.lock().unwrap().push(2);
    share((), &[add, add]);
    assert_eq!(*NUMBERS.lock().unwrap(), [1, 2, 2]);
}

fn message_behind_a_flag() {
    let write = |guarded: &Guarded| {
        guarded.add();
        guarded.wants[0].store(true, Ordering::Release);
    };
    let read = |guarded: &Guarded| {
        if guarded.wants[0].load(Ordering::Acquire) {
            assert_eq!(guarded.count(), 1);
        }
    };
    share(Guarded::default(), &[write, read]);
}

fn locks_in_order() {
    type Locks = [Mutex<usize>; 2];
    let both = |locks: &Locks| {
        let mut first = locks[0].lock().unwrap();
        let mut second = locks[1].lock().unwrap();
        *first += 1;
        *second += *first;
    };
    share(Locks::default(), &[both, both, both]);
}

fn wait_in_a_loop() {
    type Signal = (Mutex<bool>, Condvar);
    let wait = |signal: &Signal| {
        let done = signal.0.lock().unwrap();
        assert!(*signal.1.wait_while(done, |done| !*done).unwrap());
    };
    let signal = |signal: &Signal| {
        *signal.0.lock().unwrap() = true;
        signal.1.notify_all();
    };
    share(Signal::default(), &[wait, signal]);
}
