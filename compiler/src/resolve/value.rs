//! Values.

use std::borrow::Cow;

use crate::dialect::{Feature, FormatToken, PathStep};
use crate::error::{At, ErrorKind, Result};
use crate::expr::{
    DbType, DbValueType, FunctionExpr, GenericSqlExpr, UnaryOperator, Value, ValueExpr, ValueJoinType, ValueOperator,
    ValueTypeExpr, WindowExpr,
};
use crate::frame::{Arith, Fragment, Literal, Order, Pred, Scalar, ScalarKind};
use crate::functions::{ArgKind, Class, Func, ResultType, Signature};
use crate::json::words::{FUNCTION_KEYS, UNARY_OPERATORS, spell};
use crate::legalize::{CallParts, Cx};
use crate::registry::{FragmentContext, Named, Sort};

use super::logic::fit;
use super::scope::Scope;
use super::{Place, Resolver, chain, types};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A value.
    pub(crate) fn value(&mut self, scope: &Scope<'_, 'a>, expr: &'e ValueTypeExpr) -> Result<Scalar<'a, 'e>> {
        match expr {
            ValueTypeExpr::Property(property) => self.property(scope, property),
            ValueTypeExpr::Value(value) => self.plain(value),
            ValueTypeExpr::Unary(node) => {
                let value = self.deeper(spell(UNARY_OPERATORS, node.operator), |r| r.value(scope, &node.operand))?;
                match node.operator {
                    UnaryOperator::Negative => Ok(self.cx.negative(value)),
                    UnaryOperator::BitwiseNot if value.ty.is_some_and(|ty| !ty.base.is_number()) => {
                        let why =
                            "it takes a number; a truth value is negated as a predicate: `!prop(\"Paid\").is_true()`";
                        Err(ErrorKind::Misplaced { what: "a bitwise NOT".into(), why }.into())
                    }
                    UnaryOperator::BitwiseNot => self.cx.bit_not(value),
                    UnaryOperator::Distinct => {
                        let why = "it stands before the argument of an aggregate, or first in a select list";
                        Err(ErrorKind::Misplaced { what: "DISTINCT".into(), why }.into())
                    }
                }
            }
            ValueTypeExpr::Binary(node) if node.operator == ValueOperator::Concat => {
                let items = self.parts(scope, expr)?;
                self.cx.concat(&items)
            }
            ValueTypeExpr::Binary(node) => {
                let (left, right) = self.level(|r| r.sides_unnamed(scope, &node.left, &node.right))?;
                let op = match node.operator {
                    ValueOperator::Add => Arith::Add,
                    ValueOperator::Subtract => Arith::Subtract,
                    ValueOperator::Multiply => Arith::Multiply,
                    ValueOperator::Divide => Arith::Divide,
                    ValueOperator::Modulo => Arith::Modulo,
                    ValueOperator::Concat => return self.cx.concat(&[left, right]),
                };
                self.cx.arithmetic(op, left, right)
            }
            ValueTypeExpr::Function(node) => self.level(|r| r.function(scope, node, false)),
            ValueTypeExpr::Set(set) => match set.join {
                ValueJoinType::Concat => {
                    let items = self.parts(scope, expr)?;
                    self.cx.concat(&items)
                }
                ValueJoinType::List => {
                    let why = "it stands in a comparison with another row, or beside IN";
                    Err(ErrorKind::Misplaced { what: "a row of values".into(), why }.into())
                }
                ValueJoinType::Blank => {
                    let why = "it has no portable meaning; use a function, a window or a CASE";
                    Err(ErrorKind::Misplaced { what: "a set joined by blanks".into(), why }.into())
                }
            },
            ValueTypeExpr::Case(node) => self.deeper("CASE", |r| r.case(scope, &node.cases, node.otherwise.as_ref())),
            ValueTypeExpr::Cast(node) => {
                let value = self.deeper("CAST", |r| r.value(scope, &node.value).at_index(0))?;
                self.cx.cast(value, node.to)
            }
            ValueTypeExpr::Window(node) => self.level(|r| r.window(scope, node)),
            ValueTypeExpr::Query(query) => self.level(|r| {
                let read = r.watch_written();
                let mut found = (None, None);
                let query = r.subquery(|r| {
                    let building = r.fold(query, Some(scope))?;
                    let [column] = r.columns(building)? else {
                        let why = "used as a value it needs exactly one item";
                        return Err(ErrorKind::Misplaced { what: "a subquery".into(), why }.into());
                    };
                    found = (column.ty, column.column);
                    r.finish(building, chain::Use::Rows)
                })?;
                let query = r.self_read(read, query)?;
                let (ty, column) = found;
                Ok(Scalar { kind: ScalarKind::Query(query), ty, nullable: true, column })
            }),
            ValueTypeExpr::Truth(logic) => {
                let pred = self.deeper("$truth", |r| r.logic(scope, logic))?;
                self.cx.truth(pred)
            }
            ValueTypeExpr::Sql(node) => {
                let (fragment, sort) = self.fragment(scope, node)?;
                match sort {
                    Sort::Predicate => self.cx.truth(Pred::Fragment(fragment)),
                    Sort::Value(ty) => {
                        Ok(Scalar { kind: ScalarKind::Fragment(fragment), ty, nullable: true, column: None })
                    }
                }
            }
        }
    }

    /// A value, or a row of values where one may stand.
    pub(crate) fn row_or_value(&mut self, scope: &Scope<'_, 'a>, expr: &'e ValueTypeExpr) -> Result<Scalar<'a, 'e>> {
        match expr {
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::List => {
                if set.items.len() > chain::ROW_WIDTH {
                    let why = "it has more than 64 values: compare fewer columns";
                    return Err(ErrorKind::Misplaced { what: "a row of values".into(), why }.into());
                }
                let items = self.values(scope, &set.items, "List")?;
                let nullable = items.iter().any(|s| s.nullable);
                Ok(Scalar { kind: ScalarKind::Row(items), ty: None, nullable, column: None })
            }
            other => self.value(scope, other),
        }
    }

    /// The parts of a concatenation; one inside of another is a part of it.
    fn parts(
        &mut self,
        scope: &Scope<'_, 'a>,
        expr: &'e ValueTypeExpr,
    ) -> Result<bumpalo::collections::Vec<'a, Scalar<'a, 'e>>> {
        let mut list = self.cx.vec(2);
        match expr {
            ValueTypeExpr::Binary(node) if node.operator == ValueOperator::Concat => {
                for (step, side) in [("Left", &node.left), ("Right", &node.right)] {
                    list.extend(self.deeper(step, |r| r.parts(scope, side))?);
                }
            }
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::Concat => {
                for (index, item) in set.items.iter().enumerate() {
                    list.extend(self.deeper("Concat", |r| r.parts(scope, item).at_index(index))?);
                }
            }
            other => list.push(self.value(scope, other)?),
        }
        Ok(list)
    }

    fn sides_unnamed(
        &mut self,
        scope: &Scope<'_, 'a>,
        left: &'e ValueTypeExpr,
        right: &'e ValueTypeExpr,
    ) -> Result<(Scalar<'a, 'e>, Scalar<'a, 'e>)> {
        let number = |s: &Scalar<'a, 'e>, v: &ValueExpr| {
            // A number beside a number keeps its own kind: `price * 1.5` over a whole price is not cut.
            s.ty.is_some_and(|ty| ty.base.is_number()) && v.value.natural_type().is_some_and(DbValueType::is_number)
        };
        match (left, right) {
            (other, ValueTypeExpr::Value(value)) if !matches!(other, ValueTypeExpr::Value(_)) => {
                let left = self.value(scope, other).at("Left")?;
                let right = if number(&left, value) {
                    self.number_beside(value, &left)
                } else if is_temporal(&left) {
                    self.plain(value)
                } else {
                    self.value_beside(value, &left)
                }
                .at("Right")?;
                Ok((left, right))
            }
            (ValueTypeExpr::Value(value), other) if !matches!(other, ValueTypeExpr::Value(_)) => {
                let right = self.value(scope, other).at("Right")?;
                let left = if number(&right, value) {
                    self.number_beside(value, &right)
                } else {
                    self.value_beside(value, &right)
                }
                .at("Left")?;
                Ok((left, right))
            }
            _ => Ok((self.value(scope, left).at("Left")?, self.value(scope, right).at("Right")?)),
        }
    }

    /// A number beside a number: a whole one takes the other's type, one with digits after the point keeps its own.
    fn number_beside(&mut self, value: &'e ValueExpr, beside: &Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        if matches!(value.value, Value::Int(_))
            && let Ok(scalar) = self.value_beside(value, &Scalar { column: None, ..*beside })
        {
            return Ok(scalar);
        }
        self.plain(value)
    }

    /// A plain value by itself.
    pub(crate) fn plain(&mut self, value: &'e ValueExpr) -> Result<Scalar<'a, 'e>> {
        match &value.value {
            Value::List(_) => Err(Cx::no_list()),
            Value::Map(_) => Err(ErrorKind::Unbindable { kind: "map", hint: "" }.into()),
            plain => {
                let ty = plain.natural_type().map(DbType::from);
                self.finite(plain)?;
                if plain.is_null() && !self.cx.target.has(Feature::UntypedParameter) {
                    // No CAST can tell its type, and nothing else does.
                    return Ok(self.cx.null(None));
                }
                if value.is_const || self.constants_only {
                    writable(plain)?;
                    let small = matches!(plain, Value::Int(n) if i32::try_from(*n).is_ok());
                    // What engines take a small number in the text for: a parameter beside it is bound as that.
                    let ty = if small { Some(DbValueType::Int32.into()) } else { ty };
                    return Ok(self.constant(plain, ty));
                }
                Ok(self.cx.param(plain, ty))
            }
        }
    }

    /// A plain value in the type of what it stands beside.
    pub(crate) fn value_beside(&mut self, value: &'e ValueExpr, beside: &Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        if value.is_const || self.constants_only {
            let fitted = fit(&value.value, beside.column, beside.ty)?;
            self.finite(&fitted)?;
            writable(&fitted)?;
            return match fitted {
                Cow::Borrowed(plain) => Ok(self.constant(plain, beside.ty)),
                Cow::Owned(plain) => Ok(self.made_constant(plain, beside.ty)),
            };
        }
        self.bind_beside(&value.value, beside)
    }

    /// A value bound in the type of what it stands beside.
    pub(crate) fn bind_beside(&mut self, value: &'e Value, beside: &Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        if matches!(value, Value::Map(_)) || matches!(value, Value::List(_)) && !beside.ty.is_some_and(|t| t.array) {
            return Err(if matches!(value, Value::List(_)) {
                Cx::no_list()
            } else {
                ErrorKind::Unbindable { kind: "map", hint: "" }.into()
            });
        }
        if matches!(value, Value::List(_)) {
            self.cx.need(Feature::Array)?;
        }
        let ty = beside.ty.or_else(|| value.natural_type().map(DbType::from));
        match fit(value, beside.column, beside.ty)? {
            Cow::Borrowed(value) => {
                self.finite(value)?;
                Ok(self.cx.param(value, ty))
            }
            Cow::Owned(value) => {
                self.finite(&value)?;
                Ok(self.cx.made(value, ty))
            }
        }
    }

    /// NaN, infinities and whole numbers of 64 bits without a sign are refused by engines that lack them.
    pub(crate) fn finite(&self, value: &Value) -> Result<()> {
        match value {
            Value::Float(n) if !n.is_finite() => self.cx.need(Feature::NotFinite),
            Value::UInt(n) if i64::try_from(*n).is_err() => self.cx.need(Feature::UnsignedBig),
            _ => Ok(()),
        }
    }

    /// A constant in the text.
    pub(crate) fn constant(&self, value: &'e Value, ty: Option<DbType>) -> Scalar<'a, 'e> {
        if value.is_null() {
            return self.cx.null(ty);
        }
        Scalar { kind: ScalarKind::Literal(Literal::Tree(value)), ty, nullable: false, column: None }
    }

    /// A constant in the text that was made while compiling.
    pub(crate) fn made_constant(&mut self, value: Value, ty: Option<DbType>) -> Scalar<'a, 'e> {
        if value.is_null() {
            return self.cx.null(ty);
        }
        let index = u32::try_from(self.cx.made.len()).unwrap_or(u32::MAX);
        self.cx.made.push(value);
        Scalar { kind: ScalarKind::Literal(Literal::Made(index)), ty, nullable: false, column: None }
    }

    /// A plain value where text is due.
    pub(crate) fn text_value(&mut self, value: &'e Value) -> Result<Scalar<'a, 'e>> {
        let text = DbType::from(DbValueType::String);
        let beside = Scalar { ty: Some(text), ..self.cx.null(None) };
        self.bind_beside(value, &beside)
    }

    /// Values side by side.
    pub(crate) fn values(
        &mut self,
        scope: &Scope<'_, 'a>,
        items: &'e [ValueTypeExpr],
        step: &str,
    ) -> Result<&'a [Scalar<'a, 'e>]> {
        let mut list = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            list.push(self.level(|r| r.value(scope, item)).at_index(index).at(step)?);
        }
        Ok(list.into_bump_slice())
    }

    fn case(
        &mut self,
        scope: &Scope<'_, 'a>,
        cases: &'e [(crate::expr::LogicExpr, ValueTypeExpr)],
        otherwise: Option<&'e ValueTypeExpr>,
    ) -> Result<Scalar<'a, 'e>> {
        if cases.is_empty() {
            return Err(ErrorKind::Misplaced { what: "a CASE".into(), why: "it needs a condition" }.into());
        }
        let mut list = self.cx.vec(cases.len());
        for (index, (condition, value)) in cases.iter().enumerate() {
            let condition = self.logic(scope, condition).at_index(index * 2)?;
            let value = self.value(scope, value).at_index(index * 2 + 1)?;
            list.push((condition, value));
        }
        let otherwise = match otherwise {
            Some(value) => Some(self.value(scope, value).at_index(cases.len() * 2)?),
            None => None,
        };
        types::alike(list.iter().map(|(_, v)| v.ty).chain(otherwise.iter().map(|v| v.ty)), "a CASE")?;
        let mut otherwise = otherwise;
        let mut values = self.cx.vec(list.len() + 1);
        values.extend(list.iter().map(|(_, value)| *value).chain(otherwise));
        self.cx.same_dates(&mut values)?;
        if otherwise.is_some() {
            otherwise = values.pop();
        }
        for ((_, slot), value) in list.iter_mut().zip(values) {
            *slot = value;
        }
        let ty = Cx::common_type(list.iter().map(|(_, v)| v.ty).chain(otherwise.iter().map(|v| v.ty)));
        Ok(self.cx.case_when(&list, otherwise, ty))
    }

    fn window(&mut self, scope: &Scope<'_, 'a>, node: &'e WindowExpr) -> Result<Scalar<'a, 'e>> {
        let value = self.function(scope, &node.function, true).at("Func")?;
        let partition = self.values(scope, &node.partition_by, "PartitionBy")?;
        let order = self.inner_order(scope, &node.order_by)?;
        let frame = node.frame.map(|f| (f.unit, f.start, f.end, f.exclude));
        self.cx.window(value, partition, order, frame)
    }

    pub(crate) fn inner_order(
        &mut self,
        scope: &Scope<'_, 'a>,
        items: &'e [crate::expr::OrderByItemExpr],
    ) -> Result<&'a [Order<'a, 'e>]> {
        let mut keys = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let value = self.value(scope, &item.field).at("Field").at_index(index).at("OrderBy")?;
            self.cx.order(&mut keys, value, !item.ascending, item.nulls)?;
        }
        Ok(keys.into_bump_slice())
    }

    fn function(&mut self, scope: &Scope<'_, 'a>, node: &'e FunctionExpr, over: bool) -> Result<Scalar<'a, 'e>> {
        let name = node.name.as_str();
        let target = self.cx.target;
        if let Some(custom) = target.registry().find_function(name) {
            let args = self.values(scope, &node.args, args_key(node))?;
            let dialect = target.dialect().sheet().name;
            let Some(spelling) = custom.spellings.iter().find(|s| s.dialect == dialect) else {
                let known: Vec<&str> = custom.spellings.iter().map(|s| s.dialect.as_str()).collect();
                let why = format!("the program registered it for {} only", known.join(", "));
                return Err(target.refused(name, why));
            };
            if args.len() < spelling.args || args.len() > spelling.args && !spelling.more {
                let (name, expected) = (name.to_owned(), spelling.arity());
                return Err(ErrorKind::Arity { name, expected, found: args.len() }.into());
            }
            if node.filter.is_some() || !node.order_by.is_empty() {
                let what = format!("FILTER or ORDER BY in function `{name}`");
                return Err(ErrorKind::Misplaced { what, why: "a function of the program takes neither" }.into());
            }
            return Ok(self.cx.custom(spelling, args, custom.result));
        }
        let Some(mut func) = Func::from_name(name) else {
            let near = Func::near_match(name);
            return Err(ErrorKind::UnknownFunction { name: name.chars().take(40).collect(), near }.into());
        };
        // `Max(a, b)` is the greatest of its arguments, `Max(a)` of a column's values.
        if !node.is_aggregate && node.args.len() > 1 {
            func = match func {
                Func::Max => Func::Greatest,
                Func::Min => Func::Least,
                other => other,
            };
        }
        let signature = func.signature();
        let (least, most) = signature.arity();
        if node.args.len() < least || node.args.len() > most {
            let (name, expected) = (signature.name.to_owned(), signature.arity_text());
            return Err(ErrorKind::Arity { name, expected, found: node.args.len() }.into());
        }
        if func == Func::JsonObject && !node.args.len().is_multiple_of(2) {
            let (name, expected) = (signature.name.to_owned(), "a value for every name".to_owned());
            return Err(ErrorKind::Arity { name, expected, found: node.args.len() }.into());
        }
        if signature.class == Class::Scalar && over {
            let what = format!("a window over function `{}`", signature.name);
            return Err(ErrorKind::Misplaced { what, why: "only an aggregate or a ranking stands over one" }.into());
        }
        if signature.class == Class::Window && !over {
            let what = format!("function `{}`", signature.name);
            return Err(ErrorKind::Misplaced { what, why: "it needs a window: `over()`" }.into());
        }
        if node.is_aggregate && signature.class != Class::Aggregate {
            let what = format!("function `{}` as an aggregate", signature.name);
            return Err(ErrorKind::Misplaced { what, why: "it is of one row: leave out `IsAggregate`" }.into());
        }
        if signature.class != Class::Aggregate && (node.filter.is_some() || !node.order_by.is_empty()) {
            let what = format!("FILTER or ORDER BY in function `{}`", signature.name);
            return Err(ErrorKind::Misplaced { what, why: "only an aggregate takes it" }.into());
        }
        let aggregate = signature.class == Class::Aggregate && !over;
        if self.place == Place::Rows && (aggregate || over) || self.place == Place::Groups && over {
            let what = format!("{} `{}`", if over { "a window over" } else { "aggregate" }, signature.name);
            let why = "here rows are looked at one by one: filter groups with `having`, or select from a derived table";
            return Err(ErrorKind::Misplaced { what, why }.into());
        }
        // An aggregate is of rows, not of aggregates; a window may be of either.
        let inside = if aggregate || self.place == Place::Rows { Place::Rows } else { Place::Groups };
        let outside = std::mem::replace(&mut self.place, inside);
        let call = self.call(scope, node, func, over);
        self.place = outside;
        call
    }

    fn call(
        &mut self,
        scope: &Scope<'_, 'a>,
        node: &'e FunctionExpr,
        func: Func,
        over: bool,
    ) -> Result<Scalar<'a, 'e>> {
        let signature = func.signature();
        if func == Func::Format
            && let [time, ValueTypeExpr::Value(ValueExpr { value: Value::Text(pattern), .. })] = &*node.args
        {
            let tokens = format_tokens(pattern).at_index(1).at("Args")?;
            if self.cx.target.dialect().format_pattern(&tokens).is_err() {
                let time = self.argument(scope, signature, 0, time).at_index(0).at("Args")?;
                return self.cx.format_parts(time, &tokens);
            }
        }
        let mut parts = CallParts { over, ..CallParts::default() };
        let mut args = self.cx.vec(node.args.len());
        for (index, arg) in node.args.iter().enumerate() {
            let arg = match arg {
                ValueTypeExpr::Unary(unary) if index == 0 && unary.operator == UnaryOperator::Distinct => {
                    if signature.class != Class::Aggregate {
                        let why = "only an aggregate takes it";
                        return Err(ErrorKind::Misplaced { what: "DISTINCT".into(), why }.into()).at_index(index);
                    }
                    parts.distinct = true;
                    &unary.operand
                }
                other => other,
            };
            args.push(self.argument(scope, signature, index, arg).at_index(index).at(args_key(node))?);
        }
        self.align(func, &node.args, &mut args)?;
        types::arguments(func, &args)?;
        self.cx.fit_arguments(func, &mut args)?;
        self.cx.text_arguments(func, &mut args)?;
        self.cx.log_in_write(func, &mut args)?;
        if let Some(filter) = &node.filter {
            parts.filter = Some(self.logic(scope, filter).at("Filter")?);
        }
        parts.order = self.inner_order(scope, &node.order_by)?;
        if let (Func::Mod, [a, b]) = (func, args.as_slice()) {
            return self.cx.arithmetic(Arith::Modulo, *a, *b);
        }
        let ty = result_type(signature, &args);
        let call = self.cx.call_with(func, &args, ty, parts)?;
        self.json_index(func, &node.args, &args, call)
    }

    /// Sees to it that an index in a JSON path finds items of arrays only.
    fn json_index(
        &mut self,
        func: Func,
        nodes: &'e [ValueTypeExpr],
        args: &[Scalar<'a, 'e>],
        call: Scalar<'a, 'e>,
    ) -> Result<Scalar<'a, 'e>> {
        use Func::{JsonExists, JsonLength, JsonQuery, JsonSet, JsonValue};
        if !matches!(func, JsonValue | JsonQuery | JsonExists | JsonLength | JsonSet)
            || self.cx.target.has(Feature::JsonIndex)
        {
            return Ok(call);
        }
        let (Some(json), Some(ValueTypeExpr::Value(path))) = (args.first(), nodes.get(1)) else { return Ok(call) };
        let Value::Text(path) = &path.value else { return Ok(call) };
        let steps = json_steps(path)?;
        let mut lengths = self.cx.vec(1);
        for (at, _) in steps.iter().enumerate().filter(|(_, step)| matches!(step, PathStep::Item(_))) {
            let before = self.cx.target.dialect().json_path(steps.get(..at).unwrap_or_default())?;
            let before = self.made_constant(Value::from(before), Some(DbValueType::String.into()));
            let int = Some(DbValueType::Int32.into());
            lengths.push(self.cx.call(JsonLength, &[*json, before], int)?);
        }
        Ok(if lengths.is_empty() { call } else { self.cx.json_guard(func, *json, call, &lengths) })
    }

    /// An argument of a function.
    fn argument(
        &mut self,
        scope: &Scope<'_, 'a>,
        signature: &Signature,
        index: usize,
        arg: &'e ValueTypeExpr,
    ) -> Result<Scalar<'a, 'e>> {
        let ValueTypeExpr::Value(value) = arg else {
            if signature.arg(index) == ArgKind::Literal {
                let why = "the compiler reads it, for every engine writes it in its own way: give a text";
                return Err(ErrorKind::Misplaced { what: "a computed path or pattern".into(), why }.into());
            }
            let value = self.value(scope, arg)?;
            types::argument(signature, signature.arg(index), value.ty)?;
            return Ok(value);
        };
        let as_type = |r: &mut Self, ty: DbValueType| {
            let beside = Scalar { ty: Some(ty.into()), ..r.cx.null(None) };
            r.value_beside(value, &beside).map_err(|error| error.of_argument(signature.name, index))
        };
        match (signature.arg(index), &value.value) {
            // Some engines take the names of a JSON object as literals only, and none gains by a parameter there.
            (_, Value::Text(_)) if signature.name == "JsonObject" && index.is_multiple_of(2) => {
                Ok(self.constant(&value.value, Some(DbValueType::String.into())))
            }
            (ArgKind::Literal, Value::Text(text)) => {
                let text = if signature.name == "Format" {
                    self.cx.target.dialect().format_pattern(&format_tokens(text)?)?
                } else {
                    let steps = json_steps(text)?;
                    if steps.is_empty() && signature.name == "JsonSet" {
                        let why = "it has no step: there is no place to set".to_owned();
                        return Err(ErrorKind::BadName { name: text.to_string(), why }.into());
                    }
                    self.cx.target.dialect().json_path(&steps)?
                };
                Ok(self.made_constant(Value::from(text), Some(DbValueType::String.into())))
            }
            (ArgKind::Text, _) => as_type(self, DbValueType::String),
            (ArgKind::Int, Value::Int(n)) if i32::try_from(*n).is_err() => as_type(self, DbValueType::Int64),
            (ArgKind::Int, _) => as_type(self, DbValueType::Int32),
            (ArgKind::Bool, _) => as_type(self, DbValueType::Boolean),
            (ArgKind::Json, Value::Text(_)) => as_type(self, DbValueType::Json),
            (ArgKind::Date, Value::Text(text)) if text.len() <= 10 => as_type(self, DbValueType::Date),
            (ArgKind::Date, Value::Text(_)) => as_type(self, DbValueType::DateTime2),
            (ArgKind::Number, Value::Text(_)) => as_type(self, DbValueType::Decimal),
            (ArgKind::Literal, other) => {
                let why = "the compiler reads it: a text that the program or the client gives";
                Err(ErrorKind::Misplaced { what: format!("a {}", other.kind()), why }.into())
            }
            _ => self.plain(value),
        }
    }

    /// Plain values among the arguments of Coalesce, NullIf, Greatest, Least and Lag take the type of the others.
    fn align(
        &mut self,
        func: Func,
        nodes: &'e [ValueTypeExpr],
        args: &mut bumpalo::collections::Vec<'a, Scalar<'a, 'e>>,
    ) -> Result<()> {
        if !matches!(func, Func::Coalesce | Func::NullIf | Func::Greatest | Func::Least | Func::Lag | Func::Lead) {
            return Ok(());
        }
        let Some(beside) = nodes.iter().zip(args.iter()).find_map(|(node, arg)| match node {
            ValueTypeExpr::Value(_) => None,
            _ => arg.ty.map(|_| *arg),
        }) else {
            return Ok(());
        };
        for (index, node) in nodes.iter().enumerate() {
            let offset = matches!(func, Func::Lag | Func::Lead) && index == 1;
            if let ValueTypeExpr::Value(value) = node
                && !offset
                && let Some(slot) = args.get_mut(index)
                && let Ok(aligned) = self.value_beside(value, &beside)
            {
                *slot = aligned;
            }
        }
        Ok(())
    }

    /// A registered fragment.
    pub(crate) fn fragment(
        &mut self,
        scope: &Scope<'_, 'a>,
        node: &'e GenericSqlExpr,
    ) -> Result<(&'a Fragment<'e>, Sort)> {
        let target = self.cx.target;
        let Some(Named { callback, sort }) = target.registry().find_fragment(&node.key) else {
            return Err(ErrorKind::UnknownFragment { key: node.key.to_string() }.into());
        };
        let cx = &*self.cx;
        let mut lookup = |name: &str| match cx.property(scope, &crate::expr::prop(name)) {
            Ok(Scalar { kind: ScalarKind::Column(text), .. }) => Ok(text.to_owned()),
            Ok(_) => Err(format!("property `{name}` is no column").into()),
            Err(error) => Err(error.message().into()),
        };
        let mut context = FragmentContext {
            text: crate::render::FragmentText::default(),
            dialect: target.dialect(),
            quotes: target.quotes(),
            entity: scope.main().map(|(_, entity, _)| entity),
            lookup: &mut lookup,
        };
        callback(&mut context, &node.arg)
            .map_err(|error| ErrorKind::Fragment { key: node.key.to_string(), message: error.to_string() })?;
        let text = context.text;
        let index = self.cx.fragments.len();
        self.cx.fragments.push(text);
        Ok((self.cx.node(Fragment { index, tree: std::marker::PhantomData }), *sort))
    }
}

