//! The tables.

mod archive;
mod audit;
mod order;
mod people;

pub(crate) use archive::{ArchivedOrder, PlatformOrder, month_of};
pub(crate) use audit::Audit;
pub(crate) use order::{Order, OrderView, Status};
pub(crate) use people::{AuthSession, AuthSessionView, Department, Role, User};
