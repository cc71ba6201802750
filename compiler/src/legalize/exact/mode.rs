//! What a text is compared by, and its forms.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::DbValueType;
use crate::frame::{Scalar, ScalarKind, TextForm};
use crate::legalize::{Cx, Rule};
use crate::model::{Collation, Column, TextMode};
use crate::target::Texts;

use super::compare::exact_beside;
use super::{Beside, For, is_text};

/// A text as it is sorted or grouped, or compared with what is beside it.
pub(super) fn by_points<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: Scalar<'a, 'e>,
    beside: Beside<'_>,
    use_of: For,
    form: TextForm,
) -> Result<Scalar<'a, 'e>> {
    let keyed = form == TextForm::Key && ignores_blanks(cx);
    if value.is_plain() && !keyed || !is_text(value.ty) {
        return Ok(value);
    }
    let mut side = [value];
    exact_beside(cx, &mut side, beside, use_of, form)?;
    let [value] = side;
    Ok(value)
}

/// A text by its code points. Where blanks at the end count anyway, a key is written as a value is, and is one: the key
/// of a group is found again in a comparison.
pub(super) fn exact<'a, 'e>(cx: &Cx<'a, 'e>, value: Scalar<'a, 'e>, form: TextForm) -> Scalar<'a, 'e> {
    let form = if form == TextForm::Key && !ignores_blanks(cx) { TextForm::Value } else { form };
    match value.kind {
        ScalarKind::Exact(inner, TextForm::Value) if form == TextForm::Key => {
            Scalar { kind: ScalarKind::Exact(inner, form), ..value }
        }
        ScalarKind::Exact(_, TextForm::Value | TextForm::Key) => value,
        // A large object has no collation but the session's.
        _ if !cx.target.has(Feature::LargeText) && value.column.is_some_and(Column::is_large_text) => value,
        _ => Scalar { kind: ScalarKind::Exact(cx.node(value), form), ..value },
    }
}

/// A text that is matched or folded by kinds of letters, of which a collation by code points may know ASCII's only: its
/// own may be one by now, as that of a group's key is, or of a derived table's column.
pub(super) fn by_letters<'a, 'e>(cx: &Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    if !texts_exact(cx) || value.is_plain() || !is_text(value.ty) {
        return value;
    }
    Scalar { kind: ScalarKind::Exact(cx.node(value), TextForm::Pattern), ..value }
}

/// Texts that one value is made of. Where some of them are written with a collation by code points and others with one
/// that knows letters, all get the former: an engine takes one only.
///
/// ```sql
/// -- before                                           -- after
/// LOWER(a COLLATE "default") || MIN(b COLLATE "C")   LOWER(a COLLATE "default") COLLATE "C" || MIN(b COLLATE "C")
/// ```
pub(super) fn one_collation<'a, 'e, 'v>(cx: &Cx<'a, 'e>, values: impl Iterator<Item = &'v mut Scalar<'a, 'e>>)
where
    'a: 'v,
    'e: 'a,
{
    let mut letters = Vec::new();
    let mut points = false;
    for value in values {
        points |= shows(cx, value, false);
        if shows(cx, value, true) {
            letters.push(value);
        }
    }
    if points {
        for value in letters {
            *value = exact(cx, *value, TextForm::Value);
        }
    }
}

/// What a text is to those that are compared with it.
pub(super) fn beside_of<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Beside<'a> {
    let name = known(value).map(|collation| collation.name.as_str());
    let exact = text_mode(cx, value) == Some(TextMode::Exact);
    Beside { exact, mixed: name.is_none() && !value.is_plain(), name, clash: false }
}

/// What a text is compared by; none where what stands beside it says so. A computed one is compared by code points if a
/// text is that it is made of.
pub(crate) fn text_mode<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Option<TextMode> {
    let all = cx.target.text();
    let own = value.text.or_else(|| value.column.and_then(|column| column.text));
    match value.kind {
        ScalarKind::Param(_) | ScalarKind::Literal(_) => None,
        ScalarKind::Column(_) => Some(own.unwrap_or(all)),
        _ if all == TextMode::Exact => Some(all),
        ScalarKind::Query(_) => Some(own.unwrap_or(all)),
        _ => {
            let exact = made_of(cx, value, &mut |cx, text| text_mode(cx, text) == Some(TextMode::Exact));
            Some(if exact { TextMode::Exact } else { TextMode::Database })
        }
    }
}

