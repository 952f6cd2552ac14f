//! Members that several forms of an answer have: datasets with their fields, orders, and where a range begins.

use tidegauge_app::service::datasets::fields::DescribedField;
use tidegauge_app::service::query::DescribedDataset;
use tidegauge_lang::tree::SortKey;

use super::json::{write_key, write_list, write_member, write_string, write_text_member, write_time};
use super::status::NO_TIME;

/// Writes the names of the datasets that the asker may know of, and what is known of their fields.
pub(super) fn write_datasets(out: &mut Vec<u8>, datasets: &[DescribedDataset]) {
    let told = || datasets.iter().filter(|dataset| dataset.is_told);
    write_key(out, "datasetNames");
    write_list(out, told(), |out, dataset| write_string(out, &dataset.name));
    write_key(out, "fieldsMetaMap");
    out.push(b'{');
    for dataset in told() {
        write_key(out, &dataset.name);
        write_fields(out, &dataset.fields);
    }
    out.push(b'}');
}

/// Writes what people say of fields.
pub(super) fn write_fields(out: &mut Vec<u8>, fields: &[DescribedField]) {
    write_list(out, fields, |out, field| {
        out.push(b'{');
        write_text_member(out, "name", &field.name);
        write_text_member(out, "type", &field.kind);
        write_text_member(out, "unit", &field.unit);
        write_member(out, "hidden", field.hidden);
        write_text_member(out, "description", &field.description);
        out.push(b'}');
    });
}

/// Writes a field that rows are sorted by.
pub(super) fn write_sort_key(out: &mut Vec<u8>, key: &SortKey) {
    out.push(b'{');
    write_text_member(out, "field", &key.field);
    write_member(out, "desc", key.is_descending);
    out.push(b'}');
}

/// Writes when a range begins; one that is open begins with the first of all times.
pub(super) fn write_start(out: &mut Vec<u8>, start: i64) {
    match start {
        i64::MIN => write_string(out, NO_TIME),
        start => write_time(out, start),
    }
}
