//! The words of the notation that are not a catalog's.

use isogloss_compiler::expr::DbValueType;
use isogloss_compiler::functions::{ArgKind, Class, Signature, Topic};

use crate::json::Json;
use crate::targets::FAMILIES;

pub(crate) fn all() -> String {
    let mut out = Json::default();
    out.open('{');
    out.key("dialects").open('[');
    for family in &FAMILIES {
        out.open('{');
        out.key("name").text(family.name);
        out.key("usual").text(&family.usual.label());
        out.key("versions").open('[');
        family.versions.iter().for_each(|listed| out.text(&listed.label()));
        out.close(']');
        out.close('}');
    }
    out.close(']');
    out.key("types");
    out.texts(DbValueType::ALL.iter().map(|ty| ty.name()));
    out.key("functions").open('[');
    for topic in Topic::ALL {
        for func in topic.functions() {
            write_function(&mut out, func.signature(), topic.title());
        }
    }
    out.close(']');
    out.close('}');
    out.finish()
}

fn write_function(out: &mut Json, signature: &Signature, topic: &str) {
    out.open('{');
    out.key("name").text(signature.name);
    out.key("topic").text(topic);
    out.key("aliases");
    out.texts(signature.aliases.iter().copied());
    out.key("arguments").text(&arguments(signature.args));
    out.key("class").text(match signature.class {
        Class::Scalar => "scalar",
        Class::Aggregate => "aggregate",
        Class::Window => "window",
    });
    out.key("meaning").text(signature.meaning);
    out.close('}');
}

/// `tt?i` as `text, text[, integer]`, and `ta*` as `text, any, ..`.
fn arguments(letters: &str) -> String {
    let mut text = String::new();
    for letter in letters.bytes() {
        match letter {
            b'*' => text.push_str(", .."),
            b'?' => text.push('['),
            letter => {
                if !matches!(text.as_str(), "" | "[") {
                    text.push_str(", ");
                }
                text.push_str(ArgKind::of(letter).name());
            }
        }
    }
    if letters.contains('?') {
        text.push(']');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_spelled_out() {
        for (letters, text) in [
            ("", ""),
            ("tt?i", "text, text[, integer]"),
            ("?a", "[any]"),
            ("a?ia", "any[, integer, any]"),
            ("ta*", "text, any, .."),
        ] {
            assert_eq!(arguments(letters), text);
        }
    }
}
