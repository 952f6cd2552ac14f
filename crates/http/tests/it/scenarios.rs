//! Runs the scenarios of `tests/http/*.http`, and the examples of the reference: requests in order, each with the answer
//! that must come. The form is described in `tests/http/README.md`. Files are found at run time, so a new one needs no
//! rebuild.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tidegauge_app::audit_feed;
use tidegauge_model::{PaymentStatus, Role};

use crate::app::{Answer, TestApp};

/// Every scenario by its file's name.
pub(crate) fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/http");
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "http"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    files.extend(examples());
    files.sort();
    files
}

/// The examples of each page of the reference, as one scenario.
fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let folders = [folder.clone(), folder.join("senders")].into_iter();
    let entries = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let pages = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let scenario = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let parts = text.split("\n```http\n").skip(1).filter_map(|part| part.split("\n```").next());
        let steps: Vec<&str> = parts.collect();
        let name = format!("docs_{}", path.file_stem().unwrap().to_string_lossy());
        (!steps.is_empty()).then(|| (name, steps.join("\n---\n")))
    };
    pages.filter_map(scenario).collect()
}

pub(crate) async fn run(app: TestApp, text: String) {
    let mut scenario = Scenario { names: HashMap::new(), tokens: HashMap::new(), app };
    let start = [
        ("org", scenario.app.org.to_string()),
        ("other_org", scenario.app.other_org.to_string()),
        ("owner_id", scenario.app.owner.to_string()),
        ("owner", scenario.app.owner_token.clone()),
        ("other", scenario.app.other_token.clone()),
    ];
    scenario.names.extend(start.map(|(name, value)| (name.to_owned(), value)));
    let mut line = 1;
    for step in text.split("\n---\n") {
        scenario.step(line, step).await;
        line += step.lines().count() + 1;
    }
}

struct Scenario {
    app: TestApp,
    /// Captured values, to be put in for `{{name}}`.
    names: HashMap<String, String>,
    /// Tokens of members, made when first used.
    tokens: HashMap<String, String>,
}

/// One request of a scenario and what must come back.
#[derive(Default)]
struct Step {
    method: String,
    path: String,
    caller: String,
    headers: Vec<(String, String)>,
    body: String,
    status: u16,
    answer_headers: Vec<(String, String)>,
    answer: String,
}

impl Scenario {
    async fn step(&mut self, line: usize, text: &str) {
        let text: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let text = self.put_in(text.join("\n").trim());
        if text.is_empty() {
            return;
        }
        if let Some(command) = text.strip_prefix('!') {
            return self.operate(line, command.trim()).await;
        }
        let step = Step::parse(line, &text);
        let mut headers = step.headers.clone();
        if let Some(token) = self.token(&step.caller).await {
            headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        let has_type = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if !step.body.is_empty() && !has_type {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let answer = self.app.send_raw(&step.method, &step.path, &headers, bytes_of(&step.body)).await;
        self.compare(line, &step, &answer);
    }

    /// A line that begins with `!` acts as the operator or moves the clock.
    async fn operate(&mut self, line: usize, command: &str) {
        match command.split_once(' ') {
            Some(("clock", seconds)) => {
                let seconds = seconds.trim_start_matches('+').parse().unwrap();
                self.app.clock.advance(Duration::from_secs(seconds));
            }
            Some(("limit", limit)) => {
                let (name, value) = limit.split_once('=').unwrap();
                let value = value.parse().unwrap();
                let set = |org: &mut tidegauge_model::Org| {
                    let mut named = org.licence.limits.named();
                    **named.iter_mut().find(|(known, _)| *known == name).map(|(_, limit)| limit).unwrap() =
                        value;
                };
                self.app.operate(set).await;
            }
            Some(("payment", status)) => {
                let status = PaymentStatus::from_name(status).unwrap();
                let now = self.app.app.now();
                self.app.operate(|org| org.payment.move_to(status, now).unwrap()).await;
            }
            None if command == "feed" => audit_feed::step(&self.app.app).await.unwrap(),
            _ => panic!("line {line}: {command:?} is not a command"),
        }
    }

    /// The token of `as=`: a role makes a member, `none` sends none, anything else is the token itself.
    async fn token(&mut self, caller: &str) -> Option<String> {
        if caller == "none" {
            return None;
        }
        if let Some(known) = self.names.get(caller).or_else(|| self.tokens.get(caller)) {
            return Some(known.clone());
        }
        let Some(role) = Role::from_id(caller) else {
            return Some(caller.to_owned());
        };
        let token = self.app.member_token(role).await;
        self.tokens.insert(caller.to_owned(), token.clone());
        Some(token)
    }

    fn put_in(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.names {
            text = text.replace(&format!("{{{{{name}}}}}"), value);
        }
        text
    }

    fn compare(&mut self, line: usize, step: &Step, answer: &Answer) {
        let place = format!("step at line {line}: {} {}", step.method, step.path);
        assert_eq!(answer.status.as_u16(), step.status, "{place}\n{}", answer.text);
        for (name, wanted) in &step.answer_headers {
            let value = answer.headers.get(name).map(|value| value.to_str().unwrap());
            if let Some(capture) = wanted.strip_prefix("<capture:") {
                let value = value.unwrap_or_else(|| panic!("{place}: there is no header {name}"));
                self.names.insert(capture.trim_end_matches('>').to_owned(), value.to_owned());
                continue;
            }
            let fits =
                if wanted == "<absent>" { value.is_none() } else { value.is_some_and(|v| fits(wanted, v)) };
            assert!(fits, "{place}: header {name} is {value:?}, not {wanted:?}");
        }
        if step.answer == "<empty>" {
            assert_eq!(answer.text, "", "{place}");
        } else if !step.answer.is_empty() {
            let wanted = serde_json::from_str(&step.answer)
                .unwrap_or_else(|error| panic!("{place}: the expected answer is not JSON: {error}"));
            let found = answer.json();
            if let Err(problem) = self.matches("$", &wanted, &found) {
                panic!("{place}: {problem}\nanswer: {found:#}");
            }
        }
    }

    /// Objects may hold more than is asked for; everything else must be equal. Captures what is asked for.
    fn matches(&mut self, path: &str, wanted: &Value, found: &Value) -> Result<(), String> {
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, wanted) in wanted {
                    let path = format!("{path}.{key}");
                    match found.get(key) {
                        None if wanted == "<absent>" => {}
                        Some(_) if wanted == "<absent>" => return Err(format!("{path} should not be there")),
                        None => return Err(format!("{path} is missing")),
                        Some(found) => self.matches(&path, wanted, found)?,
                    }
                }
                Ok(())
            }
            (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
                let mut pairs = wanted.iter().zip(found).enumerate();
                pairs.try_for_each(|(i, (wanted, found))| self.matches(&format!("{path}.{i}"), wanted, found))
            }
            (Value::String(wanted), found) if wanted.starts_with("<capture:") => {
                let name = wanted.trim_start_matches("<capture:").trim_end_matches('>');
                assert!(
                    Role::from_id(name).is_none(),
                    "{path}: a captured value cannot have the name of a role"
                );
                let value = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
                self.names.insert(name.to_owned(), value);
                Ok(())
            }
            (Value::String(wanted), _) if wanted == "<any>" => Ok(()),
            (Value::String(wanted), Value::String(found)) if fits(wanted, found) => Ok(()),
            _ if wanted == found => Ok(()),
            _ => Err(format!("{path} is {found}, not {wanted}")),
        }
    }
}

