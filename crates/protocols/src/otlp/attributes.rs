//! Where attributes go: into a field each as far as their names are known and the dataset takes them, the others into
//! one map, which a dataset takes though it is full. Attributes of a resource are placed once and written for each of
//! its events.

use std::borrow::Cow;

use tidegauge_ingest::{Events, Field};

use super::any::{Any, pairs_of};
use super::known::{is_known, is_top_level};
use crate::answer::Problem;
use crate::json_text::JsonText;
use crate::names::Names;
use crate::rest::Spot;

/// One owner has no more attributes with fields of their own: they are held until they are written, for each of its events.
const PLACED_MAX: usize = 65_536;

/// What attributes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A record, a span or a point.
    Event,
    Resource,
    Scope,
    /// The names below `body`, which are all taken for known.
    Body,
}

impl Owner {
    fn prefix(self) -> &'static str {
        match self {
            Self::Event => "attributes",
            Self::Resource => "resource",
            Self::Scope => "scope",
            Self::Body => "body",
        }
    }

    /// The map for those that have no field.
    fn rest(self) -> &'static str {
        match self {
            Self::Event => "attributes.custom",
            Self::Resource => "resource.custom",
            Self::Scope => "scope.custom",
            Self::Body => "body.custom",
        }
    }

    fn field(self, name: &str) -> Option<String> {
        match self {
            Self::Resource if is_top_level(name) => Some(name.to_owned()),
            Self::Event | Self::Resource => is_known(name).then(|| format!("{}.{name}", self.prefix())),
            Self::Scope => None,
            Self::Body => Some(format!("body.{name}")),
        }
    }
}

/// A value with its field.
#[derive(Debug)]
enum Placed<'a> {
    Text(Cow<'a, str>),
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Array(String),
}

/// The attributes of one owner, and what is known about the names of those before.
#[derive(Debug)]
pub(super) struct Attributes<'a> {
    owner: Owner,
    names: Names<Spot>,
    placed: Vec<(Field, Placed<'a>)>,
    /// The rest, as the text of a map, which is open until it is written.
    rest: JsonText,
    is_closed: bool,
    rest_field: Option<Field>,
    /// The dataset keeps all of them in one map.
    is_map: bool,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(owner: Owner, events: &Events<'_>) -> Self {
        Self {
            owner,
            names: Names::default(),
            placed: Vec::new(),
            rest: JsonText::default(),
            is_closed: false,
            rest_field: None,
            is_map: events.is_map(owner.prefix()),
        }
    }

    /// Begins with the attributes of another.
    pub(super) fn start(&mut self) {
        self.names.start();
        self.placed.clear();
        self.rest.clear();
        self.is_closed = false;
    }

    pub(super) fn put(&mut self, name: &str, value: Any<'a>, events: &mut Events<'_>) -> Result<(), Problem> {
        self.put_at(name, value, 1, events)
    }

    fn put_at(
        &mut self,
        name: &str,
        value: Any<'a>,
        depth: usize,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        let depth_max = events.limits().depth_max;
        if let Any::List(pairs) = value
            && depth < depth_max
            && !self.is_map
            && self.owner.field(&format!("{name}.x")).is_some()
        {
            for pair in pairs_of(pairs) {
                let (inner, value) = pair?;
                self.put_at(&format!("{name}.{inner}"), value, depth + 1, events)?;
            }
            return Ok(());
        }
        if value == Any::Empty {
            return Ok(());
        }
        let Spot::Field(field) = self.spot(name, events) else {
            if self.rest.len() == 0 {
                self.rest.open('{');
            }
            self.rest.name(name);
            return Ok(value.write(&mut self.rest, depth, depth_max)?);
        };
        let placed = match value {
            Any::Text(text) => Placed::Text(text),
            Any::Boolean(value) => Placed::Boolean(value),
            Any::Integer(value) => Placed::Integer(value),
            Any::Float(value) => Placed::Float(value),
            container @ (Any::Array(_) | Any::List(_)) => {
                let mut text = JsonText::default();
                container.write(&mut text, depth, depth_max)?;
                // Only what is nested too deep to have names is a list here, and that is null.
                if text.as_str() == "null" {
                    return Ok(());
                }
                Placed::Array(text.as_str().to_owned())
            }
            Any::Empty => return Ok(()),
        };
        if self.placed.len() >= PLACED_MAX {
            let message = format!("a resource or an event has more than {PLACED_MAX} attributes");
            return Err(Problem::too_large(message));
        }
        self.placed.push((field, placed));
        Ok(())
    }

    #[inline]
    fn spot(&mut self, name: &str, events: &mut Events<'_>) -> Spot {
        match self.names.find(name) {
            Some(spot) => spot,
            None => self.new_spot(name, events),
        }
    }

    fn new_spot(&mut self, name: &str, events: &mut Events<'_>) -> Spot {
        let wanted = if self.is_map { None } else { self.owner.field(name) };
        let field = wanted.and_then(|name| events.admitted(&name));
        let spot = field.map_or(Spot::Rest, Spot::Field);
        if !events.is_failing() {
            self.names.add(name, spot);
        }
        spot
    }

    /// Adds the attributes to the event in hand.
    pub(super) fn write(&mut self, events: &mut Events<'_>) {
        for (field, placed) in &self.placed {
            match placed {
                Placed::Text(text) => events.string(*field, text),
                Placed::Boolean(value) => events.boolean(*field, *value),
                Placed::Integer(value) => events.integer(*field, *value),
                Placed::Float(value) => events.float(*field, *value),
                Placed::Array(text) => events.array(*field, text),
            }
        }
        if self.rest.len() == 0 {
            return;
        }
        if self.rest_field.is_none() {
            let name = if self.is_map { self.owner.prefix() } else { self.owner.rest() };
            self.rest_field = events.layout_field(name);
        }
        if let Some(field) = self.rest_field {
            if !std::mem::replace(&mut self.is_closed, true) {
                self.rest.close('}');
            }
            events.map(field, self.rest.as_str());
        }
    }
}
