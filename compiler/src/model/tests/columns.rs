//! Names, columns, constants and views.

use super::*;
use crate::expr::{DbType, LogicExpr, Value, ValueOps, constant, prop};

#[test]
fn a_catalog_can_be_shared() {
    fn shared<X: Send + Sync + Clone + 'static>() {}
    shared::<Catalog>();
    shared::<CatalogErrors>();
}

#[test]
fn names_are_found_ignoring_case_and_namespace() {
    let catalog = Catalog::builder()
        .table(entity("Sales.Order"))
        .table(entity("Sales.Item").table("items"))
        .table(entity("Stock.Item"))
        .table(entity("Plain"))
        .build()
        .unwrap();
    let name = |name: &str| catalog.entity(name).map(|(_, entity)| entity.name.as_str());
    assert_eq!(name("SALES.order"), Some("Sales.Order"));
    assert_eq!(name("order"), Some("Sales.Order"));
    assert_eq!(name("Item"), None);
    assert_eq!(name("stock.item"), Some("Stock.Item"));
    assert_eq!(name("X.Plain"), None);
    assert_eq!(name(""), None);
    assert_eq!(catalog.near_matches("Plian"), ["Plain"]);
    assert_eq!(catalog.entity("Order").unwrap().1.table.to_string(), "Order");
    assert_eq!(catalog.entities().count(), 4);
    for (id, entity) in catalog.entities() {
        assert_eq!(catalog.get(id).name, entity.name);
    }
}

#[test]
fn an_id_of_a_larger_catalog_is_harmless() {
    let larger = sample::catalog();
    let smaller = Catalog::builder().table(entity("A")).build().unwrap();
    let (id, _) = larger.entities().last().unwrap();
    assert!(smaller.get(id).columns.is_empty());
    assert_eq!(smaller.get(id).property("Id"), None);
    assert_eq!(smaller.relations(id, id).count(), 0);
}

#[test]
fn what_is_left_out_follows_from_the_names() {
    let catalog = Catalog::builder().table(entity("A").column(col("Größe").nullable())).build().unwrap();
    let (_, a) = catalog.entity("a").unwrap();
    assert_eq!(a.table.plain().unwrap(), ["A"]);
    assert_eq!((a.columns[1].column.as_str(), a.columns[1].nullable, a.columns[1].filterable), ("Größe", true, true));
    assert_eq!(a.columns[1].mode, ColumnMode::FULL);
    assert_eq!((a.identity, a.version, a.base, a.fixed_filter.clone()), (None, None, None, None));
}

#[test]
fn near_matches_do_not_tell_of_hidden_columns() {
    let catalog = sample::catalog();
    let (_, user) = catalog.entity("User").unwrap();
    assert!(user.near_matches("Pasword").is_empty());
    assert_eq!(user.near_matches("emial"), ["Email"]);
    let (_, view) = catalog.entity("UserView").unwrap();
    assert_eq!(view.near_matches("DeptNmae"), ["DeptName"]);
}

#[test]
fn all_errors_are_reported_each_once() {
    let builder = Catalog::builder()
        .table(entity("A").column(col("X").foreign(ForeignType::new("Nowhere"))).column(col("x")))
        .table(entity("a"))
        .table(entity("B").table("b{1}"))
        .view(ViewDef::new("AView", "A").foreign_column("N", "Customer", "Name"))
        .view(ViewDef::new("CView", "C"));
    let errors = errors(builder);
    assert_eq!(
        errors,
        [
            "entity `a` is defined twice: give one another name; case makes no difference",
            "view `CView` is over `C`, which is not defined",
            "entity `A` has two properties `x`: give one another name; case makes no difference",
            "entity `A`: join `Nowhere` leads to entity `Nowhere`, which is not defined",
            "entity `B`: bad table name `b{1}`: the placeholders are numbered from 0 without a gap: `{0}` is missing",
            "entity `AView`: foreign column `N` comes from `Customer`, which is no join's alias or entity",
        ]
    );
}

