//! A stretch of a query in which each row is looked at by itself: what the rows are, which of them pass, and what each
//! field is computed of. Nothing is read until something needs all rows at once.

use std::sync::Arc;

use arrow_schema::{Field as ArrowField, Schema, SchemaRef};
use datafusion_physical_plan::ExecutionPlan;
use hashbrown::HashMap;
use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::types::arrow_type;
use tidegauge_lang::tree::{Bucket, Cursor, SortKey, TimeRange, Type};
use tidegauge_store::DatasetState;

use super::recipe::Recipe;
use crate::answer::Table;
use crate::plan::EventOrder;
use crate::prune::Prune;
use crate::{AggregateInfo, Result};

/// Fields that are computed of more parts than these are computed once, before they are used in others.
pub(super) const WEIGHT_MAX: usize = 2_000;

/// Rows, and what is known and asked of them.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) scope: Scope,
    pub(crate) origin: Origin,
    /// Rows that do not pass all of these are left out.
    pub(crate) conditions: Vec<Typed>,
    pub(crate) pending: Pending,
    pub(crate) about: About,
    /// What the rows are made of events by, as long as each event is looked at by itself.
    pub(crate) recipe: Recipe,
    /// The tables of the answer as they are, unless something more is asked.
    pub(crate) ready: Option<Vec<Table>>,
    /// Beside groups over time buckets, the groups over all time.
    pub(crate) totals: Option<Box<Self>>,
}

/// Where the rows of a relation come from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// Inputs of the scope are columns of the scan.
    Dataset(DatasetRows),
    /// Inputs of the scope are columns of the plan.
    Plan(Arc<dyn ExecutionPlan>),
}

/// The events of a dataset.
#[derive(Debug)]
pub(crate) struct DatasetRows {
    pub(crate) name: String,
    pub(crate) state: Arc<DatasetState>,
    pub(crate) range: TimeRange,
    pub(crate) prunes: Vec<Prune>,
}

/// What was asked of the events of a dataset and waits until it is known what else is.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) order: Option<(EventOrder, Vec<SortKey>)>,
    pub(crate) limit: Option<usize>,
    pub(crate) after: Option<Cursor>,
}

/// What is told of a table beside its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) sources: Vec<String>,
    pub(crate) sorted_by: Vec<SortKey>,
    pub(crate) groups: Vec<String>,
    pub(crate) bucket: Option<Bucket>,
    pub(crate) range: Option<TimeRange>,
    pub(crate) aggregates: HashMap<String, AggregateInfo>,
    /// Whether rows are single events, which are shown newest first and not all unless more is asked.
    pub(crate) is_events: bool,
    /// Whether the query says how many rows it wants.
    pub(crate) has_limit: bool,
}

/// The columns of some fields, one after the other, and where each field finds its own.
pub(crate) struct Columns {
    pub(crate) exprs: Vec<Typed>,
    pub(crate) schema: SchemaRef,
    /// The fields with their values over these columns.
    pub(crate) fields: Vec<(String, Value)>,
}

impl Columns {
    pub(crate) fn of(fields: &[(String, Value)]) -> Self {
        let mut exprs = Vec::new();
        let mut schema = Vec::new();
        let mut placed = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let mut variants = Vec::with_capacity(value.variants.len());
            for variant in &value.variants {
                let place = exprs.len();
                variants.push(Typed::input(variant.kind, place));
                schema.push(column_field(place, variant.kind));
                exprs.push(variant.clone());
            }
            placed.push((name.clone(), Value { variants }));
        }
        Self { exprs, schema: Arc::new(Schema::new(schema)), fields: placed }
    }
}

/// The Arrow field of a column. Names are numbers: fields have their own.
pub(crate) fn column_field(place: usize, kind: Type) -> ArrowField {
    ArrowField::new(format!("#{place}"), arrow_type(kind), true)
}

impl Relation {
    /// The rows of a plan, whose columns are the inputs of the fields' values.
    pub(crate) fn of_plan(
        plan: Arc<dyn ExecutionPlan>,
        fields: Vec<(String, Value)>,
        surroundings: &Surroundings,
        about: About,
    ) -> Self {
        Self {
            scope: Scope::of_fields(fields, surroundings.clone()),
            origin: Origin::Plan(plan),
            conditions: Vec::new(),
            pending: Pending::default(),
            about,
            recipe: Recipe::default(),
            ready: None,
            totals: None,
        }
    }

    /// Notes that something more is asked than what is there already.
    pub(crate) fn touch(&mut self) {
        self.ready = None;
    }

    /// Puts other fields in the place of all there are.
    pub(crate) fn list(&mut self, fields: Vec<(String, Value)>) {
        self.touch();
        self.scope.list(fields);
    }

    /// As [`Self::list`], for changes that leave what is not shown as it is.
    pub(crate) fn relist(&mut self, fields: Vec<(String, Value)>) {
        self.touch();
        self.scope.relist(fields);
    }

    /// Leaves out the rows for which a condition is not true.
    pub(crate) fn keep(&mut self, condition: Typed) {
        self.touch();
        self.totals = None;
        self.conditions.extend(condition.conjuncts());
    }

    /// All fields with their columns.
    pub(crate) fn columns(&mut self) -> Result<Columns> {
        Ok(Columns::of(&self.scope.fields()?))
    }
}

/// A name that is not taken: as it is wanted, or with the first number that makes it free.
pub(super) fn free_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbers = (1_u64..).map(|number| format!("{wanted}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbers);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}
