//! What a client's tree asks for: the rules of the page endpoint, in the specification's order.

use isogloss::expr::{Distinct, Expr, OrderByExpr, OrderByItemExpr, SelectExpr, SqlSegment, ValueTypeExpr};
use isogloss::json;
use isogloss::walk::Rule;
use isogloss::{Compiled, Request, StatementRef};

use crate::rows::Shape;
use crate::{Call, Mounted, Problem, ProblemKind, WebResult};

/// What a client's tree asks for.
pub(super) struct Asked {
    pub(super) skip: u64,
    pub(super) take: u64,
    /// The rows that are counted: all, if it is absent.
    pub(super) counted: Option<SqlSegment>,
    /// The rows of the page.
    pub(super) query: SqlSegment,
    /// The columns of these rows, where the client has a list of its own.
    pub(super) shape: Option<Shape>,
}

impl Call {
    /// Reads a client's tree.
    pub(super) async fn asked(&self, body: &[u8]) -> WebResult<Asked> {
        let mounted = &*self.mounted;
        let mut expr = self.read(body)?;
        let (skip, take) = self.page_of(&mut expr)?;
        self.allowed(&expr)?;
        let (counted, section) = match expr {
            // Rule 3.
            Expr::Segment(SqlSegment::Section(section)) => {
                (where_of(section.source.as_ref()).cloned(), section.into_inner())
            }
            // Rule 4.
            Expr::Logic(filter) => {
                self.compiled(&filter).await?;
                let rows = mounted.rows().filter(filter);
                return Ok(Asked {
                    skip,
                    take,
                    counted: Some(rows.clone()),
                    query: page(mounted, rows, take),
                    shape: None,
                });
            }
            // Rule 5.
            _ if mounted.rules.strict => {
                let detail = "The tree is neither a page (`$section`) nor a filter.";
                return Err(Problem::new(ProblemKind::BadQuery, detail).at("$"));
            }
            _ => {
                let query = page(mounted, mounted.rows(), take);
                return Ok(Asked { skip, take, counted: None, query, shape: None });
            }
        };
        let list = own_list(section.source.as_ref())?.cloned();
        // As the client wrote it, so that the path of an error is one in its text.
        let query = SqlSegment::from(section);
        let compiled = self.compiled(&query).await?;
        let shape = list.map(|list| result_shape(mounted, &compiled, &list));
        drop(compiled);
        let query = match query {
            SqlSegment::Section(mut section) if shape.is_none() => {
                // A cursor of the client's has as many values as its order has keys.
                if section.after.is_empty() {
                    order_by_key(&mut section.source, mounted.key_order());
                }
                mounted.seen(SqlSegment::Section(section))
            }
            query => query,
        };
        Ok(Asked { skip, take, counted, query, shape })
    }

    /// Rule 1: the tree of the body, which is an object.
    fn read(&self, body: &[u8]) -> WebResult<Expr> {
        if body.trim_ascii() == b"null" {
            return Err(Problem::null_expr());
        }
        let expr = json::read_slice(body, &self.mounted.rules.json).map_err(Problem::unreadable_expr)?;
        // A bare value reads as a constant, but is no tree that anybody has meant to send.
        if body.trim_ascii_start().first() != Some(&b'{') { Err(Problem::null_expr()) } else { Ok(expr) }
    }

    /// Rule 2, and what else the policy says. Nothing of the server's is in the tree yet.
    fn allowed(&self, expr: &Expr) -> WebResult<()> {
        self.mounted.policy.check(expr, &self.mounted.catalog).map_err(|refusal| match refusal.rule {
            Rule::Kind => Problem::disallowed_node(refusal.node, refusal.path),
            _ => refusal.into(),
        })
    }

    /// The numbers of rule 3: how many rows are skipped, and how many are taken.
    fn page_of(&self, expr: &mut Expr) -> WebResult<(u64, u64)> {
        let rules = &self.mounted.rules;
        let Expr::Segment(SqlSegment::Section(section)) = expr else { return Ok((0, rules.page_size)) };
        let take = match section.take {
            None | Some(0) => rules.page_size,
            Some(take) => take.min(rules.max_page_size),
        };
        // No table has more rows, and no engine counts further.
        section.skip = section.skip.min(i64::MAX.unsigned_abs());
        section.take = Some(take);
        match rules.max_skip {
            Some(most) if section.skip > most => {
                let detail = format!("`Skip` may be {most} at most: narrow the filter, or page by a cursor.");
                Err(Problem::new(ProblemKind::BadQuery, detail).at("$.Skip"))
            }
            _ => Ok((section.skip, take)),
        }
    }

