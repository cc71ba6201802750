//! Reads predicates.

use super::error::{Fault, JsonErrorKind, Result, nearest};
use super::reader::{Object, Reader, keys, unknown_word};
use super::usual::BLANK;
use super::words::{self, Marker};
use crate::expr::{
    AndExpr, Child, ForeignExpr, GenericSqlExpr, LogicBinaryExpr, LogicExpr, LogicOperator, NotExpr, OrExpr,
    SqlSegment, ValueBinaryExpr, ValueTypeExpr,
};

/// The node under the marker `bin`: its operator says which.
pub(super) enum Binary {
    Logic(LogicBinaryExpr),
    Value(ValueBinaryExpr),
}

const LOGIC: &str = "a logic expression";

impl Reader<'_> {
    /// Reads a predicate. A value is none: `{"$istrue":value}` makes it one.
    pub(super) fn logic(&mut self) -> Result<LogicExpr> {
        let mut logic = BLANK;
        self.logic_into(&mut logic)?;
        Ok(logic)
    }

    #[inline(never)]
    pub(super) fn any_logic(&mut self) -> Result<LogicExpr> {
        if self.scan.peek()? != b'{' {
            return Err(self.wrong(LOGIC));
        }
        let object = self.node()?;
        self.logic_node(object)
    }

    #[inline]
    pub(super) fn logic_node(&mut self, object: Object) -> Result<LogicExpr> {
        match object.marker {
            Marker::Compare(operator) => self.comparison(object, operator, None, None).map(LogicExpr::Binary),
            Marker::And => self.terms(object).map(|items| LogicExpr::And(AndExpr { items })),
            Marker::Or => self.terms(object).map(|items| LogicExpr::Or(OrExpr { items })),
            _ => self.rare_logic(object),
        }
    }

    #[inline(never)]
    fn rare_logic(&mut self, object: Object) -> Result<LogicExpr> {
        match object.marker {
            Marker::Not => self.not(object),
            Marker::Logic => self.logic_by_name(object).map(LogicExpr::Binary),
            Marker::Binary => {
                let at = object.at;
                match self.binary(object)? {
                    Binary::Logic(node) => Ok(LogicExpr::Binary(node)),
                    Binary::Value(_) => Err(Fault::wrong(at, LOGIC, "a computed value")),
                }
            }
            Marker::Foreign => self.foreign(object).map(LogicExpr::from),
            Marker::Exists => self.exists(object),
            Marker::IsTrue => self.is_true(object),
            Marker::Sql => self.sql(object).map(LogicExpr::from),
            other => Err(Fault::wrong(object.at, LOGIC, other.noun())),
        }
    }

    /// The rest of a comparison, of which the left and right side may have been read.
    #[inline(never)]
    pub(super) fn comparison(
        &mut self,
        mut object: Object,
        operator: LogicOperator,
        mut left: Option<ValueTypeExpr>,
        mut right: Option<ValueTypeExpr>,
    ) -> Result<LogicBinaryExpr> {
        keys!(self, object, { "Left" => left = Self::value, "Right" => right = Self::value, });
        let left = self.need(left, &object, "Left")?;
        Ok(LogicBinaryExpr { left, operator, right: self.need(right, &object, "Right")? })
    }

    #[inline(never)]
    fn logic_by_name(&mut self, mut object: Object) -> Result<LogicBinaryExpr> {
        let (mut left, mut right, mut operator) = (None, None, None);
        keys!(self, object, {
            "Left" => left = Self::value,
            "Right" => right = Self::value,
            "Operator" => operator = Self::logic_operator,
        });
        let operator = self.need(operator, &object, "Operator")?;
        let left = self.need(left, &object, "Left")?;
        Ok(LogicBinaryExpr { left, operator, right: self.need(right, &object, "Right")? })
    }

    fn logic_operator(&mut self) -> Result<LogicOperator> {
        const WHAT: &str = "comparison operator";
        let at = self.place()?;
        if self.scan.byte() == Some(b'"') {
            let word = self.scan.string()?;
            return words::logic_operator(&word)
                .ok_or_else(|| unknown_word(at, WHAT, &word, nearest(&word, words::logic_operators())));
        }
        let number = self.integer()?;
        words::logic_operator_number(number).ok_or_else(|| unknown_word(at, WHAT, &number.to_string(), None))
    }

    /// `{"$":"bin"}`: a number is an operator on values, a name or sign either.
    #[inline(never)]
    pub(super) fn binary(&mut self, mut object: Object) -> Result<Binary> {
        enum Operator {
            Logic(LogicOperator),
            Value(crate::expr::ValueOperator),
        }
        let (mut left, mut right, mut operator) = (None, None, None);
        keys!(self, object, {
            "Left" => left = Self::value,
            "Right" => right = Self::value,
            "Operator" => operator = |reader: &mut Self| {
                let at = reader.place()?;
                if reader.scan.byte() == Some(b'"') {
                    let word = reader.scan.string()?;
                    if words::find(words::VALUE_OPERATORS, &word).is_none() {
                        reader.scan.at = at;
                        return reader.logic_operator().map(Operator::Logic);
                    }
                    reader.scan.at = at;
                }
                reader.word("operator", words::VALUE_OPERATORS).map(Operator::Value)
            },
        });
        let operator = self.need(operator, &object, "Operator")?;
        let left = self.need(left, &object, "Left")?;
        let right = self.need(right, &object, "Right")?;
        Ok(match operator {
            Operator::Logic(operator) => Binary::Logic(LogicBinaryExpr { left, operator, right }),
            Operator::Value(operator) => Binary::Value(ValueBinaryExpr { left, operator, right }),
        })
    }

    fn terms(&mut self, mut object: Object) -> Result<Vec<LogicExpr>> {
        let mut items = self.lead(&object, Self::term_list)?;
        keys!(self, object, { "Items" if object.long => items = Self::term_list, });
        self.need(items, &object, "Items")
    }

    fn term_list(&mut self) -> Result<Vec<LogicExpr>> {
        let mut items = Vec::new();
        self.each(|reader| {
            // Not for an empty list, which is a text of nine bytes.
            if items.is_empty() {
                items.reserve_exact(8);
            }
            items.push(BLANK);
            match items.last_mut() {
                Some(item) => reader.logic_into(item),
                None => Ok(()),
            }
        })?;
        Ok(items)
    }

    #[inline(never)]
    fn not(&mut self, mut object: Object) -> Result<LogicExpr> {
        let mut operand = self.lead(&object, Self::logic)?;
        keys!(self, object, { "Operand" if object.long => operand = Self::logic, });
        let operand = self.need(operand, &object, "Operand")?;
        Ok(NotExpr { operand }.into())
    }

    #[inline(never)]
    fn foreign(&mut self, mut object: Object) -> Result<ForeignExpr> {
        let mut entity = self.lead(&object, Self::entity)?;
        let (mut alias, mut auto_related, mut inner, mut table_args) = (None, None, None, None);
        keys!(self, object, {
            "Foreign" if object.long => entity = Self::entity,
            "Alias" => alias = |reader| reader.optional(Self::name),
            "AutoRelated" => auto_related = Self::boolean,
            "InnerExpr" => inner = |reader| reader.optional(Self::logic),
            "TableArgs" => table_args = Self::table_args,
        });
        Ok(ForeignExpr {
            entity: self.need(entity, &object, "Foreign")?,
            alias: alias.flatten(),
            inner: inner.flatten(),
            table_args: table_args.unwrap_or_default(),
            auto_related: auto_related.unwrap_or_default(),
        })
    }

    #[inline(never)]
    fn exists(&mut self, mut object: Object) -> Result<LogicExpr> {
        let query: SqlSegment = self.segment()?;
        self.finish(&mut object)?;
        Ok(LogicExpr::Exists(Child::new(query)))
    }

    #[inline(never)]
    fn is_true(&mut self, mut object: Object) -> Result<LogicExpr> {
        let value: ValueTypeExpr = self.value()?;
        self.finish(&mut object)?;
        Ok(LogicExpr::IsTrue(Child::new(value)))
    }

    #[inline(never)]
    pub(super) fn sql(&mut self, mut object: Object) -> Result<GenericSqlExpr> {
        let (mut key_name, mut arg) = (None, None);
        keys!(self, object, { "Key" => key_name = Self::name, "Arg" => arg = Self::plain, });
        Ok(GenericSqlExpr { key: self.need(key_name, &object, "Key")?, arg: arg.unwrap_or_default() })
    }

    /// The error about a value where a predicate is due.
    #[cold]
    pub(super) fn not_logic(&self, at: usize, value: &ValueTypeExpr) -> Box<Fault> {
        Fault::new(at, JsonErrorKind::WrongNode { expected: LOGIC, found: super::read_value::noun(value) })
    }
}
