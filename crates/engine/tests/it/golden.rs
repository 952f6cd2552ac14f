//! Asks the engine the questions of `tests/queries`, with events in every place.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value as Json;

use crate::golden_file::{Answer, EventLine, GroupLine, completed, differences, repository};
use crate::support::house::{Filled, House, Placement, Way, block_on};
use crate::support::naive::{array, text};
use crate::support::reply::{Group, Reply, time_text};

#[test]
fn questions_have_the_answers_in_their_files() {
    let house = block_on(House::new());
    let mut datasets: HashMap<String, Vec<Filled>> = HashMap::new();
    let ask_everywhere = |name: &str, body: &Json| {
        let places = datasets.entry(name.to_owned()).or_insert_with(|| block_on(filled(&house, name)));
        let mut answers = places.iter().map(|place| block_on(ask(&house, place, body)));
        let first = answers.next().unwrap();
        for (other, placement) in answers.zip(&Placement::ALL[1..]) {
            assert_eq!(format!("{first:?}"), format!("{other:?}"), "{placement:?} {body}");
        }
        first
    };
    let take_over = |path: &Path, text: &str| is_blessed() && std::fs::write(path, text).is_ok();
    let problems = differences(ask_everywhere, &take_over);
    assert!(problems.is_empty(), "{problems}\nBLESS=1 writes the answers into the files: read them before");
}

#[expect(clippy::disallowed_methods, reason = "a test is told by who runs it that its answers are right")]
pub(crate) fn is_blessed() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// The events of a file in all places, as two requests.
async fn filled(house: &House, name: &str) -> Vec<Filled> {
    let path = repository().join(format!("tests/data/{name}.ndjson"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines: Vec<&str> = text.lines().collect();
    let requests: Vec<String> =
        lines.chunks(lines.len().div_ceil(2)).map(|lines| lines.join("\n") + "\n").collect();
    let mut places = Vec::new();
    for placement in Placement::ALL {
        places.push(house.filled(&requests, placement).await);
    }
    places
}

async fn ask(house: &House, filled: &Filled, body: &Json) -> Answer {
    let body = completed(body, |number| filled.ids[number as usize - 1].to_string());
    match house.ask(&filled.state, &body, Way::Cached).await {
        Err(message) => Answer::Error(message),
        Ok(reply) => lines(&body, reply),
    }
}

fn lines(body: &Json, reply: Reply) -> Answer {
    if array(&body["aggregations"]).is_empty() {
        let line = |event: crate::support::reply::Event| EventLine {
            time: time_text(event.id.time),
            data: event.data,
        };
        return Answer::Events(reply.events.into_iter().map(line).collect());
    }
    let names = array(&body["groupBy"]);
    let line = |group: Group| GroupLine {
        start: group.start.map(time_text),
        keys: group.keys,
        results: group.results,
    };
    let is_key = |(name, _): &(String, Json)| names.iter().any(|known| text(known) == name);
    assert!(reply.totals.iter().all(|group| group.keys.iter().all(is_key)));
    Answer::Groups {
        totals: reply.totals.into_iter().map(line).collect(),
        series: reply.series.into_iter().map(line).collect(),
    }
}
