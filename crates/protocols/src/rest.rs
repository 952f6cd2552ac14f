//! A map for values whose field the dataset does not take, or that should have none: such a value is kept, and the
//! event with it. Without it a dataset that is full would lose whole events of senders that cannot be told. So the map
//! itself is taken though the dataset is full.

use tidegauge_ingest::{Events, Field};

use crate::json_text::JsonText;
use crate::names::Names;

/// Where the values of a name go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Field(Field),
    Rest,
}

/// The values of one event that have no field, as one map.
#[derive(Debug)]
pub(crate) struct Rest {
    map: &'static str,
    text: JsonText,
}

impl Rest {
    pub(crate) fn new(map: &'static str) -> Self {
        Self { map, text: JsonText::default() }
    }

    /// Begins another event.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
    }

    /// The text to add a value to, behind its name.
    pub(crate) fn member(&mut self, name: &str) -> &mut JsonText {
        if self.text.len() == 0 {
            self.text.open('{');
        }
        self.text.name(name);
        &mut self.text
    }

    /// The text of the map, if there is a value in it.
    pub(crate) fn finished(&mut self) -> Option<&str> {
        if self.text.len() == 0 {
            return None;
        }
        self.text.close('}');
        Some(self.text.as_str())
    }

    /// Adds the map to the event in hand.
    pub(crate) fn write(&mut self, events: &mut Events<'_>) {
        let map = self.map;
        if let Some(text) = self.finished()
            && let Some(field) = events.layout_field(map)
        {
            events.map(field, text);
        }
    }
}

/// Names of texts that become fields as they are, with a map for those that cannot.
#[derive(Debug)]
pub(crate) struct TextFields {
    prefix: &'static str,
    names: Names<Spot>,
    rest: Rest,
}

impl TextFields {
    pub(crate) fn new(prefix: &'static str, map: &'static str) -> Self {
        Self { prefix, names: Names::default(), rest: Rest::new(map) }
    }

    /// Begins another event.
    pub(crate) fn start(&mut self) {
        self.names.start();
        self.rest.clear();
    }

    pub(crate) fn put(&mut self, name: &str, text: &str, events: &mut Events<'_>) {
        match self.spot(name, events) {
            Spot::Field(field) => events.string(field, text),
            Spot::Rest => self.rest.member(name).string(text),
        }
    }

    fn spot(&mut self, name: &str, events: &mut Events<'_>) -> Spot {
        if let Some(spot) = self.names.find(name) {
            return spot;
        }
        let field = match self.prefix {
            "" => events.admitted(name),
            prefix => events.admitted(&format!("{prefix}{name}")),
        };
        let spot = field.map_or(Spot::Rest, Spot::Field);
        // A failing event is not asked for its fields, so that it says nothing about the next.
        if !events.is_failing() {
            self.names.add(name, spot);
        }
        spot
    }

    /// Adds what has no field to the event in hand.
    pub(crate) fn end(&mut self, events: &mut Events<'_>) {
        self.rest.write(events);
    }
}
