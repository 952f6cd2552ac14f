//! What could be written at a place of a query: names of datasets, views and fields that the caller may query, and the
//! values that the newest events have in a field that is compared. What fits a place is left to `lang`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use tidegauge_catalog::views::View;
use tidegauge_lang::complete::{Completions, Existing, KnownField, fields_of};
use tidegauge_lang::tree::{Expr, ExprKind, NamePattern, Query, Type};
use tidegauge_lang::{Span, complete, parse_query, print_expression};
use tidegauge_model::capability::ANY;
use tidegauge_model::{Action, DatasetArea};
use tokio::time::timeout;

use super::named;
use crate::app::App;
use crate::service::datasets::fields::{self, DescribedField};
use crate::service::query::apl::{self, AplInput};
use crate::service::query::defined;
use crate::service::view_reads::may_query;
use crate::service::{Caller, Result, datasets};

/// Of how many datasets and views fields are told at once.
const TABLES_MAX: usize = 20;

/// Of how many fields values are looked up for one completion, and in how many of the newest events.
const COMPARED_MAX: usize = 3;
const EVENTS_MAX: usize = 10_000;

/// How many bytes of the texts of views are read to see who may query them, while somebody types. Views behind that are
/// not told.
const VIEW_BYTES_MAX: usize = 512 << 10;

/// How many values of a field are told, the most frequent first, and how long each may be.
const VALUES_MAX: usize = 50;
const VALUE_BYTES_MAX: usize = 200;

/// A dataset and a field of it.
type Compared = (String, String);

/// What the caller may be told of.
struct Tables {
    datasets: Vec<String>,
    views: Vec<String>,
    fields: HashMap<String, Vec<KnownField>>,
}

/// What could be written at a place, which is counted in bytes.
pub async fn complete_at(app: &App, caller: &Caller, text: &str, position: usize) -> Result<Completions> {
    let tables = Tables::named_in(app, caller, text).await?;
    let (completions, compared) = tables.asked(text, position);
    if compared.is_empty() {
        return Ok(completions);
    }
    let mut values: HashMap<Compared, Vec<String>> = HashMap::new();
    for (dataset, field) in compared {
        let found = frequent(app, caller, &dataset, &field).await;
        values.insert((dataset, field), found);
    }
    let fields = |name: &str| tables.fields_of(name);
    let values = |source: &str, field: &str| {
        let compared = tables.compared(source, field).into_iter();
        compared.filter_map(|compared| values.get(&compared)).flatten().cloned().collect()
    };
    Ok(complete(text, position, &Existing { fields: &fields, values: &values, ..tables.known() }))
}

impl Tables {
    async fn named_in(app: &App, caller: &Caller, text: &str) -> Result<Self> {
        let datasets = datasets::queryable(app, caller).await?;
        let views = queryable_views(app, caller).await?;
        let mut tables = Self { datasets, views, fields: HashMap::new() };
        let read = named(&parse_query(text).0, &tables.datasets);
        for name in read.into_iter().take(TABLES_MAX) {
            if tables.datasets.contains(&name) {
                tables.add_dataset(app, caller, &name).await?;
            } else if tables.views.contains(&name) {
                tables.add_view(app, caller, &name).await?;
            }
        }
        Ok(tables)
    }

    async fn add_dataset(&mut self, app: &App, caller: &Caller, name: &str) -> Result<()> {
        if self.fields.contains_key(name) {
            return Ok(());
        }
        let Some(dataset) = datasets::find_state(app, caller, name).await? else { return Ok(()) };
        let notes = app.queries.notes.of(app.source(), dataset.id(), caller.now).await?;
        let described = fields::described(&notes, &dataset, |_| true);
        let mut known: Vec<KnownField> =
            described.into_iter().filter(|field| !field.hidden).map(known_field).collect();
        for computed in defined::virtual_fields(app, caller, name).await? {
            if !known.iter().any(|field| field.name == computed.name) {
                known.push(KnownField { name: computed.name, kinds: Vec::new(), doc: String::new() });
            }
        }
        self.fields.insert(name.to_owned(), known);
        Ok(())
    }

    /// The fields of a view follow from those of the datasets that it reads, which who may query it gets to see.
    async fn add_view(&mut self, app: &App, caller: &Caller, name: &str) -> Result<()> {
        // A view that is not understood any more has no fields to tell.
        let Ok(Some(query)) = defined::view(app, caller, name).await else { return Ok(()) };
        let mut read = Self { datasets: Vec::new(), views: Vec::new(), fields: HashMap::new() };
        for dataset in sources(&query).into_iter().take(TABLES_MAX) {
            read.add_dataset(app, caller, &dataset).await?;
        }
        let fields = fields_of(&query, &Existing { fields: &|name| read.fields_of(name), ..read.known() });
        self.fields.insert(name.to_owned(), fields);
        Ok(())
    }

