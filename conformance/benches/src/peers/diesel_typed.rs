//! diesel 2.3 with fully typed queries: the shape of the statement is in its type.

use super::diesel_schema::{
    ARRAY_ONLY, C, CUSTOMER, EQ_ANY, NO_CTE, NewOrder, PRODUCT, T0, customers, orders, products, render, text,
};
use crate::data::Data;
use crate::peer::{Case, NOT_ITS_JOB, Peer, Workload, tree};
use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::Integer;

pub struct DieselTyped;

impl Peer for DieselTyped {
    fn name(&self) -> &'static str {
        "diesel"
    }

    fn about(&self) -> &'static str {
        "diesel 2.3, typed queries; to_sql and collect_binds, no connection"
    }

    fn case(&self, workload: Workload, data: &'static Data) -> Result<Box<dyn Case>, &'static str> {
        match workload {
            Workload::W1 => tree(
                data,
                |data| T0.select(T0.fields(orders::all_columns)).filter(T0.field(orders::id).eq(data.id)),
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
                        .filter(T0.field(orders::id).eq_any(&data.ids))
                },
                render,
                text,
            ),
            Workload::W5 => tree(
                data,
                |data| {
                    diesel::insert_into(orders::table).values(data.rows.iter().map(NewOrder::from).collect::<Vec<_>>())
                },
                render,
                text,
            ),
            Workload::W4a => Err(ARRAY_ONLY),
            Workload::W6 => Err("a tree known at run time has no static type (see diesel-boxed)"),
            Workload::W7 => Err(NO_CTE),
            Workload::J2 | Workload::J6 => Err(NOT_ITS_JOB),
        }
    }

    fn deviation(&self, workload: Workload) -> Option<&'static str> {
        (workload == Workload::W3).then_some(EQ_ANY)
    }
}
