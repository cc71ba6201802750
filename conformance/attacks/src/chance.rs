//! Choices that a number repeats.

/// A source of choices: xorshift64*, by S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
/// 2016.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// The choices of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below that.
    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(count.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// A small number.
    pub fn number(&mut self) -> i64 {
        i64::try_from(self.below(24)).unwrap_or(0) - 4
    }
}
