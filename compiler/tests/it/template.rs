//! Templates: what is written for each hole, what is refused, and how each engine's literals are read.

use isogloss_compiler::dialect::{
    Dialect, Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Version,
};
use isogloss_compiler::expr::{
    CommonTableExpr, DbType, DbValueType as T, Expr, SelectItemExpr, SqlSegment, TableJoinType, Value, ValueOps,
    ValueTypeExpr, constant, cte, exists, from, null, prop, prop_of, row, table,
};
use isogloss_compiler::frame::{In, Param};
use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
use isogloss_compiler::render::Writer;
use isogloss_compiler::{
    Compiler, Error, ErrorKind, ExprString, Lexis, RawSql, Request, Result, Verb, identifier, list,
};
use proptest::prelude::*;

use crate::support::Plain;

/// A dialect by its characters.
#[derive(Debug, Clone, Copy)]
struct Fake {
    sheet: &'static Sheet,
    lexis: Lexis,
}

impl PartialEq for Fake {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.sheet, other.sheet) && self.lexis == other.lexis
    }
}

impl Eq for Fake {}

impl Dialect for Fake {
    fn sheet(&self) -> &'static Sheet {
        self.sheet
    }
    fn version(&self) -> Version {
        (1, 0, 0)
    }
    fn label(&self) -> String {
        self.sheet.name.to_owned()
    }
    fn lexis(&self) -> Lexis {
        self.lexis
    }
    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        Plain.cast_type(ty)
    }
    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        Plain.in_array(w, node, array, ty)
    }
    fn format_pattern(&self, pattern: &[isogloss_compiler::dialect::FormatToken<'_>]) -> Result<String> {
        Plain.format_pattern(pattern)
    }
}

const fn sheet(name: &'static str, quotes: Quotes, placeholder: Placeholder) -> Sheet {
    Sheet {
        name,
        quotes,
        placeholder,
        null_order: NullOrder::Least,
        limits: Limits { in_items: 50, ..Limits::NONE },
        distribution: Distribution::None,
        native: Feature::ALL,
        support: &[],
        functions: &[],
    }
}

static PG: Sheet = sheet("pg", Quotes('"', '"'), Placeholder::Numbered("$"));
static MY: Sheet = sheet("my", Quotes('`', '`'), Placeholder::Question);
static LITE: Sheet = sheet("lite", Quotes('"', '"'), Placeholder::Question);
static MS: Sheet = sheet("ms", Quotes('[', ']'), Placeholder::Numbered("@P"));
static ORA: Sheet = sheet("ora", Quotes('"', '"'), Placeholder::Numbered(":"));

const S: Lexis = Lexis::STANDARD;
const POSTGRES: Fake =
    Fake { sheet: &PG, lexis: Lexis { escape_strings: true, dollar_quotes: true, nested_comments: true, ..S } };
const MYSQL: Fake = Fake {
    sheet: &MY,
    lexis: Lexis {
        backslash: true,
        backticks: true,
        executed_comments: true,
        hash_comments: true,
        blank_after_dashes: true,
        ..S
    },
};
const SQLITE: Fake =
    Fake { sheet: &LITE, lexis: Lexis { backticks: true, bracket_names: true, parameters: ":@#$", ..S } };
const SQLSERVER: Fake = Fake { sheet: &MS, lexis: Lexis { bracket_names: true, nested_comments: true, ..S } };
const ORACLE: Fake = Fake { sheet: &ORA, lexis: Lexis { q_quotes: true, ..S } };
const ALL: [Fake; 5] = [POSTGRES, MYSQL, SQLITE, SQLSERVER, ORACLE];

fn catalog() -> Catalog {
    Catalog::builder()
        .table(
            TableDef::new("Customer")
                .table("Customers")
                .column(ColumnDef::new("Id", T::Int32).primary_key())
                .column(ColumnDef::new("Name", T::String))
                .column(ColumnDef::new("Kind", T::Int32).enumeration([("Off", 0), ("On", 1)]).constant("On")),
        )
        .table(
            TableDef::new("Order")
                .table("Orders")
                .column(ColumnDef::new("Id", T::Int64).primary_key())
                .column(ColumnDef::new("Amount", T::Decimal))
                .column(ColumnDef::new("Status", T::String).column("order status"))
                .column(ColumnDef::new("CustomerId", T::Int32).foreign(ForeignType::new("Customer"))),
        )
        .view(ViewDef::new("OrderView", "Order").foreign_column("CustomerName", "Customer", "Name"))
        .table(
            TableDef::new("Shard")
                .table("Shard_{0}")
                .column(ColumnDef::new("Id", T::Int64).primary_key())
                .table_join(TableJoinDef::new("Customer", ["Id"]).join_type(TableJoinType::Inner)),
        )
        .build()
        .unwrap()
}

