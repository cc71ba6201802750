//! From the definition of a column to a checked column.

use super::define::{ColumnDef, ComputedDef, Definition};
use super::error::Near;
use super::{
    CatalogError, CatalogErrors, Column, ColumnMode, Computed, ComputedPart, EnumDef, EnumMember, EnumStorage,
};
use crate::expr::{DbType, DbValueType, Decimal, Name};
use crate::names;

/// The columns that a definition adds to those it inherits. What is computed is left to [`compute`].
pub(super) fn own(definition: &Definition, errors: &mut CatalogErrors) -> Vec<Column> {
    definition.columns.iter().map(|column| ColumnCheck { definition, column, errors }.column()).collect()
}

/// Checks a name that an engine must take, quoted.
pub(super) fn check_name(entity: &Name, what: &'static str, name: &str, errors: &mut CatalogErrors) {
    let why = if name.trim().is_empty() {
        "it is empty"
    } else if name.len() > Name::MAX_LEN {
        "it is over 128 bytes long"
    } else if name.chars().any(char::is_control) {
        "it has a control character"
    } else if name.contains('.') && what != "entity name" {
        "it has a dot"
    } else if what == "alias" && names::is_reserved_alias(name) {
        "`T` with a number and `excluded` are aliases that a statement makes itself"
    } else {
        return;
    };
    let name = name.chars().take(40).collect();
    errors.push(CatalogError::BadName { entity: entity.clone(), what, name, why });
}

/// The digits behind the seconds that every engine has room for.
const MICROSECONDS: u32 = 6;

/// One column that is checked.
struct ColumnCheck<'a> {
    definition: &'a Definition,
    column: &'a ColumnDef,
    errors: &'a mut CatalogErrors,
}

