//! Values take the type of the column they meet.
//!
//! | column | takes, besides its own kind |
//! |---|---|
//! | integers | whole decimals and floats, text of a number, true and false as 1 and 0; `Int64` a timespan as 100 ns ticks; all within the type's range |
//! | decimals | integers as they are, finite floats by their shortest text, text of a number |
//! | floats | every number, text of a number |
//! | Boolean | 1 and 0; true/false, 1/0, Y/N, T/F as text |
//! | text | numbers, UUIDs, dates and times of day as their usual text |
//! | Date | a datetime at midnight; ISO text |
//! | Time | a timespan; `HH:mm[:ss[.f]]` and .NET's `[-][d.]HH:mm:ss[.f]` as text |
//! | DateTime, DateTime2 | a date, as its midnight; a datetime at offset zero; ISO text |
//! | DateTimeOffset | a date or datetime, at UTC; ISO text, at UTC if it has no offset |
//! | Guid | text, 16 bytes |
//! | Binary | a UUID; base64 text |
//! | Json, Jsonb | text as the document's text, numbers and truth values |
//! | an enumeration | a name, a number |
//!
//! An integer that meets a decimal column stays as it is: the parameter has the column's type, and a driver widens it.
//! A list is taken item by item. NULL fits everywhere. A text that is longer than the column is just not equal to
//! anything in it.
//!
//! A leap second is the last microsecond before it, whatever it meets.
//!
//! A time of more digits behind its seconds than the column's [precision](super::ColumnDef::time_precision) is cut where it
//! is assigned, or compared for being equal: see [`Column::rounded`].

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::{SubsecRound as _, TimeDelta, Timelike as _};

use super::convert::{convert, whole};
use super::{BadValue, Column, EnumDef, EnumStorage};
use crate::expr::{DbType, DbValueType as T, Decimal, Family, Value};

impl Column {
    /// Whether the value certainly has the column's type already: what [`coerce`](Self::coerce) would give back as it
    /// is. For most values, without a call.
    // Not in a debug build, where it would take room in the frames of the recursion around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn takes(&self, value: &Value) -> bool {
        self.enum_values.is_none() && is_of(value, self.ty)
    }

    /// Whether it certainly stores the value as it is: what it [takes](Self::takes), without digits that it has no room
    /// for.
    #[inline]
    pub(crate) fn keeps(&self, value: &Value) -> bool {
        self.takes(value)
            && !matches!(value, Value::Decimal(number) if self.is_too_fine(number))
            && self.cut(value).is_none()
    }

    /// Whether it has no room for digits of the number.
    pub(crate) fn is_too_fine(&self, number: &Decimal) -> bool {
        self.fraction().is_some_and(|digits| number.scale() > digits)
    }

    /// What is stored for a decimal of more digits behind its point than the column has: the rounded one, a half away from
    /// 0. Engines round by themselves; SQLite stores every digit. For a time of more digits behind its seconds: the one that
    /// is cut, where engines cut or round.
    ///
    /// ```
    /// use isogloss_compiler::expr::{DbValueType, Decimal};
    /// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// let order = TableDef::new("Order").column(ColumnDef::new("Amount", DbValueType::Decimal).precision(10, 2));
    /// let catalog = Catalog::builder().table(order).build()?;
    /// let (_, order) = catalog.entity("Order").ok_or("no entity")?;
    /// let (_, amount) = order.column("Amount").ok_or("no column")?;
    /// let decimal = |text: &str| text.parse::<Decimal>().unwrap().into();
    /// assert_eq!(amount.rounded(&decimal("-1.005")), Some(decimal("-1.01")));
    /// assert_eq!(amount.rounded(&decimal("1.5")), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rounded(&self, value: &Value) -> Option<Value> {
        let Some(digits) = self.fraction() else { return self.cut(value) };
        match &*self.coerce(value).ok()? {
            Value::Decimal(number) if self.is_too_fine(number) => Some(number.round(digits).into()),
            _ => None,
        }
    }

    /// The time that is stored for one of more digits behind its seconds than the column has.
    pub(crate) fn cut(&self, value: &Value) -> Option<Value> {
        let digits = self.seconds()?.into();
        match &*self.coerce(value).ok()? {
            Value::Time(time) => Some(time.trunc_subsecs(digits)).filter(|cut| cut != time).map(Value::from),
            Value::DateTime(time) => Some(time.trunc_subsecs(digits)).filter(|cut| cut != time).map(Value::from),
            Value::DateTimeOffset(time) => Some(time.trunc_subsecs(digits)).filter(|cut| cut != time).map(Value::from),
            Value::TimeSpan(span) => {
                let beyond = span.subsec_nanos() % 10_i32.pow(9_u32.saturating_sub(digits.into()));
                (beyond != 0).then(|| (*span - TimeDelta::nanoseconds(beyond.into())).into())
            }
            _ => None,
        }
    }

    /// Whether it certainly [keeps](Self::keeps) every one of the values: for the usual keys, in a loop over one kind.
    pub(crate) fn keeps_all(&self, values: &[Value]) -> bool {
        let one_kind = match self.ty.base {
            T::Int64 => values.iter().all(|value| matches!(value, Value::Int(_))),
            T::String => values.iter().all(|value| matches!(value, Value::Text(_))),
            _ => false,
        };
        if one_kind && let Some(first) = values.first() {
            return self.keeps(first);
        }
        values.iter().all(|value| self.keeps(value))
    }

    /// The value in the column's type.
    ///
    /// ```
    /// use isogloss_compiler::expr::{DbValueType, Value};
    /// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// let order = TableDef::new("Order").column(ColumnDef::new("ShipDate", DbValueType::Date));
    /// let catalog = Catalog::builder().table(order).build()?;
    /// let (_, order) = catalog.entity("Order").ok_or("no entity")?;
    /// let (_, shipped) = order.column("ShipDate").ok_or("no column")?;
    /// assert!(matches!(*shipped.coerce(&"2024-01-31".into())?, Value::Date(_)));
    /// let error = shipped.coerce(&"soon".into()).unwrap_err();
    /// assert_eq!(error.to_string(), r#"text "soon" does not fit `ShipDate`, Date: expected yyyy-MM-dd"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the value does not fit.
    pub fn coerce<'v>(&self, value: &'v Value) -> Result<Cow<'v, Value>, BadValue> {
        coerce(value, self.ty, self.enum_values.as_ref()).map_err(|bad| bad.of(&self.name))
    }
}

