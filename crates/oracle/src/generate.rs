//! Random programs.
//!
//! A program draws one to three *topics*, so that its few statements meet on few objects: a program that draws evenly
//! from all primitives has nothing to order. Statements come in snippets that keep the rules of [`crate::check`].

mod snippet;
mod snippet_waiting;

use std::collections::BTreeSet;

use raddle_trace::{ObjectId, ThreadId};

use crate::random::Random;
use crate::uses::Sort;
use crate::{Object, Program, Register, Stmt};

/// What a program is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Topic {
    /// Loads, stores, read-modify-writes.
    Memory,
    /// Mutexes, also inside each other.
    Mutex,
    /// Reader-writer locks.
    RwLock,
    /// Condition variables.
    Condvar,
    /// Semaphores.
    Semaphore,
    /// Barriers.
    Barrier,
    /// One-time initialisation.
    Once,
    /// Parking and unparking.
    Park,
    /// Channels.
    Channel,
    /// Choices that are not schedules.
    Choose,
    /// Spin loops.
    Spin,
    /// Assertions. A failing one ends the run, and what other threads would have done is never seen.
    Assert,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Topic; 12] = [
        Topic::Memory,
        Topic::Mutex,
        Topic::RwLock,
        Topic::Condvar,
        Topic::Semaphore,
        Topic::Barrier,
        Topic::Once,
        Topic::Park,
        Topic::Channel,
        Topic::Choose,
        Topic::Spin,
        Topic::Assert,
    ];

    /// The topics of which a comparison by traces makes sense: all but [`Topic::Assert`].
    #[must_use]
    pub fn without_panics() -> BTreeSet<Topic> {
        Topic::ALL.into_iter().filter(|topic| *topic != Topic::Assert).collect()
    }
}

/// What programs to draw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// How many threads, the main thread included.
    pub threads: usize,
    /// How many visible steps a thread has, about.
    pub statements: usize,
    /// What programs may be about.
    pub topics: BTreeSet<Topic>,
}

impl Shape {
    /// Programs about everything that never panic.
    #[must_use]
    pub fn new(threads: usize, statements: usize) -> Shape {
        Shape { threads, statements, topics: Topic::without_panics() }
    }

    /// Programs about these topics only.
    #[must_use]
    pub fn about(threads: usize, statements: usize, topics: &[Topic]) -> Shape {
        Shape { threads, statements, topics: topics.iter().copied().collect() }
    }
}

/// Draws a program.
///
/// # Panics
/// If the drawn program makes no sense, which is a bug in raddle.
#[must_use]
pub fn generate(seed: u64, shape: &Shape) -> Program {
    let mut random = Random::new(seed);
    let topics = draw_topics(&mut random, shape);
    let mut program = Program::default();
    declare_objects(&mut program, &mut random, &topics);
    let parents = draw_parents(&mut random, shape.threads.max(1));
    program.threads.resize(parents.len(), Vec::new());
    // A thread repays what those drawn before it wait for; either end of the family should get the chance.
    let mut order: Vec<usize> = (0..parents.len()).collect();
    if random.one_in(2) {
        order.reverse();
    }
    let mut owed = Vec::new();
    for index in order {
        let thread = ThreadId::new(index);
        let drawing = Drawing::new(&program, &mut random, &topics, thread, &parents);
        let (block, waits) = drawing.thread(shape, std::mem::take(&mut owed));
        program.threads[index] = block;
        owed = waits;
    }
    complete_groups(&mut program, &mut random);
    count_senders(&mut program);
    if let Err(error) = program.check() {
        panic!("bug in raddle: seed {seed} drew a program that makes no sense: {error}\n{program}");
    }
    program
}

fn draw_topics(random: &mut Random, shape: &Shape) -> Vec<Topic> {
    let mut left: Vec<Topic> = shape.topics.iter().copied().collect();
    let count = 1 + random.below(3);
    let mut topics = Vec::new();
    while topics.len() < count && !left.is_empty() {
        topics.push(left.swap_remove(random.below(left.len())));
    }
    topics
}

/// Cells are always there: most programs read or write something beside their topics.
fn declare_objects(program: &mut Program, random: &mut Random, topics: &[Topic]) {
    for _ in 0..1 + random.below(2) {
        program.declare(Object::Cell { initial: 0 });
    }
    for topic in topics {
        match topic {
            Topic::Mutex => {
                for _ in 0..2 - random.below(4) / 3 {
                    let recursive = random.one_in(4);
                    program.declare(if recursive { Object::RecursiveMutex } else { Object::Mutex });
                }
            }
            Topic::Condvar => {
                program.declare(Object::Condvar);
                program.declare(Object::Mutex);
            }
            Topic::RwLock => {
                for _ in 0..1 + random.below(2) {
                    program.declare(Object::RwLock);
                }
            }
            Topic::Semaphore => drop(program.declare(Object::Semaphore { initial: random.below(3) as u64 })),
            Topic::Barrier => drop(program.declare(Object::Barrier { size: 2 + random.below(4) as u64 / 3 })),
            Topic::Once => drop(program.declare(Object::Once)),
            Topic::Channel => {
                let capacity = [None, Some(1), Some(1), Some(2), Some(0)][random.below(5)];
                program.declare(Object::Channel { capacity, senders: 0 });
            }
            Topic::Memory | Topic::Park | Topic::Choose | Topic::Spin | Topic::Assert => {}
        }
    }
}

/// Mostly the main thread spawns the others; sometimes they spawn each other.
fn draw_parents(random: &mut Random, threads: usize) -> Vec<Option<ThreadId>> {
    let parent = |child: usize| {
        let other = if random.one_in(4) { random.below(child) } else { 0 };
        Some(ThreadId::new(other))
    };
    std::iter::once(None).chain((1..threads).map(parent)).collect()
}

