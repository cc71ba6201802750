//! What PostgreSQL says of its tables, by `pg_catalog`, which every user may read.

use crate::alter;
use isogloss_compiler::expr::{DbType, DbValueType as T};
use isogloss_driver::introspect::{EngineType, Introspection, PortableType};

/// What a table or a view is in `pg_class`, without the parts of another one.
macro_rules! of_schema {
    () => {
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = COALESCE($1, current_schema()) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition "
    };
}

/// Whether a constraint is kept. Those that are not enforced came with PostgreSQL 18.
macro_rules! kept {
    () => {
        "CASE WHEN pg_catalog.to_jsonb(k) ->> 'conenforced' = 'false' THEN 2 WHEN k.convalidated THEN 0 ELSE 1 END::bigint"
    };
}

/// Whether two rows with NULL are alike to the index `i`, which came with PostgreSQL 15.
macro_rules! nulls_are_alike {
    () => {
        "pg_catalog.to_jsonb(i) ->> 'indnullsnotdistinct' = 'true'"
    };
}

/// Whether a constraint is a unique key to which rows with NULL are alike.
macro_rules! is_strict_key {
    () => {
        concat!(
            "(k.contype = 'u' AND EXISTS (SELECT 1 FROM pg_catalog.pg_index i WHERE i.indexrelid = k.conindid AND ",
            nulls_are_alike!(),
            "))"
        )
    };
}

/// What is done with the rows of a foreign key.
macro_rules! action {
    ($of:literal) => {
        concat!(
            "CASE k.",
            $of,
            " WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' \
             WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' END"
        )
    };
}

