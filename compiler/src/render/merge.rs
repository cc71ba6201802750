//! `MERGE`, for engines whose upsert it is.

use std::borrow::Cow;

use crate::error::Result;
use crate::frame::{Insert, Rows};

use super::{Prec, Writer, sql};

/// How a dialect spells `MERGE`.
#[derive(Debug, Clone, Copy)]
pub struct MergeStyle {
    /// Behind the table: hints and the alias of the row that is there, with the blank before them.
    pub existing: &'static str,
    /// The alias of the proposed row.
    pub proposed: &'static str,
    /// Whether rows may stand in `VALUES (..), (..)` with the columns behind the alias; else they are selects.
    pub values: bool,
    /// What stands behind a select of plain values, with the blank before it: ` FROM DUAL`.
    pub no_source: &'static str,
    /// Whether the condition on the row that is there stands as `AND` behind `MATCHED` (else as `WHERE` behind SET).
    pub matched_and: bool,
}

impl<'e> Writer<'_, 'e> {
    /// `MERGE INTO t T USING (VALUES (..)) S (a, b) ON (T.a = S.a) WHEN MATCHED THEN UPDATE SET b = S.b WHEN NOT
    /// MATCHED THEN INSERT (a, b) VALUES (S.a, S.b)`
    ///
    /// The rows that come back, and what ends the statement, are the dialect's.
    ///
    /// # Errors
    /// Those of the values in it.
    pub fn merge(&mut self, insert: &Insert<'_, 'e>, existing: &str, style: &MergeStyle) -> Result<()> {
        let Some(conflict) = &insert.conflict else { return Ok(()) };
        self.with(insert.ctes)?;
        sql!(self, "MERGE INTO " insert.table);
        self.text(style.existing);
        self.text(" USING (");
        match insert.rows {
            Rows::Query(query) if !style.values => {
                // No columns stand behind the alias, so the query gets its names here.
                sql!(self, "WITH " style.proposed);
                self.text(" (");
                self.column_names(insert.columns);
                sql!(self, ") AS (" [self.query(query)] ") SELECT * FROM " style.proposed);
            }
            Rows::Query(query) => self.query(query)?,
            _ if style.values => self.values_rows(insert, "VALUES (", "), (", ")")?,
            _ => self.select_rows(insert, style.no_source)?,
        }
        sql!(self, ") " style.proposed);
        if style.values {
            self.text(" (");
            self.column_names(insert.columns);
            self.text(")");
        }
        self.text(" ON (");
        for (index, key) in conflict.target.iter().enumerate() {
            self.text(if index > 0 { " AND " } else { "" });
            sql!(self, existing "." key.name " = ");
            sql!(self, style.proposed "." key.name);
        }
        self.text(")");
        if !conflict.sets.is_empty() {
            self.text(" WHEN MATCHED");
            if let (Some(filter), true) = (&conflict.filter, style.matched_and) {
                sql!(self, " AND "[self.pred(filter, Prec::And)]);
            }
            sql!(self, " THEN UPDATE SET "[self.assignments(conflict.sets)]);
            if !style.matched_and {
                self.filter(conflict.filter.as_ref())?;
            }
        }
        self.text(" WHEN NOT MATCHED THEN INSERT (");
        self.column_names(insert.columns);
        self.text(") VALUES (");
        for (index, column) in insert.columns.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            sql!(self, style.proposed "." column.name);
        }
        self.text(")");
        Ok(())
    }

    /// `SELECT .. AS a, .. AS b FROM DUAL UNION ALL SELECT ..`
    ///
    /// # Errors
    /// Those of the values in it.
    pub fn select_rows(&mut self, insert: &Insert<'_, 'e>, no_source: &str) -> Result<()> {
        let width = insert.columns.len().max(1);
        let rows = match insert.rows {
            Rows::Values(values) => values.len() / width,
            Rows::Scalars(scalars) => scalars.len() / width,
            Rows::Query(_) => 0,
        };
        for row in 0..rows {
            self.text(if row > 0 { " UNION ALL SELECT " } else { "SELECT " });
            for (at, column) in insert.columns.iter().enumerate() {
                self.text(if at > 0 { ", " } else { "" });
                let index = row * width + at;
                match insert.rows {
                    Rows::Values(values) => {
                        if let Some(value) = values.get(index) {
                            self.bind(Cow::Borrowed(value), Some(column.column.ty));
                        }
                    }
                    Rows::Scalars(scalars) => {
                        if let Some(scalar) = scalars.get(index) {
                            self.scalar(scalar, Prec::Lowest)?;
                        }
                    }
                    Rows::Query(_) => {}
                }
                if row == 0 {
                    sql!(self, " AS " column.name);
                }
            }
            self.text(no_source);
        }
        Ok(())
    }
}