/// Whether a text is the wanted one, where `<any>` stands for any text, also in the middle.
fn fits(wanted: &str, found: &str) -> bool {
    let mut parts = wanted.split("<any>");
    let Some(mut rest) = parts.next().and_then(|first| found.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

impl Step {
    fn parse(line: usize, text: &str) -> Self {
        let (request, answer) =
            text.split_once(">>> ").unwrap_or_else(|| panic!("line {line}: the step has no >>> STATUS"));
        let mut step = Self::default();
        let (head, rest) = request.split_once('\n').unwrap_or((request, ""));
        let mut words = head.split_whitespace();
        step.method = words.next().unwrap().to_owned();
        step.path = words.next().unwrap_or_else(|| panic!("line {line}: no path")).to_owned();
        step.caller = words.next().and_then(|word| word.strip_prefix("as=")).unwrap_or("none").to_owned();
        (step.headers, step.body) = headers_and_body(rest);
        let (status, rest) = answer.split_once('\n').unwrap_or((answer, ""));
        step.status =
            status.trim().parse().unwrap_or_else(|_| panic!("line {line}: {status:?} is not a status"));
        (step.answer_headers, step.answer) = headers_and_body(rest);
        step
    }
}

/// Lines of the form `name: value` up to the first other line, then the body. Space around it does not count; a last line
/// `<blank>` stands for an empty one.
fn headers_and_body(text: &str) -> (Vec<(String, String)>, String) {
    let mut headers = Vec::new();
    let mut rest = text;
    while let Some((line, after)) =
        rest.split_once('\n').or(Some((rest, ""))).filter(|(line, _)| is_header(line))
    {
        let (name, value) = line.split_once(':').unwrap();
        headers.push((name.trim().to_lowercase(), value.trim().to_owned()));
        rest = after;
    }
    let body = rest.trim();
    (headers, body.strip_suffix("<blank>").map_or_else(|| body.to_owned(), |body| format!("{body}\n")))
}

/// What is sent: the text as it is, or the bytes that the digits behind `<hex>` stand for.
fn bytes_of(body: &str) -> Vec<u8> {
    let Some(text) = body.strip_prefix("<hex>") else { return body.as_bytes().to_vec() };
    let digits: Vec<u8> = text.chars().filter_map(|it| it.to_digit(16)).map(|it| it as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn is_header(line: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    line.split_once(':').is_some_and(|(name, _)| is_name(name))
}
