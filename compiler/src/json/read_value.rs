//! Reads values.

use super::error::{Fault, JsonErrorKind, Result, nearest};
use super::read_logic::Binary;
use super::reader::{Object, Reader, checked_name, keys, unknown_word};
use super::words::{self, Marker, Sort};
use crate::expr::{
    CaseExpr, CastExpr, Child, DbType, DbValueType, Frame, FrameBound, FrameExclude, FrameUnit, FunctionExpr,
    LogicExpr, Name, OrderByItemExpr, PropertyExpr, UnaryExpr, Value, ValueBinaryExpr, ValueExpr, ValueJoinType,
    ValueOperator, ValueSet, ValueTypeExpr, WindowExpr, func,
};
use crate::functions::Func;

const VALUE: &str = "a value";

/// What a message calls a value.
pub(super) fn noun(value: &ValueTypeExpr) -> &'static str {
    match value {
        ValueTypeExpr::Value(_) => "a value",
        ValueTypeExpr::Property(_) => "a property",
        ValueTypeExpr::Unary(_) | ValueTypeExpr::Binary(_) => "a computed value",
        ValueTypeExpr::Function(_) => "a function",
        ValueTypeExpr::Set(_) => "a set of values",
        ValueTypeExpr::Case(_) => "a CASE",
        ValueTypeExpr::Cast(_) => "a CAST",
        ValueTypeExpr::Window(_) => "a window",
        ValueTypeExpr::Query(_) => "a query",
        ValueTypeExpr::Truth(_) => "a predicate as a value",
        ValueTypeExpr::Sql(_) => "a SQL fragment",
    }
}

