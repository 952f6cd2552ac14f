//! email: plain text. The same message has the same Message-ID, and the mails of an incident belong to one thread.

use tidegauge_model::message::Message;

use super::{Configured, Context, Mail};
use crate::text::{facts, key, or, short};

const SUBJECT_CHARACTERS: usize = 200;

/// Longest name that goes into a header as it is.
const THREAD_BYTES: usize = 64;

pub(super) fn write(configured: &Configured, message: &Message, context: &Context<'_>) -> Mail {
    let is_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let thread = match message.incident.as_str() {
        plain if is_plain(plain) && !plain.is_empty() => key(plain, THREAD_BYTES),
        // The digest of anything is plain.
        other => key(&format!("{other}{}", " ".repeat(THREAD_BYTES)), THREAD_BYTES),
    };
    let subject: String = message.title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Mail {
        to: configured.texts("emails"),
        subject: short(or(subject.trim(), "Tidegauge"), SUBJECT_CHARACTERS),
        text: text(message, context),
        id: context.id.as_str().to_owned(),
        thread,
    }
}

fn text(message: &Message, context: &Context<'_>) -> String {
    let mut text = String::new();
    for part in [&message.title, &message.body, &message.description] {
        if !part.is_empty() {
            text.push_str(part.trim_end());
            text.push_str("\n\n");
        }
    }
    for (name, value) in facts(message) {
        text.push_str(&format!("{name}: {value}\n"));
    }
    text.push_str(&format!("Time: {}\nMessage: {}\n", message.timestamp, context.id));
    text
}
