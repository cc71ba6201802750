//! The eight TPC-H tables, generated into SQLite.
//!
//! Names are what a C# or Rust model would call them: `Customer.AccountBalance`, not `c_acctbal`. Three things differ
//! from the official `dbgen`:
//!
//! - Money is `REAL`, since SQLite has no decimal type. Sums are therefore off in the last digits; compare them rounded.
//! - Comments are cut from a text pool of 8 MB where `dbgen` takes 300 MB, which saves a second and the memory. Every
//!   other column has `dbgen`'s own value.
//! - At some scales below 0.03 the generator names the same supplier of a part twice. The second is left out.
//!
//! Invariant: a file is loaded as a whole or not at all. The note that it is loaded is written in the transaction that
//! fills it, and a file without that note is never written to.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rusqlite::{Connection, OptionalExtension as _, Params, TransactionBehavior};
use tpchgen::distribution::Distributions;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};
use tpchgen::text::TextPool;

/// Dates are ISO text (`1996-01-02`), so that comparing text compares dates.
const TABLES: &str = "
CREATE TABLE Region (
    Id                INTEGER NOT NULL PRIMARY KEY,
    Name              TEXT    NOT NULL,
    Comment           TEXT    NOT NULL
) STRICT;

CREATE TABLE Nation (
    Id                INTEGER NOT NULL PRIMARY KEY,
    Name              TEXT    NOT NULL,
    RegionId          INTEGER NOT NULL REFERENCES Region (Id),
    Comment           TEXT    NOT NULL
) STRICT;

CREATE TABLE Supplier (
    Id                INTEGER NOT NULL PRIMARY KEY,
    Name              TEXT    NOT NULL,
    Address           TEXT    NOT NULL,
    NationId          INTEGER NOT NULL REFERENCES Nation (Id),
    Phone             TEXT    NOT NULL,
    AccountBalance    REAL    NOT NULL,
    Comment           TEXT    NOT NULL
) STRICT;

CREATE TABLE Customer (
    Id                INTEGER NOT NULL PRIMARY KEY,
    Name              TEXT    NOT NULL,
    Address           TEXT    NOT NULL,
    NationId          INTEGER NOT NULL REFERENCES Nation (Id),
    Phone             TEXT    NOT NULL,
    AccountBalance    REAL    NOT NULL,
    MarketSegment     TEXT    NOT NULL,
    Comment           TEXT    NOT NULL
) STRICT;

CREATE TABLE Part (
    Id                INTEGER NOT NULL PRIMARY KEY,
    Name              TEXT    NOT NULL,
    Manufacturer      TEXT    NOT NULL,
    Brand             TEXT    NOT NULL,
    Type              TEXT    NOT NULL,
    Size              INTEGER NOT NULL,
    Container         TEXT    NOT NULL,
    RetailPrice       REAL    NOT NULL,
    Comment           TEXT    NOT NULL
) STRICT;

CREATE TABLE PartSupp (
    PartId            INTEGER NOT NULL REFERENCES Part (Id),
    SupplierId        INTEGER NOT NULL REFERENCES Supplier (Id),
    AvailableQuantity INTEGER NOT NULL,
    SupplyCost        REAL    NOT NULL,
    Comment           TEXT    NOT NULL,
    PRIMARY KEY (PartId, SupplierId)
) STRICT, WITHOUT ROWID;

CREATE TABLE Orders (
    Id                INTEGER NOT NULL PRIMARY KEY,
    CustomerId        INTEGER NOT NULL REFERENCES Customer (Id),
    Status            TEXT    NOT NULL,
    TotalPrice        REAL    NOT NULL,
    OrderDate         TEXT    NOT NULL,
    Priority          TEXT    NOT NULL,
    Clerk             TEXT    NOT NULL,
    ShipPriority      INTEGER NOT NULL,
    Comment           TEXT    NOT NULL
) STRICT;

CREATE TABLE LineItem (
    OrderId           INTEGER NOT NULL REFERENCES Orders (Id),
    LineNumber        INTEGER NOT NULL,
    PartId            INTEGER NOT NULL REFERENCES Part (Id),
    SupplierId        INTEGER NOT NULL REFERENCES Supplier (Id),
    Quantity          INTEGER NOT NULL,
    ExtendedPrice     REAL    NOT NULL,
    Discount          REAL    NOT NULL,
    Tax               REAL    NOT NULL,
    ReturnFlag        TEXT    NOT NULL,
    LineStatus        TEXT    NOT NULL,
    ShipDate          TEXT    NOT NULL,
    CommitDate        TEXT    NOT NULL,
    ReceiptDate       TEXT    NOT NULL,
    ShipInstructions  TEXT    NOT NULL,
    ShipMode          TEXT    NOT NULL,
    Comment           TEXT    NOT NULL,
    PRIMARY KEY (OrderId, LineNumber),
    FOREIGN KEY (PartId, SupplierId) REFERENCES PartSupp (PartId, SupplierId)
) STRICT, WITHOUT ROWID;