impl Reader<'_> {
    /// Reads a value. A predicate is one as well: [`ValueTypeExpr::Truth`]; so is a query.
    #[inline]
    pub(super) fn value(&mut self) -> Result<ValueTypeExpr> {
        let mut value = ValueTypeExpr::default();
        self.value_into(&mut value)?;
        Ok(value)
    }

    #[inline(never)]
    pub(super) fn any_value(&mut self) -> Result<ValueTypeExpr> {
        if self.scan.peek()? == b'{' {
            let object = self.node()?;
            return self.value_node(object);
        }
        self.count()?;
        // NULL is the one literal that is a constant, as the factory makes it.
        let value = self.plain()?;
        let is_const = self.own || value.is_null();
        Ok(ValueTypeExpr::Value(ValueExpr { value, is_const }))
    }

    #[inline]
    pub(super) fn value_node(&mut self, object: Object) -> Result<ValueTypeExpr> {
        match object.marker {
            Marker::Property => self.property(object).map(ValueTypeExpr::Property),
            Marker::Param => self.param(object).map(parameter),
            _ => self.rare_value(object),
        }
    }

    #[inline(never)]
    fn rare_value(&mut self, object: Object) -> Result<ValueTypeExpr> {
        match object.marker {
            Marker::Compute(operator) => self.compute(object, operator),
            Marker::Function => self.function_node(object),
            Marker::Value { is_const } => self.long_value(object, is_const),
            Marker::Native(native) => {
                let value = self.native_node(object, native)?;
                Ok(ValueExpr { value, is_const: self.own }.into())
            }
            Marker::Unary => self.unary(object),
            Marker::Set => self.set(object),
            Marker::Over => self.window(object),
            Marker::Truth => self.truth(object),
            Marker::Sql => self.sql(object).map(|node| ValueTypeExpr::Sql(Child::new(node))),
            Marker::Binary => Ok(match self.binary(object)? {
                Binary::Logic(node) => LogicExpr::Binary(node).into(),
                Binary::Value(node) => node.into(),
            }),
            other => match other.sort() {
                Sort::Logic => self.logic_node(object).map(ValueTypeExpr::from),
                Sort::Segment => self.segment_node(object).map(ValueTypeExpr::from),
                Sort::Value | Sort::Other => Err(Fault::wrong(object.at, VALUE, other.noun())),
            },
        }
    }

    #[inline]
    fn property(&mut self, mut object: Object) -> Result<PropertyExpr> {
        if object.long {
            return self.long_property(object);
        }
        let at = self.place()?;
        let text = self.text("the name of a property")?;
        let property = match text.split_once('.') {
            None => PropertyExpr { alias: None, name: checked_name(&text, at)? },
            Some((alias, name)) => {
                PropertyExpr { alias: Some(Box::new(checked_name(alias, at)?)), name: checked_name(name, at)? }
            }
        };
        self.finish(&mut object)?;
        Ok(property)
    }

    #[cold]
    fn long_property(&mut self, mut object: Object) -> Result<PropertyExpr> {
        let (mut name, mut alias) = (None, None);
        keys!(self, object, {
            "PropertyName" => name = Self::name,
            "TableAlias" => alias = |reader| reader.optional(Self::name),
        });
        let name = self.need(name, &object, "PropertyName")?;
        Ok(PropertyExpr { alias: alias.flatten().map(Box::new), name })
    }

    #[inline]
    fn param(&mut self, mut object: Object) -> Result<Value> {
        let value = self.plain()?;
        self.finish(&mut object)?;
        Ok(value)
    }

    /// `{"$":"value","Value":..}` may hold any value, `const` and `"IsConst":true` a plain one only.
    #[inline(never)]
    fn long_value(&mut self, mut object: Object, is_const: bool) -> Result<ValueTypeExpr> {
        let (mut value, mut constant) = (None, None);
        keys!(self, object, {
            "Value" => value = |reader: &mut Self| Ok((reader.place()?, reader.value()?)),
            "IsConst" => constant = Self::boolean,
        });
        let is_const = constant.unwrap_or(is_const);
        match self.need(value, &object, "Value")? {
            (_, ValueTypeExpr::Value(ValueExpr { value, .. })) => {
                let is_const = value.is_null() || self.own && is_const;
                Ok(ValueExpr { value, is_const }.into())
            }
            (at, other) if is_const => Err(Fault::wrong(at, "a plain value", noun(&other))),
            (_, other) => Ok(other),
        }
    }

    #[inline(never)]
    fn compute(&mut self, mut object: Object, operator: ValueOperator) -> Result<ValueTypeExpr> {
        let (mut left, mut right) = (None, None);
        keys!(self, object, { "Left" => left = Self::value, "Right" => right = Self::value, });
        let left = self.need(left, &object, "Left")?;
        Ok(ValueBinaryExpr { left, operator, right: self.need(right, &object, "Right")? }.into())
    }

    #[inline(never)]
    fn unary(&mut self, mut object: Object) -> Result<ValueTypeExpr> {
        let (mut operator, mut operand) = (None, None);
        while let Some(key) = self.key(&mut object)? {
            match &*key.text {
                "Operator" => {
                    self.once(&mut operator, &key, |reader| reader.word("unary operator", words::UNARY_OPERATORS))?;
                }
                "Operand" => self.once(&mut operand, &key, Self::value)?,
                name => {
                    let Some((.., meaning)) = words::UNARY_OPERATORS.iter().find(|(word, ..)| *word == name) else {
                        return Err(self.unknown(&object, &key, &["Nagive", "BitwiseNot", "Distinct"]));
                    };
                    self.once(&mut operator, &key, |_| Ok(*meaning))?;
                    self.once(&mut operand, &key, Self::value)?;
                }
            }
        }
        let operator = self.need(operator, &object, "Operator")?;
        Ok(UnaryExpr { operator, operand: self.need(operand, &object, "Operand")? }.into())
    }

    #[inline(never)]
    fn set(&mut self, mut object: Object) -> Result<ValueTypeExpr> {
        let (mut join, mut items) = (None, None);
        while let Some(key) = self.key(&mut object)? {
            match &*key.text {
                "JoinType" => self.once(&mut join, &key, |reader| reader.word("kind of set", words::VALUE_JOINS))?,
                "Items" => self.once(&mut items, &key, |reader| reader.list(Self::value))?,
                name => {
                    let Some((.., meaning)) = words::VALUE_JOINS.iter().find(|(word, ..)| *word == name) else {
                        return Err(self.unknown(&object, &key, &["List", "Concat", "Blank", "JoinType", "Items"]));
                    };
                    self.once(&mut join, &key, |_| Ok(*meaning))?;
                    self.once(&mut items, &key, |reader| reader.list(Self::value))?;
                }
            }
        }
        let items = self.need(items, &object, "List")?;
        Ok(ValueSet { join: join.unwrap_or(ValueJoinType::List), items }.into())
    }

    #[inline(never)]
    fn truth(&mut self, mut object: Object) -> Result<ValueTypeExpr> {
        let logic = self.logic()?;
        self.finish(&mut object)?;
        Ok(logic.into())
    }

    /// `{"$":"func"}`: a function, a CASE, a CAST, or a window as older clients write it.
    #[inline(never)]
    fn function_node(&mut self, mut object: Object) -> Result<ValueTypeExpr> {
        let (mut name, mut args): (Option<Name>, Option<(usize, Vec<ValueTypeExpr>)>) = (None, None);
        let (mut is_aggregate, mut filter, mut order_by, mut window) = (None, None, None, None);
        while let Some(key) = self.key(&mut object)? {
            match &*key.text {
                "IsAggregate" => self.once(&mut is_aggregate, &key, Self::boolean)?,
                "Filter" => self.once(&mut filter, &key, |reader| reader.optional(Self::logic))?,
                "OrderBy" => self.once(&mut order_by, &key, |reader| reader.list(Self::order_item))?,
                "FunctionName" => self.once(&mut name, &key, Self::name)?,
                "Args" if name.as_ref().is_some_and(is_over) => self.once(&mut window, &key, Self::over)?,
                "Args" => self.once(&mut args, &key, Self::args)?,
                short => {
                    if name.is_some() || args.is_some() || words::is_marker(short) {
                        return Err(self.unknown(&object, &key, words::FUNCTION_KEYS));
                    }
                    let called = name.insert(checked_name(short, key.at)?);
                    if is_over(called) {
                        window = Some(self.over()?);
                    } else {
                        args = Some(self.args()?);
                    }
                }
            }
        }
        let name = self.need(name, &object, "FunctionName")?;
        let filter: Option<LogicExpr> = filter.flatten();
        let form = match (&window, name.as_str()) {
            (Some(_), _) => FunctionLike::Window,
            (_, name) if name.eq_ignore_ascii_case("CASE") || name.eq_ignore_ascii_case("IF") => FunctionLike::Case,
            (_, name) if name.eq_ignore_ascii_case("CAST") => FunctionLike::Cast,
            (_, name) if name.eq_ignore_ascii_case("CHARINDEX") => FunctionLike::CharIndex,
            _ => {
                let (at, args) = self.need(args, &object, "Args")?;
                if is_over(&name) {
                    return Err(Fault::bad_value(at, OVER, "its FunctionName stands before its Args"));
                }
                let (is_aggregate, order_by) = (is_aggregate.unwrap_or_default(), order_by.unwrap_or_default());
                return Ok(FunctionExpr { name: portable(name), args, is_aggregate, filter, order_by }.into());
            }
        };
        let extra = [
            ("IsAggregate", is_aggregate == Some(true)),
            ("Filter", filter.is_some()),
            ("OrderBy", order_by.is_some_and(|items| !items.is_empty())),
        ];
        if let Some((key, _)) = extra.iter().find(|(_, given)| *given) {
            return Err(Fault::new(object.at, JsonErrorKind::UnknownKey { key: (*key).into(), near: None }));
        }
        if let Some(window) = window {
            return Ok(window);
        }
        let (at, args) = self.need(args, &object, "Args")?;
        match form {
            FunctionLike::Cast => self.cast(at, args),
            FunctionLike::CharIndex => self.char_index(at, args),
            _ if args.len() != 3 && name == *"IF" => {
                Err(Fault::bad_value(at, "IF", "it has a condition and two values"))
            }
            _ => self.case(at, args),
        }
    }

    fn args(&mut self) -> Result<(usize, Vec<ValueTypeExpr>)> {
        Ok((self.place()?, self.list(Self::value)?))
    }

    /// `[cond, value, cond, value, .., else]`
    #[inline(never)]
    fn case(&mut self, at: usize, args: Vec<ValueTypeExpr>) -> Result<ValueTypeExpr> {
        let count = args.len();
        if count < 2 {
            return Err(Fault::bad_value(at, "CASE", "it has at least a condition and a value"));
        }
        let mut cases = Vec::with_capacity(count / 2);
        let mut args = args.into_iter();
        let mut otherwise = None;
        while let Some(condition) = args.next() {
            let Some(then) = args.next() else {
                otherwise = Some(condition);
                break;
            };
            let condition = match condition {
                ValueTypeExpr::Truth(logic) => logic.into_inner(),
                ValueTypeExpr::Sql(sql) => LogicExpr::Sql(sql),
                other => {
                    let place = self.item_place(at, 2 * cases.len());
                    return Err(self.not_logic(place, &other));
                }
            };
            cases.push((condition, then));
        }
        Ok(CaseExpr { cases, otherwise }.into())
    }

    /// `[value, type]`
    #[inline(never)]
    fn cast(&mut self, at: usize, args: Vec<ValueTypeExpr>) -> Result<ValueTypeExpr> {
        let Ok([value, ValueTypeExpr::Value(ValueExpr { value: to, .. })]) = <[_; 2]>::try_from(args) else {
            return Err(Fault::bad_value(at, "CAST", "it has a value and the name of a type"));
        };
        let found = match &to {
            Value::Text(name) => db_type(name),
            Value::Int(number) => db_type_of_number(*number),
            _ => return Err(Fault::bad_value(at, "CAST", "it has a value and the name of a type")),
        };
        if let Some(to) = found {
            return Ok(CastExpr { value, to }.into());
        }
        let place = self.item_place(at, 1);
        let word = match &to {
            Value::Text(name) => name.to_string(),
            Value::Int(number) => number.to_string(),
            _ => String::new(),
        };
        let near = nearest(&word, DbValueType::ALL.into_iter().map(DbValueType::name));
        Err(unknown_word(place, "type", &word, near))
    }

    #[inline(never)]
    fn window(&mut self, mut object: Object) -> Result<ValueTypeExpr> {
        let (mut function, mut partition_by, mut order_by, mut frame) = (None, None, None, None);
        keys!(self, object, {
            "Func" => function = Self::function,
            "PartitionBy" => partition_by = |reader| reader.list(Self::value),
            "OrderBy" => order_by = |reader| reader.list(Self::order_item),
            "Frame" => frame = |reader| reader.optional(Self::frame),
        });
        Ok(WindowExpr {
            function: self.need(function, &object, "Func")?,
            partition_by: partition_by.unwrap_or_default(),
            order_by: order_by.unwrap_or_default(),
            frame: frame.flatten(),
        }
        .into())
    }

    /// `CHARINDEX(needle, text[, from])` counts from 1, and is 0 where there is none:
    /// `IndexOf(text, needle[, from - 1]) + 1`.
    #[inline(never)]
    fn char_index(&mut self, at: usize, args: Vec<ValueTypeExpr>) -> Result<ValueTypeExpr> {
        let one = || ValueTypeExpr::from(ValueExpr { value: Value::Int(1), is_const: true });
        let computed = |left, operator| ValueTypeExpr::from(ValueBinaryExpr { left, operator, right: one() });
        let mut args = args.into_iter();
        let (Some(needle), Some(text), from, None) = (args.next(), args.next(), args.next(), args.next()) else {
            return Err(Fault::bad_value(
                at,
                "CHARINDEX",
                "it has what is looked for, a text, and from which place on",
            ));
        };
        let from = match from {
            // A number is moved here.
            Some(ValueTypeExpr::Value(ValueExpr { value: Value::Int(place), is_const })) if place > i64::MIN => {
                Some(ValueExpr { value: Value::Int(place - 1), is_const }.into())
            }
            Some(from) => {
                self.count_many(2)?;
                Some(computed(from, ValueOperator::Subtract))
            }
            None => None,
        };
        self.count_many(2)?;
        let found = func(Func::IndexOf.signature().name, [text, needle].into_iter().chain(from));
        Ok(computed(found.into(), ValueOperator::Add))
    }

    /// `[function, set of values, set of keys, frame]`, as older clients write a window; each but the function may be
    /// left out, or `null`.
    #[inline(never)]
    fn over(&mut self) -> Result<ValueTypeExpr> {
        let at = self.place()?;
        let (mut function, mut partition_by, mut order_by, mut frame) = (None, Vec::new(), Vec::new(), None);
        let mut place = 0;
        self.each(|reader| {
            match place {
                0 => function = Some(reader.function()?),
                1 => partition_by = reader.set_of(Self::value, Self::value_node)?,
                2 => order_by = reader.set_of(Self::order_item, Self::marked_order_item)?,
                3 => frame = reader.optional(Self::frame_call)?,
                _ => {
                    let why = "it has a function, a set of values, a set of keys and a frame";
                    return Err(Fault::bad_value(at, OVER, why));
                }
            }
            place += 1;
            Ok(())
        })?;
        let function = function.ok_or_else(|| Fault::bad_value(at, OVER, "its function is missing"))?;
        Ok(WindowExpr { function, partition_by, order_by, frame }.into())
    }

    /// A list, a set, one item alone, or `null` for none.
    fn set_of<T>(
        &mut self,
        item: fn(&mut Self) -> Result<T>,
        marked: fn(&mut Self, Object) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self.scan.peek()? {
            b'n' => self.optional(item).map(Vec::from_iter),
            b'[' => self.list(item),
            b'{' => {
                let mut object = self.node()?;
                if object.marker != Marker::Set {
                    return Ok(vec![marked(self, object)?]);
                }
                let mut items = None;
                while let Some(key) = self.key(&mut object)? {
                    match &*key.text {
                        "JoinType" => {
                            self.word("kind of set", words::VALUE_JOINS)?;
                        }
                        "Items" | "List" => self.once(&mut items, &key, |reader| reader.list(item))?,
                        _ => return Err(self.unknown(&object, &key, &["List", "Items"])),
                    }
                }
                self.need(items, &object, "List")
            }
            _ => Ok(vec![item(self)?]),
        }
    }

    fn marked_order_item(&mut self, object: Object) -> Result<OrderByItemExpr> {
        if object.marker == Marker::OrderByItem {
            return self.order_item_node(object);
        }
        Ok(self.value_node(object)?.into())
    }

    /// `RowsBetween(start, end)` or `RangeBetween`: `null` is unbounded, a negative number so many before, 0 the current
    /// row. Without an end it is the current row.
    fn frame_call(&mut self) -> Result<Frame> {
        const FRAME: &str = "frame";
        let at = self.place()?;
        let call = self.function()?;
        let unit = match call.name.as_str() {
            name if name.eq_ignore_ascii_case("RowsBetween") => FrameUnit::Rows,
            name if name.eq_ignore_ascii_case("RangeBetween") => FrameUnit::Range,
            _ => return Err(Fault::bad_value(at, FRAME, "it is RowsBetween or RangeBetween")),
        };
        let bound = |value: &ValueTypeExpr, unbounded: FrameBound| {
            let rows = |rows: u64| u32::try_from(rows).ok();
            match value {
                ValueTypeExpr::Value(ValueExpr { value: Value::Null, .. }) => Some(unbounded),
                ValueTypeExpr::Value(ValueExpr { value: Value::Int(0), .. }) => Some(FrameBound::CurrentRow),
                ValueTypeExpr::Value(ValueExpr { value: Value::Int(n), .. }) if *n < 0 => {
                    rows(n.unsigned_abs()).map(FrameBound::Preceding)
                }
                ValueTypeExpr::Value(ValueExpr { value: Value::Int(n), .. }) => {
                    rows(n.unsigned_abs()).map(FrameBound::Following)
                }
                _ => None,
            }
        };
        let bounds = match &*call.args {
            [start] => bound(start, FrameBound::UnboundedPreceding).zip(Some(FrameBound::CurrentRow)),
            [start, end] => {
                bound(start, FrameBound::UnboundedPreceding).zip(bound(end, FrameBound::UnboundedFollowing))
            }
            _ => None,
        };
        let (start, end) = bounds.ok_or_else(|| Fault::bad_value(at, FRAME, "its bounds are whole numbers or null"))?;
        Ok(Frame { unit, start, end, exclude: FrameExclude::NoOthers })
    }

    fn function(&mut self) -> Result<FunctionExpr> {
        let at = self.place()?;
        match self.value()? {
            ValueTypeExpr::Function(function) => Ok(function.into_inner()),
            other => Err(Fault::wrong(at, "a function", noun(&other))),
        }
    }

    #[inline(never)]
    fn frame(&mut self) -> Result<Frame> {
        let mut object = self.object("a frame")?;
        let (mut unit, mut start, mut end, mut exclude) = (None, None, None, None);
        keys!(self, object, {
            "Unit" => unit = |reader| reader.word("unit of a frame", words::FRAME_UNITS),
            "Start" => start = Self::bound,
            "End" => end = Self::bound,
            "Exclude" => exclude = |reader| reader.word("exclusion of a frame", words::FRAME_EXCLUDES),
        });
        Ok(Frame {
            unit: self.need(unit, &object, "Unit")?,
            start: self.need(start, &object, "Start")?,
            end: self.need(end, &object, "End")?,
            exclude: exclude.unwrap_or(FrameExclude::NoOthers),
        })
    }

    fn bound(&mut self) -> Result<FrameBound> {
        if self.scan.peek()? != b'{' {
            return self.word("bound of a frame", words::FRAME_BOUNDS);
        }
        let mut object = self.object("a bound")?;
        let (mut preceding, mut following) = (None, None);
        keys!(self, object, { "Preceding" => preceding = Self::bound_rows, "Following" => following = Self::bound_rows, });
        match (preceding, following) {
            (Some(rows), None) => Ok(FrameBound::Preceding(rows)),
            (None, Some(rows)) => Ok(FrameBound::Following(rows)),
            _ => Err(Fault::bad_value(object.at, "bound", "it is {\"Preceding\":n} or {\"Following\":n}")),
        }
    }

    fn bound_rows(&mut self) -> Result<u32> {
        let at = self.place()?;
        u32::try_from(self.integer()?)
            .map_err(|_| Fault::bad_value(at, "bound", "it is a whole number from 0 to 4294967295"))
    }
}

