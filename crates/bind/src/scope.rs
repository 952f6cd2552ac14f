//! The names that an expression can use: the fields of a dataset or the columns of a table, what the query computed
//! before, and values with names. Each typed column of a field that is used becomes an input of the scan, once.

mod fields;
mod maps;
mod shown;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use hashbrown::{HashMap, HashSet};
use tidegauge_exec::expr::Typed;
use tidegauge_exec::functions::Around;
use tidegauge_exec::types::type_of;
use tidegauge_exec::{ARRIVAL_FIELD, Error, InputColumn, Lookup, Notices, Result, Value};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, Named, Type};
use tidegauge_model::FieldKind;
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_store::{DatasetState, TypeSet};

use self::shown::Shown;
use crate::words::unknown_field;

/// What all expressions of a query can use.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub now: i64,
    /// Values by their names.
    pub constants: Arc<HashMap<String, Value>>,
    /// The length of the buckets that `bin_auto` makes, in nanoseconds.
    pub auto_step: Option<i64>,
    /// Every field that the query names.
    pub named: Arc<HashSet<String>>,
    pub lookup: Lookup,
    /// Whether comparisons of types that do not fit are refused.
    pub is_strict: bool,
    /// How many bytes of long constants were computed for the query so far.
    pub computed_bytes: Arc<AtomicUsize>,
    pub notices: Notices,
}

impl Surroundings {
    /// What functions may know of it.
    pub fn around(&self) -> Around<'_> {
        Around { now: self.now, lookup: &self.lookup, notices: &self.notices }
    }
}

/// A field that was asked for and that no event has had, and one that could be meant.
#[derive(Clone, Debug)]
pub struct Missing {
    pub name: String,
    pub near: Option<String>,
}

/// The names of one table's rows, and the inputs that were asked for so far.
#[derive(Debug)]
pub struct Scope {
    /// None where rows come from elsewhere.
    dataset: Option<Arc<DatasetState>>,
    surroundings: Surroundings,
    inputs: Vec<InputColumn>,
    places: HashMap<InputColumn, usize>,
    computed: HashMap<String, Value>,
    /// Of those, the ones that the query itself gave their values.
    defined: HashSet<String>,
    /// Fields that are computed when they are asked for, and those that were.
    virtual_fields: HashMap<String, Expr>,
    bound: HashMap<String, Value>,
    /// Fields that later stages name and that no answer shows.
    hidden: HashMap<String, Value>,
    shown: Shown,
    /// Whether rows were events when they were put in a table, so that events may have more fields than are known.
    is_of_events: bool,
    missing: Vec<Missing>,
    /// Virtual fields that cannot be computed.
    failed: Vec<String>,
}

impl Scope {
    pub fn new(dataset: Arc<DatasetState>, virtual_fields: &[Named], surroundings: Surroundings) -> Self {
        let named = Arc::clone(&surroundings.named);
        let mut scope = Self {
            dataset: Some(dataset),
            virtual_fields: virtual_fields
                .iter()
                .map(|field| (field.name.clone(), field.expr.clone()))
                .collect(),
            ..Self::without_dataset(surroundings)
        };
        // Those that are named somewhere are there for every stage, also for those that know no dataset any more.
        for field in virtual_fields.iter().filter(|field| named.contains(&field.name)) {
            if !scope.is_stored(&field.name)
                && let Some(value) = scope.virtual_field(&field.name)
            {
                scope.hidden.insert(field.name.clone(), value);
            }
        }
        scope
    }

