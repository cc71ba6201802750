//! Related rows in rows: `include` of pages, lists and rows. What is the same on every engine also runs on PostgreSQL and
//! MySQL, where `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` say where they are.

mod described;
mod hostile;
mod keys;
mod limits;
mod lists;
mod mounts;
mod pages;
mod readers;
mod rows;
mod shop;
