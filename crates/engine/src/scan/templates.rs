//! The templates of a block's texts: as they are kept, as they were stored, or made of the texts. And what they are
//! used for besides conditions: a column of templates, and texts that are kept without what is the same in all.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use hashbrown::HashMap;
use tidegauge_cache::ColumnCache;
use tidegauge_cache::templates::Texts;
use tidegauge_exec::InputColumn;
use tidegauge_exec::expr::{Codes, Input, Picked};
use tidegauge_model::FieldKind;
use tidegauge_model::template::{Splitter, shown};
use tidegauge_store::{Block, Templates};
use tokio::time::Instant;

use super::weight::{is_few, is_heavy, is_large};
use super::{Scan, add_since};
use crate::Result;

impl Scan {
    /// The templates of a field's texts in a block, for one thread at a time. They are made of the texts only where so
    /// many rows are asked about that the texts would be read whole.
    pub(super) async fn templates_in_turn(
        &self,
        place: usize,
        field: &Arc<str>,
        rows: usize,
    ) -> Result<Option<Arc<Templates>>> {
        let _turn = match self.reading.get(place) {
            Some(reading) => Some(reading.lock().await),
            None => None,
        };
        let block = &self.blocks[place];
        self.templates(block, field, !is_few(rows, block)).await
    }

    async fn templates(
        &self,
        block: &Block,
        field: &Arc<str>,
        may_make: bool,
    ) -> Result<Option<Arc<Templates>>> {
        if !block.has_single_strings(field) {
            return Ok(None);
        }
        if let Some(known) = self.cache.as_ref().and_then(|cache| cache.templates(block.id(), field)) {
            return Ok(known);
        }
        let began = Instant::now();
        let mut templates = block.templates(field).await?.map(Arc::new);
        add_since(&self.counters.nanos_reading, began);
        let Some(cache) = &self.cache else { return Ok(templates) };
        let column = InputColumn::Field(Arc::clone(field), FieldKind::String);
        if templates.is_none() && !may_make {
            return Ok(None);
        }
        if templates.is_none() && is_large(block, &column) && !is_heavy(block, &column) {
            // A segment from before templates were stored: its texts have to be read whole once in any case.
            let texts = Box::pin(self.whole(block, &column)).await?;
            if let Input::Plain(texts) = &texts {
                templates = Templates::of(texts.as_string_view().iter()).map(Arc::new);
            }
            cache.insert_templates(block.id(), field, templates.as_ref());
            match (&templates, &texts) {
                // What they leave open is asked for next, of the same texts.
                (Some(templates), Input::Plain(texts)) => keep_apart(cache, block, &column, templates, texts),
                _ => cache.insert(block.id(), &column, &texts),
            }
            return Ok(templates);
        }
        cache.insert_templates(block.id(), field, templates.as_ref());
        Ok(templates)
    }

    /// The template of each row as text.
    pub(super) async fn template_column(&self, block: &Block, field: &Arc<str>) -> Result<Input> {
        let Some(templates) = self.templates(block, field, true).await? else {
            let column = InputColumn::Field(Arc::clone(field), FieldKind::String);
            let texts = self.input(block, &column, &Picked::Range(0..block.rows())).await?;
            return templates_of_texts(&texts, block.rows());
        };
        let mut column = Column::new(templates.len());
        let of_codes: Vec<u32> =
            (0..templates.len()).map(|code| column.place(shown(templates.template(code)))).collect();
        let others: Vec<u32> = (0..block.rows() as u32)
            .filter(|row| templates.codes().at(*row as usize) == templates.other_code())
            .collect();
        let of_others = self.templates_of_rows(block, field, &others, &mut column).await?;
        let mut of_others = of_others.into_iter();
        let mut is_there = Vec::with_capacity(block.rows());
        let mut places = Vec::with_capacity(block.rows());
        for row in 0..block.rows() {
            let code = templates.codes().at(row);
            is_there.push(code != templates.null_code());
            places.push(match of_codes.get(code) {
                Some(place) => *place,
                None if code == templates.other_code() => of_others.next().unwrap_or_default(),
                None => 0,
            });
        }
        Ok(column.finish(places, &is_there))
    }

