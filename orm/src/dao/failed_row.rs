//! The row that a batch failed by.

use isogloss_driver::ErrorKind;

use super::ObjectDao;
use super::batch::{BatchGiven, Group, Write};
use crate::entity::Table;
use crate::session::Session;
use crate::{OrmError, OrmResult};

/// What the search has found. It ends by an error always, which takes back what it wrote.
struct Sought(Option<(usize, OrmError)>);

impl From<OrmError> for Sought {
    fn from(_: OrmError) -> Self {
        Self(None)
    }
}

impl<T: Table> ObjectDao<T> {
    /// The error with the row that it is of. Engines say nothing of it, so that the batch, which was taken back, is written
    /// again by halves, in a transaction that is taken back, too.
    pub(super) async fn with_row(&self, error: OrmError, write: Write, entities: &[T], groups: &[Group]) -> OrmError {
        if !is_of_a_row(&error) {
            return error;
        }
        let sought: Result<(), Sought> = self
            .0
            .session
            .atomically(async |_: &Session| {
                for group in groups {
                    if let Some(found) = self.seek(write, entities, group).await? {
                        return Err(Sought(Some(found)));
                    }
                }
                Err(Sought(None))
            })
            .await;
        match sought {
            // That of the whole batch may have been another row's.
            Err(Sought(Some((place, found)))) => found.of_row(T::NAME, place),
            // Somebody else has been there meanwhile, or it is of no row by itself.
            _ => error,
        }
    }

    /// The first row of a shard that cannot be written, with its error. What stands before it is written.
    async fn seek(&self, write: Write, entities: &[T], (args, places): &Group) -> OrmResult<Option<(usize, OrmError)>> {
        let mut rest = places.as_slice();
        while let Some(last) = rest.len().checked_sub(1) {
            let (half, behind) = rest.split_at(rest.len().div_ceil(2));
            let again = async |_: &Session| self.write_group(write, entities, args, half, &mut BatchGiven::new()).await;
            match self.0.session.atomically(again).await {
                Ok(_) => rest = behind,
                // Few rows are written by another statement, of which the compiler may say what the engine has said.
                Err(found) if !is_of_a_row(found.cause()) && !matches!(found.cause(), OrmError::Compile(_)) => {
                    return Err(found);
                }
                Err(found) if last == 0 => return Ok(half.first().map(|place| (*place, found))),
                Err(_) => rest = half,
            }
        }
        Ok(None)
    }
}

/// Whether a row may be why. That of a field is of one, too, and has no kind.
pub(super) fn is_of_a_row(error: &OrmError) -> bool {
    use ErrorKind as K;
    match error {
        OrmError::Field(_) => true,
        OrmError::Driver { error, .. } => matches!(
            error.kind(),
            K::UniqueViolation
                | K::ForeignKeyViolation
                | K::NotNullViolation
                | K::CheckViolation
                | K::BadValue
                | K::Compile
        ),
        _ => false,
    }
}
