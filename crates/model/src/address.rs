//! The forms of addresses: URLs that messages are posted to, and e-mail addresses.

use crate::error::{Rule, Violation};

/// A URL longer than this is not one that a person pasted.
const URL_LENGTH_MAX: usize = 2_048;

/// The longest address that SMTP can carry.
const EMAIL_LENGTH_MAX: usize = 254;

/// Checks that a text is an absolute http or https URL with a host.
pub fn check_url(field: &str, text: &str) -> Result<(), Violation> {
    if text.len() > URL_LENGTH_MAX {
        let problem = format!("should be at most {URL_LENGTH_MAX} chars long");
        return Err(Violation::new(field, Rule::TooLong, problem));
    }
    // The parser passes over white space and line breaks, which whoever reads the URL later may not.
    let is_clean = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    let is_web = |url: url::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    let usable = is_clean && url::Url::parse(text).is_ok_and(is_web);
    if !usable {
        let problem = "must be an http or https URL such as https://example.com/hook";
        return Err(Violation::new(field, Rule::Pattern, problem));
    }
    Ok(())
}

/// Checks that a text has the form of an e-mail address. Whether it exists, only a message can tell.
pub fn check_email(field: &str, text: &str) -> Result<(), Violation> {
    let usable = text.len() <= EMAIL_LENGTH_MAX
        && text.rsplit_once('@').is_some_and(|(local, domain)| is_local_part(local) && is_domain(domain));
    if !usable {
        let problem = "must be an e-mail address such as ops@example.com";
        return Err(Violation::new(field, Rule::Pattern, problem));
    }
    Ok(())
}

/// An address as accounts have it. Letters of ASCII count without their case; all else counts byte by byte, because what
/// Unicode takes for the same letter is another mailbox: the sign for Kelvin in lower case is a plain `k`.
pub fn fold_email(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// Checks that an address of an account has the form of one, and that no program along its way can take it for another.
pub fn check_account_email(field: &str, text: &str) -> Result<(), Violation> {
    check_email(field, text)?;
    if is_disguised(text) {
        let problem =
            "must not have signs that stand for plain letters: write it with the letters themselves";
        return Err(Violation::new(field, Rule::Pattern, problem));
    }
    Ok(())
}

/// Whether a text has signs that some programs turn into letters of ASCII, by lower case or by compatibility (NFKC).
pub fn is_disguised(text: &str) -> bool {
    text.chars().any(|c| !c.is_ascii() && (c.to_lowercase().any(|lower| lower.is_ascii()) || stands_for(c)))
}

/// The blocks of signs that stand for letters and digits of ASCII, where [`char::is_alphanumeric`] holds.
fn stands_for(c: char) -> bool {
    matches!(c,
        'ª' | '²' | '³' | '¹' | 'º' | '\u{13f}' | '\u{140}' | '\u{149}' | '\u{17f}'
        // Pairs of letters in one.
        | '\u{132}' | '\u{133}' | '\u{1c7}'..='\u{1cc}' | '\u{1f1}'..='\u{1f3}' | '\u{fb00}'..='\u{fb06}'
        // Raised and lowered letters.
        | '\u{2b0}'..='\u{2b8}' | '\u{2e0}'..='\u{2e3}' | '\u{1d2c}'..='\u{1d6a}' | '\u{1d9c}'..='\u{1dbf}'
        | '\u{2070}'..='\u{209c}' | '\u{2c7c}' | '\u{2c7d}'
        // Letters as symbols, Roman numerals, letters in circles, mathematical and wide ones.
        | '\u{2100}'..='\u{214f}' | '\u{2150}'..='\u{218b}' | '\u{2460}'..='\u{24ff}'
        | '\u{ff00}'..='\u{ffef}' | '\u{1d400}'..='\u{1d7ff}' | '\u{1f100}'..='\u{1f1ff}'
        | '\u{1fbf0}'..='\u{1fbf9}')
}

fn is_local_part(local: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    !local.is_empty()
        && local.len() <= 64
        && local.chars().all(allowed)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    !domain.is_empty() && domain.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for good in ["https://example.com", "http://10.0.0.1:9000/x?y=z", "https://bücher.example/a"] {
            assert!(check_url("url", good).is_ok(), "{good}");
        }
        let long = format!("https://example.com/{}", "x".repeat(3_000));
        for bad in [
            "",
            "example.com",
            "ftp://example.com",
            "https://",
            "javascript:alert(1)",
            "ht\ntps://a.b",
            " https://a.b",
            &long,
        ] {
            assert!(check_url("url", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn emails() {
        for good in ["a@b", "first.last+tag@example.co.uk", "jürgen@bücher.example"] {
            assert!(check_email("emails.0", good).is_ok(), "{good}");
        }
        for bad in ["", "a", "@b", "a@", "a b@c.d", "a@b..c", ".a@b.c", "a@-b.c", "a\n@b.c"] {
            assert!(check_email("emails.0", bad).is_err(), "{bad}");
            assert!(check_account_email("email", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses_of_accounts_fold_plain_letters_alone() {
        assert_eq!(fold_email("KIM@Example.COM"), "kim@example.com");
        for other in ["\u{212a}im@x.com", "J\u{dc}RGEN@x.com", "\u{130}@x.com", "\u{ff4b}im@x.com"] {
            let folded = fold_email(other);
            assert!(!folded.is_ascii(), "{folded}");
        }
        for good in ["Kim@x.com", "jürgen@bücher.example", "strauß@x.com", "ким@пример.example", "金@x.com"]
        {
            assert!(check_account_email("email", good).is_ok(), "{good}");
        }
        for disguised in [
            "\u{212a}im@x.com",
            "k\u{130}m@x.com",
            "\u{ff4b}im@x.com",
            "kim@\u{1d431}.com",
            "\u{fb01}x@x.com",
        ] {
            assert!(check_account_email("email", disguised).is_err(), "{disguised}");
        }
    }
}
