//! The forms of a list, the query string of requirement A12, and pages by cursor: case 29 of hostile requests, and part E of
//! what is customary in HTTP. The walks also run on PostgreSQL and MySQL, where `ISOGLOSS_POSTGRES_URL` and
//! `ISOGLOSS_MYSQL_URL` say where they are.

mod counts;
mod cursors;
mod items;
mod lists;
mod query_strings;
mod walks;
