//! Names that lead into maps: `a.b.c` is what a field of that name holds, and also `b.c` in a map that is called `a`,
//! whether `b.c` is one key there or `c` stands in an object `b`.

use tidegauge_exec::operators::member;
use tidegauge_exec::operators::member::Inside;
use tidegauge_exec::{Result, Value};
use tidegauge_model::FieldKind;

use super::Scope;

impl Scope {
    /// What a name means inside the fields and values that it begins with; none where there is none of these.
    pub(super) fn inside(&mut self, name: &str) -> Result<Option<Value>> {
        let mut places = Vec::new();
        for (dot, _) in name.rmatch_indices('.') {
            let (of, path) = (&name[..dot], &name[dot + 1..]);
            let known = self.computed.get(of).cloned();
            let value = match known {
                Some(value) => Some(value),
                None if self.is_open() => self.is_map_of_dataset(of).then(|| self.stored(of)),
                None => self.constant(of),
            };
            if let Some(of) = value {
                places.push(Inside { of, path });
            }
        }
        if places.is_empty() {
            return Ok(None);
        }
        Ok(Some(member::inside(&Value::NULL, &places)?))
    }

    /// A field as it is stored, and in events that do not have it what the name means inside maps.
    pub(super) fn with_inside(&mut self, name: &str, stored: Value) -> Result<Value> {
        let mut places = Vec::new();
        for (dot, _) in name.rmatch_indices('.') {
            let (of, path) = (&name[..dot], &name[dot + 1..]);
            if self.is_map(of) {
                let of = match self.computed.get(of) {
                    Some(value) => value.clone(),
                    None => self.stored(of),
                };
                places.push(Inside { of, path });
            }
        }
        if places.is_empty() {
            return Ok(stored);
        }
        member::inside(&stored, &places)
    }

    /// Whether a name may also lead into maps of the events.
    pub fn may_be_inside(&self, name: &str) -> bool {
        name.rmatch_indices('.').any(|(dot, _)| self.is_map(&name[..dot]))
    }

    /// Whether a field is one of the events and holds maps.
    fn is_map(&self, name: &str) -> bool {
        match self.computed.get(name) {
            Some(value) => !self.defined.contains(name) && member::has_maps(value),
            None => self.is_open() && self.is_map_of_dataset(name),
        }
    }

    fn is_map_of_dataset(&self, name: &str) -> bool {
        self.kinds(name).contains(&FieldKind::Map)
    }
}
