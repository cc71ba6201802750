//! What the macros `expr!` and `query!` write in place of Rust's operators. It is no part of the interface.

use std::collections::{BTreeSet, HashSet};
use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};
use std::sync::{Arc, LazyLock};

use isogloss_compiler::expr::{
    CaseExpr, Decimal, ForeignExpr, GenericSqlExpr, LogicExpr, LogicOperator, Name, ValueExpr, ValueOps, ValueTypeExpr,
    exists as foreign, exists_related as related, value,
};

use super::number::binary;
use super::{Column, Entity, Field, Minus, Number, Operand, Ordered, Plus, Typed};

pub use super::captured::{Captured, CapturedValue};
pub use super::hole::{HoleOfBytes, HoleOfItems, HoleOfSlice, HoleOfValue, ToHole};

/// A column, or what is computed of columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no column and no expression of columns",
    label = "a condition cannot speak of this",
    note = "columns are fields of the closure's parameter; what is known before the query runs is a value of its own"
)]
pub trait Expression {
    /// The type that a column of it had.
    type Of: Field;

    /// It as a node of the tree.
    fn node(self) -> ValueTypeExpr;
}

/// The type that an expression's values have, without `Option`.
pub type BaseOf<E> = <<E as Expression>::Of as Field>::Base;

impl<T: Field> Expression for Column<T> {
    type Of = T;

    fn node(self) -> ValueTypeExpr {
        self.into()
    }
}

impl<T: Field> Expression for Typed<T> {
    type Of = T;

    fn node(self) -> ValueTypeExpr {
        self.into()
    }
}

impl Expression for LogicExpr {
    type Of = bool;

    fn node(self) -> ValueTypeExpr {
        self.into()
    }
}

impl<E: Expression + Clone> Expression for &E {
    type Of = E::Of;

    fn node(self) -> ValueTypeExpr {
        self.clone().node()
    }
}

/// What stands where a condition is due: a predicate, one that is perhaps absent, a column of truth values, or a truth
/// value of the program.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no condition",
    label = "a condition is due here",
    note = "compare it: `o.amount > 100`; or give a `bool`, a `LogicExpr`, an `Option` of one"
)]
pub trait Condition {
    /// The predicate; `None` says nothing.
    fn given(self) -> Option<LogicExpr>;
}

impl Condition for LogicExpr {
    fn given(self) -> Option<LogicExpr> {
        Some(self)
    }
}

impl Condition for Option<LogicExpr> {
    fn given(self) -> Option<LogicExpr> {
        self
    }
}

impl Condition for bool {
    fn given(self) -> Option<LogicExpr> {
        Some(constant_logic(self))
    }
}

impl Condition for ForeignExpr {
    fn given(self) -> Option<LogicExpr> {
        Some(self.into())
    }
}

impl Condition for GenericSqlExpr {
    fn given(self) -> Option<LogicExpr> {
        Some(self.into())
    }
}

impl<T: Field<Base = bool>> Condition for Column<T> {
    fn given(self) -> Option<LogicExpr> {
        Some(ValueTypeExpr::from(self).is_true())
    }
}

impl<T: Field<Base = bool>> Condition for Typed<T> {
    fn given(self) -> Option<LogicExpr> {
        Some(match ValueTypeExpr::from(self) {
            ValueTypeExpr::Truth(logic) => logic.into_inner(),
            ValueTypeExpr::Value(ValueExpr { value: isogloss_compiler::expr::Value::Bool(known), .. }) => {
                constant_logic(known)
            }
            node => node.is_true(),
        })
    }
}

impl Condition for &LogicExpr {
    fn given(self) -> Option<LogicExpr> {
        Some(self.clone())
    }
}

impl Condition for &Option<LogicExpr> {
    fn given(self) -> Option<LogicExpr> {
        self.clone()
    }
}

/// What is always so, or never.
fn constant_logic(known: bool) -> LogicExpr {
    if known { LogicExpr::default() } else { LogicExpr::any([] as [LogicExpr; 0]) }
}

fn is_never(logic: &LogicExpr) -> bool {
    matches!(logic, LogicExpr::Or(or) if or.items.is_empty())
}

fn is_always(logic: &LogicExpr) -> bool {
    matches!(logic, LogicExpr::And(and) if and.items.is_empty())
}

/// A condition as a predicate.
pub fn logic(condition: impl Condition) -> LogicExpr {
    condition.given().unwrap_or_default()
}

