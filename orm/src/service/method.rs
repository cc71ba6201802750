//! Service methods and their attributes.

use std::fmt;
use std::time::Duration;

use isogloss_driver::{Isolation, TransactionOptions};

use crate::session::RetryOptions;

/// A method of a service with its attributes; `#[service]` creates one for each.
///
/// Its `Display` is a line for a table of a program's permissions:
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
    /// A method without attributes.
    #[must_use]
    pub const fn new(service: &'static str, name: &'static str, returns: &'static str) -> Self {
        Self { service, name, returns, remote: true, transaction: None, permission: None, log: None }
    }

    /// Sets the rule of its transaction.
    #[must_use]
    pub const fn transaction(mut self, rule: TransactionRule) -> Self {
        self.transaction = Some(rule);
        self
    }

    /// Sets the rule of its permission.
    #[must_use]
    pub const fn permission(mut self, rule: PermissionRule) -> Self {
        self.permission = Some(rule);
        self
    }

    /// Sets the rule of its log.
    #[must_use]
    pub const fn log(mut self, rule: LogRule) -> Self {
        self.log = Some(rule);
        self
    }

    /// Excludes it from calls by [`Session::remote`](crate::Session::remote).
    #[must_use]
    pub const fn not_remote(mut self) -> Self {
        self.remote = false;
        self
    }

    /// The name of its service.
    #[must_use]
    pub const fn service(&self) -> &'static str {
        self.service
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The names of its service and of the method, with a dot between.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}.{}", self.service, self.name)
    }

    /// The return type, as it is written.
    #[must_use]
    pub const fn returns(&self) -> &'static str {
        self.returns
    }

    /// Whether it may be called by [`Session::remote`](crate::Session::remote).
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        self.remote
    }

    /// The rule of its transaction, if it has one.
    #[must_use]
    pub const fn transaction_rule(&self) -> Option<&TransactionRule> {
        self.transaction.as_ref()
    }

    /// The rule of its permission, if it has one.
    #[must_use]
    pub const fn permission_rule(&self) -> Option<&PermissionRule> {
        self.permission.as_ref()
    }

    /// The rule of its log, if it has one.
    #[must_use]
    pub const fn log_rule(&self) -> Option<&LogRule> {
        self.log.as_ref()
    }

    /// Whether it has an attribute that requires interception.
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

/// The rule of `#[transaction]`: the method runs in a transaction, which commits if it succeeds, and rolls back if it
/// fails or panics. If a transaction is open already, the method runs as a part of it, and its options are not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionRule {
    isolation: Option<Isolation>,
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
    /// One attempt, with READ COMMITTED.
    #[must_use]
    pub const fn new() -> Self {
        Self { isolation: Some(Isolation::ReadCommitted), read_only: false, attempts: 1, savepoint: false }
    }

    /// Sets the isolation level.
    #[must_use]
    pub const fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = Some(isolation);
        self
    }

    /// Leaves the isolation level to the server, as [`Session::transaction`](crate::Session::transaction) does. Vitess
    /// takes no other.
    #[must_use]
    pub const fn server_isolation(mut self) -> Self {
        self.isolation = None;
        self
    }

    /// Makes the transaction read-only.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Sets how many attempts are made after conflicts.
    #[must_use]
    pub const fn retry(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Uses a savepoint if a transaction is open already.
    #[must_use]
    pub const fn savepoint(mut self) -> Self {
        self.savepoint = true;
        self
    }

    /// Whether it uses a savepoint if a transaction is open already.
    #[must_use]
    pub const fn takes_savepoint(&self) -> bool {
        self.savepoint
    }

    /// The options of its transaction, with the number of attempts.
    #[must_use]
    pub fn options(&self) -> RetryOptions {
        let options = TransactionOptions::default();
        let options = self.isolation.map_or(options, |isolation| options.isolation(isolation));
        RetryOptions::attempts(self.attempts).options(if self.read_only { options.read_only() } else { options })
    }
}

impl fmt::Display for TransactionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.isolation {
            Some(isolation) => write!(f, "transaction({isolation:?}")?,
            None => f.write_str("transaction(the server's isolation")?,
        }
        f.write_str(if self.read_only { ", read only" } else { "" })?;
        if self.attempts > 1 {
            write!(f, ", retry = {}", self.attempts)?;
        }
        f.write_str(if self.savepoint { ", nested = savepoint)" } else { ")" })
    }
}

/// The rule of `#[service_permission]`: who may call a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionRule {
    anonymous: bool,
    roles: &'static [&'static str],
    check: Option<&'static str>,
}

impl PermissionRule {
    /// Any caller, known or not.
    pub const ANYONE: Self = Self { anonymous: true, roles: &[], check: None };
    /// Any known caller.
    pub const PRINCIPAL: Self = Self { anonymous: false, roles: &[], check: None };

    /// Callers with one of these roles.
    #[must_use]
    pub const fn roles(roles: &'static [&'static str]) -> Self {
        Self { roles, ..Self::PRINCIPAL }
    }

    /// Adds a function that may also permit a call, by its arguments. The method itself calls it.
    #[must_use]
    pub const fn check(mut self, name: &'static str) -> Self {
        self.check = Some(name);
        self
    }

    /// Whether callers need not be known.
    #[must_use]
    pub const fn allows_anonymous(&self) -> bool {
        self.anonymous
    }

    /// The roles of which a caller needs one; empty if none is needed.
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

/// The rule of `#[service_log]`: what is logged of a call.
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
    /// Logs the call with its arguments, and its end with the returned value, at the level of information.
    #[must_use]
    pub const fn new() -> Self {
        Self { level: LogLevel::Information, format: LogFormat::Full, slow: None }
    }

    /// Sets the level.
    #[must_use]
    pub const fn level(mut self, level: LogLevel) -> Self {
        self.level = level;
        self
    }

    /// Sets how much is logged.
    #[must_use]
    pub const fn format(mut self, format: LogFormat) -> Self {
        self.format = format;
        self
    }

    /// Sets from which duration on a call is slow; by default that of
    /// [`Interception::slow`](super::Interception::slow).
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

/// The level at which a call is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLevel {
    /// Single steps.
    Trace,
    /// For finding mistakes.
    Debug,
    /// The regular course of the program.
    Information,
    /// Something that should be looked at.
    Warning,
    /// A failure.
    Error,
    /// A failure that stops the program. `tracing` has no level above that of errors.
    Critical,
    /// Neither the call nor its end is logged, unless it is slow or fails.
    None,
}

/// How much of a call is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogFormat {
    /// Only the call.
    None,
    /// The call with its arguments.
    Args,
    /// The call with the returned value.
    ReturnValue,
    /// The call with its arguments and the returned value.
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
