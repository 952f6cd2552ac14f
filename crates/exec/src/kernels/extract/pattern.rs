//! Patterns of constants and columns, as `parse` has them: plain texts that are searched for one after the other, or
//! regular expressions with a group for each column.

use std::borrow::Cow;

use memchr::memmem::Finder;
use regex::Regex;
use tidegauge_lang::tree::{Column, ParsePart, Type};

use super::{Extract, Found};
use crate::kernels::cells::Cell;
use crate::kernels::text;

/// What a group of a regular expression is called that belongs to a column, before its number.
const GROUP: &str = "tidegauge_column_";

/// Constants that stand in the text one after the other, with columns between them.
#[derive(Debug)]
pub struct Plain {
    steps: Vec<Step>,
}

/// A column, or anything, up to a constant.
#[derive(Debug)]
struct Step {
    /// The place of the column that is filled, and its type.
    column: Option<(usize, Type)>,
    /// Whether anything may stand between the column and the constant.
    has_skip: bool,
    /// The constant at the end; none is the end of the text.
    until: Option<Finder<'static>>,
}

impl Plain {
    pub fn new(pattern: &[ParsePart]) -> Self {
        let mut steps = Vec::new();
        let mut columns = 0;
        let mut step = Step { column: None, has_skip: false, until: None };
        let empty = || Step { column: None, has_skip: false, until: None };
        for part in pattern {
            match part {
                ParsePart::Skip => step.has_skip = true,
                ParsePart::Column(column) => {
                    step.column = Some((columns, column.kind));
                    columns += 1;
                }
                ParsePart::Text(text) => {
                    step.until = Some(Finder::new(text.as_bytes()).into_owned());
                    steps.push(std::mem::replace(&mut step, empty()));
                }
            }
        }
        if step.column.is_some() || step.has_skip {
            steps.push(step);
        }
        Self { steps }
    }
}

impl Extract for Plain {
    fn extract<'t>(&self, text: &'t str, found: &mut [Option<Found<'t>>]) -> bool {
        let mut rest = text;
        for step in &self.steps {
            let (before, after) = match &step.until {
                None => (rest, ""),
                Some(until) => {
                    let Some(at) = until.find(rest.as_bytes()) else { return false };
                    (&rest[..at], &rest[at + until.needle().len()..])
                }
            };
            rest = after;
            match step.column {
                None if !step.has_skip && !before.is_empty() => return false,
                None => {}
                Some((place, kind)) if step.has_skip && kind != Type::String => {
                    found[place] = Cell::read_start(kind, before).map(|(cell, _)| Found::Cell(cell));
                }
                Some((place, _)) => found[place] = Some(Found::Text(Cow::Borrowed(before))),
            }
        }
        true
    }
}

/// A regular expression with the groups of columns.
#[derive(Debug)]
pub struct Groups {
    regex: Regex,
    /// The group of each column.
    groups: Vec<usize>,
}

impl Groups {
    /// The expression, and its columns: those of the pattern, and groups with names in its constants.
    pub fn new(pattern: &[ParsePart], flags: &str) -> Result<(Self, Vec<Column>), regex::Error> {
        let mut source = String::new();
        if !flags.is_empty() {
            source.push_str(&format!("(?{flags})"));
        }
        let mut columns: Vec<&Column> = Vec::new();
        for part in pattern {
            match part {
                ParsePart::Skip => source.push_str(".*?"),
                ParsePart::Text(text) => source.push_str(&format!("(?:{text})")),
                ParsePart::Column(column) => {
                    let form = match column.kind {
                        Type::Integer => r"\s*-?\d+",
                        Type::Float => r"\s*-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?",
                        Type::Boolean => r"\w+",
                        _ => ".*",
                    };
                    source.push_str(&format!("(?P<{GROUP}{}>{form})", columns.len()));
                    columns.push(column);
                }
            }
        }
        let regex = text::regex(&source)?;
        let mut named = Vec::new();
        for (group, name) in regex.capture_names().enumerate() {
            let Some(name) = name else { continue };
            let number = name.strip_prefix(GROUP).and_then(|number| number.parse::<usize>().ok());
            let column = match number.and_then(|number| columns.get(number)) {
                Some(column) => (*column).clone(),
                None => Column { name: name.to_owned(), kind: Type::String },
            };
            named.push((group, column));
        }
        let (groups, columns) = named.into_iter().unzip();
        Ok((Self { regex, groups }, columns))
    }
}

impl Extract for Groups {
    fn extract<'t>(&self, text: &'t str, found: &mut [Option<Found<'t>>]) -> bool {
        let Some(captures) = self.regex.captures(text) else { return false };
        for (found, group) in found.iter_mut().zip(&self.groups) {
            // A group that took no part says nothing.
            let text = captures.get(*group).map_or("", |group| group.as_str());
            *found = Some(Found::Text(Cow::Borrowed(text)));
        }
        true
    }
}
