//! Related rows in rows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::BoxFuture;
use isogloss::OrmError;
use isogloss::dao::{RelatedQuery, RelatedRows};
use isogloss::driver::Row;
use isogloss::expr::{DbType, LogicExpr, Value, ValueOps as _, prop};
use isogloss::model::Entity;
use isogloss::service::{DynamicServiceOps, QueryOf, ReadAny, ServiceQuery};

use crate::include::{Columns, Include, Want, Wanted};
use crate::routes::Endpoints;
use crate::rows::{JsonRow, KeyedReader, KeyedRow};
use crate::{Call, Problem, ProblemKind, WebResult};

/// How many queries a relation takes at most. It is one, unless a collation does not tell the texts of keys apart, or keys of
/// several columns are very many.
const MOST_QUERIES: usize = 8;

impl Call {
    /// What a request asks for: by its URL, and by the `include` of its body. Whoever may not read the rows is told that, and
    /// not what they relate to.
    pub(super) async fn wanted(&self, in_url: Option<&str>, in_body: &[String]) -> WebResult<Wanted<'_>> {
        match self.mounted.includes.wanted(in_url, in_body) {
            Err(problem) => {
                self.may_read().await?;
                Err(problem)
            }
            wanted => wanted,
        }
    }

    /// Looks whether the caller may read the controller's rows, by a query that finds none.
    async fn may_read(&self) -> WebResult<()> {
        let mounted = &self.mounted;
        let keys = mounted.entity().key_columns().map(|column| &column.name);
        let none = keys.chain(mounted.visible()).take(1).map(|name| prop(name.clone()).in_list(Vec::<Value>::new()));
        let nothing = mounted.seen(mounted.rows().filter(LogicExpr::all(none)));
        let read: ReadAny = Arc::new(|_: &dyn Row| Ok(Box::new(())));
        let found = self.service()?.find_any(QueryOf::<()>::into_query(nothing), read).await;
        found.map(drop).map_err(|error| self.session.told(error))
    }

    /// Looks whether the caller may read the rows of the entity between, by the controllers of that.
    async fn may_link(&self, include: &Include) -> WebResult<()> {
        for controller in include.through.into_iter().flat_map(|entity| self.mounted.host.controllers.of(entity)) {
            let call = self.by(&controller);
            controller.included(&call).await?;
            call.may_read().await?;
        }
        Ok(())
    }

    /// The rows that a query finds, with the related rows in them. Of each, the columns at the places of `keys` are kept.
    pub(super) async fn nested(
        &self,
        service: &dyn DynamicServiceOps,
        query: ServiceQuery,
        writer: Arc<JsonRow>,
        keys: &[(usize, DbType)],
        failed: fn(OrmError) -> Problem,
        (columns, wanted): (&Columns, &Wanted<'_>),
    ) -> WebResult<Vec<KeyedRow>> {
        let reader = KeyedReader::new(writer, &[keys, &columns.keys].concat(), self.mounted.rules.max_answer);
        let found = service.find_any(query, reader.read()).await;
        let found = found.map_err(|error| self.session.told(reader.told(error, failed)))?;
        let mut rows = KeyedReader::rows(found);
        let own: Vec<_> =
            rows.iter_mut().map(|row| row.keys.drain(..keys.len().min(row.keys.len())).collect()).collect();
        self.include(&mut rows, columns, wanted).await?;
        for (row, own) in rows.iter_mut().zip(own) {
            row.keys = own;
        }
        Ok(rows)
    }

    /// Puts into rows of a view the related rows that a request asks for: one query a level, by the service of each related
    /// entity. It is asked whether or not there are keys, so that its refusal tells nothing of the rows. `columns` says where the rows have the keys of the relations.
    pub(super) async fn include(&self, rows: &mut [KeyedRow], columns: &Columns, wanted: &Wanted<'_>) -> WebResult<()> {
        let mut left = self.mounted.rules.max_included;
        self.fill(self.mounted.view(), rows, columns, wanted, &mut left).await
    }

    fn fill<'a>(
        &'a self,
        view: &'a Entity,
        rows: &'a mut [KeyedRow],
        columns: &'a Columns,
        wanted: &'a Wanted<'a>,
        left: &'a mut u64,
    ) -> BoxFuture<'a, WebResult<()>> {
        Box::pin(async move {
            for (want, keys) in wanted.iter().zip(&columns.relations) {
                let keys = rows.iter().map(|row| row.keys.get(keys.clone()).unwrap_or_default().to_vec()).collect();
                let told = |problem: Problem| self.session.told(want.told(problem));
                let (found, mut related, inner) = self.related(view, want, keys, left).await.map_err(told)?;
                self.fill(inner.0.mounted().view(), &mut related, &inner.1, &want.behind, left).await?;
                self.put(rows, want.include, &found, &related).map_err(told)?;
            }
            Ok(())
        })
    }

    /// The rows of a relation, by the controller of their entity, of which so many may be left.
    async fn related(
        &self,
        view: &Entity,
        Want { include, behind, .. }: &Want<'_>,
        keys: Vec<Vec<Value>>,
        left: &mut u64,
    ) -> WebResult<(RelatedRows, Vec<KeyedRow>, (Arc<dyn Endpoints>, Columns))> {
        self.may_link(include).await?;
        let controller = self.controller_of(include)?;
        let call = self.by(&controller);
        controller.included(&call).await?;
        let target = &call.mounted;
        let columns = Columns::new(target.view(), behind, target.visible().cloned().map(Some));
        let reader = KeyedReader::new(target.json(), &columns.keys, self.mounted.rules.max_answer);
        let (relation, of) = (include.relation.as_str(), target.view().name.as_str());
        let query = RelatedQuery::new(call.session(), view.name.as_str(), relation, of, columns.names().cloned())?;
        let query = query.at_most(left.saturating_add(1)).at_most_queries(MOST_QUERIES);
        let service = call.service()?;
        let found = query.find(&*service, keys, reader.read()).await;
        let mut found = found.map_err(|error| reader.told(error, failed))?;
        let rows = KeyedReader::rows(std::mem::take(&mut found.rows));
        *left = left.checked_sub(rows.len() as u64).ok_or_else(|| {
            let most = self.mounted.rules.max_included;
            let detail =
                format!("more than {most} rows would be included: ask for fewer rows, or include less with each.");
            Problem::new(ProblemKind::AnswerTooLarge, detail)
        })?;
        Ok((found, rows, (controller, columns)))
    }

    /// The controller whose rules hold for the rows of a relation.
    fn controller_of(&self, include: &Include) -> WebResult<Arc<dyn Endpoints>> {
        let found = self.mounted.host.controllers.of(include.entity).into_iter().next();
        found.ok_or_else(|| {
            if !include.told.swap(true, Ordering::Relaxed) {
                let entity = &self.mounted.catalog.get(include.entity).name;
                tracing::error!(
                    target: "isogloss::web",
                    "`{}` cannot be included: no controller of this host serves `{entity}`", include.member
                );
            }
            Problem::of(ProblemKind::Internal)
        })
    }

    /// Puts the related rows into those that they are of.
    fn put(
        &self,
        rows: &mut [KeyedRow],
        include: &Include,
        found: &RelatedRows,
        related: &[KeyedRow],
    ) -> WebResult<()> {
        let rules = &self.mounted.rules;
        let mut bytes = 0_usize;
        for (parent, row) in rows.iter_mut().enumerate() {
            let own = found.of(parent);
            if include.is_many && own.len() as u64 > rules.max_included_of_one {
                let most = rules.max_included_of_one;
                let detail = format!("a row has more than {most} of them, ask for them at their own address.");
                return Err(Problem::new(ProblemKind::AnswerTooLarge, detail));
            }
            let mut texts = own.iter().filter_map(|place| related.get(*place)).map(|row| row.text.as_slice());
            if include.is_many {
                self.fits(texts.clone().fold(bytes, |bytes, text| bytes.saturating_add(text.len())))?;
                let list = texts.collect::<Vec<_>>().join(&b',');
                row.put(&include.member, &[b"[", list.as_slice(), b"]"].concat());
            } else {
                row.put(&include.member, texts.next().unwrap_or(b"null"));
            }
            bytes = bytes.saturating_add(row.text.len());
            self.fits(bytes)?;
        }
        Ok(())
    }

    /// Looks whether an answer may be so long.
    fn fits(&self, bytes: usize) -> WebResult<()> {
        if bytes > self.mounted.rules.max_answer {
            return Err(Problem::of(ProblemKind::AnswerTooLarge));
        }
        Ok(())
    }
}

/// What a client is told of a query of related rows that has failed.
fn failed(error: OrmError) -> Problem {
    match error {
        OrmError::TooManyQueries { most, .. } => {
            let detail = format!("it would take more than {most} queries, ask for fewer rows at once.");
            Problem::new(ProblemKind::AnswerTooLarge, detail)
        }
        error => error.into(),
    }
}
