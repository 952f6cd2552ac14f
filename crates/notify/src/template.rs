//! Templates of message bodies: the part of Go's text/template that custom webhooks use, namely variables, if with else
//! and end, a few functions, parentheses, pipes and trim markers. A template is checked when it is saved, with the place
//! of what is wrong. There are no loops, so that writing one ends, and what it writes is bounded.

mod cut;
mod parse;
mod render;

use std::fmt;

use tidegauge_model::message::Message;

pub(crate) use render::{action, group_keys, group_values, matched_event};

/// Most bytes of a template.
pub const TEMPLATE_BYTES_MAX: usize = 32 * 1024;

/// How deep conditions and parentheses may stand in each other.
const DEPTH_MAX: usize = 32;

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Vec<Node>);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Text(String),
    Print(Expression),
    If { branches: Vec<(Expression, Vec<Node>)>, otherwise: Vec<Node> },
}

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Variable(Variable),
    Text(String),
    Number(f64),
    Flag(bool),
    Nothing,
    Call(Function, Vec<Expression>),
}

/// What a template knows of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Action,
    MonitorId,
    Body,
    Description,
    QueryStartTime,
    QueryEndTime,
    Timestamp,
    Title,
    Value,
    MatchedEvent,
    GroupKeys,
    GroupValues,
}

const VARIABLES: [(&str, Variable); 12] = [
    ("Action", Variable::Action),
    ("MonitorID", Variable::MonitorId),
    ("Body", Variable::Body),
    ("Description", Variable::Description),
    ("QueryStartTime", Variable::QueryStartTime),
    ("QueryEndTime", Variable::QueryEndTime),
    ("Timestamp", Variable::Timestamp),
    ("Title", Variable::Title),
    ("Value", Variable::Value),
    ("MatchedEvent", Variable::MatchedEvent),
    ("GroupKeys", Variable::GroupKeys),
    ("GroupValues", Variable::GroupValues),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Eq,
    Ne,
    Not,
    And,
    Or,
    JsonObject,
    JsonArray,
}

/// With the fewest and the most arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 7] = [
    ("eq", Function::Eq, 2, 16),
    ("ne", Function::Ne, 2, 2),
    ("not", Function::Not, 1, 1),
    ("and", Function::And, 1, 16),
    ("or", Function::Or, 1, 16),
    ("jsonObject", Function::JsonObject, 1, 1),
    ("jsonArray", Function::JsonArray, 1, 1),
];

/// What is wrong with a template, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub problem: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.problem)
    }
}

impl Template {
    pub fn parse(text: &str) -> Result<Self, Mistake> {
        parse::parse(text).map(Self)
    }

    /// Writes a message. A value inside a JSON string is escaped so that it stays inside; elsewhere it stands as it is.
    /// None if it would be longer than is allowed.
    pub fn render(&self, message: &Message) -> Option<String> {
        render::render(&self.0, message)
    }
}
