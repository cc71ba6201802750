//! The routes of what is written by hand: each contestant says how it finds rows and makes JSON of them.

use std::future::Future;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_TYPE, HeaderName, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};
use workload::{Failure, Outcome};

/// What a page is asked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Asked {
    pub customer_id: i64,
    pub amount: f64,
    pub skip: i64,
    pub take: i64,
}

/// What a new order is to be.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewOrder {
    pub customer_id: i64,
    pub code: String,
    pub quantity: i32,
    pub amount: f64,
    pub paid: bool,
    pub created: NaiveDateTime,
    pub note: Option<String>,
}

/// A page.
#[derive(Debug, Serialize)]
pub struct Page<V> {
    pub skip: i64,
    pub take: i64,
    pub total: Option<i64>,
    pub items: Vec<V>,
}

/// A JSON array that is written item by item.
#[derive(Debug)]
pub struct Array(Vec<u8>);

impl Default for Array {
    fn default() -> Self {
        Self(vec![b'['])
    }
}

impl Array {
    pub fn push(&mut self, item: &impl Serialize) -> serde_json::Result<()> {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, item)
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.0.push(b']');
        self.0
    }
}

/// How a contestant finds rows, as JSON.
pub trait Store: Send + Sync + 'static {
    fn get(&self, id: i64) -> impl Future<Output = Outcome<Vec<u8>>> + Send;
    fn page(&self, asked: Asked, counted: bool) -> impl Future<Output = Outcome<Vec<u8>>> + Send;
    fn list(&self) -> impl Future<Output = Outcome<Vec<u8>>> + Send;
    /// Gives the id of the new order.
    fn insert(&self, order: NewOrder) -> impl Future<Output = Outcome<i64>> + Send;
}

#[derive(Deserialize)]
struct Counting {
    count: Option<String>,
}

type Answer = Result<([(HeaderName, HeaderValue); 1], Vec<u8>), (StatusCode, String)>;

fn json(made: Outcome<Vec<u8>>) -> Answer {
    let text = made.map_err(failed)?;
    Ok(([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], text))
}

fn failed(failure: Failure) -> (StatusCode, String) {
    (StatusCode::INTERNAL_SERVER_ERROR, failure.to_string())
}

/// The routes over a store.
pub fn router<S: Store>(store: S) -> Router {
    let one = async |State(store): State<Arc<S>>, Path(id): Path<i64>| json(store.get(id).await);
    let list = async |State(store): State<Arc<S>>| json(store.list().await);
    let insert = async |State(store): State<Arc<S>>, Json(order): Json<NewOrder>| {
        let id = store.insert(order).await.map_err(failed)?;
        Ok::<_, (StatusCode, String)>(([(LOCATION, format!("/api/Order/{id}"))], Json(true)))
    };
    let page = async |State(store): State<Arc<S>>, Query(asked): Query<Counting>, Json(page): Json<Asked>| {
        json(store.page(page, asked.count.as_deref() != Some("none")).await)
    };
    Router::new()
        .route("/api/Order", get(list).post(insert))
        .route("/api/Order/{id}", get(one))
        .route("/api/OrderView/page", post(page))
        .with_state(Arc::new(store))
}
