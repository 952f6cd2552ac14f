//! Where the values of fields are in a segment: in a column of their own, or among those that share one.

use hashbrown::HashMap;
use tidegauge_model::FieldKind;

use super::id::Kinds;
use crate::segment::{Description, REST};

/// Where the values of a field are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    /// The column of each kind that has one of its own.
    own: [Option<u32>; FieldKind::ALL.len()],
    /// The kinds that are in `_rest`.
    rest: Kinds,
}

/// Where one kind of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In a column of its own, at this place.
    Own(usize),
    Rest,
}

impl Places {
    /// Where the values of one kind are, if there are any.
    pub(super) fn home(&self, kind: FieldKind) -> Option<Home> {
        match self.own[kind as usize] {
            Some(place) => Some(Home::Own(place as usize)),
            None => self.rest.contains(kind).then_some(Home::Rest),
        }
    }
}

impl Home {
    /// The column of the file that is read for it.
    pub(super) fn column(self) -> usize {
        match self {
            Self::Own(place) => place,
            Self::Rest => REST,
        }
    }
}

/// The places of every field of a segment; none where it tells of a kind that is not known.
pub(super) fn of_fields(description: &Description) -> Option<HashMap<Box<str>, Places>> {
    let mut fields: HashMap<Box<str>, Places> = HashMap::new();
    for (place, column) in (REST as u32 + 1..).zip(&description.columns) {
        let kind = FieldKind::parse(&column.kind)?;
        if column.count > 0 {
            fields.entry(column.field.as_str().into()).or_default().own[kind as usize] = Some(place);
        }
    }
    for (field, kind, _) in &description.rest {
        let places = fields.entry(field.as_str().into()).or_default();
        places.rest = places.rest.with(FieldKind::parse(kind)?);
    }
    Some(fields)
}
