//! Predicates, in three-valued logic: `None` is unknown.

use std::cmp::Ordering;

use isogloss_compiler::expr::{
    ForeignExpr, LogicBinaryExpr, LogicExpr, LogicOperator as Op, Value, ValueJoinType, ValueTypeExpr,
};
use isogloss_compiler::model::EntityId;

use super::number::Number;
use super::scope::{Env, Kind};
use super::{Evaluator, Result, fault, text, unsupported};

/// True, false or unknown.
pub(crate) type Truth = Option<bool>;

impl Evaluator<'_> {
    pub(crate) fn logic(&self, env: &Env<'_>, logic: &LogicExpr) -> Result<Truth> {
        match logic {
            LogicExpr::Binary(node) => self.comparison(env, node),
            // False counts before unknown in a conjunction, true in a disjunction.
            LogicExpr::And(node) => self.terms(env, &node.items, false),
            LogicExpr::Or(node) => self.terms(env, &node.items, true),
            LogicExpr::Not(node) => Ok(self.logic(env, &node.operand)?.map(|truth| !truth)),
            LogicExpr::Foreign(node) => self.related(env, node).map(Some),
            LogicExpr::Exists(query) => {
                self.as_many_as_its_table(Some(query))?;
                Ok(Some(!self.chain(Some(query), Some(env))?.items.is_empty()))
            }
            LogicExpr::IsTrue(value) => match self.value(env, value)? {
                Value::Null => Ok(None),
                Value::Bool(truth) => Ok(Some(truth)),
                other => unsupported(format!("{} as a predicate", other.kind())),
            },
            _ => unsupported("a registered fragment"),
        }
    }

    fn terms(&self, env: &Env<'_>, items: &[LogicExpr], decides: bool) -> Result<Truth> {
        let mut all = Some(!decides);
        for item in items {
            match self.logic(env, item)? {
                Some(truth) if truth == decides => all = Some(decides),
                None if all == Some(!decides) => all = None,
                _ => {}
            }
        }
        Ok(all)
    }

    fn comparison(&self, env: &Env<'_>, node: &LogicBinaryExpr) -> Result<Truth> {
        let negated = node.operator.is_negated();
        let truth = match node.operator.positive() {
            Op::In => self.is_in(env, &node.left, &node.right)?,
            Op::Equal | Op::GreaterThan | Op::LessThan | Op::IsNotDistinctFrom => {
                self.ordered(env, &node.left, node.operator, &node.right)?
            }
            other => {
                let left = self.value(env, &node.left)?;
                let right = self.value(env, &node.right)?;
                match (text::of(&left)?, text::of(&right)?) {
                    (Some(left), Some(right)) => Some(text::matches(&left, other, &right)?),
                    _ => None,
                }
            }
        };
        // `<=` is the opposite of `>`, and so on; unknown stays unknown.
        Ok(truth.map(|truth| truth != negated))
    }

    /// A comparison without its negation.
    fn ordered(&self, env: &Env<'_>, left: &ValueTypeExpr, operator: Op, right: &ValueTypeExpr) -> Result<Truth> {
        let positive = operator.positive();
        // NULL in the tree is asked for, not compared with; in a row as well.
        if positive == Op::Equal {
            if is_null(left) || is_null(right) {
                let other = if is_null(right) { left } else { right };
                return Ok(Some(self.value(env, other)?.is_null()));
            }
            if let (ValueTypeExpr::Set(l), ValueTypeExpr::Set(r)) = (left, right)
                && l.items.iter().chain(&r.items).any(is_null)
                && l.items.len() == r.items.len()
            {
                let mut all = Some(true);
                for (left, right) in l.items.iter().zip(&r.items) {
                    match self.ordered(env, left, Op::Equal, right)? {
                        Some(true) => {}
                        Some(false) => return Ok(Some(false)),
                        None => all = None,
                    }
                }
                return Ok(all);
            }
        }
        let equal = matches!(positive, Op::Equal | Op::IsNotDistinctFrom);
        let (left, right) = (self.row(env, left, Some(right), equal)?, self.row(env, right, Some(left), equal)?);
        if left.len() != right.len() {
            return fault("rows of different lengths");
        }
        let pairs = left.iter().zip(&right);
        match positive {
            Op::Equal => equal_rows(&left, &right),
            Op::IsNotDistinctFrom => {
                for (a, b) in pairs {
                    if !same(a, b)? {
                        return Ok(Some(false));
                    }
                }
                Ok(Some(true))
            }
            _ => {
                // The first pair that differs decides; one that is unknown before it leaves all unknown.
                let wanted = if positive == Op::GreaterThan { Ordering::Greater } else { Ordering::Less };
                for (a, b) in pairs {
                    match compare(a, b)? {
                        None => return Ok(None),
                        Some(Ordering::Equal) => {}
                        Some(order) => return Ok(Some(order == wanted)),
                    }
                }
                Ok(Some(false))
            }
        }
    }

    /// The values of a row; of a plain value the one. A plain value takes the kind of what is beside it, and where the two
    /// are asked for being equal, no more digits of a second than that has.
    fn row(
        &self,
        env: &Env<'_>,
        node: &ValueTypeExpr,
        beside: Option<&ValueTypeExpr>,
        equal: bool,
    ) -> Result<Vec<Value>> {
        let one = |node: &ValueTypeExpr, beside: Option<&ValueTypeExpr>| match node {
            ValueTypeExpr::Value(plain) if equal => self.fit_equal(env, &plain.value, beside),
            _ => self.value_beside(env, node, beside),
        };
        match node {
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::List => {
                let others = match beside {
                    Some(ValueTypeExpr::Set(other)) if other.join == ValueJoinType::List => &*other.items,
                    _ => &[],
                };
                let items = set.items.iter().enumerate();
                items.map(|(index, item)| one(item, others.get(index))).collect()
            }
            ValueTypeExpr::Value(plain) if !equal && is_fraction(&plain.value) => {
                let kind = beside.map_or(Ok(None), |beside| self.kind(env, beside))?;
                // A whole number is more or less than a fraction.
                if kind == Some(Kind::Int) { Ok(vec![plain.value.clone()]) } else { Ok(vec![one(node, beside)?]) }
            }
            other => Ok(vec![one(other, beside)?]),
        }
    }

    fn is_in(&self, env: &Env<'_>, left: &ValueTypeExpr, right: &ValueTypeExpr) -> Result<Truth> {
        let lefts: &[ValueTypeExpr] = match left {
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::List => &set.items,
            one => std::slice::from_ref(one),
        };
        let is_row = matches!(left, ValueTypeExpr::Set(_)) && lefts.len() > 1;
        let value = self.row(env, left, None, true)?;
        let plain = |item: &Value| -> Result<Vec<Value>> {
            match item {
                Value::List(row) if is_row => {
                    row.iter().zip(lefts).map(|(item, left)| self.fit_equal(env, item, Some(left))).collect()
                }
                one => Ok(vec![self.fit_equal(env, one, lefts.first())?]),
            }
        };
        let rows: Vec<Vec<Value>> = match right {
            ValueTypeExpr::Value(list) => match &list.value {
                Value::List(items) => items.iter().map(plain).collect::<Result<_>>()?,
                _ => return fault("the right side of IN is no list"),
            },
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::List => {
                let item = |item: &ValueTypeExpr| match item {
                    ValueTypeExpr::Value(value) => plain(&value.value),
                    other => self.row(env, other, Some(left), true),
                };
                set.items.iter().map(item).collect::<Result<_>>()?
            }
            ValueTypeExpr::Query(query) => self.chain(Some(query), Some(env))?.table(self)?.1,
            _ => return fault("the right side of IN is no list"),
        };
        // Of nothing it is false, also for NULL.
        let mut any = Some(false);
        for row in &rows {
            if row.len() != value.len() {
                return fault("rows of different lengths");
            }
            match equal_rows(&value, row)? {
                Some(true) => return Ok(Some(true)),
                None => any = None,
                Some(false) => {}
            }
        }
        Ok(any)
    }

    /// EXISTS over an entity, along its relations where that is asked for.
    fn related(&self, env: &Env<'_>, node: &ForeignExpr) -> Result<bool> {
        let Some((id, _)) = self.catalog.entity(node.entity.as_str()) else {
            return fault(format!("no entity `{}`", node.entity));
        };
        let mut source = self.entity(id)?;
        source.alias = node.alias.as_ref().map(|alias| alias.as_str().to_owned()).unwrap_or_default();
        let paths = if node.auto_related { self.paths(env, id)? } else { Vec::new() };
        let candidates = self.rows_of(id, &source)?;
        let sources = [source];
        for row in candidates {
            let rows = [vec![row]];
            let inner = Env::of(&sources, &rows, Some(env));
            if !node.auto_related || self.on_a_path(env, &inner, &paths)? {
                let holds = match &node.inner {
                    Some(logic) => self.logic(&inner, logic)?,
                    None => Some(true),
                };
                if holds == Some(true) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The pairs of an outer and an inner column that are equal on each way to the entity, all of which lead one way.
    fn paths(&self, env: &Env<'_>, to: EntityId) -> Result<Vec<Vec<(usize, usize)>>> {
        let Some((from, _)) = env.sources.first().and_then(|main| main.entity.clone()) else {
            return fault("a relation of what is no entity");
        };
        let forward: Vec<_> = self.catalog.relations(from, to).map(|relation| relation.keys.clone()).collect();
        let swap = |keys: &[(usize, usize)]| keys.iter().map(|(a, b)| (*b, *a)).collect();
        let reverse: Vec<_> = self.catalog.relations(to, from).map(|relation| swap(&relation.keys)).collect();
        match (forward.is_empty(), reverse.is_empty()) {
            (true, true) => fault("no relation between the two"),
            (false, false) => fault("relations lead both ways"),
            (false, true) => Ok(forward),
            (true, false) => Ok(reverse),
        }
    }

    fn on_a_path(&self, outer: &Env<'_>, inner: &Env<'_>, paths: &[Vec<(usize, usize)>]) -> Result<bool> {
        let at = |env: &Env<'_>, place: usize| {
            env.rows.first().and_then(|row| row.first()?.get(place)).cloned().unwrap_or_default()
        };
        for path in paths {
            let mut holds = true;
            for (from, to) in path {
                holds &= compare(&at(outer, *from), &at(inner, *to))? == Some(Ordering::Equal);
            }
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the node is NULL as the tree says it.
fn is_null(node: &ValueTypeExpr) -> bool {
    matches!(node, ValueTypeExpr::Value(value) if value.value.is_null())
}

/// Whether two rows are equal: false as soon as one pair differs, else unknown as soon as one is.
fn equal_rows(left: &[Value], right: &[Value]) -> Result<Truth> {
    let mut all = Some(true);
    for (a, b) in left.iter().zip(right) {
        match compare(a, b)? {
            None => all = None,
            Some(Ordering::Equal) => {}
            Some(_) => return Ok(Some(false)),
        }
    }
    Ok(all)
}

fn is_fraction(value: &Value) -> bool {
    match value {
        Value::Decimal(number) => number.normalize().scale() > 0,
        Value::Float(number) => number.fract() != 0.0,
        _ => false,
    }
}

/// The order of two values; unknown if one is NULL.
pub(crate) fn compare(a: &Value, b: &Value) -> Result<Option<Ordering>> {
    Ok(Some(match (a, b) {
        (Value::Null, _) | (_, Value::Null) => return Ok(None),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        // UTF-8's bytes are in the order of the code points.
        (Value::Text(a), Value::Text(b)) => a.as_str().cmp(b.as_str()),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.cmp(b),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        (a, b) => match (Kind::of(a), Kind::of(b)) {
            (Some(x), Some(y)) if x.is_number() && y.is_number() => Number::of(a)?.compare(Number::of(b)?)?,
            (Some(x), Some(y)) if x.is_date() && y.is_date() => super::date::moment(a)?.cmp(&super::date::moment(b)?),
            _ => return unsupported(format!("a comparison of {} and {}", a.kind(), b.kind())),
        },
    }))
}

/// Whether two values are the same, NULL with NULL: what DISTINCT, GROUP BY and a UNION ask.
pub(crate) fn same(a: &Value, b: &Value) -> Result<bool> {
    Ok(match (a, b) {
        (Value::Null, Value::Null) => true,
        (a, b) => compare(a, b)? == Some(Ordering::Equal),
    })
}

/// Whether two rows are the same.
pub(crate) fn same_rows(a: &[Value], b: &[Value]) -> Result<bool> {
    for (a, b) in a.iter().zip(b) {
        if !same(a, b)? {
            return Ok(false);
        }
    }
    Ok(a.len() == b.len())
}
