//! What a client's tree asks for: the rules of the page endpoint, in the specification's order.

use isogloss::expr::{Distinct, Expr, Name, SelectExpr, SqlSegment, ValueOps as _, ValueTypeExpr, prop};
use isogloss::json;
use isogloss::walk::{ExprRef, PolicyRule, Visit, Walk};
use isogloss::{Compiled, Request, StatementRef};

use super::lenient;
use crate::include::{self, Columns, Wanted};
use crate::rows::Shape;
use crate::{Call, Mounted, Problem, ProblemKind, WebResult};

/// What a client's tree asks for.
pub(super) struct Asked {
    pub(super) skip: u64,
    pub(super) take: u64,
    /// The rows that are counted: all, if it is absent.
    pub(super) counted: Option<SqlSegment>,
    /// Those that are paged, where they are rows of the view and the client goes by no values of its own.
    pub(super) rows: Option<SqlSegment>,
    /// Whether those that are counted are all that could be on a page.
    pub(super) counts_pages: bool,
    /// The rows of the page.
    pub(super) query: SqlSegment,
    /// The columns of these rows, where the client has a list of its own.
    pub(super) shape: Option<Shape>,
    /// What is read of these rows.
    pub(super) columns: Columns,
}

impl Call {
    /// Reads a client's tree. What does not compile of it is found where its rows are asked for, and then
    /// [told](Self::explain_tree): a tree that compiles is not compiled once more.
    pub(super) async fn asked(&self, body: &[u8], wanted: &Wanted<'_>) -> WebResult<Asked> {
        let mounted = &*self.mounted;
        let columns = Columns::new(mounted.view(), wanted, mounted.visible().cloned().map(Some));
        let mut expr = self.read(body)?;
        let (skip, take) = self.page_of(&mut expr)?;
        self.allowed(&expr)?;
        self.skips_few(&expr)?;
        let (counted, section) = match expr {
            // Rule 3.
            Expr::Segment(SqlSegment::Section(section)) => {
                (where_of(section.source.as_ref()).cloned(), section.into_inner())
            }
            // Rule 4.
            Expr::Logic(filter) => {
                let rows = mounted.rows().filter(filter);
                return Ok(Asked {
                    skip,
                    take,
                    counted: Some(rows.clone()),
                    rows: Some(rows.clone()),
                    counts_pages: true,
                    query: page(mounted, rows, take, &columns),
                    shape: None,
                    columns,
                });
            }
            // Rule 5.
            _ if mounted.rules.strict => {
                let detail = "The tree is neither a page (`$section`) nor a filter.";
                return Err(Problem::new(ProblemKind::BadQuery, detail).at("$"));
            }
            _ => {
                let query = page(mounted, mounted.rows(), take, &columns);
                let rows = Some(mounted.rows());
                return Ok(Asked { skip, take, counted: None, rows, counts_pages: true, query, shape: None, columns });
            }
        };
        let list = match own_list(section.source.as_ref()) {
            Rows::Other if mounted.rules.strict => {
                let detail =
                    "A query with groups, joins, sets or distinct rows has to say what it selects (`Selects`).";
                return Err(Problem::new(ProblemKind::BadQuery, detail).at("$"));
            }
            // What a page has no columns of is ignored, as rule 5 has it.
            Rows::Other => {
                let query = columns.of(mounted.in_key_order(mounted.rows()).section(skip, take));
                let rows = None;
                return Ok(Asked { skip, take, counted: None, rows, counts_pages: true, query, shape: None, columns });
            }
            Rows::OfView => None,
            Rows::Listed(list) => Some(list.clone()),
        };
        let rows = (list.is_none() && section.after.is_empty())
            .then(|| section.source.clone().unwrap_or_else(|| mounted.rows()));
        let counts_pages = section.after.is_empty() && is_filtered_only(section.source.as_ref());
        let Some(list) = list else {
            let query = columns.of(section.into());
            return Ok(Asked { skip, take, counted, rows, counts_pages, query, shape: None, columns });
        };
        let query = SqlSegment::from(section);
        let shape = result_shape(mounted, &self.compiled(&query).await?, &list)?;
        let (query, columns) = self.listed_with_keys(query, &shape, wanted).await?;
        Ok(Asked { skip, take, counted, rows, counts_pages, query, shape: Some(shape), columns })
    }

