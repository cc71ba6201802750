//! The inputs of all workloads: every contestant takes these and nothing else.

/// Everything a contestant may read. Made once, then leaked.
#[derive(Debug)]
pub struct Data {
    /// W1: the key.
    pub id: i64,
    /// W2: the page query.
    pub page: Page,
    /// W3: the correlated EXISTS.
    pub exists: Exists,
    /// W4: 1,000 keys.
    pub ids: Vec<i64>,
    /// W5: 1,000 rows.
    pub rows: Vec<OrderRow>,
    /// W6: 1,000 comparisons; [`Data::levels`] cuts them into the levels of the tree.
    pub logic: Vec<Comparison>,
    /// W7: the report.
    pub report: Report,
    /// J2: the filter of W2 as JSON.
    pub json_page: String,
    /// J6: the tree of W6 as JSON.
    pub json_logic: String,
}

/// How many comparisons of W6 stand on one level; the next level is nested behind them.
pub const LEVEL: usize = 20;

/// The five filter values of W2, then LIMIT and OFFSET.
#[derive(Debug)]
pub struct Page {
    pub status: String,
    pub min_amount: f64,
    /// The LIKE pattern: a prefix and `%`.
    pub name_pattern: String,
    pub since: String,
    pub is_deleted: bool,
    pub limit: i64,
    pub offset: i64,
}

/// W3.
#[derive(Debug)]
pub struct Exists {
    pub city: String,
    /// Ten values.
    pub statuses: Vec<String>,
}

/// One row of W5: eight columns in this order.
#[derive(Debug)]
pub struct OrderRow {
    pub order_no: String,
    pub customer_id: i64,
    pub product_id: i64,
    pub qty: i32,
    pub amount: f64,
    /// Absent in every third row.
    pub note: Option<String>,
    pub created_time: String,
    pub is_deleted: bool,
}

/// W7.
#[derive(Debug)]
pub struct Report {
    pub paid_status: String,
    pub zero: f64,
    pub is_deleted: bool,
    pub since: String,
    pub having_over: f64,
    pub class_a_from: f64,
    pub class_a: String,
    pub class_b_from: f64,
    pub class_b: String,
    pub class_c: String,
    pub top: i64,
    pub limit: i64,
}

/// A comparison of W6.
#[derive(Debug)]
pub struct Comparison {
    pub column: Column,
    pub op: Op,
    pub value: Value,
}

/// The columns that W6 compares; the variant of [`Value`] follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// `Value::Int`
    Qty,
    /// `Value::Float`
    Amount,
    /// `Value::Big`
    CustomerId,
    /// `Value::Text`
    Status,
}

impl Column {
    /// The name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Column::Qty => "Qty",
            Column::Amount => "Amount",
            Column::CustomerId => "CustomerId",
            Column::Status => "Status",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Op {
    pub const ALL: [Op; 6] = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge];

    /// As SQL and the JSON notation spell it.
    pub fn text(self) -> &'static str {
        match self {
            Op::Eq => "=",
            Op::Ne => "<>",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
        }
    }
}

#[derive(Debug)]
pub enum Value {
    Int(i32),
    Big(i64),
    Float(f64),
    Text(String),
}

/// The ten columns of Orders in the order in which they are selected.
pub const ORDER_COLUMNS: [&str; 10] =
    ["Id", "OrderNo", "CustomerId", "ProductId", "Qty", "Amount", "Status", "Note", "CreatedTime", "IsDeleted"];

/// The eight columns that W5 writes.
pub const INSERT_COLUMNS: [&str; 8] =
    ["OrderNo", "CustomerId", "ProductId", "Qty", "Amount", "Note", "CreatedTime", "IsDeleted"];

const STATUSES: [&str; 10] =
    ["draft", "placed", "paid", "picked", "packed", "shipped", "delivered", "returned", "refunded", "cancelled"];

