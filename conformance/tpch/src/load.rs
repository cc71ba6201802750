//! The rows of the eight tables, as the standard's own generator makes them.

use std::fmt::Display;
use std::sync::LazyLock;

use chrono::{DateTime, Days, NaiveDate};
use isogloss_compiler::Target;
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_driver::{Connection, Result};
use tpchgen::dates::TPCHDate;
use tpchgen::decimal::TPCHDecimal;
use tpchgen::distribution::Distributions;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};
use tpchgen::text::TextPool;

/// The rows of one table: the values of each in the order of the entity's columns.
pub type Rows = Box<dyn Iterator<Item = Vec<Value>> + Send>;

/// Comments are cut from a pool of text. The standard's has 300 MB, which takes seconds to make; below a scale of 1
/// the answers are nobody's but ours, and a small pool does.
fn text_pool(scale: f64) -> &'static TextPool {
    static SMALL: LazyLock<TextPool> = LazyLock::new(|| TextPool::new(8 << 20, Distributions::static_default()));
    if scale < 1.0 { &SMALL } else { TextPool::get_or_init_default() }
}

/// The rows of all tables at a scale, parents before children, each with the name of its entity.
pub fn tables(scale: f64) -> [(&'static str, Rows); 8] {
    let (words, text) = (Distributions::static_default(), text_pool(scale));
    [
        (
            "Region",
            rows(RegionGenerator::new_with_distributions_and_text_pool(words, text), |r| {
                vec![r.r_regionkey.into(), r.r_name.into(), r.r_comment.into()]
            }),
        ),
        (
            "Nation",
            rows(NationGenerator::new_with_distributions_and_text_pool(words, text), |n| {
                vec![n.n_nationkey.into(), n.n_name.into(), n.n_regionkey.into(), n.n_comment.into()]
            }),
        ),
        (
            "Supplier",
            rows(SupplierGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text), |s| {
                vec![
                    s.s_suppkey.into(),
                    shown(s.s_name),
                    shown(s.s_address),
                    s.s_nationkey.into(),
                    shown(s.s_phone),
                    decimal(s.s_acctbal),
                    s.s_comment.into(),
                ]
            }),
        ),
        (
            "Customer",
            rows(CustomerGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text), |c| {
                vec![
                    c.c_custkey.into(),
                    shown(c.c_name),
                    shown(c.c_address),
                    c.c_nationkey.into(),
                    shown(c.c_phone),
                    decimal(c.c_acctbal),
                    c.c_mktsegment.into(),
                    c.c_comment.into(),
                ]
            }),
        ),
        (
            "Part",
            rows(PartGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text), |p| {
                vec![
                    p.p_partkey.into(),
                    shown(p.p_name),
                    shown(p.p_mfgr),
                    shown(p.p_brand),
                    p.p_type.into(),
                    p.p_size.into(),
                    p.p_container.into(),
                    decimal(p.p_retailprice),
                    p.p_comment.into(),
                ]
            }),
        ),
        (
            "PartSupp",
            rows(PartSuppGenerator::new_with_text_pool(scale, 1, 1, text), |s| {
                vec![
                    s.ps_partkey.into(),
                    s.ps_suppkey.into(),
                    s.ps_availqty.into(),
                    decimal(s.ps_supplycost),
                    s.ps_comment.into(),
                ]
            }),
        ),
        (
            "Order",
            rows(OrderGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text), |o| {
                vec![
                    o.o_orderkey.into(),
                    o.o_custkey.into(),
                    o.o_orderstatus.as_str().into(),
                    decimal(o.o_totalprice),
                    date(o.o_orderdate),
                    o.o_orderpriority.into(),
                    shown(o.o_clerk),
                    o.o_shippriority.into(),
                    o.o_comment.into(),
                ]
            }),
        ),
        (
            "LineItem",
            rows(LineItemGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text), |l| {
                vec![
                    l.l_orderkey.into(),
                    l.l_partkey.into(),
                    l.l_suppkey.into(),
                    l.l_linenumber.into(),
                    Decimal::from(l.l_quantity).into(),
                    decimal(l.l_extendedprice),
                    decimal(l.l_discount),
                    decimal(l.l_tax),
                    l.l_returnflag.into(),
                    l.l_linestatus.into(),
                    date(l.l_shipdate),
                    date(l.l_commitdate),
                    date(l.l_receiptdate),
                    l.l_shipinstruct.into(),
                    l.l_shipmode.into(),
                    l.l_comment.into(),
                ]
            }),
        ),
    ]
}

/// Fills the tables, which must be there and empty, and has the engine look at what is in them: without its statistics MySQL
/// may read the whole of a table for each row of another one.
///
/// # Errors
/// What the engine reports.
pub async fn load(connection: &mut dyn Connection, target: &Target, scale: f64) -> Result<()> {
    let is_mysql = matches!(target.dialect().sheet().name, "mysql" | "mariadb");
    let analyze = if is_mysql { "ANALYZE TABLE" } else { "ANALYZE" };
    for (entity, rows) in tables(scale) {
        let Some((_, known)) = target.catalog().entity(entity) else { continue };
        let columns: Vec<&str> = known.columns.iter().map(|column| column.name.as_str()).collect();
        let into = target.bulk_insert(entity, &columns, &[])?;
        connection.bulk_insert(&into, isogloss_driver::rows(rows)).await?;
        connection.script(&format!("{analyze} {}", known.table)).await?;
    }
    Ok(())
}

fn rows<G>(generated: G, values: impl Fn(G::Item) -> Vec<Value> + Send + 'static) -> Rows
where
    G: IntoIterator<IntoIter: Send + 'static>,
{
    Box::new(generated.into_iter().map(values))
}

fn shown(text: impl Display) -> Value {
    text.to_string().into()
}

fn decimal(amount: TPCHDecimal) -> Value {
    // 64 bits are fewer than 38 digits: there is always a decimal.
    Decimal::new(amount.into_inner().into(), 2).map_or(Value::Null, Value::from)
}

fn date(date: TPCHDate) -> Value {
    let days = u64::try_from(date.to_unix_epoch()).unwrap_or_default();
    let epoch: NaiveDate = DateTime::UNIX_EPOCH.date_naive();
    epoch.checked_add_days(Days::new(days)).into()
}
