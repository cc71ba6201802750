//! What stands in the parentheses of an attribute: `flag`, `key = value`, `key(a, b)`.

use std::fmt::Display;
use std::str::FromStr;

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Result, Token, Type, parenthesized};

use crate::naming;

/// One item of an attribute.
pub(crate) struct Item {
    pub(crate) key: Ident,
    value: Given,
}

enum Given {
    Flag,
    Assigned(Expr),
    List(Vec<Expr>),
    /// `(dyn A, dyn B)`.
    Traits(Vec<Type>),
}

/// An entity by its type, or by a text that names it or a join.
#[derive(Clone)]
pub(crate) enum Target {
    Type(Box<Type>),
    Text(LitStr),
}

/// A property by the field that it is of, or by its name.
pub(crate) enum Key {
    Field(Ident),
    Text(LitStr),
}

impl Item {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key = Ident::parse_any(input)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Given::Assigned(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            if content.peek(Token![dyn]) {
                Given::Traits(Punctuated::<Type, Token![,]>::parse_terminated(&content)?.into_iter().collect())
            } else {
                Given::List(Punctuated::<Expr, Token![,]>::parse_terminated(&content)?.into_iter().collect())
            }
        } else {
            Given::Flag
        };
        Ok(Self { key, value })
    }

    fn wanted<T>(&self, form: impl Display) -> Result<T> {
        Err(Error::new(self.key.span(), format!("`{}` is written `{}{form}`", self.key, self.key)))
    }

    pub(crate) fn flag(&self) -> Result<Span> {
        match self.value {
            Given::Flag => Ok(self.key.span()),
            _ => self.wanted(""),
        }
    }

    pub(crate) fn expr(&self) -> Result<Expr> {
        match &self.value {
            Given::Assigned(expr) => Ok(expr.clone()),
            _ => self.wanted(" = value"),
        }
    }

    pub(crate) fn string(&self) -> Result<LitStr> {
        match &self.value {
            Given::Assigned(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(text.clone()),
            _ => self.wanted(" = \"...\""),
        }
    }

    /// A word, quoted or not.
    pub(crate) fn word(&self) -> Result<LitStr> {
        match &self.value {
            Given::Assigned(Expr::Path(path)) => match path.path.get_ident() {
                Some(word) => Ok(LitStr::new(&naming::plain(word), word.span())),
                None => self.wanted(" = \"...\""),
            },
            _ => self.string(),
        }
    }

    pub(crate) fn bool(&self) -> Result<bool> {
        match &self.value {
            Given::Assigned(Expr::Lit(ExprLit { lit: Lit::Bool(is), .. })) => Ok(is.value),
            Given::Flag => Ok(true),
            _ => self.wanted(" = true"),
        }
    }

    pub(crate) fn number<N: FromStr<Err: Display>>(&self) -> Result<N> {
        match &self.value {
            Given::Assigned(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => number.base10_parse(),
            _ => self.wanted(" = 10"),
        }
    }

    pub(crate) fn path(&self) -> Result<Path> {
        match &self.value {
            Given::Assigned(Expr::Path(path)) => Ok(path.path.clone()),
            _ => self.wanted(" = Type"),
        }
    }

    /// `(dyn A, dyn B)`.
    pub(crate) fn traits(&self) -> Result<&[Type]> {
        match &self.value {
            Given::Traits(traits) => Ok(traits),
            _ => self.wanted("(dyn Trait, ...)"),
        }
    }

    pub(crate) fn target(&self) -> Result<Target> {
        match &self.value {
            Given::Assigned(Expr::Path(path)) => Ok(Target::Type(Box::new(Type::Path(syn::TypePath {
                attrs: Vec::new(),
                qself: None,
                path: path.path.clone(),
            })))),
            _ => self.string().map(Target::Text),
        }
    }

    /// `= field` or `= "Property"`.
    pub(crate) fn key_of(&self) -> Result<Key> {
        match &self.value {
            Given::Assigned(expr) => key(expr),
            _ => self.wanted(" = field"),
        }
    }

    /// `(a, "B")`, or `= [a, "B"]`.
    pub(crate) fn keys(&self) -> Result<Vec<Key>> {
        match &self.value {
            Given::List(keys) if !keys.is_empty() => keys.iter().map(key).collect(),
            Given::Assigned(Expr::Array(keys)) if !keys.elems.is_empty() => keys.elems.iter().map(key).collect(),
            Given::Assigned(single @ (Expr::Path(_) | Expr::Lit(_))) => Ok(vec![key(single)?]),
            _ => self.wanted("(field, ...)"),
        }
    }

    /// `(a, b)`.
    pub(crate) fn words(&self) -> Result<Vec<Ident>> {
        let Given::List(words) = &self.value else { return self.wanted("(name, ...)") };
        let word = |word: &Expr| match word {
            Expr::Path(path) => path.path.require_ident().cloned(),
            other => Err(Error::new(other.span(), "a name is wanted here")),
        };
        words.iter().map(word).collect()
    }

    /// `identity`, `identity(1000, 1)` or `identity(start = 1000, increment = 1)`.
    pub(crate) fn identity(&self) -> Result<(i64, i64)> {
        let form = "(start = 1, increment = 1)";
        let (mut start, mut increment) = (1, 1);
        let Given::List(values) = &self.value else { return self.flag().map(|_| (1, 1)) };
        for (i, value) in values.iter().enumerate() {
            match (value, i) {
                (Expr::Assign(named), _) => match &*named.left {
                    Expr::Path(path) if path.path.is_ident("start") => start = whole(&named.right)?,
                    Expr::Path(path) if path.path.is_ident("increment") => increment = whole(&named.right)?,
                    _ => return self.wanted(form),
                },
                (value, 0) => start = whole(value)?,
                (value, 1) => increment = whole(value)?,
                _ => return self.wanted(form),
            }
        }
        match increment {
            0 => Err(Error::new(self.key.span(), "an identity with the increment 0 does not count: give another")),
            _ => Ok((start, increment)),
        }
    }
}

fn whole(expr: &Expr) -> Result<i64> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse(),
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => whole(expr).map(|number| -number),
        _ => Err(Error::new(expr.span(), "a whole number is wanted here")),
    }
}

