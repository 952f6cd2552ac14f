//! Groups of blocks that are kept give the same answers as groups that are computed, whatever happens to the events
//! between two questions: more come, also late ones, segments are written and merged, events are deleted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use tidegauge_engine::{EngineSettings, Options, Table};
use tidegauge_model::RowId;
use tidegauge_store::DatasetState;

use crate::support::house::{HOUR, House, SECOND, START, Way, block_on};
use crate::support::reply::value;

/// What happens between questions.
#[derive(Clone, Debug)]
enum Step {
    /// So many events from this second of the hour on.
    Ingest {
        from: i64,
        count: i64,
    },
    Flush,
    Merge,
    /// One of so many events goes.
    Delete(usize),
    /// What is kept in memory is gone.
    Restart,
    /// A question by its number, from one second to another.
    Ask {
        question: usize,
        from: i64,
        to: i64,
    },
}

const QUESTIONS: &[&str] = &[
    "logs | where BOUNDS | summarize n = count(), s = sum(x), d = dcount(user) by host | sort by host asc",
    "logs | where BOUNDS | summarize count() by bin(_time, 5m), host | sort by _time asc, host asc",
    "logs | where BOUNDS | summarize p = percentile(x, 90), a = avg(x), d = dcount(host), k = topk(host, 2) by bin(_time, 7m), user | sort by _time asc, user asc",
    "logs | where BOUNDS | summarize a = avg(x), m = max(host) by bin(_time, 2m) | sort by _time desc",
    "logs | where host != 'a' and BOUNDS | extend y = x * 2 | summarize s = sum(y), m = max(y), l = min(y)",
    "logs | where BOUNDS | where x > 3 | summarize p = percentile(x, 50), k = topk(host, 2) by user | sort by user asc",
    "logs | where BOUNDS | summarize count()",
    "logs | where BOUNDS and host == 'nobody' | summarize count() by host",
    "logs | where BOUNDS | summarize count() by late | sort by late asc",
];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ask = || {
        (0..QUESTIONS.len(), 0_i64..1800, 1800_i64..3600).prop_map(|(question, from, to)| Step::Ask {
            question,
            from,
            to,
        })
    };
    let step = prop_oneof![
        3 => (0_i64..3600, 1_i64..60).prop_map(|(from, count)| Step::Ingest { from, count }),
        2 => Just(Step::Flush),
        1 => Just(Step::Merge),
        1 => (2_usize..9).prop_map(Step::Delete),
        1 => Just(Step::Restart),
        6 => ask(),
    ];
    prop::collection::vec(step, 4..24)
}

fn events(from: i64, count: i64, is_late: bool) -> String {
    let line = |number: i64| {
        let time = START - HOUR + (from + number * 7) % 3600 * SECOND;
        let host = ["a", "b", "c"][(number % 3) as usize];
        // A field that turns up later changes what the same words read.
        let late = if is_late { format!(r#","late":"{}""#, number % 2) } else { String::new() };
        format!(
            "{{\"_time\":{time},\"host\":\"{host}\",\"x\":{},\"user\":\"u{}\"{late}}}\n",
            number % 10,
            number % 5
        )
    };
    (0..count).map(line).collect()
}

fn rows(table: &Table) -> Vec<String> {
    let cells = |row: usize| table.fields.iter().map(move |field| value(field, row).to_string());
    (0..table.rows).map(|row| cells(row).collect::<Vec<String>>().join(" ")).collect()
}

async fn ask(house: &House, state: &Arc<DatasetState>, text: &str, way: Way) -> (Vec<Vec<String>>, u64) {
    let options = Options { bypasses_cache: way == Way::Uncached, ..Options::at(START) };
    let answer = house.ask_with(&[("logs", state)], text, way, options).await.unwrap();
    (answer.tables.iter().map(rows).collect(), answer.figures.rows_matched)
}

async fn check(house: &mut House, steps: &[Step]) -> Result<(), TestCaseError> {
    let state = house.dataset().await;
    let mut ids: Vec<RowId> = house.ingest(&state, &events(0, 50, false)).await;
    house.flush(&state).await;
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Ingest { from, count } => {
                ids.extend(house.ingest(&state, &events(*from, *count, number > 8)).await);
            }
            Step::Flush => house.flush(&state).await,
            Step::Merge => house.compact().await,
            Step::Delete(each) => {
                let doomed: Vec<RowId> = ids.iter().copied().step_by(*each).collect();
                ids.retain(|id| !doomed.contains(id));
                house.store.delete_rows(&state, doomed).await.unwrap();
            }
            Step::Restart => house.restart_engines(|settings| settings),
            Step::Ask { question, from, to } => {
                let time = |second: &i64| {
                    format!("unixtime_seconds_todatetime({})", (START - HOUR) / SECOND + second)
                };
                let bounds = format!("_time >= {} and _time < {}", time(from), time(to));
                let text = QUESTIONS[*question].replace("BOUNDS", &bounds);
                let wanted = ask(house, &state, &text, Way::Uncached).await;
                for way in [[Way::Cached; 4], [Way::Threads; 4]].into_iter().flatten() {
                    let found = ask(house, &state, &text, way).await;
                    prop_assert_eq!(&found, &wanted, "{:?} {}", way, text);
                }
            }
        }
    }
    house.store.remove(state.id());
    for way in [Way::Cached, Way::Threads] {
        prop_assert_eq!(house.engine(way).groups_checked().wrong, 0, "{:?}", way);
    }
    Ok(())
}