    /// The places of the templates of rows whose templates are not in the dictionary.
    async fn templates_of_rows(
        &self,
        block: &Block,
        field: &Arc<str>,
        rows: &[u32],
        column: &mut Column,
    ) -> Result<Vec<u32>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        self.count_read(block, block.column_bytes(field, FieldKind::String));
        let Some(texts) = block.column_at(field, FieldKind::String, rows).await? else {
            return Ok(vec![0; rows.len()]);
        };
        let mut splitter = Splitter::default();
        let place = |text: Option<&str>| {
            splitter.split(text.unwrap_or_default());
            column.place(shown(splitter.template()))
        };
        Ok(texts.as_string_view().iter().map(place).collect())
    }
}

/// Keeps a column that was read whole: texts whose templates are known without what those say.
pub(super) fn keep(cache: &ColumnCache, block: &Block, column: &InputColumn, whole: &Input) {
    if let (InputColumn::Field(field, FieldKind::String), Input::Plain(texts)) = (column, whole)
        && let Some(Some(templates)) = cache.templates(block.id(), field)
    {
        if cache.pays_to_take_apart(block.id(), column, texts) {
            keep_apart(cache, block, column, &templates, texts);
        }
        return;
    }
    cache.insert(block.id(), column, whole);
}

/// Keeps texts without what their templates say, or as they are where that would not be less.
fn keep_apart(
    cache: &ColumnCache,
    block: &Block,
    column: &InputColumn,
    templates: &Arc<Templates>,
    texts: &ArrayRef,
) {
    match Texts::new(Arc::clone(templates), texts.as_string_view()) {
        Some(apart) => cache.insert_texts(block.id(), column, apart, texts),
        None => cache.insert(block.id(), column, &Input::Plain(Arc::clone(texts))),
    }
}

/// The templates of texts that have been read.
fn templates_of_texts(texts: &Input, rows: usize) -> Result<Input> {
    let mut column = Column::new(0);
    let mut splitter = Splitter::default();
    let mut place_of = |text: &str| {
        splitter.split(text);
        column.place(shown(splitter.template()))
    };
    let (places, is_there) = if let Input::Coded { codes, values, nulls } = texts {
        let of_codes: Vec<u32> =
            values.as_string_view().iter().map(|value| value.map_or(0, &mut place_of)).collect();
        let is_there = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let places: Vec<u32> = (0..codes.len()).map(|row| of_codes[codes.at(row)]).collect();
        (places, (0..codes.len()).map(is_there).collect::<Vec<bool>>())
    } else {
        let texts = texts.values()?.into_array(rows)?;
        let texts = texts.as_string_view();
        let places: Vec<u32> = texts.iter().map(|text| text.map_or(0, &mut place_of)).collect();
        (places, (0..texts.len()).map(|row| texts.is_valid(row)).collect())
    };
    Ok(column.finish(places, &is_there))
}

/// A column of codes in the making.
struct Column {
    values: Vec<Arc<str>>,
    by_text: HashMap<Arc<str>, u32>,
}

impl Column {
    fn new(values: usize) -> Self {
        Self { values: Vec::with_capacity(values), by_text: HashMap::with_capacity(values) }
    }

    /// The place of a value, each of which is there once.
    fn place(&mut self, value: String) -> u32 {
        if let Some(place) = self.by_text.get(value.as_str()) {
            return *place;
        }
        let place = self.values.len() as u32;
        let value: Arc<str> = Arc::from(value);
        self.by_text.insert(Arc::clone(&value), place);
        self.values.push(value);
        place
    }

    fn finish(self, places: Vec<u32>, is_there: &[bool]) -> Input {
        let nulls = NullBuffer::new(BooleanBuffer::from(is_there));
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let values: StringViewArray = self.values.iter().map(|value| Some(value.as_ref())).collect();
        let codes = match values.len() {
            0..=0xff => Codes::U8(places.iter().map(|place| *place as u8).collect()),
            0x100..=0xffff => Codes::U16(places.iter().map(|place| *place as u16).collect()),
            _ => Codes::U32(places.into()),
        };
        Input::Coded { codes, values: Arc::new(values), nulls }
    }
}
