//! Values.

use std::borrow::Cow;

use crate::dialect::Feature;
use crate::error::{At, ErrorKind, Result};
use crate::expr::{
    DbType, DbValueType, GenericSqlExpr, UnaryOperator, Value, ValueExpr, ValueJoinType, ValueOperator, ValueTypeExpr,
};
use crate::frame::{Arith, Fragment, Literal, Order, Pred, Scalar, ScalarKind};
use crate::json::words::{UNARY_OPERATORS, spell};
use crate::kept::{By, Fit, How, Made, Taker};
use crate::legalize::{arithmetic, call, cast, dates, digits, list, logic, query, sorted};
use crate::model::is_of;
use crate::registry::{FragmentContext, FragmentSort, NamedFragment};
use crate::walk::shape::{class, is_said};

use super::label::Holds;
use super::logic::fit;
use super::scope::NameScope;
use super::{Resolver, cursor, scope, types};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A value.
    pub(crate) fn value(&mut self, scope: &NameScope<'_, 'a>, expr: &'e ValueTypeExpr) -> Result<Scalar<'a, 'e>> {
        match expr {
            ValueTypeExpr::Property(property) => self.property(scope, property),
            ValueTypeExpr::Value(value) => self.plain(value),
            ValueTypeExpr::Unary(node) => {
                let value = self.deeper(spell(UNARY_OPERATORS, node.operator), |r| r.value(scope, &node.operand))?;
                match node.operator {
                    // Of NULL without a type, an engine cannot tell which operator is meant.
                    UnaryOperator::Negative | UnaryOperator::BitwiseNot if self.cx.is_null(&value) => Ok(value),
                    UnaryOperator::Negative => {
                        types::signed(&value, false)?;
                        Ok(arithmetic::negative(self.cx, value))
                    }
                    UnaryOperator::BitwiseNot => {
                        types::signed(&value, true)?;
                        arithmetic::bit_not(self.cx, value)
                    }
                    UnaryOperator::Distinct => {
                        let why = "it stands before the argument of an aggregate, or first in a select list";
                        Err(ErrorKind::Misplaced { what: "DISTINCT".into(), why }.into())
                    }
                }
            }
            ValueTypeExpr::Binary(node) if node.operator == ValueOperator::Concat => {
                let items = self.parts(scope, expr)?;
                arithmetic::concat(self.cx, &items)
            }
            ValueTypeExpr::Binary(node) => {
                let (left, right) = self.level(|r| r.sides_unnamed(scope, &node.left, &node.right))?;
                let op = match node.operator {
                    ValueOperator::Add => Arith::Add,
                    ValueOperator::Subtract => Arith::Subtract,
                    ValueOperator::Multiply => Arith::Multiply,
                    ValueOperator::Divide => Arith::Divide,
                    ValueOperator::Modulo => Arith::Modulo,
                    ValueOperator::Concat => return arithmetic::concat(self.cx, &[left, right]),
                };
                arithmetic::arithmetic(self.cx, op, left, right)
            }
            ValueTypeExpr::Function(node) => self.level(|r| r.function(scope, node, false)),
            ValueTypeExpr::Set(set) => match set.join {
                ValueJoinType::Concat => {
                    let items = self.parts(scope, expr)?;
                    arithmetic::concat(self.cx, &items)
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
            ValueTypeExpr::Case(node) => {
                let case = self.deeper("CASE", |r| r.case(scope, &node.cases, node.otherwise.as_ref()))?;
                Ok(self.case_of_nulls(expr, case))
            }
            ValueTypeExpr::Cast(node) => {
                let value = self.deeper("CAST", |r| r.value(scope, &node.value).at_index(0))?;
                types::castable(&value, node.to)?;
                cast::cast(self.cx, value, node.to)
            }
            ValueTypeExpr::Window(node) => self.level(|r| r.window(scope, node)),
            ValueTypeExpr::Query(query) => self.level(|r| {
                let read = r.watch_written();
                let mut found = None;
                let query = r.subquery(|r| {
                    let building = r.fold(query, Some(scope))?;
                    let &[column] = r.typed_columns(building)? else {
                        let why = "used as a value it needs exactly one item";
                        return Err(ErrorKind::Misplaced { what: "a subquery".into(), why }.into());
                    };
                    found = Some(column);
                    r.one_value(building, column)
                })?;
                let query = r.self_read(read, query)?;
                let value = found.map_or(r.cx.null(None), |column| column.by_name(r.cx));
                Ok(Scalar { kind: ScalarKind::Query(query), nullable: true, ..value })
            }),
            ValueTypeExpr::Truth(logic) => {
                let pred = self.apart(|r| r.deeper("$truth", |r| r.logic(scope, logic)))?;
                logic::truth(self.cx, pred)
            }
            ValueTypeExpr::Sql(node) => {
                let (fragment, sort) = self.fragment(scope, node)?;
                match sort {
                    FragmentSort::Predicate => logic::truth(self.cx, Pred::Fragment(fragment)),
                    FragmentSort::Value(ty) => Ok(Scalar {
                        kind: ScalarKind::Fragment(fragment),
                        ty,
                        nullable: true,
                        column: None,
                        text: None,
                    }),
                }
            }
        }
    }

    /// A value, or a row of values where one may stand.
    pub(crate) fn row_or_value(
        &mut self,
        scope: &NameScope<'_, 'a>,
        expr: &'e ValueTypeExpr,
    ) -> Result<Scalar<'a, 'e>> {
        match expr {
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::List => {
                if set.items.len() > cursor::ROW_WIDTH {
                    let why = "it has more than 64 values: compare fewer columns";
                    return Err(ErrorKind::Misplaced { what: "a row of values".into(), why }.into());
                }
                let items = self.values(scope, &set.items, "List")?;
                let nullable = items.iter().any(|s| s.nullable);
                Ok(Scalar { kind: ScalarKind::Row(items), ty: None, nullable, column: None, text: None })
            }
            other => self.value(scope, other),
        }
    }

    /// The parts of a concatenation; one inside of another is a part of it.
    fn parts(
        &mut self,
        scope: &NameScope<'_, 'a>,
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
        scope: &NameScope<'_, 'a>,
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

    /// Whether a value stands in the text and is no parameter.
    fn is_written(&self, value: &ValueExpr) -> bool {
        self.cx.constants_only || value.is_const && self.cx.target.dialect().writes_constant(&value.value)
    }

    /// A value of which more than its class counts. That of a constant is a part of the shape.
    pub(super) fn looked_at<'v>(&self, value: &'v ValueExpr) -> &'v Value {
        self.cx.looked.set(self.cx.looked.get() || !value.is_const);
        &value.value
    }

    /// A plain value by itself.
    pub(crate) fn plain(&mut self, value: &'e ValueExpr) -> Result<Scalar<'a, 'e>> {
        match &value.value {
            Value::List(_) => Err(list::no_list()),
            Value::Map(_) => Err(ErrorKind::Unbindable { kind: "map", hint: "" }.into()),
            plain => {
                let ty = plain.natural_type().map(DbType::from);
                self.finite(plain)?;
                if plain.is_null() {
                    // A bound NULL has a type on PostgreSQL and Oracle, which may not be that of what it meets.
                    return Ok(self.cx.null(None));
                }
                if self.is_written(value) {
                    self.looked_at(value);
                    writable(plain)?;
                    let small = matches!(plain, Value::Int(n) if i32::try_from(*n).is_ok());
                    // What engines take a small number in the text for: a parameter beside it is bound as that.
                    let ty = if small { Some(DbValueType::Int32.into()) } else { ty };
                    return Ok(self.constant(plain, ty));
                }
                if value.is_const {
                    return Ok(self.cx.param(plain, ty));
                }
                Ok(self.cx.open_param(plain, ty, Taker::Any))
            }
        }
    }

    /// A plain value in the type of what it stands beside.
    pub(crate) fn value_beside(&mut self, value: &'e ValueExpr, beside: &Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        self.value_by(fit, value, beside)
    }

    /// A plain value in the type of what it stands beside, as `fit` gives it.
    pub(super) fn value_by(
        &mut self,
        fit: Fit,
        value: &'e ValueExpr,
        beside: &Scalar<'a, 'e>,
    ) -> Result<Scalar<'a, 'e>> {
        if self.is_written(value) {
            let fitted = fit(self.looked_at(value), beside.column, beside.ty)?;
            self.finite(&fitted)?;
            writable(&fitted)?;
            return match fitted {
                Cow::Borrowed(plain) => Ok(self.constant(plain, beside.ty)),
                Cow::Owned(plain) => Ok(self.made_constant(plain, beside.ty)),
            };
        }
        if value.is_const || self.cx.open.is_none() {
            return self.bind_by(fit, &value.value, beside);
        }
        self.bind_open(fit, &value.value, beside)
    }

    /// A value that is another each time, bound in the type of what it stands beside: as it is, if what is there takes it so,
    /// else as `fit` makes it.
    #[cold]
    pub(super) fn bind_open(&mut self, fit: Fit, value: &'e Value, beside: &Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        if is_said(value) {
            return self.bind_by(fit, value, beside);
        }
        let Scalar { column, ty, .. } = *beside;
        let by = By { fit, column, ty };
        let told = ty.or_else(|| value.natural_type().map(DbType::from));
        let taker = match (column, ty) {
            (Some(column), _) if column.keeps(value) => Taker::Column(column),
            (None, Some(ty)) if is_of(value, ty) => Taker::Type(ty),
            (None, None) => Taker::Any,
            _ => match fit(value, column, ty) {
                Ok(Cow::Borrowed(_)) if class(value).is_some() => Taker::By(by),
                Ok(Cow::Owned(made)) if class(&made).is_some() && !is_said(&made) => {
                    let index = u32::try_from(self.cx.made.len()).unwrap_or(u32::MAX);
                    self.cx.made_again.push(Made { index, of: value, how: How::By(by) });
                    return Ok(self.cx.made(made, told));
                }
                _ => {
                    self.cx.looked.set(true);
                    return self.bind_by(fit, value, beside);
                }
            },
        };
        Ok(self.cx.open_param(value, told, taker))
    }

    /// A value bound in the type of what it stands beside, as `fit` gives it.
    pub(super) fn bind_by(&mut self, fit: Fit, value: &'e Value, beside: &Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        if matches!(value, Value::Map(_)) || matches!(value, Value::List(_)) && !beside.ty.is_some_and(|t| t.array) {
            return Err(if matches!(value, Value::List(_)) {
                list::no_list()
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
        Scalar { kind: ScalarKind::Literal(Literal::Tree(value)), ty, nullable: false, column: None, text: None }
    }

    /// A constant in the text that was made while compiling.
    pub(crate) fn made_constant(&mut self, value: Value, ty: Option<DbType>) -> Scalar<'a, 'e> {
        if value.is_null() {
            return self.cx.null(ty);
        }
        let index = u32::try_from(self.cx.made.len()).unwrap_or(u32::MAX);
        self.cx.made.push(value);
        Scalar { kind: ScalarKind::Literal(Literal::Made(index)), ty, nullable: false, column: None, text: None }
    }

    /// A plain value where text is due.
    pub(crate) fn text_value(&mut self, value: &'e Value) -> Result<Scalar<'a, 'e>> {
        let text = DbType::from(DbValueType::String);
        let beside = Scalar { ty: Some(text), ..self.cx.null(None) };
        self.bind_by(fit, value, &beside)
    }

    /// Values side by side.
    pub(crate) fn values(
        &mut self,
        scope: &NameScope<'_, 'a>,
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
        scope: &NameScope<'_, 'a>,
        cases: &'e [(crate::expr::LogicExpr, ValueTypeExpr)],
        otherwise: Option<&'e ValueTypeExpr>,
    ) -> Result<Scalar<'a, 'e>> {
        if cases.is_empty() {
            return Err(ErrorKind::Misplaced { what: "a CASE".into(), why: "it needs a condition" }.into());
        }
        let mut list = self.cx.vec(cases.len());
        for (index, (condition, value)) in cases.iter().enumerate() {
            let condition = self.apart(|r| r.logic(scope, condition)).at_index(index * 2)?;
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
        dates::one_date(self.cx, &mut values)?;
        digits::common_digits(self.cx, &values)?;
        if otherwise.is_some() {
            otherwise = values.pop();
        }
        for ((_, slot), value) in list.iter_mut().zip(values) {
            *slot = value;
        }
        let ty = call::common_type(list.iter().map(|(_, v)| v.ty).chain(otherwise.iter().map(|v| v.ty)));
        Ok(logic::case_when(self.cx, &list, otherwise, ty))
    }

    /// A CASE that is NULL whatever its conditions say. SQL Server takes none; an aggregate in it makes one row of many.
    ///
    /// ```sql
    /// -- before                            -- after
    /// CASE WHEN a > 1 THEN NULL END        NULL
    /// ```
    fn case_of_nulls(&self, expr: &'e ValueTypeExpr, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
        let ScalarKind::Case(case) = value.kind else { return value };
        let mut values = case.cases.iter().map(|(_, value)| value).chain(&case.otherwise);
        if values.all(|value| self.cx.is_null(value)) && self.contents(expr) == Holds::default() {
            return self.cx.null(value.ty);
        }
        value
    }

    pub(crate) fn inner_order(
        &mut self,
        scope: &NameScope<'_, 'a>,
        items: &'e [crate::expr::OrderByItemExpr],
    ) -> Result<&'a [Order<'a, 'e>]> {
        let mut keys = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let value = self.value(scope, &item.field).at("Field").at_index(index).at("OrderBy")?;
            query::order(self.cx, &mut keys, value, !item.ascending, item.nulls)?;
        }
        for key in &mut keys {
            key.value = sorted::sorted(self.cx, key.value)?;
        }
        Ok(keys.into_bump_slice())
    }

    /// A registered fragment.
    pub(crate) fn fragment(
        &mut self,
        scope: &NameScope<'_, 'a>,
        node: &'e GenericSqlExpr,
    ) -> Result<(&'a Fragment<'e>, FragmentSort)> {
        let target = self.cx.target;
        let Some(NamedFragment { callback, sort }) = target.registry().find_fragment(&node.key) else {
            return Err(ErrorKind::UnknownFragment { key: node.key.to_string() }.into());
        };
        let cx = &*self.cx;
        let mut lookup = |name: &str| match scope::property(cx, scope, &crate::expr::prop(name)) {
            Ok(Scalar { kind: ScalarKind::Column(column), .. }) => Ok(column.text().to_owned()),
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
        self.cx.own_text = true;
        Ok((self.cx.node(Fragment { index, tree: std::marker::PhantomData }), *sort))
    }
}

fn is_temporal(scalar: &Scalar<'_, '_>) -> bool {
    scalar.ty.is_some_and(|ty| ty.base.is_date() || ty.base == DbValueType::Time)
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
