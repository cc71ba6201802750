//! Values: literals, columns, arithmetic, CASE, CAST, and the kinds that they have.

use bigdecimal::RoundingMode;
use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike as _};
use isogloss_compiler::expr::{
    CaseExpr, DbType, Decimal, UnaryOperator, Value, ValueBinaryExpr, ValueJoinType, ValueOperator, ValueTypeExpr,
};
use isogloss_compiler::functions::{Func, ResultType};
use isogloss_compiler::model::{Column, EnumDef, EnumStorage};
use uuid::Uuid;

use super::number::Number;
use super::scope::{Env, Kind};
use super::{Evaluator, Result, date, fault, text, unsupported};

impl Evaluator<'_> {
    pub(crate) fn value(&self, env: &Env<'_>, node: &ValueTypeExpr) -> Result<Value> {
        match node {
            ValueTypeExpr::Value(value) => Ok(value.value.clone()),
            ValueTypeExpr::Property(property) => env.value(property),
            ValueTypeExpr::Unary(node) => {
                let value = self.value(env, &node.operand)?;
                match (node.operator, value) {
                    (_, Value::Null) => Ok(Value::Null),
                    (UnaryOperator::Negative, value) => Number::of(&value)?.negate()?.value(),
                    (UnaryOperator::BitwiseNot, Value::Int(number)) => Ok(Value::Int(!number)),
                    _ => unsupported("that operator on that value"),
                }
            }
            ValueTypeExpr::Binary(node) => self.binary(env, node),
            ValueTypeExpr::Function(node) => self.function(env, node),
            ValueTypeExpr::Set(set) => match set.join {
                ValueJoinType::Concat => self.concat(env, &set.items),
                _ => unsupported("a row as a value"),
            },
            ValueTypeExpr::Case(node) => self.case(env, node),
            ValueTypeExpr::Cast(node) => {
                let value = self.value(env, &node.value)?;
                cast(value, node.to)
            }
            ValueTypeExpr::Window(node) => self.window(env, node),
            ValueTypeExpr::Query(query) => {
                let (fields, rows) = self.chain(Some(query), Some(env))?.table(self)?;
                match (fields.len(), rows.as_slice()) {
                    (1, []) => Ok(Value::Null),
                    (1, [row]) => Ok(row.first().cloned().unwrap_or_default()),
                    (1, _) => fault("a subquery with more than one row as a value"),
                    _ => fault("a subquery with more than one column as a value"),
                }
            }
            ValueTypeExpr::Truth(logic) => Ok(self.logic(env, logic)?.into()),
            _ => unsupported("a registered fragment"),
        }
    }

    /// A value that stands beside another: a plain one takes the other's kind.
    pub(crate) fn value_beside(
        &self,
        env: &Env<'_>,
        node: &ValueTypeExpr,
        beside: Option<&ValueTypeExpr>,
    ) -> Result<Value> {
        match node {
            ValueTypeExpr::Value(plain) => self.fit_beside(env, &plain.value, beside),
            other => self.value(env, other),
        }
    }

    /// A plain value in the kind of what it stands beside.
    pub(crate) fn fit_beside(&self, env: &Env<'_>, value: &Value, beside: Option<&ValueTypeExpr>) -> Result<Value> {
        let Some(beside) = beside.filter(|node| !matches!(node, ValueTypeExpr::Value(_))) else {
            return Ok(value.clone());
        };
        let names = match beside {
            ValueTypeExpr::Property(property) => env.find(property)?.field.names.as_ref(),
            _ => None,
        };
        fit(value, self.kind(env, beside)?, names)
    }

    /// A plain value in the kind of what it is compared with for being equal, with the digits of a second that has.
    pub(crate) fn fit_equal(&self, env: &Env<'_>, value: &Value, beside: Option<&ValueTypeExpr>) -> Result<Value> {
        let value = self.fit_beside(env, value, beside)?;
        match beside {
            Some(ValueTypeExpr::Property(property)) => Ok(match env.find(property)?.field.seconds {
                Some(digits) => cut(value, digits),
                None => value,
            }),
            _ => Ok(value),
        }
    }

    fn binary(&self, env: &Env<'_>, node: &ValueBinaryExpr) -> Result<Value> {
        if node.operator == ValueOperator::Concat {
            return self.concat(env, [&node.left, &node.right]);
        }
        let (left, right) = (self.operand(env, &node.left, &node.right)?, self.operand(env, &node.right, &node.left)?);
        if left.is_null() || right.is_null() {
            return Ok(Value::Null);
        }
        let (left, right) = (Number::of(&left)?, Number::of(&right)?);
        let number = match node.operator {
            ValueOperator::Add => Some(left.add(right)?),
            ValueOperator::Subtract => Some(left.subtract(right)?),
            ValueOperator::Multiply => Some(left.multiply(right)?),
            // Division by zero is NULL.
            ValueOperator::Divide => left.divide(right)?,
            ValueOperator::Modulo => left.remainder(right)?,
            _ => return unsupported("that operator"),
        };
        number.map_or(Ok(Value::Null), Number::value)
    }

    /// A number in arithmetic: a whole literal takes the kind of what is beside it, one with digits keeps its own.
    fn operand(&self, env: &Env<'_>, node: &ValueTypeExpr, beside: &ValueTypeExpr) -> Result<Value> {
        match node {
            ValueTypeExpr::Value(plain) if !matches!(plain.value, Value::Float(_) | Value::Decimal(_)) => {
                self.fit_beside(env, &plain.value, Some(beside))
            }
            other => self.value(env, other),
        }
    }

    /// The texts one after the other; NULL if any is.
    fn concat<'n>(&self, env: &Env<'_>, items: impl IntoIterator<Item = &'n ValueTypeExpr>) -> Result<Value> {
        let mut whole = Some(String::new());
        for item in items {
            match (&mut whole, text::of(&self.value(env, item)?)?) {
                (Some(whole), Some(part)) => whole.push_str(&part),
                _ => whole = None,
            }
        }
        Ok(whole.into())
    }

    fn case(&self, env: &Env<'_>, node: &CaseExpr) -> Result<Value> {
        let kind = self.case_kind(env, node)?;
        for (condition, value) in &node.cases {
            if self.logic(env, condition)? == Some(true) {
                return widen(self.value(env, value)?, kind);
            }
        }
        match &node.otherwise {
            Some(value) => widen(self.value(env, value)?, kind),
            None => Ok(Value::Null),
        }
    }

    fn case_kind(&self, env: &Env<'_>, node: &CaseExpr) -> Result<Option<Kind>> {
        let values = node.cases.iter().map(|(_, value)| value).chain(&node.otherwise);
        values.map(|value| self.kind(env, value)).try_fold(None, |all, kind| Ok(Kind::widest(all, kind?)))
    }

    /// The kind that a value has in every row; none for what is NULL in each.
    pub(crate) fn kind(&self, env: &Env<'_>, node: &ValueTypeExpr) -> Result<Option<Kind>> {
        Ok(match node {
            ValueTypeExpr::Value(value) => Kind::of(&value.value),
            ValueTypeExpr::Property(property) => env.find(property)?.field.kind,
            ValueTypeExpr::Unary(node) => self.kind(env, &node.operand)?,
            ValueTypeExpr::Binary(node) if node.operator == ValueOperator::Concat => Some(Kind::Text),
            ValueTypeExpr::Binary(node) => Kind::widest(self.kind(env, &node.left)?, self.kind(env, &node.right)?),
            ValueTypeExpr::Set(_) => Some(Kind::Text),
            ValueTypeExpr::Case(node) => self.case_kind(env, node)?,
            ValueTypeExpr::Cast(node) => Kind::of_type(node.to),
            ValueTypeExpr::Truth(_) => Some(Kind::Bool),
            ValueTypeExpr::Function(node) => self.function_kind(env, node.name.as_str(), &node.args)?,
            ValueTypeExpr::Window(node) => self.function_kind(env, node.function.name.as_str(), &node.function.args)?,
            ValueTypeExpr::Query(query) => self.columns(query, Some(env))?.first().and_then(|field| field.kind),
            _ => None,
        })
    }

    fn function_kind(&self, env: &Env<'_>, name: &str, args: &[ValueTypeExpr]) -> Result<Option<Kind>> {
        let Some(func) = Func::from_name(name) else { return unsupported(format!("no function `{name}`")) };
        let first = || args.first().map_or(Ok(None), |arg| self.kind(env, arg));
        // `Max(a, b)` is the greatest of its arguments.
        let result = match func {
            Func::Max | Func::Min if args.len() > 1 => ResultType::Widest,
            _ => func.signature().result,
        };
        Ok(match result {
            ResultType::Is(ty) => Kind::of_type(ty.into()),
            ResultType::First | ResultType::Sum => first()?,
            ResultType::Widest => {
                args.iter().map(|arg| self.kind(env, arg)).try_fold(None, |all, kind| Ok(Kind::widest(all, kind?)))?
            }
            ResultType::Average if first()? == Some(Kind::Decimal) => Some(Kind::Decimal),
            ResultType::Average => Some(Kind::Float),
            ResultType::DateLike if first()? == Some(Kind::Date) => Some(Kind::DateTime),
            ResultType::DateLike => first()?,
        })
    }
}

