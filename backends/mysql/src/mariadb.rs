//! MariaDB, 10.6 and later: a variant of MySQL.
//!
//! What it shares with MySQL is what MySQL 8.0.17 has; what differs stands in its [data sheet](MARIADB_SHEET) and in the hooks
//! here.

mod functions;
mod sheet;

use std::borrow::Cow;

use isogloss_compiler::dialect::{Dialect, Feature, FormatToken, PathStep, Sense, Sheet, Version};
use isogloss_compiler::expr::{DbType, DbValueType as T, LockMode, Value};
use isogloss_compiler::frame::{Delete, In, Insert, Lock, Param, Scalar, TextForm, Update};
use isogloss_compiler::render::{Prec, Writer};
use isogloss_compiler::{ErrorKind, Lexis, Result};

pub use self::sheet::*;
use crate::MySql;
use crate::dialect::{collated, escaped, needs_hex, regexp_operator};

/// The version of MySQL that it shares most with: before `INSERT .. AS new`.
pub(crate) const BASE: MySql = MySql::new(8, 0, 17);

/// MariaDB in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MariaDb {
    version: Version,
}

#[allow(missing_docs, reason = "versions by their numbers")]
impl MariaDb {
    pub const V10_6: Self = Self::new(10, 6);
    pub const V10_11: Self = Self::new(10, 11);
    pub const V11_4: Self = Self::new(11, 4);

    /// A version of MariaDB.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { version: (major, minor, 0) }
    }
}

impl Default for MariaDb {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V10_11
    }
}

impl Dialect for MariaDb {
    fn sheet(&self) -> &'static Sheet {
        &MARIADB_SHEET
    }

    fn version(&self) -> Version {
        self.version
    }

    fn label(&self) -> String {
        let (major, minor, _) = self.version;
        format!("mariadb {major}.{minor}")
    }

    fn base(&self) -> Option<&dyn Dialect> {
        Some(&BASE)
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        match ty.base {
            // JSON is a text here.
            T::Json | T::Jsonb if !ty.array => Ok("CHAR"),
            _ => BASE.cast_type(ty),
        }
    }

    /// It keeps the text of a generated column with `_utf8mb4 X'5C'` written out as `_utf8mb4'\'`, which ends elsewhere when it
    /// reads it again. CONVERT is kept as it is, but its collation clashes with that of a column; CHAR's gives way, as that of a
    /// literal does.
    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            Value::Text(text) if needs_hex(text) => {
                for (place, byte) in text.bytes().enumerate() {
                    w.text(if place == 0 { "CHAR(0x" } else { ", 0x" });
                    w.hex(&[byte]);
                }
                w.text(" USING utf8mb4)");
                Ok(())
            }
            Value::Json(text) => {
                w.text("JSON_EXTRACT(");
                w.dialect().literal(w, &Value::from(&**text))?;
                w.text(", '$')");
                Ok(())
            }
            other => BASE.literal(w, other),
        }
    }

    /// A parameter with a name, which it has as well, would shift the numbers of ours.
    fn lexis(&self) -> Lexis {
        Lexis { parameters: ":", ..BASE.lexis() }
    }

    fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        w.text(match lock.mode {
            LockMode::Update => " FOR UPDATE",
            LockMode::Share => " LOCK IN SHARE MODE",
        });
        w.lock_wait(lock.wait);
    }

    /// JSON is text, which a function compares by value. As a bare condition MariaDB takes the function's NULL as true, so the
    /// result is always compared.
    fn json_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        w.text("JSON_EQUALS(");
        w.scalar(left, Prec::Lowest)?;
        w.text(", ");
        w.scalar(right, Prec::Lowest)?;
        w.text(sense.pick(") = 1", ") = 0"));
        Ok(())
    }

    /// It goes by the values: a number is one without a CAST.
    fn typed_parameter<'e>(&self, w: &mut Writer<'_, 'e>, param: Param<'e>, ty: DbType) -> Result<()> {
        match ty.base {
            T::Decimal | T::Currency | T::VarNumeric => return BASE.typed_parameter(w, param, ty),
            T::Json | T::Jsonb => {
                w.text("JSON_EXTRACT(");
                w.placeholder(param, Some(ty));
                w.text(", '$')");
            }
            _ => w.placeholder(param, Some(ty)),
        }
        Ok(())
    }

    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        BASE.in_array(w, node, array, ty)
    }

    fn exact_text<'e>(&self, w: &mut Writer<'_, 'e>, text: &Scalar<'_, 'e>, form: TextForm) -> Result<()> {
        collated(w, text, form, " COLLATE utf8mb4_nopad_bin")
    }

    /// A regular expression minds case, whatever the collation is, and its dot matches a line break, too.
    fn regex<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        text: &Scalar<'_, 'e>,
        pattern: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        regexp_operator(w, text, pattern, sense)
    }

    /// PCRE takes `\1` for a group.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        Some(escaped(text, &['\\']))
    }

    /// PostgreSQL gives back what was written; MariaDB what is there.
    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        let stays = insert.conflict.as_ref().is_some_and(|found| found.sets.is_empty() || found.filter.is_some());
        if stays && !insert.returning.is_empty() {
            return Err(w.refused("RETURNING of an upsert that may leave a row as it is", sheet::NO_RETURNING));
        }
        BASE.insert(w, insert)
    }

    fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()> {
        no_with(w, update.ctes.is_empty())?;
        BASE.update(w, update)
    }

    fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()> {
        no_with(w, delete.ctes.is_empty())?;
        BASE.delete(w, delete)
    }

    fn materialize_hint(&self, _alias: &str) -> Option<String> {
        None
    }

    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        BASE.format_pattern(pattern)
    }

    /// JSON_EXTRACT, JSON_SET and JSON_CONTAINS_PATH find no member whose name begins with `-`, however it is quoted or escaped,
    /// and give NULL.
    fn json_path(&self, steps: &[PathStep<'_>]) -> Result<String> {
        let hyphen = |step: &PathStep<'_>| matches!(step, PathStep::Member(name) if name.starts_with('-'));
        if steps.iter().any(hyphen) {
            let reason =
                "it finds no such member: read the object around it, or give the member another name".to_owned();
            let feature = "a JSON path to a name that begins with `-`".into();
            return Err(ErrorKind::Refused { feature, dialect: self.label(), reason }.into());
        }
        BASE.json_path(steps)
    }
}

fn no_with(w: &Writer<'_, '_>, none: bool) -> Result<()> {
    if none { Ok(()) } else { Err(w.refused(Feature::WriteWith.title(), sheet::NO_WITH)) }
}