/// Mostly as many threads arrive at a barrier as it takes, so that not every such program hangs. Arrivals are added
/// where a thread has only spawned others, because there they cannot come between a try and its branch.
fn complete_groups(program: &mut Program, random: &mut Random) {
    for index in 0..program.objects.len() {
        let (Object::Barrier { size }, false) = (program.objects[index], random.one_in(3)) else {
            continue;
        };
        let barrier = ObjectId::new(index);
        let mut arrivals = 0;
        program.visit(&mut |_, statement| {
            arrivals += u64::from(statement.objects().contains(&(Sort::Barrier, barrier)))
        });
        while arrivals % size != 0 {
            let thread = random.below(program.threads.len());
            let block = &mut program.threads[thread];
            let spawned = block.iter().take_while(|statement| matches!(statement, Stmt::Spawn(_))).count();
            block.insert(spawned, Stmt::Arrive { barrier, reg: Register(0) });
            arrivals += 1;
        }
    }
}

pub(crate) fn count_senders(program: &mut Program) {
    for index in 0..program.objects.len() {
        let count = program.senders(ObjectId::new(index));
        if let Object::Channel { senders, .. } = &mut program.objects[index] {
            *senders = count;
        }
    }
}

/// What another thread should do, because a thread waits for it. Without this most programs would only hang.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owed {
    Notification(ObjectId),
    Permit(ObjectId),
    Token(ThreadId),
    Message(ObjectId),
    Arrival(ObjectId),
    /// The value 1 in a cell.
    One(ObjectId),
}

/// Where a snippet is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Level(usize);

impl Level {
    const TOP: Level = Level(0);

    fn inner(self) -> Level {
        Level(self.0 + 1)
    }
}

/// The drawing of one thread.
struct Drawing<'d> {
    program: &'d Program,
    random: &'d mut Random,
    topics: &'d [Topic],
    /// Visible steps still to draw.
    left: usize,
    /// Locks held where the next statement goes, and initialisations that it is part of.
    held: Vec<ObjectId>,
    /// Channels whose sender may have been dropped.
    dropped: BTreeSet<ObjectId>,
    /// Threads that have surely been created, the thread itself first.
    created: Vec<ThreadId>,
    /// Children not spawned yet, the first one last.
    unborn: Vec<ThreadId>,
    /// Children to join.
    born: Vec<ThreadId>,
    /// What other threads wait for.
    owed: Vec<Owed>,
    /// What this thread waits for.
    waits: Vec<Owed>,
}

impl<'d> Drawing<'d> {
    fn new(
        program: &'d Program,
        random: &'d mut Random,
        topics: &'d [Topic],
        thread: ThreadId,
        parents: &[Option<ThreadId>],
    ) -> Drawing<'d> {
        let children = (0..parents.len()).filter(|child| parents[*child] == Some(thread)).map(ThreadId::new);
        Drawing {
            program,
            random,
            topics,
            left: 0,
            held: Vec::new(),
            dropped: BTreeSet::new(),
            // Only what needs no look at the family tree: the thread itself and who spawned it.
            created: std::iter::once(thread).chain(parents[thread.index()]).collect(),
            unborn: children.rev().collect(),
            born: Vec::new(),
            owed: Vec::new(),
            waits: Vec::new(),
        }
    }

    /// Draws the thread, which repays some of what is `owed`; gives back what is owed then.
    fn thread(mut self, shape: &Shape, owed: Vec<Owed>) -> (Vec<Stmt>, Vec<Owed>) {
        // Two threads have few interleavings, so they get a little more to do.
        self.left = shape.statements + if shape.threads <= 2 { self.random.below(2) } else { 0 };
        self.owed = owed;
        let mut block = Vec::new();
        if !self.random.one_in(4) {
            self.spawn(&mut block, usize::MAX);
        }
        while self.left > 0 {
            self.snippet(&mut block, Level::TOP);
            if self.random.one_in(2) {
                self.spawn(&mut block, 1);
            }
            if self.random.one_in(12) {
                self.join(&mut block);
            }
        }
        if !self.owed.is_empty() && self.random.one_in(2) {
            self.repay(&mut block);
        }
        self.spawn(&mut block, usize::MAX);
        while !self.born.is_empty() && !self.random.one_in(3) {
            self.join(&mut block);
        }
        self.owed.append(&mut self.waits);
        (block, self.owed)
    }

    /// Spawns up to `count` of the children that are left.
    fn spawn(&mut self, block: &mut Vec<Stmt>, count: usize) {
        for _ in 0..count.min(self.unborn.len()) {
            if let Some(child) = self.unborn.pop() {
                block.push(Stmt::Spawn(child));
                self.created.push(child);
                self.born.push(child);
            }
        }
    }

    fn join(&mut self, block: &mut Vec<Stmt>) {
        if !self.born.is_empty() {
            let child = self.born.swap_remove(self.random.below(self.born.len()));
            block.push(Stmt::Join(child));
        }
    }

    fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }

    /// An object of this sort; none if none is declared.
    fn object(&mut self, sort: Sort) -> Option<ObjectId> {
        let fitting: Vec<ObjectId> = (0..self.program.objects.len())
            .filter(|index| self.program.objects[*index].sort() == sort)
            .map(ObjectId::new)
            .collect();
        self.random.pick(&fitting)
    }

    fn is_recursive(&self, mutex: ObjectId) -> bool {
        self.program.objects[mutex.index()] == Object::RecursiveMutex
    }
}
