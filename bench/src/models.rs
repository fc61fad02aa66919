//! The programs that every tester explores, written once and compiled against each tester.
//!
//! The macro `models!` holds the source; it is expanded in one module per tester, where `tester` names that
//! tester's crate. So no tester is given a more convenient version of a program than another.
//!
//! Every program checks its own result after it has joined its threads: a benchmark of wrong runs is worth
//! nothing. The check costs one operation with nothing else running, which adds no interleaving.
//!
//! What the threads share is held by `std`'s `Arc`, not by a tester's: loom explores how the counting in its own
//! `Arc` races and makes three times as many runs for it, while shuttle's is `std`'s anyway.

/// A program by the name that is typed and the title that is printed.
pub struct Model {
    /// What `--model` and `--cell` take.
    pub name: &'static str,
    /// What the table shows.
    pub title: &'static str,
}

/// Declares the programs' names and titles, and in each tester's module the function to run by name.
macro_rules! catalogue {
    ($($name:literal, $title:literal => $body:expr;)*) => {
        /// All programs, in the order of the table.
        pub const MODELS: &[Model] = &[$(Model { name: $name, title: $title }),*];

        /// The body of every program, once per tester.
        macro_rules! bodies {
            () => {
                /// The function that makes one run of the program called `name`.
                pub fn body(name: &str) -> Option<fn()> {
                    match name {
                        $($name => Some($body),)*
                        _ => None,
                    }
                }
            };
        }
    };
}

catalogue! {
    "mutex-4x2", "mutex counter 4 × 2" => || mutex_counter(4, 2);
    "mutex-2x5", "mutex counter 2 × 5" => || mutex_counter(2, 5);
    "atomic-2x4", "2 threads × 4 increments" => || atomic_counter(2, 4);
    "atomic-2x7", "2 threads × 7 increments" => || atomic_counter(2, 7);
    "atomic-3x3", "3 threads × 3 increments" => || atomic_counter(3, 3);
    "readers-3x2", "3 readers × 2, one writer" => || readers_and_writer(3, 2);
    "peterson", "Peterson, one entry each" => || peterson();
    "dekker", "Dekker, one entry each" => || dekker();
    "treiber-2x1", "Treiber push + pop 2 × 1" => || treiber(2, 1);
    "treiber-2x2", "Treiber push + pop 2 × 2" => || treiber(2, 2);
    "philosophers-4", "philosophers 4, once" => || philosophers(4);
    "spsc-5", "condition-variable SPSC, 5 items" => || spsc(5);
    "rwlock-3r1w", "rwlock 3 readers, 1 writer" => || rwlock(3);
}

