//! Writes the templates of the function table.

use crate::dialect::{Feature, JsonHolder, PathStep, Support};
use crate::error::Result;
use crate::expr::{DbType, DbValueType as T, Family, Value};
use crate::frame::{Call, Literal, Scalar, ScalarKind, Window};

use super::{Prec, Writer};

/// The numbers of the placeholders that the first arguments of a call have; 0 before they are written.
type Bindings = [usize; 4];

impl<'e> Writer<'_, 'e> {
    /// Writes a call by its template; see [`Form::Text`](crate::dialect::Form::Text). `{o}` is the order inside of an
    /// aggregate as `ORDER BY ...`, `{w}` the same as `WITHIN GROUP (ORDER BY ...)`, each with the blank before it,
    /// and nothing where there is none; `{W}` is `WITHIN GROUP (ORDER BY NULL)` then. `{:}` and `{* VALUE }` are all arguments two
    /// by two, with a colon or that text inside of a pair and a comma between two pairs.
    pub(crate) fn call(&mut self, call: &Call<'_, 'e>) -> Result<()> {
        self.call_over(call, None)
    }

    /// Writes a call by its template, perhaps over a window.
    pub(crate) fn call_over(&mut self, call: &Call<'_, 'e>, mut window: Option<&Window<'_, 'e>>) -> Result<()> {
        let mut rest = call.spelling.text();
        let mut behind = false;
        let mut bound = Bindings::default();
        while let Some(at) = rest.bytes().position(|b| matches!(b, b'{' | b'}')) {
            let (text, hole) = rest.split_at(at);
            self.text(text);
            // By far the most common hole.
            if let Some(after) = hole.strip_prefix("{0}").filter(|_| !call.distinct) {
                if let Some(arg) = call.args.first() {
                    self.argument(arg, Prec::Lowest, &mut bound, 0)?;
                }
                rest = after;
                continue;
            }
            if let Some(after) = hole.strip_prefix("{{") {
                self.text("{");
                rest = after;
            } else if let Some(after) = hole.strip_prefix("}}") {
                self.text("}");
                rest = after;
            } else {
                let (name, after) = hole.get(1..).unwrap_or("").split_once('}').unwrap_or((hole, ""));
                match name {
                    "f" => {
                        behind = true;
                        self.filter_over(call, window)?;
                    }
                    "v" => {
                        if let Some(window) = window.take() {
                            self.over(window)?;
                        }
                    }
                    "v=" => {
                        if let Some(window) = window {
                            self.over(window)?;
                        }
                    }
                    _ => self.hole(call, name, &mut bound)?,
                }
                rest = after;
            }
        }
        self.text(rest);
        if behind { Ok(()) } else { self.filter_over(call, window) }
    }

    /// What stands behind an aggregate: `FILTER (WHERE ...) OVER (...)`.
    fn filter_over(&mut self, call: &Call<'_, 'e>, window: Option<&Window<'_, 'e>>) -> Result<()> {
        if let Some(filter) = &call.filter {
            self.text(" FILTER (WHERE ");
            self.pred(filter, Prec::Lowest)?;
            self.text(")");
        }
        match window {
            Some(window) => self.over(window),
            None => Ok(()),
        }
    }

    /// Writes an argument. A plain parameter that the call has bound already is written by the same number again, where
    /// that can be: the engine knows then that it is one value.
    fn argument(&mut self, arg: &Scalar<'_, 'e>, place: Prec, bound: &mut Bindings, index: usize) -> Result<()> {
        if let ScalarKind::Param(param) = arg.kind
            && !param.untyped
            && !(param.repeated || param.shared)
            && let Some(number) = bound.get_mut(index)
        {
            if *number > 0 && self.target.dialect().repeats_placeholders() {
                self.placeholders.push(&mut self.sql, *number);
                return Ok(());
            }
            *number = self.params.len() + 1;
        }
        self.scalar(arg, place)
    }

    fn hole(&mut self, call: &Call<'_, 'e>, name: &str, bound: &mut Bindings) -> Result<()> {
        match name {
            "*" => return self.args_from(call, 0),
            "*j" | "*t" => return self.items_as(call, name == "*j"),
            ":" => return self.pairs(call, ":", Prec::Atom),
            "d" => {
                self.text(if call.distinct { "DISTINCT " } else { "" });
                return Ok(());
            }
            "o" if call.order.is_empty() => return Ok(()),
            "o" => return self.order_by(call.order),
            "w" if call.order.is_empty() => return Ok(()),
            "W" if call.order.is_empty() => {
                self.text(" WITHIN GROUP (ORDER BY NULL)");
                return Ok(());
            }
            "w" | "W" => {
                self.text(" WITHIN GROUP (");
                let start = self.sql.len();
                self.orders("ORDER BY ", call.order)?;
                self.same_order(start..self.sql.len())?;
                self.text(")");
                return Ok(());
            }
            _ => {}
        }
        if let Some(between) = name.strip_prefix('=') {
            return self.named(call, between);
        }
        if let Some(between) = name.strip_prefix('*') {
            return self.pairs(call, between, Prec::Lowest);
        }
        let (digits, mark) = match name.find(|c: char| !c.is_ascii_digit()) {
            Some(at) => name.split_at(at),
            None => (name, ""),
        };
        let index = digits.parse::<usize>().unwrap_or(usize::MAX);
        if mark == "*" {
            return self.args_from(call, index);
        }
        if index == 0 && call.distinct && !call.spelling.places_distinct() {
            self.text("DISTINCT ");
        }
        if matches!(mark, "=" | "'") {
            return self.in_the_text(call, index, mark == "'");
        }
        let Some(arg) = call.args.get(index) else { return Ok(()) };
        let place = if mark.ends_with('^') { Prec::Atom } else { Prec::Lowest };
        let base = arg.ty.filter(|ty| !ty.array).map(|ty| ty.base);
        let cast = match mark.trim_end_matches('^') {
            "i" if base.is_some_and(T::fits_int32) => None,
            "i" => Some(T::Int32),
            "f" if base.is_some_and(|t| t.is_float() || t.is_integer()) => None,
            "f" => Some(T::Double),
            "t" if base.is_some_and(T::is_text) => None,
            "t" => Some(T::String),
            "s" if base.is_some_and(T::is_date_and_time) => None,
            "s" => Some(T::DateTime2),
            "j" => {
                let target = self.target;
                return target.dialect().json_item(self, arg);
            }
            "p" | "k" | "n" => return self.path_part(call, arg, mark),
            "q" | "r" => return self.strict_path(arg, mark == "r"),
            _ => None,
        };
        match cast {
            Some(to) => self.cast_to(arg, to.into()),
            None => self.argument(arg, place, bound, index),
        }
    }

    /// Some engines order the rows of a select for its string aggregations once.
    fn same_order(&mut self, order: std::ops::Range<usize>) -> Result<()> {
        if let Support::Refuse(reason) = self.target.support(Feature::AggregateOrders)
            && !self.aggregate_order.is_empty()
            && self.sql.get(self.aggregate_order.clone()) != self.sql.get(order.clone())
        {
            return Err(self.target.refused(Feature::AggregateOrders.title(), reason));
        }
        self.aggregate_order = order;
        Ok(())
    }

    /// Writes `CAST(value AS type)` in the dialect's spelling.
    ///
    /// # Errors
    /// Those of writing the value, and a type that the dialect refuses.
    pub fn cast_to(&mut self, value: &Scalar<'_, 'e>, to: DbType) -> Result<()> {
        let target = self.target;
        target.dialect().cast(self, value, to)
    }

    /// All arguments, as items of JSON or as text.
    fn items_as(&mut self, call: &Call<'_, 'e>, json: bool) -> Result<()> {
        let target = self.target;
        for (index, arg) in call.args.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            if json {
                target.dialect().json_item(self, arg)?;
            } else if arg.ty.is_some_and(|ty| ty.base.is_text() && !ty.array) {
                self.scalar(arg, Prec::Lowest)?;
            } else {
                self.cast_to(arg, T::String.into())?;
            }
        }
        Ok(())
    }

    /// The value of an argument that is in the text or bound.
    fn known<'s>(&'s self, scalar: &Scalar<'_, 'e>) -> Option<&'s Value>
    where
        'e: 's,
    {
        match scalar.kind {
            ScalarKind::Param(param) => self.value_of(&param),
            ScalarKind::Literal(Literal::Tree(value)) => Some(value),
            ScalarKind::Literal(Literal::Made(at)) => self.made.get(at as usize),
            _ => None,
        }
    }

    /// The path to what holds the place of a JSON path, what that has to be, or the name of the place in it, as literals.
    fn path_part(&mut self, call: &Call<'_, 'e>, path: &Scalar<'_, 'e>, part: &str) -> Result<()> {
        let target = self.target;
        match self.known(path) {
            Some(Value::Text(text)) if part == "k" => {
                let member = text.trim_end_matches('}').ends_with('"');
                let holder = if member { JsonHolder::Object } else { JsonHolder::Array };
                self.text(target.dialect().json_kind(holder));
            }
            Some(Value::Text(text)) if part == "n" => match PathStep::last(text) {
                Some((name, _)) => target.dialect().literal(self, &Value::from(name))?,
                None => {
                    let name = call.func.map_or("a function", |func| func.signature().name);
                    return Err(target.refused(name, "the path has no step: compare the document with NULL"));
                }
            },
            Some(Value::Text(text)) => {
                let parent = target.dialect().json_parent(text).into_owned();
                target.dialect().literal(self, &Value::from(parent))?;
            }
            _ => self.scalar(path, Prec::Lowest)?,
        }
        Ok(())
    }

    /// A JSON path, or that to what holds its place, in the notation that tells items from members.
    fn strict_path(&mut self, path: &Scalar<'_, 'e>, parent: bool) -> Result<()> {
        let target = self.target;
        let Some(Value::Text(text)) = self.known(path) else { return self.scalar(path, Prec::Lowest) };
        let strict = if parent {
            target.dialect().json_strict(&target.dialect().json_parent(text))
        } else {
            target.dialect().json_strict(text)
        };
        target.dialect().literal(self, &Value::from(strict))
    }

    /// The arguments two by two; the second of each is an item of JSON where it is JSON, or stands between words.
    fn pairs(&mut self, call: &Call<'_, 'e>, between: &str, place: Prec) -> Result<()> {
        let target = self.target;
        for (index, arg) in call.args.iter().enumerate() {
            self.text(match index {
                0 => "",
                _ if index % 2 == 1 => between,
                _ => ", ",
            });
            let json = arg.ty.and_then(DbType::family).is_some_and(Family::has_form_in_json);
            if index % 2 == 1 && (json || place == Prec::Lowest) {
                target.dialect().json_item(self, arg)?;
            } else {
                self.scalar(arg, place)?;
            }
        }
        Ok(())
    }

    /// The arguments two by two, as items of JSON under the names before them.
    fn named(&mut self, call: &Call<'_, 'e>, between: &str) -> Result<()> {
        let target = self.target;
        let limit = target.dialect().sheet().limits.identifier;
        let mut names: Vec<&str> = Vec::with_capacity(call.args.len() / 2);
        for pair in call.args.chunks_exact(2) {
            let [name, value] = pair else { continue };
            let name = match name.kind {
                ScalarKind::Literal(Literal::Tree(Value::Text(name))) => name.as_str(),
                _ => "",
            };
            let plain =
                !name.is_empty() && !name.contains('.') && !name.ends_with(' ') && name.chars().count() <= limit;
            if !plain || names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                let function = call.func.map_or("a function", |func| func.signature().name);
                let reason = "its names are those of columns here: known texts without a dot, each another one";
                return Err(target.refused(function, reason));
            }
            self.text(if names.is_empty() { "" } else { ", " });
            target.dialect().json_item(self, value)?;
            self.text(between);
            self.identifier(name);
            names.push(name);
        }
        Ok(())
    }

    /// An argument that the engine takes as a literal only.
    fn in_the_text(&mut self, call: &Call<'_, 'e>, index: usize, bare: bool) -> Result<()> {
        let target = self.target;
        let value = match call.args.get(index).map(|arg| arg.kind) {
            Some(ScalarKind::Param(param)) => self.bound(param.value),
            Some(ScalarKind::Literal(Literal::Tree(value))) => Some(value),
            Some(ScalarKind::Literal(Literal::Made(at))) => self.made.get(at as usize),
            _ => None,
        };
        match value {
            Some(Value::Text(text)) if bare => {
                target.dialect().bare_text(self, text);
                Ok(())
            }
            Some(value) if !bare && !value.is_null() => target.dialect().literal(self, value),
            _ => {
                let name = call.func.map_or("a function", |func| func.signature().name);
                let reason = format!("its argument {} stands in the text here: give a plain value", index + 1);
                Err(target.refused(name, reason))
            }
        }
    }

    fn args_from(&mut self, call: &Call<'_, 'e>, from: usize) -> Result<()> {
        if call.distinct && from == 0 {
            self.text("DISTINCT ");
        }
        self.list(call.args.get(from..).unwrap_or_default())
    }
}
