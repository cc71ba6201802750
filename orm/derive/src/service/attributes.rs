//! `#[transaction]`, `#[service_permission]`, `#[service_log]` and `#[service_method]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, LitStr, Path, Result};

use crate::items;
use crate::naming;

/// The attributes that `#[service]` reads.
const ATTRIBUTES: [&str; 4] = ["transaction", "service_permission", "service_log", "service_method"];

/// Where attributes stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// On the `impl`: what they say holds for each method that does not say it itself.
    OnImpl,
    OnMethod,
}

/// What attributes say, each as code of the facade's.
#[derive(Default, Clone)]
pub(super) struct Rules {
    /// The first of them.
    pub(super) first: Option<(Span, &'static str)>,
    transaction: Option<Transaction>,
    permission: Option<Permission>,
    log: Option<TokenStream>,
    not_remote: bool,
}

#[derive(Clone)]
enum Transaction {
    Off,
    On { rule: TokenStream, retry: Option<Span>, commit_on: Option<Path> },
}

#[derive(Clone)]
struct Permission {
    rule: TokenStream,
    check: Option<Path>,
}

impl Rules {
    /// Takes them away from where they stand.
    pub(super) fn take(attributes: &mut Vec<Attribute>, stands: Stands, krate: &TokenStream) -> Result<Self> {
        let known = |attribute: &Attribute| ATTRIBUTES.into_iter().find(|name| attribute.path().is_ident(name));
        let taken: Vec<Attribute> = attributes.extract_if(.., |attribute| known(attribute).is_some()).collect();
        let mut rules = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for attribute in &taken {
            let Some(name) = known(attribute) else { continue };
            let span = attribute.path().span();
            if seen.contains(&name) {
                return Err(Error::new(span, format!("`#[{name}]` is given twice: leave one out")));
            }
            seen.push(name);
            rules.first.get_or_insert((span, name));
            let one = std::slice::from_ref(attribute);
            match name {
                "transaction" => rules.transaction = Some(transaction(one, krate)?),
                "service_permission" => rules.permission = Some(permission(one, stands)?),
                "service_log" => rules.log = Some(log(one, krate)?),
                _ => rules.not_remote = !remote(one)?,
            }
        }
        Ok(rules)
    }

    /// With what is said for all methods, where this says nothing.
    pub(super) fn or(self, all: &Self) -> Self {
        let all = all.clone();
        Self {
            first: self.first,
            transaction: self.transaction.or(all.transaction),
            permission: self.permission.or(all.permission),
            log: self.log.or(all.log),
            not_remote: self.not_remote || all.not_remote,
        }
    }