impl ColumnCheck<'_> {
    fn column(mut self) -> Column {
        let def = self.column;
        let entity = &self.definition.name;
        let column = def.column.clone().unwrap_or_else(|| def.name.as_str().into());
        check_name(entity, "property", def.name.as_str(), self.errors);
        check_column_name(entity, &column, self.errors);
        self.sizes();
        self.roles();
        Column {
            column,
            name: def.name.clone(),
            ty: def.ty,
            length: def.length,
            precision: def.precision,
            scale: def.scale.filter(|_| def.ty.base.is_decimal()),
            nullable: def.nullable,
            primary_key: def.primary_key,
            identity: def.identity.clone(),
            is_timestamp: def.is_timestamp,
            is_index: def.is_index,
            is_unique: def.is_unique,
            default: def.default.clone(),
            comment: def.comment.clone(),
            computed: None,
            mode: if def.computed.is_some() { ColumnMode::READ | ColumnMode::COMPUTED } else { def.mode },
            filterable: def.filterable,
            writable: def.writable,
            enum_values: self.enumeration(),
            text: def.text,
            collation: None,
        }
    }

    fn sizes(&mut self) {
        let ColumnDef { ty, length, precision, scale, .. } = *self.column;
        let sized = ty.base.is_text() || ty.base == DbValueType::Binary;
        let digits = precision.map(u32::from);
        let seconds = ty.base.has_seconds() && !ty.array;
        let why = if length == Some(0) {
            "its length is 0"
        } else if length.is_some() && !sized {
            "only text and binary columns have a length"
        } else if self.column.text.is_some() && !ty.base.is_text() {
            "only text columns are compared by a mode"
        } else if precision.is_some() && !ty.base.is_decimal() && !seconds {
            "only columns of decimals and times have a precision"
        } else if seconds && scale.is_some_and(|scale| scale > 0) {
            "only decimal columns have a scale: a time's precision is the digits behind its seconds"
        } else if seconds && digits.is_some_and(|digits| digits > MICROSECONDS) {
            "the precision of a time is 0 to 6 digits"
        } else if seconds && self.column.is_timestamp && digits.is_some_and(|digits| digits < MICROSECONDS) {
            "a version has 6 digits behind its seconds: with fewer, two updates may give it one value"
        } else if !seconds && digits.is_some_and(|digits| !(1..=Decimal::DIGITS).contains(&digits)) {
            "the precision is 1 to 38 digits"
        } else if !seconds && scale > precision {
            "its scale is greater than its precision"
        } else {
            return;
        };
        let (entity, property) = self.place();
        self.errors.push(CatalogError::BadSize { entity, property, why });
    }

    /// Key, identity and version.
    fn roles(&mut self) {
        let def = self.column;
        let (entity, property) = self.place();
        let at = || (entity.clone(), property.clone());
        let view = self.definition.of.is_some();
        for (is, what) in [
            (def.primary_key, "a primary key"),
            (def.identity.is_some(), "an identity"),
            (def.is_timestamp, "a timestamp"),
            (def.soft_delete, "a mark of deleted rows"),
            (def.distribution_key, "a distribution key"),
            (def.writable, "writable"),
        ] {
            let ((entity, property), errors) = (at(), &mut *self.errors);
            match is {
                true if view => errors.push(CatalogError::ViewColumn { entity, property, what }),
                true if def.computed.is_some() => {
                    let why = format!("it cannot be {what} as well");
                    errors.push(CatalogError::BadComputed { entity, property, why });
                }
                _ => {}
            }
        }
        let unwritable = [
            (def.identity.is_some(), "the database numbers it"),
            (def.is_timestamp, "it is the row's version"),
            (def.constant.is_some(), "it is a constant"),
            (def.soft_delete, "it marks deleted rows"),
            ((def.mode.number() & ColumnMode::WRITE.number()) == 0, "its mode is not to be written"),
        ];
        if let Some((_, why)) = unwritable.into_iter().find(|(is, _)| *is && def.writable) {
            let (entity, property) = at();
            self.errors.push(CatalogError::NotWritable { entity, property, why });
        }
        let whole = |ty: DbType| ty.base.is_integer() && !ty.array;
        let ((entity, property), ty, errors) = (at(), def.ty, &mut *self.errors);
        if def.primary_key && def.nullable {
            errors.push(CatalogError::NullableKey { entity, property });
        }
        if let Some(identity) = &def.identity {
            // Oracle numbers a NUMBER, which a definition may call a decimal without digits after the point.
            let number = ty.base.is_decimal() && def.scale.unwrap_or(0) == 0 && !ty.array;
            if !whole(ty) && !number {
                let (entity, property) = at();
                errors.push(CatalogError::IdentityType { entity, property, ty });
            }
            if identity.increment == 0 {
                let (entity, property) = at();
                errors.push(CatalogError::IdentityIncrement { entity, property });
            }
        }
        let dated = ty.base.is_date_and_time();
        let marks = if ty.base == DbValueType::Boolean { !def.nullable } else { dated && def.nullable };
        if def.soft_delete && (!marks || ty.array || def.primary_key || def.constant.is_some()) {
            let (entity, property) = at();
            errors.push(CatalogError::SoftDeleteType { entity, property, ty });
        }
        // A day is no version: it may be written twice on it. Bytes and UUIDs are renewed by the database, if at all.
        let renewed = whole(ty) || ty.base.is_date_and_time();
        let by_database = !def.mode.contains(ColumnMode::UPDATE);
        let made = by_database && ty.base.family().is_opaque();
        if def.is_timestamp && (!(renewed || made) || ty.array) {
            let (entity, property) = at();
            errors.push(CatalogError::TimestampType { entity, property, ty });
        }
    }

    fn enumeration(&mut self) -> Option<EnumDef> {
        let members = self.column.enum_members.as_ref()?;
        let base = self.column.ty.base;
        let stored = if base.is_text() { EnumStorage::Text } else { EnumStorage::Number };
        let twice = members.iter().enumerate().find(|(i, (name, _))| members.iter().take(*i).any(|(n, _)| n == name));
        let why = if members.is_empty() {
            Some("it has no members".to_owned())
        } else if !base.is_text() && !base.is_integer() {
            Some(format!("a column of type {} holds neither names nor numbers: use text or integers", base.name()))
        } else if stored == EnumStorage::Text && self.column.enum_flags {
            Some("flags are stored by their numbers: use an integer column".to_owned())
        } else {
            twice.map(|(_, (name, _))| format!("member `{name}` is there twice"))
        };
        let (entity, property) = self.place();
        if let Some(why) = why {
            self.errors.push(CatalogError::BadEnum { entity, property, why });
        }
        let members = members.iter().map(|(name, number)| EnumMember { name: name.clone(), number: *number });
        Some(EnumDef { stored, flags: self.column.enum_flags, members: members.collect() })
    }

    fn place(&self) -> (Name, Name) {
        (self.definition.name.clone(), self.column.name.clone())
    }
}

