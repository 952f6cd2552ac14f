//! The code that a person types for a device (RFC 8628, 6.1): eight letters that cannot be mistaken for one another and
//! do not make words.

use std::fmt;

use tidegauge_model::rng::{self, Rng};

/// Consonants that look and sound apart; no vowels, so that no word comes about.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";

const LENGTH: usize = 8;

/// A code, without the hyphen that is shown in its middle.
#[derive(Clone, PartialEq, Eq)]
pub struct UserCode(String);

impl UserCode {
    pub fn generate(rng: &dyn Rng) -> Self {
        let mut code = String::with_capacity(LENGTH);
        while code.len() < LENGTH {
            let [byte] = rng::bytes::<1>(rng);
            // Bytes from 240 are left out, so that every letter is as likely as the others.
            if usize::from(byte) < LETTERS.len() * 12 {
                code.push(char::from(LETTERS[usize::from(byte) % LETTERS.len()]));
            }
        }
        Self(code)
    }

    /// Reads what a person typed: in any case, with or without the hyphen and spaces.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > 4 * LENGTH {
            return None;
        }
        let letters = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '-');
        let code: String = letters.map(|letter| letter.to_ascii_uppercase()).collect();
        let is_code = code.len() == LENGTH && code.bytes().all(|byte| LETTERS.contains(&byte));
        is_code.then_some(Self(code))
    }

    /// What is kept and compared.
    pub fn plain(&self) -> &str {
        &self.0
    }

    /// The form that is easy to read and type.
    pub fn shown(&self) -> String {
        let (first, second) = self.0.split_at(LENGTH / 2);
        format!("{first}-{second}")
    }
}

impl fmt::Debug for UserCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::SeededRng;

    use super::*;

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        let code = UserCode::generate(&SeededRng::new(7));
        let shown = code.shown();
        assert_eq!(shown.len(), 9);
        for typed in [shown.clone(), shown.to_lowercase(), code.plain().to_owned(), format!(" {shown} ")] {
            assert_eq!(UserCode::parse(&typed).unwrap(), code, "{typed}");
        }
        assert!(!format!("{code:?}").contains(code.plain()));
    }

    #[test]
    fn other_texts_are_no_codes() {
        let long = "B".repeat(100);
        for text in ["", "BCDF", "BCDF-GHJA", "BCDF-GHJ0", "BCDF-GHJKL", "ßCDF-GHJK", &long] {
            assert!(UserCode::parse(text).is_none(), "{text}");
        }
    }
}