fn key(expr: &Expr) -> Result<Key> {
    match expr {
        Expr::Path(path) if path.path.get_ident().is_some() => {
            path.path.require_ident().map(|ident| Key::Field(ident.clone()))
        }
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(Key::Text(text.clone())),
        _ => Err(Error::new(expr.span(), "a key is the name of a field, or that of a property as a text")),
    }
}

/// The items of all attributes of that name; each key of those known, once.
pub(crate) fn of(attributes: &[Attribute], name: &str, known: &[&str]) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        match &attribute.meta {
            Meta::Path(_) => {}
            Meta::List(list) => items.extend(self::items.parse2(list.tokens.clone())?),
            Meta::NameValue(_) => {
                return Err(Error::new(attribute.span(), format!("it is written `#[{name}(...)]`")));
            }
        }
    }
    check(&items, name, known)?;
    Ok(items)
}

/// The items of an attribute whose name is that of a macro.
pub(crate) fn given(tokens: TokenStream, name: &str, known: &[&str]) -> Result<Vec<Item>> {
    let items = items.parse2(tokens)?;
    check(&items, name, known)?;
    Ok(items)
}

/// The items of each attribute of that name.
pub(crate) fn each(attributes: &[Attribute], name: &str, known: &[&str]) -> Result<Vec<(Span, Vec<Item>)>> {
    let own = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    own.map(|one| Ok((one.path().span(), of(std::slice::from_ref(one), name, known)?))).collect()
}

/// A target and the items behind it, of each attribute of that name: `#[foreign(Department, alias = "Dept")]`.
pub(crate) fn behind_target(
    attributes: &[Attribute],
    name: &str,
    known: &[&str],
) -> Result<Vec<(Span, Target, Vec<Item>)>> {
    let mut all = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        let parse = |input: ParseStream<'_>| {
            let target =
                if input.peek(LitStr) { Target::Text(input.parse()?) } else { Target::Type(Box::new(input.parse()?)) };
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
            Ok((target, items(input)?))
        };
        if !matches!(attribute.meta, Meta::List(_)) {
            let text = format!("it is written `#[{name}(Type, ...)]`");
            return Err(Error::new(attribute.span(), text));
        }
        let (target, items) = attribute.parse_args_with(parse)?;
        check(&items, name, known)?;
        all.push((attribute.path().span(), target, items));
    }
    Ok(all)
}

fn items(input: ParseStream<'_>) -> Result<Vec<Item>> {
    Ok(Punctuated::<Item, Token![,]>::parse_terminated_with(input, Item::parse)?.into_iter().collect())
}

fn check(items: &[Item], attribute: &str, known: &[&str]) -> Result<()> {
    for (i, item) in items.iter().enumerate() {
        let key = naming::plain(&item.key);
        if !known.contains(&key.as_str()) {
            let near = naming::near(&key, known.iter().copied());
            let all = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let hint = if near.is_empty() { format!(": it has {all}") } else { near };
            return Err(Error::new(item.key.span(), format!("`#[{attribute}(...)]` has no `{key}`{hint}")));
        }
        if items.iter().take(i).any(|before| before.key == item.key) {
            return Err(Error::new(item.key.span(), format!("`{key}` is given twice: leave one out")));
        }
    }
    Ok(())
}
