//! The endpoints, each as the specification has it.

mod by_id;
mod count;
mod list;
mod page;
mod write;
