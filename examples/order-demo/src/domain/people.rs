//! Departments, users and logins.

use isogloss::chrono::NaiveDateTime;
use isogloss::prelude::*;

/// Whether a record is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
pub(crate) enum RecordState {
    Disabled = 0,
    #[default]
    Enabled = 1,
}

/// A department of a tenant's.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "departments", columns = "snake_case", scoped)]
pub(crate) struct Department {
    #[column(primary_key, identity)]
    pub(crate) id: i32,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[column(length = 60, writable)]
    pub(crate) name: String,
    #[column(writable)]
    pub(crate) state: RecordState,
}

/// What a user may do: an administrator sees the orders of all, everybody else their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
#[db_enum(text)]
pub(crate) enum Role {
    Admin,
    #[default]
    Sales,
    Operations,
    AccountManager,
}

impl Role {
    pub(crate) const ALL: [Self; 4] = [Self::Admin, Self::Sales, Self::Operations, Self::AccountManager];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Admin => "Admin",
            Self::Sales => "Sales",
            Self::Operations => "Operations",
            Self::AccountManager => "AccountManager",
        }
    }
}

/// A user of a tenant's.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "users", columns = "snake_case", scoped)]
pub(crate) struct User {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[column(length = 40, unique, writable)]
    pub(crate) user_name: String,
    #[column(length = 60, writable)]
    pub(crate) display_name: String,
    #[column(length = 20, writable)]
    pub(crate) role: Role,
    #[foreign(Department)]
    #[column(writable)]
    pub(crate) department_id: i32,
    /// By Argon2id. Not filterable and not writable: no client sees it, names it or sets it.
    #[column(length = 200, not_filterable)]
    #[log(skip)]
    pub(crate) password_hash: String,
}

/// A login of a user. It has the hash of the token alone: whoever reads the table cannot log in with it.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "auth_sessions", columns = "snake_case")]
pub(crate) struct AuthSession {
    #[column(primary_key, length = 64, not_filterable)]
    #[log(skip)]
    pub(crate) token_hash: String,
    #[foreign(User, auto_expand)]
    pub(crate) user_id: i64,
    #[column(precision = 6)]
    pub(crate) created_time: NaiveDateTime,
    #[column(precision = 6, index)]
    pub(crate) expires_time: NaiveDateTime,
}

/// A login with its user.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = AuthSession)]
pub(crate) struct AuthSessionView {
    pub(crate) session: AuthSession,
    #[foreign_column(User)]
    pub(crate) user_name: Option<String>,
    #[foreign_column(User)]
    pub(crate) display_name: Option<String>,
    #[foreign_column(User)]
    pub(crate) role: Option<Role>,
    #[foreign_column(User)]
    pub(crate) tenant_id: Option<i32>,
    #[foreign_column(Department, property = name)]
    pub(crate) department_name: Option<String>,
}
