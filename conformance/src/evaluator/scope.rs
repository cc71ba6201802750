//! Names: what a row holds, and which of its values a property means.

use std::rc::Rc;

use isogloss_compiler::expr::{DbType, DbValueType, Family, PropertyExpr, Value};
use isogloss_compiler::model::{EntityId, EnumDef};

use super::query::Item;
use super::{Result, fault, unsupported};

/// What kind of value it is: the types between which arithmetic and comparisons make a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int,
    Decimal,
    Float,
    Text,
    Bytes,
    Date,
    Time,
    DateTime,
    Instant,
    Guid,
    Json,
}

impl Kind {
    pub(crate) fn of_type(ty: DbType) -> Option<Kind> {
        Some(match ty.family()? {
            Family::Boolean => Kind::Bool,
            Family::Date => Kind::Date,
            Family::Time => Kind::Time,
            Family::DateTime => Kind::DateTime,
            Family::DateTimeOffset => Kind::Instant,
            Family::Guid => Kind::Guid,
            Family::Binary => Kind::Bytes,
            Family::Json => Kind::Json,
            Family::Integer => Kind::Int,
            Family::Decimal => Kind::Decimal,
            Family::Float => Kind::Float,
            Family::Text => Kind::Text,
            _ => return None,
        })
    }

    /// The type of a value that is cast to it.
    pub(crate) fn cast_type(self) -> DbValueType {
        use DbValueType as T;
        match self {
            Kind::Bool => T::Boolean,
            Kind::Int => T::Int32,
            Kind::Decimal => T::Decimal,
            Kind::Float => T::Double,
            Kind::Text => T::String,
            Kind::Bytes => T::Binary,
            Kind::Date => T::Date,
            Kind::Time => T::Time,
            Kind::DateTime => T::DateTime2,
            Kind::Instant => T::DateTimeOffset,
            Kind::Guid => T::Guid,
            Kind::Json => T::Json,
        }
    }

    /// Whether its values may be asked which is the lesser: all engines have one answer.
    pub(crate) fn is_ordered(self) -> bool {
        self.has_one_order() && self != Kind::Bool
    }

    /// Whether all engines sort its values alike.
    pub(crate) fn has_one_order(self) -> bool {
        !matches!(self, Kind::Guid | Kind::Json)
    }

    pub(crate) fn of(value: &Value) -> Option<Kind> {
        value.natural_type().and_then(|ty| Kind::of_type(ty.into()))
    }

    pub(crate) fn is_number(self) -> bool {
        matches!(self, Kind::Int | Kind::Decimal | Kind::Float)
    }

    pub(crate) fn is_date(self) -> bool {
        matches!(self, Kind::Date | Kind::DateTime | Kind::Instant)
    }

    /// The kind that holds the values of both: of numbers and of dates the wider one, else the first.
    pub(crate) fn widest(a: Option<Kind>, b: Option<Kind>) -> Option<Kind> {
        let rank = |kind: Kind| match kind {
            Kind::Decimal | Kind::DateTime => 1,
            Kind::Float | Kind::Instant => 2,
            _ => 0,
        };
        match (a, b) {
            (Some(a), Some(b)) => Some(if rank(b) > rank(a) { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// A column of a source.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Option<Kind>,
    /// The names of its values, where it is an enumeration.
    pub(crate) names: Option<EnumDef>,
    /// How many digits its times keep behind their seconds.
    pub(crate) seconds: Option<u8>,
    /// Whether a query without a select list gives it.
    pub(crate) listed: bool,
    /// Whether its values are known.
    pub(crate) known: bool,
}

impl Field {
    pub(crate) fn new(name: impl Into<String>, kind: Option<Kind>) -> Self {
        Self { name: name.into(), kind, names: None, seconds: None, listed: true, known: true }
    }
}

/// A table in a FROM. A row of it holds a value for each of its own fields, then those of its joins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    /// Its alias; empty if it has none but those that the compiler gives.
    pub(crate) alias: String,
    /// The entity that it is, if it is one.
    pub(crate) entity: Option<(EntityId, String)>,
    pub(crate) fields: Vec<Field>,
    /// The tables that a view joins: the name of the join and its fields.
    pub(crate) joins: Vec<(String, Vec<Field>)>,
}

impl Source {
    /// The place of a field of its own in a row.
    pub(crate) fn field(&self, name: &str) -> Option<(usize, &Field)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name.eq_ignore_ascii_case(name))
    }

    /// The fields of one of its joins, with the place of the first in a row.
    fn join(&self, alias: &str) -> Option<(usize, &[Field])> {
        let mut start = self.fields.len();
        for (name, fields) in &self.joins {
            if name.eq_ignore_ascii_case(alias) {
                return Some((start, fields));
            }
            start += fields.len();
        }
        None
    }

    /// How many values a row of it has.
    pub(crate) fn width(&self) -> usize {
        self.fields.len() + self.joins.iter().map(|(_, fields)| fields.len()).sum::<usize>()
    }
}

/// A row of a FROM: one of each of its sources.
pub(crate) type Tuple = Vec<Rc<[Value]>>;

/// Where an expression stands: the sources, the row or the group that is looked at, and what is around.
#[derive(Clone, Copy)]
pub(crate) struct Env<'a> {
    pub(crate) sources: &'a [Source],
    /// The row, or the rows of the group; none where only kinds are asked for.
    pub(crate) rows: &'a [Tuple],
    /// Whether aggregates are over those rows.
    pub(crate) grouped: bool,
    /// All rows or groups of the query, and the place of this one: what a window looks at.
    pub(crate) peers: Option<(&'a [Item], usize)>,
    /// The select list of which an order may speak.
    pub(crate) list: Option<(&'a [Field], &'a [Value])>,
    /// The row that an INSERT proposed.
    pub(crate) proposed: Option<(&'a Source, &'a [Value])>,
    pub(crate) parent: Option<&'a Env<'a>>,
}

impl<'a> Env<'a> {
    pub(crate) fn of(sources: &'a [Source], rows: &'a [Tuple], parent: Option<&'a Env<'a>>) -> Self {
        Self { sources, rows, grouped: false, peers: None, list: None, proposed: None, parent }
    }

