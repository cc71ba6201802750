use isogloss_compiler::expr::*;
use isogloss_compiler::model::sample;
use isogloss_compiler::*;
fn main() {
    let c = Compiler::new(sample::catalog());
    let pg = isogloss_postgres::Postgres::V15;
    let lite = isogloss_sqlite::Sqlite::V3_45;
    let qs: Vec<Expr> = vec![
        from("Order").filter(prop("Id").eq(5)).into(),
        from("OrderView")
            .filter(
                prop("Amount").ge(100)
                    & prop("CustomerName").starts_with("A_")
                    & exists_related("Department", prop("Name").eq("x")),
            )
            .order_by([prop("CreatedTime").desc(), prop("Id").asc()])
            .section(20, 10)
            .into(),
        from("UserView").filter(exists_related("Department", prop("Name").starts_with("R&D"))).into(),
        from("Order")
            .filter(prop("Status").in_list([1, 2]) & prop("Note").eq("") & !prop("Paid").is_true())
            .select([prop("Id"), prop("Qty")])
            .into(),
        from("Order")
            .filter(prop("CustomerId").in_list(from("Customer").filter(prop("Name").eq("x")).select([prop("Id")])))
            .group_by([prop("CustomerId")])
            .having(prop("Amount").sum().gt(5))
            .select([SelectItemExpr::from(prop("CustomerId")), prop("Amount").sum().alias("Total")])
            .into_segment()
            .order_by([prop("Total").desc()])
            .take(3)
            .into(),
        table("Order").update([("Qty", prop("Qty") + 1)]).filter(prop("Id").eq(7)).into(),
        table("Department").delete().filter(prop("Id").eq(7)).into(),
        table("Order").delete().into(),
        table("Customer").insert(["Id", "Name"], vec![1.into(), "x".into()]).on_conflict_update([] as [&str; 0]).into(),
        from("Order").order_by([prop("Id").asc()]).after([5], 10).into(),
        from("Order").filter((prop("Qty") / 2).gt(prop("Qty") % 3)).select([(-(prop("Qty") + 1)).alias("n")]).into(),
        from("Nope").into(),
        from("Order").filter(prop("Amuont").eq(1)).into(),
    ];
    for q in &qs {
        for d in [&pg as &dyn dialect::Dialect, &lite] {
            match c.compile(q, d) {
                Ok(x) => println!(
                    "{}\n   {:?} {:?}",
                    x,
                    x.params.iter().map(|p| format!("{:?}:{:?}", p.value, p.ty.map(|t| t.base))).collect::<Vec<_>>(),
                    x.notes.iter().map(|n| n.rule.name()).collect::<Vec<_>>()
                ),
                Err(e) => println!("ERR {e}"),
            }
        }
        println!();
    }
}
