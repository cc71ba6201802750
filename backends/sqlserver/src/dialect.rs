//! SQL Server, 2017 and later.
//!
//! Invariant: nothing here knows an entity or builds a tree. What SQL Server lacks is named in [`SUPPORT`]; how it is
//! rewritten lives in the compiler, shared with every dialect that lacks the same thing.
//!
//! A version stands for the product and for the compatibility level of the database: on a newer server whose database
//! is kept at an older level, name the level's version.
//!
//! Three things are the database's and not the text's: which texts are equal (the collation: by default it ignores
//! case, and `=` ignores trailing blanks), that a character beyond the basic plane counts as two unless the collation
//! is one of `_SC`, and that a table with triggers gives no rows back (error 334: its rows are to be read after the
//! write).

use std::sync::Arc;

use isogloss_compiler::dialect::{
    Dialect, Feature, FormatToken, Limits, Placeholder, Proposed, Quotes, Sheet, Since, Support, UpsertNames, Version,
};
use isogloss_compiler::expr::{DbType, DbValueType as T, LockMode, LockWait, Value};
use isogloss_compiler::frame::{Delete, In, Insert, Item, Lock, Param, Rows, Scalar, ScalarKind, Update};
use isogloss_compiler::functions::Func;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::{MergeStyle, Prec, Writer};
use isogloss_compiler::{Error, ErrorKind, Lexis, Result};

use crate::cast;
use crate::concat::fits_in_place;
use crate::functions::{FUNCTIONS, NO_WINDOW};
use crate::list;

/// The data sheet.
pub static SHEET: Sheet = Sheet {
    name: "sqlserver",
    quotes: Quotes('[', ']'),
    placeholder: Placeholder::Numbered("@P"),
    // A call takes 2,100 parameters. A statement with parameters is a call of sp_executesql, whose first two are the
    // text and the list of the others' types: "The SQL Server hard limit is 2100, ADO.NET uses 2 for the sp_executesql
    // call" (Microsoft, `SqlMaxBatchParameters`). Rust's drivers call it in the same way.
    limits: Limits { parameters: 2_098, rows_in_values: ROWS_IN_VALUES, identifier: 128, ..Limits::NONE },
    support: SUPPORT,
    functions: FUNCTIONS,
};

/// The rows that `INSERT ... VALUES` takes. As a derived table, VALUES takes any number.
const ROWS_IN_VALUES: usize = 1_000;

/// 2022, as a version.
pub(crate) const V2022: Version = (16, 0, 0);
/// 2025, as a version.
pub(crate) const V2025: Version = (17, 0, 0);