/// The text and the values.
fn compiled(dialect: &dyn Dialect, template: &ExprString, request: &Request<'_>) -> Result<(String, Vec<Value>)> {
    let compiled = Compiler::new(catalog()).target(dialect).compile_template(template, request)?;
    Ok((compiled.sql, compiled.params.into_iter().map(|p| p.value.into_owned()).collect()))
}

fn plain(template: &ExprString) -> String {
    compiled(&Plain, template, &Request::of("Order")).unwrap().0
}

fn refused(template: &ExprString) -> String {
    compiled(&Plain, template, &Request::of("Order")).unwrap_err().to_string()
}

fn parse(text: &'static str) -> ExprString {
    ExprString::parse(text).unwrap()
}

#[test]
fn parameters_are_numbered_over_text_and_holes() {
    let template =
        parse("SELECT {cols} FROM [Orders] [T0] WHERE [Amount] > {min} AND {filter} AND [s] IN {ids} AND {min} > 0")
            .bind("cols", [SelectItemExpr::from(prop("Id")), prop("Status").into(), (prop("Amount") + 1).alias("more")])
            .bind("min", 100)
            .bind("filter", prop("Amount").gt(5) & prop("Status").eq("x"))
            .bind("ids", list([1, 2, 3]));
    let (sql, values) = compiled(&POSTGRES, &template, &Request::of("Order")).unwrap();
    assert_eq!(
        sql,
        "SELECT \"T0\".\"Id\", \"T0\".\"order status\" AS \"Status\", \"T0\".\"Amount\" + $1 AS \"more\" \
         FROM \"Orders\" \"T0\" WHERE \"Amount\" > $2 AND (\"T0\".\"Amount\" > $3 AND \"T0\".\"order status\" = $4) \
         AND \"s\" IN ($5, $6, $7) AND $8 > 0"
    );
    let expected: [Value; 8] = [1.into(), 100.into(), 5.into(), "x".into(), 1.into(), 2.into(), 3.into(), 100.into()];
    assert_eq!(values, expected);
}

#[test]
fn values_are_borrowed_from_the_template() {
    let template = ExprString::new().text("SELECT ").value("long enough to be on the heap, and not copied from there");
    let compiler = Compiler::new(catalog());
    let compiled = compiler.target(&Plain).compile_template(&template, &Request::default()).unwrap();
    assert!(matches!(compiled.params[0].value, std::borrow::Cow::Borrowed(_)));
    assert_eq!(compiled.params[0].ty, Some(T::String.into()));
}

#[test]
fn a_built_template_is_a_parsed_one() {
    let template = ExprString::new()
        .text("SELECT * FROM {From} WHERE [Amount] > ")
        .value(100)
        .text(" AND ")
        .expr(prop("Id").eq(1))
        .text(" AND [x] IN")
        .list([1, 2])
        .text(" ORDER BY [x] ")
        .raw(RawSql::new("[as] {it} ?"));
    assert_eq!(
        plain(&template),
        "SELECT * FROM \"Orders\" \"T0\" WHERE \"Amount\" > ? AND (\"T0\".\"Id\" = ?) AND \"x\" IN (?, ?) \
         ORDER BY \"x\" [as] {it} ?"
    );
}

#[test]
fn holes_go_by_place_too() {
    let template = parse("SELECT {}, {1}, {}, {0}").arg(1).arg("b");
    let (sql, values) = compiled(&MYSQL, &template, &Request::default()).unwrap();
    assert_eq!(sql, "SELECT ?, ?, ?, ?");
    assert_eq!(values, [Value::from(1), "b".into(), "b".into(), 1.into()]);
    assert!(refused(&parse("SELECT {}, {}").arg(1)).contains("nothing fills the hole `{}`"));
    assert!(refused(&parse("SELECT {99999999999999999999999}").arg(1)).contains("nothing fills"));
    assert!(refused(&parse("SELECT {1}").arg(1).arg(2)).contains("no hole for argument 0"));
}

