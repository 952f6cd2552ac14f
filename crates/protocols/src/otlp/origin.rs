//! Where events come from: a resource, and in it a scope. Both are said once for many events and are fields of each.

use std::borrow::Cow;

use tidegauge_ingest::Events;

use super::any::pair;
use super::attributes::{Attributes, Owner};
use crate::answer::Problem;
use crate::protobuf::{Broken, Message};
use crate::series_name::{Part, SeriesName};
use crate::slot::Slot;

/// The resource and the scope of the events in hand.
#[derive(Debug)]
pub(super) struct Origin<'a> {
    resource: Attributes<'a>,
    scope: Attributes<'a>,
    scope_name: Cow<'a, str>,
    scope_version: Cow<'a, str>,
    name_slot: Slot,
    version_slot: Slot,
    of_resource: SeriesName,
    of_scope: SeriesName,
}

/// Reads the messages of one signal: resources (field 1) that hold themselves (1) and scopes (2), which hold themselves
/// (1) and what is wanted (2). The numbers are the same for logs, spans and metrics.
pub(super) fn each<'a>(
    body: &'a [u8],
    events: &mut Events<'_>,
    mut take: impl FnMut(&'a [u8], &mut Origin<'a>, &mut Events<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut origin = Origin::new(events);
    for resource in inner(body, 1) {
        let resource = resource?;
        origin.begin_resource(resource, events)?;
        for scope in inner(resource, 2) {
            let scope = scope?;
            origin.begin_scope(scope, events)?;
            for message in inner(scope, 2) {
                take(message?, &mut origin, events)?;
            }
        }
    }
    Ok(())
}

/// The messages of one field.
pub(super) fn inner(message: &[u8], wanted: u32) -> impl Iterator<Item = Result<&[u8], Broken>> {
    Message::new(message).filter_map(move |field| match field {
        Ok((number, value)) if number == wanted => Some(value.bytes()),
        Ok(_) => None,
        Err(broken) => Some(Err(broken)),
    })
}

impl<'a> Origin<'a> {
    fn new(events: &Events<'_>) -> Self {
        Self {
            resource: Attributes::new(Owner::Resource, events),
            scope: Attributes::new(Owner::Scope, events),
            scope_name: Cow::Borrowed(""),
            scope_version: Cow::Borrowed(""),
            name_slot: Slot::new("scope.name"),
            version_slot: Slot::new("scope.version"),
            of_resource: SeriesName::default(),
            of_scope: SeriesName::default(),
        }
    }

    fn begin_resource(&mut self, message: &'a [u8], events: &mut Events<'_>) -> Result<(), Problem> {
        self.resource.start();
        self.of_resource = SeriesName::default();
        for resource in inner(message, 1) {
            for attribute in inner(resource?, 1) {
                let attribute = attribute?;
                self.of_resource.add(Part::Resource, attribute);
                let (name, value) = pair(attribute)?;
                self.resource.put(&name, value, events)?;
            }
        }
        Ok(())
    }

    fn begin_scope(&mut self, message: &'a [u8], events: &mut Events<'_>) -> Result<(), Problem> {
        self.scope.start();
        self.of_scope = SeriesName::default();
        (self.scope_name, self.scope_version) = (Cow::Borrowed(""), Cow::Borrowed(""));
        for scope in inner(message, 1) {
            for field in Message::new(scope?) {
                match field? {
                    (1, value) => self.scope_name = value.text()?,
                    (2, value) => self.scope_version = value.text()?,
                    (3, value) => {
                        self.of_scope.add(Part::Scope, value.bytes()?);
                        let (name, value) = pair(value.bytes()?)?;
                        self.scope.put(&name, value, events)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// What both say of the series of the points in them.
    pub(super) fn series(&self) -> SeriesName {
        let mut name = self.of_resource.and(self.of_scope);
        name.add_pair(Part::Scope, &self.scope_name, &self.scope_version);
        name
    }

    /// Adds both to the event in hand.
    pub(super) fn write(&mut self, events: &mut Events<'_>) {
        self.resource.write(events);
        self.name_slot.text(&self.scope_name, events);
        self.version_slot.text(&self.scope_version, events);
        self.scope.write(events);
    }
}
