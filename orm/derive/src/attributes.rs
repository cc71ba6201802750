//! `#[column(...)]`, `#[table(...)]` and `#[view(...)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Path, Result};

use crate::items;
use crate::naming::{self, Case};
use crate::types::db_type;

/// What `#[column(...)]` says.
#[derive(Default)]
pub(crate) struct ColumnAttributes {
    /// Whether there is such an attribute at all.
    pub(crate) given: bool,
    pub(crate) name: Option<LitStr>,
    pub(crate) property: Option<LitStr>,
    pub(crate) primary_key: Option<Span>,
    pub(crate) identity: Option<(Span, i64, i64)>,
    pub(crate) identity_expression: Option<(Span, Expr)>,
    pub(crate) constant: Option<(Span, Expr)>,
    pub(crate) timestamp: Option<Span>,
    pub(crate) index: Option<Span>,
    pub(crate) unique: Option<Span>,
    pub(crate) soft_delete: Option<Span>,
    pub(crate) distribution_key: Option<Span>,
    pub(crate) length: Option<(Span, u32)>,
    pub(crate) precision: Option<(Span, u8)>,
    pub(crate) scale: Option<(Span, u8)>,
    pub(crate) ty: Option<LitStr>,
    pub(crate) computed: Option<(Span, Expr)>,
    pub(crate) nullable: Option<Span>,
    pub(crate) not_null: Option<Span>,
    pub(crate) default: Option<(Span, Expr)>,
    pub(crate) comment: Option<(Span, Expr)>,
    pub(crate) mode: Option<(Span, u8)>,
    pub(crate) text: Option<(Span, Ident)>,
    pub(crate) converter: Option<(Span, Path)>,
    pub(crate) json: Option<Span>,
    pub(crate) not_filterable: Option<Span>,
    pub(crate) writable: Option<Span>,
    pub(crate) flags: Option<Span>,
    pub(crate) skip: Option<Span>,
}

const COLUMN: [&str; 28] = [
    "name",
    "property",
    "primary_key",
    "identity",
    "identity_expression",
    "constant",
    "timestamp",
    "index",
    "unique",
    "soft_delete",
    "distribution_key",
    "length",
    "precision",
    "scale",
    "type",
    "computed",
    "nullable",
    "not_null",
    "default",
    "comment",
    "mode",
    "text",
    "converter",
    "json",
    "not_filterable",
    "writable",
    "flags",
    "skip",
];

impl ColumnAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut all =
            Self { given: attributes.iter().any(|attribute| attribute.path().is_ident("column")), ..Self::default() };
        for item in items::of(attributes, "column", &COLUMN)? {
            let span = item.key.span();
            match naming::plain(&item.key).as_str() {
                "name" => all.name = Some(item.string()?),
                "property" => all.property = Some(item.string()?),
                "primary_key" => all.primary_key = Some(item.flag()?),
                "identity" => {
                    let (start, increment) = item.identity()?;
                    all.identity = Some((span, start, increment));
                }
                "identity_expression" => all.identity_expression = Some((span, item.expr()?)),
                "constant" => all.constant = Some((span, item.expr()?)),
                "timestamp" => all.timestamp = Some(item.flag()?),
                "index" => all.index = Some(item.flag()?),
                "unique" => all.unique = Some(item.flag()?),
                "soft_delete" => all.soft_delete = Some(item.flag()?),
                "distribution_key" => all.distribution_key = Some(item.flag()?),
                "length" => all.length = Some((span, item.number()?)),
                "precision" => all.precision = Some((span, item.number()?)),
                "scale" => all.scale = Some((span, item.number()?)),
                "type" => all.ty = Some(db_type(&item.word()?)?),
                "computed" => all.computed = Some((span, item.expr()?)),
                "nullable" => all.nullable = Some(item.flag()?),
                "not_null" => all.not_null = Some(item.flag()?),
                "default" => all.default = Some((span, item.expr()?)),
                "comment" => all.comment = Some((span, item.expr()?)),
                "mode" => all.mode = Some((span, mode(&item.word()?)?)),
                "text" => all.text = Some((span, text_mode(&item.word()?)?)),
                "converter" => all.converter = Some((span, item.path()?)),
                "json" => all.json = Some(item.flag()?),
                "not_filterable" => all.not_filterable = Some(item.flag()?),
                "writable" => all.writable = Some(item.flag()?),
                "flags" => all.flags = Some(item.flag()?),
                // Of those that are known, the one that is left.
                _ => all.skip = Some(item.flag()?),
            }
        }
        Ok(all)
    }

    /// The first word beside `skip`.
    pub(crate) fn beside_skip(&self) -> Option<Span> {
        let flags = [
            self.primary_key,
            self.timestamp,
            self.index,
            self.unique,
            self.soft_delete,
            self.distribution_key,
            self.nullable,
            self.not_null,
            self.json,
            self.not_filterable,
            self.writable,
            self.flags,
            self.identity.map(|(span, ..)| span),
            self.length.map(|(span, _)| span),
            self.precision.map(|(span, _)| span),
            self.scale.map(|(span, _)| span),
            self.mode.map(|(span, _)| span),
            self.text.as_ref().map(|(span, _)| *span),
        ];
        let texts = [&self.name, &self.property, &self.ty].into_iter().flatten().map(LitStr::span);
        let values = [&self.identity_expression, &self.constant, &self.computed, &self.default, &self.comment];
        let values = values.into_iter().flatten().map(|(span, _)| *span);
        let converter = self.converter.iter().map(|(span, _)| *span);
        flags.into_iter().flatten().chain(texts).chain(values).chain(converter).next()
    }

    /// Whether queries give it if nobody names it.
    pub(crate) fn is_read(&self) -> bool {
        self.mode.is_none_or(|(_, mode)| mode & 1 != 0)
    }
}