/// What is spelled as a function and is another node.
enum FunctionLike {
    Case,
    Cast,
    CharIndex,
    Window,
}

/// The name of the function that makes a window of another.
pub(super) const OVER: &str = "Over";

/// The names under which a function is another node, in any case.
#[cfg(any(test, feature = "proptest", feature = "schema"))]
pub(super) const NOT_CALLS: &[&str] = &["CASE", "IF", "CAST", "CHARINDEX", OVER];

fn is_over(name: &Name) -> bool {
    *name == *OVER
}

/// The portable function that SQL calls by this name, with underscores between its words: `ROW_NUMBER`.
fn portable(name: Name) -> Name {
    if !name.as_str().contains('_') || Func::from_name(name.as_str()).is_some() {
        return name;
    }
    let words: String = name.as_str().chars().filter(|c| *c != '_').collect();
    Func::from_name(&words).map_or(name, |func| Name::from_static(func.signature().name))
}

/// Whether a function of that name is read as one of that name.
#[cfg(any(test, feature = "proptest"))]
pub(super) fn is_own_name(name: &Name) -> bool {
    portable(name.clone()) == *name && !NOT_CALLS.iter().any(|node| node.eq_ignore_ascii_case(name.as_str()))
}

#[inline]
fn parameter(value: Value) -> ValueTypeExpr {
    ValueTypeExpr::Value(ValueExpr { value, is_const: false })
}

/// The type of that name; `[]` behind it makes it an array. A number written as text is one, too.
fn db_type(name: &str) -> Option<DbType> {
    if let Some(base) = name.strip_suffix("[]") {
        return DbValueType::from_name(base).map(DbType::array_of);
    }
    DbValueType::from_name(name).map(DbType::from).or_else(|| db_type_of_number(name.parse().ok()?))
}

/// The type of that number; 128 more makes it an array.
fn db_type_of_number(number: i64) -> Option<DbType> {
    let number = u8::try_from(number).ok()?;
    Some(DbType { base: DbValueType::from_number(number & 127)?, array: number & 128 != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_ours_is_read_as_it_stands() {
        let own = |name: &'static str| is_own_name(&Name::from_static(name));
        assert!(own("Length") && own("Mine") && own("Mine_too"));
        assert!(!own("Date_Diff_Days") && !own("CASE") && !own("Cast"));
    }
}
