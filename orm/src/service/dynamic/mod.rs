//! Services of entities that are known only at run time, such as for generic controllers.

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
