//! A column of a table.

use std::fmt;
use std::ops::BitOr;

use compact_str::CompactString;

use super::{Collation, TextMode};
use crate::expr::{DbType, DbValueType, Name, ValueTypeExpr};

/// A column of a table, under the name of the property that stands for it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Column {
    /// The property's name: what expressions say.
    pub name: Name,
    /// The column's name in the database: what SQL says.
    pub column: CompactString,
    /// The type.
    pub ty: DbType,
    /// The most characters or bytes, if the definition says so.
    pub length: Option<u32>,
    /// The most digits of a decimal, or those behind the seconds of a time, if the definition says so.
    pub precision: Option<u8>,
    /// How many of the digits stand after the point, if the definition says so.
    pub scale: Option<u8>,
    /// Whether it may hold NULL.
    pub nullable: bool,
    /// Whether it is the primary key or one of its columns.
    pub primary_key: bool,
    /// How the database numbers it, if it does.
    pub identity: Option<Identity>,
    /// Whether it is the row's version, compared and renewed by every update.
    pub is_timestamp: bool,
    /// Whether table synchronization makes an index on it.
    pub is_index: bool,
    /// Whether table synchronization makes a unique index on it.
    pub is_unique: bool,
    /// The default, as SQL text of the program.
    pub default: Option<String>,
    /// What the database says of it.
    pub comment: Option<String>,
    /// What the database computes it from, if it is a generated column. SQL reads it by its name.
    pub computed: Option<Computed>,
    /// Which statements it takes part in.
    pub mode: ColumnMode,
    /// Whether a query of a client may name it.
    pub filterable: bool,
    /// Whether a client may set it.
    pub writable: bool,
    /// The names of its values, if it holds an enumeration.
    pub enum_values: Option<EnumDef>,
    /// What its texts are compared by, if not by what those of the data source are.
    pub text: Option<TextMode>,
    /// The collation that it has in the database, where that has been asked for.
    pub collation: Option<Collation>,
}

impl Column {
    /// Returns whether queries may select it. A select without a list gives these.
    pub fn is_readable(&self) -> bool {
        self.mode.contains(ColumnMode::READ)
    }

    /// Whether its texts may have more than 4,000 characters: a type of its own on some engines.
    pub fn is_large_text(&self) -> bool {
        self.length.is_some_and(|length| length > 4_000) && self.ty.base.is_text()
    }

    /// Whether its values may have more than 2,000 bytes, and are no text: a type of its own on some engines.
    pub fn is_large_binary(&self) -> bool {
        self.length.is_some_and(|length| length > 2_000) && self.ty.base == DbValueType::Binary
    }

    /// Whether INSERT gives it a value: the database does not number or compute it.
    pub fn is_insertable(&self) -> bool {
        self.mode.contains(ColumnMode::INSERT) && self.identity.is_none() && self.computed.is_none()
    }

    /// How many digits a decimal keeps behind its point, if the definition says so: one with a precision and no scale
    /// none, a currency four.
    pub fn fraction(&self) -> Option<u8> {
        match self.ty.base {
            _ if self.ty.array || !self.ty.base.is_decimal() => None,
            DbValueType::Currency if self.precision.is_none() => Some(4),
            _ => self.scale.or(self.precision.map(|_| 0)),
        }
    }

    /// How many digits a time keeps behind its seconds, if the definition says so.
    pub fn seconds(&self) -> Option<u8> {
        self.precision.filter(|_| self.ty.base.has_seconds() && !self.ty.array)
    }

    /// Whether the engine counts its values up, and no expression of the program makes them.
    pub(crate) fn is_counted(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.expression.is_none())
    }

    /// Whether UPDATE of an entity sets it: it is neither key nor computed.
    pub fn is_updatable(&self) -> bool {
        self.mode.contains(ColumnMode::UPDATE)
            && !self.primary_key
            && self.identity.is_none()
            && self.computed.is_none()
    }
}

/// How the database numbers a column.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The first number.
    pub start: i64,
    /// The step.
    pub increment: i64,
    /// What gives the next number, as SQL text of the program (`seq_orders.NEXTVAL`), where the engine needs it.
    pub expression: Option<String>,
}

