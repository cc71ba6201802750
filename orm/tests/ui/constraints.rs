use isogloss::prelude::*;

#[derive(Entity)]
struct Customer {
    #[column(primary_key)]
    id: i32,
}

#[derive(Entity)]
#[index(columns(state, numbre))]
struct Misspelt {
    state: i32,
    number: i32,
}

#[derive(Entity)]
#[index(unique)]
struct WithoutColumns {
    state: i32,
}

#[derive(Entity)]
#[index(columns(state), uniqe)]
struct Unknown {
    state: i32,
}

#[derive(Entity)]
#[check(sql = "{State} > 0")]
struct WithoutName {
    state: i32,
}

#[derive(Entity)]
#[foreign_key(Customer, columns(customer))]
struct NoField {
    customer_id: i32,
}

#[derive(Entity)]
#[foreign_key(Customer, columns(customer_id), on_delete = drop)]
struct NoAction {
    customer_id: i32,
}

#[derive(View)]
#[view(of = Customer)]
#[index(columns(id))]
struct CustomerView {
    customer: Customer,
}

fn main() {}
