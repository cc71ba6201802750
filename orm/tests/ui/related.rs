use isogloss::entity::{Many, One};
use isogloss::prelude::*;

#[derive(Entity)]
struct Tag {
    #[column(primary_key)]
    id: i32,
}

#[derive(Entity)]
struct Wrong {
    #[column(primary_key)]
    id: i32,
    #[has_many]
    one: One<Tag>,
    #[belongs_to]
    many: Many<Tag>,
    #[has_many]
    list: Vec<Tag>,
    #[many_to_many]
    tags: Many<Tag>,
    #[has_many]
    #[column(index)]
    indexed: Many<Tag>,
    #[has_many]
    #[has_one]
    both: Many<Tag>,
    #[has_many(through = Tag)]
    through: Many<Tag>,
}

#[derive(Entity)]
struct Key {
    #[column(primary_key)]
    id: i32,
    #[belongs_to(key = tag_id)]
    tag: One<Tag>,
}

#[derive(Entity)]
struct Plain {
    #[column(primary_key)]
    id: i32,
    tags: Many<Tag>,
}

fn main() {}
