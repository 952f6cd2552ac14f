//! Texts that nobody would write: letters by chance, words in any order, and queries with parts cut out, doubled and
//! mixed. Whatever is asked, the way from the text to the engine ends with an answer or with an error of the query,
//! never with a fault of ours and never late.
//!
//! `TIDEGAUGE_HOSTILE_CASES` says how many texts are tried, `TIDEGAUGE_HOSTILE_SEED` which ones; where the process
//! itself may end, each text is first written to the file that `TIDEGAUGE_HOSTILE_TRACE` names.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value as Json;
use tidegauge_engine::Error;
use tidegauge_lang::{dataset_names, functions, parse_query, print_query, resolve, stages};
use tidegauge_store::DatasetState;

use crate::numbers::Numbers;
use crate::support::house::{House, Placement, SECOND, START, Way, block_on};

/// How many texts are tried unless it is said.
const CASES: u64 = 600;

const WORDS: &[&str] = &[
    "|",
    "|",
    "|",
    ",",
    ",",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "==",
    "!=",
    "=",
    "=~",
    "!~",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "..",
    ".",
    ";",
    "and",
    "or",
    "not",
    "by",
    "on",
    "asc",
    "desc",
    "nulls first",
    "in",
    "!in",
    "in~",
    "has",
    "has_any",
    "contains",
    "startswith",
    "matches regex",
    "between",
    "kind=leftouter",
    "kind=inner",
    "kind=fullouter",
    "withsource=w",
    "to typeof(long)",
    "with",
    "as",
    "let",
    "set stricttypes;",
    "datatable",
    "print",
    "union",
    "search",
    "true",
    "false",
    "null",
    "dynamic(null)",
    "dynamic([1,\"a\",{\"b\":[]}])",
    "1d",
    "-5m",
    "datetime(2027-01-15)",
    "datetime(null)",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "0",
    "1",
    "-1",
    "1e308",
    "real(nan)",
    "real(+inf)",
    "\"\"",
    "\"a\"",
    "'.*'",
    "@\"\\d+\"",
    "\"(?i)[a-z]{1,50}\"",
    "_time",
    "_sysTime",
    "a",
    "s",
    "n",
    "b",
    "m",
    "tags",
    "['x y']",
    "a.b",
    "tags[0]",
    "tags[-1]",
    "m['k']",
    "*",
    "s*",
    "$left.n",
    "$right.n",
    "logs",
    "ago(1h)",
    "now()",
    "count()",
    "sum(n)",
    "make_list(m)",
    "make_set(s, 3)",
    "arg_max(n, *)",
    "percentile(n, 95)",
    "dcount(s)",
    "topk(s, 3)",
    "bin(_time, 1h)",
    "bin(n, 0)",
    "bin_auto(_time)",
];

/// How a number that stands for many others is put in the place of one.
const NUMBERS: [&str; 8] =
    ["0", "-1", "1000000", "9223372036854775807", "0.5", "1e300", "(-9223372036854775807)", "3"];

/// Texts that are queries or parts of such.
fn corpus() -> Vec<String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let mut texts: Vec<String> = Vec::new();
    for line in std::fs::read_to_string(root.join("tests/language/cases.jsonl")).unwrap().lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        texts.extend(case["apl"].as_str().map(str::to_owned));
    }
    let folder = root.join("crates/lang/tests/it");
    for name in ["queries.rs", "query_errors.rs", "query_limits.rs", "expressions.rs", "functions.rs"] {
        let source = std::fs::read_to_string(folder.join(name)).unwrap();
        // What stands between quotes; pieces that are no query are as welcome.
        let pieces =
            source.split('"').filter(|piece| (3..400).contains(&piece.len()) && !piece.contains("fn "));
        texts.extend(pieces.map(|piece| piece.replace("\\n", "\n")));
    }
    texts.extend(stages::operators().map(|operator| format!("logs | {}", operator.example)));
    let calls = functions::all().map(|function| format!("logs | extend x = {}", function.example.text));
    texts.extend(calls);
    let groups = functions::aggregates()
        .map(|function| format!("logs | summarize x = {} by s", function.example.text));
    texts.extend(groups);
    texts
}

fn events() -> Vec<String> {
    let event = |number: i64| {
        let time = START - number * 600 * SECOND;
        let m = ["1", "\"a\"", "true", "2.5", "[1]"][(number % 5) as usize];
        format!(
            r#"{{"_time":{time},"n":{number},"s":"word {number}","b":{},"m":{m},"tags":["x",{number}]}}"#,
            number > 3
        )
    };
    (0..3).map(|request| (0..8).map(|number| event(request * 8 + number) + "\n").collect()).collect()
}

/// Where a text can be cut without parting a word.
fn cuts(text: &str) -> Vec<usize> {
    let mut cuts = vec![0];
    let mut was_word = false;
    for (place, letter) in text.char_indices() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        if !(is_word && was_word) {
            cuts.push(place);
        }
        was_word = is_word;
    }
    cuts.push(text.len());
    cuts
}

