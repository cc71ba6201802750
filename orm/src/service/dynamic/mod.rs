//! Services of entities that are known when the program runs: what a generic controller works with.

mod linked;
mod object;
mod ops;
mod row;
mod service;
mod typed;

pub(crate) use linked::Entities;
pub use linked::NotDynamic;
pub use object::DynamicObject;
pub use ops::DynamicServiceOps;
pub use service::DynamicService;
pub use typed::TypedService;
