//! LIKE and its family.

use compact_str::CompactString;

use crate::dialect::{Feature, Spelling};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, LogicOperator, Value};
use crate::frame::{Call, CompareOp, Match, MatchKind, Pred, Scalar, ScalarKind};
use crate::functions::Func;
use crate::kept::{How, Made};
use crate::render::Prec;

use super::{Cx, Rule, arithmetic, call, cast, compare, logic, regex, typed_by};

/// Which ends of a text a search leaves open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenEnds {
    Start,
    End,
    Both,
}

impl OpenEnds {
    /// What stands before and after the text.
    fn ends(self, wildcard: &'static str) -> [&'static str; 2] {
        match self {
            OpenEnds::Start => [wildcard, ""],
            OpenEnds::End => ["", wildcard],
            OpenEnds::Both => [wildcard, wildcard],
        }
    }
}

/// A match by an operator of the LIKE family, or by a regular expression.
pub(crate) fn match_text<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    text: Scalar<'a, 'e>,
    operator: LogicOperator,
    pattern: Scalar<'a, 'e>,
) -> Result<Pred<'a, 'e>> {
    use LogicOperator as O;
    let text = searched(cx, text, "a search in what is no text")?;
    let pattern = match cx.class_of(&pattern) {
        Some(Value::Text(_) | Value::Null) => pattern,
        _ => searched(cx, pattern, "a search for what is no text")?,
    };
    no_zero(cx, &text)?;
    no_zero(cx, &pattern)?;
    let negated = operator.is_negated();
    let mut text = text;
    if text.ty.is_some_and(|ty| ty.array || !ty.base.is_text()) && cx.rule_for(Feature::ConcatAny)?.is_some() {
        text = cast::cast(cx, text, DbValueType::String.into())?;
    }
    let (open, fold) = match operator.positive() {
        O::StartsWith => (Some(OpenEnds::End), false),
        O::EndsWith => (Some(OpenEnds::Start), false),
        O::Contains => (Some(OpenEnds::Both), false),
        O::IStartsWith => (Some(OpenEnds::End), true),
        O::IEndsWith => (Some(OpenEnds::Start), true),
        O::IContains => (Some(OpenEnds::Both), true),
        O::ILike => (None, true),
        O::RegexpLike => {
            cx.need(Feature::Regex)?;
            let pattern = typed_by(regex::regex(cx, pattern, true)?, &text);
            let node = Match { text, pattern, kind: MatchKind::Regex, negated };
            return Ok(Pred::Match(cx.node(node)));
        }
        _ => (None, false),
    };
    if cx.class_of(&pattern).is_some_and(Value::is_null) {
        let null = cx.null(text.ty);
        return compare_with_null(cx, text, null);
    }
    let literal = match cx.value_of(&pattern) {
        Some(Value::Text(value)) => Some(value.clone()),
        _ => None,
    };
    match (open, literal) {
        (Some(open), Some(value)) => find_literal(cx, text, open, fold, &value, negated),
        (Some(open), None) => find_computed(cx, text, open, fold, pattern, negated),
        (None, Some(value)) => like_literal(cx, text, fold, &value, negated),
        (None, None) => {
            no_computed_pattern(cx)?;
            let pattern = clean_pattern(cx, pattern)?;
            like(cx, text, pattern, true, fold, negated)
        }
    }
}

/// An error for a known text with a zero character, on an engine whose functions take that for its end.
pub(super) fn no_zero<'a, 'e>(cx: &Cx<'a, 'e>, text: &Scalar<'a, 'e>) -> Result<()> {
    let with_zero = |value: &Value| matches!(value, Value::Text(text) if text.contains('\0'));
    if cx.asks(text, with_zero) { cx.need(Feature::ZeroCharacter) } else { Ok(()) }
}

/// What is searched, and what for, has to be text. A whole number is written alike by every engine, anything else is not.
///
/// ```sql
/// -- before          -- after
/// qty LIKE '5%'      CAST(qty AS text) LIKE '5%'
/// ```
fn searched<'a, 'e>(cx: &mut Cx<'a, 'e>, text: Scalar<'a, 'e>, what: &str) -> Result<Scalar<'a, 'e>> {
    match text.ty {
        Some(ty) if ty.array || ty.base == DbValueType::Xml || !(ty.base.is_text() || ty.base.is_integer()) => {
            let why = "engines write it as text in different ways: cast or format it first";
            Err(Cx::misplaced(what, why))
        }
        Some(ty) if ty.base.is_integer() => cast::cast(cx, text, DbValueType::String.into()),
        _ => Ok(text),
    }
}

