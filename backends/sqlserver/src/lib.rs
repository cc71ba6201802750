//! Isogloss for SQL Server: how its SQL is spelled.
