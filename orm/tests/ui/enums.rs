use isogloss::entity::Ordered;
use isogloss::prelude::*;

#[derive(Clone, Copy, DbEnum)]
#[repr(u64)]
enum Wide {
    Small = 1,
    Large = 9_223_372_036_854_775_808,
}

#[derive(Clone, Copy, DbEnum)]
#[db_enum(text)]
enum Channel {
    Web,
    Phone,
}

#[derive(Clone, Copy, Field)]
struct Way(Channel);

#[derive(Entity)]
struct Order {
    #[column(primary_key)]
    id: i64,
    channel: Option<Channel>,
    way: Way,
}

fn ordered<T: Ordered>() {}

fn main() {
    let _ = Order::CHANNEL.eq(Channel::Web);
    let _ = Order::CHANNEL.lt(Channel::Phone);
    let _ = expr!(|o: Order| o.channel >= Channel::Web);
    ordered::<Way>();
}
