//! Queries that ask for too much: each ends with an answer or with an error that says so, and what it holds meanwhile
//! has an end.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_engine::{Answer, Dataset, Engine, EngineSettings, Error, Options, Question};
use tidegauge_lang::{parse_query, resolve};
use tidegauge_store::DatasetState;

use crate::support::house::{House, Placement, START, block_on};

/// What a query may hold.
const QUERY_BYTES: usize = 64 << 20;

/// What the process may hold beside that: the store, decoded columns, the stacks of threads, and what is being made
/// when the bound is met.
const OTHER_BYTES: usize = 1400 << 20;

/// The same where expressions alone take much.
const EXPRESSION_BYTES: usize = 350 << 20;

/// A time that no query here needs.
const TIME_MAX: Duration = Duration::from_secs(600);

struct Heavy {
    house: House,
    engine: Engine,
    time_max: Duration,
}

impl Heavy {
    async fn new() -> Self {
        let house = House::new().await;
        let settings = EngineSettings {
            threads: 2,
            memory_bytes: 4 * QUERY_BYTES,
            query_memory_bytes: QUERY_BYTES,
            cache_bytes: 14 << 20,
            groups_bytes: 2 << 20,
            groups_folder: std::path::PathBuf::new(),
            groups_disk_bytes: 0,
            groups_checked_each: 0,
            spill_folder: house.folder().join("heavy"),
            spill_bytes_max: 64 << 20,
            running_max: 2,
            waiting_max: 0,
        };
        let engine = Engine::new(Arc::clone(&house.store), settings).unwrap();
        Self { house, engine, time_max: TIME_MAX }
    }

    /// A dataset of so many events, each of which a function writes.
    async fn dataset(&self, count: usize, event: impl Fn(usize) -> String) -> Arc<DatasetState> {
        let mut requests = Vec::new();
        for first in (0..count).step_by(20_000) {
            let mut request = String::new();
            for number in first..count.min(first + 20_000) {
                let _ = writeln!(request, r#"{{"_time":{START},{}}}"#, event(number));
            }
            requests.push(request);
        }
        self.house.filled(&requests, Placement::Segments).await.state
    }

    async fn ask(&self, state: Option<&Arc<DatasetState>>, text: &str) -> Result<Answer, Error> {
        let (program, diagnostics) = parse_query(text);
        if !diagnostics.is_empty() {
            return Err(Error::Invalid(diagnostics));
        }
        let resolved = resolve(program, &[], &HashMap::new()).map_err(Error::Invalid)?;
        let dataset = |state: &Arc<DatasetState>| Dataset {
            name: "logs".to_owned(),
            state: Arc::clone(state),
            virtual_fields: Vec::new(),
        };
        let answer = self.engine.run(Question {
            query: resolved.query,
            constants: resolved.constants,
            datasets: state.into_iter().map(dataset).collect(),
            is_strict: resolved.is_strict,
            options: Options { answer_bytes_max: 16 << 20, time_max: self.time_max, ..Options::at(START) },
        });
        let answer = answer.await;
        // A task that computes while its query is refused gives back what it holds when it is at its next pause.
        while self.engine.memory_used().0 > 0 {
            tokio::task::yield_now().await;
        }
        answer
    }

    /// Asks a query that may be too much. Whatever comes of it is the affair of who asked.
    async fn bear(&self, state: Option<&Arc<DatasetState>>, text: &str) -> Result<Answer, Error> {
        let answer = self.ask(state, text).await;
        let shown: String = text.chars().take(120).collect();
        if let Err(error @ (Error::Internal { .. } | Error::Time { .. } | Error::Store(_) | Error::Busy)) =
            &answer
        {
            panic!("{error}: {shown}");
        }
        let held = held_at_most();
        assert!(held < QUERY_BYTES + OTHER_BYTES, "{} MiB are held: {shown}", held >> 20);
        answer
    }
}

/// The most memory that this process has held, where the system tells it.
fn held_at_most() -> usize {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<usize>().ok());
    kibibytes.unwrap_or(0) << 10
}

fn is_too_much<T>(answer: &Result<T, Error>) -> bool {
    matches!(answer, Err(Error::Memory { .. } | Error::Spill))
}

fn is_refused<T>(answer: &Result<T, Error>) -> bool {
    matches!(answer, Err(Error::Invalid(_)))
}

