//! Texts without what collations may not tell apart.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The text without what collations may not tell apart: case, accents, width, the two scripts of Japanese, ligatures,
/// characters that show nothing, blanks at the end. No collation of the engines takes two texts for one that differ in this
/// one, as far as their documents say; most tell more apart.
pub(super) fn alike(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        found.extend(text.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        let shown = text.nfkd().filter(|c| !is_combining_mark(*c) && !c.is_control() && !is_ignorable(*c));
        for c in shown.flat_map(char::to_lowercase) {
            match c {
                'ß' => found.push('s'),
                'æ' => found.push_str("ae"),
                'œ' => found.push_str("oe"),
                'þ' => found.push_str("th"),
                'ø' => found.push('o'),
                'đ' | 'ð' => found.push('d'),
                'ħ' => found.push('h'),
                'ı' => found.push('i'),
                'ł' => found.push('l'),
                'ς' => found.push('σ'),
                // Katakana as Hiragana.
                '\u{30A1}'..='\u{30F6}' => found.extend(char::from_u32(u32::from(c) - 0x60)),
                // MySQL's older collations have one weight for all of them.
                '\u{10000}'.. => found.push(char::REPLACEMENT_CHARACTER),
                c => found.push(c),
            }
        }
    }
    // MySQL's older collations take `ß` for `s`, others for `ss`.
    while found.contains("ss") {
        found = found.replace("ss", "s");
    }
    found.truncate(found.trim_end_matches(' ').len());
    found
}

/// Whether it shows nothing: joiners, marks of direction, soft hyphens, selectors.
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{34F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::alike;

    #[test]
    fn what_collations_take_for_one_is_alike() {
        for (one, other) in [
            ("abc", "ABC  "),
            ("cafe", "Café"),
            ("cafe", "cafe\u{301}"),
            ("strasse", "Straße"),
            ("strase", "straße"),
            ("aether", "Æther"),
            ("ΑΣ", "ας"),
            ("ΑΣ", "ασ"),
            ("abc", "ａｂｃ"),
            ("かな", "カナ"),
            ("ёж", "еж"),
            ("İ", "i"),
            ("a\u{200D}b", "ab"),
            ("😀", "😁"),
        ] {
            assert_eq!(alike(one), alike(other), "{one} {other}");
        }
        for (one, other) in [("a1", "a11"), ("a-1", "a1"), ("a b", "ab"), ("co", "coo"), (" a", "a"), ("ж", "з")] {
            assert_ne!(alike(one), alike(other), "{one} {other}");
        }
    }
}
