//! Files of questions and their answers, as in `tests/queries`: reads one, asks, and writes it anew with the answers
//! that came. Who is asked is the caller's: the engine here, the service in its own tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Map, Number, Value as Json, json};

/// Who is asked: a dataset by its name, and the body of a query.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(&str, &Json) -> Answer;

/// An answer without what differs from run to run.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Events(Vec<EventLine>),
    Groups { totals: Vec<GroupLine>, series: Vec<GroupLine> },
    Error(String),
}

#[derive(Clone, Debug)]
pub(crate) struct EventLine {
    pub(crate) time: String,
    pub(crate) data: BTreeMap<String, Json>,
}

#[derive(Clone, Debug)]
pub(crate) struct GroupLine {
    pub(crate) start: Option<String>,
    /// In the order of `groupBy` and of `aggregations`.
    pub(crate) keys: Vec<(String, Json)>,
    pub(crate) results: Vec<(String, Json)>,
}

/// The folder of the repository, from the package of whichever crate's tests this is part of.
pub(crate) fn repository() -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("tests/queries").is_dir()).unwrap().to_owned()
}

/// Asks the questions of every file. Says where answers differ, unless they are taken over.
pub(crate) fn differences(
    mut ask: impl FnMut(&str, &Json) -> Answer,
    take_over: &dyn Fn(&Path, &str) -> bool,
) -> String {
    let folder = repository().join("tests/queries");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "test"));
    paths.sort();
    assert!(!paths.is_empty(), "no files of questions in {}", folder.display());
    let mut problems = String::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let again = rerun(&text, &mut ask);
        if again == text {
            continue;
        }
        if !take_over(&path, &again) {
            problems.push_str(&difference(&path, &text, &again));
        }
    }
    problems
}

/// The text of a file with the answers that its questions get now.
///
/// `data NAME` chooses the events. `query` is followed by a body, `----` and the tables of the answer. `filters` and
/// `aggregations` are followed by one filter or aggregation on a line, each with the numbers of the events that pass
/// or with the result in the line after it, behind `=>`. An empty line ends each of them.
fn rerun(text: &str, ask: Ask<'_>) -> String {
    let mut again = String::new();
    let mut data = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        push(&mut again, line);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("data") => words.next().unwrap_or_default().clone_into(&mut data),
            Some("query") => {
                let options: Vec<&str> = words.collect();
                let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "----").collect();
                body.iter().for_each(|line| push(&mut again, line));
                push(&mut again, "----");
                lines.by_ref().take_while(|line| !line.is_empty()).for_each(drop);
                let body = parsed(&body.join("\n"));
                again.push_str(&rendered(&ask(&data, &body), &body, &options));
                again.push('\n');
            }
            Some(kind @ ("filters" | "aggregations")) => {
                for line in lines.by_ref().take_while(|line| !line.is_empty()) {
                    if !line.starts_with("=>") {
                        push(&mut again, line);
                        push(&mut again, &format!("=> {}", short(kind, line, &data, ask)));
                    }
                }
                again.push('\n');
            }
            _ => {}
        }
    }
    let again = again.trim_end().to_owned();
    again + "\n"
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn parsed(json: &str) -> Json {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in {json}"))
}

/// The answer to one filter or aggregation.
fn short(kind: &str, line: &str, data: &str, ask: Ask<'_>) -> String {
    let body = match kind {
        "filters" => json!({
            "filter": parsed(line), "project": [{"field": "id"}], "order": [{"field": "_time", "desc": false}],
        }),
        _ => json!({"aggregations": [parsed(line)]}),
    };
    match ask(data, &body) {
        Answer::Events(events) if events.is_empty() => "none".to_owned(),
        Answer::Events(events) => {
            let numbers: Vec<String> = events.iter().map(|event| event.data["id"].to_string()).collect();
            numbers.join(" ")
        }
        Answer::Groups { totals, .. } => {
            let totals = rounded(totals, &body);
            let total = totals.first().and_then(|total| total.results.first());
            total.map_or_else(|| "no totals".to_owned(), |(name, value)| format!("{name} {value}"))
        }
        Answer::Error(message) => error_line(&message),
    }
}

/// Errors of several lines in one.
fn error_line(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).collect();
    format!("error: {}", lines.join(" / "))
}

fn rendered(answer: &Answer, body: &Json, options: &[&str]) -> String {
    match answer {
        Answer::Error(message) => error_line(message) + "\n",
        Answer::Events(events) => events_table(events, body, options.contains(&"times")),
        Answer::Groups { totals, series } => {
            let mut text = groups_table(&rounded(totals.clone(), body));
            if options.contains(&"series") {
                push(&mut text, "series");
                text.push_str(&groups_table(&rounded(series.clone(), body)));
            }
            text
        }
    }
}

/// Groups in which averages and their kin have the digits that do not depend on the order of rows.
fn rounded(mut groups: Vec<GroupLine>, body: &Json) -> Vec<GroupLine> {
    let depends = |place: usize| {
        let op = body["aggregations"][place]["op"].as_str().unwrap_or_default().to_ascii_lowercase();
        ["avg", "stdev", "variance", "rate"].contains(&op.as_str())
    };
    for group in &mut groups {
        for (place, (_, value)) in group.results.iter_mut().enumerate() {
            if let Some(number) = value.as_f64().filter(|_| depends(place)) {
                *value = float(format!("{number:.11e}").parse().unwrap());
            }
        }
    }
    groups
}

