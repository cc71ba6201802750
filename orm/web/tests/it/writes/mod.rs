//! What clients write: bodies, constraints and versions, on SQLite, and on the engines of `ISOGLOSS_POSTGRES_URL` and
//! `ISOGLOSS_MYSQL_URL` where those are set. `D.5` in a name is a case of a hostile client.

mod assignment;
mod callers;
mod constraints;
mod insert;
mod late;
mod made;
mod numbers;
mod references;
mod replica;
mod shop;
mod unread;
mod update;
mod verbs;
mod versions;