/// The source of all programs; see the module documentation.
macro_rules! models {
    ($tester:ident) => {
        use $tester as tester;

        use std::sync::Arc;
        use std::sync::atomic::Ordering::SeqCst;
        use tester::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};
        use tester::sync::{Condvar, Mutex, RwLock};
        use tester::thread;

        bodies!();

        /// Runs `body` with the numbers below `threads`, each in a thread of its own, and joins them all.
        fn together(threads: usize, body: impl Fn(usize) + Clone + Send + 'static) {
            let spawned: Vec<_> = (0..threads)
                .map(|number| {
                    let body = body.clone();
                    thread::spawn(move || body(number))
                })
                .collect();
            for thread in spawned {
                thread.join().unwrap();
            }
        }

        /// Each thread adds one to a number under a lock, `times` times.
        fn mutex_counter(threads: usize, times: usize) {
            let counter = Arc::new(Mutex::new(0));
            let shared = Arc::clone(&counter);
            together(threads, move |_| {
                for _ in 0..times {
                    *shared.lock().unwrap() += 1;
                }
            });
            assert_eq!(*counter.lock().unwrap(), threads * times);
        }

        /// Each thread adds one to an atomic, `times` times.
        fn atomic_counter(threads: usize, times: usize) {
            let counter = Arc::new(AtomicUsize::new(0));
            let shared = Arc::clone(&counter);
            together(threads, move |_| {
                for _ in 0..times {
                    shared.fetch_add(1, SeqCst);
                }
            });
            assert_eq!(counter.load(SeqCst), threads * times);
        }

        /// One thread writes an atomic once; `readers` threads read it `times` times each.
        fn readers_and_writer(readers: usize, times: usize) {
            let value = Arc::new(AtomicUsize::new(0));
            let shared = Arc::clone(&value);
            together(readers + 1, move |number| {
                if number == readers {
                    shared.store(1, SeqCst);
                } else {
                    let seen: usize = (0..times).map(|_| shared.load(SeqCst)).sum();
                    assert!(seen <= times);
                }
            });
            assert_eq!(value.load(SeqCst), 1);
        }

        /// What Peterson's and Dekker's algorithms share. The critical section adds one to `inside` by a read
        /// and a write, so that two threads in it at once could lose an addition.
        struct Entry {
            wants: [AtomicBool; 2],
            turn: AtomicUsize,
            inside: AtomicUsize,
        }

        impl Entry {
            fn new() -> Self {
                Entry {
                    wants: [AtomicBool::new(false), AtomicBool::new(false)],
                    turn: AtomicUsize::new(0),
                    inside: AtomicUsize::new(0),
                }
            }

            fn critical_section(&self) {
                let before = self.inside.load(SeqCst);
                self.inside.store(before + 1, SeqCst);
            }
        }

        /// Peterson's mutual exclusion of two threads. It yields while it waits, because loom needs that. The turn
        /// is given away by an exchange, because loom takes a sequentially consistent load or store for an
        /// acquiring or releasing one, under which plain stores would not be enough.
        fn peterson() {
            let entry = Arc::new(Entry::new());
            let shared = Arc::clone(&entry);
            together(2, move |me| {
                let other = 1 - me;
                shared.wants[me].store(true, SeqCst);
                shared.turn.swap(other, SeqCst);
                while shared.wants[other].load(SeqCst) && shared.turn.load(SeqCst) == other {
                    thread::yield_now();
                }
                shared.critical_section();
                shared.wants[me].store(false, SeqCst);
            });
            assert!(entry.inside.load(SeqCst) == 2, "both threads were inside at once");
        }

        /// Dekker's mutual exclusion of two threads. It rests on sequentially consistent stores and loads of two
        /// variables, which loom weakens (see `peterson`): its error here is a false alarm of loom's.
        fn dekker() {
            let entry = Arc::new(Entry::new());
            let shared = Arc::clone(&entry);
            together(2, move |me| {
                let other = 1 - me;
                shared.wants[me].store(true, SeqCst);
                while shared.wants[other].load(SeqCst) {
                    if shared.turn.load(SeqCst) == me {
                        thread::yield_now();
                        continue;
                    }
                    shared.wants[me].store(false, SeqCst);
                    while shared.turn.load(SeqCst) != me {
                        thread::yield_now();
                    }
                    shared.wants[me].store(true, SeqCst);
                }
                shared.critical_section();
                shared.turn.store(other, SeqCst);
                shared.wants[me].store(false, SeqCst);
            });
            assert!(entry.inside.load(SeqCst) == 2, "both threads were inside at once");
        }

        /// A node of Treiber's stack.
        struct Node {
            value: usize,
            next: AtomicPtr<Node>,
        }

        /// The nodes a thread has popped, on their way to the one that frees them.
        struct Popped(Vec<*mut Node>);

        // SAFETY: a popped node is reached by no other pointer that is still to be followed: all threads have
        // been joined before `treiber` takes the nodes out.
        unsafe impl Send for Popped {}

        /// Treiber's stack: a linked list whose head is exchanged. Its nodes are freed only when all threads
        /// have been joined, so no thread reads a freed node and no address comes back (ABA).
        struct Stack {
            head: AtomicPtr<Node>,
        }

        impl Stack {
            fn push(&self, value: usize) {
                let next = AtomicPtr::new(std::ptr::null_mut());
                let node = Box::into_raw(Box::new(Node { value, next }));
                loop {
                    let head = self.head.load(SeqCst);
                    // SAFETY: nodes live until all threads have been joined.
                    unsafe { &*node }.next.store(head, SeqCst);
                    if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                        return;
                    }
                }
            }

            /// Takes the topmost node off; the caller knows that the stack is not empty.
            fn pop(&self) -> *mut Node {
                loop {
                    let head = self.head.load(SeqCst);
                    // SAFETY: `head` is not null, since every thread pushes before it pops, and nodes live
                    // until all threads have been joined.
                    let next = unsafe { &*head }.next.load(SeqCst);
                    if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                        return head;
                    }
                }
            }
        }

        /// Each thread pushes a number and pops one, `times` times.
        fn treiber(threads: usize, times: usize) {
            let stack = Arc::new(Stack { head: AtomicPtr::new(std::ptr::null_mut()) });
            let spawned: Vec<_> = (0..threads)
                .map(|number| {
                    let stack = Arc::clone(&stack);
                    thread::spawn(move || {
                        let mut popped = Popped(Vec::with_capacity(times));
                        for _ in 0..times {
                            stack.push(number);
                            popped.0.push(stack.pop());
                        }
                        popped
                    })
                })
                .collect();
            let popped: Vec<Popped> = spawned.into_iter().map(|thread| thread.join().unwrap()).collect();
            let mut sum = 0;
            for node in popped.into_iter().flat_map(|popped| popped.0) {
                // SAFETY: it came from `Box::into_raw`, was popped once, and all threads have been joined.
                sum += unsafe { Box::from_raw(node) }.value;
            }
            assert_eq!(sum, times * threads * (threads - 1) / 2);
        }

        /// Each philosopher eats once. The last takes its forks in reverse, so that they cannot deadlock.
        fn philosophers(count: usize) {
            let forks: Arc<Vec<Mutex<usize>>> = Arc::new((0..count).map(|_| Mutex::new(0)).collect());
            let shared = Arc::clone(&forks);
            together(count, move |number| {
                let (left, right) = (number, (number + 1) % count);
                let (first, second) = if number + 1 == count { (right, left) } else { (left, right) };
                let mut first = shared[first].lock().unwrap();
                let mut second = shared[second].lock().unwrap();
                *first += 1;
                *second += 1;
            });
            let uses: usize = forks.iter().map(|fork| *fork.lock().unwrap()).sum();
            assert_eq!(uses, 2 * count);
        }

        /// One thread hands `items` numbers to another through a queue of one place; each waits for the other.
        fn spsc(items: usize) {
            let slot = Arc::new((Mutex::new(None), Condvar::new(), Condvar::new()));
            let shared = Arc::clone(&slot);
            together(2, move |number| {
                let (slot, filled, emptied) = &*shared;
                for item in 0..items {
                    let mut slot = slot.lock().unwrap();
                    if number == 0 {
                        while slot.is_some() {
                            slot = emptied.wait(slot).unwrap();
                        }
                        *slot = Some(item);
                        filled.notify_one();
                    } else {
                        while slot.is_none() {
                            slot = filled.wait(slot).unwrap();
                        }
                        assert_eq!(slot.take(), Some(item));
                        emptied.notify_one();
                    }
                }
            });
            assert!(slot.0.lock().unwrap().is_none());
        }

        /// One thread writes under a read-write lock, `readers` threads read.
        fn rwlock(readers: usize) {
            let value = Arc::new(RwLock::new(0));
            let shared = Arc::clone(&value);
            together(readers + 1, move |number| {
                if number == readers {
                    *shared.write().unwrap() += 1;
                } else {
                    assert!(*shared.read().unwrap() <= 1);
                }
            });
            assert_eq!(*value.read().unwrap(), 1);
        }
    };
}

/// The programs against loom.
pub mod on_loom {
    models!(loom);
}

/// The programs against shuttle.
pub mod on_shuttle {
    models!(shuttle);
}

/// The programs against Raddle.
#[cfg(feature = "raddle")]
pub mod on_raddle {
    models!(raddle);
}
