//! A bulk request: lines in pairs, an action and its source. The request is parsed once into items, which keep where
//! their source stands and what became of them.

use std::collections::HashMap;

use tidegauge_ingest::{Events, InvalidJson, JsonWalk};

use super::items::{Action, Item, Span, State};
use super::{PRODUCT, status, write_error};
use crate::answer::{Answer, Problem};
use crate::json_text::JsonText;

/// More datasets in a request are an attempt on the time that it takes.
const DATASETS_MAX: usize = 64;

/// So many reasons are kept; the other items are told that there are more.
const REASONS_MAX: usize = 1000;

/// Places in a body are counted in 32 bits.
const BODY_BYTES_MAX: usize = u32::MAX as usize;

/// Which dataset the items are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// The address of the request names it, whatever the items say.
    Fixed(&'a str),
    /// Each item names it, or else the address does.
    Named { otherwise: Option<&'a str> },
}

/// A bulk request and what became of its items.
#[derive(Debug)]
pub struct Bulk<'a> {
    body: &'a [u8],
    items: Vec<Item>,
    datasets: Vec<String>,
    reasons: HashMap<u32, String>,
}

impl<'a> Bulk<'a> {
    /// Finds the items. An action that cannot be read ends the request: what comes after it has no meaning.
    pub fn parse(body: &'a [u8], target: Target<'_>, items_max: usize) -> Result<Self, Problem> {
        if body.len() > BODY_BYTES_MAX {
            return Err(Problem::too_large("the body is larger than 4 GiB; send it in smaller parts"));
        }
        let mut bulk = Self { body, items: Vec::new(), datasets: Vec::new(), reasons: HashMap::new() };
        let mut by_name = HashMap::new();
        let mut lines = Lines { body, position: 0, number: 0 };
        while let Some(line) = lines.next_filled() {
            if bulk.items.len() >= items_max {
                return Err(Problem::too_large(format!(
                    "the request has more than {items_max} items; send it in smaller parts"
                )));
            }
            let head = Head::read(&body[line.range()]).map_err(|reason| {
                Problem::malformed(format!("the action in line {} cannot be read: {reason}", lines.number))
            })?;
            let dataset = bulk.dataset(&head, target, &mut by_name, lines.number)?;
            let mut item = Item {
                action: head.action,
                dataset,
                id: Span::default(),
                source: Span::default(),
                state: State::Waiting,
            };
            item.id = head.id.map_or(Span::default(), |id| Span::within(line, id));
            if head.action != Action::Delete {
                item.source = lines.next().ok_or_else(|| {
                    Problem::malformed(format!("the action in line {} has no source behind it", lines.number))
                })?;
            }
            bulk.add(item);
        }
        Ok(bulk)
    }

    fn add(&mut self, item: Item) {
        if matches!(item.action, Action::Update | Action::Delete) {
            let action = item.action.word();
            let number = self.items.len() as u32;
            self.items.push(Item { state: State::Refused(400), ..item });
            self.note(number, || {
                format!("events cannot be changed: {action} is not supported, send index or create")
            });
        } else {
            self.items.push(item);
        }
    }

    fn dataset(
        &mut self,
        head: &Head,
        target: Target<'_>,
        by_name: &mut HashMap<String, u32>,
        line: u64,
    ) -> Result<u32, Problem> {
        let name = match target {
            Target::Fixed(name) => name,
            Target::Named { otherwise } => {
                head.index.as_deref().filter(|name| !name.is_empty()).or(otherwise).ok_or_else(|| {
                    Problem::malformed(format!("the action in line {line} names no \"_index\""))
                })?
            }
        };
        if let Some(known) = by_name.get(name) {
            return Ok(*known);
        }
        if self.datasets.len() >= DATASETS_MAX {
            return Err(Problem::too_large(format!(
                "the request names more than {DATASETS_MAX} datasets; send them apart"
            )));
        }
        let place = self.datasets.len() as u32;
        self.datasets.push(name.to_owned());
        by_name.insert(name.to_owned(), place);
        Ok(place)
    }

    /// The datasets that the items are for, each once.
    pub fn datasets(&self) -> &[String] {
        &self.datasets
    }

    /// What the items of one dataset count for: their sources, and for the first also all that is no source.
    pub fn bytes(&self, dataset: usize) -> u64 {
        let sources = |is_meant: &dyn Fn(usize) -> bool| -> u64 {
            let meant = self.items.iter().filter(|item| is_meant(item.dataset as usize));
            meant.map(|item| item.source.range().len() as u64).sum()
        };
        match dataset {
            0 => self.body.len() as u64 - sources(&|other| other != 0),
            _ => sources(&|other| other == dataset),
        }
    }

