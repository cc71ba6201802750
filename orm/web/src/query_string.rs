//! Queries in the notation of a query string: `status=Paid&amount=>=100&orderby=amount desc&page=2`.

#[cfg(test)]
mod tests;

use isogloss::expr::{
    DbType, LogicBinaryExpr, LogicExpr, LogicOperator, Name, OrderByItemExpr, SqlSegment, Value, ValueOps as _,
    ValueTypeExpr, from, prop, value,
};
use isogloss::model::{BadValue, Catalog, Entity, EntityId, EnumDef, Property, coerce};
use isogloss::walk::{PolicyRule, QueryPolicy, Refusal};
use percent_encoding::percent_decode_str;

use crate::{Problem, ProblemKind};

/// Reads the part of a URL after `?` as a query over an entity or a view.
///
/// Each parameter is a property, without regard to case, and a condition on it. All conditions must hold. A property
/// may be given several times.
///
/// | text | condition |
/// |---|---|
/// | `x`, `=x` | equal; without a value, `IS NULL` |
/// | `>x`, `<x`, `>=x`, `<=x`, `<>x` | compared |
/// | `%x` | contains the text |
/// | `*x` | matches the `LIKE` pattern |
/// | `$x` | matches the regular expression |
/// | `a,b,c` | one of them |
/// | `!`… | the opposite of what follows; without a value, `IS NOT NULL` |
/// | blank, then text | equal to the text, whatever it begins with or contains |
///
/// A text after an operator is taken literally: `=a,b` is one text with a comma. A boolean is `Y`, `T` or `1`, or `N`,
/// `F` or `0`; an enumeration is given by number or name.
///
/// `orderby` has properties, each optionally followed by `asc` or `desc`: `amount desc, id`. `page` is counted from 1;
/// a number below 1 is the first page. Properties with these two names cannot be queried.
///
/// The query is checked by a [`QueryPolicy`], as a client's tree is. It decides which properties exist for the client,
/// and whether patterns and regular expressions are allowed. A hidden property is reported as one that does not exist.
///
/// ```
/// use isogloss::expr::DbValueType::{Decimal, Int32, String};
/// use isogloss::model::{Catalog, ColumnDef, TableDef};
/// use isogloss::walk::QueryPolicy;
/// use isogloss_web::QueryString;
///
/// let catalog = Catalog::builder()
///     .table(
///         TableDef::new("Order")
///             .column(ColumnDef::new("Id", Int32).primary_key())
///             .column(ColumnDef::new("Status", String).length(20))
///             .column(ColumnDef::new("Amount", Decimal).precision(18, 2)),
///     )
///     .build()?;
/// let (order, _) = catalog.entity("Order").ok_or("no entity")?;
/// let policy = QueryPolicy::new("Order");
///
/// let query = QueryString::new(&catalog, order, &policy).read("status=Paid,Shipped&amount=%3E%3D100&page=2")?;
/// assert_eq!((query.skip, query.take), (10, 10));
///
/// let error = QueryString::new(&catalog, order, &policy).read("amount=much").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"query parameter `amount`: text "much" does not fit `Amount`, Decimal: expected a decimal number"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct QueryString<'a> {
    catalog: &'a Catalog,
    view: &'a Entity,
    policy: &'a QueryPolicy,
    page_size: u64,
    lenient: bool,
}

/// The query of a query string.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StringQuery {
    /// The filter; `None` is all rows.
    pub filter: Option<LogicExpr>,
    /// The order; if empty, by the primary key.
    pub order: Vec<OrderByItemExpr>,
    /// How many rows are skipped.
    pub skip: u64,
    /// How many rows are taken at most.
    pub take: u64,
    /// Whether `page` is given; otherwise it is the first page.
    pub is_page: bool,
}

impl StringQuery {
    /// The query as a tree over the entity or view of this name.
    #[must_use]
    pub fn into_segment(self, view: impl Into<Name>) -> SqlSegment {
        let rows = from(view).filter(self.filter);
        let rows = if self.order.is_empty() { rows } else { rows.order_by(self.order) };
        rows.section(self.skip, self.take)
    }
}

/// A query string that is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}: {reason}", place(parameter.as_deref()))]
#[non_exhaustive]
pub struct QueryStringError {
    /// The parameter as the client wrote it, shortened to 40 characters; `None` if it is all of them together.
    pub parameter: Option<String>,
    /// The reason.
    pub reason: BadParameter,
}

