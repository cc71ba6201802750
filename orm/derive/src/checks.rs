//! Attributes of a column that contradict each other, or its type, as far as the tokens tell. The catalog checks the rest.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Error, Expr, ExprLit, GenericArgument, Lit, PathArguments, Result, Type};

use crate::attributes::ColumnAttributes;
use crate::columns::Field;
use crate::types::Kind;

/// The one type in a type's angle brackets.
pub(crate) fn argument(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// What an `Option` is of.
pub(crate) fn option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    if path.path.segments.last()?.ident != "Option" {
        return None;
    }
    argument(ty)
}

/// Errors, all of which are told.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(Error::new(span, message));
    }

    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// Checks one field that is a column.
pub(crate) fn column(ty: &Type, at: &ColumnAttributes, errors: &mut Errors) {
    let optional = option(ty);
    let base = optional.unwrap_or(ty);
    let kind = match &at.ty {
        Some(name) => Kind::of_name(&name.value()),
        None if at.json.is_some() => Some(Kind::Json),
        None if at.converter.is_some() => None,
        None => Kind::of_type(base),
    };
    pairs(at, errors);
    roles(at, optional.is_some(), kind, errors);
    given_back(at, Kind::of_type(base), errors);
    sizes(at, kind, errors);
    if let (Some((_, value)), Some(kind)) = (&at.constant, kind) {
        constant(value, kind, errors);
    }
}

/// Two words that exclude each other.
fn pairs(at: &ColumnAttributes, errors: &mut Errors) {
    let identity = at.identity.map(|(span, ..)| span);
    let computed = at.computed.as_ref().map(|(span, _)| *span);
    let constant = at.constant.as_ref().map(|(span, _)| *span);
    let default = at.default.as_ref().map(|(span, _)| *span);
    let converter = at.converter.as_ref().map(|(span, _)| *span);
    let mode = at.mode.map(|(span, _)| span);
    for (first, second, why) in [
        (
            identity,
            computed,
            "an identity is numbered by the database, so that nothing computes it: take `computed` away",
        ),
        (identity, constant, "an identity is another for each row, a constant is the same: take one of them away"),
        (identity, default, "an identity needs no default: the database numbers it; take `default` away"),
        (identity, at.timestamp, "a column is an identity or a timestamp: take one of them away"),
        (
            computed,
            constant,
            "a computed column is written by the database, a constant is the same in each row: take one of them away",
        ),
        (computed, default, "a computed column has no default: the database computes it; take `default` away"),
        (computed, at.primary_key, "a computed column cannot be a primary key: take one of them away"),
        (computed, at.timestamp, "a computed column cannot be a timestamp: take one of them away"),
        (computed, mode, "a computed column is read and never written: take `mode` away"),
        (at.json, converter, "`json` is a converter itself: take one of them away"),
        (at.nullable, at.not_null, "it is `nullable` or `not_null`: take one of them away"),
        (at.primary_key, at.nullable, "a primary key cannot be NULL: take `nullable` away"),
    ] {
        if let (Some(_), Some(second)) = (first, second) {
            errors.at(second, why);
        }
    }
    if let (Some(_), Some(span)) = (at.skip, at.beside_skip()) {
        errors.at(span, "a field that is skipped is no column: take this or `skip` away");
    }
}

/// Key, identity, timestamp, flags.
fn roles(at: &ColumnAttributes, optional: bool, kind: Option<Kind>, errors: &mut Errors) {
    if let Some(span) = at.primary_key.filter(|_| optional && at.not_null.is_none() && at.nullable.is_none()) {
        let why = "a primary key cannot be NULL: take the `Option` away, or write `not_null` beside it if the struct alone has none before it is stored";
        errors.at(span, why);
    }
    let Some(kind) = kind else { return };
    let identity = at.identity.map(|(span, ..)| span).or(at.identity_expression.as_ref().map(|(span, _)| *span));
    if let Some(span) = identity.filter(|_| !matches!(kind, Kind::Integer | Kind::Decimal)) {
        let why = format!("an identity is a whole number, this column is {}: make the field an `i64`", kind.title());
        errors.at(span, why);
    }
    if let Some(span) = at.timestamp.filter(|_| !kind.is_version()) {
        let why = format!(
            "a timestamp grows with each update, this column is {}: make the field an `i64` or a date and time",
            kind.title()
        );
        errors.at(span, why);
    }
    if let Some(span) = at.flags.filter(|_| kind != Kind::Integer) {
        errors.at(span, format!("flags are stored as a whole number, this column is {}", kind.title()));
    }
}