    fn field_at(&self, source: usize, place: usize, field: &'a Field) -> Found<'a> {
        let value = self.rows.first().map(|row| row.get(source).and_then(|row| row.get(place)));
        Found { field, value: value.map(|value| value.unwrap_or(&Value::Null)) }
    }

    /// What a property means: see [`find`](Self::find).
    pub(crate) fn value(&self, property: &PropertyExpr) -> Result<Value> {
        let found = self.find(property)?;
        match found.value {
            _ if !found.field.known => unsupported(format!("the computed column `{}`", found.field.name)),
            Some(value) => Ok(value.clone()),
            None => unsupported(format!("`{}` of a group without rows", found.field.name)),
        }
    }

    /// What a name means: in each scope, from the innermost on, without an alias a column of the main source, then of
    /// the one other source that has it; with one, a source of that alias, a joined table of that name, a join of a
    /// view, the main table by its entity's name.
    pub(crate) fn find(&self, property: &PropertyExpr) -> Result<Found<'a>> {
        let name = property.name.as_str();
        let alias = property.alias.as_ref().map(|alias| alias.as_str());
        let mut next = Some(*self);
        let mut outermost = false;
        while let Some(env) = next {
            outermost |= env.parent.is_none();
            let found = match alias {
                None => env.bare(name)?,
                Some(alias) => env.qualified(alias, name, outermost)?,
            };
            if let Some(found) = found {
                return Ok(found);
            }
            next = env.parent.copied();
        }
        fault(format!("nothing is called `{}{name}`", alias.map(|alias| format!("{alias}.")).unwrap_or_default()))
    }

    fn bare(&self, name: &str) -> Result<Option<Found<'a>>> {
        if let Some((fields, values)) = self.list
            && let Some((place, field)) = (0..).zip(fields).find(|(_, field)| field.name.eq_ignore_ascii_case(name))
        {
            return Ok(Some(Found { field, value: values.get(place) }));
        }
        let mut hits = (0..).zip(self.sources).filter_map(|(at, source)| Some((at, source.field(name)?)));
        match (hits.next(), hits.next()) {
            (Some((at, _)), Some(_)) if at > 0 => fault(format!("`{name}` may mean several columns")),
            (Some((at, (place, field))), _) => Ok(Some(self.field_at(at, place, field))),
            (None, _) => Ok(None),
        }
    }

    fn qualified(&self, alias: &str, name: &str, outermost: bool) -> Result<Option<Found<'a>>> {
        let own = |at: usize, source: &'a Source| match source.field(name) {
            Some((place, field)) => Ok(Some(self.field_at(at, place, field))),
            None => fault(format!("`{alias}` has no `{name}`")),
        };
        if let Some((source, row)) = self.proposed.filter(|_| alias.eq_ignore_ascii_case("excluded")) {
            let Some((place, field)) = source.field(name) else { return fault(format!("no `{name}` is proposed")) };
            return Ok(Some(Found { field, value: row.get(place) }));
        }
        for (at, source) in (0..).zip(self.sources) {
            // The main table of the whole statement is `T0` unless it has another alias.
            let main = at == 0 && outermost && source.alias.is_empty() && alias.eq_ignore_ascii_case("T0");
            if main || !source.alias.is_empty() && source.alias.eq_ignore_ascii_case(alias) {
                return own(at, source);
            }
        }
        let goes_by = |source: &Source| {
            source.alias.is_empty() && source.entity.as_ref().is_some_and(|(_, name)| name.eq_ignore_ascii_case(alias))
        };
        let mut joined = (0..).zip(self.sources).skip(1).filter(|(_, source)| goes_by(source));
        match (joined.next(), joined.next()) {
            (Some(_), Some(_)) => return fault(format!("`{alias}` may mean several tables")),
            (Some((at, source)), None) => return own(at, source),
            (None, _) => {}
        }
        for (at, source) in (0..).zip(self.sources) {
            if let Some((start, fields)) = source.join(alias) {
                let Some((place, field)) = (start..).zip(fields).find(|(_, f)| f.name.eq_ignore_ascii_case(name))
                else {
                    return fault(format!("the join `{alias}` has no `{name}`"));
                };
                return Ok(Some(self.field_at(at, place, field)));
            }
        }
        match self.sources.first().filter(|main| goes_by(main)) {
            Some(main) => own(0, main),
            None => Ok(None),
        }
    }
}

/// What a name means.
pub(crate) struct Found<'a> {
    pub(crate) field: &'a Field,
    /// Its value in the row that is looked at.
    pub(crate) value: Option<&'a Value>,
}
