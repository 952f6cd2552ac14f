//! `join` and `lookup`: rows of two tables whose keys are equal. Both tables are read; the right one is kept by its
//! keys, and the left one goes along it in its order. A key that is null belongs to nothing.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringViewArray, UInt32Array, new_empty_array};
use arrow_row::{RowConverter, Rows, SortField};
use datafusion_execution::memory_pool::MemoryConsumer;
use hashbrown::HashMap;
use tidegauge_lang::tree::{ExprKind, Join, JoinKind, JoinPair, Lookup, LookupKind, Type};

use super::rows::of_arrays;
use super::segment::{About, Columns, Segment, free_name};
use crate::bind::{Surroundings, invalid_with, type_names};
use crate::expr::Typed;
use crate::functions::convert;
use crate::run::Run;
use crate::types::arrow_type;
use crate::value::Value;
use crate::{Error, Result};

/// How many rows a join may give.
const ROWS_MAX: usize = 20_000_000;

/// For at most so many rows at a time memory is asked for.
const ROWS_STEP: usize = 4_096;

/// One table of a join: its fields, and its keys behind them.
struct Side {
    fields: Vec<(String, Value)>,
    batch: RecordBatch,
    /// The columns of the batch that are keys.
    keys: std::ops::Range<usize>,
}

/// The rows of the result: of each side the row, or none.
type Pairs = (Vec<Option<u32>>, Vec<Option<u32>>);

impl Run {
    pub(super) async fn join(&self, left: Segment, join: &Join, around: &Surroundings) -> Result<Segment> {
        let right = self.segment(&join.right, around).await?;
        self.joined(left, right, &join.on, join.kind, None, around).await
    }

    pub(super) async fn lookup(
        &self,
        left: Segment,
        lookup: &Lookup,
        around: &Surroundings,
    ) -> Result<Segment> {
        let right = self.segment(&lookup.table, around).await?;
        let kind = match lookup.kind {
            LookupKind::LeftOuter => JoinKind::LeftOuter,
            LookupKind::Inner => JoinKind::Inner,
        };
        let keys = lookup.on.iter().filter_map(|pair| match &pair.right.kind {
            ExprKind::Field(name) => Some(name.clone()),
            _ => None,
        });
        self.joined(left, right, &lookup.on, kind, Some(keys.collect()), around).await
    }

    async fn joined(
        &self,
        left: Segment,
        right: Segment,
        on: &[JoinPair],
        kind: JoinKind,
        dropped: Option<Vec<String>>,
        around: &Surroundings,
    ) -> Result<Segment> {
        // The left rows keep their order.
        let left = if left.pending.order.is_some() { self.settled(left).await? } else { left };
        let (mut left, mut right) = (self.unlimited(left).await?, self.unlimited(right).await?);
        let mut keys: (Vec<Typed>, Vec<Typed>) = Default::default();
        for pair in on {
            let (l, r) = (left.scope.bind(&pair.left)?, right.scope.bind(&pair.right)?);
            let (l, r) = key_pair(&l, &r, pair)?;
            keys.0.push(l);
            keys.1.push(r);
        }
        let mut about = About {
            sources: left.about.sources.clone(),
            range: left.about.range.or(right.about.range),
            ..About::default()
        };
        for source in &right.about.sources {
            if !about.sources.contains(source) {
                about.sources.push(source.clone());
            }
        }
        let hidden = left.scope.hidden();
        let left = self.side(&mut left, keys.0, &hidden).await?;
        let right = self.side(&mut right, keys.1, &[]).await?;
        let reservation = MemoryConsumer::new("join").register(self.context.memory_pool());
        let row_bytes = bytes_of_row(&left, &right);
        let pairs =
            pairs(&left, &right, kind, |rows| Ok(reservation.try_grow(rows.saturating_mul(row_bytes))?))?;
        let shown = |is_left: bool| match kind {
            JoinKind::LeftAnti | JoinKind::LeftSemi => is_left,
            JoinKind::RightAnti | JoinKind::RightSemi => !is_left,
            _ => true,
        };
        let mut result = Joined::default();
        if shown(true) {
            result.add(&left, pairs.0, &[])?;
        }
        if shown(false) {
            result.add(&right, pairs.1, &dropped.unwrap_or_default())?;
        }
        let mut joined = of_arrays(result.arrays, &result.kinds, result.rows, result.fields, around, about)?;
        joined.scope.hide(hidden.iter().map(|(name, _)| name));
        Ok(joined)
    }

