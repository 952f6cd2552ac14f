//! Templates of message bodies: the part of Go's text/template that custom webhooks use, namely variables, if with else
//! and end, a few functions, parentheses, pipes and trim markers. A template is checked when it is saved, with the place
//! of what is wrong. There are no loops, so that writing one ends, and what it writes is bounded.

mod cut;
mod parse;
mod render;
mod tree;

use tidegauge_model::message::Message;

use tree::Node;

pub use cut::{Mistake, TEMPLATE_BYTES_MAX};
pub(crate) use render::{action, group_keys, group_values, matched_event};

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Vec<Node>);

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