/// Why a parameter of a query string is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadParameter {
    /// It cannot be decoded.
    #[error("it is not UTF-8; in a URL a `%` is written `%25`")]
    Encoding,
    /// The property does not exist, or the policy hides it.
    #[error("there is no property `{0}` to filter or sort by")]
    Unknown(String),
    /// The value does not fit the property.
    #[error("{0}")]
    Value(#[from] BadValue),
    /// An operator is not followed by a value.
    #[error("`{0}` needs a value behind it")]
    NoValue(&'static str),
    /// A search for text in a property that is not a text.
    #[error("`{0}` searches in texts, and this property is none")]
    NoText(&'static str),
    /// A list has an empty item.
    #[error("an item of the list is empty; a text with a comma is written `=a,b`")]
    EmptyItem,
    /// A key of the order is followed by something other than a direction.
    #[error("`{0}` is no direction: write `asc`, `desc` or nothing behind a property")]
    Direction(String),
    /// The page is not a number, or out of range.
    #[error("the page is a whole number, the first is 1")]
    Page,
    /// `orderby` or `page` is given more than once.
    #[error("it is given twice")]
    Twice,
    /// The policy refuses the condition.
    #[error("{0}")]
    Refused(String),
}

impl From<QueryStringError> for Problem {
    fn from(error: QueryStringError) -> Self {
        let problem = Self::new(ProblemKind::BadQuery, error.to_string());
        match error.parameter {
            Some(parameter) => problem.of_field(parameter),
            None => problem,
        }
    }
}

type Read<T> = Result<T, BadParameter>;

/// What stands before a value, the longer ones first.
const MARKERS: [(&str, LogicOperator); 9] = [
    (">=", LogicOperator::GreaterThanOrEqual),
    ("<=", LogicOperator::LessThanOrEqual),
    ("<>", LogicOperator::NotEqual),
    (">", LogicOperator::GreaterThan),
    ("<", LogicOperator::LessThan),
    ("=", LogicOperator::Equal),
    ("%", LogicOperator::Contains),
    ("*", LogicOperator::Like),
    ("$", LogicOperator::RegexpLike),
];

impl<'a> QueryString<'a> {
    /// Reads queries over an entity or view: 10 rows in a page, and unknown names are refused.
    #[must_use]
    pub fn new(catalog: &'a Catalog, view: EntityId, policy: &'a QueryPolicy) -> Self {
        Self { catalog, view: catalog.get(view), policy, page_size: 10, lenient: false }
    }

    /// Sets the number of rows in a page.
    #[must_use]
    pub fn page_size(self, rows: u64) -> Self {
        Self { page_size: rows, ..self }
    }

    /// Ignores parameters and order keys that are not properties. A client's misspelling then filters nothing.
    #[must_use]
    pub fn lenient(self) -> Self {
        Self { lenient: true, ..self }
    }

    /// Reads the part of a URL after `?`, which is percent-encoded like a form.
    ///
    /// # Errors
    /// The first parameter with an unknown name, a value that does not fit its property, or a condition that the policy
    /// refuses.
    pub fn read(&self, text: &str) -> Result<StringQuery, QueryStringError> {
        let (mut filter, mut order, mut page) = (None::<LogicExpr>, None, None);
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
            let read = decoded(name).and_then(|name| {
                let text = decoded(text)?;
                if name.eq_ignore_ascii_case("orderby") {
                    once(&mut order, self.order(&text)?)
                } else if name.eq_ignore_ascii_case("page") {
                    once(&mut page, text.trim().parse::<i64>().map_err(|_| BadParameter::Page)?)
                } else {
                    if let Some(condition) = self.known(&name, |property| self.condition(&property, &text))? {
                        filter &= condition;
                    }
                    Ok(())
                }
            });
            read.map_err(|reason| bad(name, reason))?;
        }
        let before = u64::try_from(page.unwrap_or(1).saturating_sub(1)).unwrap_or(0);
        let skip = before.checked_mul(self.page_size).filter(|skip| i64::try_from(*skip).is_ok());
        let skip = skip.ok_or_else(|| bad("page", BadParameter::Page))?;
        let order = order.unwrap_or_default();
        let query = StringQuery { filter, order, skip, take: self.page_size, is_page: page.is_some() };
        // What its conditions are together may still be too much.
        let tree = query.clone().into_segment(self.view.name.clone());
        let too_much = |refusal| QueryStringError { parameter: None, reason: refused(refusal) };
        self.policy.check(&tree, self.catalog).map_err(too_much)?;
        Ok(query)
    }

    /// What is made of a property that a client may name; nothing of another one where that is lenient.
    fn known<T>(&self, name: &str, make: impl FnOnce(Column<'a>) -> Read<T>) -> Read<Option<T>> {
        let named = |column: &Column<'_>| match self.policy.check(&column.property(), self.catalog) {
            Err(refusal) => !matches!(refusal.rule, PolicyRule::HiddenProperty | PolicyRule::UnknownProperty),
            Ok(()) => true,
        };
        match self.column(name).filter(named) {
            Some(column) => make(column).map(Some),
            None if self.lenient => Ok(None),
            None => Err(BadParameter::Unknown(shown(name))),
        }
    }

    fn column(&self, name: &str) -> Option<Column<'a>> {
        let (name, column) = match self.view.property(name)? {
            Property::Column(index) => {
                let column = self.view.columns.get(index)?;
                (&column.name, column)
            }
            Property::Foreign(index) => {
                let foreign = self.view.foreign_columns.get(index)?;
                (&foreign.name, self.catalog.foreign(foreign)?)
            }
        };
        Some(Column { name, ty: column.ty, members: column.enum_values.as_ref() })
    }

    fn condition(&self, column: &Column<'_>, text: &str) -> Read<LogicExpr> {
        let (negated, test) = column.test(text)?;
        let operator = if negated { test.operator.opposite() } else { test.operator };
        let condition = LogicBinaryExpr { left: column.property(), operator, right: value(test.value).into() };
        let condition = LogicExpr::from(condition);
        self.policy.check(&condition, self.catalog).map_err(refused)?;
        Ok(condition)
    }

    fn order(&self, text: &str) -> Read<Vec<OrderByItemExpr>> {
        let mut order = Vec::new();
        for key in text.split(',').map(str::trim).filter(|key| !key.is_empty()) {
            let (name, direction) = key.split_once(char::is_whitespace).unwrap_or((key, "asc"));
            let item = self.known(name, |column| {
                let property = column.property();
                match direction.trim() {
                    word if word.eq_ignore_ascii_case("asc") => Ok(property.asc()),
                    word if word.eq_ignore_ascii_case("desc") => Ok(property.desc()),
                    word => Err(BadParameter::Direction(shown(word))),
                }
            })?;
            order.extend(item);
        }
        Ok(order)
    }
}