impl Data {
    /// Makes the inputs; always the same ones.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Data {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let ids = (0..1_000).map(|_| 1 + random.below(10_000_000) as i64).collect();
        let rows = (0..1_000usize)
            .map(|i| OrderRow {
                order_no: format!("SO-2026-{:07}", 4_000 + i),
                customer_id: 1 + random.below(50_000) as i64,
                product_id: 1 + random.below(8_000) as i64,
                qty: 1 + random.below(40) as i32,
                amount: random.cents(),
                note: (i % 3 != 0).then(|| format!("leave parcel {i} at the desk")),
                created_time: random.time(),
                is_deleted: random.below(50) == 0,
            })
            .collect();
        let logic: Vec<Comparison> = (0..1_000usize)
            .map(|i| {
                let (column, value) = match i % 4 {
                    0 => (Column::Qty, Value::Int(random.below(100) as i32)),
                    1 => (Column::Amount, Value::Float(random.cents())),
                    2 => (Column::CustomerId, Value::Big(random.below(50_000) as i64)),
                    _ => (Column::Status, Value::Text(STATUSES[random.below(10) as usize].to_owned())),
                };
                Comparison { column, op: Op::ALL[random.below(6) as usize], value }
            })
            .collect();
        let page = Page {
            status: "paid".to_owned(),
            min_amount: 100.5,
            name_pattern: "A%".to_owned(),
            since: "2026-01-01T00:00:00".to_owned(),
            is_deleted: false,
            limit: 50,
            offset: 100,
        };
        let json_page = json_page(&page);
        let json_logic = {
            let mut out = String::new();
            json_level(&mut out, &logic, 0);
            out
        };
        Data {
            id: 4_711,
            page,
            exists: Exists { city: "Lyon".to_owned(), statuses: STATUSES.map(str::to_owned).to_vec() },
            ids,
            rows,
            logic,
            report: Report {
                paid_status: "paid".to_owned(),
                zero: 0.0,
                is_deleted: false,
                since: "2026-01-01T00:00:00".to_owned(),
                having_over: 250.0,
                class_a_from: 10_000.0,
                class_a: "A".to_owned(),
                class_b_from: 1_000.0,
                class_b: "B".to_owned(),
                class_c: "C".to_owned(),
                top: 3,
                limit: 100,
            },
            json_page,
            json_logic,
        }
    }

    /// The levels of W6, outermost first: even ones are joined by AND, odd ones by OR, and the next level is the last
    /// operand of the one before.
    pub fn levels(&self) -> impl DoubleEndedIterator<Item = (bool, &[Comparison])> + ExactSizeIterator {
        self.logic.chunks(LEVEL).enumerate().map(|(depth, level)| (depth % 2 == 0, level))
    }
}

fn json_page(page: &Page) -> String {
    let prefix = page.name_pattern.trim_end_matches('%');
    format!(
        concat!(
            r##"{{"$and":[{{"$":"=","Left":{{"#":"Status"}},"Right":{{"@":"{}"}}}},"##,
            r##"{{"$":">=","Left":{{"#":"Amount"}},"Right":{{"@":{}}}}},"##,
            r##"{{"$":"startswith","Left":{{"#":"CustomerName"}},"Right":{{"@":"{}"}}}},"##,
            r##"{{"$":">=","Left":{{"#":"CreatedTime"}},"Right":{{"@":"{}"}}}},"##,
            r##"{{"$":"=","Left":{{"#":"IsDeleted"}},"Right":{{"@":{}}}}}]}}"##,
        ),
        page.status, page.min_amount, prefix, page.since, page.is_deleted
    )
}

fn json_level(out: &mut String, rest: &[Comparison], depth: usize) {
    use std::fmt::Write;
    let (level, deeper) = rest.split_at(LEVEL.min(rest.len()));
    out.push_str(if depth.is_multiple_of(2) { r#"{"$and":["# } else { r#"{"$or":["# });
    for (i, c) in level.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let _ = write!(out, r##"{{"$":"{}","Left":{{"#":"{}"}},"Right":{{"@":"##, c.op.text(), c.column.name());
        let _ = match &c.value {
            Value::Int(v) => write!(out, "{v}"),
            Value::Big(v) => write!(out, "{v}"),
            Value::Float(v) => write!(out, "{v:?}"),
            Value::Text(v) => write!(out, "\"{v}\""),
        };
        out.push_str("}}");
    }
    if !deeper.is_empty() {
        out.push(',');
        json_level(out, deeper, depth + 1);
    }
    out.push_str("]}");
}

/// SplitMix64: small, and the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit
    }

    /// An amount with two digits that is never a whole number, so that JSON reads it as a float.
    fn cents(&mut self) -> f64 {
        (self.below(10_000) * 100 + 1 + self.below(99)) as f64 / 100.0
    }

    fn time(&mut self) -> String {
        let (month, day) = (1 + self.below(12), 1 + self.below(28));
        format!("2026-{month:02}-{day:02}T{:02}:{:02}:{:02}", self.below(24), self.below(60), self.below(60))
    }
}