/// A number or a date as one of the wider kind that its place has.
pub(crate) fn widen(value: Value, kind: Option<Kind>) -> Result<Value> {
    match (Kind::of(&value), kind) {
        (Some(own), Some(kind)) if own != kind && own.is_number() && kind.is_number() => {
            Number::of(&value)?.into_kind(kind)?.value()
        }
        (Some(own), Some(kind)) if own != kind && own.is_date() && kind.is_date() => date::widen(&value, kind),
        _ => Ok(value),
    }
}

/// A plain value in the kind of a column: `"2024-01-31"` beside a date is a date, `5` beside a decimal a decimal.
pub(crate) fn fit(value: &Value, kind: Option<Kind>, names: Option<&EnumDef>) -> Result<Value> {
    let member = names.and_then(|names| match value {
        Value::Text(name) => names.by_name(name),
        Value::Int(number) => names.by_number(*number),
        _ => None,
    });
    if let (Some(member), Some(names)) = (member, names) {
        return Ok(match names.stored {
            EnumStorage::Number => member.number.into(),
            EnumStorage::Text => member.name.as_str().into(),
        });
    }
    let (Some(own), Some(kind)) = (Kind::of(value), kind) else { return Ok(value.clone()) };
    let bad = || fault(format!("{value:?} as {kind:?}"));
    match (value, kind) {
        _ if own == kind => Ok(value.clone()),
        (Value::Text(text), _) if kind.is_number() => match text.parse::<Decimal>() {
            Ok(number) => fit(&number.into(), Some(kind), None),
            Err(_) => bad(),
        },
        (Value::Text(text), Kind::Date | Kind::DateTime) => {
            let day = text.parse::<NaiveDate>();
            let time = day.map(|day| day.and_time(NaiveTime::MIN)).or_else(|_| text.replace(' ', "T").parse());
            match time {
                Ok(time) if kind == Kind::DateTime => Ok(NaiveDateTime::into(time)),
                Ok(time) if time.time() == NaiveTime::MIN => Ok(time.date().into()),
                _ => bad(),
            }
        }
        (Value::Text(text), Kind::Guid) => text.parse::<Uuid>().map(Value::from).or_else(|_| bad()),
        (Value::Text(text), Kind::Time) => text.parse::<NaiveTime>().map(Value::from).or_else(|_| bad()),
        (Value::Int(number @ (0 | 1)), Kind::Bool) => Ok((*number == 1).into()),
        (Value::Bool(truth), Kind::Int) => Ok(i64::from(*truth).into()),
        (_, Kind::Int) if own.is_number() => {
            let number = Number::of(value)?;
            let cut = number.clone().into_kind(Kind::Int)?;
            if cut.clone().compare(number)?.is_eq() { cut.value() } else { bad() }
        }
        (_, Kind::Text) => text::of(value).map(Value::from),
        _ if own.is_number() && kind.is_number() || own.is_date() && kind.is_date() => widen(value.clone(), Some(kind)),
        _ => unsupported(format!("{} beside {kind:?}", value.kind())),
    }
}