#[test]
fn every_sort_of_expression_fills_a_hole() {
    let write = |hole: isogloss_compiler::Hole| plain(&parse("SELECT {x} ;").bind("x", hole));
    assert_eq!(write(null().into()), "SELECT NULL ;");
    assert_eq!(write(None::<i32>.into()), "SELECT NULL ;");
    assert_eq!(write(constant("it's").into()), "SELECT 'it''s' ;");
    assert_eq!(write((-prop("Amount")).into()), "SELECT (-\"T0\".\"Amount\") ;");
    assert_eq!(write(prop("Amount").into()), "SELECT \"T0\".\"Amount\" ;");
    assert_eq!(write(prop("Amount").alias("a").into()), "SELECT \"T0\".\"Amount\" AS \"a\" ;");
    assert_eq!(
        write([prop("Amount").desc(), prop("Id").asc()].into()),
        "SELECT \"T0\".\"Amount\" DESC, \"T0\".\"Id\" ;"
    );
    assert_eq!(
        write(from("Customer").filter(prop("Id").eq(prop_of("T0", "CustomerId"))).select([prop("Name")]).into()),
        "SELECT (SELECT \"T1\".\"Name\" FROM \"Customers\" \"T1\" WHERE \"T1\".\"Kind\" = 1 \
         AND \"T1\".\"Id\" = \"T0\".\"CustomerId\") ;"
    );
    assert_eq!(
        write(exists("Customer", prop("Name").eq("x")).into()),
        "SELECT EXISTS (SELECT 1 FROM \"Customers\" \"T1\" WHERE \"T1\".\"Kind\" = 1 AND \"T1\".\"Name\" = ?) ;"
    );
    assert_eq!(
        write(ValueTypeExpr::from(row([prop("Id"), prop("Amount")])).into()),
        "SELECT (\"T0\".\"Id\", \"T0\".\"Amount\") ;"
    );
    let refused = |expr: Expr| refused(&parse("SELECT {x}").bind("x", expr));
    assert!(refused(table("Order").delete().all_rows().into()).contains("no write fills a hole"));
}

#[test]
fn only_the_name_of_a_common_table_expression_is_written() {
    let definition = from("Order").filter(prop("Amount").gt(1)).select([prop("Id")]);
    let named = CommonTableExpr { source: Some(definition.clone()), alias: "big".into() };
    let template = parse("WITH {big} AS ({def}) SELECT * FROM {big} WHERE [Id] IN {ids}")
        .bind("big", SqlSegment::from(named.clone()))
        .bind("def", definition)
        .bind("ids", SqlSegment::from(named).select([prop("Id")]));
    assert_eq!(
        plain(&template),
        "WITH \"big\" AS (SELECT \"T1\".\"Id\" FROM \"Orders\" \"T1\" WHERE \"T1\".\"Amount\" > ?) \
         SELECT * FROM \"big\" WHERE \"Id\" IN (SELECT \"big\".\"Id\" FROM \"big\")"
    );
    // A reference without a definition is a name.
    assert_eq!(plain(&parse("SELECT * FROM {c}").bind("c", cte("anything"))), "SELECT * FROM \"anything\"");
}

#[test]
fn a_hole_between_parentheses_gets_none() {
    let template = parse("a IN ({l}) OR ( /* b */ {p} ) OR EXISTS (\n{q}\n) OR f(1, {l}) OR ({p} AND x) OR ('(' {p})")
        .bind("l", list([1, 2]))
        .bind("p", prop("Id").eq(1))
        .bind("q", from("Customer").select([prop("Id")]));
    assert_eq!(
        plain(&template),
        "a IN (?, ?) OR ( /* b */ \"T0\".\"Id\" = ? ) OR EXISTS (\n\
         SELECT \"T1\".\"Id\" FROM \"Customers\" \"T1\" WHERE \"T1\".\"Kind\" = 1\n) OR f(1, (?, ?)) \
         OR ((\"T0\".\"Id\" = ?) AND x) OR ('(' (\"T0\".\"Id\" = ?))"
    );
    let query = from("Order").select([prop("Id")]).into_segment().order_by([prop("Id").desc()]);
    assert_eq!(
        plain(&ExprString::new().expr(query)),
        "SELECT \"T1\".\"Id\" FROM \"Orders\" \"T1\" ORDER BY \"T1\".\"Id\" DESC"
    );
}