/// Whether a value certainly is of the type as it is; of others [`coerce`] tells.
// Not in a debug build, where it would take room in the frames of the recursion around it.
#[cfg_attr(not(debug_assertions), inline(always))]
#[must_use]
pub fn is_of(value: &Value, ty: DbType) -> bool {
    if ty.array {
        return false;
    }
    match value {
        Value::Int(n) => match ty.base {
            T::Int64 | T::Decimal => true,
            T::Int32 => i32::try_from(*n).is_ok(),
            T::Int16 => i16::try_from(*n).is_ok(),
            _ => false,
        },
        Value::Text(_) => matches!(ty.base, T::String | T::AnsiString),
        Value::Bool(_) => ty.base == T::Boolean,
        Value::Float(n) => ty.base == T::Double && n.is_finite(),
        Value::Decimal(_) => ty.base == T::Decimal,
        Value::Date(_) => ty.base == T::Date,
        Value::DateTime(at) => ty.base == T::DateTime2 && at.nanosecond() < 1_000_000_000,
        Value::Uuid(_) => ty.base == T::Guid,
        _ => false,
    }
}

/// The value in that type, by the table at the top of this module. A value that is of the type already is borrowed.
///
/// # Errors
/// When the value does not fit.
pub fn coerce<'v>(value: &'v Value, ty: DbType, members: Option<&EnumDef>) -> Result<Cow<'v, Value>, BadValue> {
    match value {
        Value::Null => Ok(Cow::Borrowed(value)),
        Value::List(items) => list(value, items, ty, members),
        _ => scalar(value, ty, members),
    }
}

