//! Clients that mean no good: what they send, and that it gets them nothing. The numbers of cases are those of a list that
//! was made of what other filter APIs had to mend; `case_07_..` is the seventh of them.

mod app;
mod limits;
mod load;
mod logic;
mod names;
mod nodes;
mod objects;
mod size;
mod tokens;
mod transport;
mod values;
mod verdicts;
