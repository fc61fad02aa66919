//! Randomness from a seed: SplitMix64, which is small and passes the usual tests.

use crate::archive::{Archive, Numbers};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; the bias is below 2⁻³² for the bounds that occur.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

impl Archive for Rng {
    fn put(&self, out: &mut Vec<u64>) {
        self.0.put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<Rng> {
        u64::take(input).map(Rng)
    }
}
