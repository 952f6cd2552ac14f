//! The typed columns of datasets and what people write down about fields. A column is added the first time a field
//! comes in a kind; its number stands in the files for ever, its name is for outside readers.

use std::collections::{HashMap, HashSet};

use sqlx::FromRow;
use tidegauge_model::{DatasetId, ErrorKind, FieldKind, OrgId, Timestamp};

use crate::audit::{Change, record};
use crate::commits::next_commit;
use crate::counts::from_stored;
use crate::db::{LIST_BATCH, push_list, read, write};
use crate::lease::fence;
use crate::{Catalog, Error, Result};

/// The columns that every dataset has, with their numbers.
pub const SYSTEM_COLUMNS: [(u32, &str); 5] =
    [(1, "_time"), (2, "_sysTime"), (3, "_sequence"), (4, "_index"), (5, "_rest")];

/// The last number that is kept for system columns: those of fields follow.
pub(crate) const LAST_SYSTEM_COLUMN: i64 = 15;

/// Columns that are inserted with one statement. The databases take 32,766 and 65,535 values, here six for each.
pub(crate) const INSERT_BATCH: usize = 500;

/// One kind of one field of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetColumn {
    /// Stable within the dataset, from 16; the field id in files.
    pub number: u32,
    pub field: String,
    pub kind: FieldKind,
    /// Its name for outside readers, unique in the dataset even without regard to case.
    pub name: String,
}

/// What people have written down about a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromRow)]
pub struct FieldNote {
    pub field: String,
    pub description: String,
    pub unit: String,
    pub hidden: bool,
}

#[derive(FromRow)]
struct ColumnRow {
    number: i64,
    field: String,
    kind: String,
    name: String,
}

impl ColumnRow {
    fn read(self) -> Result<DatasetColumn> {
        Ok(DatasetColumn {
            number: from_stored("the number of a column", self.number)?,
            kind: FieldKind::parse(&self.kind).ok_or_else(|| Error::corrupt("the kind", &self.kind))?,
            field: self.field,
            name: self.name,
        })
    }
}

#[derive(FromRow)]
struct ColumnOfRow {
    dataset_id: String,
    #[sqlx(flatten)]
    column: ColumnRow,
}

const SELECT: &str =
    "SELECT number, field, kind, name FROM dataset_column WHERE dataset_id = $1 ORDER BY number";

/// Keeps others from adding columns to a dataset until the transaction ends.
const LOCK: &str = "UPDATE dataset SET last_column = last_column WHERE id = $1 RETURNING last_column";

/// Inserts the columns of a dataset inside a transaction.
macro_rules! insert_columns {
    ($connection:expr, $dataset:expr, $columns:expr, $added:expr) => {
        for batch in $columns.chunks($crate::columns::INSERT_BATCH) {
            let mut insert = sqlx::QueryBuilder::new(
                "INSERT INTO dataset_column (dataset_id, number, field, kind, name, added) ",
            );
            insert.push_values(batch, |mut row, column| {
                row.push_bind($dataset.as_str())
                    .push_bind(i64::from(column.number))
                    .push_bind(column.field.as_str())
                    .push_bind(column.kind.as_str())
                    .push_bind(column.name.as_str())
                    .push_bind($added);
            });
            insert.build().execute(&mut *$connection).await?;
        }
    };
}

pub(crate) use insert_columns;

