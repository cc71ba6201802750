//! Set operations: their members, and the types of their columns.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::{Feature, Support};
use crate::error::{At, Error, ErrorKind, Result};
use crate::expr::{DbType, DbValueType, SelectExpr, SelectSetType};
use crate::frame::{Body, Call, Items, Literal, Query, Scalar, ScalarKind, Source};
use crate::legalize::{Cx, Rule, call, cast, dates, digits, exact, is_text, json, set, sorted};
use crate::model::{Column, TextMode};
use crate::render::Prec;

use super::chain::{Building, Stage, Use};
use super::scope::{NameScope, OutCol};
use super::{Matters, Resolver, types};

/// How many members a set operation has at most: each is one level deeper.
const MEMBERS: usize = 1000;

/// A member of a set operation, with its columns.
type Member<'a, 'e> = (&'a mut Building<'a, 'e>, &'a [OutCol<'a>]);

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A select, or a set operation of several.
    pub(crate) fn select(
        &mut self,
        node: &'e SelectExpr,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        if node.next_selects.len() > MEMBERS {
            let why = "it has more than 1,000 members: use UNION ALL of derived tables, or a list of values";
            return Err(ErrorKind::Misplaced { what: "a set operation".into(), why }.into());
        }
        if node.next_selects.is_empty() {
            return self.one_select(node, parent);
        }
        // Members have no order but that of a page, and a row may be in several of them.
        self.mattering(Matters::Rows, |r| r.set(node, parent))
    }

    fn set(&mut self, node: &'e SelectExpr, parent: Option<&NameScope<'_, 'a>>) -> Result<&'a mut Building<'a, 'e>> {
        let first = self.one_select(node, parent)?;
        let (count, limit) = (node.next_selects.len() + 1, self.cx.target.dialect().sheet().limits.set_members);
        if count > limit {
            let reason = format!("it takes at most {limit}: make derived tables of some of them");
            return Err(self.cx.target.refused(format!("a set operation of {count} members"), reason));
        }
        let columns = self.columns(first)?;
        self.ctes.anchor(columns);
        let mut members: BumpVec<'a, Member<'a, 'e>> = self.cx.vec(node.next_selects.len() + 1);
        members.push((first, columns));
        let columns = loop {
            let known = members.first().map_or(0, |(_, columns)| columns.len());
            for (index, next) in node.next_selects.iter().enumerate() {
                let member = self.deeper("Next", |r| r.select(&next.select, parent).at_index(index))?;
                let others = self.columns(member)?;
                if known != others.len() {
                    let why = "both sides need the same number of columns";
                    return Err(ErrorKind::Misplaced { what: "a set operation".into(), why }.into());
                }
                members.push((member, others));
            }
            let columns = self.common_columns(&members);
            // What a round of a recursion may leave NULL is NULL for the next one, and so are texts by code points: the
            // members are resolved anew.
            if self.ctes.defines_itself(node) && self.ctes.learns(columns) {
                members.truncate(1);
                continue;
            }
            break columns;
        };
        if self.ctes.defines_itself(node) {
            self.recursive_types(&mut members)?;
        } else if (members.len() > 2 || members.iter().any(|(member, _)| settles_its_types(member)))
            && ![Feature::UntypedParameter, Feature::UntypedNull].iter().all(|feature| self.cx.target.has(*feature))
        {
            // The types are found pair by pair: of two NULLs, none.
            self.typed_nulls(&mut members, columns)?;
        }
        if !self.cx.target.has(Feature::DecimalDigits) {
            for index in 0..columns.len() {
                let mut values = self.cx.vec(members.len());
                values.extend(members.iter().map(|(member, columns)| value_of(self.cx, member, columns, index)));
                digits::common_digits(self.cx, &values)?;
            }
        }
        let mut members = members.into_iter();
        let Some((first, own)) = members.next() else {
            return Err(ErrorKind::Misplaced { what: "a set operation".into(), why: "it has no member" }.into());
        };
        for (column, own) in columns.iter().zip(own) {
            types::one_type(column.ty, own.ty)?;
            dates::one_kind(self.cx, "a column of a set operation", column.ty, own.ty)?;
        }
        let mut building = first;
        for (next, (member, others)) in node.next_selects.iter().zip(members) {
            for (column, other) in columns.iter().zip(others) {
                types::one_type(column.ty, other.ty)?;
                dates::one_kind(self.cx, "a column of a set operation", column.ty, other.ty)?;
            }
            if next.set_type != SelectSetType::UnionAll {
                for column in columns.iter().chain(others) {
                    json::no_json_type(self.cx, "a set operation other than UNION ALL", column.ty)?;
                    sorted::no_large(self.cx, "a set operation other than UNION ALL", column.column)?;
                }
            }
            let (left, right) = (self.set_member(building)?, self.set_member(member)?);
            let body = set::set_operation(self.cx, next.set_type, left, right)?;
            building = self.building(None);
            building.set = Some((body, columns));
            building.stage = Stage::Having;
        }
        Ok(building)
    }

    fn set_member(&mut self, building: &'a mut Building<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
        if self.cx.target.has(Feature::SetMemberParentheses) {
            return self.finish(building, Use::Rows);
        }
        // A member that may become a derived table names its columns.
        if building.limit.is_some() || building.offset.is_some() {
            let columns = self.columns(building)?;
            self.no_twins(building, columns)?;
        }
        self.finish(building, Use::Table)
    }

    /// The columns of the first member, as what all members make of them.
    fn common_columns(&self, members: &[Member<'a, 'e>]) -> &'a [OutCol<'a>] {
        let Some(((_, first), others)) = members.split_first() else { return &[] };
        let mut columns = self.cx.vec(first.len());
        for (index, column) in first.iter().enumerate() {
            let mut column = *column;
            for other in others.iter().filter_map(|(_, others)| others.get(index)) {
                column.nullable |= other.nullable;
                column.ty = call::common_type([column.ty, other.ty].into_iter());
                // Of a decimal or a time, the digits are those of the first only if all have them.
                let digits = |column: &Column| column.fraction().or(column.seconds());
                let others = other.column.and_then(digits);
                column.column = column.column.filter(|own| digits(own).is_none_or(|own| Some(own) == others));
                let sized = is_text(column.ty) || column.ty == Some(DbValueType::Binary.into());
                if sized && column.column.is_some_and(|own| own.enum_values.is_none()) {
                    column.column = longer(column.column, other.column);
                }
            }
            let members = members.iter().filter_map(|(_, columns)| columns.get(index));
            column.text = self.common_text(members);
            columns.push(column);
        }
        columns.into_bump_slice()
    }

    /// What a text of all members is compared by: what their columns say, if they all say one.
    fn common_text<'m>(&self, members: impl Iterator<Item = &'m OutCol<'a>> + Clone) -> Option<TextMode>
    where
        'a: 'm,
    {
        if !exact::texts_exact(self.cx) {
            return None;
        }
        let mut values = members.map(|column| column.by_name(self.cx)).filter(|value| is_text(value.ty));
        let first = values.next()?;
        let own = |value: &Scalar<'a, 'e>| {
            (exact::text_mode(self.cx, value), value.collation().map(|collation| &collation.name))
        };
        let mut exact = exact::text_mode(self.cx, &first) == Some(TextMode::Exact);
        let mut one = first.text.is_none();
        for value in values {
            one &= value.text.is_none() && own(&value) == own(&first);
            exact |= exact::text_mode(self.cx, &value) == Some(TextMode::Exact);
        }
        (!one).then_some(if exact { TextMode::Exact } else { TextMode::Database })
    }

    /// NULLs among the members get the type of their column in the others.
    ///
    /// ```sql
    /// -- before                                                         -- after
    /// SELECT NULL UNION ALL SELECT NULL UNION ALL SELECT "OrderDate"   SELECT CAST(NULL AS date) UNION ALL ...
    /// ```
    fn typed_nulls(&mut self, members: &mut [Member<'a, 'e>], columns: &[OutCol<'a>]) -> Result<()> {
        for (member, own) in members {
            if let Some((body, _)) = &mut member.set
                && own.iter().zip(columns).any(|(own, column)| own.ty.is_none() && column.ty.is_some())
            {
                *body = self.typed_nulls_of(*body, columns)?;
            }
            for (item, column) in member.items.iter_mut().flatten().zip(columns) {
                item.value = self.typed_null(item.value, column)?;
            }
        }
        Ok(())
    }

    /// The same in the members of a member.
    fn typed_nulls_of(&mut self, body: Body<'a, 'e>, columns: &[OutCol<'a>]) -> Result<Body<'a, 'e>> {
        let select = match body {
            Body::Set { op, left, right } => {
                let mut typed = |query: &'a Query<'a, 'e>| {
                    let body = self.typed_nulls_of(query.body, columns)?;
                    Ok::<_, Error>(self.cx.node(Query { body, ..*query }))
                };
                return Ok(Body::Set { op, left: typed(left)?, right: typed(right)? });
            }
            Body::Select(select) => select,
        };
        let mut typed = *select;
        match select.items {
            Items::List(items) => {
                let mut list = self.cx.copied(items);
                for (item, column) in list.iter_mut().zip(columns) {
                    item.value = self.typed_null(item.value, column)?;
                }
                typed.items = Items::List(list.into_bump_slice());
            }
            Items::One => {}
            Items::Text(_) => {
                if let Some(Source::Derived { query, alias }) = select.from {
                    let body = self.typed_nulls_of(query.body, columns)?;
                    typed.from = Some(Source::Derived { query: self.cx.node(Query { body, ..*query }), alias });
                }
            }
        }
        Ok(Body::Select(self.cx.node(typed)))
    }

    fn typed_null(&mut self, value: Scalar<'a, 'e>, column: &OutCol<'a>) -> Result<Scalar<'a, 'e>> {
        match column.ty {
            Some(ty) if is_null(&value) => self.made_wide(value, ty),
            _ => Ok(value),
        }
    }

    /// The columns of a recursive query have the types of its first member, whatever its rounds make of them: where one
    /// is computed, it is made wide enough.
    ///
    /// ```sql
    /// -- before                                          -- after
    /// SELECT "Id", "Name" ...                            SELECT "Id", CAST("Name" AS text) ...
    /// UNION ALL SELECT c."Id", t."Path" || c."Name" ...  UNION ALL SELECT c."Id", t."Path" || c."Name" ...
    /// ```
    fn recursive_types(&mut self, members: &mut [Member<'a, 'e>]) -> Result<()> {
        let every = match self.cx.target.support(Feature::RecursiveTypes) {
            Support::Native => return Ok(()),
            support => support == Support::Expand(Rule::RecursiveCastAll),
        };
        let count = members.first().map_or(0, |(_, columns)| columns.len());
        for index in 0..count {
            let mut values = self.cx.vec(members.len());
            values.extend(members.iter().map(|(member, columns)| value_of(self.cx, member, columns, index)));
            let Some(ty) = self.widened(&values) else { continue };
            self.cx.rule_for(Feature::RecursiveTypes)?;
            if ty.base.is_decimal() {
                // What its rounds compute of it has more digits than the column that it began with.
                self.cx.rule_for(Feature::DecimalDigits)?;
            }
            for (place, (member, _)) in members.iter_mut().enumerate() {
                if place > 0 && !every || member.set.is_some() {
                    continue;
                }
                if member.items.is_none() {
                    let items = self.all_items(member);
                    member.items = Some(items);
                }
                if let Some(item) = member.items.iter_mut().flatten().nth(index) {
                    item.value = self.made_wide(item.value, ty)?;
                }
            }
        }
        Ok(())
    }

    /// The type that a column of a recursive query has to be made, if its members are not the same anyway.
    fn widened(&self, values: &[Scalar<'a, 'e>]) -> Option<DbType> {
        let first = values.first()?;
        let same_column = |value: &Scalar<'a, 'e>| {
            matches!((value.column, first.column), (Some(a), Some(b)) if std::ptr::eq(a, b))
                && matches!(value.kind, ScalarKind::Column(_))
        };
        if values.iter().all(same_column) {
            return None;
        }
        let ty = call::common_type(values.iter().map(|value| value.ty))?;
        let text = values.iter().filter_map(|value| value.ty).find(|ty| ty.base.is_text());
        let ty = text.unwrap_or(ty);
        let wide = ty.base.is_text() || ty.base.is_decimal();
        let other = values.iter().any(|value| value.ty != Some(ty) || is_null(value));
        (!ty.array && (wide || other)).then_some(ty)
    }

    /// A value in the widest form of a type.
    fn made_wide(&mut self, value: Scalar<'a, 'e>, ty: DbType) -> Result<Scalar<'a, 'e>> {
        let value = match value.ty {
            Some(own) if own != ty && own.base.is_text() != ty.base.is_text() => cast::cast(self.cx, value, ty)?,
            _ => value,
        };
        let dialect = self.cx.target.dialect();
        let name = dialect.wide_type(ty).map_or_else(|| dialect.cast_type(ty), Ok)?;
        let spelling = call::made_spelling(self.cx, &format!("CAST({{0}} AS {name})"))?;
        let args = self.cx.slice(&[value]);
        let call = Call::spelled(spelling, Prec::Atom, args);
        let kind = ScalarKind::Call(self.cx.node(call));
        Ok(Scalar { kind, ty: Some(ty), nullable: value.nullable, column: None, text: None })
    }
}

/// What a member has in a column.
pub(super) fn value_of<'a, 'e>(
    cx: &Cx<'a, 'e>,
    member: &Building<'a, 'e>,
    columns: &[OutCol<'a>],
    index: usize,
) -> Scalar<'a, 'e> {
    if let Some(item) = member.items.iter().flatten().nth(index) {
        return item.value;
    }
    match columns.get(index) {
        Some(column) => column.by_name(cx),
        None => Scalar { kind: ScalarKind::Literal(Literal::Null), ty: None, nullable: true, column: None, text: None },
    }
}

/// Returns whether the member groups, sorts or deduplicates rows, or is itself a set: the engine gives its NULLs a type before
/// it sees the other members.
fn settles_its_types(member: &Building<'_, '_>) -> bool {
    let is_page = member.limit.is_some() || member.offset.is_some() || !member.order.is_empty();
    is_page || member.distinct || !member.distinct_on.is_empty() || !member.group.is_empty() || member.set.is_some()
}

/// Whether it is NULL without a type.
fn is_null(value: &Scalar<'_, '_>) -> bool {
    matches!(value.kind, ScalarKind::Literal(Literal::Null))
}

/// The column with the longer texts or bytes of two, of which one without a length has any. None if one of them is computed,
/// unless the other's are long anyway.
fn longer<'a>(one: Option<&'a Column>, other: Option<&'a Column>) -> Option<&'a Column> {
    if let Some(large) =
        [one, other].into_iter().flatten().find(|column| column.is_large_text() || column.is_large_binary())
    {
        return Some(large);
    }
    let (one, other) = (one?, other?);
    let length = |column: &Column| column.length.unwrap_or(u32::MAX);
    Some(if length(other) > length(one) { other } else { one })
}
