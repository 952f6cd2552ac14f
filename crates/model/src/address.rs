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
        }
    }
}
