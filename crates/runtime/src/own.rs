//! What a thread keeps to itself: its registers and its stack.
//!
//! A loop that waits looks the same in every round. One that counts its rounds does not: the count lies in a register or on the
//! stack, where nobody else sees it, and the thread may do something else in the next round although nothing has changed.

use std::arch::asm;

use raddle_trace::Place;

use crate::visit::with_stage;

/// Where the stack of the caller ends, the registers that it keeps across calls, and where it is in its code: if the rounds of a
/// loop have been unrolled, that is the count.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    low: usize,
    registers: [u64; 7],
}

impl Frame {
    /// Of the function that this is part of: it is never called.
    #[inline(always)]
    #[must_use]
    pub fn here() -> Frame {
        let mut registers = [0_u64; 7];
        let low: usize;
        // SAFETY: only looks at registers, and writes the array.
        unsafe {
            asm!(
                "mov [{to}], rbx",
                "mov [{to} + 8], rbp",
                "mov [{to} + 16], r12",
                "mov [{to} + 24], r13",
                "mov [{to} + 32], r14",
                "mov [{to} + 40], r15",
                "lea {low}, [rip]",
                "mov [{to} + 48], {low}",
                "mov {low}, rsp",
                to = in(reg) registers.as_mut_ptr(),
                low = out(reg) low,
                options(nostack, preserves_flags),
            );
        }
        Frame { low, registers }
    }

    /// A number that stands for all that the current thread keeps to itself, if it comes by this place in a loop.
    ///
    /// # Panics
    /// Outside a run.
    #[must_use]
    pub fn own(&self, place: Place) -> u64 {
        with_stage(|stage| stage.own_at(place, self))
    }

    /// A number that stands for all of it, up to where the stack begins; the same for the same, and hardly ever for anything else.
    pub(crate) fn sum(&self, base: usize) -> u64 {
        self.sum_but_for(base, |_| false)
    }

    /// The same, if some of it lies in frames of ours: words that are ours count as nothing.
    pub(crate) fn sum_but_for(&self, base: usize, is_ours: impl Fn(u64) -> bool) -> u64 {
        let mix = |sum: u64, word: u64| {
            let word = if is_ours(word) { 0 } else { word };
            (sum.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let registers = self.registers.iter().fold(1, |sum, word| mix(sum, *word));
        (self.low..base).step_by(8).fold(registers, |sum, at| {
            let word: u64;
            // SAFETY: the stack of the current thread, between its end and its beginning; memory comes in words. Not all of it
            // has to have been written, so it is read as the machine sees it.
            unsafe {
                asm!("mov {}, [{}]", out(reg) word, in(reg) at, options(nostack, readonly, preserves_flags))
            };
            mix(sum, word)
        })
    }
}