/// A comparison that is never true.
fn compare_with_null<'a, 'e>(cx: &mut Cx<'a, 'e>, text: Scalar<'a, 'e>, null: Scalar<'a, 'e>) -> Result<Pred<'a, 'e>> {
    Ok(Pred::Compare(cx.node(crate::frame::Compare { left: text, op: CompareOp::Equal, right: null })))
}

/// A search for a text that is known: its wildcards are escaped.
fn find_literal<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    text: Scalar<'a, 'e>,
    open: OpenEnds,
    fold: bool,
    value: &str,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    if !fold && cx.target.support(Feature::LikeCollation) == crate::dialect::Support::Expand(Rule::LikeToGlob) {
        cx.note(Feature::LikeCollation, Rule::LikeToGlob);
        let [before, after] = open.ends("*");
        let mut pattern = CompactString::with_capacity(value.len() + 2);
        pattern.push_str(before);
        for c in value.chars() {
            push_glob(&mut pattern, c);
        }
        pattern.push_str(after);
        return Ok(glob(cx, text, pattern, [before, after], negated));
    }
    let brackets = !cx.target.has(Feature::LikeBracket);
    let special = |c: char| matches!(c, '%' | '_' | '\\') || (brackets && c == '[');
    let escaped = value.contains(special);
    if brackets && value.contains('[') {
        cx.note(Feature::LikeBracket, Rule::BracketEscape);
    }
    let [before, after] = open.ends("%");
    let mut pattern = CompactString::with_capacity(value.len() + 2);
    pattern.push_str(before);
    if escaped {
        for c in value.chars() {
            if special(c) {
                pattern.push('\\');
            }
            pattern.push(c);
        }
    } else {
        pattern.push_str(value);
    }
    pattern.push_str(after);
    let pattern = made_text(cx, pattern, &text, [before, after]);
    like(cx, text, pattern, escaped, fold, negated)
}

/// A pattern of the caller's, kept in its meaning.
fn like_literal<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    text: Scalar<'a, 'e>,
    fold: bool,
    value: &str,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    if !fold && cx.target.support(Feature::LikeCollation) == crate::dialect::Support::Expand(Rule::LikeToGlob) {
        cx.note(Feature::LikeCollation, Rule::LikeToGlob);
        let mut pattern = CompactString::with_capacity(value.len());
        let mut chars = value.chars();
        while let Some(c) = chars.next() {
            match c {
                '%' => pattern.push('*'),
                '_' => pattern.push('?'),
                '\\' => push_glob(&mut pattern, chars.next().unwrap_or('\\')),
                c => push_glob(&mut pattern, c),
            }
        }
        return Ok(glob(cx, text, pattern, [""; 2], negated));
    }
    let mut escaped = value.contains('\\');
    let mut pattern = CompactString::with_capacity(value.len());
    let brackets = !cx.target.has(Feature::LikeBracket);
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            // An escape before an ordinary character, or at the end, is refused by some engines.
            '\\' => match chars.next() {
                Some(c) if matches!(c, '%' | '_' | '\\') || (brackets && c == '[') => {
                    pattern.push('\\');
                    pattern.push(c);
                }
                Some(c) => pattern.push(c),
                None => pattern.push_str("\\\\"),
            },
            '[' if brackets => {
                cx.note(Feature::LikeBracket, Rule::BracketEscape);
                escaped = true;
                pattern.push_str("\\[");
            }
            c => pattern.push(c),
        }
    }
    let pattern = made_text(cx, pattern, &text, [""; 2]);
    like(cx, text, pattern, escaped, fold, negated)
}

