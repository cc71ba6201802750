//! Base64 with padding (RFC 4648, section 4).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = LETTERS.get((bits >> (18 - 6 * at) & 63) as usize).copied().unwrap_or_default();
            out.push(if at > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return None;
    }
    let padding = bytes.iter().rev().take_while(|b| **b == b'=').count();
    let digits = bytes.get(..bytes.len() - padding).filter(|_| padding <= 2)?;
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    for chunk in digits.chunks(4) {
        let mut bits = 0_u32;
        for at in 0..4 {
            bits = bits << 6 | chunk.get(at).map_or(Some(0), |letter| digit(*letter))?;
        }
        let [_, all @ ..] = bits.to_be_bytes();
        let (kept, cut) = all.split_at(chunk.len() - 1);
        // The bits that are cut off are zero, so that there is one notation only.
        if cut.iter().any(|b| *b != 0) {
            return None;
        }
        out.extend_from_slice(kept);
    }
    Some(out)
}

fn digit(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_and_decodes() {
        // RFC 4648, section 10.
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(plain.as_bytes()), text);
            assert_eq!(decode(text), Some(plain.as_bytes().to_vec()));
        }
    }

    #[test]
    fn refuses_what_is_none() {
        for text in ["Z", "Zg", "Zg=", "Z===", "====", "Zh==", "Zm9=", "Zm 9", "Zg==Zg==", "Zm9_"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