fn is_temporal(scalar: &Scalar<'_, '_>) -> bool {
    scalar.ty.is_some_and(|ty| ty.base.is_date() || ty.base == DbValueType::Time)
}

/// The key of a function's arguments: its name, unless that is a key of its own.
fn args_key(node: &FunctionExpr) -> &str {
    let name = node.name.as_str();
    if FUNCTION_KEYS.contains(&name) { "Args" } else { name }
}

/// No engine reads a zero byte in the text of a statement.
fn writable(value: &Value) -> Result<()> {
    match value {
        Value::Text(text) if text.contains('\0') => {
            let why = "a zero byte ends the text of a statement: bind the value as a parameter";
            Err(ErrorKind::Misplaced { what: "a constant".into(), why }.into())
        }
        _ => Ok(()),
    }
}

/// The type of a function's result.
fn result_type(signature: &Signature, args: &[Scalar<'_, '_>]) -> Option<DbType> {
    let first = args.first().and_then(|s| s.ty);
    match signature.result {
        ResultType::Is(ty) => Some(ty.into()),
        ResultType::First => first,
        ResultType::Widest => Cx::common_type(args.iter().map(|s| s.ty)),
        ResultType::Sum => first.map(|ty| if ty.base.is_integer() { DbValueType::Int64.into() } else { ty }),
        ResultType::Average => {
            first.map(|ty| if ty.base.is_decimal() { ty } else { DbType::from(DbValueType::Double) })
        }
        ResultType::DateLike => {
            first.map(|ty| if ty.base == DbValueType::Date { DbType::from(DbValueType::DateTime2) } else { ty })
        }
    }
}

