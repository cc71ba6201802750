//! IN.

use std::fmt::Write as _;

use crate::dialect::{Feature, JsonDateTime, Spelling};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Bound, CompareOp, In, InList, Param, Pred, Query, Scalar, ScalarKind};
use crate::functions::Func;

use super::{Cx, Rule, typed_by};

impl<'a, 'e> Cx<'a, 'e> {
    /// `left IN (values)`, the values plain and of the type already.
    pub(crate) fn in_values(
        &mut self,
        left: Scalar<'a, 'e>,
        values: &'e [Value],
        ty: DbType,
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        if values.is_empty() {
            return Ok(Pred::Const(negated));
        }
        let list = if self.packs(&left, values.len(), ty, negated) { self.array(values, ty)? } else { None };
        if let Some(list) = list {
            return Ok(self.in_node(left, list, negated));
        }
        let limit = self.target.dialect().sheet().limits.in_items;
        if values.len() <= limit {
            return Ok(self.in_node(left, InList::Values(values, ty), negated));
        }
        // Only the predicate is split, inside of the statement: OR for IN, AND for NOT IN.
        let mut parts = self.vec(values.len() / limit.max(1) + 1);
        for chunk in values.chunks(limit.max(1)) {
            parts.push(self.in_node(left, InList::Values(chunk, ty), negated));
        }
        Ok(if negated { self.all(&parts) } else { self.any(&parts) })
    }

    /// `left IN (values)` for values that had to be converted.
    pub(crate) fn in_made(
        &mut self,
        left: Scalar<'a, 'e>,
        values: Vec<Value>,
        ty: DbType,
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        self.no_large_in("a list", &values, ty)?;
        let count = values.len();
        if self.packs(&left, count, ty, negated) {
            match self.rule_for(Feature::ArrayParameter)? {
                None => {
                    let array = Value::List(values.into());
                    let list = InList::Array(self.made_param(array), ty, count);
                    return Ok(self.in_node(left, list, negated));
                }
                Some(Rule::ArrayAsJson) => {
                    let date_time = self.target.dialect().json_date_time();
                    let json = json_list(&values, self.sent_as_text(ty), date_time)?;
                    let list = InList::Array(self.made_param(json), ty, count);
                    return Ok(self.in_node(left, list, negated));
                }
                Some(_) => {}
            }
        }
        let mut scalars = self.vec(values.len());
        for value in values {
            let scalar = match value {
                Value::Null => self.null(Some(ty)),
                value if self.sent_as_text(ty) => self.made(value, Some(ty)),
                value => super::typed(self.made(value, Some(ty))),
            };
            scalars.push(scalar);
        }
        self.in_scalars(left, scalars.into_bump_slice(), negated)
    }

    /// `left IN ('', values)`, on an engine that stores NULL for the empty text.
    ///
    /// ```sql
    /// -- before                 -- after
    /// a IN ('x', '')            a IN ('x') OR a IS NULL
    /// a NOT IN ('x', '')        a NOT IN ('x') AND a IS NOT NULL
    /// ```
    ///
    /// As it stood, the second one would be true of no row.
    pub(crate) fn in_with_empty(
        &mut self,
        left: Scalar<'a, 'e>,
        rest: Vec<Value>,
        ty: DbType,
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        self.rule_for(Feature::EmptyString)?;
        let listed = if rest.is_empty() { Pred::Const(negated) } else { self.in_made(left, rest, ty, negated)? };
        let empty = self.is_null_pred(left, negated);
        Ok(if negated { self.all(&[listed, empty]) } else { self.any(&[listed, empty]) })
    }

    /// Whether it is the empty text on an engine that stores NULL for it.
    fn is_empty_here(&self, scalar: &Scalar<'a, 'e>) -> bool {
        matches!(self.value_of(scalar), Some(Value::Text(text)) if text.is_empty())
            && !self.target.has(Feature::EmptyString)
    }