#[test]
fn names_are_checked() {
    let long = "x".repeat(129);
    for (table, part) in [
        (entity(""), "bad entity name \"\": it is empty"),
        (entity("a\0").table("a"), "bad entity name \"a\\0\": it has a control character"),
        (entity(&long).table("a"), "it is over 128 bytes long"),
        (entity("A").column(col(" ")), "bad property \" \": it is empty"),
        (entity("A").column(col("a.b").column("b")), "bad property \"a.b\": it has a dot"),
        (entity("A").column(col("b").column("a\nb")), "bad column name \"a\\nb\": it has a control character"),
        (entity("A").column(col("b").column(long.as_str())), "bad column name"),
        (
            entity("A").column(col("b").foreign(ForeignType::new("A").alias("T12"))),
            "bad alias \"T12\": `T` with a number and `excluded` are aliases that a statement makes itself",
        ),
        (entity("A").column(col("b").foreign(ForeignType::new("A").alias("Excluded"))), "bad alias \"Excluded\""),
        (entity("A").column(col("b").foreign(ForeignType::new("A").alias(""))), "bad alias \"\": it is empty"),
        (entity("A").data_source("\u{1}"), "bad data source"),
        (entity("A").foreign_column("\0", "A", "Id").foreign("Id", ForeignType::new("A")), "bad property \"\\0\""),
    ] {
        let errors = errors(Catalog::builder().table(table));
        assert!(errors[0].contains(part), "{errors:?}: {part}");
    }
    let dotted = entity("A").column(col("b").column("a.b"));
    assert!(Catalog::builder().table(dotted).build().is_ok());
}

#[test]
fn columns_are_checked() {
    for (table, message) in [
        (
            entity("A").column(col("x").column("ID")),
            "entity `A`: properties `Id` and `x` both stand for column `ID`: leave one out",
        ),
        (TableDef::new("A"), "entity `A` has no columns: give it at least one"),
        (
            TableDef::new("A").column(id().nullable()),
            "entity `A`: primary key column `Id` is nullable: a primary key cannot be",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::String).identity(1, 1)),
            "entity `A`: identity column `x` has type String: an identity is an integer",
        ),
        (
            entity("A").column(ColumnDef::new("x", DbType::array_of(T::Int32)).identity(1, 1)),
            "entity `A`: identity column `x` has type Int32[]: an identity is an integer",
        ),
        (entity("A").column(col("x").identity(1, 0)), "entity `A`: identity column `x` has increment 0: give another"),
        (
            entity("A").column(col("x").identity(1, 1)).column(col("y").identity_expression("s.NEXTVAL")),
            "entity `A` has two identity columns, `x` and `y`: a table has one at most",
        ),
        (
            entity("A").column(col("x").timestamp()).column(col("y").timestamp()),
            "entity `A` has two timestamp columns, `x` and `y`: a table has one at most",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::Boolean).timestamp()),
            "entity `A`: timestamp column `x` has type Boolean: it is an integer or a date and time; \
             binary or a UUID only if the database renews it, which a mode without `update` says",
        ),
        (
            TableDef::new("A").column(id().distribution_key()).column(col("x").primary_key().distribution_key()),
            "entity `A`: `Id` is no distribution key: `x` is one as well, and a table has one at most",
        ),
        (
            TableDef::new("A").column(col("x").nullable().distribution_key()),
            "entity `A`: `x` is no distribution key: it is NULL in some rows",
        ),
        (
            entity("A").column(col("x").distribution_key()),
            "entity `A`: `x` is no distribution key: the primary key lacks it, so that a row cannot be found by its key on one \
             server",
        ),
        (entity("A").column(ColumnDef::new("x", T::String).length(0)), "entity `A`: column `x`: its length is 0"),
        (entity("A").column(col("x").length(5)), "entity `A`: column `x`: only text and binary columns have a length"),
        (
            entity("A").column(col("x").text(TextMode::Exact)),
            "entity `A`: column `x`: only text columns are compared by a mode",
        ),
        (
            entity("A").column(col("x").precision(5, 2)),
            "entity `A`: column `x`: only columns of decimals and times have a precision",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::Decimal).precision(39, 2)),
            "entity `A`: column `x`: the precision is 1 to 38 digits",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::Decimal).precision(5, 6)),
            "entity `A`: column `x`: its scale is greater than its precision",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::DateTime2).time_precision(7)),
            "entity `A`: column `x`: the precision of a time is 0 to 6 digits",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::Date).time_precision(0)),
            "entity `A`: column `x`: only columns of decimals and times have a precision",
        ),
        (
            entity("A").column(ColumnDef::new("x", DbType::array_of(T::Time)).time_precision(0)),
            "entity `A`: column `x`: only columns of decimals and times have a precision",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::Time).precision(6, 2)),
            "entity `A`: column `x`: only decimal columns have a scale: a time's precision is the digits behind its seconds",
        ),
        (
            entity("A").column(ColumnDef::new("x", T::DateTime2).time_precision(3).timestamp()),
            "entity `A`: column `x`: a version has 6 digits behind its seconds: with fewer, two updates may give it one value",
        ),
    ] {
        assert_eq!(error(table), message);
    }
    // Oracle's own integers.
    assert!(
        Catalog::builder()
            .table(entity("A").column(ColumnDef::new("x", T::Decimal).precision(19, 0).identity(1, 1)))
            .build()
            .is_ok()
    );
}

