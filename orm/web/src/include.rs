//! Which relations clients may include in rows, and which of them a request asks for.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::http::Uri;
use bytes::Bytes;
use isogloss::expr::{DbType, Name, SqlSegment, prop};
use isogloss::model::{Catalog, Entity, EntityId};

use crate::names::{camel, shown};
use crate::query_string::decoded;
use crate::{MountError, Problem, ProblemKind, WebResult, body};

/// The parameter of a URL, and the member of a page's body.
pub(crate) const NAME: &str = "include";

/// How many paths a request has at most. A path that is there again asks for nothing more.
const MOST_PATHS: usize = 100;

/// The relations that clients may include, each with those behind it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Includes(Vec<Include>);

/// A relation that clients may include.
#[derive(Debug, Clone)]
pub(crate) struct Include {
    /// Its name in the catalog.
    pub(crate) relation: Name,
    /// What clients call it.
    pub(crate) member: String,
    pub(crate) is_many: bool,
    /// The related entity, whose controller has the rules of the rows.
    pub(crate) entity: EntityId,
    /// The entity between, of a relation of many to many.
    pub(crate) through: Option<EntityId>,
    pub(crate) behind: Includes,
    /// Whether the log says that no controller serves the related entity.
    pub(crate) told: Arc<AtomicBool>,
}

impl Includes {
    /// Those of paths like `items.product`, from the rows of a view on.
    pub(crate) fn new(catalog: &Catalog, view: &Entity, paths: &[String]) -> Result<Self, MountError> {
        let mut all = Self::default();
        paths.iter().try_for_each(|path| all.add(catalog, view, path))?;
        Ok(all)
    }

    fn add(&mut self, catalog: &Catalog, owner: &Entity, path: &str) -> Result<(), MountError> {
        let (name, behind) = split(path);
        let relation = owner
            .relation(name)
            .ok_or_else(|| MountError::UnknownRelation { entity: owner.name.to_string(), relation: name.to_owned() })?;
        let place = self.0.iter().position(|known| known.relation == relation.name).unwrap_or_else(|| {
            self.0.push(Include {
                member: camel(relation.name.as_str()),
                relation: relation.name.clone(),
                is_many: relation.kind.is_many(),
                entity: base_of(catalog, relation.target),
                through: relation.through.as_ref().map(|through| base_of(catalog, through.entity)),
                behind: Self::default(),
                told: Arc::default(),
            });
            self.0.len() - 1
        });
        match (self.0.get_mut(place), behind) {
            (Some(known), Some(behind)) => known.behind.add(catalog, catalog.get(relation.target), behind),
            _ => Ok(()),
        }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Include> {
        self.0.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every one with its path, as clients write it: `items.product`.
    pub(crate) fn all(&self) -> Vec<(String, &Include)> {
        let mut all = Vec::new();
        for include in &self.0 {
            let behind = include.behind.all();
            all.push((include.member.clone(), include));
            all.extend(behind.into_iter().map(|(path, inner)| (format!("{}.{path}", include.member), inner)));
        }
        all
    }

    /// What a request asks for: by its URL, and by the `include` of its body.
    pub(crate) fn wanted(&self, in_url: Option<&str>, in_body: &[String]) -> WebResult<Wanted<'_>> {
        let in_url: Vec<&str> =
            in_url.filter(|text| !text.is_empty()).map(|text| text.split(',').collect()).unwrap_or_default();
        if in_url.len().saturating_add(in_body.len()) > MOST_PATHS {
            return Err(
                Problem::new(ProblemKind::BadQuery, format!("At most {MOST_PATHS} paths are included.")).of_field(NAME)
            );
        }
        let mut wanted = Wanted::default();
        for path in in_url {
            self.want(&mut wanted, path, None)?;
        }
        for (number, path) in in_body.iter().enumerate() {
            self.want(&mut wanted, path, Some(number))?;
        }
        Ok(wanted)
    }

    fn want<'m>(&'m self, wanted: &mut Wanted<'m>, path: &str, place: Option<usize>) -> WebResult<()> {
        if wanted.add(self, "", path, place) {
            return Ok(());
        }
        let there: Vec<String> = self.all().into_iter().map(|(path, _)| format!("`{path}`")).collect();
        let detail =
            format!("There is no relation `{}` to include. There is {}.", shown(path.trim()), there.join(", "));
        Err(placed(Problem::new(ProblemKind::BadQuery, detail), place))
    }

    /// The tree in the body of a page, and what its member `include` says. A body that is no object is as it is.
    pub(crate) fn of_body(&self, body: &Bytes) -> WebResult<(Bytes, Vec<String>)> {
        let named = || body.windows(NAME.len()).any(|part| part == NAME.as_bytes());
        let all = || (body.clone(), Vec::new());
        if self.is_empty() || !named() {
            return Ok(all());
        }
        let Ok(members) = body::members::of(body) else { return Ok(all()) };
        let (mut tree, mut paths) = (vec![b'{'], None);
        for (name, value) in members {
            if name == NAME {
                let read = serde_json::from_str(value.get()).ok().filter(|_| paths.is_none());
                let form = "`include` is there once, a list of relations: [\"items.product\", \"customer\"].";
                let refused = || Problem::new(ProblemKind::BadJson, form).at(format!("$.{NAME}"));
                paths = Some(read.ok_or_else(refused)?);
                continue;
            }
            if tree.len() > 1 {
                tree.push(b',');
            }
            // A text is always written.
            tree.extend(serde_json::to_vec(&name).unwrap_or_default());
            tree.push(b':');
            tree.extend_from_slice(value.get().as_bytes());
        }
        tree.push(b'}');
        Ok(paths.map_or_else(all, |paths| (tree.into(), paths)))
    }
}

