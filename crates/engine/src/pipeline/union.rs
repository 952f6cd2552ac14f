//! `union`: the rows of several tables, with the fields of all. Fields of one name are one field; where tables that
//! stand in the query give them different types, each type has its own column.

use std::sync::Arc;

use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::union::UnionExec;
use hashbrown::{HashMap, HashSet};
use tidegauge_bind::Surroundings;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::logic;
use tidegauge_exec::types::type_name;
use tidegauge_exec::{Message, Value};
use tidegauge_lang::tree::{Literal, NamePattern, Query, Source, TimeRange, Type, Union};
use tidegauge_lang::{Diagnostic, Span};

use super::relation::{About, Columns, Relation, free_name};
use super::rows::of_arrays;
use crate::context::QueryContext;
use crate::leaf::Leaf;
use crate::{Error, Result};

/// How many columns the rows of a union have at most.
const COLUMNS_MAX: usize = 10_000;

/// One table of a union, under the name that its rows have it by.
struct Operand {
    name: String,
    relation: Relation,
}

/// The fields of one table, and where each name is among them.
struct Fields {
    values: Vec<(String, Value)>,
    places: HashMap<String, usize>,
}

impl Fields {
    fn of(values: Vec<(String, Value)>) -> Self {
        let mut places = HashMap::with_capacity(values.len());
        for (place, (name, _)) in values.iter().enumerate() {
            places.entry(name.clone()).or_insert(place);
        }
        Self { values, places }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.places.get(name).map(|place| &self.values[*place].1)
    }
}

/// A column of the result: a field of the tables, or one type of it.
struct Column {
    name: String,
    field: String,
    kinds: Vec<Type>,
}

impl QueryContext {
    pub(super) async fn union(
        &self,
        first: Option<Relation>,
        union: &Union,
        around: &Surroundings,
    ) -> Result<Relation> {
        let mut operands = Vec::new();
        if let Some(relation) = first {
            let name = match relation.about.sources.as_slice() {
                [only] => only.clone(),
                _ => "union_arg0".to_owned(),
            };
            operands.push(Operand { name, relation });
        }
        for query in &union.tables {
            self.add_operand(query, around, &mut operands).await?;
        }
        let mut places = union.tables.iter().map(|table| table.source.place());
        let place = places.find(|place| *place != Span::default()).unwrap_or_default();
        self.united(operands, union, around).await.map_err(|error| error.at(place))
    }

    async fn add_operand(
        &self,
        query: &Query,
        around: &Surroundings,
        operands: &mut Vec<Operand>,
    ) -> Result<()> {
        if let (Source::Datasets { pattern, range }, true) = (&query.source, query.stages.is_empty()) {
            operands.extend(self.matching(std::slice::from_ref(pattern), *range, around)?);
            return Ok(());
        }
        let name = match &query.source {
            Source::Dataset { name, .. } => name.clone(),
            _ => format!("union_arg{}", operands.len()),
        };
        operands.push(Operand { name, relation: self.relation(query, around).await? });
        Ok(())
    }

    /// The events of all datasets whose names fit; of all datasets where nothing is named.
    pub(super) async fn datasets(
        &self,
        patterns: &[NamePattern],
        range: TimeRange,
        around: &Surroundings,
    ) -> Result<Relation> {
        let mut operands = self.matching(patterns, range, around)?;
        match operands.len() {
            1 => Ok(operands.remove(0).relation),
            _ => {
                let union = Union { source_field: None, is_inner: false, tables: Vec::new() };
                let place = patterns.first().map_or_else(Span::default, |pattern| pattern.span);
                self.united(operands, &union, around).await.map_err(|error| error.at(place))
            }
        }
    }

    fn matching(
        &self,
        patterns: &[NamePattern],
        range: TimeRange,
        around: &Surroundings,
    ) -> Result<Vec<Operand>> {
        // Patterns may fit none, while a name stands for what is there.
        for pattern in patterns {
            if let Some(name) = pattern.plain() {
                self.dataset(name, range, pattern.span, around)?;
            }
        }
        let names = self.question.datasets.iter().map(|dataset| &dataset.name);
        let fits = |name: &&String| patterns.is_empty() || patterns.iter().any(|pattern| pattern.fits(name));
        let operand = |name: &String| {
            let relation = self.dataset(name, range, Span::default(), around)?;
            Ok(Operand { name: name.clone(), relation })
        };
        names.filter(fits).map(operand).collect()
    }

    /// Whoever names the column of the source wants what it says: a field of the same name gives way, and that is told.
    fn put_source_first(&self, union: &Union, columns: &mut Vec<Column>, hidden: &mut Vec<String>) {
        let Some(source) = &union.source_field else { return };
        let count = columns.len();
        columns.retain(|column| column.name != *source);
        hidden.retain(|name| name != source);
        if columns.len() < count {
            self.tell(Message::HiddenBySource(source.clone()));
        }
    }

