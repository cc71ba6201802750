//! Functions that the macros `expr!` and `query!` use in place of Rust's operators. They are not part of the public
//! interface.
//!
//! `S` is the entity of the closure, whose condition the expression is a part of. The macro sets it.

use std::marker::PhantomData;

use isogloss_compiler::expr::{
    CaseExpr, Decimal, ForeignExpr, LogicExpr, LogicOperator, Name, SelectItemExpr, Value, ValueExpr, ValueOperator,
    ValueOps, ValueTypeExpr, exists as foreign, exists_related as related, value,
};

use super::condition::known;
use super::number::{self, Mix, binary};
use super::operand::{Arithmetic, Exact};
use super::{
    Aggregate, Column, Condition, Entity, Field, FromRow, Gives, Minus, Mixed, NullWith, Number, Operand, Ordered,
    Plus, Predicate, SelectItem, Source, Takes, Typed, Window,
};

pub use super::among::{Among, Collection, among, contains, contains_never_null, is_one_of};
pub use super::captured::{Captured, CapturedValue};
pub use super::hole::{HoleOfBytes, HoleOfItems, HoleOfSlice, HoleOfValue, ToHole};

/// A column, or a value that is computed from columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no column and no expression of columns",
    label = "a condition cannot speak of this",
    note = "columns are fields of the closure's parameter; what is known before the query runs is a value of its own"
)]
pub trait Expression {
    /// The entity of its columns.
    type Entity;

    /// The type of its values, as of a column.
    type Of: Field;

    /// Converts it into a node of the tree.
    fn node(self) -> ValueTypeExpr;
}

/// The type that an expression's values have, without `Option`.
pub type BaseOf<E> = <<E as Expression>::Of as Field>::Base;

macro_rules! expressions {
    ($([$($generic:tt)*] $expression:ty: $entity:ty, $of:ty;)*) => {$(
        impl<$($generic)*> Expression for $expression {
            type Entity = $entity;
            type Of = $of;

            fn node(self) -> ValueTypeExpr {
                self.into()
            }
        }
    )*};
}

expressions! {
    [S, T: Field] Column<S, T>: S, T;
    [S, T: Field] Typed<S, T>: S, T;
    [S, T: Field] Aggregate<S, T>: S, T;
    [S, T: Field] Window<S, T>: S, T;
    [S] Condition<S>: S, bool;
    [] LogicExpr: (), bool;
}

impl<E: Expression + Clone> Expression for &E {
    type Entity = E::Entity;
    type Of = E::Of;

    fn node(self) -> ValueTypeExpr {
        self.clone().node()
    }
}

fn is_never(logic: &LogicExpr) -> bool {
    matches!(logic, LogicExpr::Or(or) if or.items.is_empty())
}

fn is_always(logic: &LogicExpr) -> bool {
    matches!(logic, LogicExpr::And(and) if and.items.is_empty())
}

/// Converts a condition into a predicate.
pub fn logic<S: Takes<C::Entity>, C: Predicate>(condition: C) -> Condition<S> {
    Condition::new(condition.given().unwrap_or_default())
}

/// What may be known, and what may be absent.
type Perhaps<S> = Option<Condition<S>>;

fn perhaps<S>(logic: Option<LogicExpr>) -> Perhaps<S> {
    logic.map(Condition::new)
}

/// The left side of `a && b`. As in Rust, the right side is not evaluated after `false`.
#[allow(clippy::missing_errors_doc, reason = "the error is the whole, which is known")]
pub fn open_and<S: Takes<C::Entity>, C: Predicate>(left: C) -> Result<Perhaps<S>, Perhaps<S>> {
    match left.given() {
        Some(left) if is_never(&left) => Err(perhaps(Some(left))),
        left => Ok(perhaps(left)),
    }
}

/// The left side of `a || b`. As in Rust, the right side is not evaluated after `true`.
#[allow(clippy::missing_errors_doc, reason = "the error is the whole, which is known")]
pub fn open_or<S: Takes<C::Entity>, C: Predicate>(left: C) -> Result<Perhaps<S>, Perhaps<S>> {
    match left.given() {
        Some(left) if is_always(&left) => Err(perhaps(Some(left))),
        left => Ok(perhaps(left)),
    }
}