/// A search for a text that is computed: by its position, so that nothing has to be escaped.
///
/// ```sql
/// -- before               -- after
/// a CONTAINS b            INSTR(a, b) > 0
/// a STARTS WITH b         LEFT(a, LENGTH(b)) = b
///                         LEFT(a, LENGTH(b)) + '.' = b + '.', where `=` ignores blanks at the end,
///                         LOCATE(b, a) = 1, or where the collation says whether it does
/// ```
fn find_computed<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    text: Scalar<'a, 'e>,
    open: OpenEnds,
    fold: bool,
    pattern: Scalar<'a, 'e>,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    let ty = Some(DbValueType::String.into());
    let int = Some(DbValueType::Int32.into());
    let (text, pattern) = if fold {
        (call::call(cx, Func::Lower, &[text], text.ty)?, call::call(cx, Func::Lower, &[pattern], ty)?)
    } else {
        (text, pattern)
    };
    let pred = match open {
        OpenEnds::Both => {
            let at = call::call(cx, Func::IndexOf, &[text, pattern], int)?;
            let (at, op) =
                counted_from_one(cx, at).map_or((at, CompareOp::GreaterOrEqual), |at| (at, CompareOp::Greater));
            compare::compare(cx, at, op, cx.int(0))?
        }
        OpenEnds::End | OpenEnds::Start => {
            let blanks = cx.rule_for(Feature::TrailingBlanks)?;
            if blanks == Some(Rule::BlanksCounted) && open == OpenEnds::End {
                let at = call::call(cx, Func::IndexOf, &[text, pattern], int)?;
                let (at, first) = counted_from_one(cx, at).map_or((at, 0), |at| (at, 1));
                let pred = compare::compare(cx, at, CompareOp::Equal, cx.int(first))?;
                return Ok(if negated { logic::not(cx, pred) } else { pred });
            }
            let length = call::call(cx, Func::Length, &[pattern], int)?;
            let part = if open == OpenEnds::End { Func::Left } else { Func::Right };
            let (mut part, mut pattern) = (call::call(cx, part, &[text, length], ty)?, pattern);
            if blanks == Some(Rule::BlanksEnded) {
                let end = cx.literal_text(&".");
                (part, pattern) = (arithmetic::concat(cx, &[part, end])?, arithmetic::concat(cx, &[pattern, end])?);
            }
            let same = compare::compare(cx, part, CompareOp::Equal, pattern)?;
            if blanks == Some(Rule::BlanksCounted) {
                let whole = call::call(cx, Func::Length, &[text], int)?;
                let fits = compare::compare(cx, whole, CompareOp::GreaterOrEqual, length)?;
                logic::all(cx, &[fits, same])
            } else {
                same
            }
        }
    };
    Ok(if negated { logic::not(cx, pred) } else { pred })
}

/// The position as the engine counts it, from 1, where 1 is subtracted from that.
fn counted_from_one<'a, 'e>(cx: &Cx<'a, 'e>, at: Scalar<'a, 'e>) -> Option<Scalar<'a, 'e>> {
    let ScalarKind::Call(call) = at.kind else { return None };
    let spelling = cx.node(call.spelling.counted_from_one()?);
    let call = cx.node(Call { spelling, prec: Prec::Atom, ..*call });
    Some(Scalar { kind: ScalarKind::Call(call), ..at })
}

/// A pattern that was made of the caller's text, with these ends.
fn made_text<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    pattern: CompactString,
    text: &Scalar<'a, 'e>,
    ends: [&'static str; 2],
) -> Scalar<'a, 'e> {
    if let Some(of) = cx.searched_for {
        let index = u32::try_from(cx.made.len()).unwrap_or(u32::MAX);
        cx.made_again.push(Made { index, of, how: How::Around(ends) });
    }
    // The pattern takes the column's kind of text, so that an index on a VARCHAR column serves it.
    let ty = text.ty.filter(|ty| ty.base.is_text() && !ty.array).unwrap_or_else(|| DbValueType::String.into());
    let scalar = cx.made(Value::Text(pattern), Some(ty));
    if text.ty.is_some_and(|t| t.base.is_text()) { super::typed(scalar) } else { scalar }
}

fn glob<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    text: Scalar<'a, 'e>,
    pattern: CompactString,
    ends: [&'static str; 2],
    negated: bool,
) -> Pred<'a, 'e> {
    let pattern = made_text(cx, pattern, &text, ends);
    Pred::Match(cx.node(Match { text, pattern, kind: MatchKind::Glob, negated }))
}

