//! The form `legacy`: events as a list of objects, groups by time and over all time. Exactly these keys: clients
//! refuse others.

use std::collections::HashSet;

use tidegauge_app::service::Error;
use tidegauge_app::service::datasets::fields::DescribedField;
use tidegauge_app::service::query::DescribedDataset;
use tidegauge_engine::Table;

use super::columns::Column;
use super::json::{write_key, write_string, write_text_member, write_time};
use super::members::{write_datasets, write_fields};
use super::shown::{ARRIVAL, MAIN, Shown, TIME, TOTALS, table};
use super::text::{Text, Written, write_rows};
use super::{explain, groups, request, status};

/// Of more fields than these, each event shows those that it has: an answer would be mostly nulls.
const FIELDS_WITH_NULLS_MAX: usize = 500;

/// About how long a value with its name is, to ask for memory once.
const CELL_BYTES: usize = 24;

pub(super) fn write(shown: &Shown<'_>) -> Result<Written, Error> {
    let mut out = Text::of(shown.answer, CELL_BYTES);
    let (main, totals) = tables(shown);
    out.push(b'{');
    write_text_member(&mut out, "format", "legacy");
    write_key(&mut out, "status");
    status::write(&mut out, shown);
    write_key(&mut out, "matches");
    match main.filter(|_| totals.is_none()) {
        Some(events) => {
            let shows_nulls = shown.shows_nulls && events.fields.len() <= FIELDS_WITH_NULLS_MAX;
            write_matches(&mut out, events, shows_nulls)?;
        }
        None => out.extend_from_slice(b"[]"),
    }
    write_key(&mut out, "buckets");
    groups::write(&mut out, main, totals)?;
    write_key(&mut out, "fieldsMeta");
    match shown.datasets {
        [only] => write_fields(&mut out, &only.fields),
        several => write_fields(&mut out, &merged(several)),
    }
    if let Some(text) = shown.text {
        request::write_member_of(&mut out, shown, text);
        write_datasets(&mut out, shown.datasets);
    }
    explain::write_member_of(&mut out, shown.answer);
    out.push(b'}');
    out.finish()
}

/// The table that is shown by time or as events, and the one that is shown over all time.
fn tables<'a>(shown: &Shown<'a>) -> (Option<&'a Table>, Option<&'a Table>) {
    let (main, totals) = (table(shown.answer, MAIN), table(shown.answer, TOTALS));
    match main {
        // What a query in text made of groups is shown like any other rows.
        Some(rows) if shown.text.is_some() && !is_grouped(rows) => (main, None),
        Some(_) if shown.text.is_some() && totals.is_none() => (None, main),
        _ => (main, totals),
    }
}

fn is_grouped(table: &Table) -> bool {
    !table.groups.is_empty() || table.fields.iter().any(|field| field.aggregate.is_some())
}

/// What is known of the fields of several datasets, each name once.
fn merged(datasets: &[DescribedDataset]) -> Vec<DescribedField> {
    let mut names = HashSet::new();
    let fields = datasets.iter().flat_map(|dataset| &dataset.fields);
    fields.filter(|field| names.insert(field.name.as_str())).cloned().collect()
}

/// A field with the bytes before its value.
struct Named<'a> {
    key: Vec<u8>,
    column: Column<'a>,
}

fn write_matches(out: &mut Text, events: &Table, shows_nulls: bool) -> Result<(), Error> {
    let (mut time, mut arrival, mut named) = (None, None, Vec::with_capacity(events.fields.len()));
    for field in &events.fields {
        let column = Column::of(field)?;
        match field.name.as_str() {
            TIME => time = Some(column),
            ARRIVAL => arrival = Some(column),
            name => {
                let mut key = Vec::with_capacity(name.len() + 4);
                write_string(&mut key, name);
                key.push(b':');
                named.push(Named { key, column });
            }
        }
    }
    let of = |column: &Option<Column<'_>>, row: usize| column.as_ref().and_then(|column| column.time(row));
    write_rows(out, events.rows, |out, row| {
        let id = events.row_ids.get(row);
        let time = of(&time, row).or(id.map(|id| id.time)).unwrap_or_default();
        out.push(b'{');
        write_key(out, TIME);
        write_time(out, time);
        write_key(out, ARRIVAL);
        // An event that does not show when it arrived was there by its own time, as far as anybody can tell.
        write_time(out, of(&arrival, row).unwrap_or(time));
        write_key(out, "_rowId");
        write_string(out, &id.map(ToString::to_string).unwrap_or_default());
        write_key(out, "data");
        write_data(out, &named, row, shows_nulls);
        out.push(b'}');
    });
    Ok(())
}

fn write_data(out: &mut Vec<u8>, named: &[Named<'_>], row: usize, shows_nulls: bool) {
    out.push(b'{');
    let mut is_first = true;
    for Named { key, column } in named {
        if !shows_nulls && column.is_null(row) {
            continue;
        }
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        out.extend_from_slice(key);
        column.write(row, out);
    }
    out.push(b'}');
}