#[test]
fn kept_groups_are_those_that_would_be_computed() {
    block_on(async {
        let mut house = House::new().await;
        let mut runner =
            TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
        for _ in 0..runner.config().cases {
            let steps = steps().new_tree(&mut runner).unwrap().current();
            check(&mut house, &steps).await.unwrap_or_else(|error| panic!("{error}\n{steps:#?}"));
        }
    });
}

#[test]
fn a_question_that_is_asked_again_reads_new_blocks_alone() {
    block_on(async {
        let house = House::new().await;
        let state = house.dataset().await;
        let text = "logs | where x >= 0 | summarize count() by host";
        for _ in 0..3 {
            house.ingest(&state, &events(0, 40, false)).await;
            house.flush(&state).await;
        }
        let mut examined = Vec::new();
        for round in 0..5 {
            if round == 3 {
                house.ingest(&state, &events(0, 10, false)).await;
            }
            let answer = house.ask_text(&[("logs", &state)], text, Way::Cached).await.unwrap();
            examined.push((answer.figures.rows_examined, answer.figures.rows_matched));
        }
        assert_eq!(examined, [(120, 120), (120, 120), (0, 120), (10, 130), (10, 130)]);
        // Another alias, order and number of groups is the same question.
        let other = "logs | where x >= 0 | summarize n = count() by machine = host | sort by n desc | take 2";
        let answer = house.ask_text(&[("logs", &state)], other, Way::Cached).await.unwrap();
        assert_eq!((answer.figures.rows_examined, answer.tables[0].rows), (10, 2));
        // Another condition is another one.
        let other = "logs | where x >= 1 | summarize count() by host";
        let answer = house.ask_text(&[("logs", &state)], other, Way::Cached).await.unwrap();
        assert_eq!(answer.figures.rows_examined, 130);
    });
}

/// So many blocks that they are merged to several runs, which share the buckets at their ends.
#[test]
fn runs_of_blocks_come_to_the_same_groups() {
    block_on(async {
        let house = House::new().await;
        let state = house.dataset().await;
        for block in 0..40 {
            house.ingest(&state, &events(block * 83, 60, false)).await;
            house.flush(&state).await;
        }
        for round in 0..6 {
            if round == 4 {
                // Late ones, in buckets that runs have.
                house.ingest(&state, &events(700, 50, true)).await;
                house.flush(&state).await;
            }
            for question in QUESTIONS {
                let text = question.replace("BOUNDS", "x >= 0");
                let wanted = ask(&house, &state, &text, Way::Uncached).await;
                for way in [Way::Cached, Way::Threads] {
                    assert_eq!(ask(&house, &state, &text, way).await, wanted, "{round} {way:?} {text}");
                }
            }
        }
    });
}

/// The files of kept groups of the engine with one thread.
fn kept_files(house: &House) -> Vec<PathBuf> {
    walk(&house.folder().join("groups-1"))
}

#[test]
fn groups_are_kept_over_a_restart_and_damaged_ones_are_computed() {
    block_on(async {
        let mut house = House::new().await;
        let state = house.dataset().await;
        let text = "logs | where x >= 0 | summarize count(), dcount(user), sum(x) by host | sort by host asc";
        for _ in 0..3 {
            house.ingest(&state, &events(0, 40, false)).await;
            house.flush(&state).await;
        }
        let (wanted, matched) = ask(&house, &state, text, Way::Uncached).await;
        for _ in 0..2 {
            ask(&house, &state, text, Way::Cached).await;
        }
        assert_eq!(kept_files(&house).len(), 3);
        for damage in [None, Some(0), Some(30), Some(usize::MAX)] {
            house.restart_engines(|settings| settings);
            if let Some(place) = damage {
                let file = &kept_files(&house)[0];
                let mut bytes = std::fs::read(file).unwrap();
                let place = place.min(bytes.len() - 1);
                bytes[place] ^= 1;
                std::fs::write(file, if place == 30 { &bytes[..place] } else { &bytes[..] }).unwrap();
            }
            let options = Options::at(START);
            let answer = house.ask_with(&[("logs", &state)], text, Way::Cached, options).await.unwrap();
            let examined = if damage.is_some() { 40 } else { 0 };
            assert_eq!(answer.figures.rows_examined, examined, "{damage:?}");
            assert_eq!((rows(&answer.tables[0]), answer.figures.rows_matched), (wanted[0].clone(), matched));
            assert_eq!(kept_files(&house).len(), 3, "what was damaged is written again");
        }
    });
}

