//! What a dialect has, by its own tables and those of its bases.

use super::{Dialect, Feature, Row, Support};
use crate::functions::Func;

/// Why a feature is refused that no sheet says anything of.
const UNSAID: &str = "its data sheet says nothing of it: add a row to it";

impl dyn Dialect {
    /// The dialect, its base, and so on.
    pub fn lineage(&self) -> impl Iterator<Item = &dyn Dialect> {
        std::iter::successors(Some(self), |dialect| dialect.base())
    }

    /// What it has of each feature, in the order of [`Feature::ALL`].
    #[must_use]
    pub fn support(&self) -> [Support; Feature::COUNT] {
        let mut all = self.base().map_or([Support::Refuse(UNSAID); Feature::COUNT], <dyn Dialect>::support);
        let (sheet, version) = (self.sheet(), self.version());
        let native = sheet.native.iter().map(|feature| (feature, Support::Native));
        let rows = sheet.support.iter().filter(|(_, since)| since.version <= version);
        for (feature, support) in native.chain(rows.map(|(feature, since)| (feature, since.support))) {
            if let Some(place) = all.get_mut(*feature as usize) {
                *place = support;
            }
        }
        all
    }

    /// The rows for a function, as they are tried: those of its own, then those of its base, up to the first that fits any call.
    #[must_use]
    pub fn rows_of(&self, func: Func) -> Vec<&'static Row> {
        let version = self.version();
        let own = self.more_functions().iter().chain(self.sheet().functions);
        let mut rows: Vec<_> = own.filter(|row| row.func == func && row.since <= version).collect();
        if let Some(base) = self.base().filter(|_| !rows.iter().any(|row| row.is_for_all())) {
            rows.extend(base.rows_of(func));
        }
        rows
    }
}
