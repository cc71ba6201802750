//! What comes from outside stays where it belongs: strings inside of literals and identifiers, trees within their
//! limits, and nothing panics.

mod unfolded;

use std::collections::HashMap;
use std::mem::{self, Discriminant};
use std::sync::LazyLock;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::*;
use isogloss_compiler::functions::{ArgKind, Func};
use isogloss_compiler::model::sample;
use isogloss_compiler::walk::QueryPolicy;
use isogloss_compiler::{Compiler, ErrorKind, Request};
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;
use proptest::prelude::*;
use sqlparser::dialect::{
    Dialect as Lexer, DuckDbDialect, MsSqlDialect, MySqlDialect, OracleDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::tokenizer::{Token, Tokenizer};

/// Each dialect with the tokenizer that reads its text.
fn dialects() -> Vec<(Box<dyn Dialect>, Box<dyn Lexer>)> {
    vec![
        (Box::new(Postgres::V15), Box::new(PostgreSqlDialect {})),
        (Box::new(MySql::V8_0), Box::new(MySqlDialect {})),
        (Box::new(MariaDb::new(10, 11)), Box::new(MySqlDialect {})),
        (Box::new(Sqlite::V3_45), Box::new(SQLiteDialect {})),
        (Box::new(SqlServer::V2019), Box::new(MsSqlDialect {})),
        (Box::new(Oracle::V19), Box::new(OracleDialect {})),
        (Box::new(DuckDb::V1_5), Box::new(DuckDbDialect {})),
    ]
}

fn compiler() -> Compiler {
    Compiler::new(sample::catalog())
}

/// The kinds of a text's tokens, which a string must not change.
type Shape = Vec<Discriminant<Token>>;

/// Returns the kinds of a text's tokens. A list of bytes, as in `CHAR(0x61, 0x5C USING utf8mb4)`, counts as one.
fn shape(lexer: &dyn Lexer, sql: &str) -> Result<Shape, String> {
    let tokens = Tokenizer::new(lexer, sql).tokenize().map_err(|error| format!("{error}: {sql}"))?;
    let tokens: Vec<&Token> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    let is_byte = |at: usize| matches!(tokens.get(at), Some(Token::HexStringLiteral(_)));
    let parts = |at: usize| tokens.get(at) == Some(&&Token::Comma) && at > 0 && is_byte(at - 1) && is_byte(at + 1);
    let kept = (0..tokens.len()).filter(|at| !(parts(*at) || is_byte(*at) && parts(*at + 1)));
    Ok(kept.map(|at| mem::discriminant(tokens[at])).collect())
}

/// A statement with a string in one place.
type Place = fn(&str) -> Expr;

/// Places in which a string is a value: bound, or a literal.
const VALUES: &[(&str, Place)] = &[
    ("equal", |s| from("Order").filter(prop("Note").eq(s)).into()),
    ("not equal", |s| from("Order").filter(prop("Note").ne(s)).into()),
    ("constant", |s| from("Order").filter(prop("Note").eq(constant(format!("x{s}")))).into()),
    ("like", |s| from("Order").filter(prop("Note").like(s)).into()),
    ("contains", |s| from("Order").filter(prop("Note").contains(s)).into()),
    ("starts with", |s| from("Order").filter(prop("Note").starts_with(s)).into()),
    ("iends with", |s| from("Order").filter(prop("Note").iends_with(s)).into()),
    ("in", |s| from("Order").filter(prop("Note").in_list([s, "b"])).into()),
    ("row", |s| from("Order").filter(row([prop("Note"), prop("OrderNo")]).in_list(row([row([s, "x"])]))).into()),
    ("selected", |s| from("Order").select([value(s).alias("v")]).into()),
    ("selected constant", |s| from("Order").select([constant(format!("x{s}")).alias("v")]).into()),
    ("argument", |s| {
        from("Order")
            .select([func("Replace", [prop("Note").into(), value(s).into(), ValueTypeExpr::from("b")]).alias("v")])
            .into()
    }),
    ("case", |s| from("Order").select([if_else(prop("Note").eq(s), s, "no").alias("v")]).into()),
    ("concat", |s| from("Order").select([prop("Note").concat(s).alias("v")]).into()),
    ("insert", |s| table("Region").insert(["Id", "Name"], vec![1.into(), s.into()]).into()),
    ("update", |s| table("Order").update([("Note", s)]).filter(prop("Id").eq(1)).into()),
    ("string agg", |s| {
        from("Order").select([func("StringAgg", [ValueTypeExpr::from(prop("Note")), s.into()]).alias("v")]).into()
    }),
    ("format", |s| {
        from("Order")
            .select([func(
                "Format",
                [ValueTypeExpr::from(prop("CreatedTime")), format!("yyyy'{}'", s.replace('\'', "")).into()],
            )
            .alias("v")])
            .into()
    }),
];

/// Places in which a string is a name, or a part of one.
const NAMES: &[(&str, Place)] = &[
    ("property", |s| from("Order").filter(prop(s).eq(1)).into()),
    ("alias of a property", |s| from("Order").filter(prop_of(s, "Id").eq(1)).into()),
    ("entity", |s| from(s).into()),
    ("joined entity", |s| from("Order").join(TableJoinType::Left, from(s), prop("Id").eq(1)).into()),
    ("foreign entity", |s| from("Order").filter(exists_related(s, None)).into()),
    ("foreign alias", |s| from("Order").filter(exists("Customer", prop_of(s, "Id").eq(1)).aliased(s)).into()),
    ("table alias", |s| from("Order").aliased(s).filter(prop("Id").eq(1)).into()),
    ("select alias", |s| from("Order").select([prop("Id").alias(s)]).into()),
    ("derived alias", |s| from("Order").select([prop("Id")]).into_segment().aliased(s).filter(prop("Id").eq(1)).into()),
    ("cte", |s| SqlSegment::from(from("Order").select([prop("Id")]).with(s)).into()),
    ("function", |s| from("Order").select([func(s, [prop("Id")]).alias("v")]).into()),
    ("fragment", |s| from("Order").filter(LogicExpr::from(sql(s, 1))).into()),
    ("shard", |s| from_args("ShardedOrder", [s]).filter(prop("Id").eq(1)).into()),
    ("column", |s| table("Order").update([(s, 1)]).filter(prop("Id").eq(1)).into()),
    ("json path", |s| {
        from("Order").select([func("JsonValue", [ValueTypeExpr::from(prop("Data")), s.into()]).alias("v")]).into()
    }),
];

/// Strings whose texts are known to be right: plain ones, and ones that are escaped or written as bytes.
/// A number is an index or a name in a JSON path, which PostgreSQL has to be told.
const HARMLESS: &[&str] = &["abc", "0", "a%b", "a\\b", "a[b", "a\nb", "a\\\nb"];

/// A text and its shape.
type Shaped = (String, Shape);

/// The texts with harmless strings, by the dialect's label and the name of the place.
static HARMLESS_SHAPES: LazyLock<HashMap<(String, &str), Vec<Shaped>>> = LazyLock::new(|| {
    let compiler = compiler();
    let mut shapes: HashMap<_, Vec<_>> = HashMap::new();
    for (dialect, lexer) in dialects() {
        for (place, make) in [VALUES, NAMES].concat() {
            let sql_of = |text: &&str| compiler.compile(&make(text), &*dialect).map(|c| c.sql).ok();
            let shaped = HARMLESS.iter().filter_map(sql_of).map(|sql| {
                let shape = shape(&*lexer, &sql).unwrap();
                (sql, shape)
            });
            shapes.entry((dialect.label(), place)).or_default().extend(shaped);
        }
    }
    shapes
});

/// The string changes no token of the text, in any dialect; or it is refused.
fn stays_inside(places: &[(&str, Place)], text: &str, must_compile: bool) -> Result<(), String> {
    let compiler = compiler();
    for (dialect, lexer) in dialects() {
        for (place, make) in places {
            let usual = &HARMLESS_SHAPES[&(dialect.label(), *place)];
            let compiled = compiler.compile(&make(text), &*dialect).map(|c| (c.sql, c.params.len()));
            let at = format!("{place} on {} with {text:?}", dialect.label());
            let sql = match compiled {
                Err(error) if must_compile && !error.is_refused() => return Err(format!("{at}: {error}")),
                Err(_) => continue,
                Ok((sql, _)) => sql,
            };
            let found = shape(&*lexer, &sql).map_err(|error| format!("{at}: {error}"))?;
            // A name that is a real one by chance, and the empty text, have a text of their own.
            let comparable = !text.is_empty() && !usual.is_empty();
            if comparable && !usual.iter().any(|(_, shape)| *shape == found) {
                let usual: Vec<&str> = usual.iter().map(|(sql, _)| &**sql).collect();
                return Err(format!("{at}\n  {sql}\n  {}", usual.join("\n  ")));
            }
        }
    }
    Ok(())
}

#[test]
fn naughty_strings_stay_inside() {
    for text in naughty_strings::BLNS {
        // A NUL has no place in a text of PostgreSQL; the driver says so.
        if !text.contains('\0') {
            stays_inside(VALUES, text, true).unwrap();
            stays_inside(NAMES, text, false).unwrap();
        }
    }
}

#[test]
fn quotes_of_every_engine_stay_inside() {
    let texts = [
        "'",
        "''",
        "\"",
        "\"\"",
        "`",
        "]",
        "]]",
        "[",
        "\\",
        "\\'",
        "\\\\'",
        "';--",
        "\"; DROP TABLE x; --",
        "/*",
        "*/",
        "--",
        "#",
        "$$",
        "$1",
        "?",
        "@P1",
        ":1",
        "%",
        "_",
        "{0}",
        "{{",
        "}",
        "\n",
        "\r\n",
        "\t",
        "a'b\\",
        "x' OR '1'='1",
        "x\\' OR 1=1 -- ",
        "\u{2028}",
        "ʼ",
        "＇",
        "‘",
        "\u{feff}",
        "\u{0}\u{1}",
    ];
    for text in texts {
        if !text.contains('\0') {
            stays_inside(VALUES, text, true).unwrap();
            stays_inside(NAMES, text, false).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_string_stays_inside(text in "[^\\x00]{1,24}") {
        // SQL Server joins lines behind a backslash: the literal is broken there, once for each.
        prop_assume!(text.matches("\\\n").count() + text.matches("\\\r").count() < 2);
        stays_inside(VALUES, &text, true).map_err(TestCaseError::fail)?;
        stays_inside(NAMES, &text, false).map_err(TestCaseError::fail)?;
    }

    /// Bytes are a tree or an error, and a tree compiles or is refused: nothing panics.
    #[test]
    fn any_bytes_are_a_tree_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = isogloss_compiler::json::from_slice(&bytes);
    }

    /// Trees of any shape over real names: each text has a parameter a placeholder, and is read by a tokenizer.
    #[test]
    fn any_tree_compiles_or_is_refused(filter in logic(), items in proptest::collection::vec(scalar(), 1..4), skip in 0_u64..3) {
        let compiler = compiler();
        let select: Vec<SelectItemExpr> =
            items.into_iter().enumerate().map(|(i, v)| v.alias(format!("c{i}"))).collect();
        let query: Expr = from("OrderView").filter(filter.clone()).order_by([prop("Amount").desc()]).section(skip, 5).select(select).into();
        let delete: Expr = table("Order").delete().filter(filter).into();
        for (dialect, lexer) in dialects() {
            for tree in [&query, &delete] {
                let again = isogloss_compiler::json::to_string(tree);
                prop_assert_eq!(&isogloss_compiler::json::from_str(&again).unwrap(), tree);
                let Ok(compiled) = compiler.compile(tree, &*dialect) else { continue };
                let tokens = Tokenizer::new(&*lexer, &compiled.sql).tokenize();
                let tokens = tokens.map_err(|e| TestCaseError::fail(format!("{}: {e}: {}", dialect.label(), compiled.sql)))?;
                let placeholders = tokens.iter().filter(|t| matches!(t, Token::Placeholder(_))).count();
                if placeholders > 0 {
                    prop_assert_eq!(placeholders, compiled.params.len(), "{}: {}", dialect.label(), compiled.sql);
                }
                prop_assert_eq!(compiler.compile(tree, &*dialect).unwrap(), compiled);
            }
        }
    }
}

fn scalar() -> impl Strategy<Value = ValueTypeExpr> {
    const NAMES: &[&str] = &[
        "Id",
        "Qty",
        "Amount",
        "Note",
        "OrderNo",
        "Status",
        "Paid",
        "CreatedTime",
        "ShipDate",
        "CustomerName",
        "Token",
    ];
    let leaf = prop_oneof![
        4 => proptest::sample::select(NAMES).prop_map(|n| prop(n).into()),
        1 => any::<i32>().prop_map(ValueTypeExpr::from),
        1 => "[a-z'%_\\[\\]\\\\]{0,6}".prop_map(ValueTypeExpr::from),
        1 => (-1e6..1e6_f64).prop_map(ValueTypeExpr::from),
        1 => any::<bool>().prop_map(ValueTypeExpr::from),
        1 => Just(null().into()),
        1 => (-50..50_i64).prop_map(|n| constant(n).into()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let functions = proptest::sample::select(Func::ALL);
        prop_oneof![
            (inner.clone(), inner.clone(), 0..5_usize).prop_map(|(a, b, op)| match op {
                0 => a + b,
                1 => a - b,
                2 => a * b,
                3 => a / b,
                _ => a % b,
            }),
            inner.clone().prop_map(|a| -a),
            (functions, proptest::collection::vec(inner.clone(), 0..4)).prop_map(|(function, args)| {
                let signature = function.signature();
                let args = args.into_iter().enumerate().map(|(at, arg)| match signature.arg(at) {
                    ArgKind::Literal if signature.name == "Format" => "yyyy-MM-dd".into(),
                    ArgKind::Literal => "$.a[0]".into(),
                    _ => arg,
                });
                func(signature.name, args).into()
            }),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| concat(a, b).into()),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| if_else(a.clone().lt(b), a, c).into()),
            inner.prop_map(|a| a.cast(DbValueType::String).into()),
        ]
    })
}

