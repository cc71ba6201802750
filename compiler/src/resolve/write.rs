//! UPDATE and DELETE, and what INSERT shares with them.

use std::cell::Cell;

use crate::dialect::{Feature, Returned};
use crate::error::{At, ErrorKind, Result};
use crate::expr::{
    DeleteExpr, LogicExpr, LogicOperator, Name, PropertyExpr, SelectItemExpr, TableExpr, UpdateExpr, Value,
    ValueTypeExpr,
};
use crate::frame::{Assign, Delete, Item, Joined, Pred, Scalar, ScalarKind, Source, Statement, TargetColumn, Update};
use crate::legalize::{list, logic, subquery, typed, write};
use crate::model::{Column, ColumnMode, Entity, EntityId, Property};
use crate::walk::{ExprRef, VisitOrder, visit_while};

use super::chain::Use;
use super::constant::{chooses_nothing, compares_constants};
use super::insert::plain;
use super::logic::fit_equal;
use super::scope::{NameScope, Src, SrcKind, Style};
use super::source::entity;
use super::{Resolver, scope, types};

/// The table of a write.
pub(super) struct Written<'a, 'e> {
    pub(super) id: EntityId,
    pub(super) entity: &'a Entity,
    pub(super) source: Src<'a>,
    pub(super) name: &'a str,
    /// The columns whose value the fixed filter says, each with that value.
    pub(super) fixed: Vec<(usize, Value)>,
    /// On an engine that takes joins in a write: the table with what is joined to it.
    joined: Option<Joined<'a, 'e>>,
}

impl<'a> Written<'a, '_> {
    /// The table of a statement that something else writes.
    pub(super) fn around(id: EntityId, entity: &'a Entity, source: Src<'a>, name: &'a str) -> Self {
        Self { id, entity, source, name, fixed: Vec::new(), joined: None }
    }

    /// The value that the fixed filter says of a column.
    pub(super) fn fixed_value(&self, column: usize) -> Option<&Value> {
        self.fixed.iter().find(|(at, _)| *at == column).map(|(_, value)| value)
    }

    /// An error unless the column may have that value; a computed one may not, as nobody knows it.
    pub(super) fn keeps_fixed(&self, column: usize, given: Option<&Value>, word: &'static str) -> Result<()> {
        let Some(fixed) = self.fixed_value(column) else { return Ok(()) };
        let column = self.entity.columns.get(column);
        if let (Some(column), Some(given)) = (column, given)
            && *fit_equal(given, Some(column), Some(column.ty))? == *fixed
        {
            return Ok(());
        }
        let name = column.map_or("", |column| column.name.as_str());
        let why = format!("its fixed filter says the value of `{name}`, and this may be another one: leave it out");
        Err(bad(word, self.entity, why))
    }
}

/// What the fixed filter says of single columns: `State = 1`.
pub(crate) fn fixed_values(entity: &Entity, word: &'static str) -> Result<Vec<(usize, Value)>> {
    let mut found = Vec::new();
    let Some(filter) = &entity.fixed_filter else { return Ok(found) };
    let mut open = vec![filter];
    while let Some(term) = open.pop() {
        let comparison = match term {
            LogicExpr::And(node) => {
                open.extend(node.items.iter().rev());
                continue;
            }
            LogicExpr::Binary(comparison) if comparison.operator == LogicOperator::Equal => comparison,
            _ => continue,
        };
        let ((ValueTypeExpr::Property(property), ValueTypeExpr::Value(constant))
        | (ValueTypeExpr::Value(constant), ValueTypeExpr::Property(property))) = (&comparison.left, &comparison.right)
        else {
            continue;
        };
        let Some((at, column)) = entity.column(property.name.as_str()) else { continue };
        let value = fit_equal(&constant.value, Some(column), Some(column.ty))?.into_owned();
        match found.iter().find(|(other, _)| *other == at) {
            None => found.push((at, value)),
            Some((_, other)) if *other == value => {}
            Some(_) => {
                let why = format!("its fixed filter says two values of `{}`", column.name);
                return Err(bad(word, entity, why));
            }
        }
    }
    Ok(found)
}