/// What differs from standard SQL, and since which version it no longer does.
pub const SUPPORT: &[(Feature, Since)] = &[
    // SELECT a > 1                      =>  SELECT CASE WHEN a > 1 THEN CAST(1 AS bit) WHEN a <= 1 THEN CAST(0 AS bit) END
    (Feature::BooleanValue, Support::Expand(Rule::BooleanAsCase).always()),
    // WHERE paid                        =>  WHERE paid = 1
    (Feature::BooleanPredicate, Support::Expand(Rule::BooleanAsComparison).always()),
    // WHERE TRUE                        =>  WHERE 1 = 1
    (Feature::BooleanLiteral, Support::Expand(Rule::BooleanAsComparison).always()),
    // ORDER BY a NULLS LAST             =>  ORDER BY CASE WHEN a IS NULL THEN 1 ELSE 0 END, a
    (Feature::NullsOrder, Support::Expand(Rule::NullsOrder).always()),
    // (a, b) IN ((1, 2), (3, 4))        =>  a = 1 AND b = 2 OR a = 3 AND b = 4
    (Feature::TupleIn, Support::Expand(Rule::TupleInOr).always()),
    // (a, b) = (1, 2)                   =>  a = 1 AND b = 2
    (Feature::TupleCompare, Support::Expand(Rule::TupleCompare).always()),
    // (a, b) > (1, 2)                   =>  a >= 1 AND (a > 1 OR b > 2)
    (Feature::TupleOrder, Support::Expand(Rule::TupleCompare).always()),
    // a IN (@P1, @P2, ...)              =>  a IN (SELECT [v] FROM OPENJSON(@P1) WITH ([v] int '$'))
    (Feature::ArrayParameter, Support::Expand(Rule::ArrayAsJson).always()),
    // SUM(a) FILTER (WHERE p)           =>  SUM(CASE WHEN p THEN a END)
    (Feature::AggregateFilter, Support::Expand(Rule::FilterToCase).always()),
    (Feature::AggregateOrder, Support::Refuse("SQL Server orders inside of STRING_AGG only: use StringAgg").always()),
    (
        Feature::AggregateOrders,
        Support::Refuse(
            "SQL Server orders the rows of a select once for all of its STRING_AGGs: give them the same order, or select \
             one of them in a subquery",
        )
        .always(),
    ),
    (Feature::StringAggWindow, Support::Refuse(NO_WINDOW).always()),
    // SELECT DISTINCT ON (a) ...        =>  ROW_NUMBER() OVER (PARTITION BY a ...) = 1
    (Feature::DistinctOn, Support::Expand(Rule::DistinctOnRowNumber).always()),
    // SELECT f(a, @P1) GROUP BY f(a, @P2)  =>  SELECT f(a, @P1) GROUP BY f(a, @P1)
    (Feature::GroupParameter, Support::Expand(Rule::GroupByShared).always()),
    // SUM((SELECT ...))                 =>  CROSS APPLY (SELECT (SELECT ...) AS c0) g, SUM(g.c0)
    (Feature::SubqueryInAggregate, Support::Expand(Rule::SubqueryApply).always()),
    // Error 8124: SUM(a * outer.b)      =>  CROSS APPLY (SELECT a * outer.b AS c0) g, SUM(g.c0)
    (Feature::OuterInAggregate, Support::Expand(Rule::SubqueryApply).always()),
    (Feature::SubqueryInGroup, Support::Expand(Rule::SubqueryApply).always()),
    // JOIN LATERAL (...) x ON TRUE      =>  CROSS APPLY (...) x
    (Feature::Lateral, Support::Expand(Rule::LateralToApply).always()),
    // (SELECT ... LIMIT 1) UNION ...    =>  SELECT * FROM (SELECT TOP (1) ...) x UNION ...
    (Feature::SetMemberParentheses, Support::Expand(Rule::SetMemberDerived).always()),
    (
        Feature::RecursiveUnion,
        Support::Refuse("SQL Server takes UNION ALL only in a recursive common table expression").always(),
    ),
    // Errors 460, 461, 462 and 467.
    (
        Feature::RecursiveClauses,
        Support::Refuse(
            "SQL Server takes none in the rounds of a recursive common table expression: join, group or page what comes \
             of it",
        )
        .always(),
    ),
    // SELECT name UNION ALL SELECT path + name  =>  CAST(name AS nvarchar(max)), CAST(path + name AS nvarchar(max))
    (Feature::RecursiveTypes, Support::Expand(Rule::RecursiveCastAll).always()),
    // OFFSET 5                          =>  ORDER BY (SELECT NULL) OFFSET 5 ROWS
    (Feature::OffsetWithoutOrder, Support::Expand(Rule::OrderByNothing).always()),
    (Feature::FrameGroups, Support::Refuse("SQL Server has ROWS and RANGE frames only").always()),
    (Feature::FrameExclude, Support::Refuse("SQL Server excludes no rows from a frame").always()),
    (
        Feature::FrameRangeOffset,
        Support::Refuse("SQL Server's RANGE takes UNBOUNDED and CURRENT ROW only: use ROWS").always(),
    ),
    // ROW_NUMBER() OVER ()              =>  ROW_NUMBER() OVER (ORDER BY (SELECT NULL))
    (Feature::WindowWithoutOrder, Support::Expand(Rule::OrderByNothing).always()),
    // CAST(a AS integer)                =>  CAST(TRUNC(a) AS integer)
    (Feature::IntegerCast, Support::Expand(Rule::CastTruncate).always()),
    // a / b                             =>  a / NULLIF(b, 0)
    (Feature::DivisionByZero, Support::Expand(Rule::DivisionNullIf).always()),
    // a quotient has 38 digits, and often but 6 of them after the point: said in a note
    (Feature::DecimalDigits, Support::Expand(Rule::DecimalDigits).always()),
    // a || 1                            =>  a + CAST(1 AS nvarchar(max))
    (Feature::ConcatAny, Support::Expand(Rule::ConcatCast).always()),
    // a LIKE '%[%'                      =>  a LIKE '%\[%' ESCAPE '\'
    (Feature::LikeBracket, Support::Expand(Rule::BracketEscape).always()),
    // LEFT(a, LEN(b)) = b               =>  LEFT(a, LEN(b)) + N'.' = b + N'.'
    (Feature::TrailingBlanks, Support::Expand(Rule::BlanksEnded).always()),
    // a ILIKE 'x%'                      =>  LOWER(a) LIKE LOWER('x%')
    (Feature::ILike, Support::Expand(Rule::ILikeLower).always()),
    (Feature::Regex, Support::Refuse("SQL Server has no regular expressions before 2025").always()),
    (Feature::Regex, Support::Native.since(V2025)),
    // a IS DISTINCT FROM 5              =>  a <> 5 OR a IS NULL
    // a IS DISTINCT FROM b              =>  NOT EXISTS (SELECT a INTERSECT SELECT b), which an index on a or b serves
    (Feature::NullSafeEqual, Support::Expand(Rule::NullSafeCase).always()),
    (Feature::NullSafeEqual, Support::Native.since(V2022)),
    // ORDER BY token                    =>  ORDER BY LOWER(CAST(token AS nvarchar(36)))
    (Feature::GuidOrder, Support::Expand(Rule::GuidText).always()),
    // COALESCE((SELECT ...), 0)         =>  ISNULL((SELECT ...), 0)
    (Feature::CoalesceQuery, Support::Expand(Rule::CoalesceIsNull).always()),
    // INSERT ... ON CONFLICT            =>  MERGE INTO t WITH (HOLDLOCK, UPDLOCK) ... WHEN MATCHED ... WHEN NOT MATCHED ...
    (Feature::Upsert, Support::Expand(Rule::UpsertMerge).always()),
    (
        Feature::ReturningSubquery,
        Support::Refuse("OUTPUT takes no subquery: let the key come back and read the rest by it").always(),
    ),
    (
        Feature::IdentityValue,
        Support::Refuse("leave it out, or write the statement between SET IDENTITY_INSERT ON and OFF by yourself")
            .always(),
    ),
    (Feature::LockOrder, Support::Expand(Rule::LockRead).always()),
    (
        Feature::JsonEqual,
        Support::Refuse("SQL Server compares the text of JSON: compare JsonValue at a path").always(),
    ),
    (Feature::NotFinite, Support::Refuse("SQL Server's float holds no NaN and no infinity").always()),
    (
        Feature::JsonNull,
        Support::Refuse("SQL Server takes a member away for NULL: give a value that is never NULL, by Coalesce")
            .always(),
    ),
    (
        Feature::NestedJson,
        Support::Refuse("SQL Server would quote it as text: take the object or array by JsonQuery first").always(),
    ),
    (Feature::Array, Support::Refuse("SQL Server has no arrays: keep the list as JSON").always()),
];