struct Hostile {
    rng: Numbers,
    corpus: Vec<String>,
}

impl Hostile {
    fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.rng.below(values.len() as u64) as usize]
    }

    /// A stretch of a text between two cuts.
    fn stretch(&mut self, text: &str) -> (usize, usize) {
        let cuts = cuts(text);
        let start = self.rng.below(cuts.len() as u64) as usize;
        let end = (start + 1 + self.rng.below(6) as usize).min(cuts.len() - 1);
        (cuts[start.min(end)], cuts[end])
    }

    fn mutated(&mut self, text: &str) -> String {
        let (start, end) = self.stretch(text);
        let corpus = std::mem::take(&mut self.corpus);
        let other = self.pick(&corpus).clone();
        self.corpus = corpus;
        let (from, to) = self.stretch(&other);
        let part = match self.rng.below(7) {
            0 => String::new(),
            1 => other[from..to].to_owned(),
            2 => format!("{}{}", &text[start..end], &text[start..end]),
            3 => format!(" {} ", self.pick(WORDS)),
            4 => format!("({})", &text[start..end]),
            5 => {
                let number: &str = self.pick::<&str>(&NUMBERS);
                return text.replace(|letter: char| letter.is_ascii_digit(), number);
            }
            _ => {
                let stage = other.split_once('|').map_or(other.as_str(), |(_, stages)| stages);
                return format!("{text} | {stage}");
            }
        };
        format!("{}{part}{}", &text[..start], &text[end..])
    }

    fn text(&mut self) -> String {
        match self.rng.below(10) {
            0 => (0..self.rng.below(80)).map(|_| char::from(32 + self.rng.below(95) as u8)).collect(),
            1 => {
                let letter = |rng: &mut Numbers| char::from_u32(rng.below(0x11_0000) as u32).unwrap_or('|');
                (0..self.rng.below(40)).map(|_| letter(&mut self.rng)).collect()
            }
            2 | 3 => {
                let count = self.rng.below(25);
                let words: Vec<&str> = (0..count).map(|_| *self.pick(WORDS)).collect();
                format!("logs | {}", words.join(" "))
            }
            _ => {
                let corpus = std::mem::take(&mut self.corpus);
                let mut text = self.pick(&corpus).clone();
                self.corpus = corpus;
                for _ in 0..1 + self.rng.below(4) {
                    text = self.mutated(&text);
                    // Doubling what was doubled has no end.
                    if text.len() > 4_000 {
                        break;
                    }
                }
                text
            }
        }
    }
}

/// From the text to the end. Tells what the fault is, if there is one.
async fn fault(house: &House, state: &Arc<DatasetState>, text: &str) -> Option<String> {
    let (program, diagnostics) = parse_query(text);
    diagnostics.iter().for_each(|diagnostic| {
        diagnostic.render(text);
    });
    print_query(&program);
    if !diagnostics.is_empty() {
        return None;
    }
    let mut resolved = resolve(program, &[], &HashMap::new()).ok()?;
    let names = dataset_names(&mut resolved.query);
    let names = names.iter().map(|pattern| pattern.plain().unwrap_or("logs").to_owned());
    let mut datasets: Vec<(String, Arc<DatasetState>)> = Vec::new();
    for name in names {
        if !datasets.iter().any(|(known, _)| *known == name) {
            datasets.push((name, Arc::clone(state)));
        }
    }
    match house.run_resolved(datasets, resolved, Way::Threads, House::options(Way::Threads)).await {
        Ok(_) | Err(Error::Invalid(_) | Error::Memory { .. } | Error::Spill) => None,
        Err(other) => Some(format!("{other:?}")),
    }
}

#[expect(clippy::disallowed_methods, reason = "a test is told how long to look by who looks for a fault")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[test]
fn no_text_makes_the_engine_fail() {
    let number = |name: &str| setting(name).map(|text| text.parse::<u64>().unwrap());
    let cases = number("TIDEGAUGE_HOSTILE_CASES").unwrap_or(CASES);
    let seed = number("TIDEGAUGE_HOSTILE_SEED").unwrap_or(1);
    let trace = setting("TIDEGAUGE_HOSTILE_TRACE");
    let mut hostile = Hostile { rng: Numbers(seed), corpus: corpus() };
    let mut faults = Vec::new();
    block_on(async {
        let house = House::new().await;
        let state = house.filled(&events(), Placement::Both).await.state;
        for _ in 0..cases {
            let text = hostile.text();
            if let Some(trace) = &trace {
                std::fs::write(trace, &text).unwrap();
            }
            match AssertUnwindSafe(fault(&house, &state, &text)).catch_unwind().await {
                Ok(None) => {}
                Ok(Some(fault)) => faults.push(format!("{fault}\n{text}")),
                Err(_) => faults.push(format!("it panics\n{text}")),
            }
            if faults.len() > 20 {
                break;
            }
        }
    });
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n---\n"));
}
