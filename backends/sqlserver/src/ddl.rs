//! How SQL Server spells tables.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Column, ReferenceAction};
use isogloss_driver::Result;
use isogloss_driver::ddl::{
    Change, Impact, InTheWay, IndexSchema, Lock, Number, ReferenceEvent, SessionLock, Spelling, Statement, Style,
    SyncLock, UniqueNulls, Wanted, asked, digits, is_literal, length, quoted, squeezed, timed,
};
use isogloss_driver::introspect::{ColumnReport, Filled, Introspection};

use crate::{SqlServer, introspect};

const STYLE: Style = Style { quotes: Quotes('[', ']'), add: (" ADD ", ""), index_schema: IndexSchema::OfTable };

impl Spelling for SqlServer {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        let sized = |ty: &str| match length(column) {
            Some(length) => format!("{ty}({length})").into(),
            None => format!("{ty}(max)").into(),
        };
        Ok(match column.ty.base {
            _ if column.ty.array => "nvarchar(max)".into(),
            T::Xml => "xml".into(),
            T::Binary => sized("varbinary"),
            ansi if ansi.is_ansi() => sized("varchar"),
            text if text.is_text() => sized("nvarchar"),
            decimal if decimal.is_decimal() => match digits(column) {
                Some((precision, scale)) => format!("decimal({precision}, {scale})").into(),
                None => self.cast_type(column.ty)?.into(),
            },
            _ => timed(self.cast_type(column.ty)?, column),
        })
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        let counted = || format!("IDENTITY({}, {})", number.identity.start, number.identity.increment).into();
        Ok(number.default().unwrap_or_else(counted))
    }

    /// What is too long for an index is refused with the row that has it, and not with the table.
    fn index_bytes(&self, column: &Column) -> Option<u32> {
        let ty = self.column_type(column).ok()?;
        (!ty.ends_with("(max)") && ty != "xml" && ty != "json").then_some(0)
    }

    /// It has the type of what it is computed from, unless told otherwise. It is stored for a key or an index alone, which take it
    /// only so where it is computed by floating-point numbers: what depends on the session, as FORMAT does, can't be stored.
    fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
        let is_stored = column.primary_key || column.is_unique || column.is_index;
        format!("AS (CAST({text} AS {ty})){}", if is_stored { " PERSISTED" } else { "" })
    }

    fn joins_lines(&self) -> bool {
        true
    }

    /// Error 1785.
    fn cascades_once(&self) -> bool {
        true
    }

    /// Errors 5074 and 4922. A text or binary may grow under indexes and checks.
    fn in_the_way(&self, change: Change, from: &ColumnReport, to: &ColumnReport) -> InTheWay {
        let grows = || {
            let [(a, before), (b, after)] = [from, to].map(|column| sized(&column.engine_type));
            a == b
                && matches!(a.as_str(), "varchar" | "nvarchar" | "varbinary")
                && before <= after
                && from.nullable == to.nullable
        };
        match change {
            Change::Type { .. } | Change::Nullable => {
                let others = !grows();
                let held = InTheWay { primary_key: true, foreign_keys: true, computed: true, ..InTheWay::default() };
                InTheWay { indexes: others, expressions: others, checks: others, ..held }
            }
            _ => InTheWay::default(),
        }
    }

    fn filler(&self, column: &Column) -> Result<&'static str> {
        Ok(if column.ty.base == T::Binary { "0x" } else { self.standard_filler(column) })
    }

    /// A text without the N is read in the code page of the database, which may lack its characters.
    fn bare_default(&self, ty: &str, text: &str) -> Option<String> {
        let text = text.trim();
        let wide = ty.starts_with('n') && !text.is_ascii() && text.starts_with('\'') && is_literal(text);
        wide.then(|| format!("N{text}"))
    }

    fn unique_nulls(&self) -> UniqueNulls {
        UniqueNulls::Equal
    }

    fn name_parts(&self) -> usize {
        3
    }

    /// The collation of the database says whether `Name` and `name` are one, so that it is asked.
    fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        let table = quoted(self, parts.iter().copied());
        // Of another database, its own catalog is asked.
        let catalog = match parts {
            [database, _, _] => format!("{}.sys", quoted(self, [*database])),
            _ => "sys".to_owned(),
        };
        let names = |of: &str, wanted: Vec<&str>| {
            let values: Vec<String> = (0..wanted.len()).map(|index| format!("(@P{})", index + 2)).collect();
            let (name, join) = match values.as_slice() {
                [] => ("t.name", String::new()),
                values => (
                    "COALESCE(w.name, t.name)",
                    format!(" LEFT JOIN (VALUES {}) w (name) ON w.name = t.name", values.join(", ")),
                ),
            };
            let of = format!("{catalog}.{of} t{join}");
            let texts: Vec<&str> = std::iter::once(table.as_str()).chain(wanted).collect();
            asked(format!("SELECT {name} FROM {of} WHERE t.object_id = OBJECT_ID(@P1) AND t.name IS NOT NULL"), &texts)
        };
        let columns = wanted.iter().map(|wanted| wanted.column.as_str()).collect();
        let indexes = wanted.iter().filter_map(|wanted| wanted.index.as_deref()).collect();
        (names("columns", columns), names("indexes", indexes))
    }

    /// The bytes of an extended property.
    fn comment_limit(&self, _: bool) -> usize {
        3_750
    }

    /// The extended property that every tool shows. It is in the database of the table.
    fn comment_on(&self, table: &[&str], column: Option<&str>, from: Option<&str>, to: Option<&str>) -> Option<String> {
        let literal = |text: &str| format!("N'{}'", Quotes::LITERAL.doubled(text));
        let (name, place) = table.split_last()?;
        let procedure = match (from, to) {
            (None, None) => return None,
            (None, Some(_)) => "sys.sp_addextendedproperty",
            (Some(_), Some(_)) => "sys.sp_updateextendedproperty",
            (Some(_), None) => "sys.sp_dropextendedproperty",
        };
        let Some((schema, database)) = place.split_last() else {
            // A procedure takes no expression, and a variable of its own stands in nobody's way.
            let (of, given) = if column.is_some() { (", N''COLUMN'', @column", ", @column sysname") } else { ("", "") };
            let column = column.map(|column| format!(", {}", literal(column))).unwrap_or_default();
            let (text, typed) = if to.is_some() { (", @text", "@text nvarchar(3750), ") } else { ("", "") };
            let value = to.map(|text| literal(text) + ", ").unwrap_or_default();
            return Some(format!(
                "EXEC sys.sp_executesql N'DECLARE @schema sysname = SCHEMA_NAME() EXEC {procedure} \
                 N''MS_Description''{text}, N''SCHEMA'', @schema, N''TABLE'', @table{of}', \
                 N'{typed}@table sysname{given}', {value}{}{column}",
                literal(name),
            ));
        };
        let database = database.last().map(|database| quoted(self, [*database]) + ".").unwrap_or_default();
        let column = column.map(|column| format!(", N'COLUMN', {}", literal(column))).unwrap_or_default();
        let value = to.map(|text| format!(", {}", literal(text))).unwrap_or_default();
        Some(format!(
            "EXEC {database}{procedure} N'MS_Description'{value}, N'SCHEMA', {}, N'TABLE', {}{column}",
            literal(schema),
            literal(name)
        ))
    }

    fn questions(&self) -> Option<Introspection> {
        Some(introspect::QUESTIONS)
    }

    fn lock(&self) -> SyncLock {
        let take = "DECLARE @got int; EXEC @got = sp_getapplock @Resource = N'isogloss.sync', @LockMode = 'Exclusive', \
                    @LockOwner = 'Transaction', @LockTimeout = 60000; SELECT @got";
        SyncLock::InTransaction(asked(take, &[]))
    }

    fn session_lock(&self) -> Option<SessionLock> {
        let asks = |procedure: &str, more: &str| {
            let got = format!("EXEC @got = {procedure} @Resource = N'isogloss.sync', {more}@LockOwner = 'Session'");
            asked(format!("DECLARE @got int; {got}; SELECT CAST(CASE WHEN @got >= 0 THEN 1 ELSE 0 END AS bigint)"), &[])
        };
        let take = asks("sp_getapplock", "@LockMode = 'Exclusive', @LockTimeout = 0, ");
        Some(SessionLock { take, free: asks("sp_releaseapplock", "") })
    }

    fn spell(&self, statement: &Statement) -> String {
        statement.build_styled(&STYLE)
    }

    fn has_action(&self, action: ReferenceAction, _: ReferenceEvent) -> bool {
        action != ReferenceAction::Restrict
    }

    /// A default is a constraint with a name that the server chose.
    fn alter_column(&self, table: &str, change: Change, from: &ColumnReport, to: &ColumnReport) -> Option<Vec<String>> {
        let name = STYLE.quotes.quoted([to.name.as_str()]);
        let null = if to.nullable { "NULL" } else { "NOT NULL" };
        let drop = matches!(from.filled, Filled::Default(_)).then(|| drop_default(table, &name));
        let set = match &to.filled {
            Filled::Default(text) => Some(format!("ALTER TABLE {table} ADD DEFAULT {text} FOR {name}")),
            _ => None,
        };
        let alter = match change {
            Change::Type { .. } | Change::Nullable => {
                // Without its own, a text gets the collation of the database.
                let is_text = ["char", "text"].iter().any(|of| sized(&to.engine_type).0.ends_with(of));
                let collation = to.collation.as_ref().filter(|_| is_text);
                let collation = collation.map(|of| format!(" COLLATE {of}")).unwrap_or_default();
                Some(format!("ALTER TABLE {table} ALTER COLUMN {name} {}{collation} {null}", to.engine_type))
            }
            Change::Default => None,
            _ => return None,
        };
        Some(drop.into_iter().chain(alter).chain(set).collect())
    }

    fn drop_column(&self, table: &str, column: &str) -> Vec<String> {
        vec![drop_default(table, column), format!("ALTER TABLE {table} DROP COLUMN {column}")]
    }

    fn drop_index(&self, parts: &[&str], name: &str, is_key: bool) -> Option<String> {
        let (table, name) = (STYLE.quotes.quoted(parts.iter().copied()), STYLE.quotes.quoted([name]));
        Some(if is_key {
            format!("ALTER TABLE {table} DROP CONSTRAINT {name}")
        } else {
            format!("DROP INDEX {name} ON {table}")
        })
    }

    fn impact(&self, change: Change, _: Option<&ColumnReport>, to: Option<&ColumnReport>) -> Impact {
        match change {
            Change::AddColumn if to.is_some_and(|column| !column.nullable) => Impact::rewriting(Lock::ReadsAndWrites)
                .note(
                    "the rows stay as they are where the default is a constant, in the editions that may (Enterprise)",
                ),
            Change::Type { widens: true } => Impact::default().note(
                "a text grows without a look at the rows; a number is written again, with reads and writes waiting",
            ),
            Change::Type { .. } | Change::Generated => Impact::rewriting(Lock::ReadsAndWrites),
            Change::Nullable if to.is_some_and(|column| !column.nullable) => {
                Impact::locking(Lock::ReadsAndWrites).note("it reads all rows")
            }
            Change::AddConstraint | Change::AddCheck => Impact::locking(Lock::ReadsAndWrites)
                .note("it reads all rows; online: WITH NOCHECK, which does not look at the rows that are there"),
            Change::CreateIndex => {
                Impact::locking(Lock::Writes).note("online: WITH (ONLINE = ON), in the editions that have it")
            }
            _ => Impact::default(),
        }
    }
}

/// The name of a type, and the most of its characters or bytes.
fn sized(ty: &str) -> (String, u64) {
    let ty = squeezed(ty);
    let (name, rest) = ty.split_once('(').unwrap_or((&ty, ""));
    (name.to_owned(), rest.trim_end_matches(')').parse().unwrap_or(u64::MAX))
}

/// Drops the default of a column, if it has one, by the name that the server gave it.
fn drop_default(table: &str, column: &str) -> String {
    let literal = |text: &str| format!("N'{}'", Quotes::LITERAL.doubled(text));
    let drop = literal(&format!("ALTER TABLE {table} DROP CONSTRAINT "));
    // Names between brackets are read by the server, too.
    let name = format!("COL_NAME(d.parent_object_id, d.parent_column_id) = PARSENAME({}, 1)", literal(column));
    format!(
        "DECLARE @d sysname = (SELECT d.name FROM sys.default_constraints d WHERE d.parent_object_id = OBJECT_ID({}) AND {name}); \
         IF @d IS NOT NULL BEGIN DECLARE @s nvarchar(max) = {drop} + QUOTENAME(@d); EXEC(@s); END",
        literal(table)
    )
}