/// Whether something holds of a text that a value is made of: not of what only chooses or measures it.
fn made_of<'a, 'e>(
    cx: &Cx<'a, 'e>,
    value: &Scalar<'a, 'e>,
    is: &mut dyn FnMut(&Cx<'a, 'e>, &Scalar<'a, 'e>) -> bool,
) -> bool {
    if value.ty.is_some() && !is_text(value.ty) || !cx.may_look(1) {
        return false;
    }
    let mut any = |values: &[Scalar<'a, 'e>]| values.iter().any(|value| made_of(cx, value, is));
    match value.kind {
        ScalarKind::Column(_) | ScalarKind::Query(_) => is(cx, value),
        ScalarKind::Cast(inner, _) | ScalarKind::Exact(inner, _) => made_of(cx, inner, is),
        ScalarKind::Concat(items) => any(items),
        ScalarKind::Call(call) => any(call.args),
        ScalarKind::Window(window) => any(window.call.args),
        ScalarKind::Case(case) => {
            case.cases.iter().any(|(_, value)| made_of(cx, value, is))
                || case.otherwise.is_some_and(|value| made_of(cx, &value, is))
        }
        _ => false,
    }
}

/// What the text of a query's column is compared by, if that is not what a column of a table says.
pub(crate) fn given_text<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Option<TextMode> {
    match value.kind {
        ScalarKind::Column(_) => value.text,
        _ if texts_exact(cx) && is_text(value.ty) => text_mode(cx, value),
        _ => None,
    }
}

/// A value that is no column any more, though its text is the column's: the type beside it is its own.
pub(crate) fn without_column<'a, 'e>(cx: &Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    let text = if texts_exact(cx) && is_text(value.ty) { text_mode(cx, &value) } else { None };
    Scalar { column: None, text, ..value }
}

/// A note that a column is compared by its collation.
pub(super) fn noted<'a, 'e>(cx: &mut Cx<'a, 'e>, value: &Scalar<'a, 'e>, use_of: For) {
    if known(value).is_some_and(|collation| !use_of.serves(collation)) {
        cx.note(Feature::ExactText, Rule::DatabaseText);
    }
}

/// Whether texts may be compared by code points.
pub(crate) fn texts_exact<'a, 'e>(cx: &Cx<'a, 'e>) -> bool {
    cx.target.texts() == Texts::Exact
}

/// Whether `=` ignores blanks at the end of a text under every collation.
pub(super) fn ignores_blanks<'a, 'e>(cx: &Cx<'a, 'e>) -> bool {
    cx.target.support(Feature::TrailingBlanks) == Support::Expand(Rule::BlanksEnded)
}

/// Whether a text is written with a collation, one that knows letters or one by code points, that what is made of it has.
pub(super) fn shows<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>, letters: bool) -> bool {
    let any = |values: &[Scalar<'a, 'e>]| values.iter().any(|value| shows(cx, value, letters));
    match value.kind {
        _ if value.ty.is_some() && !is_text(value.ty) || !cx.may_look(1) => false,
        ScalarKind::Exact(_, form) => (form == TextForm::Pattern) == letters,
        // Of bytes, PostgreSQL's spelling has one that knows letters.
        ScalarKind::Cast(inner, _) if inner.ty.is_some_and(|ty| ty.base == DbValueType::Binary) => letters,
        ScalarKind::Cast(inner, _) => shows(cx, inner, letters),
        ScalarKind::Concat(items) => any(items),
        ScalarKind::Call(call) => any(call.args),
        ScalarKind::Window(window) => any(window.call.args),
        ScalarKind::Case(case) => {
            case.cases.iter().any(|(_, value)| shows(cx, value, letters))
                || case.otherwise.is_some_and(|value| shows(cx, &value, letters))
        }
        _ => false,
    }
}

/// What is known of the collation of a value.
pub(super) fn known<'a>(value: &Scalar<'a, '_>) -> Option<&'a Collation> {
    value.collation().filter(|_| matches!(value.kind, ScalarKind::Column(_)))
}