/// Reads a JSON path: `$`, then `.name`, `."any name"` or `[0]`. `$` may be left out before a name.
pub(crate) fn json_steps(path: &str) -> Result<Vec<PathStep<'_>>> {
    let bad = |why: &str| {
        let name = path.chars().take(40).collect();
        crate::Error::from(ErrorKind::BadName { name, why: format!("{why}; a JSON path is `$.name.\"any name\"[0]`") })
    };
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    let bare = rest.len() == path.len() && !rest.is_empty();
    let mut first = bare;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']').ok_or_else(|| bad("a bracket is left open"))?;
            steps.push(PathStep::Item(index.parse().map_err(|_| bad("an index is a whole number"))?));
            rest = after;
        } else {
            let after = match rest.strip_prefix('.') {
                Some(after) => after,
                None if first => rest,
                None => return Err(bad("a step begins with `.` or `[`")),
            };
            if let Some(quoted) = after.strip_prefix('"') {
                let (name, after) = quoted.split_once('"').ok_or_else(|| bad("a quote is left open"))?;
                if name.contains('\\') || name.chars().any(char::is_control) {
                    return Err(bad("a quoted name takes no backslash and no control character"));
                }
                steps.push(PathStep::Member(name));
                rest = after;
            } else {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, after) = after.split_at(end);
                let plain = |c: char| c.is_alphanumeric() || c == '_';
                if name.is_empty() || !name.chars().all(plain) {
                    return Err(bad("a bare name has letters, digits and `_`"));
                }
                steps.push(PathStep::Member(name));
                rest = after;
            }
        }
        first = false;
    }
    Ok(steps)
}

