//! What a service says of its methods.

use std::fmt;
use std::time::Duration;

use isogloss_driver::{Isolation, TransactionOptions};

use crate::session::RetryOptions;

/// A method of a service, and what its attributes say: `#[service]` makes one for each.
///
/// Its text is a line for a table of what a program allows:
///
/// ```
/// use isogloss::service::{Method, PermissionRule, TransactionRule};
/// const PLACE: Method = Method::new("OrderService", "place", "OrmResult<i64>")
///     .transaction(TransactionRule::new().retry(3))
///     .permission(PermissionRule::roles(&["Sales", "Admin"]));
/// assert_eq!(
///     PLACE.to_string(),
///     "OrderService.place: transaction(ReadCommitted, retry = 3), one of the roles `Sales`, `Admin`"
/// );
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Method {
    service: &'static str,
    name: &'static str,
    returns: &'static str,
    remote: bool,
    transaction: Option<TransactionRule>,
    permission: Option<PermissionRule>,
    log: Option<LogRule>,
}

impl Method {
    /// One of which nothing is said.
    #[must_use]
    pub const fn new(service: &'static str, name: &'static str, returns: &'static str) -> Self {
        Self { service, name, returns, remote: true, transaction: None, permission: None, log: None }
    }

    /// In a transaction.
    #[must_use]
    pub const fn transaction(mut self, rule: TransactionRule) -> Self {
        self.transaction = Some(rule);
        self
    }

    /// With that permission.
    #[must_use]
    pub const fn permission(mut self, rule: PermissionRule) -> Self {
        self.permission = Some(rule);
        self
    }

    /// Logged so.
    #[must_use]
    pub const fn log(mut self, rule: LogRule) -> Self {
        self.log = Some(rule);
        self
    }

    /// Not for calls by [`Session::remote`](crate::Session::remote).
    #[must_use]
    pub const fn not_remote(mut self) -> Self {
        self.remote = false;
        self
    }

    /// Its service.
    #[must_use]
    pub const fn service(&self) -> &'static str {
        self.service
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its service and its name, with a dot between.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}.{}", self.service, self.name)
    }

    /// The type that it returns, as it is written.
    #[must_use]
    pub const fn returns(&self) -> &'static str {
        self.returns
    }

    /// Whether it is for calls by [`Session::remote`](crate::Session::remote).
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        self.remote
    }

    /// What it says of its transaction.
    #[must_use]
    pub const fn transaction_rule(&self) -> Option<&TransactionRule> {
        self.transaction.as_ref()
    }

    /// What it says of who may call it.
    #[must_use]
    pub const fn permission_rule(&self) -> Option<&PermissionRule> {
        self.permission.as_ref()
    }

    /// What it says of its log.
    #[must_use]
    pub const fn log_rule(&self) -> Option<&LogRule> {
        self.log.as_ref()
    }

    /// Whether it says anything that has no effect in a program without interception.
    #[must_use]
    pub const fn needs_interception(&self) -> bool {
        self.transaction.is_some() || self.permission.is_some() || self.log.is_some()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.service, self.name)?;
        let mut before = ": ";
        let mut next = || std::mem::replace(&mut before, ", ");
        if let Some(rule) = &self.transaction {
            write!(f, "{}{rule}", next())?;
        }
        if let Some(rule) = &self.permission {
            write!(f, "{}{rule}", next())?;
        }
        if let Some(rule) = &self.log {
            write!(f, "{}{rule}", next())?;
        }
        if !self.remote {
            write!(f, "{}not remote", next())?;
        }
        Ok(())
    }
}

/// `#[transaction]`: the method runs in a transaction, committed if it succeeds, taken back if it fails or panics. In one
/// that is open already it runs as a part of that: its options are not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionRule {
    isolation: Isolation,
    read_only: bool,
    attempts: u32,
    savepoint: bool,
}

impl Default for TransactionRule {
    fn default() -> Self {
        Self::new()
    }
}

impl TransactionRule {
    /// READ COMMITTED, once.
    #[must_use]
    pub const fn new() -> Self {
        Self { isolation: Isolation::ReadCommitted, read_only: false, attempts: 1, savepoint: false }
    }

