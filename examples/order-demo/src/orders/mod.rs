//! Orders: the endpoints of clients, and the service behind them.

mod counts;
mod events;
mod expr;
mod filter;
mod input;
mod routes;
mod service;
mod shown;

pub(crate) use counts::CountCache;
pub(crate) use events::OrderAudits;
pub(crate) use expr::policy;
pub(crate) use routes::routes;
