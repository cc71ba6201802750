use isogloss::prelude::*;

#[derive(Entity)]
struct Department {
    #[column(primary_key)]
    id: i32,
    name: String,
}

#[derive(Entity)]
#[table_join(Department, keys(dept_ids))]
struct Misspelt {
    dept_id: i32,
}

#[derive(Entity)]
#[table_join(Department, keys(dept_id), prime_keys(idd))]
struct Prime {
    dept_id: i32,
}

#[derive(Entity)]
struct NoEntity {
    #[foreign(Dept)]
    dept_id: i32,
    #[foreign(Department, join = Lefft)]
    other: i32,
}

#[derive(View)]
#[view(of = Department)]
struct Unplaced {
    department: Department,
    boss: String,
}

#[derive(View)]
#[view(of = Department)]
struct NoField {
    #[foreign_column(Department, property = nam)]
    boss: String,
}

#[derive(View)]
#[view(of = Department)]
struct Nowhere {
    department: Department,
    #[foreign_column(Department, property = nam)]
    boss: String,
}

fn main() {}