    /// The calls that add it to a `Method`.
    pub(super) fn code(&self, krate: &TokenStream) -> TokenStream {
        let service = quote!(#krate::service);
        let mut code = TokenStream::new();
        if let Some(Transaction::On { rule, .. }) = &self.transaction {
            code.extend(quote!(.transaction(#service::TransactionRule::new() #rule)));
        }
        if let Some(Permission { rule, .. }) = &self.permission {
            code.extend(quote!(.permission(#service::PermissionRule::#rule)));
        }
        if let Some(log) = &self.log {
            code.extend(quote!(.log(#service::LogRule::new() #log)));
        }
        if self.not_remote {
            code.extend(quote!(.not_remote()));
        }
        code
    }

    /// Where it says that a transaction is tried again, if it does.
    pub(super) fn retry(&self) -> Option<Span> {
        match &self.transaction {
            Some(Transaction::On { retry, .. }) => *retry,
            _ => None,
        }
    }

    /// What says for which errors the transaction is committed.
    pub(super) fn commit_on(&self) -> Option<&Path> {
        match &self.transaction {
            Some(Transaction::On { commit_on, .. }) => commit_on.as_ref(),
            _ => None,
        }
    }

    /// The function that looks at the arguments.
    pub(super) fn check(&self) -> Option<&Path> {
        self.permission.as_ref()?.check.as_ref()
    }
}

fn transaction(attribute: &[Attribute], krate: &TokenStream) -> Result<Transaction> {
    let known = ["isolation", "read_only", "retry", "nested", "commit_on", "false"];
    let (mut rule, mut retry, mut commit_on) = (TokenStream::new(), None, None);
    let given = items::of(attribute, "transaction", &known)?;
    for item in &given {
        match naming::plain(&item.key).as_str() {
            "false" if given.len() > 1 => {
                let why = "`false` switches the transaction off: it stands alone";
                return Err(Error::new(item.flag()?, why));
            }
            "false" => return item.flag().map(|_| Transaction::Off),
            "isolation" => {
                let level = |level| quote!(.isolation(#krate::driver::Isolation::#level));
                let words = [
                    ("read_committed", level(quote!(ReadCommitted))),
                    ("repeatable_read", level(quote!(RepeatableRead))),
                    ("snapshot", level(quote!(Snapshot))),
                    ("serializable", level(quote!(Serializable))),
                    ("server", quote!(.server_isolation())),
                ];
                rule.extend(one_of(&item.word()?, "isolation", words)?);
            }
            "read_only" if item.bool()? => rule.extend(quote!(.read_only())),
            "read_only" => {}
            "retry" => {
                let attempts: u32 = item.number()?;
                if attempts == 0 {
                    return Err(Error::new(item.key.span(), "a transaction is tried at least once: `retry = 1`"));
                }
                retry = (attempts > 1).then(|| item.key.span());
                rule.extend(quote!(.retry(#attempts)));
            }
            "nested" => {
                let savepoint =
                    one_of(&item.word()?, "nested", [("join", quote!()), ("savepoint", quote!(.savepoint()))])?;
                rule.extend(savepoint);
            }
            // Of those that are known, the one that is left.
            _ => commit_on = Some(item.path()?),
        }
    }
    Ok(Transaction::On { rule, retry, commit_on })
}

fn permission(attribute: &[Attribute], stands: Stands) -> Result<Permission> {
    let mut roles = Vec::new();
    let (mut anonymous, mut check, mut limited) = (false, None, None);
    for item in items::of(attribute, "service_permission", &["roles", "allow_anonymous", "check"])? {
        match naming::plain(&item.key).as_str() {
            "roles" => {
                let text = item.string()?;
                roles = text.value().split(',').map(|role| role.trim().to_owned()).collect();
                if roles.iter().any(String::is_empty) {
                    return Err(Error::new(text.span(), "a role has no name: write `roles = \"Sales, Admin\"`"));
                }
                limited = Some(item.key.span());
            }
            "allow_anonymous" => anonymous = item.bool()?,
            _ if stands == Stands::OnImpl => {
                let why = "each method has arguments of its own: say `check` on the method";
                return Err(Error::new(item.key.span(), why));
            }
            _ => {
                check = Some(item.path()?);
                limited = Some(item.key.span());
            }
        }
    }
    if let (true, Some(span)) = (anonymous, limited) {
        let why = "`allow_anonymous` lets everybody in: leave one of both out";
        return Err(Error::new(span, why));
    }
    let mut rule = match (anonymous, roles.is_empty()) {
        (true, _) => quote!(ANYONE),
        (false, true) => quote!(PRINCIPAL),
        (false, false) => quote!(roles(&[#(#roles),*])),
    };
    if let Some(last) = check.as_ref().and_then(|path| path.segments.last()) {
        let name = naming::plain(&last.ident);
        rule.extend(quote!(.check(#name)));
    }
    Ok(Permission { rule, check })
}

fn log(attribute: &[Attribute], krate: &TokenStream) -> Result<TokenStream> {
    let mut rule = TokenStream::new();
    for item in items::of(attribute, "service_log", &["level", "format", "slow"])? {
        match naming::plain(&item.key).as_str() {
            "level" => {
                let words = [
                    ("trace", quote!(Trace)),
                    ("debug", quote!(Debug)),
                    ("information", quote!(Information)),
                    ("warning", quote!(Warning)),
                    ("error", quote!(Error)),
                    ("critical", quote!(Critical)),
                    ("none", quote!(None)),
                ];
                let level = one_of(&item.word()?, "level", words)?;
                rule.extend(quote!(.level(#krate::service::LogLevel::#level)));
            }
            "format" => {
                let words = [
                    ("none", quote!(None)),
                    ("args", quote!(Args)),
                    ("result", quote!(ReturnValue)),
                    ("full", quote!(Full)),
                ];
                let format = one_of(&item.word()?, "format", words)?;
                rule.extend(quote!(.format(#krate::service::LogFormat::#format)));
            }
            _ => {
                let millis = duration(&item.string()?)?;
                rule.extend(quote!(.slow(::core::time::Duration::from_millis(#millis))));
            }
        }
    }
    Ok(rule)
}

fn remote(attribute: &[Attribute]) -> Result<bool> {
    let items = items::of(attribute, "service_method", &["remote"])?;
    items.first().map_or(Ok(true), items::Item::bool)
}

/// One of several words.
fn one_of<const N: usize>(word: &LitStr, key: &str, words: [(&str, TokenStream); N]) -> Result<TokenStream> {
    let given = word.value().to_lowercase();
    let found = words.iter().find(|(name, _)| *name == given);
    found.map(|(_, code)| code.clone()).ok_or_else(|| {
        let near = naming::near(&given, words.iter().map(|(name, _)| *name));
        let all = words.each_ref().map(|(name, _)| format!("`{name}`")).join(", ");
        let hint = if near.is_empty() { format!(": it is one of {all}") } else { near };
        Error::new(word.span(), format!("there is no {key} `{}`{hint}", word.value()))
    })
}

/// `500ms`, `3s` or `2m`, in milliseconds.
fn duration(text: &LitStr) -> Result<u64> {
    let value = text.value();
    let units = [("ms", 1_u64), ("s", 1000), ("m", 60_000)];
    let parsed = units.into_iter().find_map(|(unit, millis)| {
        let number: u64 = value.strip_suffix(unit)?.trim().parse().ok()?;
        number.checked_mul(millis)
    });
    parsed.ok_or_else(|| Error::new(text.span(), "a time is written `\"500ms\"`, `\"3s\"` or `\"2m\"`"))
}
