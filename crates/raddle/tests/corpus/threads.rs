//! Faults that one thread has alone.

use std::hint::black_box;

use raddle::thread;

use super::{Case, fails};

pub(crate) const CASES: [Case; 5] = [
    fails("panic_in_a_thread", "panic", 0, panic_in_a_thread),
    fails("panic_in_a_scope", "panic", 0, panic_in_a_scope),
    fails("stack_overflow", "crash", 0, stack_overflow),
    fails("one_input_in_eight", "assertion", 0, one_input_in_eight),
    fails("one_pair_of_inputs", "assertion", 0, one_pair_of_inputs),
];

fn panic_in_a_thread() {
    let numbers = [1, 2, 3];
    let other = thread::spawn(move || numbers[black_box(3)]);
    _ = other.join();
}

fn panic_in_a_scope() {
    thread::scope(|scope| {
        scope.spawn(|| panic!("on purpose"));
    });
}

fn deeper(depth: usize) -> usize {
    let room = black_box([depth; 64]);
    if depth == usize::MAX { 0 } else { deeper(depth + 1) + room[depth % 64] }
}

fn stack_overflow() {
    _ = thread::spawn(|| black_box(deeper(0))).join();
}

fn one_input_in_eight() {
    let input = raddle::choose(8);
    assert_ne!(input, 5, "this input is not handled");
}

fn one_pair_of_inputs() {
    let other = thread::spawn(|| raddle::choose(3));
    let own = raddle::choose(3);
    assert_ne!((own, other.join().unwrap()), (2, 1), "this pair is not handled");
}
