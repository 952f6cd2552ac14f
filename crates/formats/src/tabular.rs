//! The form `tabular`: tables of columns, and its twin with rows. The contract of the JSON query asks for `buckets` in
//! every form, so they are there too, empty: the groups are in the tables.

use tidegauge_app::service::Error;
use tidegauge_engine::{Field, Table};

use super::columns::{Column, type_names};
use super::json::{
    write_comma, write_key, write_list, write_member, write_string, write_text_member, write_time,
};
use super::members::{write_datasets, write_sort_key, write_start};
use super::shown::{ARRIVAL, Shown, TIME};
use super::text::{Text, Written, write_rows};
use super::{explain, status};

/// About how long a value is, to ask for memory once.
const CELL_BYTES: usize = 12;

/// What the values of a table are listed by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Columns,
    Rows,
}

pub(super) fn write(shown: &Shown<'_>, by: By) -> Result<Written, Error> {
    let mut out = Text::of(shown.answer, CELL_BYTES);
    let format = if by == By::Columns { "tabular" } else { "tabular-rows" };
    out.push(b'{');
    write_text_member(&mut out, "format", format);
    write_key(&mut out, "status");
    status::write(&mut out, shown);
    write_key(&mut out, "tables");
    out.push(b'[');
    for table in &shown.answer.tables {
        write_comma(&mut out);
        let fields = if shown.text.is_some() { table.fields.iter().collect() } else { in_order(table) };
        write_table(&mut out, table, &fields, by)?;
    }
    out.push(b']');
    if shown.text.is_none() {
        write_key(&mut out, "buckets");
        out.extend_from_slice(b"{\"series\":[],\"totals\":[]}");
    }
    write_datasets(&mut out, shown.datasets);
    explain::write_member_of(&mut out, shown.answer);
    out.push(b'}');
    out.finish()
}

fn write_table(out: &mut Text, table: &Table, fields: &[&Field], by: By) -> Result<(), Error> {
    out.push(b'{');
    write_text_member(out, "name", table.name);
    write_key(out, "sources");
    write_list(out, &table.sources, |out, source| write_name(out, source));
    write_key(out, "fields");
    write_list(out, fields, |out, field| write_field(out, field));
    write_key(out, "order");
    write_list(out, &table.order, write_sort_key);
    write_key(out, "groups");
    write_list(out, &table.groups, |out, group| write_name(out, group));
    if let Some(range) = table.range {
        write_key(out, "range");
        out.push(b'{');
        write_text_member(out, "field", TIME);
        write_key(out, "start");
        write_start(out, range.start);
        write_key(out, "end");
        write_time(out, range.end);
        out.push(b'}');
    }
    if let Some(bucket) = table.bucket {
        write_key(out, "buckets");
        out.push(b'{');
        write_text_member(out, "field", TIME);
        write_member(out, "size", bucket.step);
        out.push(b'}');
    }
    write_values(out, table, fields, by)?;
    out.push(b'}');
    Ok(())
}

fn write_values(out: &mut Text, table: &Table, fields: &[&Field], by: By) -> Result<(), Error> {
    let columns = fields.iter().map(|field| Column::of(field)).collect::<Result<Vec<_>, Error>>()?;
    match by {
        By::Columns => {
            write_key(out, "columns");
            out.push(b'[');
            for column in &columns {
                write_comma(out);
                write_rows(out, table.rows, |out, row| column.write(row, out));
            }
            out.push(b']');
        }
        By::Rows => {
            write_key(out, "rows");
            write_rows(out, table.rows, |out, row| {
                write_list(out, &columns, |out, column| column.write(row, out));
            });
        }
    }
    Ok(())
}

/// Events begin with the fields that all of them have. The fields of groups stand as they were asked for.
fn in_order(table: &Table) -> Vec<&Field> {
    let place = |field: &&Field| match field.name.as_str() {
        ARRIVAL => 0,
        TIME => 1,
        _ => 2,
    };
    let mut fields: Vec<&Field> = table.fields.iter().collect();
    if table.groups.is_empty() && table.fields.iter().all(|field| field.aggregate.is_none()) {
        fields.sort_by_key(place);
    }
    fields
}

fn write_field(out: &mut Vec<u8>, field: &Field) {
    out.push(b'{');
    write_text_member(out, "name", &field.name);
    write_text_member(out, "type", &type_names(field));
    if let Some(aggregate) = &field.aggregate {
        write_key(out, "agg");
        out.push(b'{');
        write_text_member(out, "name", aggregate.name);
        if !aggregate.fields.is_empty() {
            write_key(out, "fields");
            write_list(out, &aggregate.fields, |out, field| write_string(out, field));
        }
        if !aggregate.arguments.is_empty() {
            write_key(out, "args");
            write_list(out, &aggregate.arguments, |out, text| out.extend_from_slice(text.as_bytes()));
        }
        out.push(b'}');
    }
    out.push(b'}');
}

fn write_name(out: &mut Vec<u8>, name: &str) {
    out.push(b'{');
    write_text_member(out, "name", name);
    out.push(b'}');
}
