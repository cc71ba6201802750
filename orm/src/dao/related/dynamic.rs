//! Relations of rows without a struct, by their names.

use futures_core::future::BoxFuture;
use isogloss_compiler::expr::Value;
use isogloss_driver::Row;

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
    /// An unknown relation, a row in which a column of the key is not set, and those of [`load`](Self::load).
    pub async fn load_named(&self, rows: &mut [DynamicObject], relations: &str) -> OrmResult<()> {
        fill(self, rows, &Paths::read(relations)?).await
    }
}

/// Relations, each with those behind it.
#[derive(Debug, Default, PartialEq)]
struct Paths(Vec<(String, Paths)>);

impl Paths {
    /// Reads `items.product, customer`.
    fn read(text: &str) -> Result<Self, FieldError> {
        let mut all = Self::default();
        for path in text.split(',') {
            let mut names = path.split('.').map(str::trim);
            if names.clone().any(str::is_empty) {
                let form = "it is written `items.product, customer`";
                return Err(FieldError::new(format!("`{text}` is no list of relations: {form}")));
            }
            all.add(&mut names);
        }
        Ok(all)
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
        for (name, behind) in &paths.0 {
            load(session, rows, name, behind).await?;
        }
        Ok(())
    })
}

async fn load(session: &Session, rows: &mut [DynamicObject], name: &str, behind: &Paths) -> OrmResult<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let catalog = session.context().catalog();
    let (_, owner) = super::super::entity::named(catalog, first.entity().name.as_str())?;
    let relation = named(owner, name)?;
    let terms = Terms::default();
    let level = Level::new(catalog, relation, &terms);
    let keys = rows.iter().map(|row| {
        if row.entity().name != owner.name {
            let (one, other) = (&owner.name, &row.entity().name);
            return Err(
                FieldError::new(format!("the rows are of `{one}` and of `{other}`: load each by itself")).into()
            );
        }
        let value = |place: usize| {
            let column = owner.columns.get(place).map(|column| column.name.as_str()).unwrap_or_default();
            let unset = || FieldError::new(format!("`{}.{column}` is not set: `{name}` goes by it", owner.name));
            Ok(row.value(place).cloned().ok_or_else(unset)?)
        };
        level.own_keys().map(value).collect::<OrmResult<Vec<Value>>>()
    });
    let asked = level.asked(owner, keys)?;
    let (of, target) = (relation.target, catalog.clone());
    let names = level.names.clone();
    let read = move |row: &dyn Row| {
        let mut object = DynamicObject::new(&target, of);
        for (index, name) in names.iter().enumerate() {
            let ty = object.type_of(name.as_str());
            object.read(name.as_str(), row.value(index, ty)?);
        }
        Ok(object)
    };
    let mut found = rows_of(session, &level, &asked, read).await?;
    fill(session, &mut found.rows, behind).await?;
    for (row, found) in rows.iter_mut().zip(found.share(&asked)) {
        row.relate(&relation.name, found);
    }
    Ok(())
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
        assert!(Paths::read("items..product").unwrap_err().to_string().contains("no list of relations"));
    }
}