pub(super) fn bad(statement: &'static str, entity: &Entity, why: String) -> crate::Error {
    ErrorKind::BadStatement { statement, entity: entity.name.to_string(), why }.into()
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// The table that is written. Its columns stand without a qualifier, or behind an alias where the dialect wants one.
    pub(super) fn written(&mut self, table: &'e TableExpr, word: &'static str) -> Result<Written<'a, 'e>> {
        let (id, _) = entity(self.cx.target, table.entity.as_str()).at("$table")?;
        let catalog = self.cx.target.catalog();
        if let Some(root) = self.root
            && catalog.table_of(root) != catalog.table_of(id)
        {
            let root = catalog.get(root).name.to_string();
            return Err(ErrorKind::OtherRoot { root, entity: table.entity.to_string() }.into());
        }
        // What comes after it is of subqueries.
        self.root_open = false;
        let (entity, texts) = self.texts(id)?;
        let args = self.args_or(entity, Some(&table.table_args)).at("$table")?;
        let name = self.table_name(entity, texts, args)?;
        let kind = SrcKind::Entity { id, entity, texts, style: Style::Bare(name), args, joins: &[] };
        let alias = table.alias.as_ref().map_or("T0", |alias| alias.as_str());
        let off = &table.filters_off;
        let source = Src { off, ..Src::new(self.cx.str(alias), name, kind) };
        self.written = Some(id);
        self.written_name = name;
        self.cx.writes = true;
        self.cx.main_is_taken();
        let fixed = fixed_values(entity, word)?;
        Ok(Written { id, entity, source, name, fixed, joined: None })
    }

    /// The table of an UPDATE or DELETE: with an alias, where a name without one could be taken for something else, or
    /// where others are joined to it.
    ///
    /// ```sql
    /// -- before                            -- after
    /// DELETE FROM "Orders" WHERE "Id" = 1  DELETE FROM "Orders" AS "T0" WHERE "T0"."Id" = 1
    /// ```
    ///
    /// With `only`, nothing comes back, and nothing that is set looks at the row.
    fn changed(
        &mut self,
        table: &'e TableExpr,
        filter: Option<&'e LogicExpr>,
        word: &'static str,
        only: bool,
    ) -> Result<Written<'a, 'e>> {
        let mut written = self.written(table, word)?;
        self.cx.changes = true;
        let dialect = self.cx.target.dialect();
        let names_a_join = filter.is_some_and(|filter| names_a_join(written.entity, filter));
        let asks = only && !names_a_join && self.asks_of_others(written.id, filter);
        let joined =
            names_a_join && dialect.write_joins() || asks && self.cx.rule_for(Feature::ExistsInChange)?.is_some();
        if !joined && !dialect.write_alias() {
            return Ok(written);
        }
        let SrcKind::Entity { id, entity, texts, args, .. } = written.source.kind else { return Ok(written) };
        let quoted = self.cx.target.main_alias();
        written.source.kind = SrcKind::Entity { id, entity, texts, style: Style::Main, args, joins: &[] };
        written.source.quoted = quoted;
        if joined {
            let source = Source::Table { name: written.name, alias: Some(quoted) };
            written.joined = Some(Joined { source, joins: &[] });
            written.name = quoted;
            return Ok(written);
        }
        written.name = self.cx.str(&format!("{} AS {quoted}", written.name));
        Ok(written)
    }

    /// A column that a statement writes.
    pub(super) fn target(
        &self,
        written: &Written<'a, 'e>,
        name: &Name,
        mode: ColumnMode,
        word: &'static str,
    ) -> Result<(usize, TargetColumn<'a>)> {
        let Some(Property::Column(index)) = written.entity.property(name.as_str()) else {
            if written.entity.property(name.as_str()).is_some() {
                let why = format!("`{name}` belongs to a joined table");
                return Err(bad(word, written.entity, why));
            }
            return Err(super::scope::unknown_in(&written.source, name.as_str()));
        };
        let (Some(column), Some(text)) =
            (written.entity.columns.get(index), self.texts(written.id)?.1.columns.get(index))
        else {
            return Err(super::scope::unknown_in(&written.source, name.as_str()));
        };
        super::scope::of_entity(self.cx, written.id, name)?;
        if column.computed.is_some() || !column.mode.contains(mode) {
            return Err(bad(word, written.entity, format!("`{name}` is not written by it")));
        }
        if column.is_counted() && mode != ColumnMode::READ {
            self.cx.need(Feature::IdentityValue)?;
        }
        Ok((index, TargetColumn { name: text.bare.text(), column }))
    }

    /// The condition of an UPDATE or DELETE, with the fixed filter.
    ///
    /// ```sql
    /// -- a term over a joined column chooses the rows by their key
    /// UPDATE t SET a = 1 WHERE b = 2 AND id IN (SELECT t1.id FROM t t1 LEFT JOIN u ON .. WHERE t1.b = 2 AND u.c = 3)
    /// ```
    ///
    /// The terms over the table's own columns stand outside of that subquery. There the engine asks them again of a row
    /// for which it had to wait; inside, it would go by the row as it was. They stand inside as well where that is the
    /// same, so that the subquery is as small.
    ///
    /// A condition that [chooses nothing](chooses_nothing) is none: every row has to be asked for.
    pub(super) fn condition(
        &mut self,
        written: &Written<'a, 'e>,
        filter: Option<&'e LogicExpr>,
        all_rows: bool,
        word: &'static str,
    ) -> Result<Option<Pred<'a, 'e>>> {
        let fixed = self.fixed(&written.source)?;
        let no_condition = |always_true| {
            let entity = written.entity.name.to_string();
            ErrorKind::NoCondition { statement: word, entity, always_true }.into()
        };
        let Some(filter) = filter else {
            return if all_rows { Ok(fixed) } else { Err(no_condition(false)) };
        };
        let terms = match filter {
            LogicExpr::And(node) => node.items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut used = 0;
        let mut chosen = false;
        let mut own = self.cx.vec(terms.len() + 2);
        let mut by_key = self.cx.vec(0);
        let scope = NameScope::of(std::slice::from_ref(&written.source), None);
        for (index, term) in terms.iter().enumerate() {
            written.source.used.set(0);
            self.rows_by_key = Some(false);
            let handed_over = self.ctes.handed_over();
            let told = self.cx.filters.len();
            let read = std::mem::replace(&mut self.reads_written, false);
            let pred = self.term(filter, index, |r| r.filtering(|r| r.logic(&scope, term))).at("Where")?;
            // MySQL computes a subquery when it first comes by it, and a branch may pass it over until rows are changed.
            let late = self.reads_written && !self.cx.target.has(Feature::SelfSubquery) && !asks_at_once(term);
            self.reads_written |= read;
            let derived = self.rows_by_key.take() == Some(true) || late;
            used |= written.source.used.get();
            if self.cx.open.is_some() && compares_constants(term) {
                self.cx.looked.set(true);
            }
            chosen = chosen || !(matches!(pred, Pred::Const(true)) || chooses_nothing(term));
            if written.source.used.get() != 0 && written.joined.is_none() || derived {
                by_key.push(index);
                self.cx.filters.truncate(told);
                self.ctes.take_back(handed_over);
            } else {
                own.push(pred);
            }
        }
        written.source.used.set(if written.joined.is_some() { used } else { 0 });
        let own = logic::all_owned(self.cx, own);
        if !chosen && !all_rows {
            return Err(no_condition(!terms.is_empty()));
        }
        let mut all = self.cx.vec(3);
        all.extend(fixed);
        all.push(own);
        if !by_key.is_empty() {
            all.push(self.by_key(written, filter, terms, &by_key, word)?);
        }
        Ok(Some(logic::all(self.cx, &all)).filter(|pred| !matches!(pred, Pred::Const(true))))
    }

    /// What the condition joins to the written table, on an engine that takes that.
    ///
    /// ```sql
    /// DELETE [T0] FROM [Orders] [T0] LEFT JOIN [Customers] [Customer] ON .. WHERE [Customer].[City] = 'Oslo'
    /// ```
    ///
    /// Nothing that is set comes from a joined table, so it does not matter how many rows one gives.
    fn joined(&mut self, written: &Written<'a, 'e>) -> Result<Option<Joined<'a, 'e>>> {
        let Some(joined) = written.joined else { return Ok(None) };
        let mut joins = self.cx.vec(2);
        self.view_joins(&written.source, false, &mut joins)?;
        Ok(Some(Joined { joins: joins.into_bump_slice(), ..joined }))
    }

    /// A term of a filter, at its place in it.
    fn term<T>(&mut self, filter: &LogicExpr, index: usize, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        match filter {
            LogicExpr::And(_) => self.deeper("$and", |r| run(r).at_index(index)),
            _ => run(self),
        }
    }

    /// Terms that are not asked of the written row itself: the rows are chosen by a subquery of their keys.
    fn by_key(
        &mut self,
        written: &Written<'a, 'e>,
        filter: &'e LogicExpr,
        terms: &'e [LogicExpr],
        by_key: &[usize],
        word: &'static str,
    ) -> Result<Pred<'a, 'e>> {
        let watched = self.watch_written();
        let (mut source, from) = self.main_table(written.id, None, true, None)?;
        // The terms call the table by the name that it has outside.
        source.alias = written.source.alias;
        source.off = written.source.off;
        let fixed = self.fixed(&source)?;
        let mut items = self.cx.vec(1);
        let mut keys = self.cx.vec(1);
        for key in &written.entity.keys {
            items.extend(scope::entity_column(self.cx, &source, Property::Column(*key), false));
            keys.extend(scope::entity_column(self.cx, &written.source, Property::Column(*key), false));
        }
        let building = self.building(Some((source, from)));
        building.filters.extend(fixed);
        // The subquery is materialized where that matters, so that those in it may look at the table.
        let written_id = self.written.take();
        let scope = NameScope::of(&building.sources, None);
        for (index, term) in terms.iter().enumerate() {
            if by_key.contains(&index) || says_it_twice(term) {
                let pred = self.term(filter, index, |r| r.filtering(|r| r.logic(&scope, term))).at("Where")?;
                building.filters.push(pred);
            }
        }
        let left = match keys.as_slice() {
            [] => {
                return Err(bad(
                    word,
                    written.entity,
                    "it needs a primary key, as its condition chooses the rows by it".into(),
                ));
            }
            [key] => *key,
            _ => Scalar {
                kind: ScalarKind::Row(keys.into_bump_slice()),
                ty: None,
                nullable: false,
                column: None,
                text: None,
            },
        };
        building.select_values(items);
        let query = self.finish(building, Use::Rows)?;
        self.written = written_id;
        self.reads_written = true;
        self.cx.correlated.set(false);
        let query = self.self_read(watched, query)?;
        list::in_query(self.cx, left, query, false)
    }

    pub(super) fn returning(
        &mut self,
        source: &Src<'a>,
        items: &'e [SelectItemExpr],
        feature: Feature,
    ) -> Result<&'a [Item<'a, 'e>]> {
        if items.is_empty() {
            return Ok(&[]);
        }
        self.cx.rule_for(feature)?;
        let mut list = self.cx.vec(items.len());
        let qualified;
        let rows = if feature == Feature::DeleteReturning { Returned::Deleted } else { Returned::Written };
        let qualifier = match self.cx.target.dialect().returning_qualifier(rows) {
            None if self.cx.target.dialect().write_alias() => Some(self.own_name(source)?),
            given => given,
        };
        let source = match (qualifier, &source.kind) {
            (Some(quoted), &SrcKind::Entity { id, entity, texts, args, .. }) => {
                // What is called by an alias of its own has no room for those of its joins, by which their columns are
                // found: to be refused as what they are.
                let joins = self.cx.bump.alloc_slice_fill_with(entity.joins.len(), |_| Cell::new(""));
                let kind = SrcKind::Entity { id, entity, texts, style: Style::Alias, args, joins };
                qualified = Src::new(source.alias, quoted, kind);
                &qualified
            }
            _ => source,
        };
        for (index, item) in items.iter().enumerate() {
            let named = self
                .item(&NameScope::of(std::slice::from_ref(source), None), &item.value, item)
                .at_index(index)
                .at("Returning")?;
            if !self.cx.target.has(Feature::ReturningSubquery) && subquery::may_have_subquery(self.cx, &named.value) {
                self.cx.need(Feature::ReturningSubquery).at_index(index).at("Returning")?;
            }
            if source.used.get() != 0 {
                let (what, why) = ("a column of a joined table", "only the written row comes back: query it by key");
                return Err(ErrorKind::Misplaced { what: what.into(), why }.into()).at_index(index).at("Returning");
            }
            list.push(self.returned(&named));
        }
        Ok(list.into_bump_slice())
    }

    /// The quoted name of a written table without its schema: what RETURNING calls it where its alias is not known.
    fn own_name(&self, source: &Src<'a>) -> Result<&'a str> {
        let SrcKind::Entity { entity, texts, args, .. } = source.kind else { return Ok(source.quoted) };
        if let (Some(name), Some([_])) = (&texts.table, entity.table.plain()) {
            return Ok(name);
        }
        let parts = entity.table.expand(args).map_err(|error| {
            crate::Error::from(ErrorKind::Shard { entity: entity.name.to_string(), why: error.to_string() })
        })?;
        Ok(parts.last().map_or(source.quoted, |last| self.cx.quoted(&[last.as_str()])))
    }

    /// Assignments of an UPDATE or of a conflict clause.
    pub(super) fn assignments(
        &mut self,
        written: &Written<'a, 'e>,
        scope: &NameScope<'_, 'a>,
        sets: &'e [(Name, ValueTypeExpr)],
        word: &'static str,
        step: &'static str,
    ) -> Result<&'a [Assign<'a, 'e>]> {
        let mut list = self.cx.vec(sets.len());
        let mut seen: Vec<usize> = Vec::new();
        for (index, (name, value)) in sets.iter().enumerate() {
            let (at, target) = self.target(written, name, ColumnMode::UPDATE, word).at_index(index).at(step)?;
            if seen.contains(&at) {
                return Err(bad(word, written.entity, format!("`{name}` is set twice"))).at_index(index).at(step);
            }
            seen.push(at);
            self.looks_at_fixed(written, at, value);
            written.keeps_fixed(at, plain(value), word).at_index(index).at(step)?;
            self.a_row_keeps_its_place(written, at).at_index(index).at(step)?;
            let value = self.assigned(scope, target.column, value).at(name.as_str()).at_index(index).at(step)?;
            list.push(Assign { column: target.name, value });
        }
        for held in self.held(&written.source)? {
            let set = |at: usize| seen.iter().position(|column| *column == at).and_then(|place| sets.get(place));
            held.keeps(&|at| set(at).map(|(_, value)| plain(value))).at(step)?;
        }
        Ok(list.into_bump_slice())
    }

    /// A value is looked at where the fixed filter says which one it has to be.
    pub(super) fn looks_at_fixed(&self, written: &Written<'a, 'e>, column: usize, value: &ValueTypeExpr) {
        if let (Some(_), ValueTypeExpr::Value(given)) = (written.fixed_value(column), value) {
            self.looked_at(given);
        }
    }

    /// A value that a column takes: a plain one in the column's type, any other by a CAST to it.
    pub(super) fn assigned(
        &mut self,
        scope: &NameScope<'_, 'a>,
        column: &'a Column,
        value: &'e ValueTypeExpr,
    ) -> Result<Scalar<'a, 'e>> {
        match value {
            ValueTypeExpr::Value(plain) => {
                let beside = Scalar { ty: Some(column.ty), column: Some(column), ..self.cx.null(None) };
                self.not_null(column, &plain.value)?;
                match column.rounded(&plain.value) {
                    Some(rounded) if plain.is_const => Ok(self.made_constant(rounded, Some(column.ty))),
                    Some(rounded) => {
                        self.looked_at(plain);
                        Ok(typed(self.cx.made(rounded, Some(column.ty))))
                    }
                    None => Ok(typed(self.value_beside(plain, &beside)?)),
                }
            }
            other => {
                let value = self.value(scope, other)?;
                self.stored(value, column)
            }
        }
    }

    /// A computed value that a column takes.
    pub(super) fn stored(&mut self, value: Scalar<'a, 'e>, column: &Column) -> Result<Scalar<'a, 'e>> {
        types::assignable(value.ty.filter(|_| !self.cx.is_null(&value)), column)?;
        write::stored(self.cx, value, column)
    }

    /// UPDATE.
    pub(crate) fn update(&mut self, node: &'e UpdateExpr) -> Result<Statement<'a, 'e>> {
        let plain = node.sets.iter().all(|(_, value)| matches!(value, ValueTypeExpr::Value(_)));
        let only = plain && node.returning.is_empty();
        let written = self.changed(&node.table, node.filter.as_ref(), "an UPDATE", only)?;
        if node.sets.is_empty() {
            return Err(bad("an UPDATE", written.entity, "it sets nothing".into()));
        }
        let scope = NameScope::of(std::slice::from_ref(&written.source), None);
        let sets = self.assignments(&written, &scope, &node.sets, "an UPDATE", "Sets")?;
        if written.source.used.get() != 0 {
            let why = "a value comes from a joined table: use a scalar subquery".to_owned();
            return Err(bad("an UPDATE", written.entity, why));
        }
        let sets = write::in_turn(self.cx, sets, None, written.source.quoted)?;
        let filter = self.condition(&written, node.filter.as_ref(), node.all_rows, "an UPDATE")?;
        let joined = self.joined(&written)?;
        let returning = self.returning(&written.source, &node.returning, Feature::UpdateReturning)?;
        let ctes = self.ctes_of_write()?;
        Ok(Statement::Update(self.cx.node(Update { ctes, table: written.name, joined, sets, filter, returning })))
    }

    /// DELETE.
    pub(crate) fn delete(&mut self, node: &'e DeleteExpr) -> Result<Statement<'a, 'e>> {
        let written = self.changed(&node.table, node.filter.as_ref(), "a DELETE", node.returning.is_empty())?;
        let filter = self.condition(&written, node.filter.as_ref(), node.all_rows, "a DELETE")?;
        let joined = self.joined(&written)?;
        if let Some((mark, value)) = self.mark_of(&written.source) {
            return self.mark(&written, (mark, value), filter, joined, &node.returning);
        }
        let returning = self.returning(&written.source, &node.returning, Feature::DeleteReturning)?;
        let ctes = self.ctes_of_write()?;
        Ok(Statement::Delete(self.cx.node(Delete { ctes, table: written.name, joined, filter, returning })))
    }

    /// A DELETE of rows that are marked, and stay.
    ///
    /// ```sql
    /// -- before                        -- after
    /// DELETE FROM Orders WHERE Id = 1  UPDATE Orders SET Deleted = TRUE WHERE Deleted = FALSE AND Id = 1
    /// ```
    fn mark(
        &mut self,
        written: &Written<'a, 'e>,
        (mark, value): (usize, &'e ValueTypeExpr),
        filter: Option<Pred<'a, 'e>>,
        joined: Option<Joined<'a, 'e>>,
        returning: &'e [SelectItemExpr],
    ) -> Result<Statement<'a, 'e>> {
        let texts = self.texts(written.id)?.1;
        let (Some(column), Some(text)) = (written.entity.columns.get(mark), texts.columns.get(mark)) else {
            return Err(bad("a DELETE", written.entity, "it has no column for the mark of deleted rows".into()));
        };
        let value = self.assigned(&NameScope::of(std::slice::from_ref(&written.source), None), column, value)?;
        let sets = self.cx.slice(&[Assign { column: text.bare.text(), value }]);
        let returning = self.returning(&written.source, returning, Feature::UpdateReturning)?;
        let ctes = self.ctes_of_write()?;
        Ok(Statement::Update(self.cx.node(Update { ctes, table: written.name, joined, sets, filter, returning })))
    }

    pub(super) fn ctes_of_write(&mut self) -> Result<&'a [crate::frame::Cte<'a, 'e>]> {
        let ctes = self.ctes.take(self.cx);
        if !ctes.is_empty() {
            self.cx.rule_for(Feature::WriteWith)?;
        }
        Ok(ctes)
    }

    /// Refuses NULL for a column that is never NULL, and the empty text where the engine stores NULL for it.
    pub(super) fn not_null(&mut self, column: &Column, value: &Value) -> Result<()> {
        let empty = matches!(value, Value::Text(text) if text.is_empty()) && column.ty.base.is_text();
        if empty && !self.cx.target.has(Feature::EmptyString) {
            if column.nullable {
                self.cx.rule_for(Feature::EmptyString)?;
                return Ok(());
            }
            let why = format!("it stores NULL for it, and `{}` is never NULL: give it a text", column.name);
            return Err(self.cx.target.refused(Feature::EmptyString.title(), why));
        }
        if value.is_null() && !column.nullable && column.identity.is_none() {
            let (property, ty) = (column.name.to_string(), column.ty.base.name().to_owned());
            let ty = format!("{ty}, not nullable");
            return Err(ErrorKind::BadValue { property, ty, value: "NULL".into() }.into());
        }
        Ok(())
    }
}

