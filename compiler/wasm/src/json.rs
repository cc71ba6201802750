//! Writes JSON, from the front to the back.
//!
//! An answer is written piece by piece: generic code for each of its shapes would be most of what a browser loads.

use std::fmt::Write as _;

use isogloss_compiler::expr::Value;
use isogloss_compiler::json;

/// The largest whole number up to which JavaScript's numbers have each of them.
const SAFE: u64 = (1 << 53) - 1;

/// A JSON text that is being written. Commas are set by what stands before.
#[derive(Default)]
pub(crate) struct Json(String);

impl Json {
    /// An answer that says what is wrong, with which text.
    pub(crate) fn error(text: &str, message: &str, path: Option<&str>) -> String {
        let mut out = Self::default();
        out.open('{');
        out.key("error").open('{');
        out.key("in").text(text);
        out.key("message").text(message);
        if let Some(path) = path {
            out.key("path").text(path);
        }
        out.close('}');
        out.close('}');
        out.finish()
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// Begins an object or a list.
    pub(crate) fn open(&mut self, bracket: char) {
        self.comma();
        self.0.push(bracket);
    }

    pub(crate) fn close(&mut self, bracket: char) {
        self.0.push(bracket);
    }

    /// A key; its value comes next.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.text(key);
        self.0.push(':');
        self
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.comma();
        self.0.push('"');
        for character in text.chars() {
            match character {
                '"' => self.0.push_str("\\\""),
                '\\' => self.0.push_str("\\\\"),
                '\n' => self.0.push_str("\\n"),
                control if control < ' ' => _ = write!(self.0, "\\u{:04x}", u32::from(control)),
                other => self.0.push(other),
            }
        }
        self.0.push('"');
    }

    /// What is JSON already.
    pub(crate) fn raw(&mut self, json: &str) {
        self.comma();
        self.0.push_str(json);
    }

    pub(crate) fn truth(&mut self, is: bool) {
        self.raw(if is { "true" } else { "false" });
    }

    /// The key with `true`, or nothing.
    pub(crate) fn mark(&mut self, key: &str, is: bool) {
        if is {
            self.key(key).truth(true);
        }
    }

    pub(crate) fn texts<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        self.open('[');
        texts.for_each(|text| self.text(text));
        self.close(']');
    }

    /// A value as a driver in JavaScript takes it: what its numbers cannot hold is text, as are dates, and bytes are base64.
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(is) => self.truth(*is),
            Value::Int(whole) if whole.unsigned_abs() <= SAFE => self.raw(&whole.to_string()),
            Value::Float(float) if float.is_finite() => self.raw(&format!("{float:?}")),
            Value::Text(text) => self.text(text),
            Value::Bytes(bytes) => self.text(&json::to_base64(bytes)),
            Value::Json(document) => self.text(document),
            Value::List(values) => {
                self.open('[');
                values.iter().for_each(|value| self.value(value));
                self.close(']');
            }
            other => self.text(&shown(other)),
        }
    }

    fn comma(&mut self) {
        if !matches!(self.0.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(',');
        }
    }
}

/// The text of a value as messages have it, without its quotes.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: &Value) -> String {
        let mut out = Json::default();
        out.value(value);
        out.finish()
    }

    #[test]
    fn commas_stand_between() {
        let mut out = Json::default();
        out.open('{');
        out.key("a").open('[');
        out.open('{');
        out.close('}');
        out.text("[");
        out.truth(false);
        out.close(']');
        out.mark("b", true);
        out.mark("c", false);
        out.close('}');
        assert_eq!(out.finish(), r#"{"a":[{},"[",false],"b":true}"#);
    }

    #[test]
    fn any_text_comes_back() {
        let text = "\"\\\n\t\u{0}\u{1f} é \u{1F600} {[:,";
        let mut out = Json::default();
        out.text(text);
        assert_eq!(serde_json::from_str::<String>(&out.finish()).unwrap(), text);
    }

    #[test]
    fn numbers_are_those_of_javascript_or_text() {
        assert_eq!(written(&Value::Int(-9_007_199_254_740_991)), "-9007199254740991");
        assert_eq!(written(&Value::Int(9_007_199_254_740_992)), "\"9007199254740992\"");
        assert_eq!(written(&Value::UInt(u64::MAX)), "\"18446744073709551615\"");
        assert_eq!(written(&Value::Float(1e300)), "1e300");
        assert_eq!(written(&Value::from(vec![Value::Int(1), Value::Null])), "[1,null]");
        assert_eq!(written(&Value::Bytes(Box::new([255, 0]))), "\"/wA=\"");
        let date: isogloss_compiler::chrono::NaiveDate = "2024-02-29".parse().unwrap();
        assert_eq!(written(&Value::Date(date)), "\"2024-02-29\"");
        assert_eq!(written(&Value::Decimal(Box::new("12.50".parse().unwrap()))), "\"12.50\"");
    }
}
