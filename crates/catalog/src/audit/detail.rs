//! What an audit entry says of the thing that was changed: its name, and what was given or set. Never a secret, nor what
//! events hold, and cut off where it would be long.

use std::fmt::Display;

/// Longest detail, in characters.
const LENGTH_MAX: usize = 512;

/// So many things are named one by one.
const NAMED_MAX: usize = 16;

/// The name of a thing. In quotes, so that no name is taken for what stands behind it.
pub(crate) fn named(name: &str) -> String {
    cut(format!("{name:?}"))
}

/// The name of a thing, and what it is or was given.
pub(crate) fn named_with(name: &str, what: impl Display) -> String {
    cut(format!("{name:?}: {what}"))
}

/// How many things there are of a kind, which is named as one of them is, and the first of them.
pub(crate) fn listed<'a>(one: &str, names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let ending = match count {
        1 => "",
        _ if one.ends_with('s') => "es",
        _ => "s",
    };
    let first: Vec<&str> = names.take(NAMED_MAX).collect();
    let rest = if count > NAMED_MAX { " …" } else { "" };
    match count {
        0 => format!("0 {one}{ending}"),
        _ => format!("{count} {one}{ending} ({}{rest})", first.join(" ")),
    }
}

/// A detail that is not too long.
pub(crate) fn cut(text: String) -> String {
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_be_taken_for_what_stands_behind_them() {
        assert_eq!(named("On call"), "\"On call\"");
        assert_eq!(named_with("a\": owner\n", "none"), "\"a\\\": owner\\n\": none");
    }

    #[test]
    fn long_ones_are_cut_and_counted() {
        let long = named_with(&"ä".repeat(1_000), "webhook");
        assert_eq!(long.chars().count(), LENGTH_MAX + 1);
        let names: Vec<String> = (0..20).map(|number| format!("n{number}")).collect();
        let all = listed("role", names.iter().map(String::as_str));
        assert!(all.starts_with("20 roles (n0 n1 ") && all.ends_with(" n15 …)"), "{all}");
        assert_eq!(listed("role", names[..1].iter().map(String::as_str)), "1 role (n0)");
        assert_eq!(listed("role", names[..0].iter().map(String::as_str)), "0 roles");
        assert_eq!(listed("address", names[..2].iter().map(String::as_str)), "2 addresses (n0 n1)");
    }
}