/// Whether a filter names a column of a table that the entity joins.
fn names_a_join(entity: &Entity, filter: &LogicExpr) -> bool {
    let joined = |property: &PropertyExpr| {
        let alias = property.alias.as_ref().map(|alias| alias.as_str());
        matches!(entity.property(property.name.as_str()), Some(Property::Foreign(_)))
            || alias.is_some_and(|alias| entity.joins.iter().any(|join| join.alias == *alias))
    };
    !visit_while(filter, VisitOrder::Pre, |node| match node {
        ExprRef::Value(ValueTypeExpr::Property(property)) => !joined(property),
        _ => true,
    })
}

/// Whether a term asks its subqueries of the first row that it is asked of: no branch of it passes them over.
fn asks_at_once(term: &LogicExpr) -> bool {
    let plain = |side: &ValueTypeExpr| {
        matches!(side, ValueTypeExpr::Value(_) | ValueTypeExpr::Property(_) | ValueTypeExpr::Query(_))
    };
    match term {
        LogicExpr::Binary(node) => plain(&node.left) && plain(&node.right),
        LogicExpr::Foreign(_) | LogicExpr::Exists(_) => true,
        _ => false,
    }
}

/// Whether a term means the same inside of a subquery as outside, at no great cost: it holds no query, and no function
/// that may give another value the second time.
fn says_it_twice(term: &LogicExpr) -> bool {
    visit_while(term, VisitOrder::Pre, |node| match node {
        ExprRef::Segment(_) | ExprRef::Function(_) => false,
        ExprRef::Logic(logic) => !matches!(logic, LogicExpr::Foreign(_) | LogicExpr::Exists(_) | LogicExpr::Sql(_)),
        ExprRef::Value(value) => !matches!(
            value,
            ValueTypeExpr::Function(_) | ValueTypeExpr::Window(_) | ValueTypeExpr::Query(_) | ValueTypeExpr::Sql(_)
        ),
        _ => true,
    })
}
