//! "Did you mean": the known word that is nearest to an unknown one.

/// The candidate that differs least from the word, if it differs little enough to be a slip. Case counts little: a
/// word that differs in case alone is always found.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const WORD_MAX: usize = 64;
    let lower: Vec<char> = word.to_lowercase().chars().take(WORD_MAX).collect();
    let allowed = match lower.len() {
        0..=2 => 0,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase().chars().collect::<Vec<_>>()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, candidate)| (*distance, candidate.len()))
        .map(|(_, candidate)| candidate)
}

/// How many letters must be put in, taken out, exchanged or swapped with their neighbour to make one of the other.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, letter) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in to.iter().enumerate() {
            let exchanged = last[column] + usize::from(letter != other);
            let mut least = exchanged.min(last[column + 1] + 1).min(current[column] + 1);
            let is_swap = row > 0
                && column > 0
                && *letter == to[column - 1]
                && from[row - 1] == *other
                && letter != other;
            if is_swap {
                least = least.min(before_last[column - 1] + 1);
            }
            current.push(least);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let known = ["toint", "tostring", "contains", "in", "startofday"];
        for (word, expected) in [
            ("toitn", Some("toint")),
            ("ToInt", Some("toint")),
            ("to_string", Some("tostring")),
            ("contain", Some("contains")),
            ("IN", Some("in")),
            ("on", None),
            ("start_of_day", Some("startofday")),
            ("geo", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }

    #[test]
    fn counts_the_least_changes() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (from, to, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "ab", 2),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
            ("äö", "ao", 2),
        ] {
            assert_eq!(distance(&chars(from), &chars(to)), expected, "{from} {to}");
        }
    }
}