fn logic() -> impl Strategy<Value = LogicExpr> {
    let operators: Vec<LogicOperator> =
        LogicOperator::ALL.into_iter().filter(|o| !matches!(o.positive(), LogicOperator::In)).collect();
    let leaf = prop_oneof![
        6 => (scalar(), proptest::sample::select(operators), scalar()).prop_map(|(a, op, b)| a.compare(op, b)),
        1 => proptest::collection::vec(-3..3_i32, 0..4).prop_map(|list| prop("Qty").in_list(list)),
        1 => proptest::collection::vec("[a-c]{0,2}", 0..4).prop_map(|list| prop("Note").not_in_list(list)),
        1 => Just(prop("Paid").is_true()),
        1 => Just(exists_related("Customer", prop("City").eq("x")).into()),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(LogicExpr::all),
            proptest::collection::vec(inner.clone(), 0..3).prop_map(LogicExpr::any),
            inner.prop_map(|a| !a),
        ]
    })
}

/// Runs on a stack of the size that threads get.
fn on_a_thread(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

/// Chains of `n` nodes, each of another kind.
fn chains(n: usize) -> Vec<(&'static str, Expr)> {
    let mut not = prop("Paid").is_true();
    let mut alternating = prop("Paid").is_true();
    let mut plus = ValueTypeExpr::from(prop("Qty"));
    let mut minus = ValueTypeExpr::from(prop("Qty"));
    let mut call = ValueTypeExpr::from(prop("Note"));
    let mut case = ValueTypeExpr::from(prop("Qty"));
    let mut filters = from("Order");
    let mut selects = from("Order");
    let mut inner = from("Customer").select([prop("Id")]);
    for i in 0..n {
        not = LogicExpr::Not(NotExpr { operand: not }.into());
        let other = prop("Qty").eq(1);
        alternating = if i.is_multiple_of(2) {
            LogicExpr::And(AndExpr { items: vec![other, alternating] })
        } else {
            LogicExpr::Or(OrExpr { items: vec![other, alternating] })
        };
        plus = plus + 1;
        minus = -minus;
        call = func("Lower", [call]).into();
        case = if_else(prop("Paid").is_true(), 1, case).into();
        filters = filters.filter(prop("Qty").eq(1));
        selects = selects.select_all().distinct().into();
        inner = from("Customer").filter(prop("Id").in_list(inner)).select([prop("Id")]);
    }
    vec![
        ("not", from("Order").filter(not).into()),
        ("and or", from("Order").filter(alternating).into()),
        ("plus", from("Order").select([plus.alias("v")]).into()),
        ("minus", from("Order").select([minus.alias("v")]).into()),
        ("call", from("Order").select([call.alias("v")]).into()),
        ("case", from("Order").select([case.alias("v")]).into()),
        ("filters", filters.into()),
        ("selects", selects.into()),
        ("in", inner.into()),
    ]
}

#[test]
fn a_chain_of_a_million_nodes_is_refused_by_its_depth() {
    on_a_thread(|| {
        let compiler = compiler();
        for (name, tree) in chains(1_000_000) {
            let error = compiler.compile(&tree, &Postgres::V15).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::TooDeep { .. }), "{name}: {error}");
        }
    });
}