    /// Rows of a list that hold the empty text, on an engine that stores NULL for it: compared column by column.
    ///
    /// ```sql
    /// -- before                          -- after
    /// (a, b) IN ((1, ''), (2, 'x'))      (a, b) IN ((2, 'x')) OR a = 1 AND b IS NULL
    /// ```
    fn in_rows_with_empty(
        &mut self,
        left: Scalar<'a, 'e>,
        columns: &'a [Scalar<'a, 'e>],
        rows: &'a [Scalar<'a, 'e>],
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        let mut rest = self.vec(rows.len());
        let mut any = self.vec(1);
        for row in rows {
            match row.kind {
                ScalarKind::Row(items) if items.iter().any(|item| self.is_empty_here(item)) => {
                    let mut all = self.vec(items.len());
                    for (column, item) in columns.iter().zip(items) {
                        all.push(self.compare(*column, CompareOp::Equal, *item)?);
                    }
                    any.push(self.all(&all));
                }
                _ => rest.push(*row),
            }
        }
        if !rest.is_empty() {
            any.push(self.in_rows(left, columns, rest.into_bump_slice(), false)?);
        }
        let pred = self.any(&any);
        Ok(if negated { self.not(pred) } else { pred })
    }

    /// `left IN (expressions)`.
    pub(crate) fn in_scalars(
        &mut self,
        left: Scalar<'a, 'e>,
        items: &'a [Scalar<'a, 'e>],
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        if items.is_empty() {
            return Ok(Pred::Const(negated));
        }
        if let ScalarKind::Row(columns) = left.kind {
            return self.in_rows(left, columns, items, negated);
        }
        for item in items {
            self.no_large_value("a list", item)?;
        }
        if items.iter().any(|item| self.is_empty_here(item)) {
            self.rule_for(Feature::EmptyString)?;
            let mut rest = self.vec(items.len());
            rest.extend(items.iter().copied().filter(|item| !self.is_empty_here(item)));
            let listed = self.in_scalars(left, rest.into_bump_slice(), negated)?;
            let empty = self.is_null_pred(left, negated);
            return Ok(if negated { self.all(&[listed, empty]) } else { self.any(&[listed, empty]) });
        }
        let mut left = left;
        let items = {
            let mut list = self.vec(items.len() + 1);
            list.extend(items.iter().map(|item| typed_by(*item, &left)));
            if items.iter().any(|item| item.ty != left.ty) {
                list.push(left);
                self.same_dates(&mut list)?;
                left = list.pop().unwrap_or(left);
            }
            list.into_bump_slice()
        };
        let limit = self.target.dialect().sheet().limits.in_items.max(1);
        let mut parts = self.vec(items.len() / limit + 1);
        for chunk in items.chunks(limit) {
            parts.push(self.in_node(left, InList::Scalars(chunk), negated));
        }
        Ok(if negated { self.all(&parts) } else { self.any(&parts) })
    }