    /// With that isolation.
    #[must_use]
    pub const fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// It only reads.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// At most so many attempts, if others get in the way.
    #[must_use]
    pub const fn retry(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// In a transaction that is open already, a savepoint of its own.
    #[must_use]
    pub const fn savepoint(mut self) -> Self {
        self.savepoint = true;
        self
    }

    /// Whether it takes a savepoint in a transaction that is open.
    #[must_use]
    pub const fn takes_savepoint(&self) -> bool {
        self.savepoint
    }

    /// How its transaction begins, and how often it is tried.
    #[must_use]
    pub fn options(&self) -> RetryOptions {
        let options = TransactionOptions::default().isolation(self.isolation);
        RetryOptions::attempts(self.attempts).options(if self.read_only { options.read_only() } else { options })
    }
}

impl fmt::Display for TransactionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transaction({:?}", self.isolation)?;
        f.write_str(if self.read_only { ", read only" } else { "" })?;
        if self.attempts > 1 {
            write!(f, ", retry = {}", self.attempts)?;
        }
        f.write_str(if self.savepoint { ", nested = savepoint)" } else { ")" })
    }
}

/// `#[service_permission]`: who may call a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionRule {
    anonymous: bool,
    roles: &'static [&'static str],
    check: Option<&'static str>,
}

impl PermissionRule {
    /// Whoever calls, also where nobody is logged in.
    pub const ANYONE: Self = Self { anonymous: true, roles: &[], check: None };
    /// Whoever is logged in.
    pub const PRINCIPAL: Self = Self { anonymous: false, roles: &[], check: None };

    /// Who has one of these roles.
    #[must_use]
    pub const fn roles(roles: &'static [&'static str]) -> Self {
        Self { roles, ..Self::PRINCIPAL }
    }

    /// Whom a function lets through as well, that looks at the arguments; it is asked by the method itself.
    #[must_use]
    pub const fn check(mut self, name: &'static str) -> Self {
        self.check = Some(name);
        self
    }

    /// Whether nobody needs to be logged in.
    #[must_use]
    pub const fn allows_anonymous(&self) -> bool {
        self.anonymous
    }

    /// The roles of which one is needed, if there are any.
    #[must_use]
    pub const fn allowed_roles(&self) -> &'static [&'static str] {
        self.roles
    }
}

impl fmt::Display for PermissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.roles {
            _ if self.anonymous => f.write_str("anyone"),
            [] => match self.check {
                Some(check) => write!(f, "the permission `{check}`"),
                None => f.write_str("somebody who is logged in"),
            },
            roles => {
                f.write_str(if roles.len() == 1 { "the role " } else { "one of the roles " })?;
                for (place, role) in roles.iter().enumerate() {
                    write!(f, "{}`{role}`", if place > 0 { ", " } else { "" })?;
                }
                match self.check {
                    Some(check) => write!(f, " and the permission `{check}`"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// `#[service_log]`: what is logged of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogRule {
    level: LogLevel,
    format: LogFormat,
    slow: Option<Duration>,
}

impl Default for LogRule {
    fn default() -> Self {
        Self::new()
    }
}

impl LogRule {
    /// The call with its arguments, and its end with what it returns, at the level of information.
    #[must_use]
    pub const fn new() -> Self {
        Self { level: LogLevel::Information, format: LogFormat::Full, slow: None }
    }

    /// At that level.
    #[must_use]
    pub const fn level(mut self, level: LogLevel) -> Self {
        self.level = level;
        self
    }

    /// With so much of it.
    #[must_use]
    pub const fn format(mut self, format: LogFormat) -> Self {
        self.format = format;
        self
    }

    /// A call that takes longer is slow; otherwise what [`Interception::slow`](super::Interception::slow) says.
    #[must_use]
    pub const fn slow(mut self, slow: Duration) -> Self {
        self.slow = Some(slow);
        self
    }

    pub(crate) const fn its_level(&self) -> LogLevel {
        self.level
    }

    pub(crate) const fn its_format(&self) -> LogFormat {
        self.format
    }

    pub(crate) const fn its_slow(&self) -> Option<Duration> {
        self.slow
    }
}

impl fmt::Display for LogRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "log({:?}, {:?}", self.level, self.format)?;
        match self.slow {
            Some(slow) => write!(f, ", slow = {slow:?})"),
            None => f.write_str(")"),
        }
    }
}

/// How important a call is to a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// Each step.
    Trace,
    /// For those who look for a mistake.
    Debug,
    /// What a program usually does.
    Information,
    /// What should be looked at.
    Warning,
    /// What went wrong.
    Error,
    /// What keeps the program from working; `tracing` has no level over that of errors.
    Critical,
    /// The call and its end are not logged. If it is slow or fails, it is.
    None,
}

/// What is told of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// That it was called.
    None,
    /// Its arguments.
    Args,
    /// What it has returned.
    ReturnValue,
    /// Both.
    Full,
}

impl LogFormat {
    pub(crate) const fn has_arguments(self) -> bool {
        matches!(self, Self::Args | Self::Full)
    }

    pub(crate) const fn has_result(self) -> bool {
        matches!(self, Self::ReturnValue | Self::Full)
    }
}