/// Its literals and comments.
pub const LEXIS: Lexis = Lexis { nested_comments: true, ..Lexis::STANDARD };

/// How an upsert is spelled.
///
/// `MERGE` by itself is not safe in a race: two sessions may both find no row, and both insert it. HOLDLOCK keeps the
/// range of the key locked from the look-up to the end of the transaction, so that the second waits. UPDLOCK makes
/// that lock one that only one session can have: with two shared ones, each would wait for the other to insert.
const MERGE: MergeStyle = MergeStyle {
    existing: " WITH (HOLDLOCK, UPDLOCK) [T0]",
    proposed: "[excluded]",
    values: true,
    no_source: "",
    no_order: "(SELECT NULL)",
    matched_and: true,
};

/// A version of SQL Server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlServer {
    major: u16,
}

#[allow(missing_docs, reason = "versions by their names")]
impl SqlServer {
    pub const V2017: Self = Self { major: 14 };
    pub const V2019: Self = Self { major: 15 };
    pub const V2022: Self = Self { major: 16 };
    pub const V2025: Self = Self { major: 17 };

    /// The version of a server, by the number before the first dot of `SERVERPROPERTY('ProductVersion')`: 15 is 2019.
    pub const fn new(major: u16) -> Self {
        Self { major }
    }
}