    fn fields_of(&self, name: &str) -> Vec<KnownField> {
        self.fields.get(name).cloned().unwrap_or_default()
    }

    /// Everything but fields and values.
    fn known(&self) -> Existing<'_> {
        Existing {
            datasets: &self.datasets,
            views: &self.views,
            fields: &|_| Vec::new(),
            values: &|_, _| Vec::new(),
        }
    }

    /// What could be written without any values, and the fields of texts whose values were asked for.
    fn asked(&self, text: &str, position: usize) -> (Completions, Vec<Compared>) {
        let asked: RefCell<Vec<Compared>> = RefCell::default();
        let note = |source: &str, field: &str| {
            let mut asked = asked.borrow_mut();
            for compared in self.compared(source, field) {
                if asked.len() < COMPARED_MAX && !asked.contains(&compared) {
                    asked.push(compared);
                }
            }
            Vec::new()
        };
        let fields = |name: &str| self.fields_of(name);
        let completions =
            complete(text, position, &Existing { fields: &fields, values: &note, ..self.known() });
        (completions, asked.into_inner())
    }

    /// The datasets of a name or a pattern in which the field has texts: only texts are proposed, and only those of
    /// datasets that the caller may query.
    fn compared(&self, source: &str, field: &str) -> Vec<Compared> {
        let pattern = NamePattern::new(source.split('*').map(str::to_owned).collect());
        let is_it = |known: &KnownField| known.name == field && known.kinds.contains(&Type::String);
        let has_texts = |name: &&String| self.fields.get(*name).is_some_and(|known| known.iter().any(is_it));
        let fitting = self.datasets.iter().filter(|name| pattern.fits(name)).filter(has_texts);
        fitting.map(|name| (name.clone(), field.to_owned())).collect()
    }
}

/// The views that the caller may query, by what their texts read: what one is said to read is its maker's word.
async fn queryable_views(app: &App, caller: &Caller) -> Result<Vec<String>> {
    let held = Arc::clone(&caller.capabilities);
    let mut views = app.catalog.list_views(caller.org()?).await?;
    if held.allows_dataset(ANY, DatasetArea::Query, Action::Read) && held.allows_audit() {
        return Ok(views.into_iter().map(|view| view.name).collect());
    }
    let mut bytes = 0;
    views.retain(|view| {
        bytes += view.apl.len();
        bytes <= VIEW_BYTES_MAX
    });
    let known = Arc::clone(&app.queries.known_reads);
    let names = move || {
        let may = |view: &View| known.of(&view.apl).is_some_and(|reads| may_query(&held, &view.name, &reads));
        let queryable = views.into_iter().filter(may);
        queryable.map(|view| view.name).collect::<Vec<String>>()
    };
    Ok(app.background.compute(names).await)
}

/// The datasets that a view reads, by their plain names.
fn sources(query: &Query) -> Vec<String> {
    let names = tidegauge_lang::dataset_names(&mut query.clone());
    names.iter().filter_map(|name| name.plain().map(str::to_owned)).collect()
}

/// The values that are most frequent among the newest events. None where they cannot be had in a short time: a
/// proposal is not worth waiting for, and not worth an error.
async fn frequent(app: &App, caller: &Caller, dataset: &str, field: &str) -> Vec<String> {
    let (dataset, field) = (name(dataset), name(field));
    let text = format!(
        "{dataset} | where isnotempty({field}) | project value = {field} | take {EVENTS_MAX} \
         | summarize times = count() by value | top {VALUES_MAX} by times"
    );
    let input = AplInput { text, ..AplInput::default() };
    let time_max = app.queries.limits.completion_time_max;
    let Ok(Ok(queried)) = timeout(time_max, apl::query(app, caller, input)).await else {
        return Vec::new();
    };
    let mut fields = queried.answer.tables.first().into_iter().flat_map(|table| &table.fields);
    let values = fields.find(|field| field.name == "value").into_iter().flat_map(|field| &field.values);
    let texts = values.filter(|(kind, _)| *kind == Type::String).flat_map(|(_, values)| {
        values.as_string_view().iter().flatten().filter(|value| value.len() <= VALUE_BYTES_MAX)
    });
    texts.map(str::to_owned).collect()
}

/// A name as a query has it.
fn name(name: &str) -> String {
    print_expression(&Expr { kind: ExprKind::Field(name.to_owned()), span: Span::default() })
}

fn known_field(field: DescribedField) -> KnownField {
    let kinds = field.kind.split('|').filter_map(kind).collect();
    KnownField { name: field.name, kinds, doc: field.description }
}

fn kind(word: &str) -> Option<Type> {
    Some(match word {
        "boolean" => Type::Boolean,
        "integer" => Type::Integer,
        "float" => Type::Float,
        "string" => Type::String,
        "datetime" => Type::Datetime,
        "timespan" => Type::Timespan,
        "array" => Type::Array,
        "map" => Type::Map,
        _ => return None,
    })
}