/// A list for an IN, or for an array column, or a list of arrays for an IN of an array column.
fn list<'v>(
    value: &'v Value,
    items: &'v [Value],
    ty: DbType,
    members: Option<&EnumDef>,
) -> Result<Cow<'v, Value>, BadValue> {
    let item = |item: &'v Value| match item {
        Value::List(inner) if ty.array => list(item, inner, ty.base.into(), members),
        Value::List(_) => Err(BadValue::new(item, ty, "a list inside of a list")),
        Value::Null => Ok(Cow::Borrowed(item)),
        _ => scalar(item, ty, members),
    };
    let mut converted: Vec<Value> = Vec::new();
    for (i, one) in items.iter().enumerate() {
        match item(one).map_err(|bad| bad.at(i))? {
            Cow::Borrowed(_) if converted.is_empty() => {}
            Cow::Borrowed(one) => converted.push(one.clone()),
            Cow::Owned(one) => {
                if converted.is_empty() {
                    converted.reserve_exact(items.len());
                    converted.extend(items.iter().take(i).cloned());
                }
                converted.push(one);
            }
        }
    }
    Ok(if converted.is_empty() { Cow::Borrowed(value) } else { Cow::Owned(converted.into()) })
}

fn scalar<'v>(value: &'v Value, ty: DbType, members: Option<&EnumDef>) -> Result<Cow<'v, Value>, BadValue> {
    if let Some(members) = members {
        return member(value, ty, members);
    }
    if let Some(on_clock) = value.on_clock() {
        return scalar(&on_clock, ty, None).map(|found| Cow::Owned(found.into_owned()));
    }
    let fits = match (value, ty.base.family()) {
        (Value::Int(n), Family::Integer) => ty.base.holds((*n).into()),
        (Value::UInt(_), Family::Integer) => ty.base == T::UInt64,
        (Value::Int(_) | Value::UInt(_), Family::Decimal) => true,
        // It may be a time of day.
        (Value::TimeSpan(_), _) => false,
        (_, family) => value.natural_type().is_some_and(|own| own.family() == family),
    };
    if fits { Ok(Cow::Borrowed(value)) } else { convert(value, ty) }
}

/// The name or number of an enumeration's member, as it is stored.
fn member<'v>(value: &'v Value, ty: DbType, members: &EnumDef) -> Result<Cow<'v, Value>, BadValue> {
    let number = match value {
        Value::Text(name) => match members.by_name(name.trim()) {
            Some(member) if members.stored == EnumStorage::Text && member.name.as_str() == name => {
                return Ok(Cow::Borrowed(value));
            }
            Some(member) => Some(member.number),
            None => name.trim().parse().ok().or_else(|| sum(name, members)),
        },
        _ => whole(value).and_then(|n| i64::try_from(n).ok()),
    };
    let stored = number.filter(|n| members.has_number(*n)).and_then(|number| match (members.stored, value) {
        (EnumStorage::Number, Value::Int(_)) => Some(Cow::Borrowed(value)),
        (EnumStorage::Number, _) => Some(Cow::Owned(Value::Int(number))),
        (EnumStorage::Text, _) => {
            members.by_number(number).map(|member| Cow::Owned(Value::Text(member.name.as_str().into())))
        }
    });
    stored.ok_or_else(|| {
        let mut why = "expected ".to_owned();
        for (i, member) in members.members.iter().take(12).enumerate() {
            let _ = write!(why, "{}`{}`", if i == 0 { "" } else { ", " }, member.name);
        }
        why.push_str(if members.members.len() > 12 { ", ..." } else { "" });
        BadValue::new(value, ty, why)
    })
}

