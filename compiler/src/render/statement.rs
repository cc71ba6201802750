//! Writes INSERT, UPDATE and DELETE.

use crate::error::Result;
use crate::frame::{
    Assign, Conflict, Delete, Insert, Item, Joined, Pred, Rows, Statement, TargetColumn as Column, Update,
};

use super::{Prec, Writer, sql};

impl<'e> Writer<'_, 'e> {
    /// Writes a statement.
    ///
    /// # Errors
    /// Those of writing the values, and refusals of the dialect.
    pub(crate) fn statement(&mut self, statement: &Statement<'_, 'e>) -> Result<()> {
        match statement {
            Statement::Query(query) => self.query(query),
            Statement::Insert(insert) => self.target.dialect().insert(self, insert),
            Statement::Update(update) => self.target.dialect().update(self, update),
            Statement::Delete(delete) => self.target.dialect().delete(self, delete),
            Statement::Template(pieces) => self.pieces(pieces),
        }
    }

    /// Writes `INSERT INTO t (a, b) VALUES (..), (..) ON CONFLICT .. RETURNING ..`.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn standard_insert(&mut self, insert: &Insert<'_, 'e>) -> Result<()> {
        self.with(insert.ctes)?;
        self.insert_into(insert);
        if insert.columns.iter().any(|target| target.column.identity.is_some()) {
            self.text(self.target.dialect().overriding());
        }
        self.rows(insert)?;
        if let Some(conflict) = &insert.conflict {
            self.on_conflict(conflict)?;
        }
        self.returning(" RETURNING ", insert.returning)
    }

    /// Writes `INSERT INTO t (a, b)`; without columns `INSERT INTO t`.
    pub fn insert_into(&mut self, insert: &Insert<'_, 'e>) {
        sql!(self, "INSERT INTO " insert.table);
        if insert.columns.is_empty() {
            return;
        }
        self.text(" (");
        self.column_names(insert.columns);
        self.text(")");
    }

    /// Writes `a, b`.
    pub fn column_names(&mut self, columns: &[Column<'_>]) {
        for (index, column) in columns.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            self.text(column.name);
        }
    }

    /// Writes ` VALUES (..), (..)`, the query, or ` DEFAULT VALUES`, with a leading blank.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn rows(&mut self, insert: &Insert<'_, 'e>) -> Result<()> {
        match insert.rows {
            _ if insert.columns.is_empty() => {
                let row = self.target.dialect().default_row(insert.numbered.unwrap_or_default());
                self.text(&row);
                Ok(())
            }
            Rows::Query(query) => {
                sql!(self, " "[self.query(query)]);
                Ok(())
            }
            _ => match self.rows_source {
                Some(source) => self.values_rows(insert, " SELECT ", ", ", source),
                None => self.values_rows(insert, " VALUES (", "), (", ")"),
            },
        }
    }

    /// Writes the rows one after the other, with texts before the first, between two, and after the last.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn values_rows(&mut self, insert: &Insert<'_, 'e>, first: &str, between: &str, last: &str) -> Result<()> {
        let width = insert.columns.len().max(1);
        match insert.rows {
            Rows::Values(values) => {
                self.sql.reserve(values.len().saturating_mul(8));
                self.params.reserve(values.len());
                self.text(first);
                for (index, row) in values.chunks_exact(width).enumerate() {
                    if index > 0 {
                        self.text(between);
                    }
                    self.bind_all(row, insert.columns.iter().map(|c| Some(c.column.ty)));
                }
                self.text(last);
            }
            Rows::Scalars(scalars) => {
                self.text(first);
                for (index, row) in scalars.chunks_exact(width).enumerate() {
                    if index > 0 {
                        self.text(between);
                    }
                    self.list(row)?;
                }
                self.text(last);
            }
            Rows::Query(_) => {}
        }
        Ok(())
    }

    fn on_conflict(&mut self, conflict: &Conflict<'_, 'e>) -> Result<()> {
        self.text(" ON CONFLICT (");
        self.column_names(conflict.target);
        self.text(")");
        if conflict.sets.is_empty() {
            self.text(" DO NOTHING");
            return Ok(());
        }
        self.text(" DO UPDATE SET ");
        self.assignments(conflict.sets)?;
        self.filter(conflict.filter.as_ref())
    }

    /// Writes `a = 1, b = 2`.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn assignments(&mut self, sets: &[Assign<'_, 'e>]) -> Result<()> {
        for (index, set) in sets.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            sql!(self, set.column " = " [self.scalar(&set.value, Prec::Lowest)]);
        }
        Ok(())
    }

    /// Writes the returned items after a keyword, if there are any.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn returning(&mut self, word: &str, items: &[Item<'_, 'e>]) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        self.text(word);
        self.in_returning = true;
        let written = self.items(items);
        self.in_returning = false;
        written
    }

    /// Writes ` FROM t T0 JOIN u ON ..`, if something is joined to the written table.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn from_joined(&mut self, joined: Option<&Joined<'_, 'e>>) -> Result<()> {
        let Some(joined) = joined else { return Ok(()) };
        self.text(" FROM ");
        self.tables(joined)
    }

    /// Writes `t T0 JOIN u ON ..`.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn tables(&mut self, joined: &Joined<'_, 'e>) -> Result<()> {
        self.source(&joined.source)?;
        joined.joins.iter().try_for_each(|join| self.join(join))
    }

    /// Writes ` WHERE ...`, if there is a condition.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn filter(&mut self, filter: Option<&Pred<'_, 'e>>) -> Result<()> {
        if let Some(filter) = filter {
            self.text(" WHERE ");
            self.condition(filter)?;
        }
        Ok(())
    }

    /// A condition of WHERE or ON.
    pub(crate) fn condition(&mut self, condition: &Pred<'_, 'e>) -> Result<()> {
        let outer = std::mem::replace(&mut self.in_condition, true);
        self.holds(condition, Prec::Lowest)?;
        self.in_condition = outer;
        Ok(())
    }

    /// Writes `UPDATE t SET a = 1 WHERE .. RETURNING ..`.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn standard_update(&mut self, update: &Update<'_, 'e>) -> Result<()> {
        self.with(update.ctes)?;
        sql!(self, "UPDATE " update.table " SET " [self.assignments(update.sets)]);
        self.text(self.rows_source.unwrap_or_default());
        self.filter(update.filter.as_ref())?;
        self.returning(" RETURNING ", update.returning)
    }

    /// Writes `DELETE FROM t WHERE .. RETURNING ..`.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn standard_delete(&mut self, delete: &Delete<'_, 'e>) -> Result<()> {
        self.with(delete.ctes)?;
        sql!(self, "DELETE FROM " delete.table);
        self.filter(delete.filter.as_ref())?;
        self.returning(" RETURNING ", delete.returning)
    }
}