/// Reads a pattern of `Format`.
pub(crate) fn format_tokens(pattern: &str) -> Result<Vec<FormatToken<'_>>> {
    use FormatToken as T;
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        if c == '\'' {
            let (text, after) = rest.get(1..).and_then(|r| r.split_once('\'')).ok_or_else(|| ErrorKind::BadName {
                name: pattern.chars().take(40).collect(),
                why: "a quote is left open".into(),
            })?;
            tokens.push(T::Text(text));
            rest = after;
            continue;
        }
        let run = rest.find(|other| other != c).unwrap_or(rest.len());
        let (word, after) = rest.split_at(run);
        let token = match word {
            "yyyy" => T::Year4,
            "yy" => T::Year2,
            "MMMM" => T::MonthName,
            "MMM" => T::MonthShort,
            "MM" => T::Month2,
            "M" => T::Month,
            "dddd" => T::DayName,
            "ddd" => T::DayShort,
            "dd" => T::Day2,
            "d" => T::Day,
            "HH" => T::Hour24,
            "H" => T::Hour24Plain,
            "hh" => T::Hour12,
            "h" => T::Hour12Plain,
            "mm" => T::Minute,
            "ss" => T::Second,
            "fff" => T::Millisecond,
            "tt" => T::AmPm,
            other if !other.starts_with(|c: char| c.is_ascii_alphabetic()) => T::Text(word),
            other => {
                let why = format!("`{other}` is no token; text stands between single quotes");
                return Err(ErrorKind::BadName { name: pattern.chars().take(40).collect(), why }.into());
            }
        };
        tokens.push(token);
        rest = after;
    }
    Ok(tokens)
}
