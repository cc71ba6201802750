//! What an engine does otherwise in a subquery of EXISTS or IN.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::DbValueType;
use crate::frame::{Compare, CompareOp, Items, Pred, Query, Scalar, ScalarKind, Select};
use crate::functions::Func;

use super::Cx;

impl<'a, 'e> Cx<'a, 'e> {
    /// `EXISTS (query)`, or `a IN (query)`: in the condition of a join it is a value where the engine would join the tables
    /// of the query.
    pub(crate) fn over_query(&mut self, pred: Pred<'a, 'e>) -> Result<Pred<'a, 'e>> {
        if !self.context.get().in_join || self.rule_for(Feature::SubqueryInJoin)?.is_none() {
            return Ok(pred);
        }
        let ty = Some(DbValueType::Boolean.into());
        let nullable = matches!(pred, Pred::In(_));
        let left = Scalar { kind: ScalarKind::Truth(self.node(pred)), ty, nullable, column: None, text: None };
        let right = Scalar { ty, ..self.int(1) };
        Ok(Pred::Compare(self.node(Compare { left, op: CompareOp::Equal, right })))
    }

    /// A page of groups or of distinct rows below EXISTS, on an engine that drops DISTINCT and GROUP BY there and skips
    /// rows instead.
    ///
    /// ```sql
    /// -- before                                     -- after
    /// EXISTS (SELECT DISTINCT a FROM t OFFSET 5)   EXISTS (SELECT 1 FROM t GROUP BY a HAVING COUNT(*) > 0 OFFSET 5)
    /// ```
    ///
    /// Exact.
    pub(crate) fn exists_groups(&mut self, select: &Select<'a, 'e>) -> Result<Option<Select<'a, 'e>>> {
        let grouped = !select.group.is_empty() && select.having.is_none();
        if !(select.distinct || grouped) || self.rule_for(Feature::ExistsGroups)?.is_none() {
            return Ok(None);
        }
        let group = match (select.items, select.group) {
            (_, group) if !select.distinct => group,
            (Items::List(items), []) if items.iter().all(|item| self.is_of_a_row(&item.value)) => {
                let mut keys = self.vec(items.len());
                // A constant parts no rows, and a number in the text would be the place of a column.
                keys.extend(items.iter().map(|item| item.value).filter(|key| !self.is_constant(key)));
                keys.into_bump_slice()
            }
            _ => {
                let reason = "it drops DISTINCT there: group by what is selected instead";
                return Err(self.target.refused("EXISTS of a page of distinct groups", reason));
            }
        };
        let count = self.call(Func::Count, &[], Some(DbValueType::Int64.into()))?;
        let having = Some(self.compare(count, CompareOp::Greater, self.int(0))?);
        Ok(Some(Select { distinct: false, items: Items::One, group, having, ..*select }))
    }

    /// Refuses a subquery of IN with a limit that looks at the query around it, on an engine where it would be a derived
    /// table that may not. `around` are the qualifiers of the columns there.
    pub(crate) fn no_outer_in_derived(&self, query: &Query<'a, 'e>, around: &[&str]) -> Result<()> {
        let (text, _) = self.text_by(|writer| writer.query(query))?;
        let looks = |qualifier: &&str| {
            !qualifier.is_empty()
                && text
                    .match_indices(*qualifier)
                    .any(|(at, name)| text.get(at + name.len()..).is_some_and(|rest| rest.starts_with('.')))
        };
        if around.iter().any(looks) { self.need(Feature::OuterInDerived) } else { Ok(()) }
    }

    /// Whether a subquery of IN becomes a derived table that may not look at the query around it.
    pub(crate) fn is_shut_off(&self, query: &Query<'a, 'e>) -> bool {
        (query.limit.is_some() || query.offset.is_some())
            && !self.target.has(Feature::LimitInSubquery)
            && !self.target.has(Feature::OuterInDerived)
    }
}
