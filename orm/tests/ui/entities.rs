use isogloss::entity::{Condition, Query, update};
use isogloss::expr::Decimal;
use isogloss::prelude::*;

#[derive(Debug, Entity)]
struct Genre {
    #[column(primary_key)]
    id: i32,
    name: String,
}

#[derive(Debug, Entity)]
struct Track {
    #[column(primary_key)]
    id: i32,
    name: String,
    genre_id: i32,
    price: Decimal,
    length: f64,
}

#[derive(Debug, View)]
#[view(of = Track)]
struct TrackView {
    track: Track,
    #[foreign_column(Genre, property = name)]
    genre: Option<String>,
}

fn main() {
    let _ = Track::GENRE_ID.eq(Genre::ID);
    let _ = Track::NAME.eq("x") & Genre::NAME.eq("x");
    let _ = Query::<Track>::new().filter(Genre::NAME.eq("x"));
    let _ = Query::<Track>::new().order_by(Genre::NAME.desc());
    let _ = Query::<Track>::new().select((Track::ID, Genre::NAME.alias("genre")));
    let _ = Query::<Track>::new().filter(TrackView::GENRE.is_null());
    let _ = update::<Track>([Genre::NAME.set("x")]);
    let _ = update::<Track>([Track::NAME.set(Genre::NAME)]);
    let _ = update::<Track>([Track::GENRE_ID.set(Track::PRICE)]);
    let _: Condition<Track> = expr!(|g: Genre| g.id == 1);
    let _ = Track::PRICE * Track::LENGTH;
    let _ = Track::PRICE * Track::NAME;
    let _ = Track::PRICE & Track::ID.eq(1);
}
