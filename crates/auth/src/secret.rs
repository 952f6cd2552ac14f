//! The secret text of a token: its forms, how one is made, and the digest that is kept in its place. A secret never
//! prints itself.

use std::fmt;

use aws_lc_rs::digest;
use tidegauge_model::hex;
use tidegauge_model::rng::{self, Rng};

/// Which kind of token a secret belongs to; clients tell them apart by the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Acts for an organisation with the capabilities it was given.
    Api,
    /// Acts for a person, in any organisation where that person has a role.
    Personal,
}

impl TokenKind {
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Api => "xaat-",
            Self::Personal => "xapt-",
        }
    }
}

/// The text that a client sends as its bearer token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret {
    kind: TokenKind,
    text: String,
}

impl TokenSecret {
    /// Makes a new secret with 122 random bits.
    pub fn generate(kind: TokenKind, rng: &dyn Rng) -> Self {
        let random = uuid::Builder::from_random_bytes(rng::bytes::<16>(rng)).into_uuid();
        Self { kind, text: format!("{}{}", kind.prefix(), random.hyphenated()) }
    }

    /// Reads a secret of one of the two forms; anything else is not a token of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let kind =
            [TokenKind::Api, TokenKind::Personal].into_iter().find(|kind| text.starts_with(kind.prefix()))?;
        let rest = &text[kind.prefix().len()..];
        let canonical = uuid::Uuid::try_parse(rest).ok()?.hyphenated().to_string();
        // One secret has one text: other ways to write the same UUID are not it.
        (canonical == rest).then(|| Self { kind, text: text.to_owned() })
    }

    pub fn kind(&self) -> TokenKind {
        self.kind
    }

    /// The secret itself, to be shown once to who asked for it.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is stored and looked up. A plain SHA-256 is enough, because the secret is random and long: there is no
    /// dictionary to try.
    pub fn digest(&self) -> String {
        hex::encode(digest::digest(&digest::SHA256, self.text.as_bytes()).as_ref())
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenSecret({}…)", self.kind.prefix())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tidegauge_model::rng::SeededRng;

    use super::*;

    #[test]
    fn a_new_secret_reads_back_and_hides_itself() {
        let secret = TokenSecret::generate(TokenKind::Api, &SeededRng::new(7));
        assert_eq!(TokenSecret::parse(secret.reveal()).unwrap(), secret);
        assert!(!format!("{secret:?}").contains(&secret.reveal()[5..]));
        assert_eq!(secret.digest().len(), 64);
    }

    #[test]
    fn other_texts_are_not_tokens() {
        for text in ["", "xapt-", "xapt-123", "xaat", "Bearer", "xaat-00000000000000000000000000000000"] {
            assert!(TokenSecret::parse(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_altered_secret_has_the_same_digest(seed: u64, position in 5usize..41, replacement in "[0-9a-f-]") {
            let secret = TokenSecret::generate(TokenKind::Personal, &SeededRng::new(seed));
            let mut altered = secret.reveal().to_owned();
            altered.replace_range(position..=position, &replacement);
            if let Some(parsed) = TokenSecret::parse(&altered) {
                prop_assert_eq!(parsed.digest() == secret.digest(), altered == secret.reveal());
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text: String) {
            if let Some(secret) = TokenSecret::parse(&text) {
                prop_assert_eq!(secret.reveal(), text);
            }
        }
    }
}