    /// All rows of the tables.
    async fn united(&self, operands: Vec<Operand>, union: &Union, around: &Surroundings) -> Result<Relation> {
        let mut tables = Vec::with_capacity(operands.len());
        let mut hidden: Vec<String> = Vec::new();
        for operand in operands {
            let mut relation = self.unlimited(operand.relation).await?;
            relation.pending.order = None;
            let mut values = relation.scope.fields()?;
            let own = relation.scope.hidden();
            for (name, _) in &own {
                if !hidden.contains(name) {
                    hidden.push(name.clone());
                }
            }
            values.extend(own);
            tables.push((operand.name, relation, Fields::of(values)));
        }
        let is_literal = tables.iter().all(|(_, relation, _)| relation.about.sources.is_empty());
        let all: Vec<&Fields> = tables.iter().map(|(_, _, fields)| fields).collect();
        let mut columns = columns(&all, union, is_literal)?;
        self.put_source_first(union, &mut columns, &mut hidden);
        let mut about = About {
            is_events: !tables.is_empty() && tables.iter().all(|(_, relation, _)| relation.about.is_events),
            ..About::default()
        };
        let mut plans: Vec<Arc<dyn ExecutionPlan>> = Vec::with_capacity(tables.len());
        let mut placed = None;
        for (name, relation, fields) in &tables {
            for source in &relation.about.sources {
                if !about.sources.contains(source) {
                    about.sources.push(source.clone());
                }
            }
            about.range = about.range.or(relation.about.range);
            let mut values = Vec::with_capacity(columns.len() + 1);
            if let Some(field) = &union.source_field {
                values.push((field.clone(), Value::literal(&Literal::String(name.clone()))));
            }
            values.extend(columns.iter().map(|column| (column.name.clone(), value_of(column, fields))));
            let row = Columns::of(&values);
            plans.push(self.plan(relation, row.exprs, row.schema).await?);
            placed = Some(row.fields);
            self.note(&relation.scope);
        }
        let Some(fields) = placed else {
            return of_arrays(Vec::new(), &[], 0, Vec::new(), around, about);
        };
        let plan = match plans.len() {
            1 => plans.remove(0),
            _ => UnionExec::try_new(plans)?,
        };
        // Rows of what stands in the query keep the order in which they stand.
        let plan = if is_literal { in_order(plan) } else { plan };
        let mut united = Relation::of_plan(plan, fields, around, about);
        united.scope.hide(&hidden);
        united.scope.stay_defined(tables.iter().map(|(_, relation, _)| &relation.scope));
        united.scope.stay_of_events(tables.iter().all(|(_, relation, _)| relation.scope.is_of_events()));
        Ok(united)
    }
}

/// The rows of all partitions, those of the first before those of the next.
fn in_order(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    Arc::new(Leaf::of_partitions(plan))
}

/// The columns that all tables together have.
fn columns(tables: &[&Fields], union: &Union, is_literal: bool) -> Result<Vec<Column>> {
    let mut names: Vec<&String> = Vec::new();
    let mut known: HashSet<&String> = HashSet::new();
    for (name, _) in tables.iter().flat_map(|table| &table.values) {
        if known.insert(name) {
            names.push(name);
        }
    }
    if union.is_inner {
        names.retain(|name| tables.iter().all(|table| table.get(name).is_some()));
    }
    let mut columns: Vec<Column> = Vec::with_capacity(names.len());
    let mut taken: HashSet<String> = HashSet::new();
    for name in names {
        let mut kinds: Vec<Type> = Vec::new();
        for kind in tables.iter().filter_map(|table| table.get(name)).flat_map(Value::types) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let parts = match is_literal {
            true => apart(name, kinds),
            false => vec![(name.clone(), kinds)],
        };
        for (wanted, kinds) in parts {
            let free = free_name(&wanted, |name| taken.contains(name));
            taken.insert(free.clone());
            columns.push(Column { name: free, field: name.clone(), kinds });
        }
        if columns.len() > COLUMNS_MAX {
            let message = format!("the tables of the union have more than {COLUMNS_MAX} fields together");
            let diagnostic = Diagnostic::new(message, Span::default());
            let hint = "write `kind=inner`, or `project` the fields that are wanted in each table";
            return Err(Error::Invalid(vec![diagnostic.with_hint(hint)]));
        }
    }
    Ok(columns)
}

/// A column for each type, where there are several. Integers are of one type, however long they are.
fn apart(name: &str, kinds: Vec<Type>) -> Vec<(String, Vec<Type>)> {
    let is_integer = |kind: &Type| matches!(kind, Type::Integer | Type::LongInteger);
    if kinds.len() < 2 || kinds.iter().all(is_integer) {
        return vec![(name.to_owned(), kinds)];
    }
    let mut parts: Vec<(String, Vec<Type>)> = Vec::new();
    for kind in kinds {
        match parts.iter_mut().find(|(_, known)| is_integer(&kind) && known.iter().all(is_integer)) {
            Some((_, known)) => known.push(kind),
            None => parts.push((format!("{name}_{}", type_name(kind)), vec![kind])),
        }
    }
    parts
}

/// What a table has in a column: its own values, and nulls in the types that only others have.
fn value_of(column: &Column, fields: &Fields) -> Value {
    let own = fields.get(&column.field);
    let variant = |kind: &Type| {
        let typed = own.and_then(|value| value.of_type(*kind)).cloned();
        typed.unwrap_or_else(|| -> Typed { logic::null(*kind) })
    };
    Value { variants: column.kinds.iter().map(variant).collect() }
}