/// Groups of another question in the place of the right ones are whole and wrong: nothing tells but computing them.
#[test]
fn wrong_groups_are_found_and_forgotten() {
    block_on(async {
        let mut house = House::new().await;
        let state = house.dataset().await;
        house.ingest(&state, &events(0, 40, false)).await;
        house.flush(&state).await;
        let text = "logs | where x >= 0 | summarize count() by host | sort by host asc";
        let other = "logs | where x >= 5 | summarize count() by host | sort by host asc";
        let wanted = ask(&house, &state, text, Way::Uncached).await;
        let mut files = Vec::new();
        for text in [text, other] {
            for _ in 0..2 {
                ask(&house, &state, text, Way::Cached).await;
            }
            files.extend(
                kept_files(&house).into_iter().filter(|file| !files.contains(file)).collect::<Vec<_>>(),
            );
        }
        let [of_text, of_other] = files.as_slice() else { panic!("{files:?}") };
        std::fs::copy(of_other, of_text).unwrap();
        house.restart_engines(|settings| settings);
        assert_ne!(ask(&house, &state, text, Way::Cached).await, wanted, "the wrong groups are used once");
        let engine = house.engine(Way::Cached);
        while engine.groups_checked().wrong == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(ask(&house, &state, text, Way::Cached).await, wanted);
        assert!(!of_text.try_exists().unwrap());
    });
}

#[test]
fn one_of_so_many_answers_from_kept_groups_is_compared() {
    block_on(async {
        let mut house = House::new().await;
        house.restart_engines(|settings| EngineSettings { groups_checked_each: 8, ..settings });
        let state = house.dataset().await;
        house.ingest(&state, &events(0, 40, false)).await;
        house.flush(&state).await;
        let text = "logs | where x >= 0 | summarize count() by host | sort by host asc";
        // The first is not kept, the second keeps its groups: it counts, but there is nothing to compare yet.
        for _ in 0..2 {
            ask(&house, &state, text, Way::Cached).await;
        }
        let engine = house.engine(Way::Cached);
        for compared in 1..=3 {
            for _ in 0..7 {
                ask(&house, &state, text, Way::Cached).await;
            }
            assert_eq!(engine.groups_checked().right, compared - 1, "not one of these");
            ask(&house, &state, text, Way::Cached).await;
            while engine.groups_checked().right < compared {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!((engine.groups_checked().right, engine.groups_checked().wrong), (3, 0));
    });
}

#[test]
fn who_bypasses_what_is_kept_leaves_nothing_for_others() {
    block_on(async {
        let house = House::new().await;
        let state = house.dataset().await;
        for _ in 0..3 {
            house.ingest(&state, &events(0, 40, false)).await;
            house.flush(&state).await;
        }
        let text =
            "logs | where x >= 0 and host != 'b' | summarize count(), max(user) by host | sort by host asc";
        let engine = house.engine(Way::Cached);
        for _ in 0..4 {
            ask(&house, &state, text, Way::Uncached).await;
            assert_eq!(engine.memory_used().1, 0);
            assert_eq!(kept_files(&house), Vec::<PathBuf>::new());
        }
        // Nor does it count as asking: the next two are the first and the second time.
        for (is_kept, examined) in [(false, 120), (true, 120), (true, 0)] {
            let answer = house.ask_text(&[("logs", &state)], text, Way::Cached).await.unwrap();
            assert_eq!((answer.figures.rows_examined, !kept_files(&house).is_empty()), (examined, is_kept));
        }
        assert!(engine.memory_used().1 > 0);
    });
}

#[test]
fn files_of_kept_groups_have_an_end() {
    block_on(async {
        let mut house = House::new().await;
        let state = house.dataset().await;
        for _ in 0..2 {
            house.ingest(&state, &events(0, 40, false)).await;
            house.flush(&state).await;
        }
        // Another version has been here.
        let folder = house.folder().join("groups-1");
        std::fs::create_dir_all(folder.join("0-0.0.0/question")).unwrap();
        let bytes_max = 8 << 10;
        house.restart_engines(|settings| EngineSettings { groups_disk_bytes: bytes_max, ..settings });
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        for number in 0..40 {
            let text = format!("logs | where x >= {number} | summarize count() by host");
            for _ in 0..2 {
                house.ask_text(&[("logs", &state)], &text, Way::Cached).await.unwrap();
            }
            let files = kept_files(&house);
            assert!(!files.is_empty());
            let bytes: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
            assert!(bytes <= bytes_max, "{bytes}");
        }
    });
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