#[test]
fn what_would_run_together_is_kept_apart() {
    let template = parse("a{x}0 1{x}b {c}'x' 'x'{c} -{x} [a][b] \"q\"[a] U&[a]x [a]'s' {x}{x}")
        .bind("x", 1)
        .bind("c", constant("c"));
    let (sql, _) = compiled(&POSTGRES, &template, &Request::default()).unwrap();
    assert_eq!(sql, "a $1 0 1 $2 b 'c' 'x' 'x' 'c' - $3 \"a\" \"b\" \"q\" \"a\" U& \"a\" x \"a\" 's' $4 $5");
}

#[test]
fn tokens_are_of_the_entity() {
    let template = parse("{AllFields} | {From} | {Table} | {FixedFilter}");
    let all = |name| compiled(&Plain, &template, &Request::of(name)).unwrap().0;
    assert_eq!(
        all("OrderView"),
        "\"T0\".\"Id\", \"T0\".\"Amount\", \"T0\".\"order status\" AS \"Status\", \"T0\".\"CustomerId\", \
         \"Customer\".\"Name\" AS \"CustomerName\" | \"Orders\" \"T0\" LEFT JOIN \"Customers\" \"Customer\" \
         ON \"T0\".\"CustomerId\" = \"Customer\".\"Id\" AND \"Customer\".\"Kind\" = 1 | \"Orders\" | (TRUE)"
    );
    assert_eq!(
        all("Customer"),
        "\"T0\".\"Id\", \"T0\".\"Name\", \"T0\".\"Kind\" | (SELECT * FROM \"Customers\" WHERE \"Kind\" = 1) \"T0\" \
         | \"Customers\" | (\"T0\".\"Kind\" = 1)"
    );
    // A name in a hole asks for its join, wherever the hole stands.
    let template = parse("SELECT 1 FROM {From} WHERE {f}").bind("f", prop_of("Customer", "Name").eq("x"));
    assert!(plain(&template).contains("LEFT JOIN \"Customers\" \"Customer\""));
    // Nothing in a raw text or a literal is a token.
    let template = parse("SELECT '{From}', \"{Table}\" {r} /* {From} */").bind("r", RawSql::new("{AllFields}"));
    assert_eq!(plain(&template), "SELECT '{From}', \"{Table}\" {AllFields} /* {From} */");
    let shards = ["7".into()];
    let request = Request::of("Shard").table_args(&shards);
    assert_eq!(
        compiled(&Plain, &parse("SELECT * FROM {From} WHERE {f}").bind("f", prop_of("Customer", "Id").eq(1)), &request)
            .unwrap()
            .0,
        "SELECT * FROM \"Shard_7\" \"T0\" JOIN \"Customers\" \"Customer\" ON \"T0\".\"Id\" = \"Customer\".\"Id\" \
         AND \"Customer\".\"Kind\" = 1 WHERE (\"Customer\".\"Id\" = ?)"
    );
}

#[test]
fn a_search_holds_the_fixed_filter_whatever_its_body_says() {
    let body = parse("WHERE [T0].[Name] = {n} OR 1 = 1 ORDER BY [T0].[Id]").bind("n", "x").entity("Customer").search();
    assert_eq!(
        compiled(&Plain, &body, &Request::default()).unwrap().0,
        "SELECT \"T0\".\"Id\", \"T0\".\"Name\", \"T0\".\"Kind\" FROM (SELECT * FROM \"Customers\" WHERE \"Kind\" = 1) \
         \"T0\" WHERE \"T0\".\"Name\" = ? OR 1 = 1 ORDER BY \"T0\".\"Id\""
    );
    assert!(refused(&body).contains("and the statement begins with `Customer`"));
    assert!(compiled(&Plain, &ExprString::new().search(), &Request::default()).is_err());
}

/// No statement begins with one of these clauses.
#[test]
fn a_text_that_begins_with_a_clause_is_a_search() {
    for text in ["WHERE [Id] > {n}", "\n  where [Id] > {n}", "ORDER BY [Id] + {n}"] {
        let body = parse(text).bind("n", 1).entity("Customer");
        let sql = compiled(&Plain, &body, &Request::default()).unwrap().0;
        assert_eq!(sql, compiled(&Plain, &body.search(), &Request::default()).unwrap().0);
        assert!(sql.starts_with("SELECT \"T0\".\"Id\", "), "{sql}");
    }
    for text in ["WHEREVER", "ORDER_REPORT", "Where2Go", "ORDER"] {
        let other = ExprString::parse(format!("{text} {{n}}")).unwrap().bind("n", 1).entity("Customer");
        assert_eq!(compiled(&Plain, &other, &Request::default()).unwrap().0, format!("{text} ?"));
    }
}

