//! A file that is replaced while a program writes to it.

use isogloss::driver::ErrorKind;

use super::{holds, kept, number};
use crate::child::one;
use crate::place::Place;
use crate::{Outcome, Scale};

pub(super) async fn run(place: &Place, scale: &Scale) -> Outcome {
    let (file, away) = (place.file(), place.file().with_extension("away"));
    let context = place.context(&place.url, |source| source)?;
    let (mut confirmed, mut refused) = (Vec::new(), 0);
    for round in 0..i64::try_from(scale.rounds)? {
        for pair in 1 + round * 20..=(round + 1) * 20 {
            one(&context, pair).await?;
            confirmed.push(pair);
        }
        std::fs::rename(&file, &away)?;
        if round % 2 == 1 {
            std::fs::write(&file, "")?;
        }
        for pair in 1_000_000..1_000_020 {
            let done = one(&context, pair).await;
            let is_told = matches!(&done, Err(error) if error.kind() == Some(ErrorKind::Connect));
            holds(is_told, || format!("a write to a file that is away: {done:?}"))?;
            refused += 1;
        }
        std::fs::rename(&away, &file)?;
    }
    let there = kept(&context, &confirmed).await?;
    holds(there == confirmed.len(), || format!("{there} transactions are there, {} confirmed", confirmed.len()))?;
    context.close();
    Ok(format!("{}; {}; 0", number(there), number(refused)))
}
