//! Templates of the function table.

use crate::error::Result;
use crate::expr::Value;
use crate::frame::{Bound, Call, Literal, Param, ScalarKind, Window};

use super::{Prec, Writer};

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
        let mut rest = call.template;
        while let Some(at) = rest.bytes().position(|b| matches!(b, b'{' | b'}')) {
            let (text, hole) = rest.split_at(at);
            self.text(text);
            // By far the most common hole.
            if let Some(after) = hole.strip_prefix("{0}") {
                if call.distinct {
                    self.text("DISTINCT ");
                }
                if let Some(arg) = call.args.first() {
                    self.scalar(arg, Prec::Lowest)?;
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
                    "v" => {
                        if let Some(window) = window.take() {
                            self.over(window)?;
                        }
                    }
                    _ => self.hole(call, name)?,
                }
                rest = after;
            }
        }
        self.text(rest);
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

    fn hole(&mut self, call: &Call<'_, 'e>, name: &str) -> Result<()> {
        match name {
            "*" => return self.args_from(call, 0),
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
                self.orders("ORDER BY ", call.order)?;
                self.text(")");
                return Ok(());
            }
            _ => {}
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
        if index == 0 && call.distinct && !call.template.contains("{d}") {
            self.text("DISTINCT ");
        }
        if matches!(mark, "=" | "'") {
            return self.in_the_text(call, index, mark == "'");
        }
        match call.args.get(index) {
            Some(arg) => self.scalar(arg, if mark == "^" { Prec::Atom } else { Prec::Lowest }),
            None => Ok(()),
        }
    }

    /// The arguments two by two.
    fn pairs(&mut self, call: &Call<'_, 'e>, between: &str, place: Prec) -> Result<()> {
        for (index, arg) in call.args.iter().enumerate() {
            self.text(match index {
                0 => "",
                _ if index % 2 == 1 => between,
                _ => ", ",
            });
            self.scalar(arg, place)?;
        }
        Ok(())
    }

    /// An argument that the engine takes as a literal only.
    fn in_the_text(&mut self, call: &Call<'_, 'e>, index: usize, bare: bool) -> Result<()> {
        let target = self.target;
        let value = match call.args.get(index).map(|arg| arg.kind) {
            Some(
                ScalarKind::Param(Param { value: Bound::Tree(value), .. }) | ScalarKind::Literal(Literal::Tree(value)),
            ) => Some(value),
            Some(ScalarKind::Param(Param { value: Bound::Made(at), .. }) | ScalarKind::Literal(Literal::Made(at))) => {
                self.made.get(at as usize)
            }
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
