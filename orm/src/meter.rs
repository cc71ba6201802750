//! Measurements of the data access layer beside those of its drivers, reported to the recorder of the `metrics` facade.
//! Without the feature `metrics` nothing is measured.

use isogloss_driver::ErrorKind;

/// So many replicas of a data source are up.
pub(crate) fn replicas_up(data_source: &str, count: usize) {
    #[cfg(feature = "metrics")]
    metrics::gauge!(names::REPLICAS, names::SOURCE => data_source.to_owned()).set(count as f64);
    #[cfg(not(feature = "metrics"))]
    let _ = (data_source, count);
}

/// A transaction is run again because of such an error.
pub(crate) fn retried(data_source: Option<&str>, kind: Option<ErrorKind>) {
    #[cfg(feature = "metrics")]
    {
        let labels = [
            (names::SOURCE, data_source.unwrap_or_default().to_owned()),
            ("error.type", kind.map_or("other", ErrorKind::name).to_owned()),
        ];
        metrics::counter!(names::RETRIES, &labels).increment(1);
    }
    #[cfg(not(feature = "metrics"))]
    let _ = (data_source, kind);
}

/// So many compiled statements more are kept for a data source, or fewer.
pub(crate) fn kept(data_source: &str, change: i32) {
    #[cfg(feature = "metrics")]
    metrics::gauge!(names::KEPT, names::SOURCE => data_source.to_owned()).increment(f64::from(change));
    #[cfg(not(feature = "metrics"))]
    let _ = (data_source, change);
}

#[cfg(feature = "metrics")]
mod names {
    /// The label with the data source.
    pub(super) const SOURCE: &str = "isogloss.data_source";
    pub(super) const REPLICAS: &str = "isogloss.replicas.up";
    pub(super) const RETRIES: &str = "isogloss.transaction.retries";
    pub(super) const KEPT: &str = "isogloss.statements.kept";
}
