//! What a program contains, as far as a suite should know.

use std::collections::BTreeSet;

use raddle_trace::{ObjectId, ThreadId};

use crate::{Object, Program, Stmt};

/// Something that a program contains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the first group is named after the statements")]
pub enum Feature {
    Load,
    Store,
    FetchAdd,
    Add,
    CompareExchange,
    WeakCompareExchange,
    SpinUntil,
    Lock,
    TryLock,
    TimedLock,
    Unlock,
    Read,
    TryRead,
    TimedRead,
    ReadUnlock,
    Write,
    TryWrite,
    TimedWrite,
    WriteUnlock,
    Downgrade,
    Wait,
    TimedWait,
    NotifyOne,
    NotifyAll,
    Acquire,
    TryAcquire,
    TimedAcquire,
    Post,
    Arrive,
    Once,
    Spawn,
    Join,
    Park,
    TimedPark,
    Unpark,
    Send,
    TrySend,
    Receive,
    TryReceive,
    TimedReceive,
    DropSender,
    Choose,
    If,
    Assert,
    /// A mutex that can be taken again.
    RecursiveMutex,
    /// A lock taken while another is held.
    NestedLocks,
    /// A lock never given back.
    KeptLock,
    /// A notification by a thread that holds a mutex.
    NotifyHolding,
    /// A notification by a thread that holds none.
    NotifyBare,
    /// More arrivals at a barrier than meet there.
    CrowdedBarrier,
    /// A channel with limited room.
    BoundedChannel,
    /// Senders and the receiver have to meet.
    ChannelWithoutRoom,
    /// A channel without a limit.
    UnboundedChannel,
    /// A thread created after its creator has done something else.
    LateSpawn,
    /// A thread created by another one than the main thread.
    Grandchild,
}

impl Feature {
    /// Every feature.
    #[must_use]
    pub fn all() -> Vec<Feature> {
        use Feature::*;
        vec![
            Load,
            Store,
            FetchAdd,
            Add,
            CompareExchange,
            WeakCompareExchange,
            SpinUntil,
            Lock,
            TryLock,
            TimedLock,
            Unlock,
            Read,
            TryRead,
            TimedRead,
            ReadUnlock,
            Write,
            TryWrite,
            TimedWrite,
            WriteUnlock,
            Downgrade,
            Wait,
            TimedWait,
            NotifyOne,
            NotifyAll,
            Acquire,
            TryAcquire,
            TimedAcquire,
            Post,
            Arrive,
            Once,
            Spawn,
            Join,
            Park,
            TimedPark,
            Unpark,
            Send,
            TrySend,
            Receive,
            TryReceive,
            TimedReceive,
            DropSender,
            Choose,
            If,
            Assert,
            RecursiveMutex,
            NestedLocks,
            KeptLock,
            NotifyHolding,
            NotifyBare,
            CrowdedBarrier,
            BoundedChannel,
            ChannelWithoutRoom,
            UnboundedChannel,
            LateSpawn,
            Grandchild,
        ]
    }

    fn of_statement(statement: &Stmt) -> Feature {
        match statement {
            Stmt::Load { .. } => Feature::Load,
            Stmt::Store { .. } => Feature::Store,
            Stmt::FetchAdd { .. } => Feature::FetchAdd,
            Stmt::Add { .. } => Feature::Add,
            Stmt::CompareExchange { .. } => Feature::CompareExchange,
            Stmt::WeakCompareExchange { .. } => Feature::WeakCompareExchange,
            Stmt::SpinUntil { .. } => Feature::SpinUntil,
            Stmt::Lock(_) => Feature::Lock,
            Stmt::TryLock { .. } => Feature::TryLock,
            Stmt::TimedLock { .. } => Feature::TimedLock,
            Stmt::Unlock(_) => Feature::Unlock,
            Stmt::Read(_) => Feature::Read,
            Stmt::TryRead { .. } => Feature::TryRead,
            Stmt::TimedRead { .. } => Feature::TimedRead,
            Stmt::ReadUnlock(_) => Feature::ReadUnlock,
            Stmt::Write(_) => Feature::Write,
            Stmt::TryWrite { .. } => Feature::TryWrite,
            Stmt::TimedWrite { .. } => Feature::TimedWrite,
            Stmt::WriteUnlock(_) => Feature::WriteUnlock,
            Stmt::Downgrade(_) => Feature::Downgrade,
            Stmt::Wait { .. } => Feature::Wait,
            Stmt::TimedWait { .. } => Feature::TimedWait,
            Stmt::NotifyOne(_) => Feature::NotifyOne,
            Stmt::NotifyAll(_) => Feature::NotifyAll,
            Stmt::Acquire(_) => Feature::Acquire,
            Stmt::TryAcquire { .. } => Feature::TryAcquire,
            Stmt::TimedAcquire { .. } => Feature::TimedAcquire,
            Stmt::Post { .. } => Feature::Post,
            Stmt::Arrive { .. } => Feature::Arrive,
            Stmt::Once { .. } => Feature::Once,
            Stmt::Spawn(_) => Feature::Spawn,
            Stmt::Join(_) => Feature::Join,
            Stmt::Park => Feature::Park,
            Stmt::TimedPark { .. } => Feature::TimedPark,
            Stmt::Unpark(_) => Feature::Unpark,
            Stmt::Send { .. } => Feature::Send,
            Stmt::TrySend { .. } => Feature::TrySend,
            Stmt::Receive { .. } => Feature::Receive,
            Stmt::TryReceive { .. } => Feature::TryReceive,
            Stmt::TimedReceive { .. } => Feature::TimedReceive,
            Stmt::DropSender(_) => Feature::DropSender,
            Stmt::Choose { .. } => Feature::Choose,
            Stmt::If { .. } => Feature::If,
            Stmt::Assert { .. } => Feature::Assert,
        }
    }

