//! Transactions around methods.

use std::sync::atomic::{AtomicU32, Ordering};

use isogloss::config::DataSourceConfig;
use isogloss::driver::{Error, ErrorKind, Isolation};
use isogloss::service::{Method, Service, ServiceError};

use super::*;

fn conflict<T>() -> Result<T, ShopError> {
    Err(ShopError::Orm(Error::new(ErrorKind::SerializationFailure, "another one was first").into()))
}

fn is_sold_out(error: &ShopError) -> bool {
    matches!(error, ShopError::SoldOut)
}

/// All that can be said of a transaction.
#[derive(FromSession)]
struct Shop {
    session: Session,
    orders: ObjectDao<Order>,
}

#[service]
#[transaction(isolation = serializable)]
impl Shop {
    pub async fn depth(&self) -> OrmResult<usize> {
        Ok(self.session.depth())
    }

    #[transaction(false)]
    pub async fn no_depth(&self) -> OrmResult<usize> {
        Ok(self.session.depth())
    }

    #[transaction(read_only)]
    pub async fn read_only(&self, id: i32) -> OrmResult<bool> {
        self.orders.insert(&mut order(id, "read only")).await
    }

    #[transaction(isolation = "server", retry = 2)]
    pub async fn as_the_server_does(&self) -> OrmResult<usize> {
        Ok(self.session.depth())
    }

    #[transaction(nested = savepoint)]
    pub async fn savepoint(&self, id: i32, fails: bool) -> Result<usize, ShopError> {
        self.orders.insert(&mut order(id, "savepoint")).await?;
        if fails { Err(ShopError::SoldOut) } else { Ok(self.session.depth()) }
    }

    pub async fn part(&self, id: i32, fails: bool) -> Result<usize, ShopError> {
        self.orders.insert(&mut order(id, "part")).await?;
        if fails { Err(ShopError::SoldOut) } else { Ok(self.session.depth()) }
    }

    pub async fn goes_on(&self, fails: bool, savepoint: bool) -> Result<(usize, usize), ShopError> {
        let inner = if savepoint { self.savepoint(1, fails).await } else { self.part(1, fails).await };
        self.orders.insert(&mut order(2, "goes on")).await?;
        Ok((self.session.depth(), inner.unwrap_or(0)))
    }

    /// What is begun by hand inside takes back what is in it.
    pub async fn by_hand(&self) -> Result<(), ShopError> {
        let inner: Result<usize, ShopError> = self.session.transaction(async |_| self.part(1, true).await).await;
        assert!(inner.is_err());
        self.orders.insert(&mut order(2, "by hand")).await?;
        Ok(())
    }

    #[transaction(commit_on = is_sold_out)]
    pub async fn audited(&self, id: i32, sold_out: bool) -> Result<(), ShopError> {
        self.orders.insert(&mut order(id, "audit")).await?;
        if sold_out { Err(ShopError::SoldOut) } else { conflict() }
    }

    #[transaction(retry = 3)]
    pub async fn again(
        &self,
        mut order: Order,
        seen: &AtomicU32,
        all: &mut Vec<String>,
        wins: u32,
    ) -> Result<i32, ShopError> {
        order.note.push('!');
        all.push(order.note.clone());
        self.orders.insert(&mut order).await?;
        if seen.fetch_add(1, Ordering::SeqCst) + 1 < wins { conflict() } else { Ok(order.id) }
    }
}

fn shop(context: &OrmContext) -> Shop {
    context.create_session().unwrap().service().unwrap()
}

#[tokio::test]
async fn t01_an_error_takes_back_and_success_commits() {
    each(interception, async |context: OrmContext| {
        let orders = orders(&context);
        assert!(matches!(orders.place(order(1, "a"), true).await, Err(ShopError::SoldOut)));
        assert_eq!(stored(&context).await, 0);
        assert_eq!(orders.place(order(1, "a"), false).await.unwrap(), 1);
        assert_eq!((stored(&context).await, orders.session.depth()), (1, 0));
        // It only reads.
        let shop = shop(&context);
        shop.read_only(7).await.unwrap_err();
        assert_eq!(stored(&context).await, 1);
    })
    .await;
}