    async fn side(
        &self,
        segment: &mut Segment,
        keys: Vec<Typed>,
        beside: &[(String, Value)],
    ) -> Result<Side> {
        let mut fields = segment.scope.fields()?;
        fields.extend(beside.iter().cloned());
        let shown = fields.len();
        fields.extend(keys.into_iter().map(|key| (String::new(), Value::from(key))));
        let columns = Columns::of(&fields);
        let key_count = fields.len() - shown;
        let width = columns.exprs.len();
        let plan = self.plan(segment, columns.exprs, columns.schema).await?;
        let batch = self.collected(plan).await?;
        self.note(&segment.scope);
        if u32::try_from(batch.num_rows()).is_err() {
            return Err(Error::Memory { limit: 0 });
        }
        let mut fields = columns.fields;
        fields.truncate(shown);
        Ok(Side { fields, batch, keys: width - key_count..width })
    }
}

/// Two keys in one type.
fn key_pair(left: &Value, right: &Value, pair: &JoinPair) -> Result<(Typed, Typed)> {
    let null = || crate::functions::logic::null(Type::String);
    let (Some(l), Some(r)) = (left.key()?, right.key()?) else { return Ok((null(), null())) };
    if l.kind == r.kind {
        return Ok((l, r));
    }
    let is_number = |kind: Type| matches!(kind, Type::Integer | Type::Float);
    if is_number(l.kind) && is_number(r.kind) {
        // Not as floats, for which neighbours of large integers are equal.
        return Ok((convert::rank(l)?, convert::rank(r)?));
    }
    let is_open = |kind: Type| kind == Type::Dynamic;
    if is_open(l.kind) || is_open(r.kind) {
        return Ok((convert::to_json(l)?, convert::to_json(r)?));
    }
    let message = format!("the keys have different types: {} and {}", type_names(left), type_names(right));
    let hint = "convert one of them in an `extend` before this, as with `tostring(…)`";
    Err(invalid_with(pair.right.span, message, hint))
}

/// The keys of a side as comparable rows, and which of them have a null.
fn keys_of(side: &Side, converter: &RowConverter) -> Result<(Rows, Vec<bool>)> {
    let columns = &side.batch.columns()[side.keys.clone()];
    let has_null = |row: usize| columns.iter().any(|column| column.is_null(row));
    let nulls = (0..side.batch.num_rows()).map(has_null).collect();
    Ok((converter.convert_columns(columns)?, nulls))
}

/// The rows of the right side that have one key, and whether a row of the left side has it too.
#[derive(Default)]
struct Matches {
    rows: Vec<u32>,
    is_met: bool,
}

/// Pairs so far, and the room that was asked for.
struct Paired<M> {
    rows: Pairs,
    room: usize,
    more: M,
}

impl<M: Fn(usize) -> Result<()>> Paired<M> {
    fn push(&mut self, left: Option<u32>, right: Option<u32>) -> Result<()> {
        if self.rows.0.len() == self.room {
            let step = self.room.clamp(1, ROWS_STEP);
            (self.more)(step)?;
            self.room += step;
        }
        self.rows.0.push(left);
        self.rows.1.push(right);
        if self.rows.0.len() > ROWS_MAX { Err(Error::Memory { limit: 0 }) } else { Ok(()) }
    }
}

