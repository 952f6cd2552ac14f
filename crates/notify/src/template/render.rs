//! Writes a message by a template. The text of the template tells where a JSON string begins and ends; a value inside
//! of one is escaped, so that whatever an event holds, it cannot leave the string.

use serde_json::{Value as Json, json};
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;

use super::tree::{Expression, Function, Node, Variable};
use crate::text::{go_time, number};

/// Most bytes of a body.
const BODY_BYTES_MAX: usize = 1 << 20;

enum Value {
    Text(String),
    Number(f64),
    Flag(bool),
    Json(Json),
}

impl Value {
    fn is_true(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0.0,
            Self::Flag(flag) => *flag,
            Self::Json(Json::Null) => false,
            Self::Json(Json::Array(items)) => !items.is_empty(),
            Self::Json(Json::Object(fields)) => !fields.is_empty(),
            Self::Json(_) => true,
        }
    }

    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Flag(one), Self::Flag(other)) => one == other,
            (Self::Json(one), Self::Json(other)) => one == other,
            _ => false,
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value) => number(*value).to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Json(json) => json.to_string(),
        }
    }

    /// As a part of a JSON document.
    fn into_json(self) -> Json {
        match self {
            Self::Text(text) => Json::String(text),
            Self::Number(value) => number(value),
            Self::Flag(flag) => Json::Bool(flag),
            Self::Json(json) => json,
        }
    }
}

/// What was written so far, and whether its end is inside a JSON string.
#[derive(Default)]
struct Output {
    text: String,
    in_string: bool,
    is_escaped: bool,
}

impl Output {
    fn push_text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                _ if self.is_escaped => self.is_escaped = false,
                '\\' if self.in_string => self.is_escaped = true,
                '"' => self.in_string = !self.in_string,
                _ => {}
            }
        }
        self.text.push_str(text);
    }

    fn push_value(&mut self, value: &Value) {
        let written = value.written();
        if !self.in_string {
            self.text.push_str(&written);
            return;
        }
        if self.is_escaped {
            // A backslash of the template must not take the first character of the value for its own.
            self.text.push('\\');
            self.is_escaped = false;
        }
        let quoted = Json::String(written).to_string();
        self.text.push_str(&quoted[1..quoted.len() - 1]);
    }
}

pub(super) fn render(nodes: &[Node], message: &Message) -> Option<String> {
    let mut output = Output::default();
    write(nodes, message, &mut output)?;
    Some(output.text)
}

fn write(nodes: &[Node], message: &Message, output: &mut Output) -> Option<()> {
    for node in nodes {
        match node {
            Node::Text(text) => output.push_text(text),
            Node::Print(expression) => output.push_value(&value(expression, message)),
            Node::If { branches, otherwise } => {
                let taken = branches.iter().find(|(condition, _)| value(condition, message).is_true());
                write(taken.map_or(otherwise, |(_, nodes)| nodes), message, output)?;
            }
        }
        if output.text.len() > BODY_BYTES_MAX {
            return None;
        }
    }
    Some(())
}

fn value(expression: &Expression, message: &Message) -> Value {
    match expression {
        Expression::Variable(variable) => known(*variable, message),
        Expression::Text(text) => Value::Text(text.clone()),
        Expression::Number(number) => Value::Number(*number),
        Expression::Flag(flag) => Value::Flag(*flag),
        Expression::Nothing => Value::Json(Json::Null),
        Expression::Call(function, arguments) => call(*function, arguments, message),
    }
}

fn call(function: Function, arguments: &[Expression], message: &Message) -> Value {
    let at = |index: usize| arguments.get(index).map_or(Value::Json(Json::Null), |one| value(one, message));
    match function {
        Function::Eq => {
            let first = at(0);
            Value::Flag(arguments.iter().skip(1).any(|other| value(other, message).equals(&first)))
        }
        Function::Ne => Value::Flag(!at(0).equals(&at(1))),
        Function::Not => Value::Flag(!at(0).is_true()),
        // As in Go, the value that decides is the result.
        Function::And => decided(arguments, message, false),
        Function::Or => decided(arguments, message, true),
        Function::JsonObject | Function::JsonArray => Value::Json(at(0).into_json()),
    }
}

fn decided(arguments: &[Expression], message: &Message, by: bool) -> Value {
    let mut last = Value::Json(Json::Null);
    for argument in arguments {
        last = value(argument, message);
        if last.is_true() == by {
            break;
        }
    }
    last
}

fn known(variable: Variable, message: &Message) -> Value {
    match variable {
        Variable::Action => Value::Text(action(message.state).to_owned()),
        Variable::MonitorId => Value::Text(message.monitor.as_str().to_owned()),
        Variable::Body => Value::Text(message.body.clone()),
        Variable::Description => Value::Text(message.description.clone()),
        Variable::QueryStartTime => Value::Text(go_time(message.query_start)),
        Variable::QueryEndTime => Value::Text(go_time(message.query_end)),
        Variable::Timestamp => Value::Text(go_time(message.timestamp)),
        Variable::Title => Value::Text(message.title.clone()),
        Variable::Value => Value::Number(message.value),
        Variable::MatchedEvent => Value::Json(matched_event(message)),
        Variable::GroupKeys => Value::Json(group_keys(message)),
        Variable::GroupValues => Value::Json(group_values(message)),
    }
}

/// The word for a state in bodies of webhooks.
pub(crate) fn action(state: AlertState) -> &'static str {
    match state {
        AlertState::Open => "Open",
        AlertState::Closed => "Closed",
    }
}

/// The event as JSON, or null.
pub(crate) fn matched_event(message: &Message) -> Json {
    let Some(text) = &message.matched_event else {
        return Json::Null;
    };
    serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone()))
}

pub(crate) fn group_keys(message: &Message) -> Json {
    match message.group.as_slice() {
        [] => Json::Null,
        group => json!(group.iter().map(|(key, _)| key).collect::<Vec<_>>()),
    }
}

pub(crate) fn group_values(message: &Message) -> Json {
    match message.group.as_slice() {
        [] => Json::Null,
        group => json!(group.iter().map(|(_, value)| value).collect::<Vec<_>>()),
    }
}