pub(crate) const QUESTIONS: Introspection = Introspection {
    default_schema: "SELECT current_schema()::text",
    // Nothing was counted yet where the number is negative, or 0 before PostgreSQL 14.
    tables: concat!(
        "SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END, \
         pg_catalog.obj_description(c.oid, 'pg_class'), CASE WHEN c.reltuples > 0 THEN c.reltuples::bigint END \
         FROM pg_catalog.pg_class c",
        of_schema!(),
        "ORDER BY c.relname"
    ),
    // The cast of a literal to the column's own type says nothing. A domain is of the type that it is made of. Numbers come from the sequence that belongs to the column.
    columns: concat!(
        "SELECT c.relname::text, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), b.typname::text, \
         CASE WHEN b.typname IN ('varchar', 'bpchar') AND m.of > 0 THEN m.of - 4 END::bigint, \
         CASE WHEN b.typname = 'numeric' AND m.of > 0 THEN ((m.of - 4) >> 16) & 65535 \
         WHEN b.typname IN ('time', 'timetz', 'timestamp', 'timestamptz') AND m.of >= 0 THEN m.of END::bigint, \
         CASE WHEN b.typname = 'numeric' AND m.of > 0 THEN (((m.of - 4) & 2047) # 1024) - 1024 END::bigint, \
         CASE WHEN a.attnotnull THEN 0 ELSE 1 END::bigint, \
         CASE WHEN s.start IS NOT NULL THEN 'identity' WHEN a.attgenerated = 's' THEN 'stored' \
         WHEN a.attgenerated <> '' THEN 'generated' \
         WHEN d.adbin IS NOT NULL THEN 'default' END, \
         COALESCE(s.start || ' ' || s.step, pg_catalog.regexp_replace(pg_catalog.pg_get_expr(d.adbin, d.adrelid), \
         '^(''(?:[^'']|'''')*'')::[a-z ]+(?:[(][0-9, ]+[)])?(?:[[][]])?$', '\\1')), \
         CASE WHEN a.attcollation <> t.typcollation THEN l.collname::text END, \
         pg_catalog.col_description(c.oid, a.attnum), 0::bigint \
         FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
         JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
         JOIN pg_catalog.pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END \
         CROSS JOIN LATERAL (SELECT CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END AS of) m \
         LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum \
         LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation \
         LEFT JOIN LATERAL (SELECT q.seqstart::text AS start, q.seqincrement::text AS step FROM pg_catalog.pg_depend p \
         JOIN pg_catalog.pg_sequence q ON q.seqrelid = p.objid \
         WHERE p.classid = 'pg_catalog.pg_class'::regclass AND p.refclassid = 'pg_catalog.pg_class'::regclass \
         AND p.refobjid = c.oid AND p.refobjsubid = a.attnum AND p.deptype IN ('a', 'i') \
         AND (a.attidentity <> '' OR pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%') LIMIT 1) s ON TRUE",
        of_schema!(),
        "ORDER BY c.relname, a.attnum"
    ),
    view_columns: None,
    identities: None,
    bytes: None,
    updates: None,
    keys: concat!(
        "SELECT c.relname::text, k.conname::text, UPPER(k.contype::text), a.attname::text, fn.nspname::text, \
         fc.relname::text, fa.attname::text, ",
        action!("confdeltype"),
        ", ",
        action!("confupdtype"),
        ", ",
        kept!(),
        ", CASE WHEN k.condeferred THEN 1 ELSE 0 END::bigint \
         FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid AND k.contype IN ('p', 'u', 'f') \
         AND k.conparentid = 0 AND NOT ",
        is_strict_key!(),
        " \
         CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS u(own, other, place) \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.own \
         LEFT JOIN pg_catalog.pg_class fc ON fc.oid = k.confrelid \
         LEFT JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace \
         LEFT JOIN pg_catalog.pg_attribute fa ON fa.attrelid = k.confrelid AND fa.attnum = u.other",
        of_schema!(),
        "ORDER BY c.relname, k.contype, k.conname, u.place"
    ),
    // The usual tree is `lsm` on YugabyteDB, and `prefix` on CockroachDB, where NULL comes first in an index.
    indexes: concat!(
        "SELECT c.relname::text, x.relname::text, CASE WHEN i.indisunique THEN 1 ELSE 0 END::bigint, \
         CASE WHEN w.own = '' THEN a.attname::text END, \
         CASE WHEN a.attname IS NULL OR w.own <> '' \
         THEN pg_catalog.pg_get_indexdef(i.indexrelid, u.place::int, TRUE) || w.own END, \
         pg_catalog.pg_get_expr(i.indpred, i.indrelid), CASE WHEN NOT i.indisvalid THEN 'invalid' \
         WHEN ",
        nulls_are_alike!(),
        " THEN m.amname || ' NULLS NOT DISTINCT' \
         WHEN i.indnatts > i.indnkeyatts THEN m.amname || ' INCLUDE (' || pg_catalog.array_to_string(ARRAY(\
         SELECT pg_catalog.pg_get_indexdef(i.indexrelid, p.place::int, TRUE) \
         FROM pg_catalog.generate_series(i.indnkeyatts::int + 1, i.indnatts::int) AS p(place)), ', ') || ')' \
         WHEN m.amname NOT IN ('btree', 'lsm', 'prefix') THEN m.amname::text END \
         FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid \
         AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')) \
         JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid \
         JOIN pg_catalog.pg_am m ON m.oid = x.relam \
         JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS u(own, place) ON u.place <= i.indnkeyatts \
         LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.own AND u.own > 0 \
         LEFT JOIN pg_catalog.pg_opclass o ON o.oid = i.indclass[(u.place - 1)::int] \
         LEFT JOIN pg_catalog.pg_collation l ON l.oid = i.indcollation[(u.place - 1)::int] AND l.oid <> a.attcollation \
         CROSS JOIN LATERAL (SELECT COALESCE(' COLLATE ' || pg_catalog.quote_ident(l.collname), '') \
         || CASE WHEN o.opcdefault THEN '' ELSE COALESCE(' ' || o.opcname, '') END \
         || CASE i.indoption[(u.place - 1)::int] & 3 \
         WHEN 1 THEN CASE m.amname WHEN 'prefix' THEN ' DESC' ELSE ' DESC NULLS LAST' END WHEN 3 THEN ' DESC' \
         WHEN 2 THEN CASE m.amname WHEN 'prefix' THEN '' ELSE ' NULLS FIRST' END ELSE '' END AS own) w",
        of_schema!(),
        "ORDER BY c.relname, x.relname, u.place"
    ),
    checks: Some(concat!(
        "SELECT c.relname::text, k.conname::text, pg_catalog.pg_get_expr(k.conbin, k.conrelid), ",
        kept!(),
        ", 0::bigint FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid AND k.contype = 'c'",
        of_schema!(),
        "ORDER BY c.relname, k.conname"
    )),
    others: Some(concat!(
        "SELECT c.relname::text, k.conname::text, pg_catalog.pg_get_constraintdef(k.oid) \
         FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid AND (k.contype = 'x' OR ",
        is_strict_key!(),
        ")",
        of_schema!(),
        "ORDER BY c.relname, k.conname"
    )),
    // A partition is told by the table that it is part of, and its triggers by that of which they are copies.
    beside: &[concat!(
        "SELECT q.of_table, q.part, q.kind, q.text FROM (\
         SELECT c.relname::text AS of_table, NULL::text AS part, 'detail' AS kind, v.text AS text \
         FROM pg_catalog.pg_class c CROSS JOIN LATERAL (VALUES \
         (CASE WHEN c.relpersistence = 'u' THEN 'UNLOGGED' END), \
         (CASE WHEN c.relkind = 'f' THEN 'a foreign table' WHEN c.relkind = 'm' THEN 'a materialized view' \
         WHEN c.relkind = 'p' THEN 'PARTITION BY ' || pg_catalog.pg_get_partkeydef(c.oid) END), \
         (CASE WHEN c.relrowsecurity THEN 'ROW LEVEL SECURITY' || COALESCE(': ' || (SELECT pg_catalog.string_agg(\
         'policy ' || pg_catalog.quote_ident(p.polname), ', ' ORDER BY p.polname) FROM pg_catalog.pg_policy p \
         WHERE p.polrelid = c.oid), '') END), \
         ((SELECT 'INHERITS (' || pg_catalog.string_agg(i.inhparent::pg_catalog.regclass::text, ', ' ORDER BY i.inhseqno) || ')' \
         FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid HAVING COUNT(*) > 0))) v(text)",
        of_schema!(),
        "AND v.text IS NOT NULL UNION ALL \
         SELECT c.relname::text, r.rulename::text, 'detail', pg_catalog.pg_get_ruledef(r.oid) \
         FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class AND r.rulename <> '_RETURN'",
        of_schema!(),
        "UNION ALL \
         SELECT c.relname::text, t.tgname::text, 'trigger', pg_catalog.pg_get_triggerdef(t.oid) \
         FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid AND NOT t.tgisinternal",
        of_schema!(),
        "UNION ALL \
         SELECT c.relname::text, a.attname::text, 'detail', 'GENERATED ALWAYS AS IDENTITY' \
         FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND a.attidentity = 'a'",
        of_schema!(),
        "UNION ALL \
         SELECT c.relname::text, k.conname::text, 'detail', v.text FROM pg_catalog.pg_constraint k \
         JOIN pg_catalog.pg_class c ON c.oid = k.conrelid AND k.contype IN ('p', 'u', 'f') AND k.conparentid = 0 \
         CROSS JOIN LATERAL (VALUES \
         (CASE WHEN k.condeferrable AND NOT (k.condeferred AND k.contype = 'f') THEN 'DEFERRABLE' || \
         CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' ELSE '' END END), \
         (CASE WHEN k.confmatchtype = 'f' THEN 'MATCH FULL' END), \
         ((SELECT 'SET of ' || pg_catalog.string_agg(a.attname, ', ') FROM pg_catalog.pg_attribute a \
         WHERE a.attrelid = k.conrelid AND a.attnum::text IN (SELECT pg_catalog.jsonb_array_elements_text(\
         CASE pg_catalog.jsonb_typeof(pg_catalog.to_jsonb(k) -> 'confdelsetcols') WHEN 'array' \
         THEN pg_catalog.to_jsonb(k) -> 'confdelsetcols' ELSE '[]' END)) HAVING COUNT(*) > 0)), \
         ((SELECT 'INCLUDE (' || pg_catalog.string_agg(pg_catalog.pg_get_indexdef(i.indexrelid, p.place::int, TRUE), ', ' \
         ORDER BY p.place) || ')' FROM pg_catalog.pg_index i \
         CROSS JOIN LATERAL pg_catalog.generate_series(i.indnkeyatts::int + 1, i.indnatts::int) AS p(place) \
         WHERE i.indexrelid = k.conindid AND k.contype <> 'f' HAVING COUNT(*) > 0))) v(text)",
        of_schema!(),
        "AND v.text IS NOT NULL UNION ALL \
         SELECT DISTINCT c.relname::text, a.attname::text, 'reader', r.ev_class::pg_catalog.regclass::text \
         FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid AND r.ev_class <> d.refobjid \
         JOIN pg_catalog.pg_class c ON c.oid = d.refobjid \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid",
        of_schema!(),
        "AND d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjsubid > 0\
         ) q ORDER BY q.of_table, q.kind, q.part, q.text"
    )],
    // One that belongs to a column depends on it; a default depends on the sequence that it draws from.
    sequences: Some(
        "SELECT n.nspname::text, c.relname::text, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, \
         CASE WHEN s.seqcycle THEN 1 ELSE 0 END::bigint, tn.nspname::text, t.relname::text, a.attname::text, \
         CASE WHEN u.owned THEN 1 ELSE 0 END::bigint \
         FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         LEFT JOIN LATERAL (SELECT q.of, q.place, bool_or(q.owned) AS owned FROM (\
         SELECT p.refobjid AS of, p.refobjsubid AS place, TRUE AS owned FROM pg_catalog.pg_depend p \
         WHERE p.classid = 'pg_catalog.pg_class'::regclass AND p.refclassid = 'pg_catalog.pg_class'::regclass \
         AND p.objid = c.oid AND p.deptype IN ('a', 'i') AND p.refobjsubid > 0 UNION ALL \
         SELECT d.adrelid, d.adnum, FALSE FROM pg_catalog.pg_depend p JOIN pg_catalog.pg_attrdef d ON d.oid = p.objid \
         WHERE p.classid = 'pg_catalog.pg_attrdef'::regclass AND p.refclassid = 'pg_catalog.pg_class'::regclass \
         AND p.refobjid = c.oid) q GROUP BY q.of, q.place) u ON TRUE \
         LEFT JOIN pg_catalog.pg_class t ON t.oid = u.of LEFT JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace \
         LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = u.of AND a.attnum = u.place \
         WHERE n.nspname = COALESCE($1, current_schema()) ORDER BY c.relname, t.relname, u.place",
    ),
    numbers: None,
    draws: None,
    makes_key_name: Some(alter::is_made_key_name),
    indexes_foreign_keys: false,
    texts: None,
    portable,
    is_special: Some(is_special),
    definitions: None,
    choices: None,
};

/// A domain has checks of its own, and `character` blanks at the end; the rest have their own order or equality.
fn is_special(ty: &EngineType<'_>) -> bool {
    let is_shown = match ty.name.strip_prefix('_').unwrap_or(ty.name) {
        "bool" => "boolean",
        "int2" => "smallint",
        "int4" => "integer",
        "int8" => "bigint",
        "float4" => "real",
        "float8" => "double precision",
        "varchar" => "character varying",
        "timestamp" => "timestamp",
        "timestamptz" => "timestamp",
        same @ ("numeric" | "text" | "bytea" | "date" | "time" | "uuid" | "json" | "jsonb" | "xml") => same,
        _ => return true,
    };
    !ty.text.starts_with(is_shown)
}

fn portable(ty: &EngineType<'_>) -> Option<PortableType> {
    // `_int4` is an array of `int4`.
    if let Some(item) = ty.name.strip_prefix('_') {
        return simple(item, ty).map(|item| PortableType::new(DbType::array_of(item.ty.base)));
    }
    simple(ty.name, ty)
}

/// The type of that name, with the digits and the length of another one.
fn simple(name: &str, ty: &EngineType<'_>) -> Option<PortableType> {
    let of = PortableType::new;
    Some(match name {
        "bool" => of(T::Boolean),
        "int2" => of(T::Int16),
        "int4" => of(T::Int32),
        "int8" => of(T::Int64),
        "float4" => of(T::Single),
        "float8" => of(T::Double),
        "numeric" => ty.decimal(),
        "text" | "citext" => of(T::String).length(Some(PortableType::LONGEST)),
        "name" => of(T::String).length(Some(63)),
        "varchar" => of(T::String).length(ty.length_or_longest()),
        "bpchar" => of(T::StringFixedLength).length(ty.length_or_longest()),
        "bytea" => of(T::Binary).length(Some(PortableType::LONGEST)),
        "date" => of(T::Date),
        "time" => of(T::Time).digits(ty.precision(), None),
        "timestamp" => of(T::DateTime2).digits(ty.precision(), None),
        "timestamptz" => of(T::DateTimeOffset).digits(ty.precision(), None),
        "uuid" => of(T::Guid),
        "json" => of(T::Json),
        "jsonb" => of(T::Jsonb),
        "xml" => of(T::Xml),
        _ => return None,
    })
}
