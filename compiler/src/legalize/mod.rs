//! What a target lacks is expressed by what it has, or refused.
//!
//! `Cx` is one compilation: its arena, its target, what it makes on the way, and the questions about them. The rules are
//! functions over it, each in the module of its topic.
//!
//! Resolving builds every node through the constructors of the topics. Each asks the target for the [`Feature`]s that
//! the node needs: a native one costs a table look-up, an expanded one goes through a named rule that leaves a [`Note`],
//! and one that nothing can express exactly is an error. So a frame never holds what its target lacks, and no pass over
//! it is needed to see to that.

pub(crate) mod arguments;
pub(crate) mod arithmetic;
pub(crate) mod call;
pub(crate) mod cast;
pub(crate) mod compare;
pub(crate) mod dates;
pub(crate) mod derived;
pub(crate) mod digits;
pub(crate) mod exact;
pub(crate) mod expand;
pub(crate) mod format;
pub(crate) mod full_join;
pub(crate) mod group;
pub(crate) mod grouped;
pub(crate) mod implied;
pub(crate) mod json;
pub(crate) mod list;
pub(crate) mod listed;
pub(crate) mod logic;
mod parts;
pub(crate) mod query;
pub(crate) mod recursion;
pub(crate) mod regex;
mod rule;
pub(crate) mod set;
pub(crate) mod sorted;
pub(crate) mod subquery;
pub(crate) mod text;
pub(crate) mod volatile;
pub(crate) mod window;
pub(crate) mod write;

use std::fmt;

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

pub(crate) use call::CallParts;
pub(crate) use exact::is_text;
pub(crate) use list::json_text;
pub use rule::Rule;

use crate::compiler::ResultColumn;
use crate::dialect::{Feature, Support};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType, Name, Value};
use crate::frame::{Bound, ColumnRef, Literal, Param, Scalar, ScalarKind};
use crate::kept::{Made, Question, Taker, made_again};
use crate::model::Column;
use crate::render::FragmentText;
use crate::resolve::Context;
use crate::scope::AppliedFilter;
use crate::target::Target;
use crate::walk::shape::is_said;
use crate::work;

/// What the target lacks and by what it is expressed instead.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Note {
    /// What it lacks.
    pub feature: &'static str,
    /// The rule that expresses it.
    pub rule: Rule,
    /// What that means for the caller.
    pub why: &'static str,
}

/// For people: `nulls_order: a key in front sorts the NULLs; ..`.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.why)
    }
}

/// How many parts may be looked at for each byte that the text may have.
const LOOKS: usize = 16;

/// How many looks a part counts for that may be made anew: it takes room.
const CHANGE: usize = 32;

