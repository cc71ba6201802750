//! INSERT, UPDATE and DELETE.

use std::borrow::Cow;
use std::cell::Cell;

use crate::dialect::{Feature, Proposed};
use crate::error::{At, ErrorKind, Result};
use crate::expr::{
    ConflictAction, DeleteExpr, InsertExpr, InsertSource, LogicExpr, Name, OnConflict, SelectItemExpr, TableExpr,
    UpdateExpr, Value, ValueTypeExpr,
};
use crate::frame::{Assign, Conflict, Delete, Insert, Item, Pred, Rows, Scalar, ScalarKind, Statement, Target, Update};
use crate::legalize::typed;
use crate::model::{Column, ColumnMode, Entity, EntityId, Property};
use crate::walk::{ExprRef, Order, visit_while};

use super::Resolver;
use super::chain::Use;
use super::logic::fit;
use super::scope::{OutCol, Scope, Src, SrcKind, Style};
use super::source::entity;

/// The table of a write.
struct Written<'a> {
    id: EntityId,
    entity: &'a Entity,
    source: Src<'a>,
    name: &'a str,
}

fn bad(statement: &'static str, entity: &Entity, why: String) -> crate::Error {
    ErrorKind::BadStatement { statement, entity: entity.name.to_string(), why }.into()
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// The table that is written, whose columns stand without a qualifier.
    fn written(&mut self, table: &'e TableExpr) -> Result<Written<'a>> {
        let (id, _) = entity(self.cx.target, table.entity.as_str()).at("$table")?;
        if let Some(root) = self.root
            && self.cx.target.catalog().table_of(root) != self.cx.target.catalog().table_of(id)
        {
            let what = format!("entity `{}`", table.entity);
            return Err(ErrorKind::Misplaced { what, why: "the request is for another root entity" }.into());
        }
        let (entity, texts) = self.texts(id)?;
        let args = if table.table_args.is_empty() { self.request.table_args } else { &table.table_args };
        let args =
            &*self.cx.bump.alloc_slice_clone(if entity.table.plain().is_some() { &table.table_args } else { args });
        let name = self.table_name(entity, texts, args)?;
        let kind = SrcKind::Entity { id, entity, texts, style: Style::Bare(name), args, joins: &[] };
        let alias = table.alias.as_ref().map_or("T0", |alias| alias.as_str());
        let source =
            Src { alias: self.cx.str(alias), quoted: name, kind, used: Cell::new(0), missing: Cell::new(false) };
        self.written = Some(id);
        self.cx.main_is_taken();
        Ok(Written { id, entity, source, name })
    }

    /// A column that a statement writes.
    fn target(
        &self,
        written: &Written<'a>,
        name: &Name,
        mode: ColumnMode,
        word: &'static str,
    ) -> Result<(usize, Target<'a>)> {
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
        if column.computed.is_some() || !column.mode.contains(mode) {
            return Err(bad(word, written.entity, format!("`{name}` is not written by it")));
        }
        Ok((index, Target { name: &text.bare, column }))
    }

    /// The condition of an UPDATE or DELETE, with the fixed filter.
    fn condition(
        &mut self,
        written: &Written<'a>,
        filter: Option<&'e LogicExpr>,
        all_rows: bool,
        word: &'static str,
    ) -> Result<Option<Pred<'a, 'e>>> {
        let fixed = self.fixed(&written.source)?;
        let Some(filter) = filter else {
            if !all_rows {
                return Err(ErrorKind::NoCondition { statement: word, entity: written.entity.name.to_string() }.into());
            }
            return Ok(fixed);
        };
        let pred = self.logic(&Scope::of(std::slice::from_ref(&written.source), None), filter).at("Where")?;
        if matches!(pred, Pred::Const(true)) && !all_rows {
            return Err(ErrorKind::NoCondition { statement: word, entity: written.entity.name.to_string() }.into());
        }
        let pred = if written.source.used.get() == 0 {
            pred
        } else {
            return self.by_key(written, filter, word).map(Some);
        };
        let pred = match fixed {
            Some(fixed) => self.cx.all(&[fixed, pred]),
            None => pred,
        };
        Ok(if matches!(pred, Pred::Const(true)) { None } else { Some(pred) })
    }

    /// A condition over joined tables: the rows are chosen by a subquery of their keys.
    fn by_key(&mut self, written: &Written<'a>, filter: &'e LogicExpr, word: &'static str) -> Result<Pred<'a, 'e>> {
        written.source.used.set(0);
        let watched = self.watch_written();
        let source = self.main_table(written.id, None, true, None)?;
        let building = self.building(Some(source));
        let Some(main) = building.sources.first() else {
            return Err(bad(word, written.entity, "it has no table".into()));
        };
        let fixed = self.fixed(main)?;
        let mut items = self.cx.vec(1);
        let mut keys = self.cx.vec(1);
        for key in &written.entity.keys {
            items.extend(self.cx.entity_column(main, Property::Column(*key), false));
            keys.extend(self.cx.entity_column(&written.source, Property::Column(*key), false));
        }
        let pred = self.logic(&Scope::of(&building.sources, None), filter).at("Where")?;
        building.filters.extend(fixed);
        building.filters.push(pred);
        let left = match keys.as_slice() {
            [] => {
                return Err(bad(
                    word,
                    written.entity,
                    "it needs a primary key, as its condition is over joined tables".into(),
                ));
            }
            [key] => *key,
            _ => Scalar { kind: ScalarKind::Row(keys.into_bump_slice()), ty: None, nullable: false, column: None },
        };
        building.select_values(items);
        let query = self.finish(building, Use::Rows)?;
        self.reads_written = true;
        let query = self.self_read_derived(watched, query)?;
        self.cx.in_query(left, query, false)
    }

    fn returning(
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
        let deleted = feature == Feature::DeleteReturning;
        let source = match (self.cx.target.dialect().returning_qualifier(deleted), &source.kind) {
            (Some(quoted), &SrcKind::Entity { id, entity, texts, args, joins, .. }) => {
                let kind = SrcKind::Entity { id, entity, texts, style: Style::Alias, args, joins };
                qualified = Src { alias: source.alias, quoted, kind, used: Cell::new(0), missing: Cell::new(false) };
                &qualified
            }
            _ => source,
        };
        for (index, item) in items.iter().enumerate() {
            let query = |node| matches!(node, ExprRef::Segment(_) | ExprRef::Logic(LogicExpr::Foreign(_)));
            if !visit_while(item, Order::Pre, |node| !query(node)) {
                self.cx.need(Feature::ReturningSubquery).at_index(index).at("Returning")?;
            }
            let named = self
                .item(&Scope::of(std::slice::from_ref(source), None), &item.value, item)
                .at_index(index)
                .at("Returning")?;
            list.push(self.returned(&named));
        }
        if source.used.get() != 0 {
            let why = "a column of a joined table does not come back";
            return Err(ErrorKind::Misplaced { what: "RETURNING".into(), why }.into());
        }
        Ok(list.into_bump_slice())
    }

    /// Assignments of an UPDATE or of a conflict clause.
    fn assignments(
        &mut self,
        written: &Written<'a>,
        scope: &Scope<'_, 'a>,
        sets: &'e [(Name, ValueTypeExpr)],
        word: &'static str,
    ) -> Result<&'a [Assign<'a, 'e>]> {
        let mut list = self.cx.vec(sets.len());
        let mut seen: Vec<usize> = Vec::new();
        for (index, (name, value)) in sets.iter().enumerate() {
            let (at, target) = self.target(written, name, ColumnMode::UPDATE, word).at_index(index).at("Sets")?;
            if seen.contains(&at) {
                return Err(bad(word, written.entity, format!("`{name}` is set twice"))).at_index(index).at("Sets");
            }
            seen.push(at);
            let value = self.assigned(scope, target.column, value).at_index(index).at("Sets")?;
            list.push(Assign { column: target.name, value });
        }
        Ok(list.into_bump_slice())
    }

    /// A value that a column takes.
    fn assigned(
        &mut self,
        scope: &Scope<'_, 'a>,
        column: &'a Column,
        value: &'e ValueTypeExpr,
    ) -> Result<Scalar<'a, 'e>> {
        match value {
            ValueTypeExpr::Value(plain) => {
                let beside = Scalar { ty: Some(column.ty), column: Some(column), ..self.cx.null(None) };
                not_null(column, &plain.value)?;
                Ok(typed(self.value_beside(plain, &beside)?))
            }
            other => self.value(scope, other),
        }
    }

    /// UPDATE.
    pub(crate) fn update(&mut self, node: &'e UpdateExpr) -> Result<Statement<'a, 'e>> {
        let written = self.written(&node.table)?;
        if node.sets.is_empty() {
            return Err(bad("an UPDATE", written.entity, "it sets nothing".into()));
        }
        let scope = Scope::of(std::slice::from_ref(&written.source), None);
        let sets = self.assignments(&written, &scope, &node.sets, "an UPDATE")?;
        if written.source.used.get() != 0 {
            let why = "a value comes from a joined table: use a scalar subquery".to_owned();
            return Err(bad("an UPDATE", written.entity, why));
        }
        let filter = self.condition(&written, node.filter.as_ref(), node.all_rows, "an UPDATE")?;
        let returning = self.returning(&written.source, &node.returning, Feature::UpdateReturning)?;
        let ctes = self.ctes_of_write()?;
        Ok(Statement::Update(self.cx.node(Update { ctes, table: written.name, sets, filter, returning })))
    }

    /// DELETE.
    pub(crate) fn delete(&mut self, node: &'e DeleteExpr) -> Result<Statement<'a, 'e>> {
        let written = self.written(&node.table)?;
        let filter = self.condition(&written, node.filter.as_ref(), node.all_rows, "a DELETE")?;
        let returning = self.returning(&written.source, &node.returning, Feature::DeleteReturning)?;
        let ctes = self.ctes_of_write()?;
        Ok(Statement::Delete(self.cx.node(Delete { ctes, table: written.name, filter, returning })))
    }

    fn ctes_of_write(&mut self) -> Result<&'a [crate::frame::Cte<'a, 'e>]> {
        let ctes = self.ctes.take(self.cx);
        if !ctes.is_empty() {
            self.cx.rule_for(Feature::WriteWith)?;
        }
        Ok(ctes)
    }

    /// INSERT.
    pub(crate) fn insert(&mut self, node: &'e InsertExpr) -> Result<Statement<'a, 'e>> {
        let written = self.written(&node.table)?;
        let word = "an INSERT";
        if node.columns.is_empty() {
            return Err(bad(word, written.entity, "it names no columns".into()));
        }
        let mut columns = self.cx.vec(node.columns.len());
        let mut places = self.cx.vec(node.columns.len());
        for (index, name) in node.columns.iter().enumerate() {
            let (at, target) = self.target(&written, name, ColumnMode::INSERT, word).at_index(index).at("Columns")?;
            if places.contains(&at) {
                return Err(bad(word, written.entity, format!("`{name}` is named twice")))
                    .at_index(index)
                    .at("Columns");
            }
            places.push(at);
            columns.push(target);
        }
        let columns = columns.into_bump_slice();
        let rows = self.rows(&written, columns, &node.source)?;
        let count = match rows {
            Rows::Values(values) => values.len() / columns.len(),
            Rows::Scalars(values) => values.len() / columns.len(),
            Rows::Query(_) => 0,
        };
        if count > 1 && node.conflict.is_none() {
            self.cx.rule_for(Feature::MultiRowInsert)?;
        }
        let conflict = match &node.conflict {
            Some(conflict) => Some(self.conflict(&written, columns, &places, conflict)?),
            None => None,
        };
        let returning = self.returning(&written.source, &node.returning, Feature::InsertReturning)?;
        let ctes = self.ctes_of_write()?;
        let insert = Insert { ctes, table: written.name, columns, rows, conflict, returning };
        Ok(Statement::Insert(self.cx.node(insert)))
    }

    fn rows(
        &mut self,
        written: &Written<'a>,
        columns: &'a [Target<'a>],
        source: &'e InsertSource,
    ) -> Result<Rows<'a, 'e>> {
        let width = columns.len();
        let whole = |len: usize| {
            if len == 0 || !len.is_multiple_of(width) {
                let why = format!("{len} values do not make rows of {width} columns");
                return Err(bad("an INSERT", written.entity, why));
            }
            Ok(())
        };
        match source {
            InsertSource::Values(values) => {
                whole(values.len())?;
                let fits = |(value, column): (&'e Value, &Column)| -> Result<bool> {
                    not_null(column, value)?;
                    Ok(matches!(fit(value, Some(column), Some(column.ty))?, Cow::Borrowed(_)) && !never_bound(value))
                };
                let taken = |(value, target): (&Value, &Target<'a>)| {
                    target.column.takes(value) || value.is_null() && target.column.nullable
                };
                let mut as_they_are = values.chunks_exact(width).all(|row| row.iter().zip(columns).all(taken));
                if as_they_are && self.cx.target.has(Feature::EmptyString) {
                    return Ok(Rows::Values(values));
                }
                as_they_are = self.cx.target.has(Feature::NotFinite)
                    || !values.iter().any(|v| matches!(v, Value::Float(n) if !n.is_finite()));
                for (row, chunk) in values.chunks_exact(width).enumerate() {
                    for (column, target) in chunk.iter().zip(columns) {
                        as_they_are &= fits((column, target.column)).at_index(row).at("Values")?;
                    }
                }
                if as_they_are && self.cx.target.has(Feature::EmptyString) {
                    return Ok(Rows::Values(values));
                }
                let mut scalars = self.cx.vec(values.len());
                for (row, chunk) in values.chunks_exact(width).enumerate() {
                    for (value, target) in chunk.iter().zip(columns) {
                        let column = target.column;
                        let beside = Scalar { ty: Some(column.ty), column: Some(column), ..self.cx.null(None) };
                        scalars.push(typed(self.bind_beside(value, &beside).at_index(row).at("Values")?));
                    }
                }
                Ok(Rows::Scalars(scalars.into_bump_slice()))
            }
            InsertSource::Exprs(exprs) => {
                whole(exprs.len())?;
                let scope = Scope::of(&[], None);
                let mut scalars = self.cx.vec(exprs.len());
                for (index, expr) in exprs.iter().enumerate() {
                    if let Some(target) = columns.get(index % width) {
                        let value = self.assigned(&scope, target.column, expr).at_index(index / width).at("Rows")?;
                        scalars.push(value);
                    }
                }
                Ok(Rows::Scalars(scalars.into_bump_slice()))
            }
            InsertSource::Query(query) => {
                let none = Scope::of(&[], None);
                let building = self.fold(query, Some(&none)).at("Query")?;
                let found = self.columns(building)?.len();
                if found != width {
                    let why = format!("its query has {found} columns for {width}");
                    return Err(bad("an INSERT", written.entity, why));
                }
                Ok(Rows::Query(self.finish(building, Use::Rows)?))
            }
        }
    }

    fn conflict(
        &mut self,
        written: &Written<'a>,
        columns: &'a [Target<'a>],
        places: &[usize],
        node: &'e OnConflict,
    ) -> Result<Conflict<'a, 'e>> {
        let word = "an upsert";
        self.cx.rule_for(Feature::Upsert)?;
        let mut target = self.cx.vec(2);
        let mut keys = self.cx.vec(2);
        if node.target.is_empty() {
            let texts = self.texts(written.id)?.1;
            for key in &written.entity.keys {
                if let (Some(column), Some(text)) = (written.entity.columns.get(*key), texts.columns.get(*key)) {
                    target.push(Target { name: &text.bare, column });
                    keys.push(*key);
                }
            }
        }
        for (index, name) in node.target.iter().enumerate() {
            let (at, column) = self.target(written, name, ColumnMode::READ, word).at_index(index).at("Target")?;
            target.push(column);
            keys.push(at);
        }
        if target.is_empty() {
            return Err(bad(word, written.entity, "it needs a key that collides".into()));
        }
        if let Some(missing) = keys.iter().find(|key| !places.contains(key)) {
            let name = written.entity.columns.get(*missing).map_or("", |c| c.name.as_str());
            return Err(bad(word, written.entity, format!("`{name}` of its key gets no value")));
        }
        let names = self.cx.target.dialect().upsert_names();
        let proposed = self.proposed(columns, names.proposed);
        let existing = names.existing.unwrap_or(written.name);
        let SrcKind::Entity { id, entity, texts, args, joins, .. } = written.source.kind else {
            return Err(bad(word, written.entity, "it has no table".into()));
        };
        let kind = SrcKind::Entity { id, entity, texts, style: Style::Alias, args, joins };
        let own =
            Src { alias: written.source.alias, quoted: existing, kind, used: Cell::new(0), missing: Cell::new(false) };
        let mut scope = Scope::of(std::slice::from_ref(&own), None);
        scope.proposed = Some(&proposed);
        let sets = match &node.action {
            ConflictAction::DoNothing => &[],
            ConflictAction::Update(sets) => {
                if sets.is_empty() {
                    return Err(bad(word, written.entity, "it sets nothing: say DoNothing".into()));
                }
                self.assignments(written, &scope, sets, word).at("Conflict")?
            }
            ConflictAction::UpdateAll => {
                let mut sets = self.cx.vec(columns.len());
                for (column, place) in columns.iter().zip(places) {
                    let updatable = column.column.mode.contains(ColumnMode::UPDATE) && !keys.contains(place);
                    if updatable && let Some(value) = self.cx.column_in(&proposed, column.column.name.as_str(), false) {
                        sets.push(Assign { column: column.name, value });
                    }
                }
                sets.into_bump_slice()
            }
        };
        let filter = if sets.is_empty() { None } else { self.fixed_pred(&own)? };
        Ok(Conflict { target: target.into_bump_slice(), sets, filter })
    }

    /// The proposed row as a source of columns.
    fn proposed(&self, columns: &[Target<'a>], style: Proposed) -> Src<'a> {
        let mut list = self.cx.vec(columns.len());
        for target in columns {
            let column = target.column;
            let quoted = match style {
                Proposed::Qualifier(_) => target.name,
                Proposed::Function(name) => self.cx.str(&format!("{name}({})", target.name)),
            };
            list.push(OutCol {
                name: column.name.as_str(),
                quoted,
                ty: Some(column.ty),
                nullable: column.nullable,
                column: Some(column),
            });
        }
        let quoted = match style {
            Proposed::Qualifier(name) => name,
            Proposed::Function(_) => "",
        };
        Src {
            alias: "excluded",
            quoted,
            kind: SrcKind::Columns(list.into_bump_slice()),
            used: Cell::new(0),
            missing: Cell::new(false),
        }
    }
}

/// Values that no engine binds.
fn never_bound(value: &Value) -> bool {
    matches!(value, Value::Map(_))
}

fn not_null(column: &Column, value: &Value) -> Result<()> {
    if value.is_null() && !column.nullable && column.identity.is_none() {
        let (property, ty) = (column.name.to_string(), column.ty.base.name().to_owned());
        return Err(ErrorKind::BadValue { property, ty: format!("{ty}, not nullable"), value: "NULL".into() }.into());
    }
    Ok(())
}
