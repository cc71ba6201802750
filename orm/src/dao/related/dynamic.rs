//! Relations of rows without a struct, by their names.

use futures_core::future::BoxFuture;
use isogloss_compiler::expr::Name;
use isogloss_compiler::model::{Catalog, Entity as Model, NamedRelation};
use isogloss_driver::Row;

use super::keys::Key;
use super::query::Level;
use super::{named, rows_of};
use crate::OrmResult;
use crate::entity::{FieldError, Terms};
use crate::service::DynamicObject;
use crate::session::Session;

impl Session {
    /// Loads what rows relate to, by the names of relations in the catalog: `"items.product, customer"`. It is otherwise as
    /// [`load`](Self::load). The rows are of one entity; [`DynamicObject::related`] gives what was loaded.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # #[cfg(feature = "definitions")] {
    /// # use isogloss::config::DataSourceConfig;
    /// use isogloss::model::CatalogBuilder;
    /// use isogloss::prelude::*;
    /// use isogloss::service::DynamicObject;
    ///
    /// let catalog = CatalogBuilder::from_toml(r#"
    ///     [[entity]]
    ///     name = "Order"
    ///     columns = [{ name = "Id", type = "Int32", primary_key = true }]
    ///     relations = [{ name = "Items", kind = "has_many", entity = "Item" }]
    ///
    ///     [[entity]]
    ///     name = "Item"
    ///     columns = [
    ///       { name = "Id", type = "Int32", primary_key = true },
    ///       { name = "OrderId", type = "Int32", foreign = { entity = "Order" } },
    ///     ]
    /// "#)?.build()?;
    /// # let context = OrmContext::new(catalog);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    /// # let session = context.create_session()?;
    /// let (id, _) = session.context().catalog().entity("Order").ok_or("no entity")?;
    /// let mut order = DynamicObject::new(session.context().catalog(), id);
    /// order.set("Id", 1)?;
    /// assert!(order.related("items").is_none());
    ///
    /// session.load_named(std::slice::from_mut(&mut order), "items").await?;
    /// assert_eq!(order.related("items").map(<[_]>::len), Some(0));
    /// # }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// An unknown relation, more than 100 of these lists, or one of more than 16 names; a row in which a column of the key is
    /// not set, and those of [`load`](Self::load).
    pub async fn load_named(&self, rows: &mut [DynamicObject], relations: &str) -> OrmResult<()> {
        let paths = Paths::read(relations)?;
        let Some(first) = rows.first() else { return Ok(()) };
        let catalog = self.context().catalog();
        paths.check(catalog, super::super::entity::named(catalog, first.entity().name.as_str())?.1)?;
        fill(self, rows, &paths).await
    }
}

/// How many paths a text has at most, and how many names a path: it may come from a client.
const MOST_PATHS: usize = 100;
const MOST_NAMES: usize = 16;

/// Relations, each with those behind it.
#[derive(Debug, Default, PartialEq)]
struct Paths(Vec<(String, Paths)>);

impl Paths {
    /// Reads `items.product, customer`.
    fn read(text: &str) -> Result<Self, FieldError> {
        let mut all = Self::default();
        for (number, path) in text.split(',').enumerate() {
            let mut names = path.split('.').map(str::trim);
            if number == MOST_PATHS || names.clone().nth(MOST_NAMES).is_some() {
                let most = format!("at most {MOST_PATHS} lists of {MOST_NAMES} relations are loaded at once");
                return Err(FieldError::new(most));
            }
            if names.clone().any(str::is_empty) {
                let form = "it is written `items.product, customer`";
                return Err(FieldError::new(format!("`{text}` is no list of relations: {form}")));
            }
            all.add(&mut names);
        }
        Ok(all)
    }

    /// Whether all of them are relations, before anything is asked.
    fn check(&self, catalog: &Catalog, owner: &Model) -> OrmResult<()> {
        self.0.iter().try_for_each(|(name, behind)| behind.check(catalog, catalog.get(named(owner, name)?.target)))
    }

