//! A field with a fixed name, which is looked for once in a request and then known. A dataset takes it though it is full,
//! so that no event fails for the layout of its protocol.

use tidegauge_ingest::{Events, Field};

#[derive(Debug)]
pub(crate) struct Slot {
    name: &'static str,
    field: Option<Field>,
}

impl Slot {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, field: None }
    }

    /// The field; nothing if the event in hand fails anyway.
    #[inline]
    fn get(&mut self, events: &mut Events<'_>) -> Option<Field> {
        if self.field.is_none() {
            self.field = events.layout_field(self.name);
        }
        self.field
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str, events: &mut Events<'_>) {
        if let Some(field) = self.get(events) {
            events.string(field, text);
        }
    }

    /// The same unless there is none.
    #[inline]
    pub(crate) fn text(&mut self, text: &str, events: &mut Events<'_>) {
        if !text.is_empty() {
            self.string(text, events);
        }
    }

    pub(crate) fn boolean(&mut self, value: bool, events: &mut Events<'_>) {
        if let Some(field) = self.get(events) {
            events.boolean(field, value);
        }
    }

    pub(crate) fn integer(&mut self, value: i64, events: &mut Events<'_>) {
        if let Some(field) = self.get(events) {
            events.integer(field, value);
        }
    }

    pub(crate) fn unsigned(&mut self, value: u64, events: &mut Events<'_>) {
        if let Some(field) = self.get(events) {
            events.unsigned(field, value);
        }
    }

    /// The same unless it is zero, which stands for none.
    pub(crate) fn count(&mut self, value: u64, events: &mut Events<'_>) {
        if value != 0 {
            self.unsigned(value, events);
        }
    }

    pub(crate) fn float(&mut self, value: f64, events: &mut Events<'_>) {
        if let Some(field) = self.get(events) {
            events.float(field, value);
        }
    }

    /// The JSON text of an array.
    pub(crate) fn array(&mut self, text: &str, events: &mut Events<'_>) {
        if let Some(field) = self.get(events) {
            events.array(field, text);
        }
    }
}
