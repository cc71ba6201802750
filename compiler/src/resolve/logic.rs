//! Predicates.

use std::borrow::Cow;

use crate::dialect::Feature;
use crate::error::{At, ErrorKind, Result};
use crate::expr::{
    DbType, Decimal, Family, LogicBinaryExpr, LogicExpr, LogicOperator, PropertyExpr, Value, ValueExpr, ValueJoinType,
    ValueTypeExpr,
};
use crate::frame::{Bound, Compare, CompareOp, Param, Pred, Scalar, ScalarKind};
use crate::kept::{Fit, Taker};
use crate::legalize::{call, compare, dates, json, list, logic, query, sorted, text};
use crate::model::{Column, is_of};
use crate::registry::FragmentSort;

use super::scope::NameScope;
use super::{Matters, Resolver, chain, scope, types};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A predicate.
    pub(crate) fn logic(&mut self, scope: &NameScope<'_, 'a>, expr: &'e LogicExpr) -> Result<Pred<'a, 'e>> {
        match expr {
            LogicExpr::Binary(node) => self.binary(scope, node),
            LogicExpr::And(node) => {
                let items = self.deeper("$and", |r| r.logics(scope, &node.items))?;
                Ok(logic::all_owned(self.cx, items))
            }
            LogicExpr::Or(node) => {
                let items = self.apart(|r| r.deeper("$or", |r| r.logics(scope, &node.items)))?;
                Ok(logic::any_owned(self.cx, items))
            }
            LogicExpr::Not(node) => {
                // NOT IN of a query is more than the opposite of IN: some engines join by it.
                if let LogicExpr::Binary(inner) = &node.operand
                    && inner.operator == LogicOperator::In
                    && matches!(inner.right, ValueTypeExpr::Query(_))
                {
                    return self.deeper("!", |r| r.in_list(scope, inner, true));
                }
                let pred = self.apart(|r| r.deeper("!", |r| r.logic(scope, &node.operand)))?;
                Ok(logic::not(self.cx, pred))
            }
            LogicExpr::Foreign(node) => self.level(|r| r.foreign(scope, node)),
            LogicExpr::Exists(query) => self.deeper("$exists", |r| {
                let read = r.watch_written();
                let query = r.subquery(|r| {
                    let building = r.mattering(Matters::Count, |r| r.fold(query, Some(scope)))?;
                    r.finish(building, chain::Use::Exists)
                })?;
                r.exists(read, query)
            }),
            LogicExpr::IsTrue(value) => {
                let value = self.deeper("$istrue", |r| r.value(scope, value))?;
                types::truth(&value).at("$istrue")?;
                logic::is_true(self.cx, value)
            }
            LogicExpr::Sql(node) => {
                let (fragment, sort) = self.fragment(scope, node)?;
                match sort {
                    FragmentSort::Predicate => Ok(Pred::Fragment(fragment)),
                    FragmentSort::Value(ty) => {
                        let kind = ScalarKind::Fragment(fragment);
                        logic::is_true(self.cx, Scalar { kind, ty, nullable: true, column: None, text: None })
                    }
                }
            }
        }
    }

    fn logics(
        &mut self,
        scope: &NameScope<'_, 'a>,
        items: &'e [LogicExpr],
    ) -> Result<bumpalo::collections::Vec<'a, Pred<'a, 'e>>> {
        let mut list = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            list.push(self.logic(scope, item).at_index(index)?);
        }
        Ok(list)
    }

    fn binary(&mut self, scope: &NameScope<'_, 'a>, node: &'e LogicBinaryExpr) -> Result<Pred<'a, 'e>> {
        use LogicOperator as O;
        let op = match node.operator {
            O::Equal => CompareOp::Equal,
            O::NotEqual => CompareOp::NotEqual,
            O::GreaterThan => CompareOp::Greater,
            O::GreaterThanOrEqual => CompareOp::GreaterOrEqual,
            O::LessThan => CompareOp::Less,
            O::LessThanOrEqual => CompareOp::LessOrEqual,
            O::IsDistinctFrom => CompareOp::Distinct,
            O::IsNotDistinctFrom => CompareOp::NotDistinct,
            O::In | O::NotIn => return self.in_list(scope, node, node.operator == O::NotIn),
            like => {
                let text = self.value(scope, &node.left).at("Left")?;
                let (pattern, known) = match &node.right {
                    ValueTypeExpr::Value(v) => (self.text_value(&v.value).at("Right")?, Some(v)),
                    other => (self.value(scope, other).at("Right")?, None),
                };
                // A constant is the same in all statements that are kept as this one.
                let slot = known.filter(|known| !known.is_const && self.cx.open.is_some());
                self.cx.searched_for = slot.map(|known| &known.value);
                let pred = text::match_text(self.cx, text, like, pattern);
                self.cx.searched_for = None;
                return pred;
            }
        };
        if let Some(pred) = self.of_period(scope, node, op)? {
            return Ok(pred);
        }
        if let (ValueTypeExpr::Property(property), ValueTypeExpr::Value(value)) = (&node.left, &node.right)
            && let Some(pred) = self.column_and_value(scope, property, op, value).at("Left")?
        {
            return Ok(pred);
        }
        let (left, right) = self.sides(scope, &node.left, &node.right, op)?;
        types::comparable(&left, &right)?;
        compare::compare(self.cx, left, op, right)
    }

    /// The leaf that most filters are made of: a column and a parameter that has its type already. It says what
    /// [`compare::compare`] would, without asking what cannot be the case.
    #[inline]
    fn column_and_value(
        &mut self,
        scope: &NameScope<'_, 'a>,
        property: &'e PropertyExpr,
        op: CompareOp,
        value: &'e ValueExpr,
    ) -> Result<Option<Pred<'a, 'e>>> {
        let empty = matches!(&value.value, Value::Text(text) if text.is_empty());
        let plain = !matches!(op, CompareOp::Distinct | CompareOp::NotDistinct)
            && !matches!((op, &value.value), (CompareOp::NotEqual, Value::Bool(_)));
        if empty || !plain || value.is_const || self.cx.constants_only || !self.lists.is_empty() {
            return Ok(None);
        }
        let left = scope::property(self.cx, scope, property)?;
        if !left.column.is_some_and(|column| column.keeps(&value.value)) {
            return Ok(None);
        }
        // On an engine that sends the type as text, the parameter is cast; on one that sorts it by another thing, both
        // sides are.
        if left.ty.is_some_and(|ty| self.cx.sent_as_text(ty)) || !sorted::sorts_itself(self.cx, &left) {
            return Ok(None);
        }
        sorted::no_large(self.cx, "a comparison", left.column)?;
        let (values, ty) = (std::slice::from_ref(&value.value), left.ty.unwrap_or_default());
        sorted::no_large_in(self.cx, "a comparison", values, ty)?;
        self.cx.params.set(self.cx.params.get() + 1);
        let mut bound = Bound::Tree(&value.value);
        if let (Some(open), Some(column)) = (&mut self.cx.open, left.column) {
            open.push((&value.value, Taker::Column(column)));
            bound = Bound::Open(&value.value);
        }
        let kind =
            ScalarKind::Param(Param { value: bound, untyped: false, cast: false, shared: false, repeated: false });
        let right = Scalar { kind, ty: left.ty, nullable: false, column: None, text: None };
        Ok(Some(Pred::Compare(self.cx.node(Compare { left, op, right }))))
    }

    /// Two values that stand side by side: a plain value takes the type of what is beside it.
    fn sides(
        &mut self,
        scope: &NameScope<'_, 'a>,
        left: &'e ValueTypeExpr,
        right: &'e ValueTypeExpr,
        op: CompareOp,
    ) -> Result<(Scalar<'a, 'e>, Scalar<'a, 'e>)> {
        match (left, right) {
            (ValueTypeExpr::Value(value), other) if !matches!(other, ValueTypeExpr::Value(_)) => {
                let right = self.value(scope, other).at("Right")?;
                let left = self.value_by(fit_of(compare::flip(op)), value, &right).at("Left")?;
                Ok((left, right))
            }
            (ValueTypeExpr::Set(l), ValueTypeExpr::Set(r))
                if l.join == ValueJoinType::List && r.join == ValueJoinType::List =>
            {
                let left = self.row_or_value(scope, left).at("Left")?;
                let fit = if op.is_of_order() { fit } else { fit_equal };
                let right = self.row_beside(scope, &r.items, &left, fit).at("Right")?;
                Ok((left, right))
            }
            (other, ValueTypeExpr::Value(value)) => {
                let left = self.value(scope, other).at("Left")?;
                let right = self.value_by(fit_of(op), value, &left).at("Right")?;
                Ok((left, right))
            }
            _ => Ok((self.value(scope, left).at("Left")?, self.value(scope, right).at("Right")?)),
        }
    }

    /// A row beside another: each plain value takes the type of what it is compared with.
    fn row_beside(
        &mut self,
        scope: &NameScope<'_, 'a>,
        items: &'e [ValueTypeExpr],
        beside: &Scalar<'a, 'e>,
        fit: Fit,
    ) -> Result<Scalar<'a, 'e>> {
        let columns = match beside.kind {
            ScalarKind::Row(columns) => columns,
            _ => &[],
        };
        let mut list = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let scalar = match (item, columns.get(index)) {
                (ValueTypeExpr::Value(value), Some(column)) => {
                    self.value_by(fit, value, column).at_index(index).at("List")?
                }
                _ => self.value(scope, item).at_index(index).at("List")?,
            };
            list.push(scalar);
        }
        let nullable = list.iter().any(|s| s.nullable);
        Ok(Scalar { kind: ScalarKind::Row(list.into_bump_slice()), ty: None, nullable, column: None, text: None })
    }

    fn in_list(&mut self, scope: &NameScope<'_, 'a>, node: &'e LogicBinaryExpr, negated: bool) -> Result<Pred<'a, 'e>> {
        let left = self.row_or_value(scope, &node.left).at("Left")?;
        json::no_json(self.cx, "IN", &[left]).at("Left")?;
        match &node.right {
            ValueTypeExpr::Value(value) => match &value.value {
                Value::List(values) => self.in_values(left, &value.value, values, negated).at("Right"),
                one => {
                    let why = "the right side of IN is a list, a row of values or a subquery";
                    let what = one.a_kind();
                    Err(ErrorKind::Misplaced { what, why }.into()).at("Right")
                }
            },
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::List => {
                if self.is_plain_list(&left, &set.items) {
                    return self.in_plain_list(left, &set.items, negated).at("Right");
                }
                let mut items = self.cx.vec(set.items.len());
                for (index, item) in set.items.iter().enumerate() {
                    let scalar = match item {
                        ValueTypeExpr::Value(value) => match (&value.value, left.kind) {
                            (Value::List(row), ScalarKind::Row(columns)) => self.plain_row(row, columns),
                            _ => self.value_by(fit_equal, value, &left),
                        },
                        ValueTypeExpr::Set(row) if row.join == ValueJoinType::List => {
                            self.row_beside(scope, &row.items, &left, fit_equal)
                        }
                        other => self.value(scope, other),
                    };
                    items.push(scalar.at_index(index).at("List").at("Right")?);
                }
                items.iter().try_for_each(|item| types::comparable(&left, item)).at("Right")?;
                list::in_scalars(self.cx, left, items.into_bump_slice(), negated).at("Right")
            }
            ValueTypeExpr::Query(query) => self.deeper("Right", |r| {
                let read = r.watch_written();
                let query = r.subquery(|r| {
                    let building = r.fold(query, Some(scope))?;
                    let wanted = match left.kind {
                        ScalarKind::Row(columns) => columns.len(),
                        _ => 1,
                    };
                    let columns = r.typed_columns(building)?;
                    if columns.len() != wanted {
                        let why = "it needs as many items as the left side of IN has values";
                        return Err(ErrorKind::Misplaced { what: "a subquery".into(), why }.into());
                    }
                    let one = [left];
                    let lefts = if let ScalarKind::Row(columns) = left.kind { columns } else { &one };
                    for (value, column) in lefts.iter().zip(columns) {
                        types::comparable(value, &Scalar { ty: column.ty, ..r.cx.null(None) })?;
                        dates::one_kind_in_query(r.cx, value.ty, column.ty)?;
                        sorted::no_large(r.cx, "IN of a subquery", column.column)?;
                    }
                    r.finish(building, chain::Use::Values)
                })?;
                if r.is_void(read, query) {
                    return Ok(Pred::Const(negated));
                }
                // In a write, a column of the outer row may have no qualifier.
                if negated
                    && r.written.is_none()
                    && let Some(pred) = query::not_in_exists(r.cx, left, query)?
                {
                    return Ok(pred);
                }
                let query = r.self_read(read, query)?;
                list::in_query(r.cx, left, query, negated)
            }),
            other => {
                let why = "the right side of IN is a list, a row of values or a subquery";
                self.value(scope, other).at("Right")?;
                Err(ErrorKind::Misplaced { what: "a value".into(), why }.into()).at("Right")
            }
        }
    }

    fn in_values(
        &mut self,
        left: Scalar<'a, 'e>,
        list: &'e Value,
        values: &'e [Value],
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        if let ScalarKind::Row(columns) = left.kind {
            let mut rows = self.cx.vec(values.len());
            for (index, value) in values.iter().enumerate() {
                let Value::List(row) = value else {
                    let why = "each item needs as many values as the left side";
                    return Err(ErrorKind::Misplaced { what: "a list of rows".into(), why }.into()).at_index(index);
                };
                rows.push(self.plain_row(row, columns).at_index(index)?);
            }
            return list::in_scalars(self.cx, left, rows.into_bump_slice(), negated);
        }
        // Beside something without a type, all of them take the widest of their own.
        let own = || call::common_type(values.iter().map(|value| value.natural_type().map(DbType::from)));
        let ty = left.ty.or_else(own).unwrap_or_default();
        // The values as they stand, as long as none needs a conversion.
        let mut made: Option<Vec<Value>> = None;
        let as_they_are = left.column.is_some_and(|column| column.keeps_all(values));
        let is_of_type = || left.column.is_none() && values.iter().all(|value| is_of(value, ty));
        match (&mut self.cx.open, left.column) {
            (Some(open), Some(column)) if as_they_are && !self.cx.constants_only => {
                open.push((list, Taker::Column(column)));
            }
            (Some(open), None) if is_of_type() && !self.cx.constants_only => open.push((list, Taker::Type(ty))),
            _ => self.cx.looked.set(true),
        }
        for (index, value) in values.iter().enumerate().skip(if as_they_are { values.len() } else { 0 }) {
            if matches!(value, Value::List(_) | Value::Map(_)) {
                return Err(list::no_list()).at_index(index);
            }
            self.finite(value).at_index(index)?;
            let fitted = fit_equal(value, left.column, Some(ty)).at_index(index)?;
            match (&mut made, fitted) {
                (None, Cow::Borrowed(_)) => {}
                (None, Cow::Owned(value)) => {
                    let mut all: Vec<Value> = values.iter().take(index).cloned().collect();
                    all.push(value);
                    made = Some(all);
                }
                (Some(all), value) => all.push(value.into_owned()),
            }
        }
        if self.cx.constants_only {
            let mut scalars = self.cx.vec(values.len());
            match made {
                None => scalars.extend(values.iter().map(|value| self.constant(value, Some(ty)))),
                Some(made) => scalars.extend(made.into_iter().map(|value| self.made_constant(value, Some(ty)))),
            }
            return list::in_scalars(self.cx, left, scalars.into_bump_slice(), negated);
        }
        if !self.cx.target.has(Feature::EmptyString) {
            let all = made.as_deref().unwrap_or(values);
            if all.iter().any(Value::is_empty) {
                let rest = all.iter().filter(|value| !value.is_empty()).cloned().collect();
                return list::in_with_empty(self.cx, left, rest, ty, negated);
            }
        }
        match made {
            None => list::in_array(self.cx, left, list, values, ty, negated),
            Some(values) => list::in_made(self.cx, left, values, ty, negated),
        }
    }

    /// Whether a list that was built item by item is better one list of values: a long one, and one with an empty text
    /// on an engine where that is NULL.
    fn is_plain_list(&self, left: &Scalar<'a, 'e>, items: &[ValueTypeExpr]) -> bool {
        let empty = |item: &ValueTypeExpr| matches!(item, ValueTypeExpr::Value(value) if value.value.is_empty());
        let plain = |item: &ValueTypeExpr| {
            matches!(item, ValueTypeExpr::Value(value)
                if !value.is_const && !matches!(value.value, Value::List(_) | Value::Map(_)))
        };
        let wanted = items.len() > self.cx.target.limits().in_list
            || !self.cx.target.has(Feature::EmptyString) && items.iter().any(empty);
        wanted && !self.cx.constants_only && !matches!(left.kind, ScalarKind::Row(_)) && items.iter().all(plain)
    }

    /// The same as a list of values.
    fn in_plain_list(
        &mut self,
        left: Scalar<'a, 'e>,
        items: &'e [ValueTypeExpr],
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        let values = || {
            items.iter().filter_map(|item| match item {
                ValueTypeExpr::Value(value) => Some(&value.value),
                _ => None,
            })
        };
        let own = || call::common_type(values().map(|value| value.natural_type().map(DbType::from)));
        let ty = left.ty.or_else(own).unwrap_or_default();
        let mut fitted = Vec::with_capacity(items.len());
        for (index, value) in values().enumerate() {
            self.finite(value).at_index(index)?;
            fitted.push(fit_equal(value, left.column, Some(ty)).at_index(index)?.into_owned());
        }
        if !self.cx.target.has(Feature::EmptyString) && fitted.iter().any(Value::is_empty) {
            fitted.retain(|value| !value.is_empty());
            return list::in_with_empty(self.cx, left, fitted, ty, negated);
        }
        list::in_made(self.cx, left, fitted, ty, negated)
    }

    fn plain_row(&mut self, row: &'e [Value], columns: &[Scalar<'a, 'e>]) -> Result<Scalar<'a, 'e>> {
        if row.len() != columns.len() {
            let why = "each item needs as many values as the left side";
            return Err(ErrorKind::Misplaced { what: "a list of rows".into(), why }.into());
        }
        let mut items = self.cx.vec(row.len());
        for (value, column) in row.iter().zip(columns) {
            items.push(self.bind_by(fit_equal, value, column)?);
        }
        let nullable = items.iter().any(|s| s.nullable);
        Ok(Scalar { kind: ScalarKind::Row(items.into_bump_slice()), ty: None, nullable, column: None, text: None })
    }
}

