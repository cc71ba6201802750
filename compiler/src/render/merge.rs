//! `MERGE`, for engines that need it for upserts.

use std::borrow::Cow;

use crate::error::Result;
use crate::frame::{Insert, Rows};

use super::{Prec, Writer, sql};

/// How a dialect writes `MERGE`.
#[derive(Debug, Clone, Copy)]
pub struct MergeStyle {
    /// The text after the table, with a leading blank: hints, and the alias of the existing row.
    pub existing: &'static str,
    /// The alias of the proposed row.
    pub proposed: &'static str,
    /// Whether rows may be written as `VALUES (..), (..)` with the columns after the alias; otherwise they are selects.
    pub values: bool,
    /// The text after a select of plain values, with a leading blank: ` FROM DUAL`.
    pub no_source: &'static str,
    /// An ORDER BY without effect, for a window that requires one.
    pub no_order: &'static str,
    /// Whether the condition on the existing row is written as `AND` after `MATCHED`; otherwise as `WHERE` after SET.
    pub matched_and: bool,
}

impl<'e> Writer<'_, 'e> {
    /// Writes `MERGE INTO t T USING (VALUES (..)) S (a, b) ON (T.a = S.a) WHEN MATCHED THEN UPDATE SET b = S.b WHEN NOT
    /// MATCHED THEN INSERT (a, b) VALUES (S.a, S.b)`.
    ///
    /// A MERGE looks for existing rows before it inserts any. To do nothing for existing rows, it must therefore leave
    /// out all but the first of several new rows with one key:
    ///
    /// ```sql
    /// USING (SELECT v.*, ROW_NUMBER() OVER (PARTITION BY a ORDER BY place) AS copy FROM (VALUES (1, 2, 1), (1, 3, 2))
    ///     v (a, b, place)) S ON (T.a = S.a) WHEN NOT MATCHED AND S.copy = 1 THEN INSERT (a, b) VALUES (S.a, S.b)
    /// ```
    ///
    /// The returned rows and the end of the statement are written by the dialect.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn merge(&mut self, insert: &Insert<'_, 'e>, existing: &str, style: &MergeStyle) -> Result<()> {
        let Some(conflict) = &insert.conflict else { return Ok(()) };
        self.with(insert.ctes)?;
        sql!(self, "MERGE INTO " insert.table);
        self.text(style.existing);
        self.text(" USING (");
        let numbered = conflict.sets.is_empty() && (row_count(insert) > 1 || matches!(insert.rows, Rows::Query(_)));
        let names = numbered.then(|| (free_name(insert, "place"), free_name(insert, "copy")));
        if let Some((place, copy)) = &names {
            self.text("SELECT v.*, ROW_NUMBER() OVER (PARTITION BY ");
            for (index, key) in conflict.target.iter().enumerate() {
                self.text(if index > 0 { ", v." } else { "v." });
                self.text(key.name);
            }
            self.text(" ORDER BY ");
            match insert.rows {
                Rows::Query(_) => self.text(style.no_order),
                _ => {
                    self.text("v.");
                    self.identifier(place);
                }
            }
            self.text(") AS ");
            self.identifier(copy);
            self.text(" FROM (");
            let place = (!matches!(insert.rows, Rows::Query(_))).then_some(place.as_str());
            self.merge_source(insert, style, "v", place)?;
            self.text(")");
            sql!(self, " " style.proposed);
        } else {
            self.merge_source(insert, style, style.proposed, None)?;
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
        self.text(" WHEN NOT MATCHED");
        if let (Some((_, copy)), true) = (&names, style.matched_and) {
            self.text(" AND ");
            self.first_of_key(insert, style, copy);
        }
        self.text(" THEN INSERT (");
        self.column_names(insert.columns);
        self.text(") VALUES (");
        for (index, column) in insert.columns.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            sql!(self, style.proposed "." column.name);
        }
        self.text(")");
        if let (Some((_, copy)), false) = (&names, style.matched_and) {
            self.text(" WHERE ");
            self.first_of_key(insert, style, copy);
        }
        Ok(())
    }

    /// The proposed rows, the parenthesis behind them and their alias; with the place of each among them, if that has a
    /// name.
    fn merge_source(
        &mut self,
        insert: &Insert<'_, 'e>,
        style: &MergeStyle,
        alias: &str,
        place: Option<&str>,
    ) -> Result<()> {
        match insert.rows {
            Rows::Query(query) if !style.values => {
                // No columns stand behind the alias, so the query gets its names here.
                sql!(self, "WITH " alias);
                self.text(" (");
                self.column_names(insert.columns);
                sql!(self, ") AS (" [self.query(query)] ") SELECT * FROM " alias);
            }
            Rows::Query(query) => self.query(query)?,
            _ if style.values && place.is_none() => self.values_rows(insert, "VALUES (", "), (", ")")?,
            _ if style.values => {
                for row in 0..row_count(insert) {
                    self.text(if row > 0 { "), (" } else { "VALUES (" });
                    self.row_values(insert, row, false)?;
                    if place.is_some() {
                        self.text(", ");
                        self.number(row + 1);
                    }
                }
                self.text(")");
            }
            _ => {
                for row in 0..row_count(insert) {
                    self.text(if row > 0 { " UNION ALL SELECT " } else { "SELECT " });
                    self.row_values(insert, row, row == 0)?;
                    if let Some(place) = place {
                        self.text(", ");
                        self.number(row + 1);
                        if row == 0 {
                            self.text(" AS ");
                            self.identifier(place);
                        }
                    }
                    self.text(style.no_source);
                }
            }
        }
        sql!(self, ") " alias);
        if style.values {
            self.text(" (");
            self.column_names(insert.columns);
            if let Some(place) = place {
                self.text(", ");
                self.identifier(place);
            }
            self.text(")");
        }
        Ok(())
    }

    /// `S.copy = 1`. A NULL in a key is like no other, so such rows are no copies.
    fn first_of_key(&mut self, insert: &Insert<'_, 'e>, style: &MergeStyle, copy: &str) {
        let target = insert.conflict.as_ref().map_or(&[][..], |conflict| conflict.target);
        let nullable = || target.iter().filter(|key| key.column.nullable);
        let open = nullable().next().is_some();
        self.text(if open { "(" } else { "" });
        sql!(self, style.proposed ".");
        self.identifier(copy);
        self.text(" = 1");
        for key in nullable() {
            sql!(self, " OR " style.proposed ".");
            sql!(self, key.name " IS NULL");
        }
        self.text(if open { ")" } else { "" });
    }

    /// The values of a row, with commas between them; each with the name of its column, if they are to have names.
    fn row_values(&mut self, insert: &Insert<'_, 'e>, row: usize, named: bool) -> Result<()> {
        let width = insert.columns.len().max(1);
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
            if named {
                sql!(self, " AS " column.name);
            }
        }
        Ok(())
    }

    /// Writes `SELECT .. AS a, .. AS b FROM DUAL UNION ALL SELECT ..`.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn select_rows(&mut self, insert: &Insert<'_, 'e>, no_source: &str) -> Result<()> {
        for row in 0..row_count(insert) {
            self.text(if row > 0 { " UNION ALL SELECT " } else { "SELECT " });
            self.row_values(insert, row, row == 0)?;
            self.text(no_source);
        }
        Ok(())
    }
}

fn row_count(insert: &Insert<'_, '_>) -> usize {
    let width = insert.columns.len().max(1);
    match insert.rows {
        Rows::Values(values) => values.len() / width,
        Rows::Scalars(scalars) => scalars.len() / width,
        Rows::Query(_) => 0,
    }
}

/// A name that no column of the statement has.
fn free_name(insert: &Insert<'_, '_>, name: &str) -> String {
    let mut name = name.to_owned();
    while insert.columns.iter().any(|target| target.column.column.eq_ignore_ascii_case(&name)) {
        name.push('_');
    }
    name
}
