//! A proof that nothing can wait for ever, where locks are taken in an order.
//!
//! In a deadlock every thread that has not ended waits. If threads only wait for mutexes and for threads that they created
//! themselves, if nobody waits for a thread while it holds a mutex, and nobody ends with one, then whoever waits for a
//! mutex waits for a thread that waits for another mutex, which comes later in every order in which mutexes are taken.
//! So if there is such an order, nobody waits for a mutex; and nobody waits for a thread either, because one of those that
//! are waited for was created last.
//!
//! This is a matter of what threads hold in their local states: it needs no search among the markings.

use std::collections::{BTreeMap, BTreeSet};

use raddle_trace::{Kind, ThreadId};

use super::{Knowledge, Next, ObjectName, ThreadState};

impl Knowledge {
    /// Whether there can be no deadlock, because locks are taken in an order. False says nothing.
    pub(crate) fn locks_in_order(&self) -> bool {
        let mut before: BTreeMap<ObjectName, BTreeSet<ObjectName>> = BTreeMap::new();
        for state in self.locals() {
            let local = self.local(state);
            let Next::Does(_) = local.next else { continue };
            let Some(intent) = self.intent(ThreadState::At(state)) else { return false };
            let held = || local.held.iter().map(|lock| self.find(*lock));
            match intent.kind {
                Kind::Lock => {
                    let Some(lock) = intent.object.filter(|lock| self.starts_free(*lock)) else {
                        return false;
                    };
                    before.entry(lock).or_default().extend(held());
                }
                Kind::End if !local.held.is_empty() => return false,
                Kind::Join => {
                    let joined = ThreadId::new(intent.operand as usize);
                    if !local.held.is_empty() || !local.around.contains(joined) {
                        return false;
                    }
                }
                kind if !never_waits(kind) => return false,
                _ => {}
            }
        }
        is_acyclic(before)
    }

    fn starts_free(&self, lock: ObjectName) -> bool {
        self.things[lock.index()].first == Some(1)
    }
}

/// Whether an operation of this kind can always go, and lets nobody sleep.
fn never_waits(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        Load | Store
            | ReadModifyWrite
            | CompareExchange
            | WeakCompareExchange
            | TryLock
            | TimedLock
            | Unlock
            | LockAgain
            | UnlockInner
            | Start
            | End
            | Create
            | Choose
    )
}

/// Whether the locks can be put in an order in which each comes after those that are held when it is taken.
fn is_acyclic(mut before: BTreeMap<ObjectName, BTreeSet<ObjectName>>) -> bool {
    // What is held when no lock has to come before it any more is done with.
    loop {
        let left: BTreeSet<ObjectName> = before.keys().copied().collect();
        let count = before.len();
        before.retain(|_, held| held.iter().any(|lock| left.contains(lock)));
        if before.is_empty() || before.len() == count {
            return before.is_empty();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(pairs: &[(u32, &[u32])]) -> bool {
        let named = |held: &[u32]| held.iter().map(|&lock| ObjectName(lock)).collect();
        is_acyclic(pairs.iter().map(|&(lock, held)| (ObjectName(lock), named(held))).collect())
    }

    #[test]
    fn locks_have_an_order_unless_they_wait_in_a_circle() {
        assert!(order(&[(0, &[]), (1, &[0]), (2, &[0, 1])]));
        assert!(!order(&[(0, &[1]), (1, &[0])]));
        assert!(!order(&[(0, &[0])]));
        assert!(!order(&[(0, &[]), (1, &[0, 3]), (2, &[1]), (3, &[2])]));
    }
}
