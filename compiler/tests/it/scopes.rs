//! Scopes where a statement is not a tree of its own: rows on the fast path, many rows in one statement, templates,
//! conditions.

use isogloss_compiler::dialect::{self, Dialect};
use isogloss_compiler::expr::{Value, ValueOps, exists_related, from, prop, table};
use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
use isogloss_compiler::{Compiler, ErrorKind, ExprString, RawSql, Request, Scope, Target, identifier};
use std::sync::Arc;

use crate::support::{PLAIN, Plain};

fn target() -> Arc<Target> {
    use isogloss_compiler::expr::DbValueType as T;
    let id = || ColumnDef::new("Id", T::Int32).primary_key();
    let note = TableDef::new("Note")
        .column(id())
        .column(ColumnDef::new("TenantId", T::Int32))
        .column(ColumnDef::new("Text", T::String).length(100).nullable());
    let owned = TableDef::new("Owned")
        .scoped()
        .column(id())
        .column(ColumnDef::new("NoteId", T::Int32).foreign(ForeignType::new("Note")))
        .column(ColumnDef::new("Gone", T::Boolean).soft_delete());
    let plain = TableDef::new("Plain").column(id()).column(ColumnDef::new("Note", T::Int32));
    Compiler::new(Catalog::builder().table(note).table(owned).table(plain).build().unwrap()).target(&Plain)
}

fn tenant() -> Scope {
    Scope::new().column("TenantId", 7).named("tenant")
}

fn is_outside<T>(result: isogloss_compiler::Result<T>) -> bool {
    result.is_err_and(|error| matches!(error.kind(), ErrorKind::OutOfScope { filter, .. } if filter == "tenant"))
}