/// A value as a column takes it: a computed one by a CAST, a plain one as beside the column. A decimal has no more digits
/// behind its point than the column; a half is rounded away from 0.
pub(crate) fn assigned(value: Value, computed: bool, column: &Column) -> Result<Value> {
    let kind = Kind::of_type(column.ty);
    let value = match kind {
        Some(_) if computed => cast(value, column.ty)?,
        _ => fit(&value, kind, column.enum_values.as_ref())?,
    };
    match (column.fraction(), column.seconds(), &value) {
        (Some(digits), _, Value::Decimal(number)) if number.scale() > digits => {
            Number::of(&value)?.round(digits.into(), RoundingMode::HalfUp)?.value()
        }
        (_, Some(digits), _) => Ok(cut(value, digits)),
        _ => Ok(value),
    }
}

/// A time with so many digits behind its seconds, the others dropped.
fn cut(value: Value, digits: u8) -> Value {
    let unit = 10_u32.pow(9 - u32::from(digits));
    let kept = |nanos: u32| nanos / unit * unit;
    let cut = match &value {
        Value::Time(time) => time.with_nanosecond(kept(time.nanosecond())).map(Value::from),
        Value::DateTime(time) => time.with_nanosecond(kept(time.nanosecond())).map(Value::from),
        Value::DateTimeOffset(time) => time.with_nanosecond(kept(time.nanosecond())).map(Value::from),
        _ => None,
    };
    cut.unwrap_or(value)
}