    /// `(a, b) IN ((1, 2), (3, 4))`
    ///
    /// ```sql
    /// -- after
    /// a = 1 AND b = 2 OR a = 3 AND b = 4
    /// ```
    ///
    /// Exact. The statement grows with the list.
    fn in_rows(
        &mut self,
        left: Scalar<'a, 'e>,
        columns: &'a [Scalar<'a, 'e>],
        rows: &'a [Scalar<'a, 'e>],
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        let mut typed_rows = self.vec(rows.len());
        for row in rows {
            match row.kind {
                ScalarKind::Row(items) if items.len() == columns.len() => {
                    let mut list = self.vec(items.len());
                    list.extend(items.iter().zip(columns).map(|(item, column)| typed_by(*item, column)));
                    typed_rows.push(Scalar { kind: ScalarKind::Row(list.into_bump_slice()), ..*row });
                }
                _ => return Err(Self::misplaced("a list of rows", "each item needs as many values as the left side")),
            }
        }
        let rows = typed_rows.into_bump_slice();
        let with_empty = |row: &Scalar<'a, 'e>| matches!(row.kind, ScalarKind::Row(items) if items.iter().any(|item| self.is_empty_here(item)));
        if rows.iter().any(with_empty) {
            return self.in_rows_with_empty(left, columns, rows, negated);
        }
        if self.rule_for(Feature::TupleIn)?.is_none() {
            self.rule_for(Feature::TupleInList)?;
            let limit = self.target.dialect().sheet().limits.in_items.max(1);
            let mut parts = self.vec(rows.len() / limit + 1);
            for chunk in rows.chunks(limit) {
                parts.push(self.in_node(left, InList::Scalars(chunk), negated));
            }
            return Ok(if negated { self.all(&parts) } else { self.any(&parts) });
        }
        let mut any = self.vec(rows.len());
        for row in rows {
            let ScalarKind::Row(items) = row.kind else { continue };
            let mut all = self.vec(items.len());
            for (column, item) in columns.iter().zip(items) {
                all.push(self.compare(*column, CompareOp::Equal, *item)?);
            }
            any.push(self.all(&all));
        }
        let pred = self.any(&any);
        Ok(if negated { self.not(pred) } else { pred })
    }

    /// `left IN (SELECT ...)`; the query has been made legal.
    pub(crate) fn in_query(
        &mut self,
        left: Scalar<'a, 'e>,
        query: &'a Query<'a, 'e>,
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        if let ScalarKind::Row(columns) = left.kind
            && self.rule_for(Feature::TupleIn)? == Some(Rule::TupleInOr)
        {
            return self.in_query_rows(columns, query, negated);
        }
        let left = self.looked_for(left)?;
        let query = self.limit_in_subquery(query)?;
        let found = self.in_node(left, InList::Query(query), negated);
        self.over_query(found)
    }

    /// What `IN` looks for in a query, where it is one itself or holds one.
    fn looked_for(&mut self, left: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        match left.kind {
            ScalarKind::Query(_) if self.rule_for(Feature::QueryInQuery)?.is_some() => {
                Ok(self.spelled(Func::Coalesce, const { &Spelling::new("COALESCE({0})") }, left))
            }
            ScalarKind::Row(_) if self.any_part(&left, &mut |_, part| part.is_query()) => {
                self.need(Feature::RowOfQueryInQuery)?;
                Ok(left)
            }
            _ => Ok(left),
        }
    }

    pub(crate) fn in_node(&self, left: Scalar<'a, 'e>, list: InList<'a, 'e>, negated: bool) -> Pred<'a, 'e> {
        if let InList::Values(values, _) = list {
            self.params.set(self.params.get() + values.len());
        }
        Pred::In(self.node(In { left, list, negated, exact: None }))
    }

    /// Whether a list is long enough to go into one parameter, and better off there.
    fn packs(&mut self, left: &Scalar<'a, 'e>, len: usize, ty: DbType, negated: bool) -> bool {
        if len <= self.target.limits().in_list || !transportable(ty) {
            return false;
        }
        // A GUID is a text where it has no type of its own.
        let text = ty.base.is_text() || ty.base == DbValueType::Guid;
        let apart = text && (negated || !self.context.get().by_and || left.column.is_none());
        let feature = if self.changes && !self.target.has(Feature::ArrayInChange) {
            Feature::ArrayInChange
        } else if self.context.get().in_join && !self.target.has(Feature::ArrayInJoin) {
            Feature::ArrayInJoin
        } else if apart && !self.target.has(Feature::ArrayOfTexts) {
            Feature::ArrayOfTexts
        } else {
            return true;
        };
        // The other half is for what else the statement binds.
        if self.params.get() + len > self.target.dialect().sheet().limits.parameters / 2 {
            return true;
        }
        self.note(feature, Rule::ListOneByOne);
        false
    }