#[test]
fn trees_just_within_the_depth_compile_on_a_usual_stack() {
    on_a_thread(|| {
        let compiler = compiler();
        for n in [10, 60, 150, 159, 160, 161, 400] {
            for (name, tree) in chains(n) {
                for (dialect, _) in dialects() {
                    if let Err(error) = compiler.compile(&tree, &*dialect) {
                        let fine = matches!(error.kind(), ErrorKind::TooDeep { .. }) || error.is_refused();
                        assert!(fine, "{name} of {n} on {}: {error}", dialect.label());
                        assert!(n > 60 || error.is_refused(), "{name} of {n} on {}: {error}", dialect.label());
                    }
                }
            }
        }
    });
}

#[test]
fn a_request_for_one_entity_is_not_over_another() {
    let compiler = compiler();
    let target = compiler.target(&Postgres::V15);
    let users = || from("User").select([prop("Name")]);
    let orders = || from("Order").select([prop("OrderNo")]);
    let trees: Vec<SqlSegment> = vec![
        from("User"),
        users().into(),
        users().into_segment().select_all().into(),
        users().with("u").into(),
        users().union_all(orders()).into(),
        users().into_segment().aliased("d").filter(prop("Name").eq("x")),
    ];
    for tree in &trees {
        let error = target.compile_with(tree, &Request::of("Order"), Default::default()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OtherRoot { .. }), "{error}");
    }
    // Only what is outermost has to be its own; which tables a client may read at all, the policy says.
    let united = || SqlSegment::from(orders().union_all(users()));
    let own = [
        from("OrderView"),
        orders().into(),
        united(),
        united().order_by([prop("OrderNo").asc()]),
        united().filter(prop("OrderNo").eq("x")),
        orders().union_all(users()).with("both").into(),
    ];
    for tree in own {
        target.compile_with(&tree, &Request::of("Order"), Default::default()).unwrap();
    }
}

