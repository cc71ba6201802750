//! Primary keys as arguments.

use std::cmp::Ordering;

use isogloss_compiler::expr::Value;

use crate::entity::{Field, FieldError};

/// The values of a primary key: the value of its field, or a tuple of them in the order of the struct's fields.
///
/// ```
/// use isogloss::dao::Keys;
/// use isogloss::prelude::*;
///
/// #[derive(Field)]
/// struct CustomerId(i64);
///
/// assert_eq!(CustomerId(7).into_values()?, [7.into()]);
/// assert_eq!(("A-1", 2).into_values()?, ["A-1".into(), 2.into()]);
/// # Ok::<(), isogloss::entity::FieldError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key",
    label = "a key is what its field holds, or a tuple for several columns",
    note = "give the value itself, not a reference to it; a text may be a `&str`"
)]
pub trait Keys {
    /// The values of the key's columns.
    ///
    /// # Errors
    /// A value that the field's type cannot store.
    fn into_values(self) -> Result<Vec<Value>, FieldError>;
}

/// Numbers, texts, dates, UUIDs, enums, newtypes.
impl<F: Field> Keys for F {
    fn into_values(self) -> Result<Vec<Value>, FieldError> {
        Ok(vec![self.store()?])
    }
}

impl Keys for &str {
    fn into_values(self) -> Result<Vec<Value>, FieldError> {
        Ok(vec![self.into()])
    }
}

impl Keys for Value {
    fn into_values(self) -> Result<Vec<Value>, FieldError> {
        Ok(vec![self])
    }
}

impl Keys for Vec<Value> {
    fn into_values(self) -> Result<Vec<Value>, FieldError> {
        Ok(self)
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        #[allow(non_snake_case, reason = "the type's name serves its value")]
        impl<$($name: Keys),+> Keys for ($($name,)+) {
            fn into_values(self) -> Result<Vec<Value>, FieldError> {
                let ($($name,)+) = self;
                let mut values = Vec::new();
                $(values.extend($name.into_values()?);)+
                Ok(values)
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
}

/// Which of two keys is written first: any order will do that is the same for every writer.
pub(super) fn key_order(a: &[Value], b: &[Value]) -> Ordering {
    let order = |a: &Value, b: &Value| match (a, b) {
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        // Numbers come first, and anything else by its text.
        _ => match (whole(a), whole(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            (None, None) => a.to_string().cmp(&b.to_string()),
            (a, b) => b.is_some().cmp(&a.is_some()),
        },
    };
    a.iter().zip(b).map(|(a, b)| order(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some((*number).into()),
        Value::UInt(number) => Some((*number).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_one_order() {
        let keys: [&[Value]; 6] = [
            &[2.into(), "b".into()],
            &[10.into(), "a".into()],
            &[u64::MAX.into()],
            &["a".into()],
            &["b".into()],
            &[Value::from(2.5)],
        ];
        for (place, a) in keys.iter().enumerate() {
            for (other, b) in keys.iter().enumerate() {
                assert_eq!(key_order(a, b), place.cmp(&other), "{a:?} {b:?}");
            }
        }
    }
}
