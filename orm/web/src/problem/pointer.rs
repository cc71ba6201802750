//! JSON pointers of JSON paths.

/// The path to a member of the root.
pub(super) fn path_of(member: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !member.is_empty() && member.bytes().all(plain) { format!("$.{member}") } else { format!("$[{member:?}]") }
}

/// The JSON pointer (RFC 6901) to a place that a path of ours leads to: `/Where/$and/2` for `$.Where.$and[2]`.
///
/// There is none where the path is shortened.
pub(super) fn pointer(path: &str) -> Option<String> {
    let mut rest = path.strip_prefix('$')?;
    let mut pointer = String::with_capacity(path.len());
    while !rest.is_empty() {
        pointer.push('/');
        if let Some(quoted) = rest.strip_prefix("[\"") {
            rest = quoted_key(quoted, &mut pointer)?;
        } else if let Some(item) = rest.strip_prefix('[') {
            let (index, after) = item.split_once(']')?;
            pointer.push_str(index);
            rest = after;
        } else {
            let key = rest.strip_prefix('.')?;
            let (key, after) = key.split_at(key.find(['.', '[']).unwrap_or(key.len()));
            if key == "…" {
                return None;
            }
            key.chars().for_each(|letter| push(letter, &mut pointer));
            rest = after;
        }
    }
    Some(pointer)
}

/// How many characters a path shows of a key: of one with as many, the rest may be missing.
const SHOWN: usize = 64;

/// Reads a key that is written as a string of Rust's, up to behind its bracket.
fn quoted_key<'p>(text: &'p str, pointer: &mut String) -> Option<&'p str> {
    let mut chars = text.chars();
    for _ in 0..SHOWN {
        match chars.next()? {
            '"' => return chars.as_str().strip_prefix(']'),
            '\\' => push(escaped(&mut chars)?, pointer),
            letter => push(letter, pointer),
        }
    }
    None
}

fn escaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match chars.next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'u' => {
            let (code, after) = chars.as_str().strip_prefix('{')?.split_once('}')?;
            *chars = after.chars();
            char::from_u32(u32::from_str_radix(code, 16).ok()?)?
        }
        letter => letter,
    })
}

fn push(letter: char, pointer: &mut String) {
    match letter {
        '~' => pointer.push_str("~0"),
        '/' => pointer.push_str("~1"),
        letter => pointer.push(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_where_paths_do() {
        for (path, expected) in [
            ("$", Some("")),
            ("$.Where.$and[2].Left", Some("/Where/$and/2/Left")),
            (r#"$["=="].a"#, Some("/==/a")),
            (r#"$["a/b~c\"d\\e\n\u{7f}"][0]"#, Some("/a~1b~0c\"d\\e\n\u{7f}/0")),
            ("$.Left.….Right", None),
            ("Left", None),
        ] {
            assert_eq!(pointer(path).as_deref(), expected, "{path}");
        }
        let long = |count| format!("$[{:?}]", "é".repeat(count));
        assert!(pointer(&long(63)).is_some() && pointer(&long(64)).is_none());
    }

    #[test]
    fn a_member_is_quoted_where_it_has_to_be() {
        for member in ["orderNo", "a.b", "a[0]", "", "é", "a\"]b"] {
            assert_eq!(pointer(&path_of(member)).as_deref(), Some(&*format!("/{member}")));
        }
    }
}