CREATE TABLE QuickstartLoad (Layout INTEGER NOT NULL, Scale REAL NOT NULL, RowCount INTEGER NOT NULL) STRICT;
";

/// Built after the rows, which is faster than keeping them up to date. `PartSupp.PartId` and `LineItem.OrderId` lead a
/// primary key already.
const INDEXES: &str = "
CREATE INDEX NationRegion     ON Nation   (RegionId);
CREATE INDEX SupplierNation   ON Supplier (NationId);
CREATE INDEX CustomerNation   ON Customer (NationId);
CREATE INDEX PartSuppSupplier ON PartSupp (SupplierId);
CREATE INDEX OrdersCustomer   ON Orders   (CustomerId);
CREATE INDEX LineItemPartSupp ON LineItem (PartId, SupplierId);
CREATE INDEX LineItemSupplier ON LineItem (SupplierId);
PRAGMA analysis_limit = 1000;
ANALYZE;
";

const DROP: &str = "
DROP TABLE IF EXISTS LineItem;
DROP TABLE IF EXISTS Orders;
DROP TABLE IF EXISTS PartSupp;
DROP TABLE IF EXISTS Part;
DROP TABLE IF EXISTS Customer;
DROP TABLE IF EXISTS Supplier;
DROP TABLE IF EXISTS Nation;
DROP TABLE IF EXISTS Region;
DROP TABLE IF EXISTS QuickstartLoad;
";

/// Raise it with every change of `TABLES`, `INDEXES` or the rows: older files are then loaded anew.
const LAYOUT: i64 = 1;

const TEXT_POOL: i32 = 8 << 20;

/// The size of the data: 1 is TPC-H's own unit, some 8.7 million rows.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Scale(f64);

impl Scale {
    /// Below it the generator has too few suppliers to pick from.
    const MIN: f64 = 0.001;
    /// Above it SQLite is the wrong place for the data.
    const MAX: f64 = 10.0;
}

impl Default for Scale {
    fn default() -> Self {
        Self(0.01)
    }
}

impl FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Self, ScaleError> {
        let scale: f64 = text.parse().map_err(|_| ScaleError)?;
        // Also false for NaN.
        if (Self::MIN..=Self::MAX).contains(&scale) { Ok(Self(scale)) } else { Err(ScaleError) }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The text is no scale.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("a number from {min} to {max}", min = Scale::MIN, max = Scale::MAX)]
pub(crate) struct ScaleError;

/// Why there is no data.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("{} holds tables that this program did not make; name another file after --db", .0.display())]
    NotOurs(PathBuf),
    #[error("the name {} is no text; name another file after --db", .0.display())]
    Name(PathBuf),
    #[error("cannot open {}: {source}", path.display())]
    Open { path: PathBuf, source: rusqlite::Error },
    #[error("cannot load TPC-H: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// A database with all eight tables.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The file, or the name by which others of this process find it in memory, for as long as `connection` is open, as
    /// a data source says it.
    pub(crate) place: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "what is in memory is there as long as it is"))]
    pub(crate) connection: Connection,
    /// Rows in all tables.
    pub(crate) rows: i64,
    /// The file held them already.
    pub(crate) reused: bool,
    pub(crate) elapsed: Duration,
}

/// Opens `file`, or a database in memory, and loads the tables unless the file has them at this scale.
pub(crate) fn open(file: Option<&Path>, scale: Scale, bar: &ProgressBar) -> Result<Loaded, LoadError> {
    let start = Instant::now();
    // As SQLite says it: the loader and the session would each have one of their own.
    let file = file.filter(|path| *path != Path::new(":memory:"));
    let (place, mut connection) = match file {
        None => {
            let name = in_memory();
            let connection = Connection::open(format!("file:{name}?mode=memory&cache=shared"))?;
            (format!("{name}?mode=memory"), connection)
        }
        Some(path) => {
            let place = path.to_str().ok_or_else(|| LoadError::Name(path.to_owned()))?.to_owned();
            let open = |source| LoadError::Open { path: path.to_owned(), source };
            (place, Connection::open(path).map_err(open)?)
        }
    };
    // The data is consistent by construction; checking each row would double the time.
    connection.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;")?;

    let (rows, reused) = match content(&connection, scale)? {
        Content::Loaded(rows) => (rows, true),
        _ => load(&mut connection, file, scale, bar)?,
    };
    bar.finish_and_clear();
    connection.execute_batch("PRAGMA foreign_keys = ON;")?;
    Ok(Loaded { place, connection, rows, reused, elapsed: start.elapsed() })
}

