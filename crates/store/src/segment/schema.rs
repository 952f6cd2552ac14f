//! The columns of a segment file: five of the system's own and one for each typed column of the dataset. Their field
//! ids are stable for the life of the dataset, so that readers map columns by id and not by name or place.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, TimeUnit};
use parquet::arrow::PARQUET_FIELD_ID_META_KEY;
use serde::{Deserialize, Serialize};
use tidegauge_catalog::columns::{DatasetColumn, SYSTEM_COLUMNS};
use tidegauge_catalog::datasets::Dataset;

use crate::arrays;

/// Which dataset a segment belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub(crate) org: String,
    pub(crate) dataset: String,
    pub(crate) name: String,
}

impl Origin {
    pub(crate) fn of(dataset: &Dataset) -> Self {
        Self {
            org: dataset.org.as_str().to_owned(),
            dataset: dataset.id.as_str().to_owned(),
            name: dataset.name.as_str().to_owned(),
        }
    }
}

/// The system columns before the fields, in the order of [`SYSTEM_COLUMNS`].
pub(crate) const TIME: usize = 0;
pub(crate) const ARRIVAL: usize = 1;
pub(crate) const SEQUENCE: usize = 2;
pub(crate) const INDEX: usize = 3;
pub(crate) const OVERFLOW: usize = 4;

/// The unit in which times lose nothing: most senders know microseconds at best, and smaller numbers take less space.
pub(crate) fn time_unit(times: &[i64]) -> TimeUnit {
    if times.iter().all(|time| time % 1000 == 0) { TimeUnit::Microsecond } else { TimeUnit::Nanosecond }
}

/// The schema of a file with these typed columns, whose events have times in this unit.
pub(crate) fn schema(columns: &[DatasetColumn], unit: TimeUnit) -> Arc<Schema> {
    let time = DataType::Timestamp(unit, Some("UTC".into()));
    let arrival = DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()));
    let types = [time, arrival, DataType::Int64, DataType::Int32, DataType::LargeUtf8];
    let system = SYSTEM_COLUMNS
        .iter()
        .zip(types)
        .enumerate()
        .map(|(place, ((number, name), data_type))| field(*number, name, data_type, place == OVERFLOW));
    let typed =
        columns.iter().map(|column| field(column.number, &column.name, arrays::data_type(column.kind), true));
    Arc::new(Schema::new(system.chain(typed).collect::<Vec<FieldRef>>()))
}

fn field(number: u32, name: &str, data_type: DataType, is_nullable: bool) -> FieldRef {
    let metadata = HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_owned(), number.to_string())]);
    Arc::new(Field::new(name, data_type, is_nullable).with_metadata(metadata))
}
