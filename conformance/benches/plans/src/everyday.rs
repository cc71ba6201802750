//! Statements of everyday programs over the tables of TPC-H, each beside what an expert writes for the engine.

use isogloss_compiler::args;
use isogloss_compiler::expr::{
    Expr, Value, ValueExpr, ValueOps, constant, count_all, exists, exists_related, from, func, prop, prop_of, table,
};

/// A statement, and the text of an expert by the name of the dialect.
pub struct Pair {
    pub name: &'static str,
    pub tree: Expr,
    pub expert: fn(&str) -> String,
    /// It is rolled back each time.
    pub writes: bool,
}

fn read(name: &'static str, tree: impl Into<Expr>, expert: fn(&str) -> String) -> Pair {
    Pair { name, tree: tree.into(), expert, writes: false }
}

fn write(name: &'static str, tree: impl Into<Expr>, expert: fn(&str) -> String) -> Pair {
    Pair { name, tree: tree.into(), expert, writes: true }
}

fn date(text: &str) -> ValueExpr {
    isogloss_compiler::expr::value(Value::Date(text.parse().expect("a date of this program")))
}

/// A date as the dialect writes it.
fn day(dialect: &str, text: &str) -> String {
    if dialect == "sqlite" { format!("'{text}'") } else { format!("DATE '{text}'") }
}

