//! Each requirement on the order demo by its number, over the router. On SQLite, and the main ones on the servers of
//! `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL`.

mod access;
mod auth;
mod entities;
mod lists;
mod shop;