#[test]
fn long_pipelines_are_answered() {
    block_on(async {
        let heavy = Heavy::new().await;
        let state = heavy.dataset(5, |number| format!(r#""x":{number},"s":"a b c""#)).await;
        for stage in [
            "extend x = x + x",
            "where x >= 0 or isnull(x)",
            "sort by x asc | extend x = x + 1",
            "top 40 by x",
            "summarize x = max(x) by s",
            "summarize x = sum(x), s = max(s) by bin(_time, 1h) | extend _time = now()",
            "union (print x = 1) | take 40",
            "join kind=leftouter (print x = 1) on x | project x, s",
            "lookup (print x = 1, z = 2) on x | project x, s",
            "where x in (1, 2, 3, 4, 5) or x !in (logs | project x)",
            "extend s = iff(s == 'a', s, strcat(s, ''))",
        ] {
            let stages = 500 / stage.split(" | ").count() / if stage.contains('(') { 2 } else { 1 };
            let stages = vec![stage; stages].join(" | ");
            let answer = heavy.bear(Some(&state), &format!("logs | {stages}")).await;
            assert!(answer.is_ok() || is_refused(&answer), "{stage}: {answer:?}");
            let answer = heavy
                .bear(
                    None,
                    &format!(
                        "print x = 1, s = 'a', _time = now() | {}",
                        stages.replace("logs", "print x = 3")
                    ),
                )
                .await;
            assert!(answer.is_ok() || is_refused(&answer), "{stage}: {answer:?}");
        }
    });
}

#[test]
fn names_that_double_are_refused() {
    block_on(async {
        let heavy = Heavy::new().await;
        for (first, double) in [
            ("print x = 1", "union NAME, NAME"),
            ("print x = 1", "NAME | union NAME"),
            ("print x = 1", "NAME | join NAME on x | project x"),
            ("print x = 1", "print x = 1 | where x in (NAME) and x in (NAME)"),
        ] {
            let mut text = format!("let t0 = {first};\n");
            for number in 1..64 {
                let _ = writeln!(
                    text,
                    "let t{number} = {};",
                    double.replace("NAME", &format!("t{}", number - 1))
                );
            }
            let answer = heavy.bear(None, &format!("{text} t63 | count")).await;
            assert!(is_refused(&answer), "{double}: {answer:?}");
        }
        // The same with values, which are names for what they are made of.
        let mut text = "let t0 = 1;\n".to_owned();
        for number in 1..64 {
            let _ = writeln!(text, "let t{number} = t{0} + t{0};", number - 1);
        }
        let answer = heavy.bear(None, &format!("{text} print x = t63")).await;
        assert!(answer.is_ok() || is_refused(&answer), "{answer:?}");
    });
}

#[test]
fn joins_that_multiply_hold_little_and_end_with_their_time() {
    block_on(async {
        let heavy = Heavy { time_max: Duration::from_millis(500), ..Heavy::new().await };
        let state = heavy.dataset(100_000, |number| format!(r#""k":1,"n":{number}"#)).await;
        for text in [
            "logs | join kind=inner (logs) on k | count",
            "logs | join kind=fullouter (logs) on k | summarize sum(n1) by n % 10",
        ] {
            let answer = heavy.ask(Some(&state), text).await;
            assert!(matches!(answer, Err(Error::Time { .. })), "{text}: {answer:?}");
        }
        // Another engine, because the threads of the last query may still be on their way to its end.
        let heavy = Heavy::new().await;
        let state = heavy.dataset(100_000, |number| format!(r#""k":1,"n":{number}"#)).await;
        for (text, rows) in [
            ("logs | lookup (logs) on k | take 5", 5),
            ("logs | join kind=inner (logs | take 100) on k | summarize sum(n1) by n % 10", 10),
            ("logs | join kind=leftsemi (logs) on k | count", 1),
            ("logs | join kind=rightanti (logs) on k | count", 1),
            ("logs | join kind=innerunique (logs | project k) on k | count", 1),
        ] {
            let answer =
                heavy.bear(Some(&state), text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(answer.tables[0].rows, rows, "{text}");
        }
    });
}

#[test]
fn long_lists_are_sets() {
    block_on(async {
        let heavy = Heavy::new().await;
        let state = heavy
            .dataset(60_000, |number| {
                let mixed = if number % 2 == 0 { format!("{number}") } else { format!("{number}.5") };
                let text = if number == 7 { "null".to_owned() } else { format!("\"key-{number}\"") };
                format!(r#""n":{number},"s":{text},"r":{mixed}"#)
            })
            .await;
        for (text, count) in [
            ("logs | where n in (logs | project n) | count", 60_000),
            ("logs | where s in (logs | project s) | count", 59_999),
            ("logs | where s !in (logs | project s) | count", 1),
            ("logs | where s in~ (logs | project s) | count", 59_999),
            ("logs | where r in (logs | project r) | count", 60_000),
            ("logs | where r !in (logs | where n < 50000 | project r) | count", 10_000),
        ] {
            let answer = heavy.bear(Some(&state), text).await;
            let answer = answer.unwrap_or_else(|error| panic!("{text}: {error}"));
            let found = crate::support::reply::value(&answer.tables[0].fields[0], 0);
            assert_eq!(found, count, "{text}");
        }
    });
}

#[test]
fn expressions_that_would_not_end_are_refused() {
    block_on(async {
        let heavy = Heavy::new().await;
        let state = heavy.dataset(8, |_| format!(r#""s":"{}""#, "a".repeat(2_000))).await;
        for pattern in ["(a{1000}){1000}", "(a*)*b", "(?:a?){500}a{500}"] {
            for text in [
                format!("logs | where s matches regex \"{pattern}\" | count"),
                format!(
                    "logs | extend p = strcat(\"{pattern}\", substring(s, 0, 0)) | where s matches regex p | count"
                ),
                format!("logs | extend x = extract(\"{pattern}\", 0, s) | project x"),
                format!("logs | extend x = replace_regex(\"{pattern}\", \"$0$0\", s) | project strlen(x)"),
                format!("logs | extend x = countof_regex(\"{pattern}\", s) | project x"),
            ] {
                let answer = heavy.bear(Some(&state), &text).await;
                assert!(answer.is_ok() || is_refused(&answer), "{text}: {answer:?}");
            }
        }
    });
}

#[test]
fn texts_and_lists_that_grow_say_that_they_are_too_much() {
    block_on(async {
        let heavy = Heavy::new().await;
        for text in [
            format!("print s = 'abcdefgh'{}", " | extend s = strcat(s, s)".repeat(60)),
            format!(
                "print s = 'abcdefgh'{} | project n = strlen(s)",
                " | extend s = strcat(s, s)".repeat(60)
            ),
            format!(
                "print s = dynamic([1]){} | project n = array_length(s)",
                " | extend s = array_concat(s, s)".repeat(60)
            ),
            format!("print s = dynamic([1]){}", " | extend s = pack_array(s, s)".repeat(60)),
            "print s = strrep('abcdefgh', 1000000000)".to_owned(),
            "print s = strrep(strrep('a', 1000000), 1000000)".to_owned(),
            "print s = range(0, 1000000000000, 1)".to_owned(),
            "print s = range(datetime(1970-01-01), datetime(2027-01-01), 1ms)".to_owned(),
            "print s = replace_string('a', strrep('b', 100000), strrep('a', 1000000))".to_owned(),
            "print s = replace_regex('', strrep('b', 100000), strrep('a', 1000000))".to_owned(),
        ] {
            let answer = heavy.bear(None, &text).await;
            assert!(answer.is_ok() || is_too_much(&answer) || is_refused(&answer), "{text}: {answer:?}");
        }
    });
}

#[test]
fn rows_that_multiply_say_that_they_are_too_much() {
    block_on(async {
        let heavy = Heavy::new().await;
        for text in [
            "print t = now() | make-series count() on t from datetime(1970-01-01) to datetime(2027-01-01) step 1ms",
            "print t = 1 | make-series count() on t from -9223372036854775807 to 9223372036854775807 step 1",
            "datatable(t:datetime, k:long)[datetime(1970-01-01), 1, datetime(2027-01-01), 2] | make-series count() on t step 1s by k",
            "print s = strrep('a=b ', 1000000) | parse-kv s as (a:string) with (pair_delimiter=' ', kv_delimiter='=')",
            "print s = strrep('a', 100000) | parse kind=regex s with '(a*)*' x '(a|aa)+' y 'b'",
            "print s = strrep('a', 100000) | redact '(a|aa)+$' on s",
        ] {
            let answer = heavy.bear(None, text).await;
            assert!(answer.is_ok() || is_too_much(&answer) || is_refused(&answer), "{text}: {answer:?}");
        }
    });
}

/// Texts of many rows that are together far more than the query may hold are made for some rows at a time.
#[test]
fn texts_of_many_rows_are_made_within_the_share() {
    block_on(async {
        let heavy = Heavy::new().await;
        let state = heavy
            .dataset(1_000, |number| format!(r#""s":"a text of its own {number:06}","n":{number}"#))
            .await;
        let doubled = " | extend s = strcat(s, s)".repeat(14);
        let length = 24 << 14;
        for (text, expected) in [
            (format!("logs{doubled} | summarize max(strlen(s))"), length),
            (format!("logs{doubled} | where s has '000999' | project n | summarize max(n)"), 999),
            (
                format!("logs{doubled} | extend k = substring(s, 0, 25) | summarize sum(n) by k | count"),
                1_000,
            ),
            (format!("logs{doubled} | summarize max(n) by s = substring(s, 0, 22) | count"), 10),
            (format!("logs{doubled} | sort by s desc | take 1 | project n"), 999),
            (format!("logs | summarize n = max(n) by s{doubled} | summarize max(strlen(s))"), length),
            (
                format!("logs | sort by n asc | take 300{doubled} | mv-expand a = range(1, 200) | count"),
                60_000,
            ),
            ("logs | extend r = range(1, 20000 + n, 1) | summarize max(array_length(r))".to_owned(), 20_999),
            ("logs | extend r = range(1, 20000, 1) | mv-expand r limit 3 | count".to_owned(), 3_000),
        ] {
            let answer =
                heavy.bear(Some(&state), &text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
            let found = crate::support::reply::value(&answer.tables[0].fields[0], 0);
            assert_eq!(found, expected, "{text}");
            assert!(answer.figures.memory_peak <= QUERY_BYTES as u64, "{text}");
            assert!(held_at_most() < QUERY_BYTES + EXPRESSION_BYTES, "{} MiB: {text}", held_at_most() >> 20);
        }
        // What has to be kept whole does not fit, and that is told.
        for stages in ["sort by s desc | summarize make_list(strlen(s)) | count", "summarize make_list(s)"] {
            let answer = heavy.bear(Some(&state), &format!("logs{doubled} | {stages}")).await;
            assert!(answer.is_ok() || is_too_much(&answer), "{stages}: {answer:?}");
        }
    });
}

/// Rows that are made one after the other and kept nowhere take no memory, but time.
#[test]
fn rows_without_end_end_with_the_time_of_the_query() {
    block_on(async {
        let heavy = Heavy { time_max: Duration::from_millis(300), ..Heavy::new().await };
        let expanded = "print a = range(1, 90000), b = range(1, 90000), c = range(1, 90000) \
                        | mv-expand a | mv-expand b | mv-expand c";
        for stages in ["count", "take 10 | count"] {
            let answer = heavy.ask(None, &format!("{expanded} | {stages}")).await;
            let is_enough = stages.starts_with("take");
            assert!(
                matches!(answer, Err(Error::Time { .. })) || is_enough && answer.is_ok(),
                "{stages}: {answer:?}"
            );
        }
        for stages in ["project a, b, c", "sort by tostring(c) asc"] {
            let answer = heavy.ask(None, &format!("{expanded} | {stages}")).await;
            let is_time = matches!(answer, Err(Error::Time { .. }));
            assert!(is_time || is_too_much(&answer) || is_refused(&answer), "{stages}: {answer:?}");
        }
        assert!(held_at_most() < QUERY_BYTES + OTHER_BYTES, "{} MiB are held", held_at_most() >> 20);
    });
}

#[test]
fn wide_datasets_are_searched() {
    block_on(async {
        let heavy = Heavy::new().await;
        let fields = |number: usize| {
            let field = |field: usize| format!(r#""field_{field}":"value {number} of {field}""#);
            (0..2_000).map(field).collect::<Vec<String>>().join(",")
        };
        let state = heavy.dataset(40, fields).await;
        for (text, count) in [
            ("search 'nothing' | count", 0),
            ("search * | count", 40),
            ("logs | search '1999' | count", 40),
            ("logs | where * has '17' | where * contains 'value' | count", 40),
            ("logs | project-away field_1* | where * has 'nothing' | count", 0),
            ("logs | distinct * | count", 40),
            ("logs | summarize arg_max(_time, *) | count", 1),
            (
                "logs | project p = pack(*) | summarize n = max(strlen(tostring(p))) | where n > 10000 | count",
                1,
            ),
            ("logs | union logs | count", 80),
            ("logs | join kind=inner (logs | take 1) on field_7 | count", 1),
            ("logs | getschema | count", 2_002),
        ] {
            let answer = heavy.bear(Some(&state), text).await;
            let answer = answer.unwrap_or_else(|error| panic!("{text}: {error}"));
            let found = crate::support::reply::value(&answer.tables[0].fields[0], 0);
            assert_eq!(found, count, "{text}");
        }
    });
}
