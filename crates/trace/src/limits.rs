//! Every fixed limit of the system, in one place.

/// Threads that one search can tell apart, all runs together.
pub const MAX_THREADS: usize = 128;

/// Alternatives of one choice that is not a schedule.
pub const MAX_ALTERNATIVES: u64 = 1 << 16;

/// Steps of one run before it is given up, unless the user sets another number.
pub const DEFAULT_MAX_STEPS: usize = 20_000;

/// Bytes of a schedule file that the reader accepts.
pub const MAX_SCHEDULE_BYTES: usize = 16 << 20;

/// Bytes of a file of HaPSets that the reader accepts.
pub const MAX_HAPSET_BYTES: usize = 64 << 20;

/// Identical rounds of a read-only loop without a hint before it counts as spinning.
pub const QUIET_ROUNDS: u32 = 60;

/// Hints of a thread that sees the same but has changed on its own, before it waits for the others all the same.
pub const MAX_UNLIKE_HINTS: u32 = 20;

/// Hints in a row, with no visible operation in between, before a thread waits for the others.
pub const MAX_EMPTY_HINTS: u32 = 1000;

/// What a C program sees as the name of its first thread (`pthread_t`), and the distance to that of the next: numbers that
/// are no address, so that a report can say which thread is meant.
pub const FIRST_HANDLE: u64 = 0x7261_6464_6c00_0000;
/// See [`FIRST_HANDLE`].
pub const HANDLE_DISTANCE: u64 = 64;