impl Default for SqlServer {
    /// The version that the snapshots are for.
    fn default() -> Self {
        Self::V2019
    }
}

impl Dialect for SqlServer {
    fn sheet(&self) -> &'static Sheet {
        &SHEET
    }

    /// The product's number: 14 is 2017, 15 is 2019, 16 is 2022, 17 is 2025.
    fn version(&self) -> Version {
        (self.major, 0, 0)
    }

    fn label(&self) -> String {
        let year = match self.major {
            14 => 2017,
            15 => 2019,
            16 => 2022,
            17 => 2025,
            other => other,
        };
        format!("sqlserver {year}")
    }

    fn to_shared(&self) -> Arc<dyn Dialect> {
        Arc::new(*self)
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        if ty.array {
            return Err(self.no_type(ty.base));
        }
        Ok(match ty.base {
            T::String | T::StringFixedLength | T::Object | T::Json | T::Jsonb => "nvarchar(max)",
            T::AnsiString | T::AnsiStringFixedLength => "varchar(max)",
            T::Byte => "tinyint",
            T::SByte | T::Int16 => "smallint",
            T::UInt16 | T::Int32 => "int",
            T::UInt32 | T::Int64 => "bigint",
            T::UInt64 => "decimal(20, 0)",
            // Without numbers it would be decimal(18, 0), and cut the digits after the point.
            T::Decimal | T::VarNumeric => "decimal(38, 10)",
            T::Currency => "decimal(19, 4)",
            T::Boolean => "bit",
            T::Double => "float",
            T::Single => "real",
            T::Date => "date",
            T::Time => "time",
            // The old datetime rounds to 3.33 milliseconds.
            T::DateTime | T::DateTime2 => "datetime2",
            T::DateTimeOffset => "datetimeoffset",
            T::Guid => "uniqueidentifier",
            T::Binary => "varbinary(max)",
            T::Xml => "xml",
            other => return Err(self.no_type(other)),
        })
    }

    fn cast<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        cast::cast(self, w, value, to)
    }

    /// A text beside a varchar column is a varchar, if the code page does not matter: an nvarchar would be the type that
    /// both are compared in, and no index on the column would serve it.
    fn typed_literal(&self, w: &mut Writer<'_, '_>, value: &Value, ty: DbType) -> Result<()> {
        match value {
            Value::Text(text) if ty.base.is_ansi() && !ty.array && text.is_ascii() => text_literal(w, text, ""),
            _ => return self.literal(w, value),
        }
        Ok(())
    }

    fn lexis(&self) -> Lexis {
        LEXIS
    }

    fn literal(&self, w: &mut Writer<'_, '_>, value: &Value) -> Result<()> {
        match value {
            // By itself, 1 is an int: a result or a CASE would not be a bit.
            Value::Bool(true) => w.text("CAST(1 AS bit)"),
            Value::Bool(false) => w.text("CAST(0 AS bit)"),
            // A whole number beyond an int would be a decimal, whose division does not truncate.
            Value::Int(n) if i32::try_from(*n).is_err() => w.quoted("CAST(", n, " AS bigint)"),
            Value::Float(n) if n.is_finite() => float(w, *n),
            Value::Text(text) => text_literal(w, text, "N"),
            Value::Json(text) => text_literal(w, text, "N"),
            Value::Bytes(bytes) => {
                w.text("0x");
                w.hex(bytes);
            }
            Value::Uuid(uuid) => w.quoted("CAST('", uuid, "' AS uniqueidentifier)"),
            Value::Date(date) => w.quoted("CAST('", date.format("%Y-%m-%d"), "' AS date)"),
            Value::Time(time) => w.quoted("CAST('", time.format("%H:%M:%S%.f"), "' AS time)"),
            Value::DateTime(time) => w.quoted("CAST('", time.format("%Y-%m-%dT%H:%M:%S%.f"), "' AS datetime2)"),
            Value::DateTimeOffset(time) => {
                w.quoted("CAST('", time.format("%Y-%m-%dT%H:%M:%S%.f%:z"), "' AS datetimeoffset)");
            }
            other => w.standard_literal(other)?,
        }
        Ok(())
    }

    fn top<'e>(&self, w: &mut Writer<'_, 'e>, limit: &Scalar<'_, 'e>) -> Result<bool> {
        w.text("TOP (");
        w.scalar(limit, Prec::Lowest)?;
        w.text(") ");
        Ok(true)
    }

    fn paging<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        limit: Option<&Scalar<'_, 'e>>,
        offset: Option<&Scalar<'_, 'e>>,
    ) -> Result<()> {
        w.text(" OFFSET ");
        match offset {
            Some(offset) => w.scalar(offset, Prec::Lowest)?,
            None => w.text("0"),
        }
        w.text(" ROWS");
        if let Some(limit) = limit {
            w.text(" FETCH NEXT ");
            w.scalar(limit, Prec::Lowest)?;
            w.text(" ROWS ONLY");
        }
        Ok(())
    }

    /// Nothing: a lock is a hint behind the table.
    fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        let _ = (w, lock);
    }

    /// `FOR UPDATE` is an update lock, which is kept to the end of the transaction. `FOR SHARE` is REPEATABLEREAD, which
    /// keeps the shared locks of the rows that were read; HOLDLOCK would lock the gaps between them as well, and does
    /// not go with READPAST.
    fn table_hint(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        w.text(match lock.mode {
            LockMode::Update => " WITH (UPDLOCK, ROWLOCK",
            LockMode::Share => " WITH (REPEATABLEREAD, ROWLOCK",
        });
        w.text(match lock.wait {
            LockWait::Wait => ")",
            LockWait::NoWait => ", NOWAIT)",
            LockWait::SkipLocked => ", READPAST)",
        });
    }

    fn repeats_placeholders(&self) -> bool {
        true
    }

    fn with_recursive(&self) -> &'static str {
        "WITH "
    }

    /// Without it, the 101st step of a recursion is an error. Other engines go on as long as there are rows.
    fn recursive_end(&self) -> &'static str {
        " OPTION (MAXRECURSION 0)"
    }

    fn concat<'e>(&self, w: &mut Writer<'_, 'e>, items: &[Scalar<'_, 'e>]) -> Result<()> {
        let Some((first, rest)) = items.split_first() else { return Ok(()) };
        if fits_in_place(w, items) {
            w.scalar(first, Prec::Atom)?;
        } else {
            w.text("CAST(");
            w.scalar(first, Prec::Lowest)?;
            w.text(" AS nvarchar(max))");
        }
        for item in rest {
            w.text(" + ");
            w.scalar(item, Prec::Atom)?;
        }
        Ok(())
    }

    fn concat_prec(&self) -> Prec {
        Prec::Add
    }

    /// The items get the type of the column, so that an index on it serves the list: but only if all of them fit, for
    /// an item that is cut or rounded could equal what it did not before.
    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        w.scalar(&node.left, Prec::Concat)?;
        w.text(if node.negated { " NOT IN (SELECT [v] FROM OPENJSON(" } else { " IN (SELECT [v] FROM OPENJSON(" });
        w.placeholder(array, Some(T::Json.into()));
        w.text(") WITH ([v] ");
        match w.value_of(&array) {
            Some(Value::Json(json)) if ty.base.is_text() => {
                let ty = list::text_type(json, ty, node.left.column);
                ty.write(w);
            }
            Some(Value::Json(json)) if ty.base.is_decimal() => match list::decimal_type(json, node.left.column) {
                Some(ty) => ty.write(w),
                None => return Err(w.refused("a list of decimals", "no type of 38 digits holds all of them")),
            },
            _ => w.text(self.cast_type(ty)?),
        }
        w.text(" '$')");
        // Without NULL among the items, the engine makes a join of it; a text of that look only costs that.
        let null = |json: &str| json.contains("[null") || json.contains(",null");
        if node.negated && matches!(w.value_of(&array), Some(Value::Json(json)) if !null(json)) {
            w.text(" WHERE [v] IS NOT NULL");
        }
        w.text(")");
        Ok(())
    }

    /// The optimizer knows the set operation for a comparison, which it does not the CASE; but no subquery may stand in
    /// an aggregate or in OUTPUT.
    fn null_safe_equal<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        left: &Scalar<'_, 'e>,
        right: &Scalar<'_, 'e>,
        equal: bool,
    ) -> Result<()> {
        if self.major >= V2022.0 {
            w.scalar(left, Prec::Concat)?;
            w.text(if equal { " IS NOT DISTINCT FROM " } else { " IS DISTINCT FROM " });
            return w.scalar(right, Prec::Concat);
        }
        let (start, between, end) = if w.in_condition() {
            (if equal { "EXISTS (SELECT " } else { "NOT EXISTS (SELECT " }, " INTERSECT SELECT ", ")")
        } else {
            w.text("CASE WHEN ");
            w.scalar(left, Prec::Concat)?;
            w.text(" IS NULL AND ");
            w.scalar(right, Prec::Concat)?;
            (" IS NULL OR ", " = ", if equal { " THEN 0 ELSE 1 END = 0" } else { " THEN 0 ELSE 1 END = 1" })
        };
        w.text(start);
        w.scalar(left, Prec::Concat)?;
        w.text(between);
        w.scalar(right, Prec::Concat)?;
        w.text(end);
        Ok(())
    }

    fn like_escape(&self) -> &'static str {
        " ESCAPE '\\'"
    }

    /// What JSON_QUERY gives is taken for JSON, and from 2022 on what makes JSON; any other text is taken for text.
    fn json_item<'e>(&self, w: &mut Writer<'_, 'e>, value: &Scalar<'_, 'e>) -> Result<()> {
        let (before, after) = match value.ty.filter(|ty| !ty.array).map(|ty| ty.base) {
            Some(T::Json | T::Jsonb) if !self.makes_json(value) => ("JSON_QUERY(", ")"),
            Some(T::Guid) => ("LOWER(CAST(", " AS nvarchar(36)))"),
            _ => ("", ""),
        };
        w.text(before);
        w.scalar(value, Prec::Lowest)?;
        w.text(after);
        Ok(())
    }

    /// The numbers that OPENJSON gives the types.
    fn json_kind(&self, member: bool) -> &'static str {
        if member { "5" } else { "4" }
    }

    fn insert<'e>(&self, w: &mut Writer<'_, 'e>, insert: &Insert<'_, 'e>) -> Result<()> {
        if insert.conflict.is_some() {
            w.merge(insert, "[T0]", &MERGE)?;
            output(w, insert.returning)?;
            w.recursive_end(insert.ctes);
            w.text(";");
            return Ok(());
        }
        w.with(insert.ctes)?;
        w.insert_into(insert);
        output(w, insert.returning)?;
        let width = insert.columns.len().max(1);
        let rows = match insert.rows {
            Rows::Values(values) => values.len() / width,
            Rows::Scalars(scalars) => scalars.len() / width,
            Rows::Query(_) => 0,
        };
        if rows > ROWS_IN_VALUES {
            w.values_rows(insert, " SELECT * FROM (VALUES (", "), (", ")) [v] (")?;
            w.column_names(insert.columns);
            w.text(")");
        } else {
            w.rows(insert)?;
        }
        w.recursive_end(insert.ctes);
        Ok(())
    }

    fn upsert_names(&self, _table: &str) -> UpsertNames {
        UpsertNames { proposed: Proposed::Qualifier(MERGE.proposed), existing: Some("[T0]") }
    }

    fn write_joins(&self) -> bool {
        true
    }

    fn returning_qualifier(&self, deleted: bool) -> Option<&'static str> {
        Some(if deleted { "deleted" } else { "inserted" })
    }

    fn update<'e>(&self, w: &mut Writer<'_, 'e>, update: &Update<'_, 'e>) -> Result<()> {
        w.with(update.ctes)?;
        w.text("UPDATE ");
        w.text(update.table);
        w.text(" SET ");
        w.assignments(update.sets)?;
        output(w, update.returning)?;
        w.from_joined(update.joined.as_ref())?;
        w.filter(update.filter.as_ref())?;
        w.recursive_end(update.ctes);
        Ok(())
    }

    fn delete<'e>(&self, w: &mut Writer<'_, 'e>, delete: &Delete<'_, 'e>) -> Result<()> {
        w.with(delete.ctes)?;
        w.text(if delete.joined.is_some() { "DELETE " } else { "DELETE FROM " });
        w.text(delete.table);
        output(w, delete.returning)?;
        w.from_joined(delete.joined.as_ref())?;
        w.filter(delete.filter.as_ref())?;
        w.recursive_end(delete.ctes);
        Ok(())
    }

    /// The tokens are .NET's, which FORMAT takes. The culture is given beside it, so `/` and `:` stand for themselves.
    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        use FormatToken as F;
        // One letter by itself would name a whole pattern: `d` is the short date.
        let single = matches!(pattern, [F::Month | F::Day | F::Hour24Plain | F::Hour12Plain]);
        let mut out = String::from(if single { "%" } else { "" });
        for token in pattern {
            let word = match token {
                F::Year4 => "yyyy",
                F::Year2 => "yy",
                F::Month2 => "MM",
                F::Month => "M",
                F::MonthName => "MMMM",
                F::MonthShort => "MMM",
                F::Day2 => "dd",
                F::Day => "d",
                F::DayName => "dddd",
                F::DayShort => "ddd",
                F::Hour24 => "HH",
                F::Hour24Plain => "H",
                F::Hour12 => "hh",
                F::Hour12Plain => "h",
                F::Minute => "mm",
                F::Second => "ss",
                F::Millisecond => "fff",
                F::AmPm => "tt",
                F::Text(text) => {
                    let plain = |c: char| !c.is_ascii_alphabetic() && !matches!(c, '%' | '\\' | '"');
                    if pattern.len() > 1 && text.chars().all(plain) {
                        out.push_str(text);
                    } else {
                        out.push('\'');
                        out.push_str(&text.replace('\\', "\\\\"));
                        out.push('\'');
                    }
                    ""
                }
            };
            out.push_str(word);
        }
        Ok(out)
    }
}

