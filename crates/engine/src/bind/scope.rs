//! The names that an expression can use: the fields of the dataset and what the query computed before. Each typed
//! column of a field that is used becomes an input of the scan, once.

use std::sync::Arc;

use hashbrown::HashMap;
use tidegauge_lang::tree::{Literal, Type};
use tidegauge_model::FieldKind;
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_store::{DatasetState, Kinds};

use crate::Result;
use crate::expr::Typed;
use crate::functions::member;
use crate::types::type_of;
use crate::value::Value;

/// The field that holds when an event arrived.
pub(crate) const ARRIVAL_FIELD: &str = "_sysTime";

/// A column that the scan reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum InputColumn {
    Time,
    Arrival,
    Field(Arc<str>, FieldKind),
}

/// The names of one dataset's events, and the inputs that were asked for so far.
#[derive(Debug)]
pub(crate) struct Scope {
    /// None where an expression stands by itself.
    dataset: Option<Arc<DatasetState>>,
    now: i64,
    inputs: Vec<InputColumn>,
    places: HashMap<InputColumn, usize>,
    computed: HashMap<String, Value>,
    missing: Vec<String>,
}

impl Scope {
    pub(crate) fn new(dataset: Arc<DatasetState>, now: i64) -> Self {
        Self { dataset: Some(dataset), ..Self::without_dataset(now) }
    }

    /// For expressions that read no field of a dataset.
    pub(crate) fn without_dataset(now: i64) -> Self {
        Self {
            dataset: None,
            now,
            inputs: Vec::new(),
            places: HashMap::new(),
            computed: HashMap::new(),
            missing: Vec::new(),
        }
    }

    pub(crate) fn now(&self) -> i64 {
        self.now
    }

    pub(crate) fn inputs(&self) -> &[InputColumn] {
        &self.inputs
    }

    /// Fields that were asked for and that no event has had.
    pub(crate) fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Gives a computed value a name, which hides a field of that name.
    pub(crate) fn define(&mut self, name: &str, value: Value) {
        self.computed.insert(name.to_owned(), value);
    }

    pub(crate) fn is_computed(&self, name: &str) -> bool {
        self.computed.contains_key(name)
    }

    /// Whether events have had a field of this name.
    pub(crate) fn is_stored(&self, name: &str) -> bool {
        self.dataset.as_ref().is_some_and(|dataset| dataset.has_field(name))
    }

    /// The fields of the dataset; none where they are more than so many.
    pub(crate) fn stored_fields(&self, max: usize) -> Option<Vec<(String, Kinds)>> {
        let Some(dataset) = &self.dataset else { return Some(Vec::new()) };
        if dataset.field_count() > max {
            return None;
        }
        let fields = dataset.fields().into_iter();
        Some(fields.map(|(name, kinds)| (name, kinds.into_iter().collect())).collect())
    }

    /// The time of events, whatever the query computed by that name.
    pub(crate) fn time(&mut self) -> Typed {
        self.input(InputColumn::Time, Type::Datetime)
    }

    /// A field by its name. One that no event has had is null.
    pub(crate) fn field(&mut self, name: &str) -> Result<Value> {
        if let Some(value) = self.computed.get(name) {
            return Ok(value.clone());
        }
        if name == TIME_FIELD {
            return Ok(self.time().into());
        }
        if name == ARRIVAL_FIELD {
            return Ok(self.input(InputColumn::Arrival, Type::Datetime).into());
        }
        let value = self.stored(name);
        if !value.is_null() {
            return Ok(value);
        }
        if let Some(value) = self.inside_map(name)? {
            return Ok(value);
        }
        if !self.missing.iter().any(|missing| missing == name) {
            self.missing.push(name.to_owned());
        }
        Ok(Value::NULL)
    }

    fn kinds(&self, name: &str) -> Vec<FieldKind> {
        self.dataset.as_ref().map(|dataset| dataset.kinds(name)).unwrap_or_default()
    }

    fn stored(&mut self, name: &str) -> Value {
        let kinds = self.kinds(name);
        let field: Arc<str> = Arc::from(name);
        let variants = kinds
            .into_iter()
            .map(|kind| self.input(InputColumn::Field(Arc::clone(&field), kind), type_of(kind)));
        Value { variants: variants.collect() }
    }

    /// `a.b.c` may be `c` in a map that is called `a.b`.
    fn inside_map(&mut self, name: &str) -> Result<Option<Value>> {
        for (dot, _) in name.rmatch_indices('.') {
            let map = &name[..dot];
            if self.kinds(map).contains(&FieldKind::Map) {
                let key = Value::literal(&Literal::String(name[dot + 1..].to_owned()));
                let of = self.stored(map);
                return member::member(&of, &key).map(Some);
            }
        }
        Ok(None)
    }

    fn input(&mut self, column: InputColumn, kind: Type) -> Typed {
        let next = self.inputs.len();
        let place = *self.places.entry(column.clone()).or_insert(next);
        if place == next {
            self.inputs.push(column);
        }
        Typed::input(kind, place)
    }
}
