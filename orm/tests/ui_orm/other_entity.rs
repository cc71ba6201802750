use isogloss::entity::update;
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
    listed: bool,
}

#[derive(Debug, View)]
#[view(of = Track)]
struct TrackView {
    track: Track,
    #[foreign_column(Genre, property = name)]
    genre: Option<String>,
}

async fn reads(session: &Session) -> OrmResult<()> {
    let tracks = ObjectViewDao::<Track>::new(session);
    tracks.count(expr!(|g: Genre| g.name == "Jazz")).await?;
    tracks.exists(Some(Genre::NAME.eq("Jazz"))).await?;
    let _ = tracks.search(query!(|g: Genre| g.take(1)));
    let _ = tracks.search(TrackView::GENRE.eq("Jazz"));
    ObjectViewDao::<Genre>::new(session).count(Track::LISTED).await?;
    DataViewDao::<Genre>::new(session).search(Track::NAME.eq("x")).await?;
    let _ = isogloss::blocking::ObjectViewDao::<Genre>::new(&session.clone().into()).count(Track::NAME.eq("x"));
    let _ = tracks.search(5);
    // A condition of the entity finds rows of its view, and a query of the entity does not give them.
    let views = ObjectViewDao::<TrackView>::new(session);
    let _ = views.search(Track::LISTED);
    let _ = views.search(query!(|t: Track| t.take(1)));
    Ok(())
}

async fn writes(session: &Session) -> OrmResult<()> {
    let tracks = ObjectDao::<Track>::new(session);
    tracks.delete_where(Genre::NAME.eq("x")).await?;
    tracks.update_where(update::<Genre>([Genre::NAME.set("x")]).all_rows()).await?;
    DataDao::<Track>::new(session).update_all_values([("Name", "x")], Genre::NAME.eq("x")).await?;
    Ok(())
}

fn main() {}