#[test]
fn writes_take_bare_columns() {
    let template = parse("UPDATE {Table} SET [Name] = {n} WHERE {FixedFilter} AND {f}")
        .bind("n", "x")
        .bind("f", prop("Id").eq(1) & exists("Order", prop("CustomerId").eq(prop_of("T0", "Id"))))
        .entity("Customer")
        .unqualified();
    assert_eq!(
        compiled(&Plain, &template, &Request::default()).unwrap().0,
        "UPDATE \"Customers\" SET \"Name\" = ? WHERE (\"Kind\" = 1) AND (\"Id\" = ? AND EXISTS (SELECT 1 FROM \
         \"Orders\" \"T1\" WHERE \"T1\".\"CustomerId\" = \"Customers\".\"Id\"))"
    );
    let joined = parse("DELETE FROM {Table} WHERE {f}").bind("f", prop("CustomerName").eq("x")).entity("OrderView");
    assert!(compiled(&Plain, &joined.unqualified(), &Request::default()).unwrap_err().to_string().contains("no joins"));
    assert!(refused(&parse("SELECT * FROM {From}").unqualified()).contains("lacks"));
}

#[test]
fn what_cannot_be_right_is_refused() {
    let list_error = refused(&parse("x IN {l}").bind("l", list([] as [i32; 0])));
    assert!(list_error.contains("in_list") && list_error.ends_with("at $.l"), "{list_error}");
    assert!(refused(&parse("x IN {l}").bind("l", list([Some(1), None]))).contains("$.l[1]"));
    assert!(refused(&parse("{l}").bind("l", list([Value::from(vec![Value::from(1)])]))).contains("plain values"));
    let many = parse("x IN {l}").bind("l", list(0..51));
    assert!(compiled(&ORACLE, &many, &Request::default()).unwrap_err().to_string().contains("51 items"));
    assert!(refused(&parse("{x}")).contains("nothing fills the hole `{x}`"));
    assert!(refused(&parse("{from}")).contains("did you mean `{From}`?"));
    assert!(refused(&parse("SELECT '{x}'").bind("x", 1)).contains("no hole `x`"));
    assert!(refused(&parse("{From}").bind("From", 1)).contains("the catalog fills it"));
    assert!(refused(&parse("SELECT {f}").bind("f", prop("Amuont"))).contains("$.f (did you mean `Amount`?)"));
    let no_entity = compiled(&Plain, &parse("{From}"), &Request::default()).unwrap_err();
    assert!(matches!(no_entity.kind(), ErrorKind::Template { .. }), "{no_entity}");
}