fn like<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    text: Scalar<'a, 'e>,
    pattern: Scalar<'a, 'e>,
    escaped: bool,
    fold: bool,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    let mut node = Match { text, pattern: typed_by(pattern, &text), kind: MatchKind::Like { escaped }, negated };
    if fold {
        match cx.rule_for(Feature::ILike)? {
            None => node.kind = MatchKind::ILike { escaped },
            Some(Rule::ILikeIsLike) => {}
            Some(_) => {
                node.text = call::call(cx, Func::Lower, &[text], text.ty)?;
                node.pattern = call::call(cx, Func::Lower, &[node.pattern], pattern.ty)?;
            }
        }
    }
    Ok(Pred::Match(cx.node(node)))
}

/// `TRIM` of any of some characters, on an engine whose `TRIM` takes a whole text away over and over.
///
/// ```sql
/// -- before               -- after
/// TRIM(a, 'x')            TRIM(BOTH 'x' FROM a)
/// TRIM(a, 'x-')           REGEXP_REPLACE(a, '(?-i)\A[x\-]+|[x\-]+\z', '')
/// ```
///
/// Exact for characters that are known; computed ones are refused.
pub(crate) fn trim_characters<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &'a [Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Result<Scalar<'a, 'e>> {
    let name = func.signature().name;
    let [text, characters] = args else { return Err(Cx::misplaced(name, "it takes a text and characters")) };
    let set = match cx.value_of(characters) {
        Some(Value::Text(set)) => set.clone(),
        Some(Value::Null) => return Ok(cx.null(ty)),
        _ => return Err(cx.target.refused(format!("{name} of computed characters"), Rule::TrimCharacters.why())),
    };
    let (spelling, start, end) = match func {
        Func::TrimStart => (const { &Spelling::new("TRIM(LEADING {1} FROM {0})") }, true, false),
        Func::TrimEnd => (const { &Spelling::new("TRIM(TRAILING {1} FROM {0})") }, false, true),
        _ => (const { &Spelling::new("TRIM(BOTH {1} FROM {0})") }, true, true),
    };
    if set.chars().nth(1).is_none() {
        let call = Call { func: Some(func), ..Call::spelled(spelling, Prec::Atom, args) };
        return Ok(Scalar {
            kind: ScalarKind::Call(cx.node(call)),
            ty,
            nullable: text.nullable,
            column: None,
            text: None,
        });
    }
    let mut class = CompactString::const_new("[");
    for c in set.chars() {
        if c.is_ascii_punctuation() {
            class.push('\\');
        }
        class.push(c);
    }
    class.push_str("]+");
    let mut pattern = CompactString::const_new("(?-i)");
    if start {
        pattern.push_str("\\A");
        pattern.push_str(&class);
    }
    if start && end {
        pattern.push('|');
    }
    if end {
        pattern.push_str(&class);
        pattern.push_str("\\z");
    }
    let pattern = cx.made(Value::Text(pattern), Some(DbValueType::String.into()));
    let nothing = cx.literal_text(&"");
    call::call(cx, Func::RegexpReplace, &[*text, pattern, nothing], ty)
}

/// A computed pattern, on an engine where the escape has to stand before a wildcard or itself.
///
/// ```sql
/// -- before         -- after
/// a LIKE b          a LIKE REGEXP_REPLACE(b, '(\\[%_\\])|\\(.)', '\1\2', 1, 0, 'n') ESCAPE '\'
/// ```
///
/// What stands behind an escape means itself, as everywhere. One at the end is an error there.
fn clean_pattern<'a, 'e>(cx: &mut Cx<'a, 'e>, pattern: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    if cx.rule_for(Feature::LikeEscape)?.is_none() {
        return Ok(pattern);
    }
    let spelling = cx.target.dialect().clean_pattern();
    let call = Call::spelled(spelling, Prec::Atom, cx.slice(&[pattern]));
    let call = Call { func: Some(Func::RegexpReplace), ..call };
    Ok(Scalar { kind: ScalarKind::Call(cx.node(call)), column: None, ..pattern })
}

fn no_computed_pattern(cx: &Cx<'_, '_>) -> Result<()> {
    if cx.target.has(Feature::LikeBracket) && cx.target.has(Feature::LikeCollation) {
        return Ok(());
    }
    let reason = "its LIKE reads a computed pattern differently; use Contains, StartsWith or EndsWith";
    Err(cx.target.refused("Like with a computed pattern", reason))
}

fn push_glob(pattern: &mut CompactString, c: char) {
    if matches!(c, '*' | '?' | '[') {
        pattern.push('[');
        pattern.push(c);
        pattern.push(']');
    } else {
        pattern.push(c);
    }
}
