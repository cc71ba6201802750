//! The order in which a cursor goes through rows, and the rows behind it.

use isogloss::expr::{
    DbType, Family, Name, Nulls, OrderByExpr, OrderByItemExpr, PropertyExpr, SqlSegment, Value, ValueExpr,
    ValueOps as _, ValueTypeExpr, WhereExpr, from, prop,
};
use isogloss::model::{BadValue, Catalog, Entity, Property, coerce};

use crate::{Problem, ProblemKind, WebResult};

/// The order of a query whose rows a cursor goes through: each key tells where it stands with NULL, and the primary key is
/// the last of them, so that no two rows are equal.
#[derive(Debug)]
pub(crate) struct Keyset {
    /// The rows without their order.
    rows: SqlSegment,
    keys: Vec<Key>,
}

/// A key of the order.
#[derive(Debug)]
struct Key {
    property: PropertyExpr,
    ty: DbType,
    nullable: bool,
    descending: bool,
    nulls_first: bool,
}

impl Keyset {
    /// That of a client's query, which is sorted by properties that it may see.
    ///
    /// # Errors
    /// The query is none of rows of a table, or is sorted by something else.
    pub(crate) fn new(
        query: SqlSegment,
        catalog: &Catalog,
        view: &Entity,
        is_visible: impl Fn(&Name) -> bool,
    ) -> WebResult<Self> {
        let mut order = Vec::new();
        let rows = without_order(Some(query), view, &mut order)
            .ok_or_else(|| refused("a cursor goes through the rows of a table: filter and sort them, nothing else"))?;
        order.extend(view.key_columns().map(|column| prop(column.name.clone()).asc()));
        let mut keys: Vec<Key> = Vec::with_capacity(order.len());
        for item in order {
            let key = Key::new(item, catalog, view, &is_visible)?;
            if !keys.iter().any(|other| other.property.name == key.property.name) {
                keys.push(key);
            }
        }
        if view.keys.is_empty() {
            return Err(refused("a cursor needs rows that have a key, and these have none"));
        }
        Ok(Self { rows, keys })
    }

    /// The keys, whose values in the last row of a page make its cursor.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&Name, DbType)> {
        self.keys.iter().map(|key| (&key.property.name, key.ty))
    }

    /// All rows in their order.
    pub(crate) fn all(&self) -> SqlSegment {
        self.rows.clone().order_by(self.keys.iter().map(Key::item))
    }

    /// At most so many rows behind the one whose keys have these values.
    ///
    /// # Errors
    /// The values are not those of the keys.
    pub(crate) fn after(&self, values: Vec<Value>, take: u64) -> WebResult<SqlSegment> {
        let mismatch = || Problem::of(ProblemKind::BadCursor);
        if values.len() != self.keys.len() {
            return Err(mismatch());
        }
        let values = self.keys.iter().zip(values).map(|(key, value)| key.value(&value));
        let values = values.collect::<Result<Vec<_>, BadValue>>().map_err(|_| mismatch())?;
        Ok(self.all().after(values, take))
    }
}

impl Key {
    fn new(
        item: OrderByItemExpr,
        catalog: &Catalog,
        view: &Entity,
        is_visible: &impl Fn(&Name) -> bool,
    ) -> WebResult<Self> {
        let ValueTypeExpr::Property(property) = item.field else {
            return Err(refused("a cursor goes by properties: sort by nothing else"));
        };
        let name = property.name.as_str();
        let found = view.property(name).filter(|_| property.alias.is_none() && is_visible(&property.name));
        let column = match found {
            Some(Property::Column(index)) => view.columns.get(index).map(|column| (column, column.nullable)),
            // The joined row may be missing.
            Some(Property::Foreign(index)) => view
                .foreign_columns
                .get(index)
                .and_then(|foreign| catalog.foreign(foreign))
                .map(|column| (column, true)),
            None => None,
        };
        let Some((column, nullable)) = column else {
            return Err(refused(format!("a cursor cannot go by `{name}`: sort by properties of the rows")));
        };
        if !column.ty.family().is_some_and(Family::marks_a_place) {
            return Err(refused(format!(
                "a cursor cannot go by `{name}`: floats may differ in their last digit, and documents and bytes have no order"
            )));
        }
        let descending = !item.ascending;
        // Where nothing is said, NULL is above everything else.
        let nulls_first = match item.nulls {
            Nulls::First => true,
            Nulls::Last => false,
            Nulls::Default => descending,
        };
        Ok(Self { property, ty: column.ty, nullable, descending, nulls_first })
    }

    fn item(&self) -> OrderByItemExpr {
        let property = self.property.clone();
        let item = if self.descending { property.desc() } else { property.asc() };
        match (self.nullable, self.nulls_first) {
            (false, _) => item,
            (true, true) => item.nulls_first(),
            (true, false) => item.nulls_last(),
        }
    }

    /// A value that the cursor has, in the type of the key.
    fn value(&self, value: &Value) -> Result<ValueExpr, BadValue> {
        Ok(coerce(value, self.ty, None)?.into_owned().into())
    }
}

/// The rows of a query, and the keys of its order apart from them; nothing where it has more than filters and an order.
fn without_order(query: Option<SqlSegment>, view: &Entity, order: &mut Vec<OrderByItemExpr>) -> Option<SqlSegment> {
    match query {
        // What a clause without a source is about.
        None => Some(from(view.name.clone())),
        Some(SqlSegment::Table(_)) => query,
        Some(SqlSegment::OrderBy(node)) => {
            let OrderByExpr { source, order_by } = node.into_inner();
            order.extend(order_by);
            without_order(source, view, order)
        }
        Some(SqlSegment::Where(node)) => {
            let WhereExpr { source, filter } = node.into_inner();
            Some(without_order(source, view, order)?.filter(filter))
        }
        _ => None,
    }
}

fn refused(why: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::BadQuery, why.into()).at("$")
}
