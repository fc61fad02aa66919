//! A larger program: a thread pool with a work queue, tasks that depend on each other, and an orderly shutdown.
//!
//! Tasks move loads between lanes. A task is put into the queue when everything that it depends on is done (`board.rs`); a
//! worker takes it (`queue.rs`), locks the lanes that it needs (`lanes.rs`) and does it. Shutting down lets the workers
//! finish what is there, and joins them.
//!
//! What is wrong with the broken pool: a task locks its lanes in the order in which it needs them. Three tasks that
//! need the lanes round in a circle then wait for each other, but only if three workers do them at the same time and
//! each has taken its first lane. With two workers there is always one task of the circle that nobody has begun.

mod board;
mod lanes;
mod queue;

use std::sync::Arc;

use raddle::thread::{self, JoinHandle};

use self::board::Board;
use self::lanes::{Lanes, Move};
use self::queue::{Job, Queue};

/// In which order a task locks its lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locking {
    /// As it needs them: the bug.
    AsNeeded,
    /// By their number.
    Sorted,
}

/// How a pool is made.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// How many workers it has.
    pub workers: usize,
    /// In which order they lock.
    pub locking: Locking,
}

/// Deadlocks, if three workers meet.
pub const BROKEN: Pool = Pool { workers: 3, locking: Locking::AsNeeded };

/// Never deadlocks.
pub const CORRECT: Pool = Pool { workers: 3, locking: Locking::Sorted };

/// What workers share.
struct Shared {
    queue: Queue,
    board: Board,
    lanes: Lanes,
    locking: Locking,
}

/// A pool that is running.
struct Running {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<usize>>,
}

impl Pool {
    /// Does a day's work: loads, moves round in a circle, and a count at the end that depends on all of them.
    pub fn day(self) {
        let tasks = tasks();
        let pool = self.start(&tasks);
        for task in pool.shared.board.without_dependencies() {
            pool.submit(task, &tasks);
        }
        pool.shared.board.wait_for_all();
        let lanes = pool.shared.lanes.total();
        let done = pool.shut_down();
        assert_eq!(done, tasks.len(), "every task is done once");
        assert_eq!(lanes, lanes::LOAD * lanes::LANES, "no load is lost");
    }

    fn start(self, tasks: &[Task]) -> Running {
        let shared = Arc::new(Shared {
            queue: Queue::new(),
            board: Board::new(tasks.iter().map(|task| task.needs.to_vec()).collect()),
            lanes: Lanes::new(),
            locking: self.locking,
        });
        let workers = (0..self.workers)
            .map(|_| {
                let (shared, tasks) = (Arc::clone(&shared), tasks.to_vec());
                thread::spawn(move || work(&shared, &tasks))
            })
            .collect();
        Running { shared, workers }
    }
}

/// What there is to do.
#[derive(Clone, Debug)]
struct Task {
    does: Move,
    /// The tasks that have to be done before.
    needs: &'static [usize],
}

/// Three moves round in a circle, which nothing orders, and one that comes after them.
fn tasks() -> Vec<Task> {
    let circle = (0..lanes::LANES)
        .map(|lane| Task { does: Move { from: lane, to: (lane + 1) % lanes::LANES }, needs: &[] });
    circle.chain([Task { does: Move { from: 0, to: 1 }, needs: &[0, 1, 2] }]).collect()
}

impl Running {
    fn submit(&self, task: usize, tasks: &[Task]) {
        self.shared.queue.put(Job { task, does: tasks[task].does });
    }

    /// Lets the workers finish; returns how many tasks they did.
    fn shut_down(self) -> usize {
        self.shared.queue.close();
        self.workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    }
}

/// A worker: takes jobs until the queue is closed and empty; returns how many it did.
fn work(shared: &Shared, tasks: &[Task]) -> usize {
    let mut done = 0;
    while let Some(job) = shared.queue.take() {
        match shared.locking {
            Locking::AsNeeded => shared.lanes.move_as_needed(job.does),
            Locking::Sorted => shared.lanes.move_sorted(job.does),
        }
        done += 1;
        // What has become possible is put into the queue by whoever made it possible.
        for task in shared.board.finish(job.task) {
            shared.queue.put(Job { task, does: tasks[task].does });
        }
    }
    done
}
