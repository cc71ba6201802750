//! Methods of all shapes: generic services, lifetimes, patterns, traits.

use std::future::Future;
use std::marker::PhantomData;

use isogloss::entity::{Table, View};
use isogloss::service::Service;

use super::*;

/// Generic over its entity.
#[derive(FromSession)]
struct Store<T: Table + View<Of = T>> {
    session: Session,
    dao: ObjectDao<T>,
    of: PhantomData<fn() -> T>,
}

#[service(name = "Store")]
impl<T: Table + View<Of = T> + Clone> Store<T> {
    #[transaction(retry = 2)]
    pub async fn put(&self, mut entity: T) -> OrmResult<bool> {
        self.dao.insert(&mut entity).await
    }

    pub async fn named<'a>(&'a self, name: &'a str) -> OrmResult<&'a str> {
        Ok(name)
    }

    pub async fn texts(&self, texts: impl IntoIterator<Item = impl Into<String>>) -> OrmResult<Vec<String>> {
        Ok(texts.into_iter().map(Into::into).collect())
    }

    pub async fn names(&self, text: &str, mut value: Vec<u8>, call: i32, error: bool) -> OrmResult<usize> {
        value.extend(text.bytes());
        Self::left_alone((value.len() + usize::from(error), 1), call)
    }

    fn left_alone((a, b): (usize, usize), mut c: i32) -> OrmResult<usize> {
        c -= 1;
        Ok(a + b + usize::try_from(c).unwrap_or_default())
    }

    pub async fn patterns(&self, (a, b): (i32, i32), _: u8, mut sum: i64) -> OrmResult<i64> {
        sum += i64::from(a + b);
        Ok(sum)
    }

    pub async fn shared(self: Arc<Self>, list: &mut Vec<i32>) -> OrmResult<usize> {
        list.push(1);
        Ok(list.len())
    }

    pub async fn consumes(self, list: Vec<i32>) -> OrmResult<impl Iterator<Item = i32>> {
        Ok(list.into_iter().map(|number| number * 2))
    }

    pub async fn boxed(&mut self) -> Result<Box<dyn std::fmt::Display + Send>, OrmError> {
        if self.session.in_transaction() {
            return Ok(Box::new("in"));
        }
        Ok(Box::new(1))
    }
}

/// What a program has behind a trait object.
#[async_trait]
trait Places: Send + Sync {
    async fn place(&self, order: Order) -> Result<i32, ShopError>;

    /// Not that of the struct.
    async fn twice(&self, id: i32) -> Result<i32, ShopError> {
        self.place(order(id, "first")).await?;
        self.place(order(id + 1, "second")).await
    }
}

#[derive(FromSession)]
struct Placing {
    session: Session,
    orders: ObjectDao<Order>,
}

#[service]
#[async_trait]
impl Places for Placing {
    #[transaction]
    #[service_permission(roles = "Sales")]
    async fn place(&self, mut order: Order) -> Result<i32, ShopError> {
        assert!(self.session.in_transaction());
        self.orders.insert(&mut order).await?;
        Ok(order.id)
    }
}

/// Of a trait with a type of its own.
trait Ask {
    type Answer;

    fn ask(&self, id: i32) -> impl Future<Output = OrmResult<Self::Answer>> + Send;
}

struct Asked {
    session: Session,
}

#[service]
impl Ask for Asked {
    type Answer = String;

    async fn ask(&self, id: i32) -> OrmResult<Self::Answer> {
        let answer: Self::Answer = format!("{id}");
        Ok(answer)
    }
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[tokio::test]
async fn methods_of_all_shapes() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let session = context.create_session().unwrap();
            let mut store: Store<Order> = session.service().unwrap();
            assert!(is_send(store.put(order(1, "a"))).await.unwrap());
            assert_eq!(is_send(store.named("b")).await.unwrap(), "b");
            assert_eq!(is_send(store.texts(["a", "b"])).await.unwrap(), ["a", "b"]);
            assert_eq!(is_send(store.names("ab", vec![1], 2, true)).await.unwrap(), 6);
            assert_eq!(is_send(store.patterns((1, 2), 3, 4)).await.unwrap(), 7);
            assert_eq!(is_send(store.boxed()).await.unwrap().to_string(), "1");
            let mut list = vec![0];
            let shared = Arc::new(session.service::<Store<Order>>().unwrap());
            assert_eq!(is_send(shared.shared(&mut list)).await.unwrap(), 2);
            assert_eq!(store.consumes(list).await.unwrap().collect::<Vec<_>>(), [0, 2]);
            let calls: Vec<String> = told.take().into_iter().filter(|line| line.starts_with("invoking")).collect();
            let calls: Vec<&str> = calls
                .iter()
                .map(|call| call.split_once("call: ").unwrap().1.trim_end_matches(", result: None }"))
                .collect();
            assert_eq!(
                calls,
                [
                    r#"Store.put(entity: Order { Id: 1, Note: "a" })"#,
                    r#"Store.named(name: "b")"#,
                    "Store.texts(texts: <[&str; 2]>)",
                    r#"Store.names(text: "ab", value: AQ==, call: 2, error: true)"#,
                    "Store.patterns((a, b): (1, 2), _: 3, sum: 4)",
                    "Store.boxed()",
                    "Store.shared(list: [0])",
                    "Store.consumes(list: [0, 1])",
                ]
            );
        },
    )
    .await;
}

#[tokio::test]
async fn methods_of_traits() {
    let told = Told::default();
    each(
        || telling(&told),
        async |context: OrmContext| {
            let session = context.create_session().unwrap().with_principal(user("ann", &["Sales"]));
            let placing: Arc<dyn Places> = Arc::new(session.service::<Placing>().unwrap());
            let spawned = Arc::clone(&placing);
            assert_eq!(tokio::spawn(async move { spawned.twice(1).await }).await.unwrap().unwrap(), 2);
            assert_eq!(stored(&context).await, 2);
            let nobody: Box<dyn Places> = Box::new(context.create_session().unwrap().service::<Placing>().unwrap());
            assert!(matches!(nobody.place(order(3, "c")).await, Err(ShopError::Orm(OrmError::Forbidden { .. }))));
            told.take();
            assert_eq!(is_send(Asked { session }.ask(1)).await.unwrap(), "1");
            assert_eq!(told.take()[1], r#"invoked ask = "1""#);
        },
    )
    .await;
    assert_eq!(Placing::methods().count(), 1);
}