#[test]
fn a_refusal_says_which_hole_and_what_fills_it() {
    let mut other = Vec::new();
    let mut says = |template: &ExprString, request: &Request<'_>, message: &str| {
        let error = compiled(&ORACLE, template, request).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Template { .. }), "{error}");
        if error.to_string() != format!("SQL template: {message}") {
            other.push((error.to_string(), message.to_owned()));
        }
    };
    let order = Request::of("Order");
    let listed = |items: Vec<Value>| parse("x IN {l}").bind("l", list(items));
    says(
        &parse("SELECT 1"),
        &Request::of("Order").verb(Verb::Count),
        "it is a statement of its own: write COUNT or EXISTS in its text at $",
    );
    says(
        &parse("SELECT * FROM {From}"),
        &Request::default(),
        "`{From}` needs an entity: name it with `entity`, or in the request at $.From",
    );
    says(
        &parse("SELECT * FROM {From}").unqualified(),
        &order,
        "`{From}` has the alias T0, which an unqualified template lacks at $.From",
    );
    says(
        &parse("DELETE FROM {Table} WHERE {f}").bind("f", prop("CustomerName").eq("x")).unqualified(),
        &Request::of("OrderView"),
        "an unqualified template has no joins: a column of a view's join needs `{From}` at $",
    );
    says(&parse("SELECT '{x}'").bind("x", 1), &order, "it has no hole `x` to fill: braces in a literal are text at $");
    says(&parse("SELECT '{0}'").arg(1), &order, "it has no hole for argument 0: braces in a literal are text at $");
    says(
        &listed(Vec::new()),
        &order,
        "an empty list has no text that is right for IN and NOT IN: bind the predicate `prop(..).in_list(..)` instead \
         at $.l",
    );
    says(
        &listed((0..51).map(Value::from).collect()),
        &order,
        "51 items are more than the 50 that the engine takes: bind the predicate `prop(..).in_list(..)` instead at $.l",
    );
    says(
        &listed(vec![1.into(), Value::Null]),
        &order,
        "a list with NULL makes NOT IN true of nothing: bind the predicate `prop(..).in_list(..)` instead, or test \
         IS NULL at $.l[1]",
    );
    says(
        &listed(vec![1.into(), vec![Value::from(1)].into()]),
        &order,
        "a list takes plain values: bind the predicate `prop(..).in_list(..)` instead at $.l[1]",
    );
    let join = isogloss_compiler::expr::TableJoinExpr {
        source: from("Customer"),
        on: None,
        join_type: TableJoinType::Cross,
        lateral: false,
    };
    says(
        &parse("SELECT 1 {x}").bind("x", Expr::TableJoin(isogloss_compiler::expr::Child::new(join))),
        &order,
        "no join fills a hole: write it in the text at $.x",
    );
    says(
        &parse("SELECT {x}").bind("x", [] as [SelectItemExpr; 0]),
        &order,
        "an empty list of items fills no hole at $.x",
    );
    let name = refused(&parse("SELECT * FROM {t}").bind("t", identifier("a\0b")));
    assert!(name.ends_with("a name is not empty and has no NUL character at $.t"), "{name}");
    assert!(other.is_empty(), "{other:#?}");
}

#[test]
fn placeholders_in_the_text_are_refused() {
    let stray = |dialect: &Fake, text: &'static str| compiled(dialect, &parse(text), &Request::default()).is_err();
    assert!(stray(&MYSQL, "SELECT ?"));
    assert!(!stray(&MYSQL, "SELECT '?' -- ?"));
    assert!(!stray(&POSTGRES, "SELECT data ? 'a'"));
    assert!(stray(&POSTGRES, "SELECT $1"));
    assert!(!stray(&POSTGRES, "SELECT a$1, data->>'x' || x::text"));
    assert!(stray(&SQLITE, "SELECT :name"));
    assert!(stray(&SQLSERVER, "SELECT @p1") && !stray(&SQLSERVER, "SELECT @Price, @@rowcount"));
    let told = compiled(&POSTGRES, &parse("SELECT\n$1"), &Request::default()).unwrap_err().to_string();
    assert_eq!(told, "SQL template, line 2, column 1 (byte 7): the engine takes this for a parameter: use a hole");
    assert!(stray(&ORACLE, "SELECT :1 FROM DUAL") && !stray(&ORACLE, "BEGIN x := 1; END;"));
}

/// What the engine reads as code is between bars.
fn code(dialect: &Fake, text: &str) -> Result<String> {
    compiled(dialect, &ExprString::new().text(text.to_owned()).bind("x", RawSql::new("!")), &Request::default())
        .map(|(sql, _)| sql)
}

