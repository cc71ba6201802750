//! Wall time in interleaved batches, and allocations.

use crate::alloc::snapshot;
use crate::peer::{Case, Mode};
use std::time::{Duration, Instant};

/// What was measured of one case in one mode.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// The median of the batches, ns per iteration.
    pub ns: f64,
    /// The fastest batch.
    pub min_ns: f64,
    /// Half of the distance between the quartiles, as a share of the median.
    pub spread: f64,
    /// Calls of `alloc` per iteration.
    pub allocs: f64,
    /// Calls of `realloc` per iteration.
    pub reallocs: f64,
    /// Bytes per iteration; a reallocation counts what it grows by.
    pub bytes: f64,
    /// Iterations per batch.
    pub batch: u64,
}

/// Measures all `cases` in one run: sample by sample, contestant after contestant, starting with another one each time,
/// so that a disturbance of the machine meets them all.
pub fn measure(cases: &[(&dyn Case, Mode)], samples: usize, batch_time: Duration) -> Vec<Figures> {
    let batches: Vec<u64> = cases.iter().map(|(case, mode)| calibrate(*case, *mode, batch_time)).collect();
    let mut times: Vec<Vec<f64>> = cases.iter().map(|_| Vec::with_capacity(samples)).collect();
    for sample in 0..samples {
        for i in 0..cases.len() {
            let i = (i + sample) % cases.len();
            let (case, mode) = cases[i];
            let start = Instant::now();
            case.iterate(mode, batches[i]);
            times[i].push(start.elapsed().as_nanos() as f64 / batches[i] as f64);
        }
    }
    cases
        .iter()
        .zip(times)
        .zip(batches)
        .map(|(((case, mode), mut times), batch)| {
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
            let (allocs, reallocs, bytes) = allocations(*case, *mode);
            let ns = at(0.5);
            Figures { ns, min_ns: times[0], spread: (at(0.75) - at(0.25)) / 2.0 / ns, allocs, reallocs, bytes, batch }
        })
        .collect()
}

/// How many iterations take about `batch_time` (at least one).
fn calibrate(case: &dyn Case, mode: Mode, batch_time: Duration) -> u64 {
    let mut n = 1u64;
    loop {
        let start = Instant::now();
        case.iterate(mode, n);
        let elapsed = start.elapsed();
        if elapsed * 4 >= batch_time || n > 1 << 40 {
            let per = elapsed.as_nanos().max(1) as f64 / n as f64;
            return ((batch_time.as_nanos() as f64 / per) as u64).max(1);
        }
        n *= 2;
    }
}

/// The difference between 2n and n iterations, so that a tree built once is not counted.
fn allocations(case: &dyn Case, mode: Mode) -> (f64, f64, f64) {
    const N: u64 = 4;
    let a = snapshot();
    case.iterate(mode, N);
    let b = snapshot();
    case.iterate(mode, 2 * N);
    let c = snapshot();
    let per = |a: u64, b: u64, c: u64| ((c - b) as f64 - (b - a) as f64) / N as f64;
    (per(a.allocs, b.allocs, c.allocs), per(a.reallocs, b.reallocs, c.reallocs), per(a.bytes, b.bytes, c.bytes))
}
