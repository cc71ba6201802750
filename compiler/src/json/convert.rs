//! Reading and writing of each node, by the text reader and writer and by serde.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::{Fault, Result};
use super::native::Native;
use super::read_value::noun;
use super::reader::Reader;
use super::shape::{JsonPart, JsonShape, WrittenCtes};
use super::shape_plain::under_marker;
use super::words::{Marker, Sort};
use super::{ReadLimits, base64};
use crate::expr::{
    AndExpr, CaseExpr, CastExpr, Child, CommonTableExpr, DeleteExpr, Expr, ForeignExpr, FromExpr, FunctionExpr,
    GenericSqlExpr, GroupByExpr, HavingExpr, InsertExpr, LockExpr, LogicBinaryExpr, LogicExpr, NextSelect, NotExpr,
    OrExpr, OrderByExpr, OrderByItemExpr, PropertyExpr, SectionExpr, SelectExpr, SelectItemExpr, SqlSegment, TableExpr,
    TableJoinExpr, UnaryExpr, UpdateExpr, Value, ValueBinaryExpr, ValueExpr, ValueSet, ValueTypeExpr, WhereExpr,
    WindowExpr,
};

/// How a node is read and written. It cannot be named from outside, and therefore not be implemented.
#[allow(unreachable_pub, reason = "the bound of a public trait")]
pub trait Wire: Sized {
    #[doc(hidden)]
    fn read(reader: &mut Reader<'_>) -> Result<Self>;
    #[doc(hidden)]
    fn part(&self) -> JsonPart<'_>;
}

macro_rules! wire {
    ($($node:ident: |$reader:ident| $read:expr, |$this:ident| $part:expr;)*) => {$(
        impl Wire for $node {
            fn read($reader: &mut Reader<'_>) -> Result<Self> {
                $read
            }

            fn part(&self) -> JsonPart<'_> {
                let $this = self;
                $part
            }
        }

        impl Serialize for $node {
            /// The canonical form. A tree of more levels than [`ReadLimits::MAX_DEPTH`] is refused, as serializers recurse.
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Deep(self.part(), MAX_LEVELS, &RefCell::default()).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $node {
            /// From any format that describes itself, within [`ReadLimits::DEFAULT`]. Slower than [`from_str`](super::from_str),
            /// and a number comes as the format gives it: `serde_json` rounds one with a point to a double.
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut text = String::new();
                Transcribe { out: &mut text, levels: ReadLimits::DEFAULT.depth }.deserialize(deserializer)?;
                super::read(&text, &ReadLimits::DEFAULT).map_err(D::Error::custom)
            }
        }
    )*};
}

/// A node that is one variant of a slot's enum.
macro_rules! variants {
    ($($node:ident: $expected:literal = $read:ident $sum:ident::$variant:ident, $noun:expr, |$this:ident| $part:expr;)*) => {
        wire! {$(
            $node: |reader| {
                let at = reader.place()?;
                match reader.$read()? {
                    $sum::$variant(node) => Ok(node.into_node()),
                    other => Err(Fault::wrong(at, $expected, $noun(&other))),
                }
            }, |$this| $part;
        )*}
    };
}

/// A node in its box, or without one.
trait IntoNode<T> {
    fn into_node(self) -> T;
}

impl<T> IntoNode<T> for T {
    fn into_node(self) -> T {
        self
    }
}

impl<T: 'static> IntoNode<T> for Child<T> {
    fn into_node(self) -> T {
        self.into_inner()
    }
}

fn logic_noun(_: &LogicExpr) -> &'static str {
    "another logic expression"
}

fn segment_noun(_: &SqlSegment) -> &'static str {
    "another part of a query"
}

fn expr_noun(expr: &Expr) -> &'static str {
    match expr {
        Expr::Value(value) => noun(value),
        Expr::Logic(_) => "a logic expression",
        Expr::Segment(_) => "a query",
        Expr::SelectItem(_) => "a select item",
        Expr::OrderByItem(_) => "an order item",
        Expr::TableJoin(_) => "a join",
        Expr::Insert(_) => "an INSERT",
        Expr::Update(_) => "an UPDATE",
        Expr::Delete(_) => "a DELETE",
    }
}

wire! {
    Expr: |reader| reader.root(), |this| JsonPart::Expr(this);
    LogicExpr: |reader| reader.logic(), |this| JsonPart::Logic(this);
    ValueTypeExpr: |reader| reader.value(), |this| JsonPart::ValueType(this);
    SqlSegment: |reader| reader.segment(), |this| JsonPart::Segment(this);
    Value: |reader| reader.plain(), |this| JsonPart::Plain(this);
    TableExpr: |reader| reader.table(), |this| JsonPart::Table(this);
    NextSelect: |reader| reader.next_select(), |this| JsonPart::Next(this);
    SelectItemExpr: |reader| reader.select_item(), |this| JsonPart::SelectItem(this, true);
    OrderByItemExpr: |reader| reader.order_item(), |this| JsonPart::OrderItem(this, true);
}