/// The left side of `a && b`: as in Rust, what comes after `false` is not looked at.
#[allow(clippy::missing_errors_doc, reason = "the error is the whole, which is known")]
pub fn open_and(left: impl Condition) -> Result<Option<LogicExpr>, Option<LogicExpr>> {
    match left.given() {
        Some(left) if is_never(&left) => Err(Some(left)),
        left => Ok(left),
    }
}

/// The left side of `a || b`, in the same way.
#[allow(clippy::missing_errors_doc, reason = "the error is the whole, which is known")]
pub fn open_or(left: impl Condition) -> Result<Option<LogicExpr>, Option<LogicExpr>> {
    match left.given() {
        Some(left) if is_always(&left) => Err(Some(left)),
        left => Ok(left),
    }
}

/// `a && b`. What the program knows is not written, and what is absent says nothing: not even beside what is absent, too.
pub fn both(left: impl Condition, right: impl Condition) -> Option<LogicExpr> {
    match (left.given(), right.given()) {
        (None, one) | (one, None) => one,
        (Some(left), Some(right)) if is_never(&left) || is_always(&right) => Some(left),
        (Some(left), Some(right)) if is_never(&right) || is_always(&left) => Some(right),
        (Some(left), Some(right)) => Some(left.and(right)),
    }
}

/// `a || b`, in the same way.
pub fn either(left: impl Condition, right: impl Condition) -> Option<LogicExpr> {
    match (left.given(), right.given()) {
        (None, one) | (one, None) => one,
        (Some(left), Some(right)) if is_always(&left) || is_never(&right) => Some(left),
        (Some(left), Some(right)) if is_always(&right) || is_never(&left) => Some(right),
        (Some(left), Some(right)) => Some(left.or(right)),
    }
}

/// `!a`; of what is absent, nothing.
pub fn not(condition: impl Condition) -> Option<LogicExpr> {
    condition.given().map(|logic| match &logic {
        known if is_always(known) => constant_logic(false),
        known if is_never(known) => constant_logic(true),
        _ => !logic,
    })
}

macro_rules! comparisons {
    ($($method:ident $operator:ident $(: $bound:ident)?;)*) => {$(
        #[allow(missing_docs, reason = "the operator of that name")]
        pub fn $method<L: Expression>(left: L, right: impl Operand<BaseOf<L>>) -> LogicExpr
        $(where
            BaseOf<L>: $bound,)?
        {
            left.node().compare(LogicOperator::$operator, right.operand())
        }
    )*};
}

comparisons! {
    eq Equal;
    ne NotEqual;
    gt GreaterThan: Ordered;
    lt LessThan: Ordered;
    ge GreaterThanOrEqual: Ordered;
    le LessThanOrEqual: Ordered;
}

macro_rules! arithmetic {
    ($($method:ident $operator:ident;)*) => {$(
        #[allow(missing_docs, reason = "the operator of that name, whose left side is a plain value")]
        pub fn $method<R: Expression>(left: impl Operand<BaseOf<R>>, right: R) -> Typed<R::Of>
        where
            BaseOf<R>: Number,
        {
            binary(left.operand(), isogloss_compiler::expr::ValueOperator::$operator, right.node())
        }
    )*};
}

arithmetic! {
    mul Multiply;
    div Divide;
    rem Modulo;
}

/// `value + column`
pub fn add<R: Expression>(left: impl Operand<BaseOf<R>>, right: R) -> Typed<R::Of>
where
    BaseOf<R>: Plus,
{
    binary(left.operand(), <BaseOf<R> as Plus>::OPERATOR, right.node())
}

/// `value - column`
pub fn sub<R: Expression>(left: impl Operand<BaseOf<R>>, right: R) -> <BaseOf<R> as Minus>::Output<R::Of>
where
    BaseOf<R>: Minus,
{
    <BaseOf<R> as Minus>::minus(left.operand(), right.node())
}

/// `x as T`
pub fn cast<T: Field, E: Expression>(expression: E) -> Typed<T> {
    Typed::new(expression.node().cast(T::TYPE))
}

/// What an arm of an `if` or a `match` of the program gives, or a whole condition: a predicate or a typed value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` stands in no condition",
    label = "neither a column, an expression, a condition nor a value of a column's type"
)]
pub trait Lift {
    /// What it becomes.
    type Output;

    /// Makes it that.
    fn lift(self) -> Self::Output;
}

impl<T: Field> Lift for Column<T> {
    type Output = Typed<T>;

    fn lift(self) -> Typed<T> {
        self.into()
    }
}

