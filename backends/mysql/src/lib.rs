//! Isogloss for MySQL and MariaDB: how its SQL is spelled.