variants! {
    ValueExpr: "a plain value" = value ValueTypeExpr::Value, noun, |this| JsonPart::Value(this);
    PropertyExpr: "a property" = value ValueTypeExpr::Property, noun, |this| JsonPart::Property(this);
    UnaryExpr: "a unary operator" = value ValueTypeExpr::Unary, noun, |this| JsonPart::Unary(this);
    ValueBinaryExpr: "a binary operator" = value ValueTypeExpr::Binary, noun, |this| JsonPart::Compute(this);
    FunctionExpr: "a function" = value ValueTypeExpr::Function, noun, |this| JsonPart::Function(this);
    ValueSet: "a set of values" = value ValueTypeExpr::Set, noun, |this| JsonPart::Set(this);
    CaseExpr: "a CASE" = value ValueTypeExpr::Case, noun, |this| JsonPart::Case(this);
    CastExpr: "a CAST" = value ValueTypeExpr::Cast, noun, |this| JsonPart::Cast(this);
    WindowExpr: "a window" = value ValueTypeExpr::Window, noun, |this| JsonPart::Window(this);
    LogicBinaryExpr: "a comparison" = logic LogicExpr::Binary, logic_noun, |this| JsonPart::Comparison(this);
    AndExpr: "an AND" = logic LogicExpr::And, logic_noun, |this| JsonPart::And(&this.items);
    OrExpr: "an OR" = logic LogicExpr::Or, logic_noun, |this| JsonPart::Or(&this.items);
    NotExpr: "a NOT" = logic LogicExpr::Not, logic_noun, |this| JsonPart::Not(&this.operand);
    ForeignExpr: "an EXISTS" = logic LogicExpr::Foreign, logic_noun, |this| JsonPart::Foreign(this);
    GenericSqlExpr: "a SQL fragment" = logic LogicExpr::Sql, logic_noun, |this| JsonPart::Sql(this);
    FromExpr: "a source with joins" = segment SqlSegment::From, segment_noun, |this| JsonPart::From(this);
    WhereExpr: "a filter" = segment SqlSegment::Where, segment_noun, |this| JsonPart::Where(this);
    GroupByExpr: "a grouping" = segment SqlSegment::GroupBy, segment_noun, |this| JsonPart::GroupBy(this);
    HavingExpr: "a filter of groups" = segment SqlSegment::Having, segment_noun, |this| JsonPart::Having(this);
    OrderByExpr: "an order" = segment SqlSegment::OrderBy, segment_noun, |this| JsonPart::OrderBy(this);
    SectionExpr: "paging" = segment SqlSegment::Section, segment_noun, |this| JsonPart::Section(this);
    LockExpr: "a row lock" = segment SqlSegment::Lock, segment_noun, |this| JsonPart::Lock(this);
    SelectExpr: "a select" = segment SqlSegment::Select, segment_noun, |this| JsonPart::Select(this);
    CommonTableExpr: "a common table expression" = segment SqlSegment::CommonTable, segment_noun,
        |this| JsonPart::CommonTable(this);
    TableJoinExpr: "a join" = root Expr::TableJoin, expr_noun, |this| JsonPart::Join(this);
    InsertExpr: "an INSERT" = root Expr::Insert, expr_noun, |this| JsonPart::Insert(this);
    UpdateExpr: "an UPDATE" = root Expr::Update, expr_noun, |this| JsonPart::Update(this);
    DeleteExpr: "a DELETE" = root Expr::Delete, expr_noun, |this| JsonPart::Delete(this);
}

impl Reader<'_> {
    /// Reads a node of any kind.
    fn root(&mut self) -> Result<Expr> {
        if self.scan.peek()? != b'{' {
            return self.value().map(Expr::Value);
        }
        let object = self.node()?;
        Ok(match (object.marker, object.marker.sort()) {
            (Marker::Binary, _) => match self.value_node(object)? {
                ValueTypeExpr::Truth(logic) => Expr::Logic(logic.into_inner()),
                value => Expr::Value(value),
            },
            (_, Sort::Value) => Expr::Value(self.value_node(object)?),
            (_, Sort::Logic) => Expr::Logic(self.logic_node(object)?),
            (_, Sort::Segment) => Expr::Segment(self.segment_node(object)?),
            (Marker::SelectItem, _) => Expr::SelectItem(self.select_item_node(object)?),
            (Marker::OrderByItem, _) => Expr::OrderByItem(self.order_item_node(object)?),
            (Marker::Join, _) => Expr::TableJoin(self.join_node(object)?.into()),
            (Marker::Insert, _) => Expr::Insert(self.insert(object)?.into()),
            (Marker::Update, _) => Expr::Update(self.update(object)?.into()),
            (_, Sort::Other) => Expr::Delete(self.delete(object)?.into()),
        })
    }
}

/// Serializers recurse: so deep they may. What is deeper could not be read again.
const MAX_LEVELS: usize = ReadLimits::MAX_DEPTH;