impl Catalog {
    /// The columns of a dataset in the order of their numbers.
    pub async fn dataset_columns(&self, dataset: &DatasetId) -> Result<Vec<DatasetColumn>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, ColumnRow>(SELECT).bind(dataset.as_str()).fetch_all(executor).await?
        });
        rows.into_iter().map(ColumnRow::read).collect()
    }

    /// The columns of every dataset, for the start.
    pub async fn all_columns(&self) -> Result<HashMap<DatasetId, Vec<DatasetColumn>>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, ColumnOfRow>(
                "SELECT dataset_id, number, field, kind, name FROM dataset_column ORDER BY dataset_id, number",
            )
            .fetch_all(executor)
            .await?
        });
        let mut columns: HashMap<DatasetId, Vec<DatasetColumn>> = HashMap::new();
        for row in rows {
            columns.entry(row.dataset_id.into()).or_default().push(row.column.read()?);
        }
        Ok(columns)
    }

    /// The columns for fields in kinds, in the order asked for; those that the dataset does not have yet are added.
    /// Not found if the dataset is gone.
    pub async fn ensure_columns(
        &self,
        dataset: &DatasetId,
        wanted: &[(String, FieldKind)],
    ) -> Result<Vec<DatasetColumn>> {
        let known = Known::new(self.dataset_columns(dataset).await?);
        if let Some(columns) = known.find(wanted) {
            return Ok(columns);
        }
        let known = write!(self, connection => {
            fence!(self, connection);
            let last: Option<i64> =
                sqlx::query_scalar(LOCK).bind(dataset.as_str()).fetch_optional(&mut *connection).await?;
            let Some(last) = last else {
                return Err(Error::gone());
            };
            let rows: Vec<ColumnRow> =
                sqlx::query_as(SELECT).bind(dataset.as_str()).fetch_all(&mut *connection).await?;
            let mut known = Known::new(rows.into_iter().map(ColumnRow::read).collect::<Result<_>>()?);
            let added = known.add(wanted, from_stored("the number of a column", last)?);
            if !added.is_empty() {
                let commit = next_commit!(connection, None, schema: true, datasets: 0_i64, segments: 0_i64);
                insert_columns!(connection, dataset, added, commit.value);
                sqlx::query("UPDATE dataset SET last_column = $2 WHERE id = $1")
                    .bind(dataset.as_str())
                    .bind(added.last().map(|column| i64::from(column.number)))
                    .execute(&mut *connection)
                    .await?;
            }
            known
        });
        known.find(wanted).ok_or_else(|| Error::new(ErrorKind::Internal, "the columns were not added"))
    }

    /// Forgets the columns of a dataset but for those with the given numbers, and says how many it forgot. Their
    /// numbers are not given again.
    pub async fn forget_columns(&self, dataset: &DatasetId, except: &[u32]) -> Result<u64> {
        let except: HashSet<u32> = except.iter().copied().collect();
        let forgotten = write!(self, connection => {
            fence!(self, connection);
            let locked: Option<i64> =
                sqlx::query_scalar(LOCK).bind(dataset.as_str()).fetch_optional(&mut *connection).await?;
            if locked.is_none() {
                return Err(Error::gone());
            }
            let rows: Vec<ColumnRow> =
                sqlx::query_as(SELECT).bind(dataset.as_str()).fetch_all(&mut *connection).await?;
            let columns = rows.into_iter().map(ColumnRow::read).collect::<Result<Vec<_>>>()?;
            let numbers = columns.iter().map(|column| column.number).filter(|number| !except.contains(number));
            let numbers: Vec<i64> = numbers.map(i64::from).collect();
            if numbers.is_empty() {
                return Ok(0);
            }
            self.note_forgotten();
            for batch in numbers.chunks(LIST_BATCH) {
                let mut delete = sqlx::QueryBuilder::new("DELETE FROM dataset_column WHERE dataset_id = ");
                delete.push_bind(dataset.as_str()).push(" AND ");
                push_list!(delete, "number", batch.iter().copied());
                delete.build().execute(&mut *connection).await?;
            }
            next_commit!(connection, None, schema: true, datasets: 0_i64, segments: 0_i64);
            numbers.len()
        });
        Ok(u64::try_from(forgotten).unwrap_or(u64::MAX))
    }

    /// What people have written down about the fields of a dataset, by field.
    pub async fn dataset_fields(&self, dataset: &DatasetId) -> Result<Vec<FieldNote>> {
        let notes = read!(self, executor => {
            sqlx::query_as::<_, FieldNote>(
                "SELECT field, description, unit, hidden FROM dataset_field WHERE dataset_id = $1 ORDER BY field",
            )
            .bind(dataset.as_str())
            .fetch_all(executor)
            .await?
        });
        Ok(notes)
    }

    /// Writes down a note about a field in place of the one before. `false` if there is no such dataset.
    pub async fn set_field_note(
        &self,
        org: &OrgId,
        name: &str,
        note: &FieldNote,
        now: Timestamp,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let dataset: Option<String> = sqlx::query_scalar(
                "UPDATE dataset SET modified = $3 WHERE org_id = $1 AND name = $2 RETURNING id",
            )
            .bind(org.as_str())
            .bind(name)
            .bind(now.as_micros())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(dataset) = dataset else {
                return Ok(false);
            };
            sqlx::query(
                "INSERT INTO dataset_field (dataset_id, field, description, unit, hidden) \
                 VALUES ($1, $2, $3, $4, $5) ON CONFLICT (dataset_id, field) DO UPDATE SET \
                 description = excluded.description, unit = excluded.unit, hidden = excluded.hidden",
            )
            .bind(&dataset)
            .bind(&note.field)
            .bind(&note.description)
            .bind(&note.unit)
            .bind(note.hidden)
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "dataset.field", format!("{name}/{}", note.field),
                if note.hidden { "hidden" } else { "shown" });
        });
        Ok(true)
    }
}

