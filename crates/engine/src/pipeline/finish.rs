//! The end of a query: the rows of its last relation as the tables of the answer, no more than an answer may have.

use std::collections::HashSet;
use std::sync::Arc;

use tidegauge_exec::Message;
use tidegauge_lang::tree::SortKey;
use tidegauge_model::columns::TIME_FIELD;

use super::relation::{Origin, Relation};
use super::rows::limited;
use super::sort;
use crate::answer::{Answer, Field, Table};
use crate::context::QueryContext;
use crate::events;
use crate::{Error, Result};

impl QueryContext {
    /// The answer of the last relation.
    pub(crate) async fn finish(&self, mut relation: Relation) -> Result<Answer> {
        if let Some(tables) = relation.ready.take() {
            self.note(&relation.scope);
            let range = relation.about.range;
            let sources = &relation.about.sources;
            let tables =
                tables.into_iter().map(|table| Table { range, sources: sources.clone(), ..table }).collect();
            return Ok(Answer { tables, ..Answer::default() });
        }
        let about = relation.about.clone();
        if matches!(relation.origin, Origin::Dataset(_)) {
            let (rows_max, is_default) = self.rows_max(relation.pending.limit, true);
            let bytes_max = self.question.options.answer_bytes_max;
            let mut answer = self.events(&mut relation, rows_max, &[], Some(bytes_max)).await?;
            for table in &mut answer.tables {
                table.range = about.range;
                table.sources.clone_from(&about.sources);
                self.tell_of_limit(table.rows, rows_max, is_default);
            }
            return Ok(answer);
        }
        let seconds = self.question.options.time_max.as_secs();
        let tables = self.tables_of(relation);
        let tables = tokio::time::timeout_at(self.deadline(), tables).await;
        let tables = tables.map_err(|_| Error::Time { seconds })??;
        Ok(Answer { tables, ..Answer::default() })
    }

    /// How many rows an answer has at most, and whether that is because nobody said it.
    fn rows_max(&self, asked: Option<usize>, is_events: bool) -> (usize, bool) {
        let options = &self.question.options;
        match (asked, options.rows_default.filter(|_| is_events)) {
            (Some(asked), _) => (asked.min(options.rows_max), false),
            (None, Some(default)) => (default.min(options.rows_max), true),
            (None, None) => (options.rows_max, false),
        }
    }

    fn tell_of_limit(&self, rows: usize, rows_max: usize, is_default: bool) {
        if is_default && rows >= rows_max {
            self.tell(Message::DefaultLimit(rows_max as u64));
        } else if rows >= self.question.options.rows_max {
            self.tell(Message::RowsCut(rows_max as u64));
        }
    }

    async fn tables_of(&self, mut relation: Relation) -> Result<Vec<Table>> {
        let totals = relation.totals.take();
        let is_events = relation.about.is_events && !relation.about.has_limit;
        let (rows_max, is_default) = self.rows_max(None, is_events);
        if relation.about.is_events && relation.about.sorted_by.is_empty() && relation.scope.has(TIME_FIELD) {
            let newest =
                [SortKey { field: TIME_FIELD.to_owned(), is_descending: true, ..SortKey::default() }];
            relation = self.sort(relation, &sort::keys_of(&newest), Some(rows_max)).await?;
        }
        relation = limited(self.settled(relation).await?, rows_max);
        let table = self.table(relation, "0").await?;
        self.tell_of_limit(table.rows, rows_max, is_default);
        let mut tables = vec![self.cut(table)];
        if let Some(totals) = totals {
            let totals = limited(self.settled(*totals).await?, rows_max);
            let totals = self.table(totals, "_totals").await?;
            tables.push(self.cut(totals));
        }
        Ok(tables)
    }

    /// A table of the answer from the rows of a settled relation.
    pub(super) async fn table(&self, mut relation: Relation, name: &'static str) -> Result<Table> {
        let mut table = Table { name, ..Table::default() };
        let columns = relation.columns()?;
        let plan = self.plan(&relation, columns.exprs, columns.schema).await?;
        let batch = self.collected(plan).await?;
        let about = relation.about;
        table.rows = batch.num_rows();
        // A key may have the name of an aggregate behind it.
        let mut keys: HashSet<String> = about.groups.iter().cloned().collect();
        for (name, value) in columns.fields {
            let values = value
                .variants
                .iter()
                .filter_map(|variant| Some((variant.kind, Arc::clone(batch.column(variant.as_input()?)))));
            let aggregate = about.aggregates.get(&name).filter(|_| !keys.remove(&name)).cloned();
            table.fields.push(Field { aggregate, values: values.collect(), name });
        }
        table.order = about.sorted_by;
        table.groups = about.groups;
        table.bucket = about.bucket;
        table.range = about.range;
        table.sources = about.sources;
        Ok(table)
    }

    /// A table within the bytes that an answer may have.
    fn cut(&self, mut table: Table) -> Table {
        let kept = events::rows_within(&table.fields, table.rows, self.question.options.answer_bytes_max);
        if kept < table.rows {
            self.tell(Message::RowsCut(kept as u64));
            table.fields = events::first_rows(table.fields, kept);
            table.rows = kept;
        }
        table
    }
}