/// What the database numbers comes back into the field, as a value of the column's type.
fn given_back(at: &ColumnAttributes, field: Option<Kind>, errors: &mut Errors) {
    let written = at.identity.is_some() || at.identity_expression.is_some() || at.timestamp.is_some();
    let (Some(name), Some(field)) = (&at.ty, field.filter(|_| written && at.converter.is_none())) else { return };
    let Some(column) = Kind::of_name(&name.value()) else { return };
    if !field.takes(column) {
        let why = format!(
            "what the database writes is {} and comes back into the field, which is {}: give both one kind",
            column.title(),
            field.title()
        );
        errors.at(name.span(), why);
    }
}

fn sizes(at: &ColumnAttributes, kind: Option<Kind>, errors: &mut Errors) {
    if let Some((span, length)) = at.length {
        match kind {
            Some(Kind::Text | Kind::Bytes) | None if length == 0 => {
                errors.at(span, "a column of length 0 holds nothing: give a length, or take `length` away");
            }
            Some(Kind::Text | Kind::Bytes) | None => {}
            Some(kind) => {
                let hint = if kind == Kind::Decimal { "; a decimal has `precision` and `scale`" } else { "" };
                let why = format!("text and bytes have a length, this column is {}: take `length` away", kind.title());
                errors.at(span, why + hint);
            }
        }
    }
    let other = kind.filter(|kind| *kind != Kind::Decimal);
    match (at.precision, at.scale) {
        (_, Some((span, _))) if kind == Some(Kind::Temporal) => {
            errors.at(span, "a time has no scale: its precision is the digits behind its seconds");
        }
        (Some((_, 0..=6)), None) if kind == Some(Kind::Temporal) => {}
        (Some((span, _)), None) if kind == Some(Kind::Temporal) => {
            errors.at(span, "the precision of a time is 0 to 6 digits behind its seconds");
        }
        (Some((span, _)), _) | (None, Some((span, _))) if other.is_some() => {
            let title = other.map_or("", Kind::title);
            errors.at(span, format!("decimals have a precision and a scale, this column is {title}: take it away"));
        }
        // Whatever its type is: the catalog knows it.
        (Some((_, 0)), None) if kind.is_none() => {}
        (None, Some((span, _))) => errors.at(span, "a scale needs a precision: write `precision = 18` before it"),
        (Some((span, digits)), _) if !(1..=38).contains(&digits) => {
            errors.at(span, "a precision is 1 to 38 digits");
        }
        (Some((_, digits)), Some((span, scale))) if scale > digits => {
            errors.at(
                span,
                format!(
                    "the scale is greater than the precision: {digits} digits have at most {digits} behind the point"
                ),
            );
        }
        _ => {}
    }
}

/// A literal that is certainly none of the column's.
fn constant(value: &Expr, kind: Kind, errors: &mut Errors) {
    let value = match value {
        Expr::Unary(unary) => &*unary.expr,
        value => value,
    };
    let Expr::Lit(ExprLit { lit, .. }) = value else { return };
    let fits = match lit {
        // A text may be a date or a number.
        Lit::Str(text) => match kind {
            Kind::Integer => text.value().trim().parse::<i128>().is_ok(),
            Kind::Decimal | Kind::Float => text.value().trim().parse::<f64>().is_ok(),
            _ => true,
        },
        Lit::Int(_) => !kind.is_written_as_text(),
        Lit::Float(_) => !kind.is_written_as_text() && !matches!(kind, Kind::Boolean | Kind::Integer),
        Lit::Bool(_) => !kind.is_written_as_text() && !matches!(kind, Kind::Decimal | Kind::Float),
        _ => true,
    };
    if !fits {
        errors.at(value.span(), format!("this constant does not fit the column: it is {}", kind.title()));
    }
}

/// Checks all columns of a struct beside each other.
pub(crate) fn all(fields: &[Field], errors: &mut Errors) {
    let mut identity: Option<&Field> = None;
    let mut timestamp: Option<&Field> = None;
    for (i, field) in fields.iter().enumerate() {
        let at = &field.attributes;
        if let Some((span, ..)) = at.identity {
            match identity {
                Some(first) => errors.at(span, several("identity", first)),
                None => identity = Some(field),
            }
        }
        if let Some(span) = at.timestamp {
            match timestamp {
                Some(first) => errors.at(span, several("timestamp", first)),
                None => timestamp = Some(field),
            }
        }
        for before in fields.iter().take(i) {
            let (property, column) = (&field.property, &field.column);
            if before.property.eq_ignore_ascii_case(property) {
                let why = format!(
                    "`{}` is the property `{property}` already: give this one another by `property = \"...\"`",
                    before.ident
                );
                errors.at(field.ident.span(), why);
            } else if before.column.eq_ignore_ascii_case(column) && !before.is_foreign() && !field.is_foreign() {
                let why = format!(
                    "`{}` is the column `{column}` already: give this one another by `name = \"...\"`",
                    before.ident
                );
                errors.at(field.ident.span(), why);
            }
        }
    }
}

fn several(what: &str, first: &Field) -> String {
    format!("a table has one {what} at most, and `{}` is it: take one of them away", first.ident)
}