    /// The list in one parameter, on engines that can.
    fn array(&mut self, values: &'e [Value], ty: DbType) -> Result<Option<InList<'a, 'e>>> {
        Ok(match self.target.support(Feature::ArrayParameter) {
            // Borrowing the whole list: the parameter is the list's own node, found by the caller.
            crate::dialect::Support::Native => None,
            crate::dialect::Support::Expand(Rule::ArrayAsJson) => {
                self.note(Feature::ArrayParameter, Rule::ArrayAsJson);
                self.looked.set(true);
                let json = json_list(values, self.sent_as_text(ty), self.target.dialect().json_date_time())?;
                Some(InList::Array(self.made_param(json), ty, values.len()))
            }
            _ => None,
        })
    }

    /// `left IN (list)` where the engine takes an array: the list is bound as it stands in the tree.
    pub(crate) fn in_array(
        &mut self,
        left: Scalar<'a, 'e>,
        list: &'e Value,
        values: &'e [Value],
        ty: DbType,
        negated: bool,
    ) -> Result<Pred<'a, 'e>> {
        self.no_large_in("a list", values, ty)?;
        let long = self.packs(&left, values.len(), ty, negated);
        if long && self.target.has(Feature::ArrayParameter) {
            let bound = if self.open.is_some() { Bound::Open(list) } else { Bound::Tree(list) };
            let param = Param { value: bound, untyped: false, cast: false, shared: false, repeated: false };
            return Ok(self.in_node(left, InList::Array(param, ty, values.len()), negated));
        }
        if self.sent_as_text(ty) && !long {
            self.looked.set(true);
            let mut items = self.vec(values.len());
            items.extend(values.iter().map(|value| self.param(value, Some(ty))));
            return self.in_scalars(left, items.into_bump_slice(), negated);
        }
        self.in_values(left, values, ty, negated)
    }

    fn made_param(&mut self, value: Value) -> Param<'e> {
        let index = u32::try_from(self.made.len()).unwrap_or(u32::MAX);
        self.made.push(value);
        Param { value: Bound::Made(index), untyped: false, cast: false, shared: false, repeated: false }
    }

    /// An error for a list in the place of one value.
    pub(crate) fn no_list() -> crate::Error {
        ErrorKind::Unbindable { kind: "list", hint: ": it stands on the right of IN only, or beside an array" }.into()
    }
}

/// Whether values of the type come out of a JSON text as they went in.
fn transportable(ty: DbType) -> bool {
    use DbValueType as T;
    !ty.array
        && (ty.base.is_integer()
            || ty.base.is_text()
            || matches!(ty.base, T::Guid | T::Date | T::DateTime | T::DateTime2 | T::Decimal | T::Boolean))
}

/// The values as a JSON array: numbers and truth values bare, everything else as text. Decimals are text, too, where
/// a JSON number is a double.
fn json_list(values: &[Value], decimals_as_text: bool, date_time: JsonDateTime) -> Result<Value> {
    let mut text = String::with_capacity(values.len() * 8 + 2);
    text.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        let _ = match value {
            Value::Null => write!(text, "null"),
            Value::Bool(b) => write!(text, "{b}"),
            Value::Int(n) => write!(text, "{n}"),
            Value::UInt(n) => write!(text, "{n}"),
            Value::Decimal(n) if decimals_as_text => write!(text, "\"{n}\""),
            Value::Decimal(n) => write!(text, "{n}"),
            Value::Text(t) => {
                json_text(&mut text, t);
                Ok(())
            }
            Value::Uuid(u) => write!(text, "\"{u}\""),
            Value::Date(d) => write!(text, "\"{d}\""),
            Value::DateTime(t) => date_time.write(&mut text, *t),
            other => {
                return Err(ErrorKind::Unbindable { kind: other.kind(), hint: " in a list as one parameter" }.into());
            }
        };
    }
    text.push(']');
    Ok(Value::Json(text.into()))
}

/// A JSON string.
pub(crate) fn json_text(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}