/// Trees that would read a column that the policy hides, if a name meant one thing to it and another one to the compiler.
#[test]
fn a_policy_sees_the_columns_that_the_compiler_sees() {
    let user = || QueryPolicy::new("User");
    let hides_name =
        |root: &str, other: &str| QueryPolicy::new(root).allow_entity(other).deny_properties("User", ["Name"]);
    let trees = [
        // The alias of an item has the name of the column that the order's key reads below the list.
        (
            user(),
            r##"{"$":"in","Left":{"#":"Id"},"Right":{"$section":{"$orderby":{"$select":{"$table":"User"},"Selects":[{"Alias":"Password","Value":{"#":"Id"}}]},"OrderBys":[{"Field":{"$":"func","Lower":[{"#":"Password"}]}}]},"Take":1,"After":["m"]}}"##,
        ),
        (
            user(),
            r##"{"$orderby":{"$select":{"$table":"User"},"Selects":[{"Alias":"Password","Value":{"#":"Name"}}]},"OrderBys":[{"Field":{"$":"func","Lower":[{"#":"Password"}]}}]}"##,
        ),
        (
            user(),
            r##"{"$section":{"$orderby":{"$select":{"$table":"User"},"Selects":[{"Alias":"Password","Value":{"#":"Name"}},{"Value":{"#":"Id"}}]},"OrderBys":[{"Field":{"#":"Password"}}]},"Take":10,"After":["m"]}"##,
        ),
        // The key is a column of the subquery's table, or of the query's around it.
        (
            hides_name("Customer", "User"),
            r##"{"$where":{"$table":"Customer"},"Where":{"$":"==","Left":{"#":"Id"},"Right":{"$section":{"$orderby":{"$select":{"$table":"User"},"Selects":[{"Value":{"#":"Id"}}]},"OrderBys":[{"Field":{"#":"Name"}}]},"Take":1}}}"##,
        ),
        (
            hides_name("Customer", "User"),
            r##"{"$where":{"$table":"Customer"},"Where":{"$":"==","Left":{"#":"Id"},"Right":{"$section":{"$orderby":{"$select":{"$table":"User"},"Selects":[{"Value":{"#":"Id"}}]},"OrderBys":[{"Field":{"#":"T1.Name"}}]},"Take":1}}}"##,
        ),
        // A set operation gives the columns of a member the names of the first one.
        (
            user(),
            r##"{"$where":{"$select":{"$where":{"$table":"User"},"Where":{"$":"==","Left":{"#":"Id"},"Right":0}},"Selects":[{"Alias":"i","Value":{"#":"Id"}},{"Alias":"n","Value":{"#":"Name"}},{"Alias":"d","Value":{"#":"DeptId"}},{"Alias":"a","Value":{"#":"Age"}},{"Alias":"e","Value":{"#":"Email"}},{"Alias":"adm","Value":{"#":"IsAdmin"}},{"Alias":"h","Value":{"#":"Name"}}],"Next":[{"SetType":"UnionAll","$select":{"$table":"User"}}]},"Where":{"$":"startswith","Left":{"#":"h"},"Right":{"@":"a"}}}"##,
        ),
        // A derived table lacks the column, so that the name is looked up further out.
        (
            hides_name("User", "Customer"),
            r##"{"$where":{"$table":"User"},"Where":{"$exists":{"$where":{"$group":{"$table":"Customer"},"GroupBys":[{"#":"Id"}]},"Where":{"$":"startswith","Left":{"#":"Name"},"Right":{"@":"a"}}}}}"##,
        ),
        // A cursor without an order is compared with the primary key.
        (
            user().deny_properties("User", ["Id"]),
            r##"{"$":"in","Left":{"#":"Age"},"Right":{"$section":{"$select":{"$table":"User"},"Selects":[{"Value":{"#":"Age"}}]},"Take":1,"After":[5]}}"##,
        ),
    ];
    let catalog = sample::catalog();
    for (policy, json) in trees {
        let tree = isogloss_compiler::json::from_str(json).unwrap();
        assert!(policy.check(&tree, &catalog).is_err(), "{json}");
    }
}

