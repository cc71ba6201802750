//! Part B of the specification: the endpoints of a controller, each test named by the number of its requirement.

mod controllers;
mod endpoints;
mod engines;
mod errors;
mod page;
mod rows;
mod served;