    /// The features of a program.
    #[must_use]
    pub fn of(program: &Program) -> BTreeSet<Feature> {
        let mut features = BTreeSet::new();
        program.visit(&mut |_, statement| {
            features.insert(Feature::of_statement(statement));
        });
        for (index, object) in program.objects.iter().enumerate() {
            features.extend(of_object(program, ObjectId::new(index), object));
        }
        for (index, block) in program.threads.iter().enumerate() {
            of_spawns(ThreadId::new(index), block, &mut features);
            if of_locks(block, 0, &mut features) > 0 {
                features.insert(Feature::KeptLock);
            }
        }
        features
    }
}

fn of_object(program: &Program, name: ObjectId, object: &Object) -> Option<Feature> {
    let mut uses = 0;
    program.visit(&mut |_, statement| {
        uses += u64::from(statement.objects().iter().any(|(_, object)| *object == name));
    });
    match object {
        _ if uses == 0 => None,
        Object::RecursiveMutex => Some(Feature::RecursiveMutex),
        Object::Barrier { size } if uses > *size => Some(Feature::CrowdedBarrier),
        Object::Channel { capacity: Some(0), .. } => Some(Feature::ChannelWithoutRoom),
        Object::Channel { capacity: Some(_), .. } => Some(Feature::BoundedChannel),
        Object::Channel { capacity: None, .. } => Some(Feature::UnboundedChannel),
        _ => None,
    }
}

fn of_spawns(thread: ThreadId, block: &[Stmt], features: &mut BTreeSet<Feature>) {
    let first =
        block.iter().position(|statement| !matches!(statement, Stmt::Spawn(_))).unwrap_or(block.len());
    for (index, statement) in block.iter().enumerate() {
        if matches!(statement, Stmt::Spawn(_)) {
            features.extend((index > first).then_some(Feature::LateSpawn));
            features.extend((thread != ThreadId::MAIN).then_some(Feature::Grandchild));
        }
    }
}

/// Follows how many locks are held; gives the number at the end. A block after a successful try holds one more.
fn of_locks(block: &[Stmt], mut held: i32, features: &mut BTreeSet<Feature>) -> i32 {
    for (index, statement) in block.iter().enumerate() {
        match statement {
            Stmt::Lock(_) | Stmt::Read(_) | Stmt::Write(_) => {
                features.extend((held > 0).then_some(Feature::NestedLocks));
                held += 1;
            }
            Stmt::Unlock(_) | Stmt::ReadUnlock(_) | Stmt::WriteUnlock(_) => held -= 1,
            Stmt::NotifyOne(_) | Stmt::NotifyAll(_) => {
                features.insert(if held > 0 { Feature::NotifyHolding } else { Feature::NotifyBare });
            }
            Stmt::If { then, otherwise, .. } => {
                let tried = index > 0 && is_try(&block[index - 1]);
                of_locks(then, held + i32::from(tried), features);
                of_locks(otherwise, held, features);
            }
            Stmt::Once { body, .. } => drop(of_locks(body, held, features)),
            _ => {}
        }
    }
    held
}

fn is_try(statement: &Stmt) -> bool {
    use Stmt::*;
    matches!(
        statement,
        TryLock { .. }
            | TimedLock { .. }
            | TryRead { .. }
            | TimedRead { .. }
            | TryWrite { .. }
            | TimedWrite { .. }
    )
}