impl<T: Field> Lift for Typed<T> {
    type Output = Typed<T>;

    fn lift(self) -> Typed<T> {
        self
    }
}

impl Lift for LogicExpr {
    type Output = LogicExpr;

    fn lift(self) -> LogicExpr {
        self
    }
}

impl Lift for Option<LogicExpr> {
    type Output = LogicExpr;

    fn lift(self) -> LogicExpr {
        self.unwrap_or_default()
    }
}

impl<T: Field<Base = T> + Operand<T>> Lift for T {
    type Output = Typed<T>;

    fn lift(self) -> Typed<T> {
        Typed::new(self.operand())
    }
}

impl Lift for &str {
    type Output = Typed<String>;

    fn lift(self) -> Typed<String> {
        Typed::new(value(self))
    }
}

/// An arm, lifted.
pub fn lift<L: Lift>(arm: L) -> L::Output {
    arm.lift()
}

/// `if condition { then } else { otherwise }`. What follows on `else if` becomes one CASE.
pub fn case<T: Expression>(condition: impl Condition, then: T, otherwise: impl Operand<BaseOf<T>>) -> Typed<T::Of> {
    cases(logic(condition), then.node(), otherwise.operand())
}

/// The same where only the other arm speaks of columns.
pub fn case_else<T: Expression>(
    condition: impl Condition,
    then: impl Operand<BaseOf<T>>,
    otherwise: T,
) -> Typed<T::Of> {
    cases(logic(condition), then.operand(), otherwise.node())
}

fn cases<T>(condition: LogicExpr, then: ValueTypeExpr, otherwise: ValueTypeExpr) -> Typed<T> {
    let mut cases = vec![(condition, then)];
    let otherwise = match otherwise {
        ValueTypeExpr::Case(inner) => {
            let inner = inner.into_inner();
            cases.extend(inner.cases);
            inner.otherwise
        }
        other => Some(other),
    };
    Typed::new(CaseExpr { cases, otherwise })
}

/// A float as it was written: a decimal takes it digit by digit.
#[derive(Debug, Clone, Copy)]
pub struct Float {
    text: &'static str,
    value: f64,
}

/// A literal with a point.
#[must_use]
pub const fn float(text: &'static str, value: f64) -> Float {
    Float { text, value }
}

impl Operand<f64> for Float {
    fn operand(self) -> ValueTypeExpr {
        self.value.into()
    }
}

impl Operand<f32> for Float {
    fn operand(self) -> ValueTypeExpr {
        self.value.into()
    }
}

impl Operand<Decimal> for Float {
    fn operand(self) -> ValueTypeExpr {
        match self.text.parse::<Decimal>() {
            Ok(exact) => exact.into(),
            Err(_) => self.value.into(),
        }
    }
}

impl Lift for Float {
    type Output = Typed<f64>;

    fn lift(self) -> Typed<f64> {
        Typed::new(value(self.value))
    }
}

/// A value that is written into the text.
#[derive(Debug, Clone, Copy)]
pub struct Constant<V>(V);

/// `constant(5)`
pub fn constant<V>(value: V) -> Constant<V> {
    Constant(value)
}

impl<T, V: Operand<T>> Operand<T> for Constant<V> {
    fn operand(self) -> ValueTypeExpr {
        match self.0.operand() {
            ValueTypeExpr::Value(value) => ValueExpr { is_const: true, ..value }.into(),
            other => other,
        }
    }
}

/// What has a `contains` that asks for a column: lists and ranges.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not contain columns of `{T}`",
    label = "no list, range or text of `{T}`",
    note = "give a reference to a list, or a range, whose items are compared with a column of `{T}`"
)]
pub trait Collection<T> {
    /// Whether it has the value.
    fn holds(&self, value: ValueTypeExpr) -> LogicExpr;
}

fn in_list<T, O: Operand<T>>(value: ValueTypeExpr, items: impl Iterator<Item = O>) -> LogicExpr {
    value.in_list(super::operand::listed(items.map(Operand::operand)))
}

macro_rules! collections {
    ($([$($generic:tt)*] $of:ty;)*) => {$(
        impl<T, O: Clone + Operand<T>, $($generic)*> Collection<T> for $of {
            fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
                in_list(value, self.iter().cloned())
            }
        }
    )*};
}

