//! What an expression gives in one row.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::HashMap;

use super::parse::Node;
use super::value::{R, Stop, V, fault};

/// An engine that cannot be run: its functions, each with the source that says what it gives.
pub trait StandIn {
    /// A call whose arguments are evaluated once each.
    ///
    /// # Errors
    /// The engine's error, or no stand-in.
    fn call(&self, row: &Row<'_>, name: &str, args: &[V]) -> R<V>;

    /// A word that is no call.
    ///
    /// # Errors
    /// As `call`.
    fn word(&self, row: &Row<'_>, word: &str) -> R<V>;

    /// # Errors
    /// As `call`.
    fn cast(&self, value: V, ty: &str) -> R<V>;

    /// Operands of which none is NULL.
    ///
    /// # Errors
    /// As `call`.
    fn binary(&self, left: &V, operator: &str, right: &V) -> R<V>;

    /// A text concatenated by `||`.
    fn concat(&self, left: V, right: V) -> R<V>;

    /// A value as the engine stores it.
    fn stored(&self, value: V) -> V;

    /// The order of texts.
    fn compare(&self, left: &V, right: &V) -> R<Ordering> {
        left.compare(right)
    }

    /// What a number without a point is, and one with a point.
    fn number(&self, digits: &str) -> R<V>;

    /// Returns whether COALESCE, NULLIF, BETWEEN and CASE are written out, so that they compute an argument more than once.
    fn writes_out(&self) -> bool {
        false
    }

    /// The type of a CASE: its value as that of all values that its arms have.
    ///
    /// # Errors
    /// The value cannot be of that type.
    fn of_arms(&self, value: V, arms: &[V]) -> R<V> {
        let _ = arms;
        Ok(value)
    }
}

/// A row, in which expressions are evaluated.
pub struct Row<'r> {
    engine: &'r dyn StandIn,
    columns: HashMap<&'r str, V>,
    params: &'r [V],
    /// How often each column and parameter was evaluated, by how many stand before it.
    evaluated: RefCell<HashMap<usize, usize>>,
    /// How many random values were drawn.
    pub drawn: Cell<usize>,
    /// Whether a stand-in gave a value that is not the engine's, so that only its type and whether it is NULL count.
    pub vague: Cell<bool>,
    /// Whether evaluations are not counted.
    silent: Cell<bool>,
}

impl<'r> Row<'r> {
    pub fn new(engine: &'r dyn StandIn, columns: HashMap<&'r str, V>, params: &'r [V]) -> Self {
        Self {
            engine,
            columns,
            params,
            evaluated: RefCell::default(),
            drawn: Cell::new(0),
            vague: Cell::new(false),
            silent: Cell::new(false),
        }
    }

    /// Returns whether a column or a parameter was evaluated more than once where it stands.
    pub fn repeats(&self) -> bool {
        self.evaluated.borrow().values().any(|times| *times > 1)
    }

    /// A random value.
    pub fn draw(&self, value: V) -> R<V> {
        if !self.silent.get() {
            self.drawn.set(self.drawn.get() + 1);
        }
        self.vaguely(value)
    }

    fn count(&self, place: usize) {
        if !self.silent.get() {
            *self.evaluated.borrow_mut().entry(place).or_default() += 1;
        }
    }

    /// A value that only shows that it is not NULL.
    pub fn vaguely(&self, value: V) -> R<V> {
        self.vague.set(true);
        Ok(value)
    }

    /// # Errors
    /// The engine's error, or no stand-in.
    pub fn value(&self, node: &Node) -> R<V> {
        let engine = self.engine;
        let found = match node {
            Node::Null => V::Null,
            Node::Number(digits) => engine.number(digits)?,
            Node::Text(text) => V::Text(text.clone()),
            Node::Column(name, place) => {
                self.count(*place);
                match self.columns.get(name.as_str()) {
                    Some(value) => value.clone(),
                    None => return fault(format!("no column {name}")),
                }
            }
            Node::Param(index, place) => {
                self.count(*place);
                match self.params.get(*index) {
                    Some(value) => value.clone(),
                    None => return fault(format!("no parameter {index}")),
                }
            }
            Node::Word(word) => engine.word(self, word)?,
            Node::Cast(value, ty) => match self.value(value)? {
                V::Null => V::Null,
                value => engine.cast(value, ty)?,
            },
            Node::Minus(value) => match self.value(value)? {
                V::Null => V::Null,
                V::Real(number) => V::Real(-number),
                value => engine.binary(&engine.number("0")?, "-", &value)?,
            },
            Node::Call(name, args) => return self.call(name, args),
            Node::Case { operand, arms, otherwise } => {
                let chosen = self.chosen(operand.as_deref(), arms, otherwise.as_deref())?;
                let silent = self.silent.replace(true);
                let (vague, values) =
                    (self.vague.get(), arms.iter().map(|(_, value)| value).chain(otherwise.as_deref()));
                // An arm that fails here is not the one that was chosen.
                let values = values.filter_map(|value| match self.value(value) {
                    Err(Stop::Domain) => Some(V::Real(0.0)),
                    other => other.ok(),
                });
                let values: Vec<V> = values.collect();
                self.silent.set(silent);
                self.vague.set(vague);
                engine.of_arms(chosen, &values)?
            }
            Node::Binary(left, operator, right)
                if matches!(operator.as_str(), "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^") =>
            {
                let (left, right) = (self.value(left)?, self.value(right)?);
                if left.is_null() || right.is_null() { V::Null } else { engine.binary(&left, operator, &right)? }
            }
            Node::Binary(left, operator, right) if operator == "||" => {
                engine.concat(self.value(left)?, self.value(right)?)?
            }
            condition => match self.truth(condition)? {
                Some(truth) => V::Bit(truth),
                None => V::Null,
            },
        };
        Ok(engine.stored(found))
    }

