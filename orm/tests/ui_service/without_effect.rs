//! Attributes of an `impl` that has nothing for them.

use isogloss::service::service;
use isogloss::{OrmResult, Session};

struct Orders {
    session: Session,
}

#[service]
#[transaction]
impl Orders {
    fn private(&self) {}
}

struct Lists {
    session: Session,
}

#[service]
#[service_permission(roles = "Admin")]
impl Lists {
    pub async fn woven(&self) -> OrmResult<()> {
        Ok(())
    }

    pub fn list(&self) -> impl Future<Output = OrmResult<u64>> + Send + '_ {
        async move { Ok(1) }
    }
}

fn main() {}
