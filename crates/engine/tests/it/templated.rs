//! Conditions on texts that have templates: what their templates answer is what the texts themselves do. Events in the
//! buffer have no templates, so they tell what is right.

use std::sync::Arc;

use serde_json::Value as Json;
use tidegauge_store::DatasetState;

use crate::numbers::Numbers;
use crate::support::house::{House, Placement, SECOND, START, Way, block_on};
use crate::support::tables::{ask, rows};

/// How many conditions are tried unless it is said.
const CONDITIONS: u64 = 40;

const ROWS: u64 = 240;

/// Each `%` and letter stands for something that differs.
const WORDINGS: &[&str] = &[
    "request finished: GET /v1/%w answered %n after %d ms, upstream %h was reused",
    "user usr_%l loaded cart %h with %n items, session %H renewed",
    "connection from %a accepted, TLS 1.3 resumed with ticket %h-%h",
    "Größe %n überschritten: %w → größer als %d, Straße %u",
    "wrote %n bytes to uploads/%h/part-%n, checksum %h verified",
    "%w%n %n%w no-%n-delimiters(%h)[%H]{%a}",
    "nothing to do for now, going to sleep",
    "ΣΑΣ σας ſee K%nelvin, odd letters: %k%n%k and %k alone",
    "a <*> that stands in the text beside %n and <%h>",
];

const WORDS: &[&str] = &["orders", "Timeout", "checksum", "abcdefab", "x", "größe", "ms"];

const FOREIGN: &[&str] = &["K", "ſ", "é", "日本", "İ", "²", "Ⓐ"];

fn text(numbers: &mut Numbers) -> Option<String> {
    match numbers.below(20) {
        0 => return None,
        1 => return Some(String::new()),
        2 => return Some("very long words ".repeat(numbers.below(400) as usize)),
        _ => {}
    }
    let wording = WORDINGS[numbers.below(WORDINGS.len() as u64) as usize];
    let mut text = String::new();
    let mut letters = wording.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        text += &match letters.next() {
            Some('n') => numbers.below(300).to_string(),
            Some('d') => format!("{}.{}", numbers.below(1200), numbers.below(1000)),
            Some('h') => format!("{:08x}", numbers.word() as u32),
            Some('H') => format!("{:016X}", numbers.word()),
            Some('l') => format!("{:010x}", numbers.word() >> 24),
            Some('a') => format!("10.{}.{}.{}", numbers.below(4), numbers.below(256), numbers.below(256)),
            Some('u') => format!("größe{}Ä", numbers.below(50)),
            Some('k') => FOREIGN[numbers.below(FOREIGN.len() as u64) as usize].to_owned(),
            _ => WORDS[numbers.below(WORDS.len() as u64) as usize].to_owned(),
        };
    }
    Some(text)
}

fn texts() -> Vec<Option<String>> {
    let mut numbers = Numbers(11);
    (0..ROWS).map(|_| text(&mut numbers)).collect()
}

fn requests(texts: &[Option<String>]) -> Vec<String> {
    let line = |(number, text): (usize, &Option<String>)| {
        let time = START + number as i64 * SECOND;
        let mut event = serde_json::json!({"_time": time, "n": number});
        if let Some(text) = text {
            event["message"] = Json::from(text.as_str());
            // The same texts elsewhere, in fewer rows, and now and then something else than a text.
            match number % 7 {
                0 => event["note"] = Json::from(text.as_str()),
                1 => event["mixed"] = Json::from(number),
                _ => event["mixed"] = Json::from(text.as_str()),
            }
        }
        event.to_string()
    };
    let lines: Vec<String> = texts.iter().enumerate().map(line).collect();
    lines.chunks(lines.len() / 3).map(|chunk| chunk.join("\n")).collect()
}

