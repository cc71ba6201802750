//! Calls of functions: their arguments, by what the signature says of them, and the windows over them.

use crate::dialect::{Feature, PathStep};
use crate::error::{At, ErrorKind, Result};
use crate::expr::{DbType, DbValueType, FunctionExpr, UnaryOperator, Value, ValueExpr, ValueTypeExpr, WindowExpr};
use crate::frame::{Arith, Scalar, ScalarKind};
use crate::functions::{ArgKind, Class, Func, ResultType, Signature};
use crate::json::words::FUNCTION_KEYS;
use crate::legalize::{CallParts, arguments, arithmetic, call, cast, format, json, window, write};

use super::notation::{format_tokens, json_steps, no_zero};
use super::scope::NameScope;
use super::{Place, Resolver, types};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    pub(super) fn window(&mut self, scope: &NameScope<'_, 'a>, node: &'e WindowExpr) -> Result<Scalar<'a, 'e>> {
        let value = self.function(scope, &node.function, true).at("Func")?;
        // A window is of rows or groups, not of windows.
        let (partition, order) = self.placed(self.context().place.min(Place::Groups), |r| {
            Ok((r.values(scope, &node.partition_by, "PartitionBy")?, r.inner_order(scope, &node.order_by)?))
        })?;
        let frame = node.frame.map(|f| (f.unit, f.start, f.end, f.exclude));
        window::window(self.cx, value, partition, order, frame)
    }

    pub(super) fn function(
        &mut self,
        scope: &NameScope<'_, 'a>,
        node: &'e FunctionExpr,
        over: bool,
    ) -> Result<Scalar<'a, 'e>> {
        let name = node.name.as_str();
        let target = self.cx.target;
        if let Some(custom) = target.registry().find_function(name) {
            let args = self.values(scope, &node.args, args_key(node))?;
            let of = |name| custom.spellings.iter().find(|spelling| spelling.dialect == name);
            let Some(spelling) = target.dialect().lineage().find_map(|dialect| of(dialect.sheet().name)) else {
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
            return call::custom(self.cx, spelling, args, custom.result);
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
        let place = self.context().place;
        if place == Place::Rows && (aggregate || over) || place == Place::Groups && over {
            let what = format!("{} `{}`", if over { "a window over" } else { "aggregate" }, signature.name);
            let why = "here rows are looked at one by one: filter groups with `having`, or select from a derived table";
            return Err(ErrorKind::Misplaced { what, why }.into());
        }
        // An aggregate is of rows, not of aggregates; a window may be of either, and a function of one row of all.
        let inside = match signature.class {
            Class::Scalar => place,
            _ if aggregate || place == Place::Rows => Place::Rows,
            _ => Place::Groups,
        };
        self.placed(inside, |r| r.call(scope, node, func, over))
    }

    fn call(
        &mut self,
        scope: &NameScope<'_, 'a>,
        node: &'e FunctionExpr,
        func: Func,
        over: bool,
    ) -> Result<Scalar<'a, 'e>> {
        let signature = func.signature();
        if func == Func::Format
            && let [time, ValueTypeExpr::Value(format @ ValueExpr { value: Value::Text(pattern), .. })] = &*node.args
        {
            self.looked_at(format);
            let tokens = format_tokens(pattern).at_index(1).at("Args")?;
            let spelling = |of| self.cx.target.dialect().format_template(&tokens, of);
            if let (Some(of_time), of_date) = (spelling(DbValueType::DateTime), spelling(DbValueType::Date)) {
                let time = self.argument(scope, signature, 0, time).at_index(0).at("Args")?;
                let spelling = match time.ty.map(|ty| ty.base) {
                    Some(DbValueType::DateTime | DbValueType::DateTime2) => Some(of_time),
                    Some(DbValueType::Date) => of_date,
                    _ => None,
                };
                if let Some(spelling) = spelling {
                    return Ok(call::formatted(self.cx, spelling, time));
                }
            }
            if self.cx.target.dialect().format_pattern(&tokens).is_err() {
                let time = self.argument(scope, signature, 0, time).at_index(0).at("Args")?;
                return format::format_parts(self.cx, time, &tokens);
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
        let func = window::row_offset(self.cx, func, &mut args)?;
        cast::text_arguments(self.cx, func, &mut args)?;
        arguments::fit_arguments(self.cx, func, &mut args)?;
        write::log_in_write(self.cx, func, &mut args)?;
        if let Some(filter) = &node.filter {
            parts.filter = Some(self.logic(scope, filter).at("Filter")?);
        }
        parts.order = self.inner_order(scope, &node.order_by)?;
        if let (Func::Mod, [a, b]) = (func, args.as_slice()) {
            return arithmetic::arithmetic(self.cx, Arith::Modulo, *a, *b);
        }
        let ty = result_type(signature, &args);
        let call = call::call_with(self.cx, func, &args, ty, parts)?;
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
        if steps.iter().any(|step| matches!(step, PathStep::Item(_))) {
            self.cx.rule_for(Feature::JsonIndex)?;
        }
        for (at, _) in steps.iter().enumerate().filter(|(_, step)| matches!(step, PathStep::Item(_))) {
            let before = self.cx.target.dialect().json_path(steps.get(..at).unwrap_or_default())?;
            let before = self.made_constant(Value::from(before), Some(DbValueType::String.into()));
            let int = Some(DbValueType::Int32.into());
            lengths.push(call::call(self.cx, JsonLength, &[*json, before], int)?);
        }
        Ok(if lengths.is_empty() { call } else { json::json_guard(self.cx, func, *json, call, &lengths) })
    }

    /// An argument of a function.
    fn argument(
        &mut self,
        scope: &NameScope<'_, 'a>,
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
            let due = types::of_null(signature.arg(index)).filter(|_| value.ty.is_none());
            return Ok(match due {
                Some(ty) if self.cx.is_null(&value) => self.cast_null(value, ty),
                _ => value,
            });
        };
        let as_type = |r: &mut Self, ty: DbValueType| {
            let beside = Scalar { ty: Some(ty.into()), ..r.cx.null(None) };
            r.value_beside(value, &beside).map_err(|error| error.of_argument(signature.name, index))
        };
        if value.value.is_null()
            && let Some(ty) = types::of_null(signature.arg(index))
        {
            let null = as_type(self, ty.base)?;
            // A parameter is told its type by itself.
            return Ok(if matches!(null.kind, ScalarKind::Param(_)) { null } else { self.cast_null(null, ty) });
        }
        match (signature.arg(index), &value.value) {
            // Some engines take the names of a JSON object as literals only, and none gains by a parameter there.
            (_, Value::Text(name)) if signature.name == "JsonObject" && index.is_multiple_of(2) => {
                no_zero(name)?;
                Ok(self.constant(self.looked_at(value), Some(DbValueType::String.into())))
            }
            (ArgKind::Literal, Value::Text(text)) => {
                self.looked_at(value);
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
            (ArgKind::Int, Value::Int(n)) if i32::try_from(*n).is_err() => {
                self.looked_at(value);
                as_type(self, DbValueType::Int64)
            }
            (ArgKind::Int, _) => as_type(self, DbValueType::Int32),
            (ArgKind::Bool, _) => as_type(self, DbValueType::Boolean),
            (ArgKind::Json, Value::Text(_)) => as_type(self, DbValueType::Json),
            (ArgKind::Date | ArgKind::Moment, Value::Text(text)) => {
                self.looked_at(value);
                as_type(
                    self,
                    match signature.arg(index) {
                        ArgKind::Date if text.len() <= 10 => DbValueType::Date,
                        ArgKind::Moment if !text.contains('-') => DbValueType::Time,
                        _ => DbValueType::DateTime2,
                    },
                )
            }
            (ArgKind::Number, Value::Text(_)) => as_type(self, DbValueType::Decimal),
            (ArgKind::Literal, other) => {
                let why = "the compiler reads it: a text that the program or the client gives";
                Err(ErrorKind::Misplaced { what: other.a_kind(), why }.into())
            }
            (kind, _) => {
                let value = self.plain(value)?;
                types::argument(signature, kind, value.ty)?;
                Ok(value)
            }
        }
    }

    fn cast_null(&self, null: Scalar<'a, 'e>, ty: DbType) -> Scalar<'a, 'e> {
        Scalar { kind: ScalarKind::Cast(self.cx.node(null), ty), ty: Some(ty), ..null }
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
}

/// The key of a function's arguments: its name, unless that is a key of its own.
fn args_key(node: &FunctionExpr) -> &str {
    let name = node.name.as_str();
    if FUNCTION_KEYS.contains(&name) { "Args" } else { name }
}

/// The type of a function's result.
fn result_type(signature: &Signature, args: &[Scalar<'_, '_>]) -> Option<DbType> {
    let first = args.first().and_then(|s| s.ty);
    match signature.result {
        ResultType::Is(ty) => Some(ty.into()),
        // In the place of text, it has become one.
        ResultType::First if signature.arg(0) == ArgKind::Text => {
            let kept = |ty: &DbType| ty.base.is_text() || ty.array || ty.base == DbValueType::Binary;
            first.map(|ty| if kept(&ty) { ty } else { DbValueType::String.into() })
        }
        ResultType::First => first,
        ResultType::Widest => call::common_type(args.iter().map(|s| s.ty)),
        ResultType::Sum => first.map(|ty| if ty.base.is_integer() { DbValueType::Int64.into() } else { ty }),
        ResultType::Average => {
            first.map(|ty| if ty.base.is_decimal() { ty } else { DbType::from(DbValueType::Double) })
        }
        ResultType::DateLike => {
            first.map(|ty| if ty.base == DbValueType::Date { DbType::from(DbValueType::DateTime2) } else { ty })
        }
    }
}