/// A value in the type of the column, or of the other value, that it meets.
pub(crate) fn fit<'v>(value: &'v Value, column: Option<&Column>, ty: Option<DbType>) -> Result<Cow<'v, Value>> {
    let fitted = match (column, ty) {
        (Some(column), _) => column.coerce(value),
        (None, Some(ty)) => crate::model::coerce(value, ty, None),
        (None, None) => return Ok(Cow::Borrowed(value)),
    };
    fitted.map_err(|bad| {
        let property = bad.property().map(ToString::to_string).unwrap_or_default();
        let why = if bad.why().is_empty() { String::new() } else { format!(": {}", bad.why()) };
        let ty =
            if bad.ty().array { format!("{} array", bad.ty().base.name()) } else { bad.ty().base.name().to_owned() };
        ErrorKind::BadValue { property, ty, value: format!("{}{why}", bad.value()) }.into()
    })
}

/// A value as [`fit`] gives it, that is compared for being equal: a time is cut to what the column keeps of it.
pub(crate) fn fit_equal<'v>(value: &'v Value, column: Option<&Column>, ty: Option<DbType>) -> Result<Cow<'v, Value>> {
    match column.and_then(|column| column.cut(value)) {
        Some(cut) => Ok(Cow::Owned(cut)),
        None => fit(value, column, ty),
    }
}

