//! Which of a host's addresses a connection goes to.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

/// For how long an address is tried alone, if what is awaited is the socket: RFC 8305, section 8.
pub const HEAD_START: Duration = Duration::from_millis(250);

/// Connects to the first address that answers ("Happy Eyeballs", RFC 8305). Address families alternate. The next attempt
/// starts when one fails, or after `head_start`. The caller bounds the total time.
///
/// # Errors
/// That of the first attempt that has failed, if all have. `None` without an address.
pub async fn first_connected<T, E, F>(
    addresses: impl IntoIterator<Item = SocketAddr>,
    head_start: Duration,
    attempt: impl Fn(SocketAddr) -> F,
) -> Option<Result<T, E>>
where
    F: Future<Output = Result<T, E>>,
{
    let mut addresses = by_turns(addresses.into_iter().collect()).into_iter();
    let (mut attempts, mut first_error) = (FuturesUnordered::new(), None);
    loop {
        if let Some(address) = addresses.next() {
            attempts.push(attempt(address));
        } else if attempts.is_empty() {
            return first_error.map(Err);
        }
        let ended = match addresses.len() {
            0 => attempts.next().await,
            _ => tokio::time::timeout(head_start, attempts.next()).await.unwrap_or_default(),
        };
        match ended {
            Some(Ok(connected)) => return Some(Ok(connected)),
            Some(Err(error)) => first_error = first_error.or(Some(error)),
            None => {}
        }
    }
}

/// The two families by turns, beginning with that of the first, each in the system's order: where one of them leads nowhere,
/// not all of its addresses are tried before the other's.
fn by_turns(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for address in addresses {
        if address.is_ipv6() == first { one.push(address) } else { other.push(address) }
    }
    let mut mixed = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    loop {
        let before = mixed.len();
        mixed.extend(one.next());
        mixed.extend(other.next());
        if mixed.len() == before {
            return mixed;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn three() -> [SocketAddr; 3] {
        ["192.0.2.1:1", "192.0.2.2:2", "192.0.2.3:3"].map(address)
    }

    /// What becomes of attempts, by port: nothing, an error, or a connection after so long.
    async fn tried(
        ends: [Option<Result<u64, &'static str>>; 3],
    ) -> (Option<Result<u16, &'static str>>, Vec<(u16, u128)>) {
        let (began, tried) = (Instant::now(), RefCell::default());
        let done = first_connected(three(), HEAD_START, |address| {
            let port = address.port();
            let tried: &RefCell<Vec<_>> = &tried;
            tried.borrow_mut().push((port, began.elapsed().as_millis()));
            async move {
                match ends[usize::from(port) - 1] {
                    None => pending().await,
                    Some(Err(why)) => Err(why),
                    Some(Ok(after)) => {
                        tokio::time::sleep(Duration::from_millis(after)).await;
                        Ok(port)
                    }
                }
            }
        });
        let done = done.await;
        (done, tried.into_inner())
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_swallows_everything_is_passed_by() {
        let (done, tried) = tried([None, Some(Ok(0)), Some(Ok(0))]).await;
        assert_eq!((done, tried), (Some(Ok(2)), vec![(1, 0), (2, 250)]));
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_refuses_costs_no_time() {
        let (done, tried) = tried([Some(Err("refused")), Some(Err("refused, too")), Some(Ok(1_000))]).await;
        assert_eq!((done, tried), (Some(Ok(3)), vec![(1, 0), (2, 0), (3, 0)]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_one_may_be_the_first_yet() {
        let (done, tried) = tried([Some(Ok(600)), None, Some(Ok(9_000))]).await;
        assert_eq!((done, tried), (Some(Ok(1)), vec![(1, 0), (2, 250), (3, 500)]));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_error_is_told() {
        let (done, _) = tried([Some(Err("one")), Some(Err("two")), Some(Err("three"))]).await;
        assert_eq!(done, Some(Err("one")));
        assert_eq!(first_connected([], HEAD_START, |_| async { Ok::<(), ()>(()) }).await, None);
    }

    #[test]
    fn families_take_turns() {
        let all = ["[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1", "192.0.2.1:1"].map(address);
        let [one, two, three, other] = all;
        assert_eq!(by_turns(all.to_vec()), [one, other, two, three]);
    }
}