/// The first name of a path, and what is behind it.
fn split(path: &str) -> (&str, Option<&str>) {
    path.split_once('.').map_or((path.trim(), None), |(name, behind)| (name.trim(), Some(behind)))
}

/// The entity that rows are of, if they are read as a view of it.
pub(crate) fn base_of(catalog: &Catalog, read_as: EntityId) -> EntityId {
    catalog.get(read_as).base.unwrap_or(read_as)
}

/// A problem with what a request includes: by its URL, or by the member of its body with that number.
fn placed(problem: Problem, place: Option<usize>) -> Problem {
    match place {
        Some(number) => problem.at(format!("$.{NAME}[{number}]")),
        None => problem.of_field(NAME),
    }
}

/// The relations that a request asks for, each once.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'m>(Vec<Want<'m>>);

/// A relation that a request asks for, with those behind it.
#[derive(Debug)]
pub(crate) struct Want<'m> {
    pub(crate) include: &'m Include,
    /// How clients write it: `items.product`.
    path: String,
    /// Which path of the body asks for it first, if the URL does not.
    place: Option<usize>,
    pub(crate) behind: Wanted<'m>,
}

impl Want<'_> {
    /// A problem with the rows of the relation. It names the relation where it is one of what the client asks for, and not of
    /// the server.
    pub(crate) fn told(&self, problem: Problem) -> Problem {
        if !matches!(problem.kind(), ProblemKind::Forbidden | ProblemKind::AnswerTooLarge) {
            return problem;
        }
        let detail = format!("`{}`: {}", self.path, problem.detail());
        placed(problem.saying(detail), self.place)
    }
}

impl<'m> Wanted<'m> {
    /// Adds a path behind another one; `false` if it is not allowed.
    fn add(&mut self, allowed: &'m Includes, before: &str, path: &str, place: Option<usize>) -> bool {
        let (name, rest) = split(path);
        let Some(include) = allowed.0.iter().find(|include| include.relation.as_str().eq_ignore_ascii_case(name))
        else {
            return false;
        };
        let number = self.0.iter().position(|known| std::ptr::eq(known.include, include)).unwrap_or_else(|| {
            let dot = if before.is_empty() { "" } else { "." };
            let path = format!("{before}{dot}{}", include.member);
            self.0.push(Want { include, path, place, behind: Self::default() });
            self.0.len() - 1
        });
        match (self.0.get_mut(number), rest) {
            (Some(want), Some(rest)) => want.behind.add(&include.behind, &want.path, rest, place),
            _ => true,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Want<'m>> {
        self.0.iter()
    }

    /// What one of them would be called that a list has a column of.
    pub(crate) fn taken<'l>(&self, mut members: impl Iterator<Item = &'l str>) -> Option<&'l str> {
        members.find(|member| self.0.iter().any(|want| want.include.member == *member))
    }
}

/// What is read of rows: what clients see of them, and behind it the keys of relations that are not among that.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    names: Vec<Option<Name>>,
    /// Where the keys are that the relations go by, one relation behind the other, and their types.
    pub(crate) keys: Vec<(usize, DbType)>,
    /// Which of the keys are those of each relation.
    pub(crate) relations: Vec<Range<usize>>,
}

impl Columns {
    /// Of rows that have these columns: properties of the view, or what a list makes of them.
    pub(crate) fn new(view: &Entity, wanted: &Wanted<'_>, seen: impl Iterator<Item = Option<Name>>) -> Self {
        let mut columns = Self { names: seen.collect(), ..Self::default() };
        for want in wanted.iter() {
            let begin = columns.keys.len();
            let relation = view.relation(want.include.relation.as_str());
            let keys = relation.map(|relation| relation.keys.as_slice()).unwrap_or_default();
            for column in keys.iter().filter_map(|(own, _)| view.columns.get(*own)) {
                let name = Some(column.name.clone());
                let place = columns.names.iter().position(|known| *known == name).unwrap_or_else(|| {
                    columns.names.push(name);
                    columns.names.len() - 1
                });
                columns.keys.push((place, column.ty));
            }
            columns.relations.push(begin..columns.keys.len());
        }
        columns
    }

    /// The properties.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Name> {
        self.names.iter().flatten()
    }

    /// Where a property is.
    pub(crate) fn place(&self, property: &Name) -> Option<usize> {
        self.names.iter().position(|name| name.as_ref() == Some(property))
    }

    /// A query with these of its rows.
    pub(crate) fn of(&self, query: SqlSegment) -> SqlSegment {
        query.select(self.names().map(|name| prop(name.clone()))).into_segment()
    }
}

/// The parameter `include` of a URL, where it is there once, and the rest of its query string.
pub(crate) fn of_url(uri: &Uri) -> WebResult<(Option<String>, String)> {
    let (mut include, mut rest) = (None, Vec::new());
    for pair in uri.query().unwrap_or_default().split('&') {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        if decoded(name).is_ok_and(|name| name == NAME) {
            let refused = |detail: String| Problem::new(ProblemKind::BadQuery, detail).of_field(NAME);
            let text = decoded(text).map_err(|bad| refused(format!("`{NAME}`: {bad}.")))?;
            if include.replace(text).is_some() {
                return Err(refused(format!("The query string has two of `{NAME}`.")));
            }
        } else {
            rest.push(pair);
        }
    }
    Ok((include, rest.join("&")))
}

/// That nothing can be included.
pub(crate) fn refused() -> Problem {
    Problem::new(ProblemKind::BadQuery, "These rows have nothing to include.").of_field(NAME)
}