/// How the value on the right of a comparison becomes one of the type on its left.
fn fit_of(op: CompareOp) -> Fit {
    match op {
        CompareOp::Less | CompareOp::GreaterOrEqual => fit_up,
        CompareOp::Greater | CompareOp::LessOrEqual => fit_down,
        _ => fit_equal,
    }
}

/// A value as [`fit`] gives it. Beside whole numbers it is rounded up: `Id < 1.5` is `Id < 2`.
fn fit_up<'v>(value: &'v Value, column: Option<&Column>, ty: Option<DbType>) -> Result<Cow<'v, Value>> {
    fit_whole(value, column, ty, true)
}

/// A value as [`fit`] gives it. Beside whole numbers it is rounded down: `Id > 1.5` is `Id > 1`.
fn fit_down<'v>(value: &'v Value, column: Option<&Column>, ty: Option<DbType>) -> Result<Cow<'v, Value>> {
    fit_whole(value, column, ty, false)
}

fn fit_whole<'v>(value: &'v Value, column: Option<&Column>, ty: Option<DbType>, up: bool) -> Result<Cow<'v, Value>> {
    let is_whole = column.map_or(ty, |column| Some(column.ty)).is_some_and(|ty| ty.family() == Some(Family::Integer));
    if is_whole
        && column.is_none_or(|column| column.enum_values.is_none())
        && let Some(whole) = rounded(value, up)
    {
        return Ok(Cow::Owned(fit(&whole, column, ty)?.into_owned()));
    }
    fit(value, column, ty)
}

/// Rounds a number with a fraction up or down; returns `None` for other values.
fn rounded(value: &Value, up: bool) -> Option<Value> {
    match value {
        Value::Float(number) if number.is_finite() && number.fract() != 0.0 => {
            Some(if up { number.ceil() } else { number.floor() }.into())
        }
        Value::Decimal(number) => {
            let unit = 10_i128.checked_pow(number.scale().into())?;
            let has_fraction = number.mantissa().checked_rem_euclid(unit)? != 0;
            let down = number.mantissa().checked_div_euclid(unit)?;
            let whole = Decimal::new(down.checked_add(i128::from(up))?, 0).ok()?;
            has_fraction.then(|| whole.into())
        }
        _ => None,
    }
}