    /// Reads the items of one dataset. Each that is stored is 201 from then on, each that failed 400.
    pub fn read(&mut self, dataset: usize, events: &mut Events<'_>) -> Result<(), Problem> {
        for number in 0..self.items.len() {
            let item = self.items[number];
            if item.dataset as usize != dataset || item.state != State::Waiting {
                continue;
            }
            events.start();
            if let Err(InvalidJson { offset, reason }) = events.json_object(&self.body[item.source.range()]) {
                events.fail(|| format!("its source is no JSON object: {reason} at byte {offset}"));
            }
            if events.end()? {
                self.items[number].state = State::Stored;
                continue;
            }
            self.items[number].state = State::Refused(400);
            let index = events.ended() - 1;
            let listed = events.failures().last().filter(|failure| failure.index == index);
            let reason = listed.map_or("one of many events that failed", |failure| &failure.error).to_owned();
            self.note(number as u32, || reason);
        }
        Ok(())
    }

    /// Gives the items of one dataset the state of a problem, also those that were read: they are not stored.
    pub fn refuse(&mut self, dataset: usize, problem: &Problem) {
        let status = status(problem);
        for number in 0..self.items.len() {
            let item = &mut self.items[number];
            if item.dataset as usize == dataset && !matches!(item.state, State::Refused(_)) {
                item.state = State::Refused(status);
                self.note(number as u32, || problem.message.clone());
            }
        }
    }

    fn note(&mut self, item: u32, reason: impl FnOnce() -> String) {
        if self.reasons.len() < REASONS_MAX {
            self.reasons.insert(item, reason());
        }
    }

    /// The state of each item, in their order. Senders look for `"errors":false,"items":[` in it as text.
    pub fn answer(&self, took_ms: u64) -> Answer {
        let has_errors = self.items.iter().any(|item| item.state != State::Stored);
        let mut text = JsonText::default();
        text.open('{');
        text.name("took");
        text.unsigned(took_ms);
        text.name("errors");
        text.boolean(has_errors);
        text.name("items");
        text.open('[');
        for (number, item) in self.items.iter().enumerate() {
            self.write_item(number as u32, item, &mut text);
        }
        text.close(']');
        text.close('}');
        Answer::json(200, text.into_bytes()).header(PRODUCT.0, PRODUCT.1)
    }

    fn write_item(&self, number: u32, item: &Item, text: &mut JsonText) {
        text.separate();
        text.open('{');
        text.name(item.action.word());
        text.open('{');
        text.name("_index");
        text.string(self.datasets.get(item.dataset as usize).map_or("", String::as_str));
        if !item.id.is_empty() {
            text.name("_id");
            // It was read as a JSON value, and is written as it came.
            text.raw(std::str::from_utf8(&self.body[item.id.range()]).unwrap_or("\"\""));
        }
        let status = item.state.status();
        text.name("status");
        text.unsigned(u64::from(status));
        if status != 201 {
            text.name("error");
            let reason = self.reasons.get(&number).map_or("one of many items that failed", String::as_str);
            write_error(status, reason, text);
        }
        text.close('}');
        text.close('}');
    }
}

/// The lines of a body.
struct Lines<'a> {
    body: &'a [u8],
    position: usize,
    number: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Span> {
        let rest = self.body.get(self.position..).filter(|rest| !rest.is_empty())?;
        let start = self.position;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.position += length + 1;
        self.number += 1;
        Some(Span::new(start, start + length))
    }

    fn next_filled(&mut self) -> Option<Span> {
        loop {
            let line = self.next()?;
            if !self.body[line.range()].trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }
}

/// An action as its line has it.
struct Head {
    action: Action,
    index: Option<String>,
    /// Where the id stands in the line, as JSON.
    id: Option<(usize, usize)>,
}

impl Head {
    fn read(line: &[u8]) -> Result<Self, InvalidJson> {
        let mut walk = JsonWalk::new(line);
        let (mut action, mut index, mut id) = (None, None, None);
        walk.object(|walk, name| {
            let known =
                Action::parse(name).ok_or_else(|| walk.wrong("expected index, create, update or delete"))?;
            if action.replace(known).is_some() {
                return Err(walk.wrong("there is a second action"));
            }
            walk.object(|walk, name| {
                match name {
                    "_index" => index = Some(walk.text()?.into_owned()),
                    "_id" => {
                        let value = walk.value()?;
                        let is_scalar = matches!(value.first(), Some(b'"' | b'-' | b'0'..=b'9'));
                        let end = walk.offset();
                        id = is_scalar.then_some((end - value.len(), end));
                    }
                    _ => {
                        walk.value()?;
                    }
                }
                Ok::<_, InvalidJson>(())
            })
        })?;
        match action {
            Some(action) if walk.is_at_end() => Ok(Self { action, index, id }),
            _ => Err(walk.wrong("expected one action and nothing behind it")),
        }
    }
}
