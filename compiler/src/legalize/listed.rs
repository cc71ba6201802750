//! Looking names and values up in select lists. Short lists are looked through; long ones have an index, so that a long
//! order of a long list takes time for each key and each item, not for each pair of them.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::{Cx, group, query};
use crate::expr::Value;
use crate::frame::{ColumnRef, Scalar, ScalarKind};
use crate::names;

/// How long a list is at most that is looked through.
const SHORT: usize = 16;

/// A name, whatever the case of its letters.
#[derive(Clone, Copy)]
struct AnyCase<'n>(&'n str);

impl PartialEq for AnyCase<'_> {
    fn eq(&self, other: &Self) -> bool {
        names::same(self.0, other.0)
    }
}

impl Eq for AnyCase<'_> {}

impl Hash for AnyCase<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(names::hash(self.0));
    }
}

/// Names with their places, of which the first counts.
#[derive(Default)]
pub(crate) struct Names<'n> {
    list: Vec<(&'n str, usize)>,
    index: OnceCell<HashMap<AnyCase<'n>, usize>>,
}

impl<'n> Names<'n> {
    pub(crate) fn of(names: impl Iterator<Item = Option<&'n str>>) -> Self {
        let places = names.enumerate().filter_map(|(place, name)| Some((name?, place)));
        Self { list: places.collect(), index: OnceCell::new() }
    }

    pub(crate) fn add(&mut self, name: &'n str, place: usize) {
        self.list.push((name, place));
        if let Some(index) = self.index.get_mut() {
            index.entry(AnyCase(name)).or_insert(place);
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if self.list.len() <= SHORT {
            return self.list.iter().find(|(own, _)| names::same(own, name)).map(|(_, place)| *place);
        }
        let index = self.index.get_or_init(|| {
            let mut index = HashMap::with_capacity(self.list.len());
            for (name, place) in &self.list {
                index.entry(AnyCase(name)).or_insert(*place);
            }
            index
        });
        index.get(&AnyCase(name)).copied()
    }

    /// The first name that comes twice.
    pub(crate) fn twin(&self) -> Option<&'n str> {
        let twice = |(name, place): &&(&'n str, usize)| self.find(name) != Some(*place);
        self.list.iter().find(twice).map(|(name, _)| *name)
    }
}

/// Values with their places, of which the first counts.
#[derive(Default)]
pub(crate) struct Values<'a, 'e> {
    list: Vec<(Scalar<'a, 'e>, usize)>,
    index: OnceCell<Index<'a>>,
}

#[derive(Default)]
struct Index<'a> {
    columns: HashMap<&'a ColumnRef<'a>, usize>,
    others: HashMap<(String, Vec<Value>), usize>,
}

impl<'a> Index<'a> {
    fn add<'e>(&mut self, cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>, place: usize) {
        match value.kind {
            ScalarKind::Column(column) => _ = self.columns.entry(column).or_insert(place),
            // What cannot be written is an error elsewhere.
            _ => _ = query::text_of(cx, value).map(|text| self.others.entry(text).or_insert(place)),
        }
    }

    fn find<'e>(&self, cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Option<usize> {
        match value.kind {
            ScalarKind::Column(column) => self.columns.get(column).copied(),
            _ => self.others.get(&query::text_of(cx, value).ok()?).copied(),
        }
    }
}

impl<'a, 'e> Values<'a, 'e> {
    pub(crate) fn of(values: impl Iterator<Item = (Scalar<'a, 'e>, usize)>) -> Self {
        Self { list: values.collect(), index: OnceCell::new() }
    }

    pub(crate) fn add(&mut self, cx: &Cx<'a, 'e>, value: Scalar<'a, 'e>, place: usize) {
        self.list.push((value, place));
        if let Some(index) = self.index.get_mut() {
            index.add(cx, &value, place);
        }
    }

    pub(crate) fn find(&self, cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Option<usize> {
        if self.list.len() <= SHORT {
            return self.list.iter().find(|(own, _)| group::same(cx, own, value)).map(|(_, place)| *place);
        }
        let index = self.index.get_or_init(|| {
            let mut index = Index::default();
            self.list.iter().for_each(|(value, place)| index.add(cx, value, *place));
            index
        });
        index.find(cx, value)
    }
}

/// Indexes of long lists, each made when something is first looked up in it.
#[derive(Default)]
pub(crate) struct Wide<'n>(RefCell<HashMap<(*const (), usize), Names<'n>>>);

impl<'n> Wide<'n> {
    /// The place of a name in a list, which stays where it is as long as this does.
    pub(crate) fn find<T>(&self, list: &[T], named: impl Fn(&T) -> &'n str, name: &str) -> Option<usize> {
        if list.len() <= SHORT {
            return list.iter().position(|item| names::same(named(item), name));
        }
        let mut known = self.0.borrow_mut();
        let names = known.entry((list.as_ptr().cast(), list.len()));
        names.or_insert_with(|| Names::of(list.iter().map(|item| Some(named(item))))).find(name)
    }
}

/// The first name that comes twice, whatever its case.
pub(crate) fn twin<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    if names.clone().nth(SHORT).is_some() {
        return Names::of(names.map(Some)).twin();
    }
    let twice = |(index, name): &(usize, &str)| names.clone().take(*index).any(|other| names::same(other, name));
    names.clone().enumerate().find(twice).map(|(_, name)| name)
}
