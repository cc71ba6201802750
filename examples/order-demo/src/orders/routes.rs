//! `/api/orders`

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection, StringRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use isogloss::chrono::NaiveDate;
use isogloss::expr::SqlSegment;
use isogloss::prelude::*;
use isogloss_web::{Problem, ProblemKind, WebResult};
use serde_json::json;

use super::expr;
use super::filter::{Params, own};
use super::input::Body;
use super::service::OrderService;
use super::shown::{MonthDto, OrderDto, StatsDto, statements};
use crate::app::App;
use crate::auth::Signed;
use crate::body;
use crate::domain::{OrderView, month_of};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/orders", post(place))
        .route("/orders/{id}", get(detail).put(change).delete(remove))
        .route("/orders/query", get(list))
        .route("/orders/query/expr", post(query))
        .route("/orders/stats", get(stats))
        .route("/orders/stats/months", get(months))
        .route("/archive/{month}", get(archived).post(archive))
}

/// `GET /api/orders/query`
async fn list(State(app): State<App>, signed: Signed, params: Asking) -> WebResult {
    let Query(params) = params.map_err(unread)?;
    let (filter, order, page) = (params.condition(&signed.caller)?, params.order()?, params.page()?);
    let page_of = |query: SqlSegment| query.order_by(order).section(page.skip(), page.size);
    let (total, items, sql) = found(&app, &signed, &filter, page_of).await?;
    let (page, size) = (page.number, page.size);
    Ok(Json(json!({ "page": page, "pageSize": size, "total": total, "sql": sql, "items": items })).into_response())
}

/// `POST /api/orders/query/expr`
async fn query(State(app): State<App>, signed: Signed, body: Result<String, StringRejection>) -> WebResult {
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::of(ProblemKind::TooLarge),
        _ => Problem::of(ProblemKind::BadJson),
    })?;
    let asked = expr::read(&body, &signed.session).await?;
    // The condition on the caller stands in front of the client's, and holds whatever that says.
    let filter = own(&signed.caller, false) & asked.filter;
    let (skip, take) = (asked.skip, asked.take);
    let page_of = |query: SqlSegment| query.order_by(asked.order).section(skip, take);
    let (total, items, sql) = found(&app, &signed, &filter, page_of).await?;
    Ok(Json(json!({ "skip": skip, "take": take, "total": total, "sql": sql, "items": items })).into_response())
}

/// The orders of a page, how many there are in all, and the statements that were run for it.
async fn found(
    app: &App,
    signed: &Signed,
    filter: &LogicExpr,
    page: impl FnOnce(SqlSegment) -> SqlSegment,
) -> WebResult<(u64, Vec<OrderDto>, Vec<String>)> {
    let service: OrderService = signed.session.service()?;
    let total = app.counts.get(signed.caller.tenant_id, filter, service.count(filter)).await;
    let total = total.map_err(Problem::of_query)?;
    // Each call of a service begins with an empty list of statements.
    let mut sql = statements(&signed.session);
    let query = page(from(OrderView::NAME).filter(filter.clone()));
    let orders = service.page(&query).await.map_err(Problem::of_query)?;
    sql.extend(statements(&signed.session));
    Ok((total, orders.into_iter().map(OrderDto::from).collect(), sql))
}

/// `GET /api/orders/stats`
async fn stats(signed: Signed, params: Asking) -> WebResult<impl IntoResponse> {
    let filter = params.map_err(unread)?.0.condition(&signed.caller)?;
    let stats = signed.session.service::<OrderService>()?.stats(&filter).await?;
    Ok(Json(StatsDto::new(stats, statements(&signed.session))))
}

/// `GET /api/orders/stats/months`
async fn months(signed: Signed, params: Asking) -> WebResult<impl IntoResponse> {
    let filter = params.map_err(unread)?.0.condition(&signed.caller)?;
    let months = signed.session.service::<OrderService>()?.months(&filter).await?;
    let months: Vec<MonthDto> = months.into_iter().rev().map(MonthDto::from).collect();
    Ok(Json(json!({ "months": months, "sql": statements(&signed.session) })))
}

/// `GET /api/orders/{id}`: its version is the `ETag`.
async fn detail(signed: Signed, id: Id) -> WebResult {
    let order = signed.session.service::<OrderService>()?.get(read_id(id)?).await?;
    Ok(shown(StatusCode::OK, order))
}

/// `POST /api/orders`
async fn place(signed: Signed, body: Result<Json<Body>, JsonRejection>) -> WebResult {
    let input = body::read(body)?.check()?;
    let order = signed.session.service::<OrderService>()?.place(input).await?;
    Ok(shown(StatusCode::CREATED, order))
}

/// `PUT /api/orders/{id}`: with `If-Match`, over that version only.
async fn change(signed: Signed, id: Id, headers: HeaderMap, body: Result<Json<Body>, JsonRejection>) -> WebResult {
    let (id, version) = (read_id(id)?, version_of(&headers)?);
    let service: OrderService = signed.session.service()?;
    // Access first: who may not see the order learns nothing about the body either.
    service.get(id).await?;
    let input = body::read(body)?.check()?;
    Ok(shown(StatusCode::OK, service.change(id, version, input).await?))
}

/// `DELETE /api/orders/{id}`
async fn remove(signed: Signed, id: Id, headers: HeaderMap) -> WebResult<StatusCode> {
    let (id, version) = (read_id(id)?, version_of(&headers)?);
    signed.session.service::<OrderService>()?.remove(id, version).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/archive/{month}`
async fn archive(signed: Signed, Path(month): Path<String>) -> WebResult<impl IntoResponse> {
    let month = read_month(&month)?;
    let service: OrderService = signed.session.service()?;
    // Before the transaction: some engines commit when a table is created.
    service.prepare_archive(month).await?;
    let moved = service.archive(month).await?;
    Ok(Json(json!({ "archived": moved })))
}

/// `GET /api/archive/{month}`
async fn archived(signed: Signed, Path(month): Path<String>) -> WebResult<impl IntoResponse> {
    let month = month_of(read_month(&month)?.into());
    let total = signed.session.service::<OrderService>()?.archived(&month).await?;
    Ok(Json(json!({ "month": month, "total": total, "sql": statements(&signed.session) })))
}

type Asking = Result<Query<Params>, QueryRejection>;
type Id = Result<Path<i64>, PathRejection>;

fn shown(status: StatusCode, order: OrderView) -> Response {
    let etag = [(header::ETAG, format!("\"{}\"", order.order.version))];
    (status, etag, Json(OrderDto::from(order))).into_response()
}

fn unread(rejection: QueryRejection) -> Problem {
    Problem::new(ProblemKind::BadRequest, rejection.body_text())
}

fn read_id(id: Id) -> WebResult<i64> {
    id.map(|Path(id)| id).map_err(|_| Problem::of(ProblemKind::BadId))
}

/// The version of `If-Match: "3"`; none without the header, or with `*`.
fn version_of(headers: &HeaderMap) -> WebResult<Option<i64>> {
    let Some(header) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = header.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    // A tag that this server did not make matches no version.
    let version = text.trim_matches('"').parse().map_err(|_| Problem::of(ProblemKind::VersionConflict))?;
    Ok(Some(version))
}

/// The first day of `2024-01`.
fn read_month(text: &str) -> WebResult<NaiveDate> {
    let wrong = || Problem::new(ProblemKind::BadRequest, "A month is written as 2024-01.");
    let month = format!("{text}-01").parse::<NaiveDate>().map_err(|_| wrong())?;
    if text.len() == 7 { Ok(month) } else { Err(wrong()) }
}