/// The projected fields in their order, or all that have a value.
fn events_table(events: &[EventLine], body: &Json, shows_times: bool) -> String {
    let projected = body["project"].as_array().filter(|fields| !fields.is_empty());
    let mut names: Vec<String> = match projected {
        Some(fields) => {
            let name = |field: &Json| {
                let alias = field["alias"].as_str().filter(|alias| !alias.is_empty());
                alias.or(field["field"].as_str()).unwrap_or_default().to_owned()
            };
            fields.iter().map(name).filter(|name| name != "_time").collect()
        }
        None => {
            let all: BTreeMap<&String, ()> = events
                .iter()
                .flat_map(|event| &event.data)
                .filter(|(_, value)| !value.is_null())
                .map(|(name, _)| (name, ()))
                .collect();
            all.into_keys().cloned().collect()
        }
    };
    let row = |event: &EventLine| -> Vec<String> {
        let time = shows_times.then(|| event.time.clone());
        let value = |name: &String| event.data.get(name).unwrap_or(&Json::Null).to_string();
        time.into_iter().chain(names.iter().map(value)).collect()
    };
    let rows: Vec<Vec<String>> = events.iter().map(row).collect();
    if shows_times {
        names.insert(0, "_time".to_owned());
    }
    table(&names, &rows)
}

fn groups_table(groups: &[GroupLine]) -> String {
    let Some(first) = groups.first() else { return "none\n".to_owned() };
    let start = first.start.as_ref().map(|_| "_time".to_owned());
    let names = first.keys.iter().chain(&first.results).map(|(name, _)| name.clone());
    let names: Vec<String> = start.into_iter().chain(names).collect();
    let row = |group: &GroupLine| -> Vec<String> {
        let values = group.keys.iter().chain(&group.results).map(|(_, value)| value.to_string());
        group.start.clone().into_iter().chain(values).collect()
    };
    table(&names, &groups.iter().map(row).collect::<Vec<_>>())
}

/// Columns side by side, as wide as their longest value.
fn table(names: &[String], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return "none\n".to_owned();
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|row| &row[column]).chain([&names[column]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(names).chain(rows.iter().map(Vec::as_slice)) {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        push(&mut text, cells.join("  ").trim_end());
    }
    text
}

/// The lines that differ, with the line before them.
fn difference(path: &Path, text: &str, again: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (old, new): (Vec<&str>, Vec<&str>) = (text.lines().collect(), again.lines().collect());
    let mut report = String::new();
    for number in 0..old.len().max(new.len()) {
        let (old, new) = (old.get(number), new.get(number));
        if old != new {
            let before = text.lines().nth(number.wrapping_sub(1)).unwrap_or_default();
            let show = |line: Option<&&str>| line.map_or("(end of file)", |line| line).to_owned();
            report.push_str(&format!(
                "{name}:{}\n    {before}\n  - {}\n  + {}\n",
                number + 1,
                show(old),
                show(new)
            ));
        }
    }
    report
}

/// A body with the range of the events in `tests/data`, unless it has its own, and with cursors in place of `<row 3>`.
pub(crate) fn completed(body: &Json, row_id: impl Fn(i64) -> String) -> Json {
    let mut body: Map<String, Json> = body.as_object().cloned().unwrap_or_default();
    for (name, value) in
        [("startTime", "2027-01-14T00:00:00Z"), ("endTime", "2027-01-14T01:00:00Z"), ("resolution", "auto")]
    {
        body.entry(name).or_insert_with(|| Json::from(value));
    }
    let cursor = body.get("cursor").and_then(Json::as_str).and_then(|text| text.strip_prefix("<row "));
    if let Some(number) = cursor.and_then(|text| text.strip_suffix('>')) {
        let id = row_id(number.parse().unwrap());
        body.insert("cursor".to_owned(), Json::from(id));
    }
    Json::Object(body)
}

pub(crate) fn float(value: f64) -> Json {
    Number::from_f64(value).map_or(Json::Null, Json::Number)
}

/// Reads JSON such that every float is the one that is written.
pub(crate) fn exact(json: &str) -> Json {
    let json = json.trim();
    match json.as_bytes().first() {
        Some(b'[') => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(json).unwrap();
            Json::Array(elements.iter().map(|element| exact(element.get())).collect())
        }
        Some(b'{') => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).unwrap();
            Json::Object(members.iter().map(|(name, member)| (name.clone(), exact(member.get()))).collect())
        }
        // Only a float knows minus zero.
        _ if json == "-0" => float(-0.0),
        Some(b'-' | b'0'..=b'9') => {
            let long = || json.parse::<u64>().map(Json::from);
            let whole = json.parse::<i64>().map(Json::from).or_else(|_| long());
            whole.unwrap_or_else(|_| float(json.parse().unwrap()))
        }
        _ => serde_json::from_str(json).unwrap(),
    }
}