#[test]
fn rows_on_the_fast_path_are_filled_and_held() {
    let (target, scope) = (target(), tenant());
    let request = Request::default().scope(&scope);
    let filled = target.bulk_insert_with("Note", &["Id"], &request).unwrap();
    assert_eq!((filled.sql(), filled.given()), (r#"INSERT INTO "Note" ("Id", "TenantId") VALUES (?, ?)"#, 1));
    let mut row: Vec<Value> = vec![1.into()];
    filled.complete(&mut row).unwrap();
    assert_eq!(row, [1.into(), 7.into()]);

    let given = target.bulk_insert_with("Note", &["Id", "TenantId"], &request).unwrap();
    assert!(given.complete(&mut vec![1.into(), 7.into()]).is_ok());
    assert!(given.complete(&mut vec![1.into(), "7".into()]).is_ok());
    assert!(is_outside(given.complete(&mut vec![1.into(), 8.into()])));

    let set = Scope::new().column_in("TenantId", [7, 9]).named("tenant");
    let within = target.bulk_insert_with("Note", &["Id", "TenantId"], &Request::default().scope(&set)).unwrap();
    assert!(within.complete(&mut vec![1.into(), 9.into()]).is_ok());
    assert!(is_outside(within.complete(&mut vec![1.into(), 8.into()])));
    let without = target.bulk_insert_with("Note", &["Id"], &Request::default().scope(&set)).unwrap();
    assert!(is_outside(without.complete(&mut vec![1.into()])));

    // No values decide an EXISTS, so that it is for reads only, or no row is taken.
    let related = Scope::new().filter_of("Note", exists_related("Owned", None)).named("tenant");
    let bulk = |scope: &Scope| target.bulk_insert_with("Note", &["Id"], &Request::default().scope(scope)).unwrap();
    assert!(is_outside(bulk(&related).complete(&mut vec![1.into()])));
    assert!(bulk(&related.for_reads()).complete(&mut vec![1.into()]).is_ok());
}

#[test]
fn rows_are_not_marked_as_deleted_and_want_their_scope() {
    let (target, scope) = (target(), Scope::unscoped("a test"));
    let error = target.bulk_insert("Owned", &["Id", "NoteId"], &[]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoScope { entity } if entity == "Owned"), "{error}");
    let owned = target.bulk_insert_with("Owned", &["Id", "NoteId"], &Request::default().scope(&scope)).unwrap();
    let mut row: Vec<Value> = vec![1.into(), 2.into()];
    owned.complete(&mut row).unwrap();
    assert_eq!(row, [1.into(), 2.into(), false.into()]);
}

#[test]
fn a_statement_of_many_rows_has_no_scope() {
    let (target, scope) = (target(), tenant());
    let request = Request::default().scope(&scope);
    let insert = table("Note").insert(["Id", "TenantId"], vec![1.into(), 7.into()]);
    assert!(target.compile_rows_with(&insert, &request).unwrap().is_none());
    let update = table("Note").update([("Text", "a")]).filter(prop("Id").eq(1));
    assert!(target.compile_rows_with(&update, &request).unwrap().is_none());
    assert!(is_outside(target.compile_rows_with(&table("Note").insert(["TenantId"], vec![8.into()]), &request)));
}

#[test]
fn a_condition_of_its_own_has_the_scope() {
    let (target, scope) = (target(), tenant());
    let filter = prop("Id").eq(1) | prop("Id").eq(2);
    let condition = target.condition(&filter, &Request::of("Note").scope(&scope), Some("n")).unwrap();
    assert_eq!(condition.sql, r#""n"."TenantId" = ? AND ("n"."Id" = ? OR "n"."Id" = ?)"#);
    assert_eq!(condition.filters[0].alias, "n");
}

#[test]
fn a_template_says_where_the_filters_go() {
    let (target, scope) = (target(), tenant());
    let sql = |text: &'static str, scope: &Scope| {
        let template = ExprString::parse(text).unwrap();
        let request = Request::of("Note").scope(scope);
        target.compile_template(&template, &request).map(|made| made.sql).map_err(|error| error.to_string())
    };
    assert_eq!(
        sql("SELECT COUNT(*) FROM {From}", &scope).unwrap(),
        r#"SELECT COUNT(*) FROM (SELECT * FROM "Note" WHERE "TenantId" = ?) "T0""#
    );
    let marked = sql("SELECT 1 FROM {Table} [T0] WHERE {FixedFilter} AND [Id] = 1", &scope).unwrap();
    assert_eq!(marked, r#"SELECT 1 FROM "Note" "T0" WHERE ("T0"."TenantId" = ?) AND "Id" = 1"#);
    for text in ["SELECT 1 FROM {Table}", "SELECT 1 FROM [Note]"] {
        assert!(sql(text, &scope).unwrap_err().contains("says where they go"), "{text}");
        assert!(sql(text, &Scope::unscoped("a test")).is_ok(), "{text}");
        assert!(sql(text, &Scope::new()).is_ok(), "{text}");
    }
    let whole = ExprString::parse("SELECT * FROM {q} x").unwrap().bind("q", from("Note").select(["Id"]));
    let made = target.compile_template(&whole, &Request::default().scope(&scope)).unwrap();
    assert!(made.sql.contains(r#""TenantId" = ?"#), "{}", made.sql);
}

#[test]
fn each_table_of_a_template_has_its_filters() {
    let (target, scope) = (target(), tenant());
    let sql = |entity: &'static str, template: ExprString, scope: &Scope| {
        let request = Request::of(entity).scope(scope);
        target.compile_template(&template, &request).map(|made| made.sql).map_err(|error| error.to_string())
    };
    let parse = |text: &'static str| ExprString::parse(text).unwrap();
    let query = || from("Note").select(["Id"]);
    let refused = [
        ("Note", parse("SELECT * FROM {From} WHERE T0.[Id] IN (SELECT [Id] FROM {Table})")),
        ("Note", parse("SELECT * FROM {Table} T0 UNION SELECT * FROM {Table} T0 WHERE {FixedFilter}")),
        ("Note", parse("SELECT * FROM {From} WHERE T0.[Id] IN (SELECT [Id] FROM [note])")),
        ("Plain", parse("SELECT * FROM {From} JOIN [Note] n ON 1 = 1")),
        ("Plain", parse("SELECT * FROM {From} JOIN main.NOTE n ON 1 = 1")),
        ("Plain", parse("SELECT * FROM {From} JOIN \"Note\" n ON 1 = 1")),
        ("Plain", parse("SELECT * FROM {From} JOIN {n} n ON 1 = 1").bind("n", identifier("Note"))),
        ("Plain", parse("SELECT * FROM {From} {n}").bind("n", RawSql::new("JOIN Note n ON 1 = 1"))),
        ("Plain", parse("SELECT * FROM Note WHERE id NOT IN ({q})").bind("q", query())),
    ];
    for (entity, template) in refused {
        let error = sql(entity, template.clone(), &scope).unwrap_err();
        assert!(error.contains("read from `{From}`"), "{template:?}: {error}");
        assert!(sql(entity, template, &Scope::unscoped("a test")).is_ok());
    }
    let admitted = [
        ("Note", parse("SELECT * FROM {From} WHERE T0.[Id] IN (SELECT [Id] FROM {Table} WHERE {FixedFilter})")),
        (
            "Plain",
            parse("SELECT T0.[Note], [T0].Note, 'Note' FROM {Table} T0 -- Note\nWHERE T0.[Id] IN ({q})")
                .bind("q", query()),
        ),
        ("Plain", parse("SELECT * FROM {From} JOIN [Elsewhere] n ON 1 = 1")),
    ];
    for (entity, template) in admitted {
        sql(entity, template, &scope).unwrap();
    }
}

#[test]
fn names_that_may_be_one_table_have_one_scope() {
    use isogloss_compiler::expr::DbValueType as T;
    let bare = |name: &'static str, table: &'static str| {
        TableDef::new(name).table(table).column(ColumnDef::new("Id", T::Int32).primary_key())
    };
    let owned = |name, table| bare(name, table).scoped().column(ColumnDef::new("TenantId", T::Int32));
    let catalog = Catalog::builder()
        .table(owned("Note", "Notes"))
        .table(bare("MainNote", "main.NOTES"))
        .table(owned("Log", "Log_{0}"))
        .table(bare("Log2024", "Log_2024"))
        .table(bare("AnyTable", "{0}"))
        .table(bare("Free", "Free"));
    let target = Compiler::new(catalog.build().unwrap()).target(&Plain);
    let args = ["Notes".into()];
    let sql = |entity: &'static str, scope: Option<&Scope>| {
        let query = from(entity).select(["Id"]).into_segment();
        let sharded = matches!(entity, "Log" | "AnyTable");
        let mut request = Request::default().table_args(if sharded { &args } else { &[] });
        request.scope = scope;
        target.compile_with(&query, &request, isogloss_compiler::Buffers::default()).map(|made| made.sql.to_string())
    };
    let scope = tenant();
    for entity in ["Note", "MainNote", "Log", "Log2024", "AnyTable"] {
        assert!(sql(entity, Some(&scope)).unwrap().contains(r#""TenantId" = ?"#), "{entity}");
        assert!(sql(entity, None).is_err_and(|error| matches!(error.kind(), ErrorKind::NoScope { .. })), "{entity}");
    }
    assert!(!sql("Free", Some(&scope)).unwrap().contains("TenantId"));
    assert!(sql("Free", None).is_ok());
}

#[test]
fn two_tenants_have_one_text() {
    let target = target();
    let of = |tenant: i32| {
        let scope = Scope::new().column("TenantId", tenant);
        let query = from("Note").select(["Id"]).into_segment();
        let made =
            target.compile_with(&query, &Request::default().scope(&scope), isogloss_compiler::Buffers::default());
        made.unwrap().into_owned()
    };
    let (one, other) = (of(1), of(2));
    assert_eq!(one.sql, other.sql);
    assert_ne!(one.params, other.params);
}

#[test]
fn a_cross_join_that_a_view_declares_has_the_filters() {
    use isogloss_compiler::expr::{DbValueType as T, TableJoinType};
    let id = || ColumnDef::new("Id", T::Int32).primary_key();
    let owner = TableDef::new("Owner")
        .scoped()
        .column(id())
        .column(ColumnDef::new("TenantId", T::Int32))
        .column(ColumnDef::new("Name", T::String).length(20));
    let crossed = TableDef::new("Crossed")
        .column(id())
        .table_join(TableJoinDef::new("Owner", [] as [&str; 0]).join_type(TableJoinType::Cross));
    let view = ViewDef::new("CrossedView", "Crossed").foreign_column("OwnerName", "Owner", "Name");
    let catalog = Catalog::builder().table(owner).table(crossed).view(view).build().unwrap();
    let (target, scope) = (Compiler::new(catalog).target(&Plain), tenant());
    let query = from("CrossedView").select(["Id", "OwnerName"]).into_segment();
    let sql = |scope: &Scope| {
        let request = Request::default().scope(scope);
        target.compile_with(&query, &request, isogloss_compiler::Buffers::default()).unwrap().sql.to_string()
    };
    let filtered = sql(&scope);
    assert!(filtered.contains(" JOIN ") && filtered.contains(r#"."TenantId" = ?"#), "{filtered}");
    assert!(!filtered.contains("CROSS"), "{filtered}");
    assert!(sql(&Scope::unscoped("a test")).contains("CROSS JOIN"));
}

#[test]
fn an_update_moves_no_row_out_by_what_a_column_is_computed_from() {
    use isogloss_compiler::expr::DbValueType as T;
    let number = |name: &str| ColumnDef::new(name, T::Int32);
    let note = TableDef::new("Note")
        .column(number("Id").primary_key())
        .column(number("Country"))
        .column(number("Size"))
        .column(number("Weight"))
        .column(number("Region").computed("{Country} / 100"))
        .column(number("Zone").computed_expr(prop("Region") * 2))
        .column(number("Free").computed("country / {Size}"));
    let target = Compiler::new(Catalog::builder().table(note).build().unwrap()).target(&Plain);
    let update = |asked: &str, set: &str| {
        let scope = Scope::new().filter_of("Note", prop(asked).eq(3)).named("tenant");
        let statement = table("Note").update([(set, 9)]).filter(prop("Id").eq(1));
        let made =
            target.compile_with(&statement, &Request::default().scope(&scope), isogloss_compiler::Buffers::default());
        made.map(|made| made.sql.to_string())
    };
    for asked in ["Region", "Zone"] {
        assert!(is_outside(update(asked, "Country")), "{asked}");
        assert!(update(asked, "Size").is_ok(), "{asked}");
    }
    // Its text names a column by itself.
    assert!(is_outside(update("Free", "Weight")));
}

/// [`Plain`], but for the empty text, which it takes for NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NoEmpty;

static NO_EMPTY: dialect::Sheet = dialect::Sheet {
    support: &[(
        dialect::Feature::EmptyString,
        dialect::Support::Expand(isogloss_compiler::legalize::Rule::EmptyIsNull).always(),
    )],
    ..PLAIN
};

impl Dialect for NoEmpty {
    fn sheet(&self) -> &'static dialect::Sheet {
        &NO_EMPTY
    }
    fn lexis(&self) -> isogloss_compiler::Lexis {
        Plain.lexis()
    }
    fn version(&self) -> dialect::Version {
        Plain.version()
    }
    fn label(&self) -> String {
        "one without empty texts".to_owned()
    }
    fn cast_type(&self, ty: isogloss_compiler::expr::DbType) -> isogloss_compiler::Result<&'static str> {
        Plain.cast_type(ty)
    }
    fn in_array<'e>(
        &self,
        w: &mut isogloss_compiler::render::Writer<'_, 'e>,
        node: &isogloss_compiler::frame::In<'_, 'e>,
        array: isogloss_compiler::frame::Param<'e>,
        ty: isogloss_compiler::expr::DbType,
    ) -> isogloss_compiler::Result<()> {
        Plain.in_array(w, node, array, ty)
    }
    fn format_pattern(&self, tokens: &[dialect::FormatToken<'_>]) -> isogloss_compiler::Result<String> {
        Plain.format_pattern(tokens)
    }
}

#[test]
fn an_empty_text_that_is_null_is_refused() {
    use isogloss_compiler::expr::DbValueType as T;
    let note = TableDef::new("Note")
        .column(ColumnDef::new("Id", T::Int32).primary_key())
        .column(ColumnDef::new("TenantId", T::String).length(20).nullable());
    let compiler = Compiler::new(Catalog::builder().table(note).build().unwrap());
    let query = from("Note").select(["Id"]).into_segment();
    let insert = table("Note").insert(["Id"], vec![1.into()]);
    for scope in [Scope::new().column("TenantId", ""), Scope::new().column_in("TenantId", ["a", ""])] {
        let request = Request::default().scope(&scope);
        let made = |target: &Target| target.compile_with(&query, &request, isogloss_compiler::Buffers::default()).err();
        assert_eq!(made(&compiler.target(&Plain)), None);
        let target = compiler.target(&NoEmpty);
        let error = made(&target).unwrap();
        assert!(matches!(error.kind(), ErrorKind::Refused { .. }), "{error}");
        let error = target.compile_with(&insert, &request, isogloss_compiler::Buffers::default()).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Refused { .. }), "{error}");
        let error = target.bulk_insert_with("Note", &["Id"], &request).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Refused { .. }), "{error}");
    }
}
