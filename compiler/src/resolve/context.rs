//! Where what is being resolved stands.

use super::Resolver;

/// Where a value stands, by the functions that may stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// It is computed for each row before any are grouped: no aggregates and no windows.
    Rows,
    /// It is computed for each group: no windows.
    Groups,
    /// It is computed of the result: both.
    Result,
}

/// What matters of a query to what stands over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matters {
    /// How many rows it has, or whether it has any. In which order a page of it was cut changes neither.
    Count,
    /// Which rows it has.
    Rows,
    /// Which rows it has, and in which order they come.
    Order,
}

impl Matters {
    /// What matters of a query whose rows are looked at one by one.
    pub(super) fn rows(self) -> Self {
        if self == Matters::Count { Matters::Rows } else { self }
    }
}

/// Where what is being resolved stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    pub(crate) place: Place,
    /// What matters of the query that is being folded.
    pub(crate) matters: Matters,
    /// Whether a predicate stands by AND only below the condition that it is of.
    pub(crate) by_and: bool,
    /// Whether it is in the condition that chooses the rows of a query or a write.
    pub(crate) in_filter: bool,
    /// Whether it is in the condition of a join. A subquery there has conditions of its own.
    pub(crate) in_join: bool,
    /// Whether it is in a subquery of a predicate or a value.
    pub(crate) in_subquery: bool,
}

impl Context {
    /// That of a statement.
    pub(crate) const STATEMENT: Self = Self {
        place: Place::Rows,
        matters: Matters::Rows,
        by_and: true,
        in_filter: false,
        in_join: false,
        in_subquery: false,
    };

    /// That of a subquery, wherever it stands.
    pub(crate) const SUBQUERY: Self = Self { in_subquery: true, ..Self::STATEMENT };

    /// Whether a predicate is a term of the statement's own condition.
    pub(crate) fn stands_alone(self) -> bool {
        self.by_and && !self.in_join && !self.in_subquery
    }
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// Where what is being resolved stands.
    pub(crate) fn context(&self) -> Context {
        self.cx.context.get()
    }

    /// Resolves a part of the tree that stands elsewhere. What comes behind it stands where this does.
    pub(crate) fn within<T>(&mut self, context: Context, run: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.cx.context.replace(context);
        let result = run(self);
        self.cx.context.set(around);
        result
    }

    /// Resolves a predicate that is another one's part, and does not stand by AND below the condition.
    pub(crate) fn apart<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.within(Context { by_and: false, ..self.context() }, run)
    }

    /// Resolves the condition that chooses the rows of a query or a write.
    pub(crate) fn filtering<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.within(Context { place: Place::Rows, in_filter: true, ..self.context() }, run)
    }

    /// Resolves the condition of a join.
    pub(crate) fn in_join<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.within(Context { in_join: true, ..self.context() }, run)
    }
}