    /// A query with a list of the client's, with the keys behind it by which rows are included.
    async fn listed_with_keys(
        &self,
        mut query: SqlSegment,
        shape: &Shape,
        wanted: &Wanted<'_>,
    ) -> WebResult<(SqlSegment, Columns)> {
        if let Some(member) = wanted.taken(shape.columns().iter().map(|column| column.member.as_str())) {
            let detail =
                format!("A column of the list is called `{member}`, as a relation is: give it another `Alias`.");
            return Err(Problem::new(ProblemKind::BadQuery, detail).at("$"));
        }
        let columns = Columns::new(self.mounted.view(), wanted, shape.columns().iter().map(|_| None));
        if columns.names().next().is_some() {
            let is_extended = add_columns(&mut query, columns.names());
            if !is_extended || self.compiled(&query).await.is_err() {
                let detail = "Groups, sets, distinct rows and those of joins relate to nothing: leave `include` out.";
                return Err(Problem::new(ProblemKind::BadQuery, detail).of_field(include::NAME));
            }
        }
        Ok((query, columns))
    }

    /// Says what does not compile of a tree that is allowed: as the client wrote it, so that the path of an error is one in
    /// its text.
    pub(super) async fn explain_tree(&self, body: &[u8]) -> WebResult<()> {
        let mut expr = self.read(body)?;
        self.page_of(&mut expr)?;
        if matches!(expr, Expr::Logic(_) | Expr::Segment(SqlSegment::Section(_))) {
            self.compiled(&expr).await?;
        }
        Ok(())
    }

    /// Rule 1: the tree of the body, which is an object.
    fn read(&self, body: &[u8]) -> WebResult<Expr> {
        let rules = &self.mounted.rules;
        if body.trim_ascii() == b"null" {
            return Err(Problem::null_expr());
        }
        match json::read_slice(body, &rules.json) {
            // A bare value reads as a constant, but is no tree that anybody has meant to send.
            Ok(_) if rules.strict && body.trim_ascii_start().first() != Some(&b'{') => Err(Problem::null_expr()),
            Ok(expr) => Ok(expr),
            Err(error) if rules.strict => Err(Problem::unreadable_expr(error)),
            Err(error) => {
                let Some(read) = lenient::read(body, &rules.json) else { return Err(Problem::unreadable_expr(error)) };
                if let Some(filter) = &read.filter {
                    self.allowed(filter)?;
                }
                Ok(read.expr)
            }
        }
    }

