//! Memory that is left at exit and that nothing refers to any more.

use raddle_trace::{Ending, Failure, Trouble};

use crate::arena::is_early;
use crate::state;

/// Ends the run with a finding if leaks are asked for and there is one.
pub(crate) fn look() {
    if !state::with(|state| state.task.leaks) {
        return;
    }
    let lost = state::with(|state| {
        let mut unreached: Vec<(usize, usize)> =
            state.arena.left().map(|block| (block.start, block.size)).collect();
        let mut roots: Vec<(usize, usize)> = state.modules.static_memory().collect();
        while let Some((start, end)) = roots.pop() {
            for at in (start.next_multiple_of(8)..end.saturating_sub(7)).step_by(8) {
                // SAFETY: static memory of the program, or a block that has not been freed.
                let value = unsafe { (at as *const usize).read() };
                let reached = |&(start, size): &(usize, usize)| value >= start && value < start + size.max(1);
                if let Some(found) = unreached.iter().position(reached) {
                    let (start, size) = unreached.swap_remove(found);
                    roots.push((start, start + size));
                }
            }
        }
        // What was there before `main` is no part of the run.
        unreached.retain(|(start, _)| !is_early(*start));
        let (start, size) = *unreached.iter().min()?;
        let block = *state.arena.block_at(start)?;
        let place = state.place(block.allocated.site);
        let message = format!("{size} bytes were never freed");
        let told = block.told(start, 0, false, |_| place);
        Some(Trouble { thread: block.allocated.thread, message, place, block: Some(told) })
    });
    if let Some(trouble) = lost {
        raddle_runtime::end_run(Ending::Failed(Failure::Leak), Some(trouble));
    }
}
