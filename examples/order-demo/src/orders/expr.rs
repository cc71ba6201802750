//! A client's own query: a tree, read and checked.

use isogloss::Request;
use isogloss::expr::{Expr, OrderByItemExpr, SqlSegment};
use isogloss::json::{self, ReadLimits};
use isogloss::prelude::*;
use isogloss_web::{Problem, ProblemKind, WebResult};

use super::filter::sorted;
use crate::domain::{Audit, OrderView};

const TAKE: u64 = 10;
const MOST_ROWS: u64 = 100;

/// How large a tree may be.
const LIMITS: ReadLimits = ReadLimits::DEFAULT.depth(64).nodes(2_000).bytes(32 * 1024).list(1_000);

/// What a client asks for: a condition, or a query with its order and page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) filter: LogicExpr,
    pub(super) order: Vec<OrderByItemExpr>,
    pub(super) skip: u64,
    pub(super) take: u64,
}

/// What a client may name: the columns of the view, and inside of an EXISTS those of an order's creator and its audits.
pub(crate) fn policy() -> QueryPolicy {
    QueryPolicy::new(OrderView::NAME)
        .only_properties("User", ["Id", "UserName", "DisplayName", "Role", "DepartmentId"])
        .only_properties("Department", ["Id", "Name", "State"])
        .only_properties(Audit::NAME, ["Id", "OrderId", "Action", "UserName", "DoneTime"])
        .allow_relation(Audit::NAME, "Order")
}

/// Reads a body. An empty one, or `null`, asks for all orders.
///
/// # Errors
/// The body is not a tree, names something that is not allowed, or is another kind of query. The problem has the path.
pub(super) async fn read(body: &str, session: &Session) -> WebResult<Asked> {
    let mut asked = Asked { filter: LogicExpr::default(), order: Vec::new(), skip: 0, take: TAKE };
    if !matches!(body.trim(), "" | "null") {
        let expr: Expr = json::read(body, &LIMITS)?;
        policy().check(&expr, session.context().catalog())?;
        // Compiled alone, so that the path of an error is one in the client's text.
        let target = session.context().data_source(None)?.target().await?;
        session.compile(&target, &expr, Request::of(OrderView::NAME)).map_err(Problem::of_query)?;
        match expr {
            Expr::Logic(filter) => asked.filter = filter,
            Expr::Segment(query) => take_apart(&query, &mut asked)?,
            _ => return Err(unfit("$")),
        }
    }
    if asked.filter == LogicExpr::default() {
        asked.filter = prop("Id").gt(0);
    }
    if asked.order.is_empty() {
        asked.order = sorted("CreatedTime", true);
    }
    Ok(asked)
}

/// Takes the page, the order and the condition out of a query, each of which may be absent.
fn take_apart(query: &SqlSegment, asked: &mut Asked) -> WebResult<()> {
    let mut rest = Some(query);
    if let Some(SqlSegment::Section(section)) = rest {
        asked.skip = section.skip;
        asked.take = section.take.filter(|take| *take > 0).unwrap_or(TAKE).min(MOST_ROWS);
        rest = section.source.as_ref();
    }
    if let Some(SqlSegment::OrderBy(order)) = rest {
        asked.order.clone_from(&order.order_by);
        asked.order.push(prop("Id").desc());
        rest = order.source.as_ref();
    }
    if let Some(SqlSegment::Where(filter)) = rest {
        asked.filter = filter.filter.clone();
        rest = filter.source.as_ref();
    }
    match rest {
        None | Some(SqlSegment::Table(_)) => Ok(()),
        Some(_) => Err(unfit("$")),
    }
}

fn unfit(path: &str) -> Problem {
    Problem::new(ProblemKind::BadQuery, "Ask for a condition, or for a page of an order of one.").at(path)
}