/// The name of a database in memory that connections of this process share. Each has its own.
fn in_memory() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("tpch-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A bar on standard error; it stays hidden where that is no terminal.
pub(crate) fn progress_bar(scale: Scale) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>9} {bar:40} {human_pos} rows")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(expected_rows(scale)).with_style(style)
}

enum Content {
    Nothing,
    /// So many rows, at the wanted scale.
    Loaded(i64),
    /// Ours, at another scale or of an older layout.
    Stale,
    NotOurs,
}

fn content(connection: &Connection, scale: Scale) -> rusqlite::Result<Content> {
    let (objects, notes): (i64, i64) = connection.query_row(
        "SELECT COUNT(*), COUNT(*) FILTER (WHERE type = 'table' AND name = 'QuickstartLoad') FROM sqlite_schema",
        [],
        |row| row.try_into(),
    )?;
    if objects == 0 {
        return Ok(Content::Nothing);
    }
    if notes == 0 {
        return Ok(Content::NotOurs);
    }
    let rows = connection
        .query_row("SELECT RowCount FROM QuickstartLoad WHERE Layout = ?1 AND Scale = ?2", (LAYOUT, scale.0), |row| {
            row.get(0)
        })
        .optional()?;
    Ok(rows.map_or(Content::Stale, Content::Loaded))
}

/// Fills the tables in one transaction; answers the number of rows, and whether another process was faster.
fn load(
    connection: &mut Connection,
    file: Option<&Path>,
    scale: Scale,
    bar: &ProgressBar,
) -> Result<(i64, bool), LoadError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match content(&transaction, scale)? {
        Content::Nothing => {}
        Content::Loaded(rows) => return Ok((rows, true)),
        Content::Stale => transaction.execute_batch(DROP)?,
        Content::NotOurs => return Err(LoadError::NotOurs(file.unwrap_or(Path::new(":memory:")).to_owned())),
    }
    transaction.execute_batch(TABLES)?;
    let rows = fill_all(&transaction, scale, bar)?;
    bar.set_message("indexes");
    transaction.execute_batch(INDEXES)?;
    transaction.execute("INSERT INTO QuickstartLoad VALUES (?1, ?2, ?3)", (LAYOUT, scale.0, rows))?;
    transaction.commit()?;
    Ok((rows, false))
}

/// Parents before children; the fields in the order of the columns.
fn fill_all(db: &Connection, scale: Scale, bar: &ProgressBar) -> rusqlite::Result<i64> {
    let words = Distributions::static_default();
    let text = &TextPool::new(TEXT_POOL, words);
    let Scale(scale) = scale;
    let mut rows = 0;

    let regions = RegionGenerator::new_with_distributions_and_text_pool(words, text);
    rows += fill(db, bar, "Region", regions, |r| (r.r_regionkey, r.r_name, r.r_comment))?;

    let nations = NationGenerator::new_with_distributions_and_text_pool(words, text);
    rows += fill(db, bar, "Nation", nations, |n| (n.n_nationkey, n.n_name, n.n_regionkey, n.n_comment))?;

    let suppliers = SupplierGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text);
    rows += fill(db, bar, "Supplier", suppliers, |s| {
        (
            s.s_suppkey,
            s.s_name.to_string(),
            s.s_address.to_string(),
            s.s_nationkey,
            s.s_phone.to_string(),
            s.s_acctbal.as_f64(),
            s.s_comment,
        )
    })?;

    let customers = CustomerGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text);
    rows += fill(db, bar, "Customer", customers, |c| {
        (
            c.c_custkey,
            c.c_name.to_string(),
            c.c_address.to_string(),
            c.c_nationkey,
            c.c_phone.to_string(),
            c.c_acctbal.as_f64(),
            c.c_mktsegment,
            c.c_comment,
        )
    })?;

    let parts = PartGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text);
    rows += fill(db, bar, "Part", parts, |p| {
        (
            p.p_partkey,
            p.p_name.to_string(),
            p.p_mfgr.to_string(),
            p.p_brand.to_string(),
            p.p_type,
            p.p_size,
            p.p_container,
            p.p_retailprice.as_f64(),
            p.p_comment,
        )
    })?;

    let part_suppliers = PartSuppGenerator::new_with_text_pool(scale, 1, 1, text);
    rows += fill(db, bar, "PartSupp", part_suppliers, |s| {
        (s.ps_partkey, s.ps_suppkey, s.ps_availqty, s.ps_supplycost.as_f64(), s.ps_comment)
    })?;

    let orders = OrderGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text);
    rows += fill(db, bar, "Orders", orders, |o| {
        (
            o.o_orderkey,
            o.o_custkey,
            o.o_orderstatus.as_str(),
            o.o_totalprice.as_f64(),
            o.o_orderdate.to_string(),
            o.o_orderpriority,
            o.o_clerk.to_string(),
            o.o_shippriority,
            o.o_comment,
        )
    })?;

    let lines = LineItemGenerator::new_with_distributions_and_text_pool(scale, 1, 1, words, text);
    rows += fill(db, bar, "LineItem", lines, |l| {
        (
            l.l_orderkey,
            l.l_linenumber,
            l.l_partkey,
            l.l_suppkey,
            l.l_quantity,
            l.l_extendedprice.as_f64(),
            l.l_discount.as_f64(),
            l.l_tax.as_f64(),
            l.l_returnflag,
            l.l_linestatus,
            l.l_shipdate.to_string(),
            l.l_commitdate.to_string(),
            l.l_receiptdate.to_string(),
            l.l_shipinstruct,
            l.l_shipmode,
            l.l_comment,
        )
    })?;

    Ok(rows)
}