/// A property that is compared.
struct Column<'a> {
    name: &'a Name,
    ty: DbType,
    members: Option<&'a EnumDef>,
}

/// What a property is compared with, and how.
struct Test {
    operator: LogicOperator,
    value: Value,
}

impl Column<'_> {
    fn property(&self) -> ValueTypeExpr {
        prop(self.name.clone()).into()
    }

    /// What a parameter's text says of the property, and whether the opposite is meant.
    fn test(&self, text: &str) -> Read<(bool, Test)> {
        let behind = text.trim_start_matches('!');
        let negated = (text.len() - behind.len()) % 2 == 1;
        let marked = MARKERS.iter().find_map(|(marker, op)| Some((*marker, *op, behind.strip_prefix(marker)?)));
        let test = if let Some(literal) = behind.strip_prefix(' ') {
            Test { operator: LogicOperator::Equal, value: self.value(literal)? }
        } else if let Some((marker, operator, operand)) = marked {
            Test { operator, value: self.operand(marker, operator, operand)? }
        } else if behind.is_empty() {
            Test { operator: LogicOperator::Equal, value: Value::Null }
        } else if behind.contains(',') {
            let item = |item: &str| if item.is_empty() { Err(BadParameter::EmptyItem) } else { self.value(item) };
            let items = behind.split(',').map(item).collect::<Read<Vec<_>>>()?;
            Test { operator: LogicOperator::In, value: items.into() }
        } else {
            Test { operator: LogicOperator::Equal, value: self.value(behind)? }
        };
        Ok((negated, test))
    }

    fn operand(&self, marker: &'static str, operator: LogicOperator, text: &str) -> Read<Value> {
        use LogicOperator::{Contains, Equal, Like, NotEqual, RegexpLike};
        match operator {
            Equal | NotEqual if text.is_empty() => Ok(Value::Null),
            _ if text.is_empty() => Err(BadParameter::NoValue(marker)),
            // A part of a name, or a pattern of it, is none that an enumeration has.
            Contains | Like | RegexpLike if !self.is_text() => Err(BadParameter::NoText(marker)),
            Contains | Like | RegexpLike => Ok(text.into()),
            _ => self.value(text),
        }
    }

    fn is_text(&self) -> bool {
        self.ty.base.is_text() && !self.ty.array && self.members.is_none()
    }

    /// A text in the property's type. A blank one is NULL, unless the property is text.
    fn value(&self, text: &str) -> Read<Value> {
        if !self.is_text() && text.trim().is_empty() {
            return Ok(Value::Null);
        }
        let value = Value::from(text);
        let value = coerce(&value, self.ty, self.members).map_err(|bad| bad.of(self.name))?;
        Ok(value.into_owned())
    }
}

pub(crate) fn decoded(text: &str) -> Read<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().map(|text| text.into_owned()).map_err(|_| BadParameter::Encoding)
}

fn once<T>(place: &mut Option<T>, found: T) -> Read<()> {
    if place.replace(found).is_some() { Err(BadParameter::Twice) } else { Ok(()) }
}

fn bad(parameter: &str, reason: BadParameter) -> QueryStringError {
    let parameter = decoded(parameter).unwrap_or_else(|_| parameter.to_owned());
    QueryStringError { parameter: Some(shown(&parameter)), reason }
}

fn place(parameter: Option<&str>) -> String {
    parameter.map_or_else(|| "query string".to_owned(), |parameter| format!("query parameter `{parameter}`"))
}

/// The message alone: the client has not written the tree that the path leads through.
fn refused(refusal: Refusal) -> BadParameter {
    BadParameter::Refused(refusal.message)
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
