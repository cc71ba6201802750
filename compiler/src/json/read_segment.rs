//! Reads queries: the chain of clauses, and the items of their lists.

use super::error::{Fault, Result};
use super::reader::{Object, Reader, keys};
use super::words::{self, Marker};
use crate::expr::{
    CommonTableExpr, Distinct, FromExpr, GroupByExpr, HavingExpr, LockExpr, LockMode, LockWait, NextSelect, Nulls,
    OrderByExpr, OrderByItemExpr, SectionExpr, SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableExpr,
    TableJoinExpr, TableJoinType, ValueExpr, ValueTypeExpr, WhereExpr,
};

const QUERY: &str = "a table or query";

impl Reader<'_> {
    /// Reads a table or a query.
    pub(super) fn segment(&mut self) -> Result<SqlSegment> {
        if self.scan.peek()? != b'{' {
            return Err(self.wrong(QUERY));
        }
        let object = self.node()?;
        self.segment_node(object)
    }

    #[inline(never)]
    pub(super) fn segment_node(&mut self, object: Object) -> Result<SqlSegment> {
        match object.marker {
            Marker::Table => self.table_node(object).map(SqlSegment::Table),
            Marker::From => self.from(object).map(SqlSegment::from),
            Marker::Where => self.filter(object).map(SqlSegment::from),
            Marker::GroupBy => self.group_by(object).map(SqlSegment::from),
            Marker::Having => self.having(object).map(SqlSegment::from),
            Marker::OrderBy => self.order_by(object).map(SqlSegment::from),
            Marker::Section => self.section(object).map(SqlSegment::from),
            Marker::Lock => self.lock(object).map(SqlSegment::from),
            Marker::Select => self.select_node(object).map(SqlSegment::from),
            Marker::CommonTable => self.common_table(object).map(SqlSegment::from),
            other => Err(Fault::wrong(object.at, QUERY, other.noun())),
        }
    }

    /// The source of a clause: `null` means the root entity.
    fn source(&mut self) -> Result<Option<SqlSegment>> {
        self.optional(Self::segment)
    }

    /// Reads a table.
    pub(super) fn table(&mut self) -> Result<TableExpr> {
        const TABLE: &str = "a table";
        if self.scan.peek()? != b'{' {
            return Err(self.wrong(TABLE));
        }
        let object = self.node()?;
        match object.marker {
            Marker::Table => self.table_node(object),
            other => Err(Fault::wrong(object.at, TABLE, other.noun())),
        }
    }

    #[inline(never)]
    fn table_node(&mut self, mut object: Object) -> Result<TableExpr> {
        let mut entity = self.lead(&object, Self::entity)?;
        let (mut table_args, mut alias) = (None, None);
        keys!(self, object, {
            "Type" if object.long => entity = Self::entity,
            "TableArgs" => table_args = Self::table_args,
            "Alias" => alias = |reader| reader.optional(Self::name),
        });
        Ok(TableExpr {
            entity: self.need(entity, &object, "Type")?,
            table_args: table_args.unwrap_or_default().into_boxed_slice(),
            alias: alias.flatten(),
            filters_off: Box::default(),
        })
    }

    #[inline(never)]
    fn from(&mut self, mut object: Object) -> Result<FromExpr> {
        let mut source = self.lead(&object, Self::segment)?;
        let mut joins = None;
        keys!(self, object, {
            "Source" if object.long => source = Self::segment,
            "Joins" => joins = |reader| reader.list(Self::join),
        });
        Ok(FromExpr { source: self.need(source, &object, "Source")?, joins: joins.unwrap_or_default() })
    }

    fn join(&mut self) -> Result<TableJoinExpr> {
        const JOIN: &str = "a join";
        if self.scan.peek()? != b'{' {
            return Err(self.wrong(JOIN));
        }
        let object = self.node()?;
        match object.marker {
            Marker::Join => self.join_node(object),
            other => Err(Fault::wrong(object.at, JOIN, other.noun())),
        }
    }

    #[inline(never)]
    pub(super) fn join_node(&mut self, mut object: Object) -> Result<TableJoinExpr> {
        let mut source = self.lead(&object, Self::segment)?;
        let (mut on, mut join_type, mut lateral) = (None, None, None);
        keys!(self, object, {
            "Source" if object.long => source = Self::segment,
            "On" => on = |reader| reader.optional(Self::logic),
            "JoinType" => join_type = |reader| reader.word("kind of join", words::TABLE_JOINS),
            "Lateral" => lateral = Self::boolean,
        });
        Ok(TableJoinExpr {
            source: self.need(source, &object, "Source")?,
            on: on.flatten(),
            join_type: join_type.unwrap_or(TableJoinType::Left),
            lateral: lateral.unwrap_or_default(),
        })
    }

    /// The condition must be there: an absent one is not "no filter".
    #[inline(never)]
    fn filter(&mut self, mut object: Object) -> Result<WhereExpr> {
        let mut source = self.lead(&object, Self::source)?;
        let mut filter = None;
        keys!(self, object, {
            "Source" if object.long => source = Self::source,
            "Where" => filter = Self::logic,
        });
        Ok(WhereExpr { source: source.flatten(), filter: self.need(filter, &object, "Where")? })
    }

    #[inline(never)]
    fn group_by(&mut self, mut object: Object) -> Result<GroupByExpr> {
        let mut source = self.lead(&object, Self::source)?;
        let mut group_by = None;
        keys!(self, object, {
            "Source" if object.long => source = Self::source,
            "GroupBys" => group_by = |reader| reader.list(Self::value),
        });
        Ok(GroupByExpr { source: source.flatten(), group_by: self.need(group_by, &object, "GroupBys")? })
    }

    #[inline(never)]
    fn having(&mut self, mut object: Object) -> Result<HavingExpr> {
        let mut source = self.lead(&object, Self::source)?;
        let mut having = None;
        keys!(self, object, {
            "Source" if object.long => source = Self::source,
            "Having" => having = Self::logic,
        });
        Ok(HavingExpr { source: source.flatten(), having: self.need(having, &object, "Having")? })
    }

    #[inline(never)]
    fn order_by(&mut self, mut object: Object) -> Result<OrderByExpr> {
        let mut source = self.lead(&object, Self::source)?;
        let mut order_by = None;
        keys!(self, object, {
            "Source" if object.long => source = Self::source,
            "OrderBys" => order_by = |reader| reader.list(Self::order_item),
        });
        Ok(OrderByExpr { source: source.flatten(), order_by: self.need(order_by, &object, "OrderBys")? })
    }

    /// A `Skip` below 0 is 0, a `Take` below 1 takes all rows: the page rules read them so. `"NoRows":true` takes none.
    #[inline(never)]
    fn section(&mut self, mut object: Object) -> Result<SectionExpr> {
        let mut source = self.lead(&object, Self::source)?;
        let (mut skip, mut take, mut no_rows, mut after) = (None, None, None, None);
        keys!(self, object, {
            "Source" if object.long => source = Self::source,
            "Skip" => skip = Self::row_count,
            "Take" => take = Self::row_count,
            "NoRows" => no_rows = Self::boolean,
            "After" => after = |reader| reader.list(Self::cursor),
        });
        let take = take.filter(|take| *take > 0);
        Ok(SectionExpr {
            source: source.flatten(),
            skip: skip.unwrap_or_default(),
            take: if no_rows == Some(true) { Some(0) } else { take },
            after: after.unwrap_or_default(),
        })
    }

    /// Takes a number of rows; less than none is none.
    fn row_count(&mut self) -> Result<u64> {
        let at = self.place()?;
        match self.plain()? {
            crate::expr::Value::Int(n) => Ok(u64::try_from(n).unwrap_or_default()),
            crate::expr::Value::UInt(n) => Ok(n),
            _ => Err(Fault::bad_value(at, "number of rows", "it is a whole number")),
        }
    }

    fn cursor(&mut self) -> Result<ValueExpr> {
        let at = self.place()?;
        match self.value()? {
            ValueTypeExpr::Value(value) => Ok(value),
            other => Err(Fault::wrong(at, "a plain value", super::read_value::noun(&other))),
        }
    }

    #[inline(never)]
    fn lock(&mut self, mut object: Object) -> Result<LockExpr> {
        let mut source = self.lead(&object, Self::source)?;
        let (mut mode, mut wait) = (None, None);
        keys!(self, object, {
            "Source" if object.long => source = Self::source,
            "Mode" => mode = |reader| reader.word("lock mode", words::LOCK_MODES),
            "Wait" => wait = |reader| reader.word("lock wait", words::LOCK_WAITS),
        });
        let (mode, wait) = (mode.unwrap_or(LockMode::Update), wait.unwrap_or(LockWait::Wait));
        Ok(LockExpr { source: source.flatten(), mode, wait })
    }

    fn select(&mut self) -> Result<SelectExpr> {
        const SELECT: &str = "a select";
        if self.scan.peek()? != b'{' {
            return Err(self.wrong(SELECT));
        }
        let object = self.node()?;
        match object.marker {
            Marker::Select => self.select_node(object),
            other => Err(Fault::wrong(object.at, SELECT, other.noun())),
        }
    }

    fn select_node(&mut self, object: Object) -> Result<SelectExpr> {
        self.select_of(object, false).map(|(select, _)| select)
    }

    #[inline(never)]
    fn select_of(&mut self, mut object: Object, is_next: bool) -> Result<(SelectExpr, Option<SelectSetType>)> {
        let mut source = self.lead(&object, Self::source)?;
        let (mut selects, mut distinct, mut next_selects) = (None, None, None);
        let (mut alias, mut set_type) = (None, None);
        keys!(self, object, {
            "Source" if object.long => source = Self::source,
            "Selects" => selects = |reader| reader.list(Self::select_item),
            "Distinct" => distinct = Self::distinct,
            "Next" => next_selects = |reader| reader.list(Self::next_select),
            "As" => alias = |reader| reader.optional(Self::name),
            "SetType" if is_next => set_type = |reader| reader.word("set operation", words::SET_TYPES),
        });
        let select = SelectExpr {
            source: source.flatten(),
            selects: selects.unwrap_or_default(),
            distinct: distinct.unwrap_or_default(),
            next_selects: next_selects.unwrap_or_default(),
            alias: alias.flatten(),
        };
        Ok((select, set_type))
    }

    /// `true`, `false`, or the keys of DISTINCT ON.
    fn distinct(&mut self) -> Result<Distinct> {
        if self.scan.peek()? == b'[' {
            return self.list(Self::value).map(Distinct::On);
        }
        Ok(if self.boolean()? { Distinct::Rows } else { Distinct::No })
    }

    pub(super) fn next_select(&mut self) -> Result<NextSelect> {
        const SELECT: &str = "a select";
        if self.scan.peek()? != b'{' {
            return Err(self.wrong(SELECT));
        }
        let object = self.node()?;
        if object.marker != Marker::Select {
            return Err(Fault::wrong(object.at, SELECT, object.marker.noun()));
        }
        let (select, set_type) = self.select_of(object, true)?;
        Ok(NextSelect { set_type: set_type.unwrap_or(SelectSetType::UnionAll), select })
    }

    /// `{"$cte":select,"Alias":name}` defines, `{"$cte":name}` refers.
    #[inline(never)]
    fn common_table(&mut self, mut object: Object) -> Result<CommonTableExpr> {
        let (mut source, mut alias) = (None, None);
        if !object.long {
            if self.scan.peek()? == b'"' {
                alias = Some(self.name()?);
                self.finish(&mut object)?;
            } else {
                source = Some(Some(self.select()?));
            }
        }
        if alias.is_none() {
            keys!(self, object, {
                "Source" if object.long => source = |reader| reader.optional(Self::select),
                "Alias" => alias = Self::name,
            });
        }
        Ok(CommonTableExpr { source: source.flatten(), alias: self.need(alias, &object, "Alias")? })
    }

    /// `{"Alias":..,"Value":..}`, with or without the marker `selectitem`; or a value by itself.
    pub(super) fn select_item(&mut self) -> Result<SelectItemExpr> {
        match self.item()? {
            ItemForm::Bare(object) | ItemForm::Marked(object @ Object { marker: Marker::SelectItem, .. }) => {
                self.select_item_node(object)
            }
            ItemForm::Marked(object) => Ok(SelectItemExpr { value: self.value_node(object)?, alias: None }),
            ItemForm::Literal => Ok(SelectItemExpr { value: self.value()?, alias: None }),
        }
    }

    #[inline(never)]
    pub(super) fn select_item_node(&mut self, mut object: Object) -> Result<SelectItemExpr> {
        let (mut alias, mut value) = (None, None);
        keys!(self, object, {
            "Alias" => alias = |reader| reader.optional(Self::name),
            "Value" => value = Self::value,
        });
        Ok(SelectItemExpr { value: self.need(value, &object, "Value")?, alias: alias.flatten() })
    }

    /// `{"Field":..,"Asc":..}`, with or without the marker `orderbyitem`; or a value by itself.
    pub(super) fn order_item(&mut self) -> Result<OrderByItemExpr> {
        let field = match self.item()? {
            ItemForm::Bare(object) | ItemForm::Marked(object @ Object { marker: Marker::OrderByItem, .. }) => {
                return self.order_item_node(object);
            }
            ItemForm::Marked(object) => self.value_node(object)?,
            ItemForm::Literal => self.value()?,
        };
        Ok(OrderByItemExpr { field, ascending: true, nulls: Nulls::Default })
    }

    #[inline(never)]
    pub(super) fn order_item_node(&mut self, mut object: Object) -> Result<OrderByItemExpr> {
        let (mut field, mut ascending, mut nulls) = (None, None, None);
        keys!(self, object, {
            "Field" => field = Self::value,
            "Asc" => ascending = Self::boolean,
            "Nulls" => nulls = |reader| reader.word("place of NULLs", words::NULLS),
        });
        let (ascending, nulls) = (ascending.unwrap_or(true), nulls.unwrap_or_default());
        Ok(OrderByItemExpr { field: self.need(field, &object, "Field")?, ascending, nulls })
    }

    /// Begins an item of a list: an object that needs no marker, one that has one, or no object.
    fn item(&mut self) -> Result<ItemForm> {
        if self.scan.peek()? != b'{' {
            return Ok(ItemForm::Literal);
        }
        if self.has_marker()? {
            return self.node().map(ItemForm::Marked);
        }
        self.count()?;
        self.object("an item").map(ItemForm::Bare)
    }
}

enum ItemForm {
    Bare(Object),
    Marked(Object),
    Literal,
}