/// One compilation: its arena, its target, and what it makes on the way.
pub(crate) struct Cx<'a, 'e> {
    pub(crate) bump: &'a Bump,
    pub(crate) target: &'a Target,
    /// Values that are bound and stand nowhere in the tree.
    pub(crate) made: Vec<Value>,
    pub(crate) notes: Vec<Note>,
    /// The columns of the statement's rows, if the request asks for them.
    pub(crate) columns: Vec<ResultColumn>,
    /// The filters of a scope that have been met.
    pub(crate) filters: Vec<AppliedFilter>,
    pub(crate) fragments: Vec<FragmentText>,
    /// Whether the statement is an INSERT, UPDATE or DELETE.
    pub(crate) writes: bool,
    /// Whether the statement is an UPDATE or DELETE.
    pub(crate) changes: bool,
    /// Whether every value is a constant, in subqueries as well: what is made is kept in the catalog or the schema.
    pub(crate) constants_only: bool,
    /// Where what is being resolved stands.
    pub(crate) context: std::cell::Cell<Context>,
    /// Whether a subquery has looked at a column of the written row.
    pub(crate) correlated: std::cell::Cell<bool>,
    /// How many values were bound one by one: as many parameters are made room for.
    pub(crate) params: std::cell::Cell<usize>,
    /// How many tables have got an alias of the form `T<n>`.
    pub(crate) aliases: std::cell::Cell<usize>,
    /// Whether there has been a call of what gives another value each time.
    pub(crate) volatile: bool,
    /// Whether a text of the program's is among the values, which may name columns as it likes.
    pub(crate) own_text: bool,
    /// The columns of wide derived tables by their names.
    pub(crate) wide: listed::Wide<'a>,
    /// How many parts may still be looked at.
    looks: std::cell::Cell<usize>,
    /// The values whose class alone was looked at, each with what takes it as it is; nothing if nobody asks.
    pub(crate) open: Option<Vec<(&'e Value, Taker<&'a Column>)>>,
    /// What else was asked of them.
    pub(crate) asked: std::cell::RefCell<Vec<(&'e Value, Question, bool)>>,
    /// The text of the tree that is searched for, if somebody asks.
    pub(crate) searched_for: Option<&'e Value>,
    /// The patterns that were made of such texts, and what was made of other values to fit what they stand beside.
    pub(crate) made_again: Vec<Made<'e, &'a Column>>,
    /// Whether more than its class was looked at of one that may be open.
    pub(crate) looked: std::cell::Cell<bool>,
    tree: std::marker::PhantomData<&'e ()>,
}

impl<'a, 'e> Cx<'a, 'e> {
    pub(crate) fn new(bump: &'a Bump, target: &'a Target, made: Vec<Value>) -> Self {
        Self {
            bump,
            target,
            made,
            notes: Vec::new(),
            columns: Vec::new(),
            filters: Vec::new(),
            fragments: Vec::new(),
            writes: false,
            changes: false,
            constants_only: false,
            context: std::cell::Cell::new(Context::STATEMENT),
            correlated: std::cell::Cell::new(false),
            params: std::cell::Cell::new(0),
            aliases: std::cell::Cell::new(0),
            volatile: false,
            own_text: false,
            wide: listed::Wide::default(),
            looks: std::cell::Cell::new(target.limits().text.saturating_mul(LOOKS)),
            open: None,
            asked: std::cell::RefCell::default(),
            searched_for: None,
            made_again: Vec::new(),
            looked: std::cell::Cell::new(false),
            tree: std::marker::PhantomData,
        }
    }

    /// Whether as many parts may still be looked at.
    ///
    /// What a rule writes twice is one node in two places. Such nodes one in the other are few, and whoever goes through
    /// them by their places goes on for ever: each walk asks this at each part, and gives up. The statement is refused then,
    /// as its text would be far over the limit.
    #[inline]
    pub(crate) fn may_look(&self, parts: usize) -> bool {
        work::count(parts);
        let left = self.looks.get().saturating_sub(parts);
        self.looks.set(left);
        left > 0
    }

    /// [`may_look`](Self::may_look), where a part may be made anew.
    #[inline]
    pub(crate) fn may_change(&self) -> Result<()> {
        if self.may_look(CHANGE) { Ok(()) } else { self.looked_enough() }
    }

    /// An error if a walk gave up.
    pub(crate) fn looked_enough(&self) -> Result<()> {
        let limit = self.target.limits().text;
        if self.looks.get() > 0 { Ok(()) } else { Err(ErrorKind::TooLarge { limit }.into()) }
    }

    /// A node in the arena.
    // Not in a debug build, where it would take room in the frames of the recursion around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn node<T: Copy>(&self, node: T) -> &'a T {
        self.bump.alloc(node)
    }