#[test]
fn each_engine_reads_its_own_literals() {
    let ok = |dialect: &Fake, text: &str, sql: &str| assert_eq!(code(dialect, text).unwrap(), sql, "{dialect:?}");
    for dialect in &ALL {
        ok(dialect, "'it''s [a] {b}' {x}", "'it''s [a] {b}' !");
        ok(dialect, "\"a\"\"[b]\" {x}", "\"a\"\"[b]\" !");
        ok(dialect, "'a \" b' {x} '\" '", "'a \" b' ! '\" '");
        ok(dialect, "-- it's [a\n{x}", "-- it's [a\n!");
        ok(dialect, "/* it's [a */ {x} -- end", "/* it's [a */ ! -- end");
        ok(dialect, "{{[[1]]}} {x}", "{[1]} !");
        ok(dialect, "N'[a]' {x}", "N'[a]' !");
    }
    ok(&MYSQL, r"'a\'[b]' {x}", r"'a\'[b]' !");
    ok(&MYSQL, r#""a\"[b]" {x} `[c]``` # it's"#, r#""a\"[b]" ! `[c]``` # it's"#);
    ok(&MYSQL, "5--6 {x}", "5--6 !");
    // The blank before what fills the hole would make it a comment.
    assert!(code(&MYSQL, "5--{x}").is_err() && code(&MYSQL, "5--[x]").is_err());
    for dialect in [&POSTGRES, &SQLITE, &SQLSERVER, &ORACLE] {
        assert!(matches!(code(dialect, r"'a\' {x} 'b").unwrap_err().kind(), ErrorKind::TemplateText { .. }));
        assert!(code(dialect, r"'a\' {x}").unwrap().ends_with('!'));
    }
    ok(&SQLITE, "`[c]` {x}", "`[c]` !");
    ok(&POSTGRES, r"E'a\'[b]' {x} e'\\' {x}", r"E'a\'[b]' ! e'\\' !");
    ok(&POSTGRES, "E'a'\n'b\\'[c]' {x}", "E'a'\n'b\\'[c]' !");
    ok(&POSTGRES, r"TE'a\' {x}", r"TE'a\' !");
    ok(&POSTGRES, "$$it's [a]$$ {x} $t$ $$ {y} $t$", "$$it's [a]$$ ! $t$ $$ {y} $t$");
    ok(&POSTGRES, "a$b$ {x} a$b$", "a$b$ ! a$b$");
    ok(&POSTGRES, "/* /* */ [ */ {x}", "/* /* */ [ */ !");
    ok(&SQLSERVER, "/* /* */ [ */ {x}", "/* /* */ [ */ !");
    ok(&ORACLE, "/* /* */ {x}", "/* /* */ !");
    ok(&ORACLE, "q'[it's [a]]' {x} nQ'!it's {b}!' {x} q'<>' {x}", "q'[it's [a]]' ! nQ'!it's {b}!' ! q'<>' !");
}

#[test]
fn what_is_left_open_is_an_error_with_its_place() {
    let place = |text: &'static str| match ExprString::parse(text).map_err(|e: Error| e.kind().clone()) {
        Err(ErrorKind::TemplateText { place, .. }) => (place.offset, place.line, place.column),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(place("é\n\n é'a"), (7, 3, 3));
    for text in ["[a", "[a]]", "[a [b]", "/* ", "{a", "]", "}", "[]", "{a b}", "{1a}", "\"a", "[a\0]", "{é}"] {
        assert_eq!(place(text).0, 0, "{text}");
    }
    assert_eq!(place("-- a\rb").0, 0);
    // A literal does not go on behind a hole, nor does a comment.
    assert!(refused(&ExprString::new().text("'a").value(1).text("b'")).contains("a literal is left open at $[0]"));
    assert!(refused(&ExprString::new().text("-- a").value(1)).contains("line comment"));
    assert_eq!(plain(&ExprString::new().text("'a").text("b'")), "'ab'");
}

/// The one quoted identifier that a text is, if it is one.
fn unquoted(text: &str, Quotes(open, close): Quotes) -> Option<String> {
    let mut chars = text.strip_prefix(open)?.chars().peekable();
    let mut name = String::new();
    while let Some(c) = chars.next() {
        if c == close {
            match chars.next() {
                Some(next) if next == close => {}
                Some(_) => return None,
                None => return Some(name),
            }
        }
        name.push(c);
    }
    None
}

proptest! {
    #[test]
    fn any_text_is_a_template_or_an_error(text in "[\\PC\r\n]{0,60}", sql in "[]\\[{}'\"`\\\\/*#$qQeE(<a0 \n\r?:@-]{0,40}") {
        for text in [text, sql] {
            let parsed = ExprString::parse(text.clone());
            for dialect in &ALL {
                let built = ExprString::new().text(text.clone()).value(1).text(text.clone());
                let _ = compiled(dialect, &built, &Request::of("Order"));
                if let Ok(template) = &parsed {
                    let _ = compiled(dialect, template, &Request::of("Order"));
                }
            }
        }
    }

    #[test]
    fn without_brackets_braces_and_parameters_a_text_is_taken_over(text in "[-'\"`\\\\/*#qQeE(<a0 \n]{0,40}") {
        for dialect in &ALL {
            if let Ok((sql, _)) = compiled(dialect, &ExprString::new().text(text.clone()), &Request::default()) {
                prop_assert_eq!(&sql, &text);
            }
        }
    }

    #[test]
    fn a_bound_text_stays_a_parameter(value in "\\PC{0,40}", constant_text in "[a'\\\\\"\n-]{0,10}") {
        let template = parse("SELECT 'x'{v}'y' FROM [t] WHERE [a] IN {l} AND {f}")
            .bind("v", value.as_str())
            .bind("l", list([value.as_str()]))
            .bind("f", prop("Status").eq(value.as_str()));
        for dialect in &ALL {
            let empty = parse("SELECT 'x'{v}'y' FROM [t] WHERE [a] IN {l} AND {f}")
                .bind("v", "").bind("l", list([""])).bind("f", prop("Status").eq(""));
            let (sql, values) = compiled(dialect, &template, &Request::of("Order")).unwrap();
            prop_assert_eq!(&sql, &compiled(dialect, &empty, &Request::of("Order")).unwrap().0);
            prop_assert_eq!(values, vec![Value::from(value.as_str()); 3]);
        }
        // A constant is one literal.
        let template = parse("'x'{v}'y'").bind("v", constant(constant_text.as_str()));
        let sql = plain(&template);
        let literal = sql.strip_prefix("'x' ").and_then(|s| s.strip_suffix(" 'y'")).unwrap();
        prop_assert_eq!(unquoted(literal, Quotes('\'', '\'')), Some(constant_text));
    }

    #[test]
    fn brackets_around_any_name_are_one_identifier(name in "[^\0\\[][^\0]{0,30}") {
        let text = format!("[{}]", name.replace('[', "[[").replace(']', "]]"));
        for dialect in &ALL {
            let template = ExprString::parse(text.clone()).unwrap();
            let (sql, _) = compiled(dialect, &template, &Request::default()).unwrap();
            prop_assert_eq!(unquoted(&sql, dialect.sheet.quotes), Some(name.clone()));
            let template = parse("{n}").bind("n", identifier(format!("[{name}")));
            let (sql, _) = compiled(dialect, &template, &Request::default()).unwrap();
            prop_assert_eq!(unquoted(&sql, dialect.sheet.quotes), Some(format!("[{name}")));
        }
    }
}

#[test]
fn what_is_wrong_with_a_text_is_said() {
    for (text, problem) in [
        ("a 'b", "a literal is left open"),
        ("\"a", "a quoted name is left open"),
        ("a /* b", "a comment is left open"),
        ("[a", "a bracket is left open; a bracket that stands for itself is written `[[`"),
        ("{a", "a hole is left open; a brace that stands for itself is written `{{`"),
        ("a]", "a `]` closes nothing; one that stands for itself is written `]]`"),
        ("a}", "a `}` closes nothing; one that stands for itself is written `}}`"),
        ("a[]", "brackets hold no name; an empty subscript is written `[[]]`"),
        ("[a [b]", "a bracket is left open; a bracket that stands for itself is written `[[`"),
        ("'a\0'", "a NUL character, where some engines end the text"),
        ("[a\0]", "a name in brackets holds a NUL character"),
        ("{a b}", "braces hold a name, a number or nothing; a brace that stands for itself is written `{{`"),
        ("a -- b\rc", "a carriage return ends the line of a comment on some engines only: end it with a line feed"),
    ] {
        let found = ExprString::parse(text).map_or_else(|error| error.to_string(), |template| refused(&template));
        assert!(found.contains(problem), "{text:?}: {found}");
    }
    let numbered = code(&ORACLE, "1q'[a]'").unwrap_err().to_string();
    assert!(numbered.contains("a number stands directly before a literal: put a blank between them"), "{numbered}");
    let blank = code(&ORACLE, "q' a '").unwrap_err().to_string();
    assert!(blank.contains("a blank delimits no `q'..'`: use another character"), "{blank}");
    let executed = code(&MYSQL, "/*! '*/' */").unwrap_err().to_string();
    assert!(executed.contains("the engine runs what stands in `/*! .. */`"), "{executed}");
    let doubled = code(&SQLSERVER, "[[a{x}]]").unwrap_err().to_string();
    assert!(doubled.contains("the engine takes `[[..]]` for a quoted name: write it in single brackets"), "{doubled}");
    let behind = refused(&ExprString::new().text("a -- b").value(1));
    let problem = "a hole stands behind a line comment that is not ended: end it with a line feed";
    assert!(behind.contains(problem), "{behind}");
}
