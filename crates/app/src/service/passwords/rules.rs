//! What a password may be: long enough, not one of those that everybody tries first, and not the person's own name or
//! address. Nothing is asked of its characters: that makes passwords worse, not better.

use tidegauge_catalog::users::Person;

use super::Password;

/// In characters.
pub const LENGTH_MIN: usize = 8;

/// In bytes, so that hashing has an end.
pub const BYTES_MAX: usize = 1_024;

/// The commonest of those that are long enough, in lower case.
const COMMON: &str = include_str!("common.txt");

/// What is wrong with a password that somebody chose, as it is told to them.
pub fn check(password: &Password, person: &Person) -> Result<(), String> {
    let text = password.text();
    if text.chars().count() < LENGTH_MIN {
        return Err(format!("Choose a longer password: at least {LENGTH_MIN} characters."));
    }
    if text.len() > BYTES_MAX {
        return Err(format!("Choose a shorter password: at most {BYTES_MAX} bytes."));
    }
    let lower = text.to_lowercase();
    let mut characters = lower.chars();
    let first = characters.next();
    if characters.all(|character| Some(character) == first) || COMMON.lines().any(|common| common == lower) {
        return Err("Choose another password: this one is among the first that attackers try.".to_owned());
    }
    if is_own(&lower, person) {
        return Err("Choose another password: this one is made of your own name or address.".to_owned());
    }
    Ok(())
}

/// Whether a password is the person's address or name, or the service's, with some digits or signs around it.
fn is_own(lower: &str, person: &Person) -> bool {
    let plain = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let core = plain(lower);
    let local = person.email.split('@').next().unwrap_or_default();
    let domain =
        person.email.split('@').nth(1).and_then(|domain| domain.split('.').next()).unwrap_or_default();
    let words = [person.email.as_str(), local, domain, person.name.as_str(), "tidegauge"];
    words.iter().any(|word| !plain(word).is_empty() && plain(word) == core)
}

#[cfg(test)]
mod tests {
    use tidegauge_model::Timestamp;

    use super::*;

    fn problem(text: &str) -> Option<String> {
        let person = Person {
            id: "user_1".into(),
            email: "ada.lovelace@engines.example".to_owned(),
            name: "Ada King".to_owned(),
            created: Timestamp::from_micros(0),
        };
        check(&Password::new(text.to_owned()), &person).err()
    }

    #[test]
    fn length_counts_and_characters_do_not() {
        for good in ["abcdefgx", "пароль-мой", "correct horse battery", "        x", &"ab".repeat(512)]
        {
            assert_eq!(problem(good), None, "{good}");
        }
        assert!(problem("abcdefx").unwrap().contains("at least 8"));
        assert!(problem("ÄÖÜäöüß").unwrap().contains("at least 8"), "characters count, not bytes");
        assert!(problem(&"ab".repeat(513)).unwrap().contains("at most 1024"));
    }

    #[test]
    fn what_attackers_try_first_is_refused() {
        for common in
            ["password", "Password1", "12345678", "QWERTYUIOP", "aaaaaaaaaa", "iloveyou", "letmein1"]
        {
            assert!(problem(common).is_some(), "{common}");
        }
    }

    #[test]
    fn ones_own_name_is_refused() {
        for own in [
            "ada.lovelace@engines.example",
            "Ada.Lovelace1",
            "adalovelace!",
            "ada king 2026",
            "engines2026",
            "Tidegauge1",
        ] {
            assert!(problem(own).unwrap().contains("your own"), "{own}");
        }
        assert_eq!(problem("ada wrote the first"), None);
    }

    #[test]
    fn the_list_is_in_lower_case_and_long_enough() {
        for common in COMMON.lines() {
            assert_eq!(common, common.to_lowercase());
            assert!(common.chars().count() >= LENGTH_MIN, "{common}");
        }
    }
}