/// `a && b`. Conditions that the program knows are not written, and absent ones are left out.
pub fn both<S, L: Predicate, R: Predicate>(left: L, right: R) -> Perhaps<S>
where
    S: Takes<L::Entity> + Takes<R::Entity>,
{
    perhaps(match (left.given(), right.given()) {
        (None, one) | (one, None) => one,
        (Some(left), Some(right)) if is_never(&left) || is_always(&right) => Some(left),
        (Some(left), Some(right)) if is_never(&right) || is_always(&left) => Some(right),
        (Some(left), Some(right)) => Some(left.and(right)),
    })
}

/// `a || b`. Conditions that the program knows are not written, and absent ones are left out.
pub fn either<S, L: Predicate, R: Predicate>(left: L, right: R) -> Perhaps<S>
where
    S: Takes<L::Entity> + Takes<R::Entity>,
{
    perhaps(match (left.given(), right.given()) {
        (None, one) | (one, None) => one,
        (Some(left), Some(right)) if is_always(&left) || is_never(&right) => Some(left),
        (Some(left), Some(right)) if is_always(&right) || is_never(&left) => Some(right),
        (Some(left), Some(right)) => Some(left.or(right)),
    })
}

/// `!a`; an absent condition remains absent.
pub fn not<C: Predicate>(condition: C) -> Perhaps<C::Entity> {
    perhaps(condition.given().map(|logic| match &logic {
        always if is_always(always) => known(false),
        never if is_never(never) => known(true),
        _ => !logic,
    }))
}

