//! Names that people see and decide by, such as those of organisations on a page that asks for consent: which signs have
//! no place in them.

/// Control characters, separators of lines, and marks that turn the direction of writing: they cannot be seen, but change
/// how the text around them is shown.
pub fn is_hidden_sign(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// A name that others have given, as far as it can be shown.
pub fn shown_name(text: &str) -> String {
    text.chars().filter(|sign| !is_hidden_sign(*sign)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_or_breaks_the_text_around_it_is_hidden() {
        for name in ["Ærø", "Harbour & Sons", "שלום", "می\u{200c}خواهم", "👩\u{200d}🚀"] {
            assert_eq!(shown_name(name), name);
        }
        for sign in ['\n', '\r', '\t', '\u{1b}', '\u{7f}', '\u{85}', '\u{61c}', '\u{200e}', '\u{200f}'] {
            assert_eq!(shown_name(&format!("a{sign}b")), "ab", "{sign:?}");
        }
        for sign in ['\u{2028}', '\u{2029}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}'] {
            assert_eq!(shown_name(&format!("a{sign}b")), "ab", "{sign:?}");
        }
    }
}
