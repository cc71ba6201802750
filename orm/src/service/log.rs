//! What is logged of calls: events of `tracing` with the target `isogloss::service`.

use std::time::Duration;

use super::{Interception, LogLevel, Method, ServiceCall, ServiceFailure};
use crate::OrmError;

/// An event at a level that is known when the program runs.
macro_rules! event {
    ($level:expr, $($fields:tt)*) => {
        match $level {
            LogLevel::Trace => tracing::trace!(target: "isogloss::service", $($fields)*),
            LogLevel::Debug => tracing::debug!(target: "isogloss::service", $($fields)*),
            LogLevel::Information => tracing::info!(target: "isogloss::service", $($fields)*),
            LogLevel::Warning => tracing::warn!(target: "isogloss::service", $($fields)*),
            LogLevel::Error | LogLevel::Critical => tracing::error!(target: "isogloss::service", $($fields)*),
            LogLevel::None => {}
        }
    };
}

/// Whether somebody listens at a level.
fn is_heard(level: LogLevel) -> bool {
    match level {
        LogLevel::Trace => tracing::enabled!(target: "isogloss::service", tracing::Level::TRACE),
        LogLevel::Debug => tracing::enabled!(target: "isogloss::service", tracing::Level::DEBUG),
        LogLevel::Information => tracing::enabled!(target: "isogloss::service", tracing::Level::INFO),
        LogLevel::Warning => tracing::enabled!(target: "isogloss::service", tracing::Level::WARN),
        LogLevel::Error | LogLevel::Critical => tracing::enabled!(target: "isogloss::service", tracing::Level::ERROR),
        LogLevel::None => false,
    }
}

/// Whether the arguments of a method may come into the log: if it fails, they do whatever its format is.
pub(super) fn may_show_arguments(interception: &Interception, method: &Method) -> bool {
    let rule = interception.log_of(method);
    rule.its_format().has_arguments() && is_heard(rule.its_level()) || is_heard(LogLevel::Error)
}

/// Whether what a method returns comes into the log.
pub(super) fn shows_result(interception: &Interception, method: &Method) -> bool {
    let rule = interception.log_of(method);
    rule.its_format().has_result() && is_heard(rule.its_level())
}

/// A call begins.
pub(super) fn invoked(interception: &Interception, call: &ServiceCall<'_>) {
    let rule = interception.log_of(call.method());
    if !is_heard(rule.its_level()) {
        return;
    }
    let (session, service, method) = (call.session_id(), call.service_name(), call.method_name());
    let arguments = rule.its_format().has_arguments().then(|| call.arguments().to_string());
    event!(rule.its_level(), session, service, method, arguments, "a service is called");
}

/// A call has succeeded.
pub(super) fn returned(interception: &Interception, call: &ServiceCall<'_>, result: Option<&str>) {
    let rule = interception.log_of(call.method());
    let (session, service, method, took_ms) = place(call);
    let result = result.filter(|_| rule.its_format().has_result());
    event!(rule.its_level(), session, service, method, took_ms, result, "a service has returned");
    if call.duration() >= rule.its_slow().unwrap_or(interception.slow) {
        let sql = call.session().sql_stack().join("\n");
        event!(LogLevel::Warning, session, service, method, took_ms, sql, "slow call of a service");
    }
}

/// A call has failed.
pub(super) fn failed(call: &ServiceCall<'_>, error: &dyn ServiceFailure, sql_stack: &[String]) {
    let level = if error.is_business() { LogLevel::Warning } else { LogLevel::Error };
    if !is_heard(level) {
        return;
    }
    let (session, service, method, took_ms) = place(call);
    let (arguments, sql) = (call.arguments().to_string(), sql_stack.join("\n"));
    event!(level, session, service, method, took_ms, arguments, %error, sql, "a service has failed");
}

/// A handler has failed, which changes nothing for the call.
pub(super) fn handler_failed(handler: &str, method: &Method, error: &OrmError) {
    let (service, method) = (method.service(), method.name());
    event!(LogLevel::Error, service, method, handler, %error, "a handler of calls has failed");
}

fn place(call: &ServiceCall<'_>) -> (u64, &'static str, &'static str, u64) {
    (call.session_id(), call.service_name(), call.method_name(), milliseconds(call.duration()))
}

fn milliseconds(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}