    /// Adds a path, from its first name on.
    fn add(&mut self, names: &mut dyn Iterator<Item = &str>) {
        let Some(name) = names.next() else { return };
        match self.0.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, behind)) => behind.add(names),
            None => {
                let mut behind = Self::default();
                behind.add(names);
                self.0.push((name.to_owned(), behind));
            }
        }
    }
}

fn fill<'a>(session: &'a Session, rows: &'a mut [DynamicObject], paths: &'a Paths) -> BoxFuture<'a, OrmResult<()>> {
    Box::pin(async move {
        let Some(first) = rows.first() else { return Ok(()) };
        let (_, owner) = super::super::entity::named(session.context().catalog(), first.entity().name.as_str())?;
        // No row gets anything before all is there.
        let mut all = Vec::with_capacity(paths.0.len());
        for (name, behind) in &paths.0 {
            let relation = named(owner, name)?;
            all.push((&relation.name, find(session, rows, owner, relation, behind).await?));
        }
        for (name, found) in all {
            rows.iter_mut().zip(found).for_each(|(row, found)| row.relate(name, found));
        }
        Ok(())
    })
}

/// What each of the rows relates to.
async fn find(
    session: &Session,
    rows: &[DynamicObject],
    owner: &Model,
    relation: &NamedRelation,
    behind: &Paths,
) -> OrmResult<Vec<Vec<DynamicObject>>> {
    let catalog = session.context().catalog();
    let terms = Terms::default();
    let level = Level::new(catalog, relation, &terms);
    let texts = level.texts(session)?;
    let keys = rows.iter().map(|row| {
        if row.entity().name != owner.name {
            let (one, other) = (&owner.name, &row.entity().name);
            return Err(
                FieldError::new(format!("the rows are of `{one}` and of `{other}`: load each by itself")).into()
            );
        }
        let value = |place: usize| {
            let column = owner.columns.get(place).map(|column| column.name.as_str()).unwrap_or_default();
            let unset =
                || FieldError::new(format!("`{}.{column}` is not set: `{}` goes by it", owner.name, relation.name));
            Ok(row.value(place).cloned().ok_or_else(unset)?)
        };
        Key::new(level.own_keys().map(value))
    });
    let asked = level.asked(owner, texts, keys)?;
    let empty = DynamicObject::new(catalog, relation.target);
    let property = |name: &Name| Some((empty.place(name.as_str())?, empty.type_of(name.as_str())));
    let properties: Vec<_> = level.names.iter().map(property).collect();
    let read = move |row: &dyn Row| {
        let mut object = empty.clone();
        for (index, (place, ty)) in properties.iter().enumerate().filter_map(|(index, found)| Some((index, (*found)?)))
        {
            object.keep(place, row.value(index, ty)?);
        }
        Ok(object)
    };
    let mut found = rows_of(session, &level, &asked, read).await?;
    fill(session, &mut found.rows, behind).await?;
    let most = if relation.kind.is_many() { usize::MAX } else { 1 };
    let few = |mut found: Vec<DynamicObject>| {
        found.truncate(most);
        found
    };
    Ok(found.share(&asked).map(few).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

    use super::Paths;

    #[test]
    fn paths_share_their_beginnings() {
        let paths = Paths::read("items.product, Items.tax,customer").unwrap();
        let leaf = |name: &str| (name.to_owned(), Paths::default());
        let items = ("items".to_owned(), Paths(vec![leaf("product"), leaf("tax")]));
        assert_eq!(paths, Paths(vec![items, leaf("customer")]));
        for long in ["a.".repeat(200_000) + "a", "a,".repeat(200_000) + "a"] {
            let error = Paths::read(&long).unwrap_err().to_string();
            assert_eq!(error, "at most 100 lists of 16 relations are loaded at once");
        }
        assert!(Paths::read("items..product").unwrap_err().to_string().contains("no list of relations"));
    }
}
