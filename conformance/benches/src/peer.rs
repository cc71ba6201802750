//! What a contestant implements.

use crate::data::Data;
use std::hint::black_box;

/// The workloads. `W…` make SQL, `J…` read JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Workload {
    W1,
    W2,
    W3,
    W4a,
    W4b,
    W5,
    W6,
    W7,
    J2,
    J6,
}

impl Workload {
    pub const ALL: [Workload; 10] = [
        Workload::W1,
        Workload::W2,
        Workload::W3,
        Workload::W4a,
        Workload::W4b,
        Workload::W5,
        Workload::W6,
        Workload::W7,
        Workload::J2,
        Workload::J6,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Workload::W1 => "W1",
            Workload::W2 => "W2",
            Workload::W3 => "W3",
            Workload::W4a => "W4a",
            Workload::W4b => "W4b",
            Workload::W5 => "W5",
            Workload::W6 => "W6",
            Workload::W7 => "W7",
            Workload::J2 => "J2",
            Workload::J6 => "J6",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Workload::W1 => "lookup by key, 10 columns",
            Workload::W2 => "page query: 2 joins, 5 filters, 2 orders, LIMIT/OFFSET",
            Workload::W3 => "correlated EXISTS and IN of 10",
            Workload::W4a => "IN of 1,000, each a parameter",
            Workload::W4b => "1,000 keys as one array parameter",
            Workload::W5 => "INSERT of 1,000 rows x 8 columns",
            Workload::W6 => "1,000 comparisons in 50 levels of AND/OR",
            Workload::W7 => "CTE, window, GROUP BY, HAVING, CASE: top n per group",
            Workload::J2 => "read the JSON filter of W2",
            Workload::J6 => "read the JSON tree of W6",
        }
    }

    pub fn is_json(self) -> bool {
        matches!(self, Workload::J2 | Workload::J6)
    }
}

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Build the tree, render it, drop the tree, the text and the parameters.
    Full,
    /// The tree stands already; render it by reference, drop the text and the parameters.
    Render,
}

impl Mode {
    pub const ALL: [Mode; 2] = [Mode::Full, Mode::Render];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Full => "full",
            Mode::Render => "render",
        }
    }
}

/// What a contestant made, for `--show` and the tests (never timed).
#[derive(Clone, Debug)]
pub struct Text {
    /// The statement; of a `J…` workload, the tree read, in the notation of `peers::json_tree`.
    pub sql: String,
    /// How many parameters were collected; of a `J…` workload, how many comparisons were read.
    pub params: usize,
}

/// One workload of one contestant.
pub trait Case {
    /// Runs `n` iterations of `mode`. Everything made must pass through [`black_box`].
    fn iterate(&self, mode: Mode, n: u64);

    /// Whether [`Mode::Render`] exists; a contestant without a tree has only [`Mode::Full`].
    fn has_tree(&self) -> bool;

    /// What it makes.
    fn text(&self) -> Text;
}

/// A contestant. Adding one is a file in `src/peers/` and a line in `peers::all`.
pub trait Peer {
    /// The name in tables and filters.
    fn name(&self) -> &'static str;

    /// One line about what is measured.
    fn about(&self) -> &'static str;

    /// The case for a workload, or why there is none.
    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str>;

    /// Why the text differs from `hand`'s by more than spelling, or `None` where it must not.
    fn deviation(&self, _workload: Workload) -> Option<&'static str> {
        None
    }
}

/// The reason when a workload is none of a contestant's.
pub const NOT_ITS_JOB: &str = "";

/// A contestant that builds a tree and then renders it.
///
/// `render` makes the text and the parameters from the borrowed tree and passes them through [`black_box`].
pub fn tree<T: 'static>(
    data: &'static Data,
    build: impl Fn(&'static Data) -> T + 'static,
    render: impl Fn(&T) + 'static,
    text: impl Fn(&T) -> Text + 'static,
) -> Result<Box<dyn Case>, &'static str> {
    struct Tree<B, R, X> {
        data: &'static Data,
        build: B,
        render: R,
        text: X,
    }
    impl<T, B: Fn(&'static Data) -> T, R: Fn(&T), X: Fn(&T) -> Text> Case for Tree<B, R, X> {
        fn iterate(&self, mode: Mode, n: u64) {
            match mode {
                Mode::Full => {
                    for _ in 0..n {
                        let tree = (self.build)(black_box(self.data));
                        (self.render)(black_box(&tree));
                    }
                }
                Mode::Render => {
                    let tree = (self.build)(black_box(self.data));
                    for _ in 0..n {
                        (self.render)(black_box(&tree));
                    }
                }
            }
        }

        fn has_tree(&self) -> bool {
            true
        }

        fn text(&self) -> Text {
            (self.text)(&(self.build)(self.data))
        }
    }
    Ok(Box::new(Tree { data, build, render, text }))
}

/// As [`tree`], for a contestant which in [`Mode::Full`] consumes the tree instead (moving values out of it).
pub fn tree_consumed<T: 'static>(
    data: &'static Data,
    build: impl Fn(&'static Data) -> T + 'static,
    render: impl Fn(&T) + 'static,
    consume: impl Fn(T) + 'static,
    text: impl Fn(&T) -> Text + 'static,
) -> Result<Box<dyn Case>, &'static str> {
    struct Consumed<B, R, C, X> {
        data: &'static Data,
        build: B,
        render: R,
        consume: C,
        text: X,
    }
    impl<T, B: Fn(&'static Data) -> T, R: Fn(&T), C: Fn(T), X: Fn(&T) -> Text> Case for Consumed<B, R, C, X> {
        fn iterate(&self, mode: Mode, n: u64) {
            match mode {
                Mode::Full => {
                    for _ in 0..n {
                        let tree = (self.build)(black_box(self.data));
                        black_box(&tree);
                        (self.consume)(tree);
                    }
                }
                Mode::Render => {
                    let tree = (self.build)(black_box(self.data));
                    for _ in 0..n {
                        (self.render)(black_box(&tree));
                    }
                }
            }
        }

        fn has_tree(&self) -> bool {
            true
        }

        fn text(&self) -> Text {
            (self.text)(&(self.build)(self.data))
        }
    }
    Ok(Box::new(Consumed { data, build, render, consume, text }))
}

/// A contestant without a tree: text and parameters come straight from the data.
pub fn direct<O>(
    data: &'static Data,
    run: impl Fn(&'static Data) -> O + 'static,
    text: impl Fn(O) -> Text + 'static,
) -> Result<Box<dyn Case>, &'static str>
where
    O: 'static,
{
    struct Direct<F, X> {
        data: &'static Data,
        run: F,
        text: X,
    }
    impl<O, F: Fn(&'static Data) -> O, X: Fn(O) -> Text> Case for Direct<F, X> {
        fn iterate(&self, _mode: Mode, n: u64) {
            for _ in 0..n {
                let out = (self.run)(black_box(self.data));
                black_box(&out);
            }
        }

        fn has_tree(&self) -> bool {
            false
        }

        fn text(&self) -> Text {
            (self.text)((self.run)(self.data))
        }
    }
    Ok(Box::new(Direct { data, run, text }))
}
