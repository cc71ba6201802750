//! What SQL Server says of its tables, by the catalog views of `sys`, which show each user what that user may see.

use isogloss_compiler::dialect::Quotes;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_driver::introspect::{EngineType, Introspection, PortableType};

/// The tables and views of a schema as `o`, without those of the engine's own.
macro_rules! of_schema {
    () => {
        " JOIN sys.schemas s ON s.schema_id = o.schema_id \
         WHERE s.name = COALESCE(@P1, SCHEMA_NAME()) AND o.type IN ('U', 'V') AND o.is_ms_shipped = 0 "
    };
}

/// The comment on an object, or on one of its columns: there is no statement for it, but every tool writes it there.
macro_rules! comment {
    ($column:literal) => {
        concat!(
            "(SELECT CAST(e.value AS nvarchar(4000)) FROM sys.extended_properties e \
             WHERE e.class = 1 AND e.major_id = o.object_id AND e.minor_id = ",
            $column,
            " AND e.name = N'MS_Description')"
        )
    };
}

pub(crate) const QUESTIONS: Introspection = Introspection {
    default_schema: "SELECT SCHEMA_NAME()",
    tables: concat!(
        "SELECT s.name, o.name, CASE o.type WHEN 'V' THEN CAST('view' AS nvarchar(5)) ELSE 'table' END, ",
        comment!("0"),
        ", (SELECT SUM(p.rows) FROM sys.partitions p WHERE p.object_id = o.object_id AND p.index_id IN (0, 1)) \
         FROM sys.objects o",
        of_schema!(),
        "ORDER BY o.name"
    ),
    // An alias type is of the type that it is made of, and has its length. A length of -1 is none; that of a wide text is in bytes. A row version
    // is written by the engine, as the columns of a period are.
    columns: concat!(
        "SELECT o.name, c.name, CONCAT(CASE WHEN t.is_user_defined = 1 \
         THEN QUOTENAME(SCHEMA_NAME(t.schema_id)) + N'.' + QUOTENAME(t.name) ELSE t.name END, CASE \
         WHEN t.user_type_id <> t.system_type_id THEN '' \
         WHEN b.name IN ('varchar', 'nvarchar', 'varbinary') AND c.max_length = -1 THEN '(max)' \
         WHEN b.name IN ('char', 'varchar', 'binary', 'varbinary') THEN CONCAT('(', c.max_length, ')') \
         WHEN b.name IN ('nchar', 'nvarchar') THEN CONCAT('(', c.max_length / 2, ')') \
         WHEN b.name IN ('decimal', 'numeric') THEN CONCAT('(', c.precision, ', ', c.scale, ')') \
         WHEN b.name IN ('datetime2', 'datetimeoffset', 'time') THEN CONCAT('(', c.scale, ')') ELSE '' END), \
         COALESCE(b.name, t.name), \
         CAST(CASE WHEN c.max_length = -1 THEN NULL WHEN b.name IN ('nchar', 'nvarchar') THEN c.max_length / 2 \
         WHEN b.name IN ('char', 'varchar', 'binary', 'varbinary') THEN c.max_length END AS bigint), \
         CAST(CASE WHEN b.name IN ('decimal', 'numeric') THEN c.precision \
         WHEN b.name IN ('datetime2', 'datetimeoffset', 'time') THEN c.scale END AS bigint), \
         CAST(CASE WHEN b.name IN ('decimal', 'numeric') THEN c.scale END AS bigint), \
         CAST(c.is_nullable AS bigint), \
         CASE WHEN i.column_id IS NOT NULL THEN CAST('identity' AS nvarchar(9)) \
         WHEN k.is_persisted = 1 THEN 'stored' \
         WHEN k.column_id IS NOT NULL OR c.generated_always_type <> 0 OR b.name = 'timestamp' THEN 'generated' \
         WHEN d.object_id IS NOT NULL THEN 'default' END, \
         CASE WHEN i.column_id IS NOT NULL \
         THEN CAST(CONCAT(TRY_CAST(i.seed_value AS bigint), ' ', TRY_CAST(i.increment_value AS bigint)) AS nvarchar(max)) \
         ELSE COALESCE(k.definition, d.definition) END, \
         CASE WHEN c.collation_name <> CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS nvarchar(128)) \
         THEN c.collation_name END, ",
        comment!("c.column_id"),
        ", CAST(c.is_hidden AS bigint) FROM sys.objects o \
         JOIN sys.columns c ON c.object_id = o.object_id \
         JOIN sys.types t ON t.user_type_id = c.user_type_id \
         LEFT JOIN sys.types b ON b.user_type_id = c.system_type_id \
         LEFT JOIN sys.identity_columns i ON i.object_id = c.object_id AND i.column_id = c.column_id AND o.type = 'U' \
         LEFT JOIN sys.computed_columns k ON k.object_id = c.object_id AND k.column_id = c.column_id \
         LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id",
        of_schema!(),
        "ORDER BY o.name, c.column_id"
    ),
    view_columns: None,
    identities: None,
    bytes: None,
    updates: None,
    keys: concat!(
        "SELECT q.of_table, q.of_key, q.kind, q.own, q.other_schema, q.other_table, q.other, q.on_delete, q.on_update, q.state, CAST(0 AS bigint) FROM (\
         SELECT o.name AS of_table, k.name AS of_key, CASE k.type WHEN 'PK' THEN 'P' ELSE 'U' END AS kind, c.name AS own, \
         CAST(NULL AS nvarchar(128)) AS other_schema, CAST(NULL AS nvarchar(128)) AS other_table, \
         CAST(NULL AS nvarchar(128)) AS other, CAST(NULL AS nvarchar(60)) AS on_delete, \
         CAST(NULL AS nvarchar(60)) AS on_update, CAST(CASE WHEN ix.is_disabled = 1 THEN 2 ELSE 0 END AS bigint) AS state, \
         CAST(x.key_ordinal AS int) AS place \
         FROM sys.key_constraints k JOIN sys.objects o ON o.object_id = k.parent_object_id \
         JOIN sys.indexes ix ON ix.object_id = k.parent_object_id AND ix.index_id = k.unique_index_id \
         JOIN sys.index_columns x ON x.object_id = k.parent_object_id AND x.index_id = k.unique_index_id AND x.key_ordinal > 0 \
         JOIN sys.columns c ON c.object_id = x.object_id AND c.column_id = x.column_id",
        of_schema!(),
        "UNION ALL \
         SELECT o.name, f.name, 'F', c.name, rs.name, ro.name, rc.name, REPLACE(f.delete_referential_action_desc, '_', ' '), \
         REPLACE(f.update_referential_action_desc, '_', ' '), \
         CAST(CASE WHEN f.is_disabled = 1 THEN 2 WHEN f.is_not_trusted = 1 THEN 1 ELSE 0 END AS bigint), \
         x.constraint_column_id \
         FROM sys.foreign_keys f JOIN sys.objects o ON o.object_id = f.parent_object_id \
         JOIN sys.foreign_key_columns x ON x.constraint_object_id = f.object_id \
         JOIN sys.columns c ON c.object_id = x.parent_object_id AND c.column_id = x.parent_column_id \
         JOIN sys.objects ro ON ro.object_id = f.referenced_object_id \
         JOIN sys.schemas rs ON rs.schema_id = ro.schema_id \
         JOIN sys.columns rc ON rc.object_id = x.referenced_object_id AND rc.column_id = x.referenced_column_id",
        of_schema!(),
        ") q ORDER BY q.of_table, q.kind, q.of_key, q.place"
    ),
    indexes: concat!(
        // Columns of a columnstore, XML or spatial index have no place among keys. A table has one full-text index, without a name.
        "SELECT q.of_table, q.of_index, q.is_unique, q.of_column, q.expression, q.condition, q.method FROM (\
         SELECT o.name AS of_table, i.name AS of_index, CAST(i.is_unique AS bigint) AS is_unique, \
         CASE WHEN x.is_descending_key = 0 THEN c.name END AS of_column, \
         CASE WHEN x.is_descending_key = 1 THEN QUOTENAME(c.name) + N' DESC' END AS expression, i.filter_definition AS condition, \
         CASE WHEN i.is_disabled = 1 THEN CAST('disabled' AS nvarchar(128)) WHEN i.type > 2 THEN i.type_desc \
         WHEN EXISTS (SELECT 1 FROM sys.index_columns n WHERE n.object_id = i.object_id AND n.index_id = i.index_id \
         AND n.is_included_column = 1) THEN i.type_desc + N' INCLUDE' END AS method, \
         x.key_ordinal AS place, x.index_column_id AS other_place \
         FROM sys.indexes i JOIN sys.objects o ON o.object_id = i.object_id AND i.type > 0 \
         AND i.is_primary_key = 0 AND i.is_unique_constraint = 0 AND i.is_hypothetical = 0 \
         JOIN sys.index_columns x ON x.object_id = i.object_id AND x.index_id = i.index_id \
         AND (x.key_ordinal > 0 OR i.type IN (3, 4, 5, 6)) \
         JOIN sys.columns c ON c.object_id = x.object_id AND c.column_id = x.column_id",
        of_schema!(),
        "UNION ALL SELECT o.name, N'FULLTEXT', CAST(0 AS bigint), c.name, NULL, NULL, N'FULLTEXT', 0, c.column_id \
         FROM sys.fulltext_index_columns x JOIN sys.objects o ON o.object_id = x.object_id \
         JOIN sys.columns c ON c.object_id = x.object_id AND c.column_id = x.column_id",
        of_schema!(),
        ") q ORDER BY q.of_table, q.of_index, q.place, q.other_place"
    ),
    checks: Some(concat!(
        "SELECT o.name, k.name, k.definition, \
         CAST(CASE WHEN k.is_disabled = 1 THEN 2 WHEN k.is_not_trusted = 1 THEN 1 ELSE 0 END AS bigint), CAST(0 AS bigint) \
         FROM sys.check_constraints k \
         JOIN sys.objects o ON o.object_id = k.parent_object_id",
        of_schema!(),
        "ORDER BY o.name, k.name"
    )),
    others: None,
    beside: &[],
    sequences: Some(
        "SELECT s.name, q.name, TRY_CAST(q.start_value AS bigint), TRY_CAST(q.increment AS bigint), \
         TRY_CAST(q.minimum_value AS bigint), TRY_CAST(q.maximum_value AS bigint), CAST(q.is_cycling AS bigint), \
         CAST(NULL AS nvarchar(128)), CAST(NULL AS nvarchar(128)), CAST(NULL AS nvarchar(128)), CAST(0 AS bigint) \
         FROM sys.sequences q JOIN sys.schemas s ON s.schema_id = q.schema_id \
         WHERE s.name = COALESCE(@P1, SCHEMA_NAME()) ORDER BY q.name",
    ),
    numbers: None,
    // `(NEXT VALUE FOR [dbo].[Numbers])`: what the engine keeps of dependencies, only its owners may read.
    draws: Some(|default, schema, name| {
        default.contains(&format!("NEXT VALUE FOR {}", Quotes('[', ']').quoted([schema, name])))
    }),
    makes_key_name: Some(|_, name| name.starts_with("PK__")),
    indexes_foreign_keys: false,
    texts: None,
    portable,
    is_special: None,
    definitions: None,
    choices: None,
};