/// The flags of a column's mode, with the specification's numbers.
const MODES: [(&str, u8); 7] =
    [("read", 1), ("update", 2), ("insert", 4), ("write", 6), ("final", 5), ("full", 7), ("computed", 8)];

fn mode(text: &LitStr) -> Result<u8> {
    let mut mode = 0;
    for part in text.value().split(['|', ',']) {
        let part = part.trim();
        let Some((_, flag)) = MODES.iter().find(|(name, _)| name.eq_ignore_ascii_case(part)) else {
            let names = MODES.map(|(name, _)| format!("`{name}`")).join(", ");
            let message = format!("unknown mode `{part}`: it is made of {names}, with `|` between");
            return Err(Error::new(text.span(), message));
        };
        mode |= flag;
    }
    Ok(mode)
}

/// The variant of `TextMode` that a word means.
fn text_mode(word: &LitStr) -> Result<Ident> {
    let variant = match word.value().to_ascii_lowercase().as_str() {
        "database" => "Database",
        "exact" => "Exact",
        other => {
            let message = format!("unknown mode of texts `{other}`: it is `database` or `exact`");
            return Err(Error::new(word.span(), message));
        }
    };
    Ok(Ident::new(variant, word.span()))
}

/// What `#[table(...)]` or `#[view(...)]` says.
pub(crate) struct TableAttributes {
    pub(crate) name: Option<Expr>,
    pub(crate) entity: Option<Expr>,
    pub(crate) of: Option<Path>,
    pub(crate) data_source: Option<Expr>,
    pub(crate) comment: Option<Expr>,
    pub(crate) key_name: Option<Expr>,
    pub(crate) sync_table: Option<Ident>,
    pub(crate) columns: Case,
    pub(crate) properties: Case,
    pub(crate) fixed_filter: Option<Expr>,
    pub(crate) arged: bool,
    pub(crate) scoped: bool,
    pub(crate) register: bool,
    /// The path of the facade.
    pub(crate) krate: TokenStream,
}

const TABLE: [&str; 13] = [
    "name",
    "entity",
    "data_source",
    "comment",
    "key_name",
    "sync_table",
    "columns",
    "properties",
    "fixed_filter",
    "arged",
    "scoped",
    "register",
    "crate",
];
const VIEW: [&str; 7] = ["of", "entity", "columns", "properties", "fixed_filter", "register", "crate"];

impl TableAttributes {
    pub(crate) fn table(attributes: &[Attribute]) -> Result<Self> {
        Self::parse(attributes, "table", &TABLE)
    }

    pub(crate) fn view(attributes: &[Attribute]) -> Result<Self> {
        Self::parse(attributes, "view", &VIEW)
    }

    fn parse(attributes: &[Attribute], attribute: &str, known: &[&str]) -> Result<Self> {
        let mut all = Self {
            name: None,
            entity: None,
            of: None,
            data_source: None,
            comment: None,
            key_name: None,
            sync_table: None,
            columns: Case::Pascal,
            properties: Case::Pascal,
            fixed_filter: None,
            arged: false,
            scoped: false,
            register: true,
            krate: facade(),
        };
        let mut columns = None;
        for item in items::of(attributes, attribute, known)? {
            match naming::plain(&item.key).as_str() {
                "name" => all.name = Some(text(item.expr()?)?),
                "entity" => all.entity = Some(text(item.expr()?)?),
                "of" => all.of = Some(item.path()?),
                "data_source" => all.data_source = Some(text(item.expr()?)?),
                "comment" => all.comment = Some(text(item.expr()?)?),
                "key_name" => all.key_name = Some(text(item.expr()?)?),
                "sync_table" => all.sync_table = Some(sync(&item.word()?)?),
                "columns" => columns = Some(Case::parse(&item.word()?)?),
                "properties" => all.properties = Case::parse(&item.word()?)?,
                "fixed_filter" => all.fixed_filter = Some(item.expr()?),
                "arged" => all.arged = item.bool()?,
                "scoped" => all.scoped = item.bool()?,
                "register" => all.register = item.bool()?,
                _ => {
                    let path: Path = item.string()?.parse()?;
                    all.krate = quote!(#path);
                }
            }
        }
        all.columns = columns.unwrap_or(all.properties);
        Ok(all)
    }
}

/// Where the facade is, if nobody says so.
pub(crate) fn facade() -> TokenStream {
    quote!(::isogloss)
}

/// A text, or what is one when the program is built; no other literal.
fn text(expr: Expr) -> Result<Expr> {
    match &expr {
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => Ok(expr),
        Expr::Lit(literal) => Err(Error::new_spanned(literal, "it is a text: write it in quotes")),
        _ => Ok(expr),
    }
}

fn sync(text: &LitStr) -> Result<Ident> {
    let modes = [("never", "Never"), ("always", "Always"), ("default", "Default")];
    let value = text.value();
    match modes.iter().find(|(name, _)| name.eq_ignore_ascii_case(&value)) {
        Some((_, mode)) => Ok(Ident::new(mode, text.span())),
        None => Err(Error::new(text.span(), format!("`{value}` is none of `never`, `always` and `default`"))),
    }
}
