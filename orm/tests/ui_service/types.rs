//! Types that a service's methods do not have.

use isogloss::service::{FromSession, Principal, service};
use isogloss::{OrmError, OrmResult, Session};

struct Once;

#[derive(Debug)]
struct Plain;

impl From<OrmError> for Plain {
    fn from(_: OrmError) -> Self {
        Self
    }
}

fn owns(_: &dyn Principal, _: &str) -> bool {
    true
}

#[derive(FromSession)]
struct Orders {
    session: Session,
    limit: u32,
}

#[service]
impl Orders {
    pub async fn no_result(&self) -> u64 {
        1
    }

    pub async fn no_failure(&self) -> Result<(), Plain> {
        Ok(())
    }

    #[transaction(retry = 3)]
    pub async fn not_clone(&self, once: Once) -> OrmResult<()> {
        drop(once);
        Ok(())
    }

    #[service_permission(check = owns)]
    pub async fn checked(&self, id: i32) -> OrmResult<i32> {
        Ok(id)
    }
}

struct NoSession;

#[service]
impl NoSession {
    pub async fn nothing(&self) -> OrmResult<()> {
        Ok(())
    }
}

fn main() {}
