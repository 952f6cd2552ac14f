//! Both sides of what templates can say of conditions, and of how long a variable is: beyond each limit the texts
//! themselves are looked at, and the answer is the same.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tidegauge_store::DatasetState;

use crate::numbers::Numbers;
use crate::support::house::{House, Placement, SECOND, START, Way, block_on};
use crate::support::tables::{ask, rows};

const ROWS: usize = 240;

/// Reading anew, filling the caches, and with them filled.
const WAYS: [Way; 5] = [Way::Uncached, Way::Cached, Way::Cached, Way::Cached, Way::Threads];

/// The texts in one block, of which each has its number.
async fn filled(house: &House, texts: &[String], placement: Placement) -> Arc<DatasetState> {
    let line = |(number, text): (usize, &String)| {
        json!({"_time": START + number as i64 * SECOND, "n": number, "message": text}).to_string() + "\n"
    };
    let request: String = texts.iter().enumerate().map(line).collect();
    house.filled(&[request], placement).await.state
}

/// Whether a text has a letter, then so many hexadecimal ones, and then a blank.
fn has_run(text: &str, first: char, length: usize) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters.windows(length + 2).any(|window| {
        let [begin, inside @ .., end] = window else { return false };
        let is_hex = |letter: &char| letter.is_ascii_digit() || ('a'..='f').contains(letter);
        *begin == first && inside.iter().all(is_hex) && *end == ' '
    })
}

async fn check(house: &House, state: &Arc<DatasetState>, condition: &str, wanted: &Json) {
    for way in WAYS {
        let text = format!("logs | where {condition} | sort by n asc | project n");
        let answer = ask(house, Some(state), &text, way).await;
        assert_eq!(&rows(&answer.tables[0]), wanted, "{way:?}: {condition}");
    }
}

/// Expressions that remember twice as many states for each letter more: through a variable 128 of them are followed.
#[test]
fn expressions_of_few_states_and_of_many_answer_as_the_texts_do() {
    block_on(async {
        let house = House::new().await;
        let mut numbers = Numbers(5);
        let text = |_| {
            let (one, two) = (numbers.word() >> 20, numbers.word() as u32);
            format!("session {one:011x} of host {two:08x} was renewed")
        };
        let texts: Vec<String> = (0..ROWS).map(text).collect();
        let state = filled(&house, &texts, Placement::Segments).await;
        let mut matched = 0;
        for length in [1, 5, 6, 7, 8, 9, 10] {
            for first in ['a', '7'] {
                let passes = |number: &usize| has_run(&texts[*number], first, length);
                let wanted: Json = (0..ROWS).filter(passes).map(|number| json!([number])).collect();
                matched += wanted.as_array().unwrap().len();
                let condition = format!("message matches regex '{first}[0-9a-f]{{{length}}} '");
                check(&house, &state, &condition, &wanted).await;
            }
        }
        assert!(matched > 0, "no expression was true for anything");
    });
}

/// What is looked for has so many bytes that templates are asked, or one more.
#[test]
fn long_texts_are_looked_for_on_both_sides_of_what_templates_are_asked() {
    const NEEDLE_BYTES_MAX: usize = 1024;
    block_on(async {
        let house = House::new().await;
        let words = "one of very many words that stay the same, ".repeat(30);
        // Few enough templates for them to be kept.
        let length = |number: usize| 900 + number % 40 * 6;
        let text = |number: usize| format!("{} and then step {number} of all", &words[..length(number)]);
        let texts: Vec<String> = (0..ROWS).map(text).collect();
        let state = filled(&house, &texts, Placement::Segments).await;
        for length in [NEEDLE_BYTES_MAX - 1, NEEDLE_BYTES_MAX, NEEDLE_BYTES_MAX + 1] {
            let needle = &words[..length];
            let passes = |number: &usize| texts[*number].contains(needle);
            let wanted: Json = (0..ROWS).filter(passes).map(|number| json!([number])).collect();
            assert!(!wanted.as_array().unwrap().is_empty());
            for operator in ["contains", "contains_cs", "startswith", "startswith_cs"] {
                check(&house, &state, &format!("message {operator} '{needle}'"), &wanted).await;
            }
            let other = format!("{}?", &words[..length - 1]);
            check(&house, &state, &format!("message contains '{other}'"), &json!([])).await;
        }
    });
}

/// A variable has its length in a byte, or in four more.
#[test]
fn variables_of_every_length_are_given_back() {
    block_on(async {
        let house = House::new().await;
        let letters = "0a1b2c3d4e5f".repeat(30);
        let text = |number: usize| format!("worker {} finished step {number}", &letters[..250 + number % 10]);
        let texts: Vec<String> = (0..ROWS).map(text).collect();
        for placement in [Placement::Buffer, Placement::Segments, Placement::Merged] {
            let state = filled(&house, &texts, placement).await;
            for way in WAYS {
                let answer = ask(&house, Some(&state), "logs | sort by n asc | project message", way).await;
                let wanted: Json = texts.iter().map(|text| json!([text])).collect();
                assert!(rows(&answer.tables[0]) == wanted, "{placement:?} {way:?}");
                let some = "logs | where message endswith '7' | summarize count(), sum(strlen(message)), max(message)";
                let answer = ask(&house, Some(&state), some, way).await;
                let of_some = || texts.iter().filter(|text| text.ends_with('7'));
                let length: usize = of_some().map(String::len).sum();
                assert_eq!(
                    rows(&answer.tables[0]),
                    json!([[of_some().count(), length, of_some().max()]]),
                    "{placement:?} {way:?}"
                );
            }
            house.store.remove(state.id());
        }
    });
}
