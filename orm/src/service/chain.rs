//! How deep calls of subscribers go.

use super::ServiceError;

/// How many operations with subscribers may stand inside of each other.
const DEEPEST: usize = 8;

tokio::task_local! {
    static CHAIN: Chain;
}

/// The entities of the operations around, whose subscribers have led here, the outermost first.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain(Vec<&'static str>);

impl Chain {
    /// That of the operations around, with one more.
    pub(super) fn enter(entity: &'static str) -> Result<Self, ServiceError> {
        let mut around = CHAIN.try_with(Self::clone).unwrap_or_default();
        around.0.push(entity);
        if around.0.len() > DEEPEST { Err(ServiceError::Cycle { chain: around.cycle() }) } else { Ok(around) }
    }

    /// The end of the chain, from where the last of them was before.
    fn cycle(&self) -> String {
        let before = self.0.split_last().and_then(|(last, before)| before.iter().rposition(|entity| entity == last));
        self.0.get(before.unwrap_or(0)..).unwrap_or_default().join(" -> ")
    }

    /// Runs what is inside of it.
    pub(super) async fn scope<F: Future>(self, future: F) -> F::Output {
        CHAIN.scope(self, future).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_is_what_comes_again() {
        for (chain, cycle) in [
            (&["Order", "Audit", "Order", "Audit", "Order"][..], "Order -> Audit -> Order"),
            (&["A", "Order", "Order"], "Order -> Order"),
            (&["A", "B", "C"], "A -> B -> C"),
        ] {
            assert_eq!(Chain(chain.to_vec()).cycle(), cycle);
        }
    }
}