/// An alias in a key means the item: in WHERE and in expressions, engines read a column of the table by that name.
#[test]
fn an_alias_in_a_key_is_the_item() {
    let users = || from("User").select([prop("Email").alias("Password"), prop("Id").alias("Id")]).into_segment();
    let trees: [Expr; 3] = [
        users().order_by([prop("Password").asc().nulls_last()]).into(),
        users().order_by([func("Lower", [prop("Password")]).asc()]).into(),
        from("User")
            .select([prop("Name").alias("Password")])
            .into_segment()
            .order_by([prop("Password").asc()])
            .after(["m"], 5)
            .into(),
    ];
    let compiler = compiler();
    for (dialect, _) in dialects() {
        for tree in &trees {
            let sql = compiler.compile(tree, &*dialect).unwrap().sql;
            assert_eq!(sql.matches("Password").count(), 1, "{}: {sql}", dialect.label());
        }
    }
}

#[test]
fn pages_of_aggregates_of_pages_take_no_longer_a_level() {
    let nested = (0..40).fold(ValueTypeExpr::from(1), |inner, _| {
        let select = from("Order").take(5).select([(prop("Qty").max() + inner).alias("v")]);
        SqlSegment::from(select).into()
    });
    let tree = Expr::from(from("Order").select([nested.alias("v")]));
    // Each level twice would be a million million of them.
    assert!(compiler().compile(&tree, &Postgres::V15).unwrap().sql.len() < 100_000);
}