    /// A list in the arena.
    #[inline]
    pub(crate) fn slice<T: Copy>(&self, items: &[T]) -> &'a [T] {
        self.bump.alloc_slice_copy(items)
    }

    /// A copy of a list in the arena, to be changed.
    pub(crate) fn copied<T: Copy>(&self, items: &[T]) -> BumpVec<'a, T> {
        let mut list = self.vec(items.len());
        list.extend(items.iter().copied());
        list
    }

    /// An empty list in the arena, with room.
    #[inline]
    pub(crate) fn vec<T>(&self, room: usize) -> BumpVec<'a, T> {
        BumpVec::with_capacity_in(room, self.bump)
    }

    /// Text in the arena.
    pub(crate) fn str(&self, text: &str) -> &'a str {
        self.bump.alloc_str(text)
    }

    /// Quoted names with dots between them, in the arena.
    pub(crate) fn quoted(&self, parts: &[&str]) -> &'a str {
        let room = parts.iter().map(|part| part.len() + 3).sum();
        let mut text = bumpalo::collections::String::with_capacity_in(room, self.bump);
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                text.push('.');
            }
            self.target.quotes().quote_into(&mut text, part);
        }
        text.into_bump_str()
    }

    /// `qualifier.name`, both quoted already.
    pub(crate) fn dotted(&self, qualifier: &str, name: &str) -> &'a ColumnRef<'a> {
        if qualifier.is_empty() {
            return self.bare(self.str(name));
        }
        let mut text = bumpalo::collections::String::with_capacity_in(qualifier.len() + name.len() + 1, self.bump);
        text.push_str(qualifier);
        text.push('.');
        text.push_str(name);
        self.bump.alloc(ColumnRef::behind(qualifier.len(), text.into_bump_str()))
    }

    /// A quoted name without a qualifier.
    pub(crate) fn bare(&self, name: &'a str) -> &'a ColumnRef<'a> {
        self.bump.alloc(ColumnRef::bare(name))
    }

    /// A name of the user's, checked and quoted.
    pub(crate) fn alias(&self, name: &str) -> Result<&'a str> {
        if !Name::is_plain(name) {
            let why = if name.len() > Name::MAX_LEN {
                format!("an alias is at most {} bytes long, this one has {}", Name::MAX_LEN, name.len())
            } else {
                "an alias has ASCII letters, digits and `_`, and does not begin with a digit".to_owned()
            };
            return Err(ErrorKind::BadName { name: name.chars().take(40).collect(), why }.into());
        }
        let limit = self.target.dialect().sheet().limits.identifier;
        if name.len() > limit {
            let dialect = self.target.dialect().label();
            return Err(ErrorKind::NameTooLong { name: name.to_owned(), length: name.len(), limit, dialect }.into());
        }
        let mut text = bumpalo::collections::String::with_capacity_in(name.len() + 2, self.bump);
        self.target.quotes().quote_into(&mut text, name);
        Ok(text.into_bump_str())
    }

    /// The next alias of the form `T<n>`, quoted.
    pub(crate) fn next_alias(&self) -> &'a str {
        let n = self.aliases.get();
        self.aliases.set(n + 1);
        let quotes = self.target.quotes();
        let mut name = String::with_capacity(0);
        let mut text = bumpalo::collections::String::with_capacity_in(8, self.bump);
        text.push(quotes.0);
        text.push('T');
        match u32::try_from(n).ok().and_then(|n| char::from_digit(n, 10)) {
            Some(digit) => text.push(digit),
            None => {
                crate::render::push_number(&mut name, n);
                text.push_str(&name);
            }
        }
        text.push(quotes.1);
        text.into_bump_str()
    }

    /// The main table's alias is the statement's: what comes now is not its main table.
    pub(crate) fn main_is_taken(&self) {
        self.aliases.set(self.aliases.get().max(1));
    }

    /// Notes that a rule was applied.
    pub(crate) fn note(&mut self, feature: Feature, rule: Rule) {
        let note = Note { feature: feature.title(), rule, why: rule.why() };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The rule to apply for a feature, noted; none if the target has it.
    pub(crate) fn rule_for(&mut self, feature: Feature) -> Result<Option<Rule>> {
        match self.target.support(feature) {
            Support::Native => Ok(None),
            Support::Expand(rule) => {
                self.note(feature, rule);
                Ok(Some(rule))
            }
            Support::Refuse(reason) => Err(self.target.refused(feature.title(), reason)),
        }
    }

    /// Whether a rule only helps the engine to plan a statement there. One that is silent about it is not helped, and refuses nothing.
    pub(crate) fn helps(&self, feature: Feature) -> bool {
        matches!(self.target.support(feature), Support::Expand(_))
    }

    /// Nothing if the target has the feature, else its refusal; an expansion that nobody asked for is one too.
    pub(crate) fn need(&self, feature: Feature) -> Result<()> {
        match self.target.support(feature) {
            Support::Native => Ok(()),
            Support::Refuse(reason) => Err(self.target.refused(feature.title(), reason)),
            Support::Expand(rule) => Err(self.target.refused(feature.title(), rule.why())),
        }
    }

    /// A bound value of the tree. It is told its type until something beside it gives it one.
    pub(crate) fn param(&self, value: &'e Value, ty: Option<DbType>) -> Scalar<'a, 'e> {
        self.bound(Bound::Tree(value), ty, value.is_null())
    }

    /// A bound value of the tree that is another one each time: what takes it as it is, is noted for a statement that is kept.
    pub(crate) fn open_param(
        &mut self,
        value: &'e Value,
        ty: Option<DbType>,
        taker: Taker<&'a Column>,
    ) -> Scalar<'a, 'e> {
        match &mut self.open {
            // Of some, the class says all.
            Some(open) if !is_said(value) => {
                open.push((value, taker));
                self.bound(Bound::Open(value), ty, false)
            }
            _ => self.param(value, ty),
        }
    }

    /// A bound value that the compilation makes.
    pub(crate) fn made(&mut self, value: Value, ty: Option<DbType>) -> Scalar<'a, 'e> {
        let null = value.is_null();
        let index = u32::try_from(self.made.len()).unwrap_or(u32::MAX);
        self.made.push(value);
        self.bound(Bound::Made(index), ty, null)
    }

    fn bound(&self, value: Bound<'e>, ty: Option<DbType>, nullable: bool) -> Scalar<'a, 'e> {
        self.params.set(self.params.get() + 1);
        let untyped = !self.target.has(Feature::UntypedParameter);
        let cast = untyped && ty.is_some_and(|ty| self.sent_as_text(ty));
        Scalar {
            kind: ScalarKind::Param(Param { value, untyped, cast, shared: false, repeated: false }),
            ty,
            nullable,
            column: None,
            text: None,
        }
    }

    /// Whether the engine takes a parameter of that type for text, whatever it is compared with.
    pub(crate) fn sent_as_text(&self, ty: DbType) -> bool {
        (ty.base.is_decimal() || ty.base.is_json()) && !ty.array && !self.target.has(Feature::TextParameter)
    }

    /// A whole number in the text.
    pub(crate) fn int(&self, n: i64) -> Scalar<'a, 'e> {
        let ty = Some(DbValueType::Int32.into());
        Scalar { kind: ScalarKind::Literal(Literal::Int(n)), ty, nullable: false, column: None, text: None }
    }

    /// NULL in the text.
    pub(crate) fn null(&self, ty: Option<DbType>) -> Scalar<'a, 'e> {
        Scalar { kind: ScalarKind::Literal(Literal::Null), ty, nullable: true, column: None, text: None }
    }

    /// A constant text of a rule.
    pub(crate) fn literal_text(&self, text: &'static &'static str) -> Scalar<'a, 'e> {
        let ty = Some(DbValueType::String.into());
        Scalar { kind: ScalarKind::Literal(Literal::Text(text)), ty, nullable: false, column: None, text: None }
    }

    /// The value of a parameter or literal, if this is one.
    pub(crate) fn value_of<'s>(&'s self, scalar: &Scalar<'a, 'e>) -> Option<&'s Value>
    where
        'e: 's,
    {
        let is_open = match scalar.kind {
            ScalarKind::Param(Param { value: Bound::Open(_), .. }) => true,
            ScalarKind::Param(Param { value: Bound::Made(index), .. }) => made_again(&self.made_again, index).is_some(),
            _ => false,
        };
        if is_open {
            self.looked.set(true);
        }
        self.class_of(scalar)
    }

    /// Whether something is so of the value of a parameter or literal. A statement is kept for values with the same answer.
    pub(crate) fn asks(&self, scalar: &Scalar<'a, 'e>, question: Question) -> bool {
        if let ScalarKind::Param(Param { value: Bound::Open(value), .. }) = scalar.kind {
            let answer = question(value);
            self.asked.borrow_mut().push((value, question, answer));
            return answer;
        }
        self.value_of(scalar).is_some_and(question)
    }

    /// The value of a parameter or literal, to be asked for its kind, and for more if it is a decimal.
    pub(crate) fn kind_of<'s>(&'s self, scalar: &Scalar<'a, 'e>) -> Option<&'s Value>
    where
        'e: 's,
    {
        match self.class_of(scalar) {
            Some(Value::Decimal(_)) => self.value_of(scalar),
            other => other,
        }
    }

    /// The value of a parameter or literal, to be asked no more than what its class says: its kind, whether it is NULL or
    /// empty, and that a text is short.
    pub(crate) fn class_of<'s>(&'s self, scalar: &Scalar<'a, 'e>) -> Option<&'s Value>
    where
        'e: 's,
    {
        match scalar.kind {
            ScalarKind::Param(Param { value: Bound::Tree(value) | Bound::Open(value), .. })
            | ScalarKind::Literal(Literal::Tree(value)) => Some(value),
            ScalarKind::Param(Param { value: Bound::Made(index), .. }) | ScalarKind::Literal(Literal::Made(index)) => {
                self.made.get(index as usize)
            }
            _ => None,
        }
    }

    /// Whether it is NULL in the tree.
    pub(crate) fn is_null(&self, scalar: &Scalar<'a, 'e>) -> bool {
        matches!(scalar.kind, ScalarKind::Literal(Literal::Null)) || self.class_of(scalar).is_some_and(Value::is_null)
    }

    /// Whether it is the empty text, or no bytes, in the tree.
    pub(crate) fn is_empty(&self, scalar: &Scalar<'a, 'e>) -> bool {
        self.class_of(scalar).is_some_and(Value::is_empty)
    }

    /// An error for a type that an operator cannot take.
    pub(crate) fn misplaced(what: &str, why: &'static str) -> crate::Error {
        ErrorKind::Misplaced { what: what.to_owned(), why }.into()
    }
}