/// One table, one prepared statement. Answers how many rows went in.
fn fill<Rows: IntoIterator, Fields: Params>(
    db: &Connection,
    bar: &ProgressBar,
    table: &'static str,
    rows: Rows,
    fields: impl Fn(Rows::Item) -> Fields,
) -> rusqlite::Result<i64> {
    bar.set_message(table);
    let columns: u16 = db.query_row("SELECT COUNT(*) FROM pragma_table_info(?1)", [table], |row| row.get(0))?;
    // Only PartSupp has a key that comes twice; see the top of the file.
    let verb = if table == "PartSupp" { "INSERT OR IGNORE" } else { "INSERT" };
    let mut insert = db.prepare(&format!("{verb} INTO {table} VALUES ({})", vec!["?"; columns.into()].join(", ")))?;
    let mut inserted: i64 = 0;
    for row in rows {
        if insert.execute(fields(row))? > 0 {
            inserted += 1;
        }
        bar.inc(1);
    }
    Ok(inserted)
}

/// For the bar only: an order has one to seven lines, four on average.
fn expected_rows(Scale(scale): Scale) -> u64 {
    let orders = OrderGenerator::calculate_row_count(scale, 1, 1);
    let parts = PartGenerator::calculate_row_count(scale, 1, 1);
    let rows = SupplierGenerator::calculate_row_count(scale, 1, 1)
        + CustomerGenerator::calculate_row_count(scale, 1, 1)
        + parts * (1 + 4)
        + orders * (1 + 4);
    u64::try_from(rows).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn scale(text: &str) -> Scale {
        text.parse().unwrap()
    }

    fn small() -> Loaded {
        open(None, scale("0.001"), &ProgressBar::hidden()).unwrap()
    }

    fn count(db: &Connection, sql: &str) -> i64 {
        db.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// A path of its own for each test, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("quickstart-{}-{name}.db", std::process::id()));
            let _ = std::fs::remove_file(&path);
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn counts_are_those_of_the_generator() {
        let Loaded { connection: db, rows, reused, .. } = small();
        let generated = |rows: usize| i64::try_from(rows).unwrap();
        let pairs: BTreeSet<_> =
            PartSuppGenerator::new(0.001, 1, 1).iter().map(|s| (s.ps_partkey, s.ps_suppkey)).collect();
        let expected = [
            ("Region", 5),
            ("Nation", 25),
            ("Supplier", 10),
            ("Customer", 150),
            ("Part", 200),
            ("PartSupp", generated(pairs.len())),
            ("Orders", 1_500),
            ("LineItem", generated(LineItemGenerator::new(0.001, 1, 1).iter().count())),
        ];
        for (table, expected) in expected {
            assert_eq!(count(&db, &format!("SELECT COUNT(*) FROM {table}")), expected, "{table}");
        }
        assert_eq!(rows, expected.iter().map(|(_, rows)| rows).sum::<i64>());
        assert!(!reused);
    }

    #[test]
    fn no_supplier_is_dropped_at_the_default_scale() {
        let pairs: BTreeSet<_> =
            PartSuppGenerator::new(0.01, 1, 1).iter().map(|s| (s.ps_partkey, s.ps_suppkey)).collect();
        assert_eq!(pairs.len(), 8_000);
    }

    #[test]
    fn every_foreign_key_joins() {
        let db = small().connection;
        for (child, parent, on) in [
            ("Nation", "Region", "p.Id = c.RegionId"),
            ("Supplier", "Nation", "p.Id = c.NationId"),
            ("Customer", "Nation", "p.Id = c.NationId"),
            ("PartSupp", "Part", "p.Id = c.PartId"),
            ("PartSupp", "Supplier", "p.Id = c.SupplierId"),
            ("Orders", "Customer", "p.Id = c.CustomerId"),
            ("LineItem", "Orders", "p.Id = c.OrderId"),
            ("LineItem", "PartSupp", "p.PartId = c.PartId AND p.SupplierId = c.SupplierId"),
        ] {
            let joined = count(&db, &format!("SELECT COUNT(*) FROM {child} c JOIN {parent} p ON {on}"));
            assert_eq!(joined, count(&db, &format!("SELECT COUNT(*) FROM {child}")), "{child} to {parent}");
        }
        assert_eq!(count(&db, "SELECT COUNT(*) FROM pragma_foreign_key_check"), 0);
        assert_eq!(count(&db, "PRAGMA foreign_keys"), 1);
    }

    #[test]
    fn columns_hold_what_their_names_say() {
        let db = small().connection;
        for (sql, expected) in [
            ("SELECT Id || ' ' || Name || ' ' || RegionId FROM Nation WHERE Id = 7", "7 GERMANY 3"),
            (
                "SELECT Name || ' ' || MarketSegment || ' ' || AccountBalance FROM Customer WHERE Id = 1",
                "Customer#000000001 BUILDING 711.56",
            ),
            (
                "SELECT Name || ', ' || Manufacturer || ', ' || Brand || ', ' || Size FROM Part WHERE Id = 1",
                "goldenrod lavender spring chocolate lace, Manufacturer#1, Brand#13, 7",
            ),
            (
                "SELECT Status || ' ' || OrderDate || ' ' || Priority || ' ' || Clerk FROM Orders WHERE Id = 1",
                "O 1996-01-02 5-LOW Clerk#000000951",
            ),
            (
                "SELECT Quantity || ' ' || Discount || ' ' || Tax || ' ' || ReturnFlag || LineStatus || ' ' || ShipDate
                     || ' ' || CommitDate || ' ' || ReceiptDate || ' ' || ShipInstructions || ' ' || ShipMode
              FROM LineItem WHERE OrderId = 1 AND LineNumber = 1",
                "17 0.04 0.02 NO 1996-03-13 1996-02-12 1996-03-22 DELIVER IN PERSON TRUCK",
            ),
        ] {
            let found: String = db.query_row(sql, [], |row| row.get(0)).unwrap();
            assert_eq!(found, expected);
        }
        assert_eq!(count(&db, "SELECT COUNT(*) FROM LineItem WHERE date(ShipDate) IS NOT ShipDate"), 0);
    }

    #[test]
    fn a_file_is_reused_at_its_scale_and_loaded_anew_at_another() {
        let file = Scratch::new("reuse");
        let bar = ProgressBar::hidden();
        let first = open(Some(&file.0), scale("0.001"), &bar).unwrap();
        assert!(!first.reused);
        let rows = first.rows;
        drop(first);

        let second = open(Some(&file.0), scale("0.001"), &bar).unwrap();
        assert!(second.reused);
        assert_eq!(second.rows, rows);
        drop(second);

        let third = open(Some(&file.0), scale("0.002"), &bar).unwrap();
        assert!(!third.reused);
        assert_eq!(count(&third.connection, "SELECT COUNT(*) FROM Customer"), 300);
    }

    #[test]
    fn somebody_elses_database_is_left_alone() {
        let file = Scratch::new("theirs");
        let theirs = Connection::open(&file.0).unwrap();
        theirs.execute_batch("CREATE TABLE Customer (Precious TEXT); INSERT INTO Customer VALUES ('data');").unwrap();

        let error = open(Some(&file.0), Scale::default(), &ProgressBar::hidden()).unwrap_err();
        assert!(matches!(error, LoadError::NotOurs(path) if path == file.0));
        assert_eq!(count(&theirs, "SELECT COUNT(*) FROM Customer WHERE Precious = 'data'"), 1);
    }

    #[test]
    fn scales_are_bounded() {
        for bad in ["", "big", "0", "-1", "0.0009", "11", "NaN", "inf"] {
            assert_eq!(bad.parse::<Scale>(), Err(ScaleError), "{bad}");
        }
        assert_eq!(scale("0.1"), Scale(0.1));
    }
}
