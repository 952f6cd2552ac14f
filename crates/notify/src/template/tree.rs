//! The tree of a template, and the names that may stand in one: what a template knows of a message, and its functions.
//! What they do is left to `render`.

/// How deep conditions and parentheses may stand in each other.
pub(super) const DEPTH_MAX: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Text(String),
    Print(Expression),
    If { branches: Vec<(Expression, Vec<Node>)>, otherwise: Vec<Node> },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Variable(Variable),
    Text(String),
    Number(f64),
    Flag(bool),
    Nothing,
    Call(Function, Vec<Expression>),
}

/// What a template knows of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
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

pub(super) const VARIABLES: [(&str, Variable); 12] = [
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
pub(super) enum Function {
    Eq,
    Ne,
    Not,
    And,
    Or,
    JsonObject,
    JsonArray,
}

/// With the fewest and the most arguments.
pub(super) const FUNCTIONS: [(&str, Function, usize, usize); 7] = [
    ("eq", Function::Eq, 2, 16),
    ("ne", Function::Ne, 2, 2),
    ("not", Function::Not, 1, 1),
    ("and", Function::And, 1, 16),
    ("or", Function::Or, 1, 16),
    ("jsonObject", Function::JsonObject, 1, 1),
    ("jsonArray", Function::JsonArray, 1, 1),
];
