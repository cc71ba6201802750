//! diesel 2.3 with `.into_boxed()`: clauses behind trait objects, as code does that adds filters at run time.

use super::diesel_schema::{
    ARRAY_ONLY, C, CUSTOMER, EQ_ANY, NO_CTE, PRODUCT, T0, customers, orders, products, render, text,
};
use crate::data::{Column, Comparison, Data, Op, Value};
use crate::peer::{Case, NOT_ITS_JOB, Peer, Workload, tree};
use diesel::dsl::{exists, sql};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer};

pub struct DieselBoxed;

impl Peer for DieselBoxed {
    fn name(&self) -> &'static str {
        "diesel-boxed"
    }

    fn about(&self) -> &'static str {
        "diesel 2.3, into_boxed() and BoxableExpression; to_sql and collect_binds, no connection"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        match workload {
            Workload::W1 => tree(
                data,
                |data| {
                    T0.select(T0.fields(orders::all_columns))
                        .into_boxed::<Pg>()
                        .filter(T0.field(orders::id).eq(data.id))
                },
                render,
                text,
            ),
            Workload::W2 => tree(
                data,
                |data| {
                    let page = &data.page;
                    T0.left_join(CUSTOMER.on(CUSTOMER.field(customers::id).eq(T0.field(orders::customer_id))))
                        .left_join(PRODUCT.on(PRODUCT.field(products::id).eq(T0.field(orders::product_id))))
                        .select((
                            T0.fields(orders::all_columns),
                            CUSTOMER.field(customers::name).nullable(),
                            CUSTOMER.field(customers::city).nullable(),
                            PRODUCT.field(products::name).nullable(),
                        ))
                        .into_boxed::<Pg>()
                        .filter(T0.field(orders::status).eq(page.status.as_str()))
                        .filter(T0.field(orders::amount).ge(page.min_amount))
                        .filter(CUSTOMER.field(customers::name).like(page.name_pattern.as_str()))
                        .filter(T0.field(orders::created_time).ge(page.since.as_str()))
                        .filter(T0.field(orders::is_deleted).eq(page.is_deleted))
                        .order((T0.field(orders::created_time).desc(), T0.field(orders::id)))
                        .limit(page.limit)
                        .offset(page.offset)
                },
                render,
                text,
            ),
            Workload::W3 => tree(
                data,
                |data| {
                    T0.select((T0.field(orders::id), T0.field(orders::order_no), T0.field(orders::amount)))
                        .into_boxed::<Pg>()
                        .filter(exists(
                            C.select(sql::<Integer>("1"))
                                .filter(C.field(customers::id).eq(T0.field(orders::customer_id)))
                                .filter(C.field(customers::city).eq(data.exists.city.as_str())),
                        ))
                        .filter(T0.field(orders::status).eq_any(&data.exists.statuses))
                },
                render,
                text,
            ),
            Workload::W4b => tree(
                data,
                |data| {
                    T0.select((T0.field(orders::id), T0.field(orders::order_no), T0.field(orders::amount)))
                        .into_boxed::<Pg>()
                        .filter(T0.field(orders::id).eq_any(&data.ids))
                },
                render,
                text,
            ),
            Workload::W6 => {
                tree(data, |data| T0.select(T0.field(orders::id)).into_boxed::<Pg>().filter(logic(data)), render, text)
            }
            Workload::W4a => Err(ARRAY_ONLY),
            Workload::W5 => Err("an insert cannot be boxed (see diesel)"),
            Workload::W7 => Err(NO_CTE),
            Workload::J2 | Workload::J6 => Err(NOT_ITS_JOB),
        }
    }

    fn deviation(&self, workload: Workload) -> Option<&'static str> {
        (workload == Workload::W3).then_some(EQ_ANY)
    }
}

type Condition<'a> = Box<dyn BoxableExpression<T0, Pg, SqlType = Bool> + 'a>;

fn logic(data: &'static Data) -> Condition<'static> {
    let mut deeper: Option<Condition<'static>> = None;
    for (and, level) in data.levels().rev() {
        let mut terms = level.iter().map(comparison).chain(deeper.take());
        let first = terms.next().expect("a level has comparisons");
        deeper = Some(terms.fold(first, |left, right| -> Condition<'static> {
            if and { Box::new(left.and(right)) } else { Box::new(left.or(right)) }
        }));
    }
    deeper.expect("there is a level")
}

fn comparison(c: &'static Comparison) -> Condition<'static> {
    macro_rules! compare {
        ($column:expr, $value:expr) => {{
            let (column, value) = (T0.field($column), $value);
            match c.op {
                Op::Eq => Box::new(column.eq(value)),
                Op::Ne => Box::new(column.ne(value)),
                Op::Lt => Box::new(column.lt(value)),
                Op::Le => Box::new(column.le(value)),
                Op::Gt => Box::new(column.gt(value)),
                Op::Ge => Box::new(column.ge(value)),
            }
        }};
    }
    match (c.column, &c.value) {
        (Column::Qty, Value::Int(v)) => compare!(orders::qty, *v),
        (Column::Amount, Value::Float(v)) => compare!(orders::amount, *v),
        (Column::CustomerId, Value::Big(v)) => compare!(orders::customer_id, *v),
        (Column::Status, Value::Text(v)) => compare!(orders::status, v.as_str()),
        (column, value) => unreachable!("{column:?} with {value:?}"),
    }
}