fn portable(ty: &EngineType<'_>) -> Option<PortableType> {
    /// The most characters of `nvarchar(max)`, and the most bytes of `varbinary(max)`.
    const WIDE: u32 = (1 << 30) - 1;
    const LARGE: u32 = (1 << 31) - 1;
    let of = PortableType::new;
    // The engine has a seventh digit behind the seconds, and a catalog none.
    let seconds = ty.precision().filter(|digits| *digits <= 6);
    Some(match ty.name {
        "bit" => of(T::Boolean),
        "tinyint" => of(T::Byte),
        "smallint" => of(T::Int16),
        "int" => of(T::Int32),
        "bigint" => of(T::Int64),
        "real" => of(T::Single),
        "float" => of(T::Double),
        "decimal" | "numeric" => ty.decimal(),
        "money" => of(T::Decimal).digits(Some(19), Some(4)),
        "smallmoney" => of(T::Decimal).digits(Some(10), Some(4)),
        "nvarchar" => of(T::String).length(ty.length().or(Some(WIDE))),
        "ntext" => of(T::String).length(Some(WIDE)),
        "nchar" => of(T::StringFixedLength).length(ty.length()),
        "varchar" => of(T::AnsiString).length(ty.length().or(Some(LARGE))),
        "text" => of(T::AnsiString).length(Some(LARGE)),
        "char" => of(T::AnsiStringFixedLength).length(ty.length()),
        "binary" => of(T::Binary).length(ty.length()),
        "varbinary" => of(T::Binary).length(ty.length().or(Some(LARGE))),
        "image" => of(T::Binary).length(Some(LARGE)),
        "timestamp" => of(T::Binary).length(Some(8)),
        "date" => of(T::Date),
        "time" => of(T::Time).digits(seconds, None),
        "datetime" => of(T::DateTime),
        "smalldatetime" => of(T::DateTime2).digits(Some(0), None),
        "datetime2" => of(T::DateTime2).digits(seconds, None),
        "datetimeoffset" => of(T::DateTimeOffset).digits(seconds, None),
        "uniqueidentifier" => of(T::Guid),
        "xml" => of(T::Xml),
        "json" => of(T::Json),
        _ => return None,
    })
}