#[test]
fn enumerations_are_checked() {
    let column = |ty: T, members: &[(&'static str, i64)]| {
        entity("A").column(ColumnDef::new("x", ty).enumeration(members.iter().copied()))
    };
    let at = "entity `A`: enumeration of column `x`: ";
    for (table, message) in [
        (column(T::Int32, &[]), "it has no members"),
        (column(T::Date, &[("a", 1)]), "a column of type Date holds neither names nor numbers: use text or integers"),
        (column(T::Int32, &[("a", 1), ("b", 1), ("A", 2)]), "member `A` is there twice"),
        (
            entity("A").column(ColumnDef::new("x", T::String).flags([("a", 1)])),
            "flags are stored by their numbers: use an integer column",
        ),
    ] {
        assert_eq!(error(table), format!("{at}{message}"));
    }
    // Two names of one number are an alias, as in .NET.
    assert!(Catalog::builder().table(column(T::Int32, &[("a", 1), ("b", 1)])).build().is_ok());
}

#[test]
fn a_client_sets_what_is_said_to_be_writable() {
    let table = |column: ColumnDef| entity("A").column(column.writable());
    let catalog = Catalog::builder().table(table(col("x").mode(ColumnMode::FINAL))).build().unwrap();
    let writable = |name: &str| catalog.entity("A").unwrap().1.column(name).unwrap().1.writable;
    assert!(writable("x") && !writable("Id"));
    let int = || ColumnDef::new("x", T::Int64);
    for (column, why) in [
        (int().identity(1, 1), "the database numbers it"),
        (int().timestamp(), "it is the row's version"),
        (int().constant(1), "it is a constant"),
        (ColumnDef::new("x", T::Boolean).soft_delete(), "it marks deleted rows"),
        (int().mode(ColumnMode::READ), "its mode is not to be written"),
    ] {
        assert_eq!(error(table(column)), format!("entity `A`: column `x` cannot be writable: {why}"));
    }
    let computed = entity("A").column(int().computed("1").writable());
    assert_eq!(error(computed), "entity `A`: computed column `x`: it cannot be writable as well");
    let view = ViewDef::new("AView", "A").column(int().writable());
    let told = errors(Catalog::builder().table(entity("A")).view(view));
    let message = "view `AView`: column `x` cannot be writable: say so on the entity that the view is over";
    assert_eq!(told, [message]);
}

#[test]
fn one_column_marks_deleted_rows() {
    let mark = |name: &'static str| ColumnDef::new(name, T::Boolean).soft_delete();
    let two = entity("A").column(mark("x")).column(mark("y"));
    assert_eq!(error(two), "entity `A` has two soft_delete columns, `x` and `y`: one marks its rows");
    let computed = entity("A").column(mark("x").computed("1"));
    assert!(error(computed).ends_with("it cannot be a mark of deleted rows as well"));
}

#[test]
fn computed_columns_are_read_and_checked() {
    let table = |text: &str| entity("A").column(col("x")).column(col("y").computed(text));
    let at = "entity `A`: computed column `y`: ";
    for (text, message) in [
        ("", "its text is empty"),
        ("{x} + {z}", "`z` is no column of the entity"),
        ("{x", "`{` at byte 0 is not closed; a plain one is written `{{`"),
        ("1 + }", "`}` at byte 4 closes nothing; a plain one is written `}}`"),
        ("{y} + 1", "it is computed from itself"),
    ] {
        assert_eq!(error(table(text)), format!("{at}{message}"));
    }
    let circle = entity("A").column(col("x").computed("{y}")).column(col("y").computed("{x}"));
    assert_eq!(errors(Catalog::builder().table(circle)).len(), 2);
    let key = TableDef::new("A").column(id().computed("1"));
    assert_eq!(error(key), "entity `A`: computed column `Id`: it cannot be a primary key as well");
    let expr = entity("A").column(col("x")).column(col("y").computed_expr(prop("x") + constant(1)));
    let catalog = Catalog::builder().table(table("'{{' || { X }")).table(TableDef::new("B").column(col("a"))).build();
    let computed = catalog.unwrap().entity("A").unwrap().1.columns[2].clone();
    let parts = [ComputedPart::Text("'{' || ".to_owned()), ComputedPart::Column(1)];
    assert_eq!(computed.computed, Some(Computed::Text(parts.to_vec())));
    assert!(computed.is_readable() && !computed.is_insertable() && !computed.is_updatable());
    let catalog = Catalog::builder().table(expr).build().unwrap();
    assert!(matches!(catalog.entity("A").unwrap().1.columns[2].computed, Some(Computed::Expr(_))));
}

#[test]
fn statements_take_the_columns_of_their_mode() {
    let catalog = sample::catalog();
    let (_, order) = catalog.entity("Order").unwrap();
    let (_, id) = order.column("Id").unwrap();
    assert!(id.is_readable() && !id.is_insertable() && !id.is_updatable());
    let (_, created) = order.column("CreatedTime").unwrap();
    assert!(created.is_insertable() && !created.is_updatable());
}

#[test]
fn constants_are_checked_and_merged() {
    let tier = || col("Tier").enumeration([("Basic", 0), ("Gold", 2)]);
    let bad = |column: ColumnDef| error(entity("A").column(column));
    assert_eq!(
        bad(tier().constant("Golden")),
        "entity `A`: constant of column `Tier`: text \"Golden\" does not fit `Tier`, Int32: expected `Basic`, `Gold`"
    );
    assert!(bad(tier().constant("")).contains("text \"\" does not fit"));
    assert!(bad(tier().constant(1)).contains("integer 1 does not fit"));
    assert!(bad(col("X").constant(Value::Null)).contains("null does not fit `X`, Int32: the column is not nullable"));
    assert!(bad(col("X").constant(vec![Value::from(1)])).contains("a constant is one value"));
    assert!(bad(col("X").constant(3_000_000_000_i64)).contains("it takes -2147483648 to 2147483647"));
    assert_eq!(
        error(entity("A").column(tier()).fixed_value("Teir", 1)),
        "entity `A`: fixed filter of `Teir`, which is no column (did you mean `Tier`?)"
    );

    let table = entity("A")
        .column(tier().constant("gold"))
        .column(col("X").nullable().constant(Value::Null))
        .column(ColumnDef::new("Since", T::Date))
        .fixed_value("since", "2024-01-31")
        .fixed_filter(prop("Id").gt(constant(0)));
    let view = ViewDef::new("AView", "A").column(col("Y").constant("7"));
    let catalog = Catalog::builder().table(table).view(view).build().unwrap();
    let terms = |name: &str| match catalog.entity(name).unwrap().1.fixed_filter.clone() {
        Some(LogicExpr::And(and)) => and.into_items(),
        other => panic!("{other:?}"),
    };
    let date = chrono::NaiveDate::from_ymd_opt(2024, 1, 31).unwrap();
    let mut expected = vec![
        prop("Tier").eq(constant(2)),
        prop("X").is_null(),
        prop("Since").eq(constant(date)),
        prop("Id").gt(constant(0)),
    ];
    assert_eq!(terms("A"), expected);
    expected.push(prop("Y").eq(constant(7)));
    assert_eq!(terms("AView"), expected);
}

#[test]
fn views_are_over_tables() {
    let circle = Catalog::builder()
        .view(ViewDef::new("A", "B"))
        .view(ViewDef::new("B", "A"))
        .view(ViewDef::new("C", "A"))
        .view(ViewDef::new("D", "D"));
    let is =
        |name: &str| format!("view `{name}` is over itself by way of other views: one of them must be over a table");
    assert_eq!(errors(circle), [is("A"), is("B"), is("D")]);

    let own =
        |column: ColumnDef| errors(Catalog::builder().table(entity("A")).view(ViewDef::new("V", "A").column(column)));
    for (column, what) in [
        (col("k").primary_key(), "a primary key"),
        (col("k").identity(1, 1), "an identity"),
        (col("k").timestamp(), "a timestamp"),
    ] {
        let message = format!("view `V`: column `k` cannot be {what}: say so on the entity that the view is over");
        assert_eq!(own(column), [message]);
    }
    assert_eq!(
        own(id())[0],
        "view `V`: column `Id` cannot be a primary key: say so on the entity that the view is over"
    );
}

#[test]
fn a_view_over_a_view_has_what_both_have() {
    let catalog = Catalog::builder()
        .table(entity("B").column(col("Name")))
        .table(
            entity("A")
                .table("a.A_{0}")
                .data_source("other")
                .sync_table(SyncTableMode::Never)
                .column(col("BId").foreign(ForeignType::new("B")))
                .fixed_filter(prop("Id").gt(constant(1))),
        )
        .view(ViewDef::new("V", "A").column(col("More")).foreign_column("BName", "B", "Name"))
        .view(ViewDef::new("W", "V").foreign_column("BId2", "B", "Id").column(col("Twice").computed("{More} * 2")))
        .build()
        .unwrap();
    let (a, table) = catalog.entity("A").unwrap();
    let (_, w) = catalog.entity("W").unwrap();
    assert_eq!(
        (w.base, &w.table, &w.data_source, w.sync_table),
        (Some(a), &table.table, &table.data_source, SyncTableMode::Never)
    );
    assert_eq!(w.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["Id", "BId", "More", "Twice"]);
    assert_eq!(w.foreign_columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["BName", "BId2"]);
    assert_eq!((w.joins.len(), w.keys.as_slice()), (1, &[0][..]));
    assert_eq!(w.fixed_filter, table.fixed_filter);
    assert_eq!(catalog.table_of(catalog.entity("W").unwrap().0), a);
}

#[test]
fn what_a_version_may_be() {
    use crate::model::ColumnMode;
    let built = |ty, mode| {
        Catalog::builder().table(entity("A").column(ColumnDef::new("x", ty).timestamp().mode(mode))).build().is_ok()
    };
    for ty in [T::Byte, T::Int64, T::DateTime, T::DateTime2, T::DateTimeOffset] {
        assert!(built(ty, ColumnMode::FULL) && built(ty, ColumnMode::READ), "{ty:?}");
    }
    for ty in [T::Binary, T::Guid] {
        assert!(!built(ty, ColumnMode::FULL) && built(ty, ColumnMode::READ), "{ty:?}");
    }
    for ty in [T::Date, T::Time, T::String, T::Decimal] {
        assert!(!built(ty, ColumnMode::FULL) && !built(ty, ColumnMode::READ), "{ty:?}");
    }
}
