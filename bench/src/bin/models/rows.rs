//! The rows of the table: each program in Rust, and in C with the same numbers.

use crate::programs;

/// A program.
pub struct Row {
    /// What the table calls it.
    pub title: &'static str,
    /// In Rust.
    pub rust: fn(),
    /// In C: the file in `corpus/models`, and what is defined.
    pub c: (&'static str, &'static [&'static str]),
}

const fn row(title: &'static str, rust: fn(), file: &'static str, defines: &'static [&'static str]) -> Row {
    Row { title, rust, c: (file, defines) }
}

/// The rows of the paper, and three larger ones.
pub const ROWS: &[Row] = &[
    row("Fib 1", || programs::fib(4), "fib.c", &["ROUNDS=4"]),
    row("Fib 2", || programs::fib(5), "fib.c", &["ROUNDS=5"]),
    row("Filesystem 1 (14)", || programs::filesystem(14), "filesystem.c", &["THREADS=14"]),
    row("Filesystem 2 (18)", || programs::filesystem(18), "filesystem.c", &["THREADS=18"]),
    row("Dining 1 (4)", || programs::dining(4, 2), "dining.c", &["N=4"]),
    row("Dining 2 (5)", || programs::dining(5, 2), "dining.c", &["N=5"]),
    row("Dining 3 (6)", || programs::dining(6, 2), "dining.c", &["N=6"]),
    row("Dining 4 (7)", || programs::dining(7, 2), "dining.c", &["N=7"]),
    row("Szymanski", || programs::szymanski(7), "szymanski.c", &["LOOKS=7"]),
    row("Locking 1 (4 × 2)", || programs::locking(4, 0), "locking.c", &["FULL=4", "MORE=0"]),
    row("Locking 2 (4 × 2 + 1)", || programs::locking(4, 1), "locking.c", &["FULL=4", "MORE=1"]),
    row("Locking 3 (5 × 2)", || programs::locking(5, 0), "locking.c", &["FULL=5", "MORE=0"]),
    row("Updater", || programs::updater(2, 3, 2), "updater.c", &["UPDATERS=2", "WORKERS=3", "TIMES=2"]),
    row("Writes (4 × 3)", || programs::writes(4, 3), "writes.c", &["N=4", "TIMES=3"]),
    row("Synthetic 1", || programs::synthetic(1, 3, 5), "synthetic.c", &["SEED=1", "N=3", "STEPS=5"]),
    row("Synthetic 2", || programs::synthetic(2, 3, 6), "synthetic.c", &["SEED=2", "N=3", "STEPS=6"]),
    row("Synthetic 3", || programs::synthetic(6, 4, 4), "synthetic.c", &["SEED=6", "N=4", "STEPS=4"]),
    row("Dining (10)", || programs::dining(10, 2), "dining.c", &["N=10"]),
    row("Locking (8 × 2)", || programs::locking(8, 0), "locking.c", &["FULL=8", "MORE=0"]),
    row("Locking, writes (8 × 2)", || programs::locking_writes(8, 2), "locking_writes.c", &["N=8"]),
];