    fn call(&self, name: &str, args: &[Node]) -> R<V> {
        if let ("COALESCE" | "NVL", [first @ .., last]) = (name, args) {
            for arg in first {
                if !self.value(arg)?.is_null() {
                    // CASE WHEN a IS NOT NULL THEN a ELSE ..
                    let silent = self.silent.replace(self.silent.get() || !self.engine.writes_out());
                    let value = self.value(arg);
                    self.silent.set(silent);
                    return value;
                }
            }
            return self.value(last);
        }
        if let ("NULLIF", [first, second]) = (name, args) {
            let (value, other) = (self.value(first)?, self.value(second)?);
            if !value.is_null() && !other.is_null() && self.engine.compare(&value, &other)? == Ordering::Equal {
                return Ok(V::Null);
            }
            return if self.engine.writes_out() { self.value(first) } else { Ok(value) };
        }
        // The first argument of these is a unit of time or a type.
        let word = |node: &Node| match node {
            Node::Word(word) => Ok(V::Text(word.to_lowercase())),
            Node::Call(name, _) => Ok(V::Text(name.to_lowercase())),
            other => self.value(other),
        };
        let begins_with_word =
            matches!(name, "DATEPART" | "DATEADD" | "DATEDIFF_BIG" | "DATETRUNC" | "CONVERT" | "EXTRACT FROM");
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let is_word = begins_with_word && index == 0 || name == "ISJSON" && index == 1;
            values.push(if is_word { word(arg)? } else { self.value(arg)? });
        }
        Ok(self.engine.stored(self.engine.call(self, name, &values)?))
    }

    fn chosen(&self, operand: Option<&Node>, arms: &[(Node, Node)], otherwise: Option<&Node>) -> R<V> {
        let mut value = operand.map(|operand| self.value(operand)).transpose()?;
        for (index, (when, then)) in arms.iter().enumerate() {
            let holds = match (operand, &value) {
                (Some(operand), Some(_)) if index > 0 && self.engine.writes_out() => {
                    value = Some(self.value(operand)?);
                    self.equal(value.as_ref(), &self.value(when)?)?
                }
                (Some(_), value) => self.equal(value.as_ref(), &self.value(when)?)?,
                (None, _) => self.truth(when)? == Some(true),
            };
            if holds {
                return self.value(then);
            }
        }
        otherwise.map_or(Ok(V::Null), |value| self.value(value))
    }

    fn equal(&self, left: Option<&V>, right: &V) -> R<bool> {
        match left {
            Some(left) if !left.is_null() && !right.is_null() => {
                Ok(self.engine.compare(left, right)? == Ordering::Equal)
            }
            _ => Ok(false),
        }
    }

    /// # Errors
    /// The engine's error, or no stand-in.
    pub fn truth(&self, node: &Node) -> R<Option<bool>> {
        match node {
            Node::Not(inner) => Ok(self.truth(inner)?.map(|truth| !truth)),
            Node::IsNull(value, is) => Ok(Some(self.value(value)?.is_null() == *is)),
            Node::IsJson(value) => Ok(match self.value(value)? {
                V::Null => None,
                value => Some(serde_json::from_str::<serde_json::Value>(&value.text()?).is_ok()),
            }),
            Node::Between(value, low, high) => {
                let (first, low) = (self.value(value)?, self.value(low)?);
                let second = if self.engine.writes_out() { self.value(value)? } else { first.clone() };
                let high = self.value(high)?;
                let above = self.ordered(&first, &low)?.map(Ordering::is_ge);
                let below = self.ordered(&second, &high)?.map(Ordering::is_le);
                Ok(and(above, below))
            }
            Node::Binary(left, operator, right) if operator == "AND" => {
                // The engine may look at either side first, so an error counts on both.
                let (left, right) = (self.truth(left)?, self.truth(right));
                if left == Some(false) { Ok(left) } else { Ok(and(left, right?)) }
            }
            Node::Binary(left, operator, right) if operator == "OR" => {
                let (left, right) = (self.truth(left)?, self.truth(right));
                if left == Some(true) {
                    Ok(left)
                } else {
                    Ok(and(left.map(|l| !l), right?.map(|r| !r)).map(|both| !both))
                }
            }
            Node::Binary(left, operator, right)
                if matches!(operator.as_str(), "=" | "<>" | "<" | ">" | "<=" | ">=") =>
            {
                let order = self.ordered(&self.value(left)?, &self.value(right)?)?;
                Ok(order.map(|order| match operator.as_str() {
                    "=" => order.is_eq(),
                    "<>" => order.is_ne(),
                    "<" => order.is_lt(),
                    ">" => order.is_gt(),
                    "<=" => order.is_le(),
                    _ => order.is_ge(),
                }))
            }
            // Only a text at the beginning is looked for.
            Node::Binary(left, operator, right) if operator == "LIKE" => {
                match (self.value(left)?, self.value(right)?) {
                    (V::Null, _) | (_, V::Null) => Ok(None),
                    (text, begin) => Ok(Some(text.text()?.starts_with(begin.text()?.trim_end_matches('%')))),
                }
            }
            other => match self.value(other)? {
                V::Null => Ok(None),
                V::Bit(truth) => Ok(Some(truth)),
                other => Err(Stop::Fault(format!("{other:?} as a condition"))),
            },
        }
    }

    fn ordered(&self, left: &V, right: &V) -> R<Option<Ordering>> {
        if left.is_null() || right.is_null() {
            return Ok(None);
        }
        self.engine.compare(left, right).map(Some)
    }
}

fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}