    /// For expressions that read no field of a dataset.
    pub fn without_dataset(surroundings: Surroundings) -> Self {
        Self {
            dataset: None,
            surroundings,
            inputs: Vec::new(),
            places: HashMap::new(),
            computed: HashMap::new(),
            defined: HashSet::new(),
            virtual_fields: HashMap::new(),
            bound: HashMap::new(),
            hidden: HashMap::new(),
            shown: Shown::default(),
            is_of_events: false,
            missing: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// For rows that have these fields and no others. Inputs are the columns of the table.
    pub fn of_fields(fields: Vec<(String, Value)>, surroundings: Surroundings) -> Self {
        let mut scope = Self::without_dataset(surroundings);
        scope.list(fields);
        scope
    }

    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    pub fn inputs(&self) -> &[InputColumn] {
        &self.inputs
    }

    /// Fields that were asked for and that no event has had.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// Virtual fields that were asked for and cannot be computed.
    pub fn failed(&self) -> &[String] {
        &self.failed
    }

    /// Whether rows are the events of a dataset.
    pub fn is_of_dataset(&self) -> bool {
        self.dataset.is_some()
    }

    pub fn is_computed(&self, name: &str) -> bool {
        self.computed.contains_key(name)
    }

    /// Whether events have had a field of this name.
    pub fn is_stored(&self, name: &str) -> bool {
        self.dataset.as_ref().is_some_and(|dataset| dataset.has_field(name))
    }

    /// The fields of the dataset; none where they are more than so many.
    pub fn stored_fields(&self, max: usize) -> Option<Vec<(String, TypeSet)>> {
        let Some(dataset) = &self.dataset else { return Some(Vec::new()) };
        if dataset.field_count() > max {
            return None;
        }
        let fields = dataset.fields().into_iter();
        Some(fields.map(|(name, kinds)| (name, kinds.into_iter().collect())).collect())
    }

    /// The time of events, whatever the query computed by that name.
    pub fn time(&mut self) -> Typed {
        self.input(InputColumn::Time, Type::Datetime)
    }

    /// What puts the events of one time in the order in which they were sent: which request brought each, and its place
    /// in it.
    pub fn as_sent(&mut self) -> [Typed; 2] {
        [InputColumn::Sequence, InputColumn::Index].map(|column| self.input(column, Type::Integer))
    }

    /// The identity of a row as text; null where rows are no events.
    pub fn cursor(&mut self) -> Value {
        if self.dataset.is_none() {
            return tidegauge_exec::kernels::logic::null(Type::String).into();
        }
        self.input(InputColumn::Cursor, Type::String).into()
    }

    /// The template of a text that is stored; none of anything else.
    pub(super) fn template_of(&mut self, text: &Typed) -> Option<Typed> {
        let InputColumn::Field(field, FieldKind::String) = self.inputs.get(text.as_input()?)? else {
            return None;
        };
        let column = InputColumn::Template(Arc::clone(field));
        Some(self.input(column, Type::String))
    }

    /// Whether an expression is the time of events as it is stored.
    pub fn is_time(&self, typed: &Typed) -> bool {
        typed.as_input().is_some_and(|place| self.inputs.get(place) == Some(&InputColumn::Time))
    }

    /// A field by its name. One that no event has had is null; one that a table cannot have is an error.
    pub fn field(&mut self, name: &str, span: Span) -> Result<Value> {
        if let Some(value) = self.listed(name) {
            return if self.is_of_an_event(name) { self.with_inside(name, value) } else { Ok(value) };
        }
        if let Some(value) = self.inside(name)? {
            return Ok(value);
        }
        if self.is_of_events() {
            return Ok(self.nothing(name));
        }
        Err(self.unknown(name, span))
    }

    /// What has exactly this name.
    fn listed(&mut self, name: &str) -> Option<Value> {
        if let Some(value) = self.computed.get(name).or_else(|| self.hidden.get(name)) {
            return Some(value.clone());
        }
        if !self.is_open() {
            return self.constant(name);
        }
        if name == TIME_FIELD {
            return Some(self.time().into());
        }
        if name == ARRIVAL_FIELD {
            return Some(self.input(InputColumn::Arrival, Type::Datetime).into());
        }
        let value = self.stored(name);
        if !value.is_null() {
            return Some(value);
        }
        self.virtual_field(name).or_else(|| self.constant(name))
    }

    /// Whether a name stands for what events have by that name, and not for what the query made of them.
    fn is_of_an_event(&self, name: &str) -> bool {
        match self.computed.contains_key(name) {
            true => !self.defined.contains(name),
            false => self.is_open() && self.is_stored(name),
        }
    }

    /// A field that no event has had.
    fn nothing(&mut self, name: &str) -> Value {
        if !self.missing.iter().any(|missing| missing.name == name) {
            let near = self.near(name);
            self.missing.push(Missing { name: name.to_owned(), near });
        }
        Value::NULL
    }

    /// Whether there is a field of this name, as far as is known.
    pub fn has(&self, name: &str) -> bool {
        let is_known = || name == TIME_FIELD || name == ARRIVAL_FIELD || self.is_stored(name);
        self.is_computed(name)
            || self.hidden.contains_key(name)
            || (self.is_open() && (is_known() || self.virtual_fields.contains_key(name)))
    }

    /// Binds what was written elsewhere, and knows nothing of the values that this query defines.
    pub(super) fn without_constants<T>(&mut self, bind: impl FnOnce(&mut Self) -> T) -> T {
        let constants = std::mem::take(&mut self.surroundings.constants);
        let bound = bind(self);
        self.surroundings.constants = constants;
        bound
    }

    fn constant(&self, name: &str) -> Option<Value> {
        self.surroundings.constants.get(name).cloned()
    }

    /// The error of a name that nothing has.
    fn unknown(&self, name: &str, span: Span) -> Error {
        let names = self.names();
        let known = names.iter().chain(self.surroundings.constants.keys()).map(String::as_str);
        unknown_field(name, span, &names, known)
    }

    fn virtual_field(&mut self, name: &str) -> Option<Value> {
        if let Some(value) = self.bound.get(name) {
            return Some(value.clone());
        }
        // Taken out while it is bound, so that one which names itself ends.
        let (name, expr) = self.virtual_fields.remove_entry(name)?;
        let value = self.without_constants(|scope| scope.bind(&expr));
        self.virtual_fields.insert(name.clone(), expr);
        let value = value.unwrap_or_else(|_| {
            if !self.failed.contains(&name) {
                self.failed.push(name.clone());
            }
            Value::NULL
        });
        self.bound.insert(name, value.clone());
        Some(value)
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

    fn input(&mut self, column: InputColumn, kind: Type) -> Typed {
        let next = self.inputs.len();
        let place = *self.places.entry(column.clone()).or_insert(next);
        if place == next {
            self.inputs.push(column);
        }
        Typed::input(kind, place)
    }
}
