//! Attributes that would have no effect, and what they do not have.

use isogloss::service::{async_trait, service};
use isogloss::{OrmResult, Session};

struct Orders {
    session: Session,
}

#[service]
impl Orders {
    #[transaction]
    pub fn not_async(&self) -> OrmResult<()> {
        Ok(())
    }

    #[service_permission(roles = "Admin")]
    async fn private(&self) -> OrmResult<()> {
        Ok(())
    }

    #[service_log]
    pub async fn no_self() -> OrmResult<()> {
        Ok(())
    }

    pub async fn returns_nothing(&self) {}

    #[transaction(retry = 3)]
    pub async fn run_again(&mut self) -> OrmResult<()> {
        Ok(())
    }

    #[transaction(isolation = serialisable)]
    pub async fn isolation(&self) -> OrmResult<()> {
        Ok(())
    }

    #[transaction(retries = 3)]
    pub async fn unknown(&self) -> OrmResult<()> {
        Ok(())
    }

    #[transaction(false, retry = 3)]
    pub async fn off_and_on(&self) -> OrmResult<()> {
        Ok(())
    }

    #[transaction]
    #[transaction]
    pub async fn twice(&self) -> OrmResult<()> {
        Ok(())
    }

    #[service_permission(roles = "Admin", allow_anonymous)]
    pub async fn anyone(&self) -> OrmResult<()> {
        Ok(())
    }

    #[service_permission(roles = "Admin,,Sales")]
    pub async fn no_role(&self) -> OrmResult<()> {
        Ok(())
    }

    #[service_log(level = loud)]
    pub async fn level(&self) -> OrmResult<()> {
        Ok(())
    }

    #[service_log(slow = "3")]
    pub async fn slow(&self) -> OrmResult<()> {
        Ok(())
    }

    #[transaction(isolation = chaos)]
    pub async fn no_isolation(&self) -> OrmResult<()> {
        Ok(())
    }
}

struct Checked {
    session: Session,
}

#[service]
#[service_permission(check = anything)]
impl Checked {
    pub async fn all(&self) -> OrmResult<()> {
        Ok(())
    }
}

#[async_trait]
trait Places {
    async fn place(&self) -> OrmResult<()>;
}

struct Placing {
    session: Session,
}

#[async_trait]
#[service]
impl Places for Placing {
    async fn place(&self) -> OrmResult<()> {
        Ok(())
    }
}

#[service]
fn lonely() {}

fn main() {}