    /// Rule 2, and what else the policy says. Nothing of the server's is in the tree yet.
    fn allowed(&self, expr: &Expr) -> WebResult<()> {
        self.mounted.guard.check(expr).map_err(|refusal| match refusal.rule {
            PolicyRule::Kind => Problem::disallowed_node(refusal.node, refusal.path),
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
        Ok((section.skip, take))
    }

    /// Looks whether the pages of a tree, wherever they are in it, skip more rows than they may together.
    fn skips_few(&self, expr: &Expr) -> WebResult<()> {
        let (mut skipped, mut walk) = (0_u64, Walk::new(expr));
        while let Some(visit) = walk.next() {
            if let Visit::Enter(ExprRef::Segment(SqlSegment::Section(section))) = visit {
                skipped = skipped.saturating_add(section.skip);
                self.may_skip(skipped).map_err(|problem| problem.at(format!("{}.Skip", walk.trail())))?;
            }
        }
        Ok(())
    }

    /// Looks whether so many rows may be skipped.
    pub(super) fn may_skip(&self, rows: u64) -> WebResult<()> {
        match self.mounted.rules.max_skip {
            Some(most) if rows > most => {
                let detail = format!("At most {most} rows may be skipped: narrow the filter, or page by a cursor.");
                Err(Problem::new(ProblemKind::BadQuery, detail))
            }
            _ => Ok(()),
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
fn page(mounted: &Mounted, rows: SqlSegment, take: u64, columns: &Columns) -> SqlSegment {
    columns.of(mounted.in_key_order(rows).take(take))
}

/// Adds properties to a client's list, behind its own; `false` if its rows are not those of the view.
fn add_columns<'n>(query: &mut SqlSegment, properties: impl Iterator<Item = &'n Name>) -> bool {
    let source = match query {
        SqlSegment::Section(section) => &mut section.source,
        SqlSegment::OrderBy(order) => &mut order.source,
        SqlSegment::Where(filter) => &mut filter.source,
        SqlSegment::Select(list) if is_each_row(list) => {
            for property in properties {
                let name = free_name(list);
                list.selects.push(prop(property.clone()).alias(name));
            }
            return true;
        }
        _ => return false,
    };
    source.as_mut().is_some_and(|source| add_columns(source, properties))
}

/// Whether a list has a row of its own for each of the view's that its source finds.
fn is_each_row(list: &SelectExpr) -> bool {
    let is_plain = list.distinct == Distinct::No && list.next_selects.is_empty();
    let mut source = list.source.as_ref();
    while let Some(SqlSegment::Section(page)) = source {
        source = page.source.as_ref();
    }
    is_plain && is_filtered_only(source)
}

/// A name that no column of a list has.
fn free_name(list: &SelectExpr) -> String {
    let is_free =
        |name: &String| list.selects.iter().all(|item| item.alias.as_ref().is_none_or(|alias| *alias != **name));
    (0..).map(|number| format!("IncludeKey{number}")).find(is_free).unwrap_or_default()
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

/// Whether a source is filtered and ordered, and no more.
fn is_filtered_only(mut source: Option<&SqlSegment>) -> bool {
    loop {
        source = match source {
            None | Some(SqlSegment::Table(_)) => return true,
            Some(SqlSegment::OrderBy(order)) => order.source.as_ref(),
            Some(SqlSegment::Where(filter)) => filter.source.as_ref(),
            Some(_) => return false,
        };
    }
}

/// What the rows of a query are.
#[derive(Debug)]
enum Rows<'q> {
    /// Those of the view, as far as clients see it.
    OfView,
    /// What the client's select list says.
    Listed(&'q SelectExpr),
    /// Others than the view's, and no list says what they are.
    Other,
}

/// The client's select list, if any, and whether the rows are the view's without one.
fn own_list(mut source: Option<&SqlSegment>) -> Rows<'_> {
    loop {
        source = match source {
            None | Some(SqlSegment::Table(_)) => return Rows::OfView,
            Some(SqlSegment::Section(section)) => section.source.as_ref(),
            Some(SqlSegment::OrderBy(order)) => order.source.as_ref(),
            Some(SqlSegment::Where(filter)) => filter.source.as_ref(),
            Some(SqlSegment::Having(having)) => having.source.as_ref(),
            Some(SqlSegment::Select(select)) if !select.selects.is_empty() => return Rows::Listed(select),
            Some(SqlSegment::Select(select)) if select.distinct == Distinct::No && select.next_selects.is_empty() => {
                select.source.as_ref()
            }
            Some(_) => return Rows::Other,
        };
    }
}

/// The columns of a query with a list of its own. A property of the view in it is written as one.
fn result_shape(mounted: &Mounted, compiled: &Compiled<'_>, list: &SelectExpr) -> WebResult<Shape> {
    let shape = Shape::of_result(&compiled.columns, |place| {
        let property = property_at(list, place)?;
        mounted.shape.columns().iter().find(|column| column.property == *property).cloned()
    });
    match shape.member_twice() {
        None => Ok(shape),
        Some(member) => {
            let detail =
                format!("Two columns of the list would be called `{member}`: give one of them another `Alias`.");
            Err(Problem::new(ProblemKind::BadQuery, detail).at("$"))
        }
    }
}

/// The property of the view that a list has at a place, as has each other set that its rows are from.
fn property_at(list: &SelectExpr, place: usize) -> Option<&Name> {
    let ValueTypeExpr::Property(property) = &list.selects.get(place)?.value else { return None };
    let is_plain = property.alias.is_none() && is_of_view(list.source.as_ref());
    let mut sets = list.next_selects.iter();
    let everywhere = is_plain && sets.all(|next| property_at(&next.select, place) == Some(&property.name));
    everywhere.then_some(&property.name)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Option<SqlSegment> {
        match json::from_str(text).unwrap() {
            Expr::Segment(SqlSegment::Section(section)) => section.into_inner().source,
            other => panic!("{other:?}"),
        }
    }

    /// B13
    #[test]
    fn the_nearest_filter_is_counted() {
        let filter = r##""Where":{"$":"==","Left":{"#":"B"},"Right":{"@":1}}"##;
        let order = r##""OrderBys":[{"Field":{"#":"Id"}}]"##;
        let counted = |text: &str| where_of(source(text).as_ref()).map(json::to_string);
        let found = format!(r##"{{"$where":null,{filter}}}"##);
        assert_eq!(counted(&format!(r#"{{"$section":{found}}}"#)), Some(found.clone()));
        let below = format!(r#"{{"$section":{{"$orderby":{{"$section":{found},"Take":5}},{order}}}}}"#);
        assert_eq!(counted(&below), Some(found.clone()));
        for unfiltered in [
            r#"{"$section":null}"#.to_owned(),
            format!(r#"{{"$section":{{"$orderby":null,{order}}}}}"#),
            format!(r##"{{"$section":{{"$group":{found},"GroupBys":[{{"#":"B"}}]}}}}"##),
        ] {
            assert_eq!(counted(&unfiltered), None, "{unfiltered}");
        }
    }

    #[test]
    fn a_page_tells_how_many_rows_there_are_where_nothing_but_a_filter_is_below_it() {
        let order = r##""OrderBys":[{"Field":{"#":"Id"}}]"##;
        let filter = r##""Where":{"$":"==","Left":{"#":"B"},"Right":{"@":1}}"##;
        let tells = |text: &str| is_filtered_only(source(text).as_ref());
        for plain in [
            r#"{"$section":null}"#.to_owned(),
            r#"{"$section":{"$table":"A"}}"#.to_owned(),
            format!(r#"{{"$section":{{"$orderby":{{"$where":{{"$table":"A"}},{filter}}},{order}}}}}"#),
            format!(r#"{{"$section":{{"$where":{{"$where":null,{filter}}},{filter}}}}}"#),
        ] {
            assert!(tells(&plain), "{plain}");
        }
        for other in [
            format!(r#"{{"$section":{{"$orderby":{{"$section":null,"Take":5}},{order}}}}}"#),
            format!(r#"{{"$section":{{"$select":{{"$where":null,{filter}}}}}}}"#),
            r##"{"$section":{"$select":null,"Selects":[{"Value":{"#":"Id"}}],"Distinct":true}}"##.to_owned(),
            r##"{"$section":{"$group":null,"GroupBys":[{"#":"B"}]}}"##.to_owned(),
        ] {
            assert!(!tells(&other), "{other}");
        }
    }

    #[test]
    fn a_query_that_gives_other_rows_says_which() {
        let list = |text: &str| match own_list(source(text).as_ref()) {
            Rows::OfView => Some(false),
            Rows::Listed(_) => Some(true),
            Rows::Other => None,
        };
        let item = r##""Selects":[{"Value":{"#":"Id"}}]"##;
        for (text, expected) in [
            (r#"{"$section":{"$section":{"$table":"A"}}}"#.to_owned(), Some(false)),
            (r#"{"$section":{"$select":null}}"#.to_owned(), Some(false)),
            (format!(r#"{{"$section":{{"$select":null,{item}}}}}"#), Some(true)),
            (r#"{"$section":{"$select":null,"Distinct":true}}"#.to_owned(), None),
            (r##"{"$section":{"$group":null,"GroupBys":[{"#":"Id"}]}}"##.to_owned(), None),
            (r#"{"$section":{"$from":{"$table":"A"},"Joins":[]}}"#.to_owned(), None),
            (
                format!(r#"{{"$section":{{"$select":null,"Next":[{{"SetType":"Union","$select":null,{item}}}]}}}}"#),
                None,
            ),
        ] {
            assert_eq!(list(&text), expected, "{text}");
        }
    }
}