#[tokio::test]
async fn t01_t03_a_method_says_it_for_itself() {
    let rule = |name: &str| {
        let found = Shop::methods().find(|method: &&Method| method.name() == name).unwrap();
        found.to_string()
    };
    assert_eq!(rule("depth"), "Shop.depth: transaction(Serializable)");
    assert_eq!(rule("no_depth"), "Shop.no_depth");
    assert_eq!(rule("read_only"), "Shop.read_only: transaction(ReadCommitted, read only)");
    assert_eq!(rule("savepoint"), "Shop.savepoint: transaction(ReadCommitted, nested = savepoint)");
    assert_eq!(rule("again"), "Shop.again: transaction(ReadCommitted, retry = 3)");
    assert_eq!(rule("as_the_server_does"), "Shop.as_the_server_does: transaction(the server's isolation, retry = 2)");
    // Vitess refuses a transaction that says any level.
    let level = |name: &str| {
        let found = Shop::methods().find(|method: &&Method| method.name() == name).unwrap();
        found.transaction_rule().unwrap().options().transaction.isolation
    };
    assert_eq!((level("as_the_server_does"), level("again")), (None, Some(Isolation::ReadCommitted)));
    each(interception, async |context: OrmContext| {
        let shop = shop(&context);
        assert_eq!((shop.depth().await.unwrap(), shop.no_depth().await.unwrap()), (1, 0));
        assert_eq!(shop.as_the_server_does().await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn t02_a_call_inside_is_a_part_of_the_transaction() {
    each(interception, async |context: OrmContext| {
        // Its isolation is not applied, and it does not commit.
        assert_eq!(shop(&context).goes_on(false, false).await.unwrap(), (1, 1));
        assert_eq!(stored(&context).await, 2);
    })
    .await;
}

#[tokio::test]
async fn t02_a_part_that_has_failed_takes_all_back() {
    each(interception, async |context: OrmContext| {
        let error = shop(&context).goes_on(true, false).await.unwrap_err();
        let ShopError::Orm(OrmError::Service(error)) = error else { panic!("{error}") };
        assert!(matches!(*error, ServiceError::PartFailed { .. }), "{error}");
        assert!(error.to_string().starts_with("`Shop.part` failed as a part of the transaction of `Shop.goes_on`"));
        assert_eq!(stored(&context).await, 0);
        // Where what is around it took it back, nothing is half done.
        shop(&context).by_hand().await.unwrap();
        assert_eq!(stored(&context).await, 1);
    })
    .await;
}

#[tokio::test]
async fn t02_a_savepoint_is_taken_back_alone() {
    each(interception, async |context: OrmContext| {
        assert_eq!(shop(&context).goes_on(true, true).await.unwrap(), (1, 0));
        assert_eq!(stored(&context).await, 1);
        let shop = shop(&context);
        // Alone it is a transaction.
        assert_eq!(shop.savepoint(3, false).await.unwrap(), 1);
        let deep = shop.session.transaction(async |_| shop.savepoint(4, false).await).await;
        assert_eq!((deep.unwrap(), stored(&context).await), (2, 3));
    })
    .await;
}

#[tokio::test]
async fn t02_a_transaction_by_hand_is_joined() {
    each(interception, async |context: OrmContext| {
        let orders = orders(&context);
        let failed: Result<(), ShopError> = orders
            .session
            .transaction(async |_| {
                orders.place(order(1, "a"), false).await?;
                Err(ShopError::SoldOut)
            })
            .await;
        assert!(failed.is_err());
        assert_eq!(stored(&context).await, 0);
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_program_may_commit() {
    each(interception, async |context: OrmContext| {
        let shop = shop(&context);
        assert!(matches!(shop.audited(1, true).await, Err(ShopError::SoldOut)));
        assert_eq!(stored(&context).await, 1);
        assert!(matches!(shop.audited(2, false).await, Err(ShopError::Orm(_))));
        assert_eq!(stored(&context).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_has_lost_is_run_again() {
    each(interception, async |context: OrmContext| {
        let shop = shop(&context);
        let (seen, mut all) = (AtomicU32::new(0), Vec::new());
        assert_eq!(shop.again(order(1, "a"), &seen, &mut all, 3).await.unwrap(), 1);
        // Each attempt has got the argument as it was.
        assert_eq!((all, stored(&context).await), (vec!["a!".to_owned(); 3], 1));
        let (seen, mut all) = (AtomicU32::new(0), Vec::new());
        assert!(shop.again(order(2, "a"), &seen, &mut all, 4).await.is_err());
        assert_eq!((all.len(), stored(&context).await), (3, 1));
        // In a transaction that is open, that one is to be run again.
        let (seen, mut all) = (AtomicU32::new(0), Vec::new());
        let joined = shop.session.transaction(async |_| shop.again(order(3, "a"), &seen, &mut all, 2).await).await;
        assert!(joined.is_err());
        assert_eq!((all.len(), stored(&context).await), (1, 1));
    })
    .await;
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "archived", data_source = "archive")]
struct Archived {
    #[column(primary_key)]
    id: i32,
}

/// Writes to two sources.
#[derive(FromSession)]
struct Both {
    session: Session,
    orders: ObjectDao<Order>,
    archive: ObjectDao<Archived>,
}

#[service]
impl Both {
    #[transaction]
    pub async fn both(&self, id: i32, fails: bool) -> Result<(), ShopError> {
        self.orders.insert(&mut order(id, "both")).await?;
        self.archive.insert(&mut Archived { id }).await?;
        if fails { Err(ShopError::SoldOut) } else { Ok(()) }
    }
}

#[tokio::test]
async fn t05_all_sources_are_in_the_transaction() {
    each_place(async |place: Place| {
        let catalog = Catalog::builder().entity::<Order>().entity::<Archived>().build().unwrap();
        let context = OrmContext::builder().catalog(catalog).with_interception(interception()).build().await.unwrap();
        add(&context, &place);
        let archive = DataSourceConfig::new("archive", "sqlite", ":memory:").sync_table(true);
        context.add_data_source(archive).unwrap();
        context.sync_all().await.unwrap();
        let session = context.create_session().unwrap();
        let both: Both = session.service().unwrap();
        let archived = ObjectViewDao::<Archived>::new(&session);
        both.both(1, true).await.unwrap_err();
        assert_eq!((stored(&context).await, archived.count(()).await.unwrap()), (0, 0));
        both.both(1, false).await.unwrap();
        assert_eq!((stored(&context).await, archived.count(()).await.unwrap()), (1, 1));
        context.close();
    })
    .await;
}