/// Which rows belong together. Room for more of them is asked for before they are.
fn pairs(left: &Side, right: &Side, kind: JoinKind, more: impl Fn(usize) -> Result<()>) -> Result<Pairs> {
    let types = left.batch.schema_ref().fields()[left.keys.clone()].iter();
    let types = types.map(|field| SortField::new(field.data_type().clone()));
    let converter = RowConverter::new(types.collect())?;
    let (right_keys, right_nulls) = keys_of(right, &converter)?;
    let (left_keys, left_nulls) = keys_of(left, &converter)?;
    let mut by_key: HashMap<&[u8], Matches> = HashMap::new();
    for (row, key) in (0_u32..).zip(right_keys.iter()) {
        if !right_nulls[row as usize] {
            by_key.entry(key.data()).or_default().rows.push(row);
        }
    }
    let mut pairs = Paired { rows: Pairs::default(), room: 0, more };
    for (row, key) in (0_u32..).zip(left_keys.iter()) {
        let matches = if left_nulls[row as usize] { None } else { by_key.get_mut(key.data()) };
        let is_found = matches.is_some();
        let found = matches.map_or(&[][..], |matches| {
            matches.is_met = true;
            &matches.rows
        });
        match kind {
            JoinKind::InnerUnique => {
                if let Some(first) = found.first() {
                    pairs.push(Some(row), Some(*first))?;
                }
            }
            JoinKind::LeftSemi if is_found => pairs.push(Some(row), None)?,
            JoinKind::LeftAnti if !is_found => pairs.push(Some(row), None)?,
            JoinKind::LeftSemi | JoinKind::LeftAnti | JoinKind::RightSemi | JoinKind::RightAnti => {}
            JoinKind::LeftOuter | JoinKind::FullOuter if !is_found => pairs.push(Some(row), None)?,
            _ => {
                for matched in found {
                    pairs.push(Some(row), Some(*matched))?;
                }
            }
        }
    }
    for row in right_alone(by_key, right.batch.num_rows(), kind) {
        pairs.push(None, Some(row))?;
    }
    Ok(pairs.rows)
}

/// The rows of the right side that stand in the result without one of the left side.
fn right_alone(by_key: HashMap<&[u8], Matches>, rows: usize, kind: JoinKind) -> Vec<u32> {
    let wanted = match kind {
        JoinKind::RightOuter | JoinKind::FullOuter | JoinKind::RightAnti => false,
        JoinKind::RightSemi => true,
        _ => return Vec::new(),
    };
    let mut is_met = vec![false; rows];
    for row in by_key.into_values().filter(|matches| matches.is_met).flat_map(|matches| matches.rows) {
        is_met[row as usize] = true;
    }
    (0_u32..).zip(is_met).filter(|(_, is_met)| *is_met == wanted).map(|(row, _)| row).collect()
}

/// About how many bytes a row of the result has. Its texts are those of the two sides, and not copied.
fn bytes_of_row(left: &Side, right: &Side) -> usize {
    const OF_VALUE: usize = 17;
    const OF_PAIR: usize = 16;
    OF_PAIR + OF_VALUE * (left.batch.num_columns() + right.batch.num_columns())
}

/// The columns of the result so far.
#[derive(Default)]
struct Joined {
    arrays: Vec<ArrayRef>,
    kinds: Vec<Type>,
    fields: Vec<(String, Value)>,
    rows: usize,
}

impl Joined {
    /// Adds the fields of a side for these rows. A name that is taken gets a number.
    fn add(&mut self, side: &Side, rows: Vec<Option<u32>>, dropped: &[String]) -> Result<()> {
        self.rows = rows.len();
        let places = UInt32Array::from(rows);
        for (name, value) in side.fields.iter().filter(|(name, _)| !dropped.contains(name)) {
            let free = free_name(name, |wanted| self.fields.iter().any(|(known, _)| known == wanted));
            let is_text = value.types() == [Type::String];
            let mut variants = Vec::with_capacity(value.variants.len());
            for variant in &value.variants {
                let empty = new_empty_array(&arrow_type(variant.kind));
                let array = variant.as_input().map_or(&empty, |place| side.batch.column(place));
                let mut taken = arrow_select::take::take(array, &places, None)?;
                if is_text && places.null_count() > 0 {
                    taken = with_empty(&taken, &places);
                }
                variants.push(Typed::input(variant.kind, self.arrays.len()));
                self.arrays.push(taken);
                self.kinds.push(variant.kind);
            }
            self.fields.push((free, Value { variants }));
        }
        Ok(())
    }
}

/// Where there is no row, a text is empty rather than null.
fn with_empty(texts: &ArrayRef, places: &UInt32Array) -> ArrayRef {
    use arrow_array::cast::AsArray;
    let texts = texts.as_string_view();
    let filled = texts.iter().enumerate();
    let filled = filled.map(|(row, text)| if places.is_null(row) { Some("") } else { text });
    Arc::new(filled.collect::<StringViewArray>())
}