/// `Read, Write`, for flags.
fn sum(names: &str, members: &EnumDef) -> Option<i64> {
    if !members.flags {
        return None;
    }
    names.split(',').try_fold(0, |all, name| Some(all | members.by_name(name.trim())?.number))
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
    use uuid::Uuid;

    use super::*;
    use crate::expr::Name;
    use crate::model::EnumMember;

    fn to(ty: impl Into<DbType>, value: impl Into<Value>) -> Result<Value, String> {
        coerce(&value.into(), ty.into(), None).map(Cow::into_owned).map_err(|bad| bad.to_string())
    }

    /// The value, and that its variant is the expected one: values of different number types are equal.
    #[track_caller]
    fn is(ty: impl Into<DbType>, value: impl Into<Value>, expected: impl Into<Value>) {
        let (found, expected) = (to(ty, value).unwrap(), expected.into());
        assert_eq!(found, expected);
        assert_eq!(std::mem::discriminant(&found), std::mem::discriminant(&expected), "{found:?}");
    }

    #[track_caller]
    fn refused(ty: impl Into<DbType>, value: impl Into<Value>, message: &str) {
        assert_eq!(to(ty, value), Err(message.to_owned()));
    }

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn at(text: &str) -> NaiveDateTime {
        text.parse().unwrap()
    }

    fn zoned(text: &str) -> DateTime<FixedOffset> {
        text.parse().unwrap()
    }

    #[test]
    fn what_fits_is_borrowed() {
        let id = Uuid::from_u128(7);
        for (ty, value) in [
            (T::String, Value::from("a text that is far too long to be held in place by the value")),
            (T::AnsiStringFixedLength, Value::from("a")),
            (T::Int64, Value::from(i64::MIN)),
            (T::UInt64, Value::from(u64::MAX)),
            (T::UInt64, Value::from(0)),
            (T::Int32, Value::from(i32::MIN)),
            (T::Int16, Value::from(i16::MAX)),
            (T::SByte, Value::from(-128)),
            (T::Byte, Value::from(255)),
            (T::UInt16, Value::from(u16::MAX)),
            (T::UInt32, Value::from(u32::MAX)),
            (T::Decimal, Value::from(5)),
            (T::Decimal, Value::from(u64::MAX)),
            (T::Currency, Value::from(dec("1.50"))),
            (T::Double, Value::from(1.5)),
            (T::Boolean, Value::from(true)),
            (T::Date, Value::from(day("2024-01-31"))),
            (T::Time, Value::from(NaiveTime::MIN)),
            (T::DateTime, Value::from(at("2024-01-31T10:00:00"))),
            (T::DateTimeOffset, Value::from(zoned("2024-01-31T10:00:00+02:00"))),
            (T::Guid, Value::from(id)),
            (T::Binary, Value::from(vec![1_u8])),
            (T::Json, Value::Json("{}".into())),
            (T::Object, Value::from(dec("1"))),
        ] {
            assert!(matches!(coerce(&value, ty.into(), None), Ok(Cow::Borrowed(_))), "{ty:?} {value:?}");
            assert!(matches!(coerce(&Value::Null, ty.into(), None), Ok(Cow::Borrowed(Value::Null))), "{ty:?}");
        }
    }

    #[test]
    fn integers_are_whole_and_in_range() {
        is(T::Int32, dec("5.00"), 5);
        is(T::Int32, -7.0, -7);
        is(T::Int32, " 42 ", 42);
        is(T::Int64, "1e3", 1000);
        is(T::Byte, true, 1);
        is(T::UInt64, "18446744073709551615", u64::MAX);
        is(T::Int64, Value::UInt(5), 5);
        is(T::Int64, TimeDelta::milliseconds(-1500), -15_000_000_i64);
        refused(
            T::Int32,
            3_000_000_000_i64,
            "integer 3000000000 does not fit Int32: it takes -2147483648 to 2147483647",
        );
        refused(T::Byte, -1, "integer -1 does not fit Byte: it takes 0 to 255");
        refused(T::Byte, "256", "text \"256\" does not fit Byte: it takes 0 to 255");
        refused(T::UInt64, -1, "integer -1 does not fit UInt64: it takes 0 to 18446744073709551615");
        refused(
            T::Int64,
            u64::MAX,
            "integer 18446744073709551615 does not fit Int64: it takes -9223372036854775808 to 9223372036854775807",
        );
        refused(T::Int32, dec("5.5"), "decimal 5.5 does not fit Int32: expected a whole number");
        refused(T::Int32, 5.5, "float 5.5 does not fit Int32: expected a whole number");
        refused(T::Int32, f64::NAN, "float NaN does not fit Int32: expected a whole number");
        refused(T::Int64, 1e17, "float 100000000000000000 does not fit Int64: expected a whole number");
        refused(T::Int32, "five", "text \"five\" does not fit Int32: expected a whole number");
        refused(T::Int32, day("2024-01-31"), "date 2024-01-31 does not fit Int32: expected a whole number");
        refused(T::Int32, TimeDelta::seconds(1), "timespan PT1S does not fit Int32: expected a whole number");
        refused(
            T::Int64,
            TimeDelta::nanoseconds(1),
            "timespan PT0.000000001S does not fit Int64: expected a whole number",
        );
    }

    #[test]
    fn decimals_are_exact() {
        is(T::Decimal, 0.1, dec("0.1"));
        is(T::Decimal, "1234.50", dec("1234.50"));
        refused(T::Decimal, f64::NAN, "float NaN does not fit Decimal: a decimal is finite");
        refused(T::Currency, f64::NEG_INFINITY, "float -inf does not fit Currency: a decimal is finite");
        refused(T::Decimal, "1,5", "text \"1,5\" does not fit Decimal: expected a decimal number");
        refused(T::Decimal, true, "boolean true does not fit Decimal: expected a decimal number");
        assert!(to(T::Decimal, 1e300).unwrap_err().ends_with("a decimal has at most 38 digits"));
    }

    #[test]
    fn floats_take_every_number() {
        is(T::Double, 5, 5.0);
        is(T::Single, dec("1.5"), 1.5);
        is(T::Double, "1e300", 1e300);
        refused(T::Double, "NaN", "text \"NaN\" does not fit Double: expected a number");
        refused(T::Double, false, "boolean false does not fit Double: expected a number");
    }

    #[test]
    fn truth_has_many_words() {
        for word in ["true", "TRUE", "1", "y", "T"] {
            is(T::Boolean, word, true);
        }
        for word in ["false", "0", "N", "f "] {
            is(T::Boolean, word, false);
        }
        is(T::Boolean, 1, true);
        is(T::Boolean, dec("0.0"), false);
        refused(T::Boolean, 2, "integer 2 does not fit Boolean: expected true or false");
        refused(T::Binary, "ä", "text \"ä\" does not fit Binary: expected bytes, or their base64 text");
        is(T::Object, 1, 1);
        refused(T::Boolean, "yes", "text \"yes\" does not fit Boolean: expected true or false");
    }

    #[test]
    fn text_takes_what_has_one_text() {
        is(T::String, 5, "5");
        is(T::String, dec("1.50"), "1.50");
        is(T::String, 1.5, "1.5");
        is(T::String, 5.0, "5");
        is(T::String, Uuid::from_u128(7), "00000000-0000-0000-0000-000000000007");
        is(T::String, day("2024-01-31"), "2024-01-31");
        is(T::String, NaiveTime::from_hms_milli_opt(7, 5, 0, 250).unwrap(), "07:05:00.250");
        refused(T::String, true, "boolean true does not fit String: expected text");
        refused(T::String, vec![1_u8, 2], "bytes of 2 bytes does not fit String: expected text");
        refused(T::Xml, at("2024-01-31T10:00:00"), "datetime 2024-01-31 10:00:00 does not fit Xml: expected text");
    }

    #[test]
    fn dates_and_times_take_what_loses_nothing() {
        is(T::Date, "2024-01-31", day("2024-01-31"));
        is(T::Date, "2024-01-31T00:00:00Z", day("2024-01-31"));
        is(T::Date, at("2024-01-31T00:00:00"), day("2024-01-31"));
        is(T::Date, zoned("2024-01-31T00:00:00+02:00"), day("2024-01-31"));
        is(T::DateTime2, "2024-01-31 10:00", at("2024-01-31T10:00:00"));
        is(T::DateTime, "2024-01-31T10:00:00.5Z", at("2024-01-31T10:00:00.5"));
        is(T::DateTime2, day("2024-01-31"), at("2024-01-31T00:00:00"));
        is(T::DateTime2, zoned("2024-01-31T10:00:00Z"), at("2024-01-31T10:00:00"));
        is(T::DateTimeOffset, "2024-01-31T10:00:00+02:00", zoned("2024-01-31T10:00:00+02:00"));
        is(T::DateTimeOffset, "2024-01-31", zoned("2024-01-31T00:00:00Z"));
        is(T::DateTimeOffset, at("2024-01-31T10:00:00"), zoned("2024-01-31T10:00:00Z"));
        is(T::DateTimeOffset, day("2024-01-31"), zoned("2024-01-31T00:00:00Z"));
        is(T::Time, "07:05", NaiveTime::from_hms_opt(7, 5, 0).unwrap());
        is(T::Time, TimeDelta::seconds(61), NaiveTime::from_hms_opt(0, 1, 1).unwrap());
        is(T::Time, "1.02:00:00", TimeDelta::hours(26));
        is(T::Time, TimeDelta::seconds(-1), TimeDelta::seconds(-1));
        refused(T::Date, "soon", "text \"soon\" does not fit Date: expected yyyy-MM-dd");
        refused(
            T::Date,
            at("2024-01-31T10:00:00"),
            "datetime 2024-01-31 10:00:00 does not fit Date: the column has no time of day: give a date, or midnight",
        );
        refused(
            T::DateTime2,
            "2024-01-31T10:00:00+02:00",
            "text \"2024-01-31T10:00:00+02:00\" does not fit DateTime2: the column has no offset: give the time without one, or at Z",
        );
        refused(T::DateTime, 5, "integer 5 does not fit DateTime: expected yyyy-MM-ddTHH:mm:ss");
        refused(T::Time, "25:00", "text \"25:00\" does not fit Time: expected HH:mm:ss");
        refused(
            T::DateTimeOffset,
            "x",
            "text \"x\" does not fit DateTimeOffset: expected yyyy-MM-ddTHH:mm:ss and an offset",
        );
    }

    #[test]
    fn a_time_is_cut_to_the_digits_of_its_column() {
        let table = |ty: T, digits| {
            let column = crate::model::ColumnDef::new("X", ty).time_precision(digits);
            crate::model::Catalog::builder().table(crate::model::TableDef::new("A").column(column)).build().unwrap()
        };
        let cut = |ty: T, digits, value: Value| {
            let catalog = table(ty, digits);
            let column = &catalog.entity("A").unwrap().1.columns[0];
            assert_eq!(column.keeps(&value), column.takes(&value) && column.cut(&value).is_none());
            assert_eq!(column.cut(&value), column.rounded(&value));
            column.cut(&value)
        };
        let time = |text: &str| Value::from(text.parse::<NaiveTime>().unwrap());
        assert_eq!(cut(T::DateTime2, 0, at("2024-01-31T10:00:00.9").into()), Some(at("2024-01-31T10:00:00").into()));
        assert_eq!(
            cut(T::DateTime, 3, at("1969-12-31T23:59:59.9999").into()),
            Some(at("1969-12-31T23:59:59.999").into())
        );
        assert_eq!(
            cut(T::DateTime2, 6, at("2024-01-31T10:00:00.1234567").into()),
            Some(at("2024-01-31T10:00:00.123456").into())
        );
        assert_eq!(cut(T::DateTime2, 0, "2024-01-31 10:00:00.5".into()), Some(at("2024-01-31T10:00:00").into()));
        let (given, kept) = (zoned("2024-01-31T10:00:00.19+02:00"), zoned("2024-01-31T10:00:00.1+02:00"));
        assert_eq!(cut(T::DateTimeOffset, 1, given.into()), Some(kept.into()));
        assert_eq!(cut(T::Time, 2, time("10:00:00.129")), Some(time("10:00:00.12")));
        // Toward zero, as its digits are written.
        assert_eq!(cut(T::Time, 0, TimeDelta::milliseconds(-1_500).into()), Some(TimeDelta::seconds(-1).into()));
        assert_eq!(
            cut(T::Time, 0, TimeDelta::MAX.into()),
            Some(TimeDelta::milliseconds(i64::MAX / 1_000 * 1_000).into())
        );
        for value in [at("2024-01-31T10:00:00").into(), Value::Null, "soon".into(), day("2024-01-31").into()] {
            assert_eq!(cut(T::DateTime2, 0, value), None);
        }
    }

    #[test]
    fn ids_bytes_and_documents() {
        let id = Uuid::from_u128(7);
        is(T::Guid, "00000000-0000-0000-0000-000000000007", id);
        is(T::Guid, "{00000000-0000-0000-0000-000000000007}", id);
        is(T::Guid, id.as_bytes().to_vec(), id);
        is(T::Binary, id, id.as_bytes().to_vec());
        is(T::Binary, "aGVsbG8=", b"hello".to_vec());
        is(T::Binary, "aGVsbG8h", b"hello!".to_vec());
        is(T::Binary, "/+8=", vec![0xff_u8, 0xef]);
        is(T::Binary, "", Vec::<u8>::new());
        is(T::Json, "{\"a\":1}", Value::Json("{\"a\":1}".into()));
        is(T::Jsonb, 5, Value::Json("5".into()));
        for bad in ["a", "a===", "aGVsbG8", "aG=sbG8=", "aGV=bG8=", "aGVs bG8=", "aGV_"] {
            assert!(to(T::Binary, bad).is_err(), "{bad}");
        }
        refused(T::Guid, "7", "text \"7\" does not fit Guid: expected a UUID");
        refused(T::Guid, vec![1_u8], "bytes of 1 bytes does not fit Guid: expected a UUID");
        refused(T::Json, day("2024-01-31"), "date 2024-01-31 does not fit Json: expected a JSON document");
        let map = Value::Map([("a".into(), Value::Null)].into());
        refused(T::String, map, "map of 1 names does not fit String: expected text");
    }

    #[test]
    fn lists_are_taken_item_by_item() {
        let list = |items: &[&str]| Value::from(items.iter().map(|item| Value::from(*item)).collect::<Vec<_>>());
        let numbers = Value::from(vec![Value::from(1), Value::from(2), Value::Null, Value::from(3)]);
        is(T::Int32, Value::from(vec![1.into(), "2".into(), Value::Null, 3.into()]), numbers.clone());
        assert!(matches!(coerce(&numbers, T::Int32.into(), None), Ok(Cow::Borrowed(_))));
        let empty = Value::from(Vec::<Value>::new());
        assert!(matches!(coerce(&empty, T::Int32.into(), None), Ok(Cow::Borrowed(_))));
        refused(
            T::Int32,
            list(&["1", "x"]),
            "item 1 of the list, text \"x\", does not fit Int32: expected a whole number",
        );
        let array = DbType::array_of(T::String);
        is(array, list(&["a"]), list(&["a"]));
        is(array, "a", "a");
        is(array, Value::from(vec![list(&["a"]), list(&["b"])]), Value::from(vec![list(&["a"]), list(&["b"])]));
        refused(
            T::String,
            Value::from(vec![list(&["a"])]),
            "item 0 of the list, list of 1 items, does not fit String: a list inside of a list",
        );
        let deep = Value::from(vec![Value::from(vec![list(&["a"])])]);
        assert!(to(array, deep).unwrap_err().ends_with("does not fit String: a list inside of a list"));
    }

    #[test]
    fn enumerations_take_names_and_numbers() {
        let member = |name: &str, number| EnumMember { name: name.into(), number };
        let members = vec![member("Read", 1), member("Write", 2), member("Grant", 4)];
        let def = |stored, flags| EnumDef { stored, flags, members: members.clone() };
        let to = |def: &EnumDef, ty: T, value: Value| {
            coerce(&value, ty.into(), Some(def)).map(Cow::into_owned).map_err(|bad| bad.to_string())
        };
        let number = def(EnumStorage::Number, false);
        assert_eq!(to(&number, T::Int32, "write".into()), Ok(2.into()));
        assert_eq!(to(&number, T::Int32, "4".into()), Ok(4.into()));
        assert_eq!(to(&number, T::Int32, dec("2.0").into()), Ok(2.into()));
        for bad in [Value::from(3), "Read, Write".into(), "".into(), "8".into(), 1.5.into(), day("2024-01-31").into()] {
            let message = to(&number, T::Int32, bad).unwrap_err();
            assert!(message.ends_with("does not fit Int32: expected `Read`, `Write`, `Grant`"), "{message}");
        }
        let flags = def(EnumStorage::Number, true);
        assert_eq!(to(&flags, T::Int32, 7.into()), Ok(7.into()));
        assert_eq!(to(&flags, T::Int32, "Read, grant".into()), Ok(5.into()));
        assert!(to(&flags, T::Int32, 8.into()).is_err());
        let text = def(EnumStorage::Text, false);
        assert_eq!(to(&text, T::String, "GRANT".into()), Ok("Grant".into()));
        assert_eq!(to(&text, T::String, 2.into()), Ok("Write".into()));
        let same = Value::from("Read");
        assert!(matches!(coerce(&same, T::String.into(), Some(&text)), Ok(Cow::Borrowed(_))));
        assert!(matches!(coerce(&Value::Null, T::String.into(), Some(&text)), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn a_message_names_property_type_and_a_value_that_is_cut() {
        let bad = coerce(&"é".repeat(50).into(), T::Int32.into(), None).unwrap_err().of(&"Age".into());
        assert_eq!(bad.property(), Some(&Name::new("age")));
        assert_eq!(bad.ty(), T::Int32.into());
        assert_eq!(bad.value(), format!("text \"{}...\"", "é".repeat(40)));
        assert_eq!(bad.why(), "expected a whole number");
        assert_eq!(
            bad.to_string(),
            format!("text \"{}...\" does not fit `Age`, Int32: expected a whole number", "é".repeat(40))
        );
        assert!(size_of::<BadValue>() <= 8);
    }
}