/// A piece of one of the texts, sometimes with something changed.
fn needle(numbers: &mut Numbers, texts: &[Option<String>]) -> String {
    if numbers.below(12) == 0 {
        return WORDS[numbers.below(WORDS.len() as u64) as usize].to_owned();
    }
    let text = texts[numbers.below(texts.len() as u64) as usize].as_deref().unwrap_or("missing");
    let letters: Vec<char> = text.chars().collect();
    let start = numbers.below(letters.len() as u64 + 1) as usize;
    let length = if numbers.below(3) == 0 { 1 + numbers.below(4) } else { 3 + numbers.below(30) } as usize;
    let start = if numbers.below(6) == 0 { 0 } else { start };
    let mut piece: String = letters[start..letters.len().min(start + length)].iter().collect();
    match numbers.below(8) {
        0 => piece = piece.to_uppercase(),
        1 => piece = piece.to_lowercase(),
        2 => piece = piece.replace(['1', '3'], "7"),
        3 => piece = text.to_owned(),
        _ => {}
    }
    if piece.is_empty() { "x".to_owned() } else { piece }
}

fn pattern(numbers: &mut Numbers, texts: &[Option<String>]) -> String {
    const PARTS: &[&str] =
        &[r"\d+", r"\w+", ".*", r"\b", "[0-9a-f]{4}", "[a-z ]+", "(?:a|b|1)?", r"\S", "(?i)"];
    let piece = needle(numbers, texts);
    let mut pattern = String::new();
    if numbers.below(8) == 0 {
        pattern.push('^');
    }
    for letter in piece.chars().take(25) {
        if numbers.below(7) == 0 {
            pattern.push_str(PARTS[numbers.below(PARTS.len() as u64) as usize]);
        } else if r"\.+*?()|[]{}^$".contains(letter) {
            pattern.push('\\');
            pattern.push(letter);
        } else {
            pattern.push(letter);
        }
    }
    if numbers.below(8) == 0 {
        pattern.push('$');
    }
    pattern
}

fn test(numbers: &mut Numbers, texts: &[Option<String>]) -> String {
    const OPERATORS: &[&str] = &[
        "contains",
        "contains_cs",
        "!contains",
        "!contains_cs",
        "has",
        "has_cs",
        "!has",
        "!has_cs",
        "hasprefix",
        "hasprefix_cs",
        "hassuffix",
        "hassuffix_cs",
        "startswith",
        "startswith_cs",
        "!startswith",
        "endswith",
        "endswith_cs",
        "!endswith_cs",
        "==",
        "!=",
        "=~",
        "!~",
        "in",
        "matches regex",
        "matches regex",
    ];
    let field = ["message", "message", "message", "note", "mixed"][numbers.below(5) as usize];
    let operator = OPERATORS[numbers.below(OPERATORS.len() as u64) as usize];
    let quoted = |text: &str| Json::from(text).to_string();
    match operator {
        "in" => {
            let list: Vec<String> = (0..3).map(|_| quoted(&needle(numbers, texts))).collect();
            format!("{field} in ({})", list.join(", "))
        }
        "matches regex" => format!("{field} matches regex {}", quoted(&pattern(numbers, texts))),
        _ => format!("{field} {operator} {}", quoted(&needle(numbers, texts))),
    }
}

fn condition(numbers: &mut Numbers, texts: &[Option<String>], depth: u64) -> String {
    match numbers.below(8 + depth * 4) {
        0 => format!(
            "({}) and ({})",
            condition(numbers, texts, depth + 1),
            condition(numbers, texts, depth + 1)
        ),
        1 => format!(
            "({}) or ({})",
            condition(numbers, texts, depth + 1),
            condition(numbers, texts, depth + 1)
        ),
        2 => format!("not ({})", condition(numbers, texts, depth + 1)),
        3 => format!("({}) or n % 5 == 0", condition(numbers, texts, depth + 1)),
        _ => test(numbers, texts),
    }
}