/// What a computed column is computed from. It holds no parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Computed {
    /// SQL text of the program, with columns of the same table in its holes.
    Text(Vec<ComputedPart>),
    /// An expression over the same table.
    Expr(ValueTypeExpr),
}

/// A part of a computed column's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComputedPart {
    /// SQL text.
    Text(String),
    /// The column with that index.
    Column(usize),
}

/// Which statements a column takes part in: a set of flags with the specification's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColumnMode(u8);

impl ColumnMode {
    /// Queries select it.
    pub const READ: Self = Self(1);
    /// Updates set it.
    pub const UPDATE: Self = Self(2);
    /// Inserts give it.
    pub const INSERT: Self = Self(4);
    /// Updates and inserts.
    pub const WRITE: Self = Self(6);
    /// Written once: queries and inserts.
    pub const FINAL: Self = Self(5);
    /// Everything; the default.
    pub const FULL: Self = Self(7);
    /// Computed: never written.
    pub const COMPUTED: Self = Self(8);

    /// The flags of that number, if it has no others.
    pub fn from_number(number: u8) -> Option<Self> {
        (number < 16).then_some(Self(number))
    }

    /// The flags as a number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Whether it has all of these flags.
    pub fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl Default for ColumnMode {
    fn default() -> Self {
        Self::FULL
    }
}

impl BitOr for ColumnMode {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for ColumnMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags =
            [(Self::READ, "Read"), (Self::UPDATE, "Update"), (Self::INSERT, "Insert"), (Self::COMPUTED, "Computed")];
        let names: Vec<&str> =
            flags.into_iter().filter(|(flag, _)| self.contains(*flag)).map(|(_, name)| name).collect();
        f.write_str(&names.join("|"))
    }
}

/// How an enumeration is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EnumStorage {
    /// By its numbers, in an integer column.
    #[default]
    Number,
    /// By its names, in a text column.
    Text,
}

/// The names and numbers of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnumDef {
    /// How it is stored.
    pub stored: EnumStorage,
    /// Whether its values are sets of flags, so that a sum of numbers is a value too.
    pub flags: bool,
    /// The members, in order of definition.
    pub members: Vec<EnumMember>,
}

/// A member of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnumMember {
    /// Its name.
    pub name: Name,
    /// Its number.
    pub number: i64,
}

impl EnumDef {
    /// The member of that name, ignoring case.
    pub fn by_name(&self, name: &str) -> Option<&EnumMember> {
        self.members.iter().find(|member| member.name == *name)
    }

    /// The first member of that number.
    pub fn by_number(&self, number: i64) -> Option<&EnumMember> {
        self.members.iter().find(|member| member.number == number)
    }

    /// Whether the number is that of a member or, for flags, made of members' flags.
    pub fn has_number(&self, number: i64) -> bool {
        let flags = || self.members.iter().fold(0, |all, member| all | member.number);
        self.by_number(number).is_some() || self.flags && number & !flags() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_sets_with_the_specifications_numbers() {
        assert_eq!(ColumnMode::WRITE, ColumnMode::INSERT | ColumnMode::UPDATE);
        assert_eq!((ColumnMode::READ | ColumnMode::INSERT).number(), ColumnMode::FINAL.number());
        assert!(ColumnMode::default().contains(ColumnMode::WRITE));
        assert!(!ColumnMode::FINAL.contains(ColumnMode::WRITE));
        assert_eq!(ColumnMode::from_number(16), None);
        assert_eq!(format!("{:?}", ColumnMode::FINAL), "Read|Insert");
    }

    #[test]
    fn flags_may_be_summed() {
        let member = |name: &str, number| EnumMember { name: name.into(), number };
        let mut rights =
            EnumDef { stored: EnumStorage::Number, flags: true, members: vec![member("Read", 1), member("Write", 2)] };
        assert!(rights.has_number(3) && rights.has_number(0) && !rights.has_number(4));
        rights.flags = false;
        assert!(!rights.has_number(3) && rights.has_number(2));
        assert_eq!(rights.by_name("READ").unwrap().number, 1);
    }
}