    /// Compiles what a client has written by itself, and says what does not compile of it.
    pub(super) async fn compiled<'e>(&'e self, tree: impl Into<StatementRef<'e>>) -> WebResult<Compiled<'e>> {
        let (session, view) = (self.session(), self.mounted.view());
        let target = session.context().data_source_of(view)?.target().await?;
        let request = Request::of(view.name.as_str()).columns();
        session.compile(&target, tree, request).map_err(Problem::of_query)
    }
}

/// The first page of rows in the order of their key.
fn page(mounted: &Mounted, rows: SqlSegment, take: u64) -> SqlSegment {
    mounted.seen(mounted.in_key_order(rows).take(take))
}

/// Rule 6: what is counted, the nearest filter below pages and orders.
fn where_of(mut source: Option<&SqlSegment>) -> Option<&SqlSegment> {
    loop {
        source = match source? {
            SqlSegment::Section(section) => section.source.as_ref(),
            SqlSegment::OrderBy(order) => order.source.as_ref(),
            filter @ SqlSegment::Where(_) => return Some(filter),
            _ => return None,
        };
    }
}

/// The list by which a query says what its rows are; without one they are the view's, as far as clients see it.
fn own_list(mut source: Option<&SqlSegment>) -> WebResult<Option<&SelectExpr>> {
    loop {
        source = match source {
            None | Some(SqlSegment::Table(_)) => return Ok(None),
            Some(SqlSegment::Section(section)) => section.source.as_ref(),
            Some(SqlSegment::OrderBy(order)) => order.source.as_ref(),
            Some(SqlSegment::Where(filter)) => filter.source.as_ref(),
            Some(SqlSegment::Having(having)) => having.source.as_ref(),
            Some(SqlSegment::Select(select)) if !select.selects.is_empty() => return Ok(Some(select)),
            Some(SqlSegment::Select(select)) if select.distinct == Distinct::No && select.next_selects.is_empty() => {
                select.source.as_ref()
            }
            Some(_) => {
                let detail =
                    "A query with groups, joins, sets or distinct rows has to say what it selects (`Selects`).";
                return Err(Problem::new(ProblemKind::BadQuery, detail).at("$"));
            }
        };
    }
}

/// The columns of a query with a list of its own. A property of the view in it is written as one.
fn result_shape(mounted: &Mounted, compiled: &Compiled<'_>, list: &SelectExpr) -> Shape {
    let plain = is_of_view(list.source.as_ref());
    Shape::of_result(&compiled.columns, |place| match &list.selects.get(place)?.value {
        ValueTypeExpr::Property(property) if plain && property.alias.is_none() => {
            mounted.shape.columns().iter().find(|column| column.property == property.name).cloned()
        }
        _ => None,
    })
}

/// Whether a name in a list over it means a property of the view.
fn is_of_view(mut source: Option<&SqlSegment>) -> bool {
    loop {
        source = match source {
            None | Some(SqlSegment::Table(_)) => return true,
            Some(SqlSegment::Section(section)) => section.source.as_ref(),
            Some(SqlSegment::OrderBy(order)) => order.source.as_ref(),
            Some(SqlSegment::Where(filter)) => filter.source.as_ref(),
            Some(SqlSegment::GroupBy(group)) => group.source.as_ref(),
            Some(SqlSegment::Having(having)) => having.source.as_ref(),
            Some(_) => return false,
        };
    }
}

/// Puts the key behind the client's order, so that every page has rows of its own: as the innermost order, it counts least.
fn order_by_key(source: &mut Option<SqlSegment>, mut keys: Vec<OrderByItemExpr>) {
    match source {
        Some(SqlSegment::Section(section)) => order_by_key(&mut section.source, keys),
        Some(SqlSegment::Where(filter)) => order_by_key(&mut filter.source, keys),
        Some(SqlSegment::Having(having)) => order_by_key(&mut having.source, keys),
        Some(SqlSegment::Select(select)) => order_by_key(&mut select.source, keys),
        Some(SqlSegment::OrderBy(order)) => {
            // Some engines refuse the same key twice.
            keys.retain(|key| order.order_by.iter().all(|named| named.field != key.field));
            order_by_key(&mut order.source, keys);
        }
        _ if keys.is_empty() => {}
        _ => *source = Some(OrderByExpr { source: source.take(), order_by: keys }.into()),
    }
}