/// A part for serde, and how many levels it may still have.
struct Deep<'a, 's>(JsonPart<'a>, usize, &'s RefCell<WrittenCtes<'a>>);

impl Serialize for Deep<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Deep(part, levels, seen) = *self;
        let shape = seen.borrow_mut().shape(part);
        let inner = match &shape {
            JsonShape::Object(_) | JsonShape::Entries(_) | JsonShape::List(_) => levels
                .checked_sub(1)
                .ok_or_else(|| S::Error::custom(format_args!("a tree of more than {MAX_LEVELS} levels")))?,
            _ => levels,
        };
        match shape {
            // A definition is one of the others by now.
            JsonShape::Null | JsonShape::Definition(_) => serializer.serialize_unit(),
            JsonShape::Bool(b) => serializer.serialize_bool(b),
            JsonShape::Int(n) => serializer.serialize_i64(n),
            JsonShape::UInt(n) => serializer.serialize_u64(n),
            JsonShape::Float(n) => serializer.serialize_f64(n),
            JsonShape::Str(text) => serializer.serialize_str(&text),
            JsonShape::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.as_slice().len()))?;
                for (key, part) in fields.as_slice() {
                    map.serialize_entry(key, &Deep(*part, inner, seen))?;
                }
                map.end()
            }
            JsonShape::Entries(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key.as_str(), &Deep(JsonPart::Plain(value), inner, seen))?;
                }
                map.end()
            }
            JsonShape::List(mut list) => {
                let mut count = 0;
                let mut rest = list;
                while let Some((_, more)) = rest.next_item() {
                    rest = more;
                    count += 1;
                }
                let mut seq = serializer.serialize_seq(Some(count))?;
                while let Some((item, more)) = list.next_item() {
                    seq.serialize_element(&Deep(item, inner, seen))?;
                    list = more;
                }
                seq.end()
            }
        }
    }
}

/// Writes what a deserializer gives as JSON, for the one reader: with all its keys, also equal ones, in their order.
struct Transcribe<'o> {
    out: &'o mut String,
    levels: usize,
}

impl Transcribe<'_> {
    fn deeper<E: serde::de::Error>(&mut self) -> Result<Transcribe<'_>, E> {
        match self.levels.checked_sub(1) {
            Some(levels) => Ok(Transcribe { out: self.out, levels }),
            None => Err(E::custom(format_args!("nested deeper than {} levels", ReadLimits::DEFAULT.depth))),
        }
    }

    fn shown<E>(self, text: impl fmt::Display) -> Result<(), E> {
        use fmt::Write as _;
        let _ = write!(self.out, "{text}");
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Transcribe<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Transcribe<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node of an expression tree")
    }

    fn visit_bool<E>(self, b: bool) -> Result<(), E> {
        self.shown(b)
    }

    fn visit_i64<E>(self, n: i64) -> Result<(), E> {
        self.shown(n)
    }

    fn visit_u64<E>(self, n: u64) -> Result<(), E> {
        self.shown(n)
    }

    fn visit_i128<E>(self, n: i128) -> Result<(), E> {
        self.shown(n)
    }

    fn visit_u128<E>(self, n: u128) -> Result<(), E> {
        self.shown(n)
    }

    fn visit_f64<E>(self, n: f64) -> Result<(), E> {
        // A number of the document, which may stand under `$double` already.
        match under_marker(&Value::Float(n)) {
            JsonShape::Float(n) => super::write::double(n, self.out),
            _ => super::write::text(JsonPart::Plain(&Value::Float(n)), self.out),
        }
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        super::write::text(JsonPart::Str(text), self.out);
        Ok(())
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<(), E> {
        self.shown(format_args!("{{\"{}\":\"{}\"}}", Native::Bytes.marker(), base64::encode(bytes)))
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.shown("null")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.shown("null")
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        let inner = self.deeper()?;
        deserializer.deserialize_any(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        self.out.push('[');
        let begin = self.out.len();
        loop {
            let end = self.out.len();
            if end > begin {
                self.out.push(',');
            }
            if seq.next_element_seed(self.deeper()?)?.is_none() {
                self.out.truncate(end);
                self.out.push(']');
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.out.push('{');
        let begin = self.out.len();
        while let Some(key) = map.next_key::<String>()? {
            if key == "$serde_json::private::Number" && self.out.len() == begin {
                // How serde_json hands over a number with all its digits, with its feature `arbitrary_precision`.
                let digits = map.next_value::<String>()?;
                self.out.pop();
                return number(&digits, self.out).ok_or_else(|| A::Error::custom("not a number"));
            }
            if self.out.len() > begin {
                self.out.push(',');
            }
            super::write::text(JsonPart::Str(&key), self.out);
            self.out.push(':');
            map.next_value_seed(self.deeper()?)?;
        }
        self.out.push('}');
        Ok(())
    }
}

/// Appends a number that came as its text, if it is one.
fn number(text: &str, out: &mut String) -> Option<()> {
    let mut scan = super::scan::Scanner { text, at: 0 };
    scan.skip_number().ok()?;
    if scan.at != text.len() {
        return None;
    }
    out.push_str(text);
    Some(())
}
