//! Letters without case, one for one, as regular expressions fold them: `Σ`, `σ` and `ς` are one letter, and no
//! letter becomes two. The length of a text in characters stays what it is.

/// The text with every letter in the one form that stands for all its cases.
pub fn folded(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(fold).collect() }
}

fn fold(letter: char) -> char {
    // The small letter of the capital: letters that share a capital are one. The dotless i shares its capital with
    // another letter in Turkish alone.
    if letter == 'ı' {
        return letter;
    }
    let capital = only(letter.to_uppercase()).unwrap_or(letter);
    only(capital.to_lowercase()).unwrap_or(letter)
}

fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    let first = letters.next()?;
    letters.next().is_none().then_some(first)
}
