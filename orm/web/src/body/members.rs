//! The members of a JSON object, also those that are there twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{Problem, ProblemKind};

/// The members of a body, in their order, with the text of their values.
pub(crate) fn of(body: &[u8]) -> Result<Vec<(String, &RawValue)>, Problem> {
    let Members(members) = serde_json::from_slice(body).map_err(|error| {
        let detail = if error.is_data() {
            "The body is no JSON object.".to_owned()
        } else {
            format!("The body is no JSON: {error}.")
        };
        Problem::new(ProblemKind::BadJson, detail)
    })?;
    Ok(members)
}

struct Members<'b>(Vec<(String, &'b RawValue)>);

impl<'b> Deserialize<'b> for Members<'b> {
    fn deserialize<D: Deserializer<'b>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;

        impl<'b> Visitor<'b> for All {
            type Value = Members<'b>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'b>>(self, mut map: A) -> Result<Members<'b>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(All)
    }
}