/// A column's own name may have a dot: it is quoted as one.
fn check_column_name(entity: &Name, column: &str, errors: &mut CatalogErrors) {
    check_name(entity, "column name", &column.replace('.', "_"), errors);
}

/// Puts what computed columns are computed from into `columns`, which has those of the definitions one after another.
pub(super) fn compute(lineage: &[&Definition], columns: &mut [Column], errors: &mut CatalogErrors) {
    let defs: Vec<(&Name, &ColumnDef)> =
        lineage.iter().flat_map(|def| def.columns.iter().map(|column| (&def.name, column))).collect();
    let mut computed: Vec<Option<Computed>> = Vec::with_capacity(columns.len());
    for (entity, def) in &defs {
        computed.push(match &def.computed {
            None => None,
            Some(ComputedDef::Expr(expr)) => Some(Computed::Expr(expr.clone())),
            Some(ComputedDef::Text(text)) => match holes(text, columns) {
                Ok(parts) => Some(Computed::Text(parts)),
                Err(why) => {
                    let (entity, property) = ((*entity).clone(), def.name.clone());
                    errors.push(CatalogError::BadComputed { entity, property, why });
                    None
                }
            },
        });
    }
    for (i, (entity, def)) in defs.iter().enumerate() {
        if leads_to(&computed, i) {
            let why = "it is computed from itself".to_owned();
            let (entity, property) = ((*entity).clone(), def.name.clone());
            errors.push(CatalogError::BadComputed { entity, property, why });
        }
    }
    for (column, computed) in columns.iter_mut().zip(computed) {
        column.computed = computed;
    }
}

/// Reads `{Price} * {Qty}`.
pub(super) fn holes(text: &str, columns: &[Column]) -> Result<Vec<ComputedPart>, String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' | '}' if chars.next_if(|(_, next)| *next == c).is_some() => plain.push(c),
            '}' => return Err(format!("`}}` at byte {at} closes nothing; a plain one is written `}}}}`")),
            '{' => {
                let name: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').collect();
                if !text.get(at + 1 + name.len()..).is_some_and(|rest| rest.starts_with('}')) {
                    return Err(format!("`{{` at byte {at} is not closed; a plain one is written `{{{{`"));
                }
                let column = columns.iter().position(|column| column.name == *name.trim()).ok_or_else(|| {
                    let near = Near::from(names::near(&name, columns.iter().map(|column| column.name.as_str())));
                    format!("`{name}` is no column of the entity{near}")
                })?;
                if !plain.is_empty() {
                    parts.push(ComputedPart::Text(std::mem::take(&mut plain)));
                }
                parts.push(ComputedPart::Column(column));
            }
            _ => plain.push(c),
        }
    }
    if !plain.is_empty() {
        parts.push(ComputedPart::Text(plain));
    }
    if parts.is_empty() { Err("its text is empty".to_owned()) } else { Ok(parts) }
}

/// Whether the column is computed from itself, by any way.
fn leads_to(computed: &[Option<Computed>], column: usize) -> bool {
    let from = |i: usize| match computed.get(i) {
        Some(Some(Computed::Text(parts))) => parts.as_slice(),
        _ => &[],
    };
    let mut seen = vec![false; computed.len()];
    let mut open = vec![column];
    while let Some(next) = open.pop() {
        for part in from(next) {
            let ComputedPart::Column(source) = part else { continue };
            if *source == column {
                return true;
            }
            if let Some(seen) = seen.get_mut(*source).filter(|seen| !**seen) {
                *seen = true;
                open.push(*source);
            }
        }
    }
    false
}