#[expect(clippy::disallowed_methods, reason = "a test is told how long to look by who looks for a fault")]
fn condition_count() -> u64 {
    std::env::var("TIDEGAUGE_TEMPLATED_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CONDITIONS)
}

async fn found(house: &House, state: &Arc<DatasetState>, condition: &str, way: Way) -> Json {
    let asked = format!("logs | where {condition} | sort by n asc | project n");
    rows(&ask(house, Some(state), &asked, way).await.tables[0])
}

#[test]
fn templates_answer_as_the_texts_do() {
    block_on(async {
        let house = House::new().await;
        let texts = texts();
        let requests = requests(&texts);
        let plain = house.filled(&requests, Placement::Buffer).await;
        let mut placed = Vec::new();
        for placement in [Placement::Segments, Placement::Merged] {
            placed.push((placement, house.filled(&requests, placement).await));
        }
        let mut numbers = Numbers(23);
        let mut matched = 0;
        for _ in 0..condition_count() {
            let condition = condition(&mut numbers, &texts, 0);
            let expected = found(&house, &plain.state, &condition, Way::Uncached).await;
            matched += expected.as_array().unwrap().len();
            for (placement, filled) in &placed {
                for way in [Way::Uncached, Way::Cached, Way::Cached, Way::Threads] {
                    let answered = found(&house, &filled.state, &condition, way).await;
                    assert_eq!(answered, expected, "{placement:?} {way:?}: {condition}");
                }
            }
        }
        assert!(matched > 0, "no condition was true for anything");
    });
}

#[test]
fn a_template_is_the_same_text_wherever_its_text_lies() {
    let questions = [
        "logs | project n, t = template(message) | sort by n asc",
        "logs | summarize c = count(), first = min(_time), last = max(_time) by t = template(message) | sort by t asc",
        "logs | summarize c = count() by t = template(note), u = template(mixed) | sort by t asc, u asc",
        "logs | summarize dcount(template(message)), count() by bin(_time, 1m) | sort by _time asc",
        "logs | where template(message) startswith 'connection from' | summarize count() by template(message)",
        "logs | where template(message) contains '<*>' and message contains '1' | sort by n asc | project n",
        "logs | where n > 200 | project t = template(strcat(message, '!')), u = template(message), n | sort by n asc",
        "logs | where n % 3 == 1 | summarize count() by template(message) == '' , template(note)",
    ];
    block_on(async {
        let house = House::new().await;
        let requests = requests(&texts());
        let plain = house.filled(&requests, Placement::Buffer).await;
        for placement in [Placement::Segments, Placement::Both, Placement::Merged] {
            let filled = house.filled(&requests, placement).await;
            for question in questions {
                let expected =
                    rows(&ask(&house, Some(&plain.state), question, Way::Uncached).await.tables[0]);
                assert!(!expected.as_array().unwrap().is_empty(), "{question}");
                for way in Way::all(placement) {
                    let answered = rows(&ask(&house, Some(&filled.state), question, *way).await.tables[0]);
                    assert_eq!(answered, expected, "{placement:?} {way:?}: {question}");
                }
            }
        }
    });
}

#[test]
fn texts_that_nobody_needs_are_not_read() {
    block_on(async {
        let house = House::new().await;
        let line = |number: i64| {
            let time = START + number * SECOND;
            format!(
                r#"{{"_time":{time},"message":"request {number} of user usr_{:08x} was answered in time"}}"#,
                number * 7919
            )
        };
        let lines: Vec<String> = (0..2000).map(line).collect();
        let filled = house.filled(&[lines.join("\n")], Placement::Segments).await;
        let read = async |condition: &str| {
            let asked = format!("logs | where {condition} | count");
            let answer = ask(&house, Some(&filled.state), &asked, Way::Uncached).await;
            (rows(&answer.tables[0])[0][0].as_u64().unwrap(), answer.figures.bytes_read > 0)
        };
        for (condition, count) in [
            ("message contains 'answered'", 2000),
            ("message contains 'timeout'", 0),
            ("message !contains 'timeout'", 2000),
            ("message has 'time'", 2000),
            ("message has 'quest'", 0),
            ("message startswith 'Request '", 2000),
            ("message endswith_cs 'in time'", 2000),
            ("message contains 'usr_ffffffffffff'", 0),
            ("message matches regex 'answered (in|out of) time$'", 2000),
            ("message matches regex 'user [a-z]+ was'", 0),
        ] {
            assert_eq!(read(condition).await, (count, false), "{condition}");
        }
        assert_eq!(read("message contains '1999 of'").await, (1, true));
    });
}
