//! What a query reads from, as the names in it see it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::expr::Name;
use crate::legalize::listed;

/// How many sources are looked through one by one.
const SHORT: usize = 16;

/// Where columns come from.
#[derive(Clone)]
pub(super) struct ColumnSource<'a> {
    pub(super) alias: Option<&'a Name>,
    pub(super) columns: Columns<'a>,
}

#[derive(Clone)]
pub(super) enum Columns<'a> {
    Entity(&'a Name),
    /// The columns of a select list. They were looked at where they stand.
    Listed(Rc<listed::Names<'a>>),
}

impl<'a> ColumnSource<'a> {
    pub(super) fn entity(&self) -> Option<&'a Name> {
        match self.columns {
            Columns::Entity(entity) => Some(entity),
            Columns::Listed(_) => None,
        }
    }

    /// Whether that alias may mean this source: its own, its entity's name, or `T` with a number.
    fn may_be(&self, alias: &Name) -> bool {
        is_numbered(alias) || self.alias == Some(alias) || self.entity() == Some(alias)
    }
}

/// Whether it is `T` with a number, which the compiler gives out as it goes: that may be any source.
fn is_numbered(alias: &Name) -> bool {
    matches!(alias.as_str().as_bytes(), [b'T' | b't', digits @ ..]
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// Sources in their order. Many of them have an index, so that a long chain of joins takes time for each of its names,
/// not for each pair of a name and a source.
#[derive(Default)]
pub(super) struct Sources<'a> {
    list: Vec<ColumnSource<'a>>,
    index: OnceCell<SourceIndex<'a>>,
}

/// Places of sources. Of several of one entity only the first counts, as all of them have the same columns.
#[derive(Default)]
struct SourceIndex<'a> {
    all: Vec<usize>,
    named: HashMap<&'a Name, Vec<usize>>,
}

impl<'a> From<Vec<ColumnSource<'a>>> for Sources<'a> {
    fn from(list: Vec<ColumnSource<'a>>) -> Self {
        Self { list, index: OnceCell::new() }
    }
}

impl<'a> Sources<'a> {
    pub(super) fn list(&self) -> &[ColumnSource<'a>] {
        &self.list
    }

    /// Looks at those that an alias may mean, without one at all, but not at two that have the same columns.
    pub(super) fn try_each<E>(
        &self,
        alias: Option<&Name>,
        mut look: impl FnMut(usize, &ColumnSource<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.list.len() <= SHORT {
            let mut each = self.list.iter().enumerate();
            return each.try_for_each(|(place, source)| match alias {
                Some(alias) if !source.may_be(alias) => Ok(()),
                _ => look(place, source),
            });
        }
        let index = self.index.get_or_init(|| self.index());
        let places = match alias {
            Some(alias) if !is_numbered(alias) => index.named.get(alias),
            _ => Some(&index.all),
        };
        places.into_iter().flatten().try_for_each(|&place| match self.list.get(place) {
            Some(source) => look(place, source),
            None => Ok(()),
        })
    }

    fn index(&self) -> SourceIndex<'a> {
        let (mut index, mut seen) = (SourceIndex::default(), HashSet::new());
        for (place, source) in self.list.iter().enumerate() {
            let entity = source.entity();
            let mut is_new = |name| entity.is_none_or(|entity| seen.insert((name, entity)));
            if is_new(None) {
                index.all.push(place);
            }
            for name in source.alias.into_iter().chain(entity) {
                if is_new(Some(name)) {
                    index.named.entry(name).or_default().push(place);
                }
            }
        }
        index
    }
}