/// A CAST, as the compiler's papers have it: numbers are cut to whole ones, truth values are 1 and 0 or `true` and
/// `false`, a text is read. A text that cannot be read is an error on some engines and zero on others, so it is refused.
fn cast(value: Value, to: DbType) -> Result<Value> {
    let Some(kind) = Kind::of_type(to) else { return unsupported("a CAST to that type") };
    let Some(own) = Kind::of(&value) else { return Ok(value) };
    match (own, kind) {
        _ if own == kind => Ok(value),
        (Kind::Text, _) => match read(&value, kind) {
            Some(value) => Ok(value),
            None => unsupported("a CAST of a text that is none of that type"),
        },
        (Kind::Bytes, Kind::Text) => match &value {
            Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(text.into()),
                Err(_) => unsupported("a CAST of bytes that are no text"),
            },
            _ => unsupported("a CAST to text"),
        },
        (_, Kind::Text) => text::of(&value).map(Value::from),
        (_, Kind::Bool) if own.is_number() => Ok((!Number::of(&value)?.is_zero()).into()),
        (Kind::Bool, _) if kind.is_number() => widen(i64::from(value == Value::Bool(true)).into(), Some(kind)),
        _ if own.is_number() && kind.is_number() => Number::of(&value)?.into_kind(kind)?.value(),
        (Kind::Date, Kind::Time) => unsupported("the time of a date without one"),
        _ if own.is_date() => date::cast(&value, kind),
        _ => unsupported(format!("a CAST of {} to {kind:?}", value.kind())),
    }
}

/// A text as a value of a kind, if it is one.
fn read(value: &Value, kind: Kind) -> Option<Value> {
    let Value::Text(text) = value else { return None };
    match kind {
        Kind::Bool => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Some(true.into()),
            "false" | "f" | "no" | "n" | "off" | "0" => Some(false.into()),
            _ => None,
        },
        Kind::Bytes => Some(Value::Bytes(text.as_bytes().into())),
        Kind::Json => serde_json::from_str::<serde_json::Value>(text).ok().map(|_| Value::Json(text.as_str().into())),
        // Without an offset it is one at UTC.
        Kind::Instant => {
            let moment = fit(value, Some(Kind::DateTime), None).ok()?;
            date::cast(&moment, Kind::Instant).ok()
        }
        _ => fit(value, Some(kind), None).ok(),
    }
}
