//! Writes where the rows of a table are distributed over servers.

use crate::dialect::Distribution;
use crate::error::Result;
use crate::model::Column;

use super::Resolver;
use super::write::Written;

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// An error if the distribution key is not among the columns that an INSERT gives.
    pub(super) fn each_row_has_a_place(&self, written: &Written<'a, 'e>, given: &[usize]) -> Result<()> {
        match self.distributed_by(written) {
            // What the engine gives it is a place as well.
            Some((at, key)) if !given.contains(&at) && key.identity.is_none() && key.default.is_none() => {
                let reason = format!("`{}` says on which server a row lies: give it a value", key.name);
                Err(self.cx.target.refused("an INSERT without the distribution key", reason))
            }
            _ => Ok(()),
        }
    }

    /// An error if the distribution key is not among the columns by which an upsert finds a row.
    pub(super) fn a_key_has_a_place(&self, written: &Written<'a, 'e>, keys: &[usize]) -> Result<()> {
        match self.distributed_by(written) {
            Some((at, key)) if !keys.contains(&at) => {
                let reason =
                    format!("rows are unique on one server alone: name `{}` among the columns that collide", key.name);
                Err(self.cx.target.refused("an upsert by a key without the distribution key", reason))
            }
            _ => Ok(()),
        }
    }

    /// An error if a column that is set is the distribution key.
    pub(super) fn a_row_keeps_its_place(&self, written: &Written<'a, 'e>, set: usize) -> Result<()> {
        match self.distributed_by(written) {
            Some((at, key)) if at == set => {
                let reason =
                    format!("`{}` says on which server a row lies: delete the row, and insert it again", key.name);
                Err(self.cx.target.refused("a change of the distribution key", reason))
            }
            _ => Ok(()),
        }
    }

    /// The column by which the engine distributes the rows of the written table.
    fn distributed_by(&self, written: &Written<'a, 'e>) -> Option<(usize, &'a Column)> {
        let at = written.entity.distribution_key?;
        let distributes = self.cx.target.dialect().sheet().distribution != Distribution::None;
        written.entity.columns.get(at).filter(|_| distributes).map(|column| (at, column))
    }
}