collections! {
    [] Vec<O>;
    [] [O];
    [const N: usize] [O; N];
    [S] HashSet<O, S>;
    [] BTreeSet<O>;
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeInclusive<O> {
    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.between(self.start().clone().operand(), self.end().clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for Range<O> {
    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.clone().ge(self.start.clone().operand()) & value.lt(self.end.clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeFrom<O> {
    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.ge(self.start.clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeTo<O> {
    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.lt(self.end.clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeToInclusive<O> {
    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.le(self.end.clone().operand())
    }
}

impl Collection<String> for String {
    fn holds(&self, part: ValueTypeExpr) -> LogicExpr {
        ValueTypeExpr::from(self).contains(part)
    }
}

impl Collection<String> for str {
    fn holds(&self, part: ValueTypeExpr) -> LogicExpr {
        ValueTypeExpr::from(self).contains(part)
    }
}

macro_rules! pointers {
    ($([$($generic:tt)*] $of:ty;)*) => {$(
        impl<T, $($generic)*> Collection<T> for $of {
            fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
                (**self).holds(value)
            }
        }
    )*};
}

pointers! {
    [C: Collection<T> + ?Sized] &C;
    [C: Collection<T> + ?Sized] Box<C>;
    [C: Collection<T> + ?Sized] Arc<C>;
    [C: Collection<T>, F: FnOnce() -> C] LazyLock<C, F>;
}

/// `collection.contains(&column)`
pub fn contains<E: Expression, C: Collection<BaseOf<E>> + ?Sized>(collection: &C, column: E) -> LogicExpr {
    collection.holds(column.node())
}

/// A list that is written item by item: `[1, 2, o.other].contains(&o.status)`.
#[derive(Debug)]
pub struct Among<E> {
    value: E,
    items: Vec<ValueTypeExpr>,
}

/// Begins it.
pub fn among<E: Expression>(value: E) -> Among<E> {
    Among { value, items: Vec::new() }
}

impl<E: Expression> Among<E> {
    /// One more item.
    #[must_use]
    pub fn item(mut self, item: impl Operand<BaseOf<E>>) -> Self {
        self.items.push(item.operand());
        self
    }

    /// Ends it.
    #[must_use]
    pub fn done(self) -> LogicExpr {
        self.value.node().in_list(super::operand::listed(self.items.into_iter()))
    }
}

/// `exists::<D>(|d| ..)`, whose rows relate to the outer row as the condition says.
pub fn exists<D: Entity>(alias: &'static str, inner: impl Condition) -> LogicExpr {
    aliased(foreign(D::NAME, inner.given()), alias).into()
}

/// `exists_related::<D>(|d| ..)`, along the relations of the catalog.
pub fn exists_related<D: Entity>(alias: &'static str, inner: impl Condition) -> LogicExpr {
    aliased(related(D::NAME, inner.given()), alias).into()
}

/// `exists_args::<D>(["2024"], |d| ..)`, with arguments for the placeholders of the table's name.
pub fn exists_args<D: Entity>(
    alias: &'static str,
    inner: impl Condition,
    args: impl IntoIterator<Item = impl Into<String>>,
) -> LogicExpr {
    aliased(foreign(D::NAME, inner.given()), alias).table_args(args.into_iter().map(Into::into)).into()
}

/// `exists_related_args::<D>(["2024"], |d| ..)`
pub fn exists_related_args<D: Entity>(
    alias: &'static str,
    inner: impl Condition,
    args: impl IntoIterator<Item = impl Into<String>>,
) -> LogicExpr {
    aliased(related(D::NAME, inner.given()), alias).table_args(args.into_iter().map(Into::into)).into()
}

/// With its alias, if a closure inside of it names its columns.
fn aliased(node: ForeignExpr, alias: &'static str) -> ForeignExpr {
    if node.inner.as_ref().is_some_and(|inner| super::captured::mentions(inner, alias)) {
        node.aliased(Name::from_static(alias))
    } else {
        node
    }
}

/// What an expression is where it is not NULL.
pub fn present<E: Expression>(expression: E) -> Typed<BaseOf<E>> {
    Typed::new(expression.node())
}

/// `column == None`
pub fn is_null<E: Expression>(expression: E) -> LogicExpr {
    expression.node().is_null()
}

/// Whether a pattern that has no `None` takes the value: as in Rust, and unlike a comparison, that is never unknown.
pub fn matched<E: Expression + Clone>(value: &E, asked: impl Condition) -> Option<LogicExpr> {
    if <E::Of as Field>::NULLABLE { both(is_not_null(value), asked) } else { asked.given() }
}

/// `column != None`
pub fn is_not_null<E: Expression>(expression: E) -> LogicExpr {
    expression.node().is_not_null()
}