/// The parameter takes its type from what stands beside it, if that has the same.
pub(crate) fn typed_by<'a, 'e>(mut param: Scalar<'a, 'e>, other: &Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    type_by(&mut param, other);
    param
}

/// [`typed_by`], in place.
#[inline]
pub(crate) fn type_by<'a, 'e>(param: &mut Scalar<'a, 'e>, other: &Scalar<'a, 'e>) {
    if let ScalarKind::Param(p) = &mut param.kind
        && p.untyped
        && !p.cast
        && !is_untyped(other)
        && param.ty == other.ty
    {
        p.untyped = false;
    }
}

/// The parameter stands where the engine knows the type: a LIMIT, an assignment.
pub(crate) fn typed<'a, 'e>(param: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    match param.kind {
        ScalarKind::Param(p) => Scalar { kind: ScalarKind::Param(Param { untyped: false, cast: false, ..p }), ..param },
        _ => param,
    }
}

/// A value that a rule writes more than once.
pub(crate) fn repeated<'a, 'e>(value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    match value.kind {
        ScalarKind::Param(p) => Scalar { kind: ScalarKind::Param(Param { repeated: true, ..p }), ..value },
        _ => value,
    }
}

fn is_untyped(scalar: &Scalar<'_, '_>) -> bool {
    matches!(scalar.kind, ScalarKind::Param(_) | ScalarKind::Literal(Literal::Null))
}
