//! The form `tabular`: tables of columns. The contract asks for `buckets` in every form, so they are here too, empty:
//! the groups are in the tables.

use std::collections::BTreeSet;

use tidegauge_engine::{Field, Table};
use tidegauge_lang::tree::{SortKey, Type};

use super::columns::{Column, type_name};
use super::json::{
    write_comma, write_key, write_list, write_member, write_string, write_text_member, write_time,
};
use super::legacy::write_fields;
use super::{ARRIVAL, Shown, TIME, explain, status};
use crate::service::Error;

/// About how long a value is, to ask for memory once.
const CELL_BYTES: usize = 12;

pub(super) fn write(shown: &Shown<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(1_024 + super::cells(shown.answer) * CELL_BYTES);
    out.push(b'{');
    write_text_member(&mut out, "format", "tabular");
    write_key(&mut out, "status");
    status::write(&mut out, shown);
    write_key(&mut out, "tables");
    out.push(b'[');
    for table in &shown.answer.tables {
        write_comma(&mut out);
        write_table(&mut out, table, shown.dataset)?;
    }
    out.push(b']');
    write_key(&mut out, "buckets");
    out.extend_from_slice(b"{\"series\":[],\"totals\":[]}");
    write_key(&mut out, "datasetNames");
    write_list(&mut out, [shown.dataset], write_string);
    write_key(&mut out, "fieldsMetaMap");
    out.push(b'{');
    write_key(&mut out, shown.dataset);
    write_fields(&mut out, shown.fields);
    out.push(b'}');
    explain::write_member_of(&mut out, shown.answer);
    out.push(b'}');
    Ok(out)
}

fn write_table(out: &mut Vec<u8>, table: &Table, dataset: &str) -> Result<(), Error> {
    let fields = in_order(table);
    out.push(b'{');
    write_text_member(out, "name", table.name);
    write_key(out, "sources");
    write_list(out, [dataset], write_name);
    write_key(out, "fields");
    write_list(out, &fields, |out, field| write_field(out, field));
    write_key(out, "order");
    write_list(out, &table.order, write_sort_key);
    write_key(out, "groups");
    write_list(out, &table.groups, |out, group| write_name(out, group));
    if let Some(range) = table.range {
        write_key(out, "range");
        out.push(b'{');
        write_text_member(out, "field", TIME);
        write_key(out, "start");
        write_time(out, range.start);
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
    write_key(out, "columns");
    out.push(b'[');
    for field in fields {
        let column = Column::of(field)?;
        write_comma(out);
        write_list(out, 0..table.rows, |out, row| column.write(row, out));
    }
    out.extend_from_slice(b"]}");
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

/// The types that occur, such as `integer|string`.
fn type_names(field: &Field) -> String {
    let types: BTreeSet<Type> = field.values.iter().map(|(of, _)| *of).collect();
    if types.is_empty() {
        return "unknown".to_owned();
    }
    types.into_iter().map(type_name).collect::<Vec<_>>().join("|")
}

fn write_name(out: &mut Vec<u8>, name: &str) {
    out.push(b'{');
    write_text_member(out, "name", name);
    out.push(b'}');
}

fn write_sort_key(out: &mut Vec<u8>, key: &SortKey) {
    out.push(b'{');
    write_text_member(out, "field", &key.field);
    write_member(out, "desc", key.is_descending);
    out.push(b'}');
}
