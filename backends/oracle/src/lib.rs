//! Isogloss for Oracle Database: how its SQL is spelled.
