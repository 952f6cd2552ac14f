//! The fields that a reader knows: their stored names, the column of each type, and whether they were admitted.

use std::borrow::Cow;
use std::sync::Arc;

use tidegauge_model::columns::{Column, FieldKind, RESERVED_FIELDS, TIME_FIELD};

use super::field::{Field, TIME_FALLBACK, TIME_NAMED, UNADMITTED};
use super::{NONE, Rows};
use crate::limits::FieldGate;

/// The name under which a flattened name is stored: an event that has a reserved one keeps it under another. `_source` and `_source.a` are both reserved, because the second
/// is the same field as `a` in an object `_source`.
pub(crate) fn stored_name(flattened: &str) -> Cow<'_, str> {
    if !flattened.starts_with('_') {
        return Cow::Borrowed(flattened);
    }
    let first = flattened.split('.').next().unwrap_or(flattened);
    if RESERVED_FIELDS.contains(&first) {
        Cow::Owned(format!("_user{flattened}"))
    } else {
        Cow::Borrowed(flattened)
    }
}

impl Rows {
    /// The field of a flattened name, or nothing if the event in hand fails because of it.
    pub(crate) fn resolve(&mut self, flattened: &str, gate: &dyn FieldGate) -> Option<u32> {
        let name = stored_name(flattened);
        let known = self.by_name.get(name.as_ref()).copied();
        if let Some(field) = known
            && !self.needs_admission(field)
        {
            return Some(field);
        }
        // A failing event stores nothing, so it must not make the dataset take fields.
        if self.is_failing() {
            return None;
        }
        if name.is_empty() {
            self.fail(|| "a field has an empty name; give it one".to_owned());
            return None;
        }
        let limit = self.limits.name_bytes_max;
        if name.len() > limit {
            let start: String = name.chars().take(32).collect();
            self.fail(|| format!("the field name \"{start}…\" is longer than {limit} bytes; shorten it"));
            return None;
        }
        if name.contains('\0') {
            // Not every database that keeps the names can keep this character.
            self.fail(|| "a field name has the NUL character in it; leave it out".to_owned());
            return None;
        }
        if !gate.admit(&name) {
            self.fail(|| format!("field \"{name}\" would exceed the limit of fields of this dataset"));
            return None;
        }
        Some(self.take_in(known, &name))
    }

    /// The same without a failure: nothing if the name is none for a field, or the dataset does not take it.
    pub(crate) fn resolve_quietly(&mut self, flattened: &str, gate: &dyn FieldGate) -> Option<u32> {
        let name = stored_name(flattened);
        let known = self.by_name.get(name.as_ref()).copied();
        if let Some(field) = known
            && !self.needs_admission(field)
        {
            return Some(field);
        }
        if self.is_failing() || !self.is_name(&name) || !gate.admit(&name) {
            return None;
        }
        Some(self.take_in(known, &name))
    }

    /// The field of a layout, which a dataset takes though it is full; nothing if the event in hand fails anyway.
    pub(crate) fn resolve_always(&mut self, name: &'static str, gate: &dyn FieldGate) -> Option<u32> {
        debug_assert_eq!(stored_name(name), name, "a layout has no reserved name");
        let known = self.by_name.get(name).copied();
        if let Some(field) = known
            && !self.needs_admission(field)
        {
            return Some(field);
        }
        if self.is_failing() {
            return None;
        }
        gate.admit_always(name);
        Some(self.take_in(known, name))
    }

    fn is_name(&self, name: &str) -> bool {
        !name.is_empty() && name.len() <= self.limits.name_bytes_max && !name.contains('\0')
    }

    fn take_in(&mut self, known: Option<u32>, name: &str) -> u32 {
        let field = known.unwrap_or_else(|| self.add_field(name, 0));
        self.fields[field as usize].flags &= !UNADMITTED;
        self.unsettled.push(field);
        field
    }

    /// The field of a flattened name, if it is known.
    pub(crate) fn find(&self, flattened: &str) -> Option<u32> {
        self.by_name.get(stored_name(flattened).as_ref()).copied()
    }

    /// Times are never stored as fields, so the gate has no say in them.
    pub(crate) fn needs_admission(&self, field: u32) -> bool {
        self.fields[field as usize].flags == UNADMITTED
    }

    /// Whether the field gives the time of an event.
    pub(crate) fn is_time(&self, field: u32) -> bool {
        self.fields[field as usize].flags & (TIME_NAMED | TIME_FALLBACK) != 0
    }

    fn add_field(&mut self, name: &str, flags: u8) -> u32 {
        let name: Arc<str> = name.into();
        let id = self.fields.len() as u32;
        self.by_name.insert(Arc::clone(&name), id);
        self.fields.push(Field { stamp: 0, columns: [NONE; FieldKind::ALL.len()], flags, name });
        id
    }

    pub(super) fn add_column(&mut self, field: u32, kind: FieldKind) -> u32 {
        let column = self.columns.columns.len() as u32;
        let field = &mut self.fields[field as usize];
        field.columns[kind as usize] = column;
        self.columns.columns.push(Column::new(Arc::clone(&field.name), kind));
        column
    }

    pub(super) fn assign_time_fields(&mut self, timestamp_field: Option<&str>) {
        for field in &mut self.fields {
            field.flags &= UNADMITTED;
        }
        let named = stored_name(timestamp_field.unwrap_or(TIME_FIELD));
        // The fallback comes first: when both are the same field, it is the named one.
        for (name, flag) in [(TIME_FIELD, TIME_FALLBACK), (named.as_ref(), TIME_NAMED)] {
            let field = match self.by_name.get(name) {
                Some(field) => *field,
                None => self.add_field(name, UNADMITTED),
            };
            let flags = &mut self.fields[field as usize].flags;
            *flags = (*flags & UNADMITTED) | flag;
        }
    }

    /// A finished request settles the fields that it stored; the gate is asked again for the others, since the
    /// dataset has never seen them.
    pub(super) fn settle(&mut self) {
        let columns = &self.columns.columns;
        self.unsettled.retain(|field| {
            let stored = self.fields[*field as usize]
                .columns
                .iter()
                .any(|column| *column != NONE && !columns[*column as usize].rows.is_empty());
            !stored
        });
        self.withdraw_unsettled();
    }

    pub(super) fn withdraw_unsettled(&mut self) {
        for field in self.unsettled.drain(..) {
            self.fields[field as usize].flags |= UNADMITTED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_renamed_with_everything_below_them() {
        assert_eq!(stored_name("_sysTime"), "_user_sysTime");
        assert_eq!(stored_name("_source.a"), "_user_source.a");
        for kept in ["_sourceful", "source", "a._source", "_time", "_", ""] {
            assert_eq!(stored_name(kept), kept);
        }
    }
}
