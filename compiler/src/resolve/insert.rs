//! INSERT and upsert.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::dialect::{Feature, Proposed};
use crate::error::{At, Result};
use crate::expr::{ConflictAction, DbType, InsertExpr, InsertSource, OnConflict, Value, ValueTypeExpr};
use crate::frame::{Assign, Conflict, Insert, Rows, Scalar, Statement, TargetColumn};
use crate::kept::{By, Taker};
use crate::legalize::{sorted, subquery, typed, write};
use crate::model::{Column, ColumnMode};

use super::chain::{Building, NamedItem, Use};
use super::held::Held;
use super::logic::fit;
use super::scope::{NameScope, OutCol, Src, SrcKind, Style};
use super::set::value_of;
use super::write::{Written, bad};
use super::{Resolver, scope, types};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// INSERT.
    ///
    /// What the entity's fixed filter says of a column is written to it, so that the row is one of the entity's:
    ///
    /// ```sql
    /// -- before                                    -- after, where the filter says State = 1
    /// INSERT INTO Departments (Name) VALUES (?)    INSERT INTO Departments (Name, State) VALUES (?, 1)
    /// ```
    ///
    /// So is what the request's scope says of one, and that a row is not marked as deleted.
    pub(crate) fn insert(&mut self, node: &'e InsertExpr) -> Result<Statement<'a, 'e>> {
        let word = "an INSERT";
        let written = self.written(&node.table, word)?;
        if node.columns.is_empty() && !self.is_default_row(&written, node) {
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
        let mut added = self.cx.vec(0);
        let held = self.held(&written.source)?;
        let fixed = written.fixed.iter().map(|(at, value)| (*at, Cow::Owned(value.clone())));
        let scoped = held.iter().flat_map(Held::fixed).map(|(at, value)| (at, Cow::Borrowed(value)));
        let unmarked = written.entity.unmarked().map(|at| (at, Cow::Owned(Value::Bool(false))));
        for (at, value) in fixed.chain(scoped).chain(unmarked) {
            let Some(column) = written.entity.columns.get(at) else { continue };
            if !places.contains(&at) && column.is_insertable() {
                columns.push(self.target(&written, &column.name, ColumnMode::INSERT, word)?.1);
                places.push(at);
                added.push(match value {
                    Cow::Borrowed(value) => self.given(column, value)?,
                    Cow::Owned(value) => self.made_constant(value, Some(column.ty)),
                });
            }
        }
        self.each_row_has_a_place(&written, &places).at("Columns")?;
        if !held.is_empty() {
            self.hold(&written, &held, &places, &added, node)?;
        }
        let columns = columns.into_bump_slice();
        let rows = match (node.columns.is_empty(), columns.is_empty()) {
            (false, _) => self.rows(&written, columns, &places, &added, &node.source)?,
            (true, true) => Rows::Values(&[]),
            // What it is given is what filters say.
            (true, false) => {
                added.iter_mut().for_each(|value| *value = typed(*value));
                Rows::Scalars(added.into_bump_slice())
            }
        };
        let width = columns.len().max(1);
        let count = match rows {
            Rows::Values(values) => values.len() / width,
            Rows::Scalars(values) => values.len() / width,
            Rows::Query(_) => 0,
        };
        let numbered = self.numbered(&written).filter(|_| columns.is_empty());
        if count > 1 && node.conflict.is_none() {
            self.cx.rule_for(Feature::MultiRowInsert)?;
        }
        let reads_itself = count > 1 && self.reads_written && self.cx.rule_for(Feature::SelfSubqueryRows)?.is_some();
        let conflict = match &node.conflict {
            Some(conflict) => Some(self.conflict(&written, &held, columns, &places, rows, conflict)?),
            None => None,
        };
        let returning = self.returning(&written.source, &node.returning, Feature::InsertReturning)?;
        let ctes = self.ctes_of_write()?;
        let insert = Insert { ctes, table: written.name, columns, rows, numbered, reads_itself, conflict, returning };
        Ok(Statement::Insert(self.cx.node(insert)))
    }

    /// An error unless each row is inside of the scope. The last of the places are those of the added values.
    fn hold(
        &mut self,
        written: &Written<'a, 'e>,
        held: &[Held<'e, 'a>],
        places: &[usize],
        added: &[Scalar<'a, 'e>],
        node: &'e InsertExpr,
    ) -> Result<()> {
        let given = node.columns.len();
        let place = |at: usize| places.iter().position(|place| *place == at);
        let check = |row: &dyn Fn(usize) -> Option<&'e Value>| {
            held.iter().try_for_each(|held| {
                held.takes(&|at| match place(at)?.checked_sub(given) {
                    None => row(place(at)?),
                    Some(behind) => self.cx.value_of(added.get(behind)?),
                })
            })
        };
        match &node.source {
            InsertSource::Values(values) if given > 0 => {
                for (index, row) in values.chunks_exact(given).enumerate() {
                    check(&|at| row.get(at)).at_index(index).at("Values")?;
                }
            }
            InsertSource::Exprs(exprs) if given > 0 => {
                for (index, row) in exprs.chunks_exact(given).enumerate() {
                    check(&|at| plain(row.get(at)?)).at_index(index).at("Rows")?;
                }
            }
            InsertSource::Values(_) | InsertSource::Exprs(_) | InsertSource::Query(_) => check(&|_| None)?,
        }
        for held in held {
            self.tell(&written.source, held.filter.label(), None);
        }
        Ok(())
    }

    /// Whether an INSERT is of one row that is given nothing: the database numbers it.
    ///
    /// ```sql
    /// INSERT INTO Tickets DEFAULT VALUES
    /// ```
    fn is_default_row(&self, written: &Written<'a, 'e>, node: &InsertExpr) -> bool {
        let empty = match &node.source {
            InsertSource::Values(values) => values.is_empty(),
            InsertSource::Exprs(exprs) => exprs.is_empty(),
            InsertSource::Query(_) => false,
        };
        empty && node.conflict.is_none() && self.numbered(written).is_some()
    }

    /// The quoted column that the database numbers.
    fn numbered(&self, written: &Written<'a, 'e>) -> Option<&'a str> {
        let (_, texts) = self.texts(written.id).ok()?;
        texts.columns.get(written.entity.identity?).map(|text| text.bare.text())
    }

    /// The rows. The last columns are those of filters, which every row gets the same values for.
    fn rows(
        &mut self,
        written: &Written<'a, 'e>,
        columns: &'a [TargetColumn<'a>],
        places: &[usize],
        added: &[Scalar<'a, 'e>],
        source: &'e InsertSource,
    ) -> Result<Rows<'a, 'e>> {
        let word = "an INSERT";
        let given = columns.len() - added.len();
        let whole = |len: usize| {
            if len == 0 || !len.is_multiple_of(given) {
                let why = format!("{len} values do not make rows of {given} columns");
                return Err(bad(word, written.entity, why));
            }
            Ok(())
        };
        let fixed = |column: usize| places.get(column).is_some_and(|at| written.fixed_value(*at).is_some());
        let any_fixed = (0..given).any(fixed);
        match source {
            InsertSource::Values(values) => {
                whole(values.len())?;
                if any_fixed {
                    self.cx.looked.set(true);
                    for (index, value) in values.iter().enumerate() {
                        let at = places.get(index % given).copied().unwrap_or_default();
                        written
                            .keeps_fixed(at, Some(value), word)
                            .at_index(index % given)
                            .at_index(index / given)
                            .at("Values")?;
                    }
                }
                self.plain_rows(columns, added, values)
            }
            InsertSource::Exprs(exprs) => {
                whole(exprs.len())?;
                let scope = NameScope::of(&[], None);
                let mut scalars = self.cx.vec(exprs.len() / given * columns.len());
                for (row, exprs) in exprs.chunks_exact(given).enumerate() {
                    for (place, ((expr, target), at)) in exprs.iter().zip(columns).zip(places).enumerate() {
                        self.looks_at_fixed(written, *at, expr);
                        written.keeps_fixed(*at, plain(expr), word).at_index(place).at_index(row).at("Rows")?;
                        let value = self.assigned(&scope, target.column, expr);
                        scalars.push(value.at_index(place).at_index(row).at("Rows")?);
                    }
                    scalars.extend(added.iter().copied().map(typed));
                }
                Ok(Rows::Scalars(scalars.into_bump_slice()))
            }
            InsertSource::Query(query) => {
                for at in places.iter().take(given) {
                    written.keeps_fixed(*at, None, word).at("Columns")?;
                }
                let none = NameScope::of(&[], None);
                let building = self.fold(query, Some(&none)).at("Query")?;
                let selected = self.columns(building)?;
                let found = selected.len();
                if found != given {
                    let why = format!("its query has {found} columns for {given}");
                    return Err(bad(word, written.entity, why));
                }
                let building = self.stored_rows(building, selected, columns)?;
                let building = if added.is_empty() { building } else { self.with_values(building, added)? };
                Ok(Rows::Query(self.finish(building, Use::Rows)?))
            }
        }
    }

    /// A query whose rows are inserted, each of its values as the column takes it.
    ///
    /// ```sql
    /// -- before                                              -- after
    /// INSERT INTO t (qty) SELECT price FROM u                INSERT INTO t (qty) SELECT CAST(TRUNC(price) AS integer) FROM u
    /// INSERT INTO t (qty) SELECT DISTINCT price FROM u       .. SELECT CAST(TRUNC(T0.price) AS integer) FROM (SELECT DISTINCT ..) T0
    /// ```
    fn stored_rows(
        &mut self,
        building: &'a mut Building<'a, 'e>,
        selected: &[OutCol<'a>],
        columns: &[TargetColumn<'a>],
    ) -> Result<&'a mut Building<'a, 'e>> {
        let mut as_they_are = true;
        for (index, target) in columns.iter().enumerate().take(selected.len()) {
            let value = value_of(self.cx, building, selected, index);
            let given = value.ty.filter(|_| !self.cx.is_null(&value));
            types::assignable(given, target.column).at_index(index).at("Columns")?;
            as_they_are &= write::is_stored(self.cx, &value, target.column);
        }
        if as_they_are {
            return Ok(building);
        }
        // What its other clauses say is said of the values as they were. A subquery is read in a query of its own, where a
        // window or an aggregate beside it would have other rows.
        let nested = building.items.iter().flatten().any(|item| subquery::has_subquery(self.cx, &item.value));
        let plain = building.set.is_none()
            && !nested
            && !building.distinct
            && building.distinct_on.is_empty()
            && building.group.is_empty()
            && building.order.is_empty();
        let building = if plain { building } else { self.derive(building)? };
        let mut items = match building.items.take() {
            Some(items) => items,
            None => self.all_items(building),
        };
        for (index, (item, target)) in items.iter_mut().zip(columns).enumerate() {
            item.value = write::stored(self.cx, item.value, target.column).at_index(index).at("Columns")?;
        }
        building.items = Some(items);
        Ok(building)
    }

    /// A query whose rows have further values behind their own.
    fn with_values(
        &mut self,
        building: &'a mut Building<'a, 'e>,
        added: &[Scalar<'a, 'e>],
    ) -> Result<&'a mut Building<'a, 'e>> {
        let plain = building.set.is_none() && building.items.is_some() && building.distinct_on.is_empty();
        let building = if plain { building } else { self.derive(building)? };
        let mut items = match building.items.take() {
            Some(items) => items,
            None => self.all_items(building),
        };
        items.extend(added.iter().map(|value| NamedItem::of(*value)));
        building.items = Some(items);
        Ok(building)
    }

    /// Rows of plain values: as they stand in the tree, unless one has to be converted or others stand beside them.
    fn plain_rows(
        &mut self,
        columns: &'a [TargetColumn<'a>],
        added: &[Scalar<'a, 'e>],
        values: &'e [Value],
    ) -> Result<Rows<'a, 'e>> {
        let given = columns.len() - added.len();
        let rows = || values.chunks_exact(given);
        let taken = |(value, target): (&Value, &TargetColumn<'a>)| {
            target.column.keeps(value) || value.is_null() && target.column.nullable
        };
        let empty = |value: &Value| matches!(value, Value::Text(text) if text.is_empty());
        let with_empty = !self.cx.target.has(Feature::EmptyString) && values.iter().any(empty);
        let mut as_they_are = rows().all(|row| row.iter().zip(columns).all(taken));
        if !as_they_are || with_empty {
            as_they_are = true;
            for (index, row) in rows().enumerate() {
                for (at, (value, target)) in row.iter().zip(columns).enumerate() {
                    as_they_are &= self.fits(target.column, value).at_index(at).at_index(index).at("Values")?;
                }
            }
        }
        if as_they_are && added.is_empty() {
            if let Some(open) = &mut self.cx.open {
                let both = rows().flat_map(|row| row.iter().zip(columns)).filter(|(value, _)| !value.is_null());
                open.extend(both.map(|(value, TargetColumn { column, .. })| {
                    let by = By { fit: as_stored, column: Some(*column), ty: Some(column.ty) };
                    (value, if column.keeps(value) { Taker::Column(*column) } else { Taker::By(by) })
                }));
            }
            return Ok(Rows::Values(values));
        }
        let mut scalars = self.cx.vec(values.len() / given * columns.len());
        for (index, row) in rows().enumerate() {
            for (at, (value, target)) in row.iter().zip(columns).enumerate() {
                let given = self.given(target.column, value).at_index(at).at_index(index).at("Values")?;
                scalars.push(typed(given));
            }
            scalars.extend(added.iter().copied().map(typed));
        }
        Ok(Rows::Scalars(scalars.into_bump_slice()))
    }

    /// A plain value that a column is given.
    fn given(&mut self, column: &'a Column, value: &'e Value) -> Result<Scalar<'a, 'e>> {
        let beside = Scalar { ty: Some(column.ty), column: Some(column), ..self.cx.null(None) };
        if self.cx.open.is_some() {
            return self.bind_open(as_stored, value, &beside);
        }
        self.bind_by(as_stored, value, &beside)
    }

    /// Whether a value is bound for a column as it stands.
    fn fits(&mut self, column: &Column, value: &Value) -> Result<bool> {
        self.not_null(column, value)?;
        let fitted = fit(value, Some(column), Some(column.ty))?;
        self.finite(&fitted)?;
        Ok(matches!(fitted, Cow::Borrowed(_)) && column.rounded(value).is_none() && !never_bound(value))
    }

    fn conflict(
        &mut self,
        written: &Written<'a, 'e>,
        held: &[Held<'e, 'a>],
        columns: &'a [TargetColumn<'a>],
        places: &[usize],
        rows: Rows<'a, 'e>,
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
                    target.push(TargetColumn { name: text.bare.text(), column });
                    keys.push(*key);
                }
            }
        }
        for (index, name) in node.target.iter().enumerate() {
            let (at, column) =
                self.target(written, name, ColumnMode::READ, word).at_index(index).at("Target").at("Conflict")?;
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
        self.a_key_has_a_place(written, &keys).at("Target").at("Conflict")?;
        for column in &target {
            sorted::no_large(self.cx, "the key of an upsert", Some(column.column)).at("Target").at("Conflict")?;
        }
        let names = self.cx.target.dialect().upsert_names(written.name);
        let proposed = Src { rows_of: Some(written.id), ..self.proposed(columns, names.proposed) };
        let existing = names.existing.unwrap_or(written.name);
        let SrcKind::Entity { id, entity, texts, args, joins, .. } = written.source.kind else {
            return Err(bad(word, written.entity, "it has no table".into()));
        };
        let kind = SrcKind::Entity { id, entity, texts, style: Style::Alias, args, joins };
        let own = Src { off: written.source.off, ..Src::new(written.source.alias, existing, kind) };
        let mut scope = NameScope::of(std::slice::from_ref(&own), None);
        scope.proposed = Some(&proposed);
        let sets = match &node.action {
            ConflictAction::DoNothing => &[],
            ConflictAction::Update(sets) => {
                if sets.is_empty() {
                    return Err(bad(word, written.entity, "it sets nothing: say DoNothing".into()));
                }
                let sets = self.assignments(written, &scope, sets, word, "Update").at("Action").at("Conflict")?;
                for (index, set) in sets.iter().enumerate() {
                    write::in_conflict(self.cx, &set.value).at_index(index).at("Update").at("Action").at("Conflict")?;
                }
                sets
            }
            ConflictAction::UpdateAll => {
                let mut sets = self.cx.vec(columns.len());
                let mut set: Vec<usize> = Vec::new();
                let scoped: Vec<usize> = held.iter().flat_map(Held::fixed).map(|(at, _)| at).collect();
                for (column, place) in columns.iter().zip(places) {
                    // Of a row that the filters let pass, the columns that they fix have their values.
                    let updatable = column.column.mode.contains(ColumnMode::UPDATE)
                        && column.column.identity.is_none()
                        && !keys.contains(place)
                        && written.fixed_value(*place).is_none()
                        && !scoped.contains(place);
                    if updatable
                        && let Some(value) = scope::column_in(self.cx, &proposed, column.column.name.as_str(), false)
                    {
                        sets.push(Assign { column: column.name, value });
                        set.push(*place);
                    }
                }
                // Of the others, the row that is there keeps what it has; of its key both have the same.
                let kept =
                    |at: &usize| places.contains(at) && ![&set, &keys[..], &scoped].iter().any(|all| all.contains(at));
                held.iter().try_for_each(|held| held.is_replaced(&set, &kept))?;
                sets.into_bump_slice()
            }
        };
        if !sets.is_empty() {
            let keys: Vec<usize> = keys.iter().filter_map(|key| places.iter().position(|at| at == key)).collect();
            self.no_key_twice(written, columns.len(), rows, &keys)?;
        }
        let filter = if sets.is_empty() { None } else { self.fixed_pred(&own)? };
        filter.as_ref().map_or(Ok(()), |filter| write::in_conflict(self.cx, filter))?;
        let sets = write::in_turn(self.cx, sets, filter.as_ref(), existing)?;
        Ok(Conflict { target: target.into_bump_slice(), sets, filter })
    }

    /// An error where two rows of plain values have one key: the row cannot be changed twice, and engines differ in
    /// what they do about it. Values that the engine alone takes for equal are left to it.
    fn no_key_twice(&self, written: &Written<'a, 'e>, width: usize, rows: Rows<'a, 'e>, keys: &[usize]) -> Result<()> {
        let (len, step) = match rows {
            Rows::Values(values) => (values.len() / width, "Values"),
            Rows::Scalars(scalars) => (scalars.len() / width, "Rows"),
            Rows::Query(_) => return Ok(()),
        };
        if len < 2 {
            return Ok(());
        }
        let value = |row: usize, key: usize| match rows {
            Rows::Values(values) => values.get(row * width + key),
            Rows::Scalars(scalars) => scalars.get(row * width + key).and_then(|scalar| self.cx.value_of(scalar)),
            Rows::Query(_) => None,
        };
        self.cx.looked.set(true);
        let mut seen: HashMap<Vec<&Value>, usize> = HashMap::with_capacity(len);
        for row in 0..len {
            let known = keys.iter().map(|key| value(row, *key).filter(|value| !value.is_null()));
            let Some(known) = known.collect::<Option<Vec<&Value>>>() else { continue };
            if let Some(first) = seen.insert(known, row) {
                let why = format!("rows {first} and {row} have the same key: a row is changed once");
                return Err(bad("an upsert", written.entity, why)).at_index(row).at(step);
            }
        }
        Ok(())
    }

    /// The proposed row as a source of columns.
    fn proposed(&self, columns: &[TargetColumn<'a>], style: Proposed) -> Src<'a> {
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
                text: None,
            });
        }
        let quoted = match style {
            Proposed::Qualifier(name) => name,
            Proposed::Function(_) => "",
        };
        Src::new("excluded", quoted, SrcKind::Columns(list.into_bump_slice()))
    }
}

/// A value as a column stores it.
fn as_stored<'v>(value: &'v Value, column: Option<&Column>, ty: Option<DbType>) -> Result<Cow<'v, Value>> {
    match column.and_then(|column| column.rounded(value)) {
        Some(rounded) => Ok(Cow::Owned(rounded)),
        None => fit(value, column, ty),
    }
}

/// What a value is, if it is a plain one.
pub(super) fn plain(value: &ValueTypeExpr) -> Option<&Value> {
    match value {
        ValueTypeExpr::Value(plain) => Some(&plain.value),
        _ => None,
    }
}

/// Values that no engine binds.
fn never_bound(value: &Value) -> bool {
    matches!(value, Value::Map(_))
}
