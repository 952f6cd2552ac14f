//! Which candidates fit what has been typed, and in which order they are shown.

use super::candidate::{COMPLETIONS_MAX, Candidate, Completion};

/// How well a candidate fits; the lesser is the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It begins with what was typed, letter by letter.
    Start,
    /// The same without the case of letters.
    StartInAnyCase,
    /// A word in it begins with it: `user` in `http.user_agent`.
    WordStart,
    /// Its letters stand in it in their order.
    Scattered(usize),
}

/// The fitting candidates, the best first.
pub(super) fn ranked(candidates: Vec<Candidate>, typed: &str) -> Vec<Completion> {
    let mut fitting: Vec<(Fit, usize, Candidate)> = Vec::new();
    for (place, candidate) in candidates.into_iter().enumerate() {
        if let Some(fit) = fit(&candidate.item.label, typed) {
            fitting.push((fit, place, candidate));
        }
    }
    // Letters that are scattered say less than where a candidate belongs, so only the kind of the fit goes before it.
    let class = |fit: Fit| match fit {
        Fit::Start => 0,
        Fit::StartInAnyCase => 1,
        Fit::WordStart => 2,
        Fit::Scattered(_) => 3,
    };
    fitting.sort_by_key(|(fit, place, candidate)| (class(*fit), candidate.group, *fit, *place));
    let mut items: Vec<Completion> = Vec::new();
    for (_, _, candidate) in fitting {
        let is_known =
            items.iter().any(|item| item.label == candidate.item.label && item.kind == candidate.item.kind);
        if !is_known {
            items.push(candidate.item);
        }
        if items.len() == COMPLETIONS_MAX {
            break;
        }
    }
    items
}

fn fit(label: &str, typed: &str) -> Option<Fit> {
    if label.starts_with(typed) {
        return Some(Fit::Start);
    }
    let (lower, typed) = (label.to_lowercase(), typed.to_lowercase());
    if lower.starts_with(&typed) {
        return Some(Fit::StartInAnyCase);
    }
    let is_word_start = |(place, _): (usize, &str)| {
        lower[..place].chars().next_back().is_some_and(|before| !before.is_alphanumeric())
    };
    if lower.match_indices(&typed).any(is_word_start) {
        return Some(Fit::WordStart);
    }
    // One letter stands in almost every name.
    typed.chars().nth(1)?;
    scattered(&lower, &typed).map(Fit::Scattered)
}

/// Over how many letters those that were typed are spread, if all are there in their order.
fn scattered(label: &str, typed: &str) -> Option<usize> {
    let mut wanted = typed.chars().peekable();
    let (mut first, mut last) = (None, 0);
    for (place, letter) in label.chars().enumerate() {
        if wanted.next_if_eq(&letter).is_some() {
            first.get_or_insert(place);
            last = place;
        }
    }
    wanted.peek().is_none().then(|| last - first.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_go_before_scattered_letters() {
        assert_eq!(fit("tostring", "tos"), Some(Fit::Start));
        assert_eq!(fit("toString", "tos"), Some(Fit::StartInAnyCase));
        assert_eq!(fit("http.user_agent", "agent"), Some(Fit::WordStart));
        assert_eq!(fit("tostring", "tsg"), Some(Fit::Scattered(7)));
        assert_eq!(fit("tostring", "gst"), None);
        assert_eq!(fit("anything", ""), Some(Fit::Start));
    }
}
