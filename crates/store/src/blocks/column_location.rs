//! Where the values of fields are in a segment: in a column of their own, or among those that share one.

use hashbrown::HashMap;
use tidegauge_model::FieldKind;

use super::id::TypeSet;
use crate::segment::{Description, OVERFLOW};

/// Where the values of a field are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FieldLocation {
    /// The column of each kind that has one of its own.
    own: [Option<u32>; FieldKind::ALL.len()],
    /// The kinds that are in `_rest`.
    rest: TypeSet,
}

/// Where one kind of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnLocation {
    /// In a column of its own, at this place.
    Own(usize),
    Overflow,
}

impl FieldLocation {
    /// Where the values of one kind are, if there are any.
    pub(super) fn location(&self, kind: FieldKind) -> Option<ColumnLocation> {
        match self.own[kind as usize] {
            Some(place) => Some(ColumnLocation::Own(place as usize)),
            None => self.rest.contains(kind).then_some(ColumnLocation::Overflow),
        }
    }
}

impl ColumnLocation {
    /// The column of the file that is read for it.
    pub(super) fn column(self) -> usize {
        match self {
            Self::Own(place) => place,
            Self::Overflow => OVERFLOW,
        }
    }
}

/// The places of every field of a segment; none where it tells of a kind that is not known.
pub(super) fn of_fields(description: &Description) -> Option<HashMap<Box<str>, FieldLocation>> {
    let mut fields: HashMap<Box<str>, FieldLocation> = HashMap::new();
    for (place, column) in (OVERFLOW as u32 + 1..).zip(&description.columns) {
        let kind = FieldKind::parse(&column.kind)?;
        if column.count > 0 {
            fields.entry(column.field.as_str().into()).or_default().own[kind as usize] = Some(place);
        }
    }
    for (field, kind, _) in &description.rest {
        let locations = fields.entry(field.as_str().into()).or_default();
        locations.rest = locations.rest.with(FieldKind::parse(kind)?);
    }
    Some(fields)
}
