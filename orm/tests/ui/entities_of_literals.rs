use isogloss::entity::Query;
use isogloss::prelude::*;

#[derive(Debug, Entity)]
struct Genre {
    #[column(primary_key)]
    id: i32,
}

#[derive(Debug, Entity)]
struct Track {
    #[column(primary_key)]
    id: i32,
    genre_id: i32,
}

// What type a number has is known last.
fn main() {
    let _ = Track::ID.eq(1) & Genre::ID.eq(1);
    let _ = Query::<Track>::new().filter(Genre::ID.eq(1));
    let _ = expr!(|t: Track| t.id * 2 > 1 && Genre::ID.eq(2));
}