impl SqlServer {
    /// Whether the engine knows by itself that it is JSON.
    fn makes_json(self, value: &Scalar<'_, '_>) -> bool {
        let ScalarKind::Call(call) = value.kind else { return false };
        match call.func {
            Some(Func::JsonQuery) => true,
            Some(Func::JsonObject | Func::JsonArray) => self.major >= V2022.0,
            _ => false,
        }
    }

    fn no_type(self, ty: T) -> Error {
        let reason = "it has no type for it".to_owned();
        ErrorKind::Refused { feature: format!("CAST to {}", ty.name()), dialect: self.label(), reason }.into()
    }
}

/// ` OUTPUT inserted.[a], ...`, if anything comes back.
fn output<'e>(w: &mut Writer<'_, 'e>, items: &[Item<'_, 'e>]) -> Result<()> {
    w.returning(" OUTPUT ", items)
}

/// A text with N before it, unless it is ASCII: without, it would be read in the code page of the database.
fn text_literal(w: &mut Writer<'_, '_>, text: &str, mark: &str) {
    // A backslash at the end of a line would join it with the next one, in the middle of a literal too.
    let joined = |text: &str| text.find("\\\n").into_iter().chain(text.find("\\\r")).min();
    let mut rest = text;
    let mut ends = joined(rest);
    w.text(if ends.is_some() { "(" } else { "" });
    while let Some(at) = ends {
        let (line, after) = rest.split_at(at + 1);
        w.text(mark);
        w.text_literal(line);
        w.text(" + ");
        rest = after;
        ends = joined(rest);
    }
    w.text(mark);
    w.text_literal(rest);
    w.text(if rest.len() < text.len() { ")" } else { "" });
}

/// A double with an exponent: without, it would be a decimal.
fn float(w: &mut Writer<'_, '_>, n: f64) {
    w.quoted("", format_args!("{n:E}"), "");
}
