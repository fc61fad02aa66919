//! Nets of which the answers are known: threads, locks, variables, philosophers.
//!
//! The constructs are those of the model of observed executions: each thread is a chain of places, a lock is one place, a
//! shared variable is one place, or one for each thread that uses it (*place replication*), so that reads do not exclude
//! each other.

use crate::id::PlaceId;
use crate::net::Net;

fn add(net: &mut Net, name: String, preset: &[PlaceId], postset: &[PlaceId]) {
    let added = net.add_transition(name, preset, postset);
    debug_assert!(added.is_ok(), "bug in raddle: a sample net is malformed");
}

/// `n` dining philosophers (at least 2) who all take the left fork first, eat, and begin again. One deadlock.
#[must_use]
pub fn philosophers(n: usize) -> Net {
    let mut net = Net::new();
    let forks: Vec<PlaceId> = (0..n).map(|i| net.add_place(format!("f{i}"), true)).collect();
    for i in 0..n {
        let (left, right) = (forks[i], forks[(i + 1) % n]);
        let thinks = net.add_place(format!("th{i}"), true);
        let has_left = net.add_place(format!("l{i}"), false);
        let eats = net.add_place(format!("e{i}"), false);
        add(&mut net, format!("left{i}"), &[thinks, left], &[has_left]);
        add(&mut net, format!("right{i}"), &[has_left, right], &[eats]);
        add(&mut net, format!("put{i}"), &[eats], &[thinks, left, right]);
    }
    net
}

/// Threads with a number of critical sections each; section `j` of thread `i` is protected by lock `(i + j) % locks`.
#[must_use]
pub fn locks(threads: usize, sections: usize, locks: usize) -> Net {
    let mut net = Net::new();
    let locks: Vec<PlaceId> = (0..locks.max(1)).map(|i| net.add_place(format!("l{i}"), true)).collect();
    for i in 0..threads {
        let mut here = net.add_place(format!("t{i}_0"), true);
        for j in 0..sections {
            let lock = locks[(i + j) % locks.len()];
            let inside = net.add_place(format!("t{i}_{}", 2 * j + 1), false);
            let after = net.add_place(format!("t{i}_{}", 2 * j + 2), false);
            add(&mut net, format!("acq{i}_{j}"), &[here, lock], &[inside]);
            add(&mut net, format!("rel{i}_{j}"), &[inside], &[after, lock]);
            here = after;
        }
    }
    net
}

/// Threads that take and give back one lock for ever.
#[must_use]
pub fn looping_locks(threads: usize) -> Net {
    let mut net = Net::new();
    let lock = net.add_place("l", true);
    for i in 0..threads {
        let outside = net.add_place(format!("o{i}"), true);
        let inside = net.add_place(format!("i{i}"), false);
        add(&mut net, format!("acq{i}"), &[outside, lock], &[inside]);
        add(&mut net, format!("rel{i}"), &[inside], &[outside, lock]);
    }
    net
}

/// Threads that read and threads that write one variable, once each. With `is_replicated`, the variable has a place for
/// each thread, a read takes one of them and a write all.
#[must_use]
pub fn readers_and_writers(readers: usize, writers: usize, is_replicated: bool) -> Net {
    let mut net = Net::new();
    let count = readers + writers;
    let variable: Vec<PlaceId> = if is_replicated {
        (0..count).map(|i| net.add_place(format!("v{i}"), true)).collect()
    } else {
        vec![net.add_place("v", true)]
    };
    for i in 0..count {
        let before = net.add_place(format!("s{i}"), true);
        let done = net.add_place(format!("d{i}"), false);
        let is_read = i < readers;
        let touched = if is_read && is_replicated { &variable[i..=i] } else { &variable[..] };
        let (mut preset, mut postset) = (vec![before], vec![done]);
        preset.extend_from_slice(touched);
        postset.extend_from_slice(touched);
        add(&mut net, format!("{}{i}", if is_read { "read" } else { "write" }), &preset, &postset);
    }
    net
}

/// Threads that read one variable, once each.
#[must_use]
pub fn readers(count: usize, is_replicated: bool) -> Net {
    readers_and_writers(count, 0, is_replicated)
}