/// All of them.
pub fn pairs() -> Vec<Pair> {
    vec![
        read("page of a view, joins that show columns", page(), |dialect| {
            let join = match dialect {
                "sqlite" => "CROSS JOIN",
                "mysql" | "mariadb" => "STRAIGHT_JOIN",
                _ => "JOIN",
            };
            format!(
                "SELECT l_orderkey, l_linenumber, o_orderdate, c_name, p_name, s.n_name FROM lineitem \
                 {join} orders ON o_orderkey = l_orderkey {join} customer ON c_custkey = o_custkey \
                 {join} part ON p_partkey = l_partkey {join} supplier ON s_suppkey = l_suppkey \
                 {join} nation s ON s.n_nationkey = s_nationkey ORDER BY l_orderkey, l_linenumber LIMIT 20"
            )
        }),
        read("count of a view's rows", from("LineItemView").select([count_all()]), |_| {
            "SELECT COUNT(*) FROM lineitem".to_owned()
        }),
        read(
            "EXISTS of a parent",
            from("LineItem").filter(exists_related("Order", prop("CustKey").eq(370))).select([prop("Quantity").sum()]),
            |_| {
                "SELECT SUM(l_quantity) FROM lineitem JOIN orders ON o_orderkey = l_orderkey WHERE o_custkey = 370"
                    .to_owned()
            },
        ),
        read(
            "EXISTS of children",
            from("Order")
                .filter(exists("LineItem", prop("OrderKey").eq(prop_of("T0", "OrderKey")) & prop("SuppKey").eq(70)))
                .select([prop("TotalPrice").sum()]),
            |dialect| match dialect {
                "sqlite" => "SELECT SUM(o_totalprice) FROM orders WHERE o_orderkey IN \
                             (SELECT l_orderkey FROM lineitem WHERE l_suppkey = 70)"
                    .to_owned(),
                _ => "SELECT SUM(o_totalprice) FROM orders WHERE EXISTS \
                      (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_suppkey = 70)"
                    .to_owned(),
            },
        ),
        write(
            "DELETE by EXISTS of a parent",
            table("LineItem").delete().filter(exists_related("Order", prop("CustKey").eq(370))),
            |dialect| match dialect {
                "sqlite" => {
                    "DELETE FROM lineitem WHERE l_orderkey IN (SELECT o_orderkey FROM orders WHERE o_custkey = 370)"
                        .to_owned()
                }
                "mariadb" | "mysql" => "DELETE lineitem FROM lineitem JOIN orders ON o_orderkey = l_orderkey \
                                        WHERE o_custkey = 370"
                    .to_owned(),
                _ => "DELETE FROM lineitem WHERE EXISTS \
                      (SELECT 1 FROM orders WHERE o_orderkey = l_orderkey AND o_custkey = 370)"
                    .to_owned(),
            },
        ),
        write(
            "UPDATE by EXISTS of a parent",
            table("LineItem")
                .update([("Comment", constant("seen"))])
                .filter(exists_related("Order", prop("CustKey").eq(370))),
            |dialect| match dialect {
                "sqlite" => "UPDATE lineitem SET l_comment = 'seen' WHERE l_orderkey IN \
                             (SELECT o_orderkey FROM orders WHERE o_custkey = 370)"
                    .to_owned(),
                "mariadb" | "mysql" => "UPDATE lineitem JOIN orders ON o_orderkey = l_orderkey SET l_comment = 'seen' \
                                        WHERE o_custkey = 370"
                    .to_owned(),
                _ => "UPDATE lineitem SET l_comment = 'seen' WHERE EXISTS \
                      (SELECT 1 FROM orders WHERE o_orderkey = l_orderkey AND o_custkey = 370)"
                    .to_owned(),
            },
        ),
        read(
            "DISTINCT ON with a limit",
            from("Order")
                .order_by([prop("CustKey").asc(), prop("OrderDate").desc(), prop("OrderKey").asc()])
                .take(20)
                .select(["CustKey", "OrderDate", "OrderKey"])
                .distinct_on(["CustKey"]),
            |dialect| {
                match dialect {
                "postgres" => "SELECT DISTINCT ON (o_custkey) o_custkey, o_orderdate, o_orderkey FROM orders \
                               ORDER BY o_custkey, o_orderdate DESC, o_orderkey LIMIT 20"
                    .to_owned(),
                _ => "SELECT o_custkey, o_orderdate, o_orderkey FROM orders WHERE o_orderkey = (SELECT n.o_orderkey FROM orders n \
                      WHERE n.o_custkey = orders.o_custkey ORDER BY n.o_orderdate DESC, n.o_orderkey LIMIT 1) \
                      ORDER BY o_custkey LIMIT 20"
                    .to_owned(),
            }
            },
        ),
        read(
            "a year",
            from("Order").filter(func("Year", args![prop("OrderDate")]).eq(1995)).select([prop("TotalPrice").sum()]),
            |dialect| {
                let (first, last) = (day(dialect, "1995-01-01"), day(dialect, "1996-01-01"));
                format!("SELECT SUM(o_totalprice) FROM orders WHERE o_orderdate >= {first} AND o_orderdate < {last}")
            },
        ),
        read(
            "a year and its month",
            from("Order")
                .filter(func("Year", args![prop("OrderDate")]).eq(1995) & func("Month", args![prop("OrderDate")]).eq(3))
                .select([prop("TotalPrice").sum()]),
            |dialect| {
                let (first, last) = (day(dialect, "1995-03-01"), day(dialect, "1995-04-01"));
                format!("SELECT SUM(o_totalprice) FROM orders WHERE o_orderdate >= {first} AND o_orderdate < {last}")
            },
        ),
        read(
            "some days behind a date",
            from("Order")
                .filter(func("AddDays", args![prop("OrderDate"), 30]).gt(date("1998-08-25")))
                .select([prop("TotalPrice").sum()]),
            |dialect| {
                format!("SELECT SUM(o_totalprice) FROM orders WHERE o_orderdate > {}", day(dialect, "1998-07-26"))
            },
        ),
        read(
            "a list of eight keys",
            from("Order")
                .filter(prop("CustKey").in_list([370, 781, 1234, 61, 40, 1300, 556, 902]))
                .select([prop("TotalPrice").sum()]),
            |dialect| match dialect {
                "postgres" => "SELECT SUM(o_totalprice) FROM orders WHERE o_custkey = \
                               ANY('{370,781,1234,61,40,1300,556,902}'::bigint[])"
                    .to_owned(),
                _ => "SELECT SUM(o_totalprice) FROM orders WHERE o_custkey IN (370, 781, 1234, 61, 40, 1300, 556, 902)"
                    .to_owned(),
            },
        ),
    ]
}

fn page() -> impl Into<Expr> {
    from("LineItemView").order_by([prop("OrderKey").asc(), prop("LineNumber").asc()]).take(20).select([
        "OrderKey",
        "LineNumber",
        "OrderDate",
        "CustomerName",
        "PartName",
        "SupplierNationName",
    ])
}