/// Names columns whose numbers are known, by the rule by which new ones are named. They come in ascending order.
pub fn name_columns(numbered: Vec<(u32, String, FieldKind)>) -> Vec<DatasetColumn> {
    let mut known = Known::new(Vec::new());
    let name = |(number, field, kind): (u32, String, FieldKind)| known.add(&[(field, kind)], number - 1);
    numbered.into_iter().flat_map(name).collect()
}

/// The columns of a dataset, to find them by field and kind and to name new ones.
struct Known {
    columns: HashMap<(String, FieldKind), DatasetColumn>,
    fields: HashSet<String>,
    /// In lower case: some outside readers do not tell cases apart.
    names: HashSet<String>,
}

impl Known {
    fn new(columns: Vec<DatasetColumn>) -> Self {
        let fields = columns.iter().map(|column| column.field.clone()).collect();
        let system = SYSTEM_COLUMNS.iter().map(|(_, name)| name.to_lowercase());
        let names = columns.iter().map(|column| column.name.to_lowercase()).chain(system).collect();
        let columns =
            columns.into_iter().map(|column| ((column.field.clone(), column.kind), column)).collect();
        Self { columns, fields, names }
    }

    /// The columns that are asked for, if all are known.
    fn find(&self, wanted: &[(String, FieldKind)]) -> Option<Vec<DatasetColumn>> {
        wanted.iter().map(|column| self.columns.get(column).cloned()).collect()
    }

    /// Adds what is not known yet, with numbers after `last`, and returns it.
    fn add(&mut self, wanted: &[(String, FieldKind)], last: u32) -> Vec<DatasetColumn> {
        let mut added = Vec::new();
        let mut number = last;
        for (field, kind) in wanted {
            let key = (field.clone(), *kind);
            if self.columns.contains_key(&key) {
                continue;
            }
            number += 1;
            let name = self.free_name(field, *kind, number);
            self.names.insert(name.to_lowercase());
            self.fields.insert(field.clone());
            let column = DatasetColumn { number, field: field.clone(), kind: *kind, name };
            self.columns.insert(key, column.clone());
            added.push(column);
        }
        added
    }

    fn free_name(&self, field: &str, kind: FieldKind, number: u32) -> String {
        let mut name = match self.fields.contains(field) {
            true => format!("{field}:{}", kind.as_str()),
            false => field.to_owned(),
        };
        while name.is_empty() || self.names.contains(&name.to_lowercase()) {
            name = format!("{name}:{number}");
        }
        name
    }
}