macro_rules! comparisons {
    ($($method:ident $operator:ident $(: $bound:ident)?;)*) => {$(
        #[allow(missing_docs, reason = "the operator of that name")]
        pub fn $method<S, L: Expression, R: Operand<BaseOf<L>>>(left: L, right: R) -> Condition<S>
        where
            S: Takes<L::Entity> + Takes<R::Entity>,
            $(BaseOf<L>: $bound,)?
        {
            Condition::new(left.node().compare(LogicOperator::$operator, right.operand()))
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

/// What `-` gives of a value of `T`.
type Less<T, S, O> = <<T as Field>::Base as Minus>::Output<S, O>;

/// What `/` and `%` give: NULL where the divisor is 0.
type Quotient<T, U> = number::Perhaps<Mix<T, U>>;

macro_rules! arithmetic {
    ($($method:ident $bound:ident $output:ty, |$left:ident, $right:ident| $make:expr;)*) => {$(
        #[allow(missing_docs, reason = "the operator of that name, whose left side is a plain value")]
        pub fn $method<S, L, R>(left: L, right: R) -> $output
        where
            R: Expression,
            L: Operand<BaseOf<R>, Arithmetic>,
            <L::Of as Field>::Base: $bound + Mixed<BaseOf<R>>,
            S: Takes<L::Entity> + Takes<R::Entity>,
        {
            let ($left, $right) = (left.operand(), right.node());
            $make
        }
    )*};
}

arithmetic! {
    add Plus Typed<S, Mix<L::Of, R::Of>>, |left, right| binary(left, <<L::Of as Field>::Base as Plus>::OPERATOR, right);
    sub Minus Less<L::Of, S, Mix<L::Of, R::Of>>,
        |left, right| <<L::Of as Field>::Base as Minus>::minus(left, right);
    mul Number Typed<S, Mix<L::Of, R::Of>>, |left, right| binary(left, ValueOperator::Multiply, right);
    div Number Typed<S, Quotient<L::Of, R::Of>>, |left, right| binary(left, ValueOperator::Divide, right);
    rem Number Typed<S, Quotient<L::Of, R::Of>>, |left, right| binary(left, ValueOperator::Modulo, right);
}

/// `x as T`
pub fn cast<T: Field, E: Expression>(expression: E) -> Typed<E::Entity, NullWith<T, E::Of>> {
    Typed::new(expression.node().cast(T::TYPE))
}

/// The result of an arm of `if` or `match` in the program, or a whole condition: a predicate or a typed value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` stands in no condition",
    label = "neither a column, an expression, a condition nor a value of a column's type"
)]
pub trait Lift<S> {
    /// The lifted type.
    type Output;

    /// Lifts the value.
    fn lift(self) -> Self::Output;
}

macro_rules! lifts {
    ($([$($entity:ident)? $(, $generic:ident: $bound:ident)?] $of:ty => $output:ident<S $(, $ty:ty)?>, |$it:ident| $make:expr;)*) => {$(
        impl<S, $($entity)? $(, $generic: $bound)?> Lift<S> for $of
        where
            $(S: Takes<$entity>)?
        {
            type Output = $output<S $(, $ty)?>;

            fn lift(self) -> Self::Output {
                let $it = self;
                $output::new($make)
            }
        }
    )*};
}

lifts! {
    [E, T: Field] Column<E, T> => Typed<S, T>, |it| it;
    [E, T: Field] Typed<E, T> => Typed<S, T>, |it| it;
    [E, T: Field] Aggregate<E, T> => Typed<S, T>, |it| it;
    [E, T: Field] Window<E, T> => Typed<S, T>, |it| it;
    [E] Condition<E> => Condition<S>, |it| it.into_logic();
    [E] Option<Condition<E>> => Condition<S>, |it| it.unwrap_or_default().into_logic();
    [] LogicExpr => Condition<S>, |it| it;
    [] Option<LogicExpr> => Condition<S>, |it| it.unwrap_or_default();
    [] &str => Typed<S, String>, |it| value(it);
    [] Float => Typed<S, f64>, |it| value(it.value);
}

impl<S: Takes<T::Entity>, T: Field<Base = T> + Operand<T, Exact>> Lift<S> for T {
    type Output = Typed<S, T>;

    fn lift(self) -> Self::Output {
        Typed::new(self.operand())
    }
}

/// Lifts an arm.
pub fn lift<S, L: Lift<S>>(arm: L) -> L::Output {
    arm.lift()
}

/// `if condition { then } else { otherwise }`. Further `else if` become one CASE.
pub fn case<S, C: Predicate, T: Expression, O>(condition: C, then: T, otherwise: O) -> Typed<S, NullWith<T::Of, O::Of>>
where
    O: Operand<BaseOf<T>, Exact>,
    S: Takes<C::Entity> + Takes<T::Entity> + Takes<O::Entity>,
{
    cases(condition.given().unwrap_or_default(), then.node(), otherwise.operand())
}

/// `if condition { then } else { otherwise }`, where only the other arm has columns.
pub fn case_else<S, C: Predicate, T, O: Expression>(
    condition: C,
    then: T,
    otherwise: O,
) -> Typed<S, NullWith<O::Of, T::Of>>
where
    T: Operand<BaseOf<O>, Exact>,
    S: Takes<C::Entity> + Takes<T::Entity> + Takes<O::Entity>,
{
    cases(condition.given().unwrap_or_default(), then.operand(), otherwise.node())
}

fn cases<S, T>(condition: LogicExpr, then: ValueTypeExpr, otherwise: ValueTypeExpr) -> Typed<S, T> {
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

/// A float literal with its text, so that a decimal gets all digits.
#[derive(Debug, Clone, Copy)]
pub struct Float {
    text: &'static str,
    value: f64,
}

/// A literal with a decimal point.
#[must_use]
pub const fn float(text: &'static str, value: f64) -> Float {
    Float { text, value }
}

macro_rules! floats {
    ($([$place:ident $(: $generic:ident)?] $of:ty => $as:ty, |$float:ident| $node:expr;)*) => {$(
        impl$(<$generic>)? Operand<$of, $place> for Float {
            type Entity = ();
            type Of = $as;

            fn operand(self) -> ValueTypeExpr {
                let $float = self;
                $node
            }
        }
    )*};
}

floats! {
    [P: P] f64 => f64, |float| float.value.into();
    [P: P] f32 => f32, |float| float.value.into();
    [P: P] Decimal => Decimal, |float| float.text.parse::<Decimal>().map_or_else(|_| float.value.into(), Into::into);
    [Arithmetic] i8 => f64, |float| float.value.into();
    [Arithmetic] i16 => f64, |float| float.value.into();
    [Arithmetic] i32 => f64, |float| float.value.into();
    [Arithmetic] u8 => f64, |float| float.value.into();
    [Arithmetic] u16 => f64, |float| float.value.into();
    [Arithmetic] u32 => f64, |float| float.value.into();
}

/// A value that is written into the SQL text.
#[derive(Debug, Clone, Copy)]
pub struct Constant<V>(V);

/// `constant(5)`
pub fn constant<V>(value: V) -> Constant<V> {
    Constant(value)
}

impl<T, P, V: Operand<T, P>> Operand<T, P> for Constant<V> {
    type Entity = V::Entity;
    type Of = V::Of;

    fn operand(self) -> ValueTypeExpr {
        match self.0.operand() {
            ValueTypeExpr::Value(value) => ValueExpr { is_const: true, ..value }.into(),
            other => other,
        }
    }
}

/// `exists::<D>(|d| ..)`, with a condition that relates its rows to the outer row.
pub fn exists<S, D: Entity + Takes<C::Entity>, C: Predicate>(alias: &'static str, inner: C) -> Condition<S> {
    within(foreign(D::NAME, inner.given()), alias)
}

/// `exists_related::<D>(|d| ..)`, along the relations of the catalog.
pub fn exists_related<S, D: Entity + Takes<C::Entity>, C: Predicate>(alias: &'static str, inner: C) -> Condition<S> {
    within(related(D::NAME, inner.given()), alias)
}

/// `exists_args::<D>(["2024"], |d| ..)`, with arguments for the placeholders of the table's name.
pub fn exists_args<S, D: Entity + Takes<C::Entity>, C: Predicate>(
    alias: &'static str,
    inner: C,
    args: impl IntoIterator<Item = impl Into<String>>,
) -> Condition<S> {
    within(foreign(D::NAME, inner.given()).table_args(args.into_iter().map(Into::into)), alias)
}

/// `exists_related_args::<D>(["2024"], |d| ..)`
pub fn exists_related_args<S, D: Entity + Takes<C::Entity>, C: Predicate>(
    alias: &'static str,
    inner: C,
    args: impl IntoIterator<Item = impl Into<String>>,
) -> Condition<S> {
    within(related(D::NAME, inner.given()).table_args(args.into_iter().map(Into::into)), alias)
}

/// With its alias, if a closure inside of it names its columns.
fn within<S>(node: ForeignExpr, alias: &'static str) -> Condition<S> {
    let named = node.inner.as_ref().is_some_and(|inner| super::captured::mentions(inner, alias));
    let node = if named { node.aliased(Name::from_static(alias)) } else { node };
    Condition::new(node.into())
}

/// The value of an expression that is not NULL.
pub fn present<E: Expression>(expression: E) -> Typed<E::Entity, BaseOf<E>> {
    Typed::new(expression.node())
}

/// `column == None`
pub fn is_null<E: Expression>(expression: E) -> Condition<E::Entity> {
    Condition::new(expression.node().is_null())
}

/// Whether a pattern without `None` matches the value. As in Rust, and unlike a comparison, it is never unknown.
pub fn matched<S, E: Expression + Clone, C: Predicate>(value: &E, asked: C) -> Perhaps<S>
where
    S: Takes<E::Entity> + Takes<C::Entity>,
{
    if <E::Of as Field>::NULLABLE { both(is_not_null(value), asked) } else { perhaps(asked.given()) }
}

/// `column != None`
pub fn is_not_null<E: Expression>(expression: E) -> Condition<E::Entity> {
    Condition::new(expression.node().is_not_null())
}

/// The columns of a table that a join need not find: each may be NULL.
pub fn maybe<S, T: Field>(column: Column<S, T>) -> Column<S, Option<T::Base>> {
    column.retyped()
}

/// `t.total`, a column of a query's rows, which are of `R`. The field is looked at for its type alone.
pub fn column<S, R: FromRow, T>(alias: &'static str, field: &'static str, _: fn(&R) -> &T) -> Column<S, T> {
    Column::item(alias, R::column_of(field).map_or(field, |(_, name)| name))
}

/// `t.from(query)`
pub fn derived<R, Q: Gives<R>>(query: Q, alias: &'static str) -> Source<R> {
    Source::new(query.under(Name::from_static(alias)))
}

/// `t.from(query)` of a query whose rows are tuples: its columns are called by their places.
pub fn derived_places<R, Q: Gives<R>>(query: Q, alias: &'static str) -> Source<R> {
    Source::new(super::tables::placed(query.under(Name::from_static(alias))))
}

/// A literal in a select list, which has the type of its field.
pub fn literal<S, T: Into<Value>>(value: T) -> Typed<S, T> {
    Typed::new(isogloss_compiler::expr::constant(value))
}

/// An item of the field of a struct.
pub fn item<S, I: SelectItem<S>>(item: I) -> SelectItemExpr {
    item.select_item()
}

/// Checks that a field takes what an item gives: `make` is not called.
pub fn check<S, I: SelectItem<S>, R>(_: &I, _make: impl FnOnce(I::Of) -> PhantomData<R>) -> PhantomData<R> {
    PhantomData
}

/// The type of a struct.
pub fn row<R>(_: R) -> PhantomData<R> {
    PhantomData
}
