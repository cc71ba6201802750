//! What an engine does otherwise in a subquery of EXISTS or IN.

use isogloss_lexis::{Token, is_word};

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::DbValueType;
use crate::frame::{Compare, CompareOp, InList, Items, Part, Pred, Scalar, ScalarKind, Select};
use crate::functions::Func;

use super::{Cx, call, compare, parts, query};

/// `EXISTS (query)`, or `a IN (query)`: in the condition of a join it is a value where the engine would join the tables
/// of the query.
pub(crate) fn over_query<'a, 'e>(cx: &mut Cx<'a, 'e>, pred: Pred<'a, 'e>) -> Result<Pred<'a, 'e>> {
    if !cx.context.get().in_join || cx.rule_for(Feature::SubqueryInJoin)?.is_none() {
        return Ok(pred);
    }
    let ty = Some(DbValueType::Boolean.into());
    let nullable = matches!(pred, Pred::In(_));
    let left = Scalar { kind: ScalarKind::Truth(cx.node(pred)), ty, nullable, column: None, text: None };
    let right = Scalar { ty, ..cx.int(1) };
    Ok(Pred::Compare(cx.node(Compare { left, op: CompareOp::Equal, right })))
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
pub(crate) fn exists_groups<'a, 'e>(cx: &mut Cx<'a, 'e>, select: &Select<'a, 'e>) -> Result<Option<Select<'a, 'e>>> {
    let grouped = !select.group.is_empty() && select.having.is_none();
    if !(select.distinct || grouped) || cx.rule_for(Feature::ExistsGroups)?.is_none() {
        return Ok(None);
    }
    let group = match (select.items, select.group) {
        (_, group) if !select.distinct => group,
        (Items::List(items), []) if items.iter().all(|item| query::is_of_a_row(cx, &item.value)) => {
            let mut keys = cx.vec(items.len());
            // A constant parts no rows, and a number in the text would be the place of a column.
            keys.extend(items.iter().map(|item| item.value).filter(|key| !query::is_constant(cx, key)));
            keys.into_bump_slice()
        }
        _ => {
            let reason = "it drops DISTINCT there: group by what is selected instead";
            return Err(cx.target.refused("EXISTS of a page of distinct groups", reason));
        }
    };
    let count = call::call(cx, Func::Count, &[], Some(DbValueType::Int64.into()))?;
    let having = Some(compare::compare(cx, count, CompareOp::Greater, cx.int(0))?);
    Ok(Some(Select { distinct: false, items: Items::One, group, having, ..*select }))
}

/// Whether a subquery stands in it, one of the caller's or of the spelling of something.
pub(crate) fn has_subquery<'a, 'e, 'p>(cx: &Cx<'a, 'e>, of: impl Into<Part<'p, 'a, 'e>>) -> bool
where
    'e: 'a,
    'a: 'p,
{
    parts::any_part(cx, of, &mut |_, part| reads_rows(part))
}

/// Whether a subquery stands in it, or may stand in a text.
pub(crate) fn may_have_subquery<'a, 'e, 'p>(cx: &Cx<'a, 'e>, of: impl Into<Part<'p, 'a, 'e>>) -> bool
where
    'e: 'a,
    'a: 'p,
{
    let select = |code: &str| code.split(|c| !is_word(c)).any(|word| word.eq_ignore_ascii_case("SELECT"));
    parts::any_part(cx, of, &mut |cx, part| {
        let in_text = |token: Token<'_>| matches!(token, Token::Code(code) if select(code));
        reads_rows(part) || parts::any_token(cx, part, in_text)
    })
}

/// Whether a part is a subquery, or is spelled by one.
fn reads_rows(part: Part<'_, '_, '_>) -> bool {
    match part {
        Part::Scalar(Scalar { kind: ScalarKind::Call(call), .. }) => call.spelling.has_rows(),
        Part::Pred(Pred::In(node)) => matches!(node.list, InList::Query(_) | InList::Array(..)),
        part => part.is_query(),
    }
}