#[test]
fn a_million_values_are_one_parameter_or_refused() {
    let compiler = compiler();
    let tree: Expr = from("Order").filter(prop("Id").in_list((0..1_000_000_i64).collect::<Vec<_>>())).into();
    for (dialect, _) in dialects() {
        match compiler.compile(&tree, &*dialect) {
            Ok(compiled) => assert_eq!(compiled.params.len(), 1, "{}", dialect.label()),
            Err(error) => panic!("{}: {error}", dialect.label()),
        }
    }
}

#[test]
fn what_becomes_text_of_the_statement_has_no_zero_character() {
    let compiler = compiler();
    for expr in [
        func("Format", [prop("CreatedTime").into(), ValueTypeExpr::from("yyyy'a\0b'")]),
        func("JsonObject", [ValueTypeExpr::from("a\0b"), 1.into()]),
    ] {
        let query = Expr::from(from("Order").select([expr.alias("V")]).into_segment());
        for (dialect, _) in dialects() {
            let error = compiler.compile(&query, &*dialect).unwrap_err().to_string();
            assert!(error.contains("it has a zero character, which ends the text of a statement"), "{error}");
        }
    }
}

#[test]
fn a_list_has_values_of_one_type() {
    let compiler = compiler();
    let nested: Vec<Value> = vec![Value::List(vec![1.into()].into()); 100];
    let untyped = sql("none", 1);
    for (dialect, _) in dialects() {
        for count in [2, 100] {
            let lists: Vec<Value> = nested.iter().take(count).cloned().collect();
            let tree: Expr = from("Order").filter(prop("Id").in_list(lists)).into();
            let error = compiler.compile(&tree, &*dialect).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Unbindable { .. }), "{}: {error}", dialect.label());
        }
    }
    let mut registry = isogloss_compiler::Registry::default();
    registry.value_fragment("none", None, |cx, _| {
        cx.text("1");
        Ok(())
    });
    let compiler = Compiler::with_registry(sample::catalog(), registry);
    let left = || ValueTypeExpr::Sql(untyped.clone().into());
    let mixed: Vec<Value> = (0..100).map(|n| if n % 2 == 0 { Value::from(n) } else { Value::from(0.5) }).collect();
    let tree: Expr = from("Order").filter(left().in_list(mixed)).into();
    for (dialect, _) in dialects() {
        let compiled = compiler.compile(&tree, &*dialect).unwrap();
        assert_eq!(compiled.params.len(), 100, "{}", dialect.label());
        assert!(compiled.params.iter().all(|p| matches!(*p.value, Value::Float(_))), "{}", dialect.label());
    }
}

