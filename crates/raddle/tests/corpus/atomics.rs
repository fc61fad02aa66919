//! Atomics that are each right and together wrong.

use raddle::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::SeqCst};

use super::{Case, fails, share};

pub(crate) const CASES: [Case; 8] = [
    fails("lost_update", "assertion", 1, lost_update),
    fails("check_then_act", "panic", 1, check_then_act),
    fails("torn_pair", "assertion", 1, torn_pair),
    fails("order_violation", "assertion", 0, order_violation),
    fails("aba", "assertion", 1, aba),
    fails("peterson_in_the_wrong_order", "assertion", 2, peterson_in_the_wrong_order),
    fails("lock_of_two_steps", "assertion", 2, lock_of_two_steps),
    fails("weak_compare_exchange_without_a_loop", "assertion", 0, weak_compare_exchange_without_a_loop),
];

fn lost_update() {
    let add = |sum: &AtomicUsize| {
        let seen = sum.load(SeqCst);
        sum.store(seen + 1, SeqCst);
    };
    let sum = share(AtomicUsize::new(0), &[add, add]);
    assert_eq!(sum.load(SeqCst), 2);
}

fn check_then_act() {
    let book = |seats: &AtomicIsize| {
        if seats.load(SeqCst) > 0 {
            seats.fetch_sub(1, SeqCst);
        }
    };
    let seats = share(AtomicIsize::new(1), &[book, book]);
    assert!(seats.load(SeqCst) >= 0, "a seat was sold twice");
}

fn torn_pair() {
    type Pair = (AtomicUsize, AtomicUsize);
    let write = |pair: &Pair| {
        pair.0.store(1, SeqCst);
        pair.1.store(1, SeqCst);
    };
    let read = |pair: &Pair| assert_eq!(pair.0.load(SeqCst), pair.1.load(SeqCst));
    share((AtomicUsize::new(0), AtomicUsize::new(0)), &[write, read]);
}

/// The reader does not wait for the data.
fn order_violation() {
    let write = |data: &AtomicUsize| data.store(42, SeqCst);
    let read = |data: &AtomicUsize| assert_eq!(data.load(SeqCst), 42);
    share(AtomicUsize::new(0), &[write, read]);
}

/// A stack of the places 1, 2 and 3, linked by their numbers.
struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 4],
    taken: AtomicUsize,
}

impl Stack {
    fn pop(&self) -> usize {
        loop {
            let head = self.head.load(SeqCst);
            let next = self.next[head].load(SeqCst);
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return head;
            }
        }
    }

    fn push(&self, place: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[place].store(head, SeqCst);
            if self.head.compare_exchange(head, place, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

/// A place that was taken must not come back.
fn aba() {
    let next = [0, 2, 3, 0].map(AtomicUsize::new);
    let stack = Stack { head: AtomicUsize::new(1), next, taken: AtomicUsize::new(0) };
    let taker = |stack: &Stack| _ = stack.pop();
    let other = |stack: &Stack| {
        let (first, second) = (stack.pop(), stack.pop());
        stack.push(first);
        stack.taken.store(second, SeqCst);
    };
    let stack = share(stack, &[taker, other]);
    assert_ne!(stack.head.load(SeqCst), stack.taken.load(SeqCst));
}

/// Two threads that want to be alone.
#[derive(Default)]
struct Alone {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    inside: AtomicUsize,
}

impl Alone {
    fn be_alone(&self) {
        assert_eq!(self.inside.fetch_add(1, SeqCst), 0, "not alone");
        self.inside.fetch_sub(1, SeqCst);
    }

    fn enter(&self, me: usize) {
        self.turn.store(1 - me, SeqCst);
        self.wants[me].store(true, SeqCst);
        while self.wants[1 - me].load(SeqCst) && self.turn.load(SeqCst) == 1 - me {
            raddle::hint::spin_loop();
        }
        self.be_alone();
        self.wants[me].store(false, SeqCst);
    }
}

fn peterson_in_the_wrong_order() {
    share(Alone::default(), &[|alone: &Alone| alone.enter(0), |alone: &Alone| alone.enter(1)]);
}

fn lock_of_two_steps() {
    let enter = |alone: &Alone| {
        while alone.wants[0].load(SeqCst) {
            raddle::hint::spin_loop();
        }
        alone.wants[0].store(true, SeqCst);
        alone.be_alone();
        alone.wants[0].store(false, SeqCst);
    };
    share(Alone::default(), &[enter, enter]);
}

fn weak_compare_exchange_without_a_loop() {
    let lock = AtomicBool::new(false);
    assert!(lock.compare_exchange_weak(false, true, SeqCst, SeqCst).is_ok());
}