#[test]
fn wide_lists_take_no_stack() {
    on_a_thread(|| {
        let compiler = compiler();
        let ids = || from("Order").select([prop("Id")]);
        let union = |n| SqlSegment::from((1..n).fold(ids(), |all, _| all.union_all(ids())));
        let row = |n: usize, by: i64| row((0..n).map(|_| prop("Qty") + by));
        let keys = |n: usize| {
            let key = |i: usize| if i.is_multiple_of(2) { (prop("Qty") + 1).asc() } else { (prop("Qty") + 2).desc() };
            from("Order").order_by((0..n).map(key)).after((0..n).map(|i| value(i as i64)), 10)
        };
        for n in [60, 1_000, 20_000] {
            let trees: Vec<(&str, SqlSegment)> = vec![
                ("union", union(n)),
                ("row", from("Order").filter(ValueTypeExpr::from(row(n, 1)).gt(row(n, 2)))),
                ("keys", keys(n)),
                ("greatest", from("Order").filter(func("Greatest", (0..n).map(|_| prop("Amount"))).gt(1))),
            ];
            for (name, tree) in trees {
                for (dialect, _) in dialects() {
                    match compiler.compile(&tree, &*dialect) {
                        Ok(compiled) => assert!(compiled.sql.len() < 4 << 20, "{name} of {n} on {}", dialect.label()),
                        Err(error) => {
                            let refused =
                                matches!(error.kind(), ErrorKind::Misplaced { .. } | ErrorKind::Cursor { .. });
                            assert!(refused || error.is_refused(), "{name} of {n} on {}: {error}", dialect.label());
                        }
                    }
                }
            }
        }
    });
}
