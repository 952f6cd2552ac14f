//! Reads what the answer shows of rows that were found: their ids, and every field in every type it has there.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt32Array, new_null_array};
use hashbrown::HashMap;
use tidegauge_exec::expr::{Input, Picked, Rows, Typed};
use tidegauge_exec::types::{arrow_type, type_of};
use tidegauge_exec::{ARRIVAL_FIELD, InputColumn, Value};
use tidegauge_lang::tree::Type;
use tidegauge_model::RowId;
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_store::{Block, TypeSet};

use super::memory::{alone, text_bytes};
use super::search::{Budget, Found};
use super::slices::Slices;
use crate::answer::Field;
use crate::plan::EventsPlan;
use crate::scan::Scan;
use crate::turns;
use crate::{Error, Result};

/// The ids of some rows of a block.
pub(super) async fn identified(
    block: &Block,
    place: usize,
    times: &[i64],
    rows: &[u32],
) -> Result<Vec<Found>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let (sequences, indexes) = (block.sequences_at(rows).await?, block.indexes_at(rows).await?);
    let block =
        u32::try_from(place).map_err(|_| Error::Internal { message: "too many blocks".to_owned() })?;
    let ids = rows.iter().zip(sequences.iter().zip(indexes.iter()));
    let found = ids.map(|(row, (sequence, index))| {
        let id = RowId { time: times[*row as usize], sequence: *sequence, index: *index };
        Found { id, block, row: *row }
    });
    Ok(found.collect())
}

/// The found rows of one block, ascending, with the places in the answer where they belong.
struct Share {
    block: usize,
    picked: Picked,
}

/// The fields of the answer for the found rows, in their order, and of how many of them: the rest has no room.
pub(super) async fn fields(
    plan: &EventsPlan,
    scan: &Arc<Scan>,
    found: &[Found],
    budget: &Budget,
) -> Result<(Vec<Field>, usize)> {
    let (wanted, scan) = wanted(plan, scan, &shares_of(found).0);
    let places = Typed::inputs_of(wanted.iter().flat_map(|(_, value)| &value.variants));
    let mut slices = Slices::new(&scan, &places, found, budget);
    let (mut columns, mut rows): (Vec<Vec<ArrayRef>>, usize) = (Vec::new(), 0);
    while let Some(next) = slices.next()? {
        let read = match read_rows(&scan, &places, &wanted, next, budget).await {
            Err(Error::TooMuchAtOnce { .. }) if next.len() > 1 => {
                slices.take_fewer(next.len());
                continue;
            }
            read => read?,
        };
        let (read, kept) = slices.keep(read, next.len())?;
        rows += kept;
        columns.push(read);
    }
    let mut fields = Vec::with_capacity(wanted.len());
    let mut place = 0;
    for (name, value) in wanted {
        let mut values = Vec::with_capacity(value.variants.len());
        for variant in &value.variants {
            let parts: Vec<&dyn Array> = columns.iter().map(|columns| columns[place].as_ref()).collect();
            let whole = match parts.as_slice() {
                [] => new_null_array(&arrow_type(variant.kind), 0),
                [_] => Arc::clone(&columns[0][place]),
                parts => arrow_select::concat::concat(parts)?,
            };
            values.push((variant.kind, whole));
            place += 1;
        }
        fields.push(Field { name, aggregate: None, values });
    }
    Ok((fields, rows))
}

/// The rows by block, and where each of them stands among the rows in the order of blocks.
fn shares_of(found: &[Found]) -> (Vec<Share>, UInt32Array) {
    let mut by_block: Vec<u32> = (0..found.len() as u32).collect();
    by_block.sort_by_key(|at| (found[*at as usize].block, found[*at as usize].row));
    let mut shares: Vec<Share> = Vec::new();
    for at in &by_block {
        let Found { block, row, .. } = found[*at as usize];
        match shares.last_mut() {
            Some(Share { block: last, picked: Picked::Rows(rows) }) if *last == block as usize => {
                rows.push(row)
            }
            _ => shares.push(Share { block: block as usize, picked: Picked::Rows(vec![row]) }),
        }
    }
    let mut order = vec![0_u32; found.len()];
    (0_u32..).zip(&by_block).for_each(|(place, at)| order[*at as usize] = place);
    (shares, UInt32Array::from(order))
}

/// All columns of some rows, in the order of the fields and of their types.
async fn read_rows(
    scan: &Scan,
    places: &[usize],
    wanted: &[(String, Value)],
    found: &[Found],
    budget: &Budget,
) -> Result<Vec<ArrayRef>> {
    let (shares, order) = shares_of(found);
    let variants: Vec<&Typed> = wanted.iter().flat_map(|(_, value)| &value.variants).collect();
    let mut columns: Vec<Vec<ArrayRef>> = vec![Vec::with_capacity(shares.len()); variants.len()];
    for share in &shares {
        let count = share.picked.count();
        // Where there is no memory for whole columns, the rows are decoded alone.
        let beside = scan.bytes_beside(share.block, places, count);
        let is_whole = budget.memory.take(beside).is_ok();
        let inputs = match is_whole {
            true => scan.load(share.block, places, &share.picked).await?,
            false => scan.load_alone(share.block, places, &share.picked).await?,
        };
        let computed = evaluated(&variants, &inputs, count, budget);
        drop(inputs);
        let computed = match computed {
            Ok(computed) => Ok(each_alone(computed).await),
            failed => failed,
        };
        if is_whole {
            budget.memory.give_back(beside);
        }
        columns.iter_mut().zip(computed?).for_each(|(parts, part)| parts.push(part));
    }
    let mut whole = Vec::with_capacity(variants.len());
    for (variant, parts) in variants.iter().zip(columns) {
        whole.push(joined(variant.kind, &parts, &order)?);
        turns::pause().await;
    }
    Ok(whole)
}

/// Without a pause: what an expression takes is also measured by the clock.
fn evaluated(variants: &[&Typed], inputs: &[Input], count: usize, budget: &Budget) -> Result<Vec<ArrayRef>> {
    let allowance = budget.memory.allowance(count);
    let rows = Rows::allowed(inputs, count, &allowance);
    variants.iter().map(|variant| Ok(variant.evaluate(&rows)?.into_array(count)?)).collect()
}

/// Copies the texts of many rows out of their blocks, one column after the other, and lets others go on in between.
async fn each_alone(columns: Vec<ArrayRef>) -> Vec<ArrayRef> {
    let mut each = Vec::with_capacity(columns.len());
    for column in columns {
        each.push(alone(column));
        turns::pause().await;
    }
    each
}

/// Which fields are shown, and a scan whose inputs they read.
fn wanted(plan: &EventsPlan, scan: &Arc<Scan>, shares: &[Share]) -> (Vec<(String, Value)>, Arc<Scan>) {
    if let Some(fields) = &plan.fields {
        return (fields.clone(), Arc::clone(scan));
    }
    let mut stored: HashMap<String, TypeSet> = plan.stored.iter().cloned().collect();
    for share in shares {
        scan.blocks[share.block].fields(&mut |field, kinds| {
            let known = stored.entry_ref(field).or_default();
            *known = known.union(kinds);
        });
    }
    let mut names: Vec<(String, TypeSet)> = stored.into_iter().collect();
    names.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut inputs = scan.inputs.clone();
    // Looked up by hash: there may be a hundred thousand fields.
    let mut places: HashMap<InputColumn, usize> = inputs.iter().cloned().zip(0..).collect();
    let mut input = |column: InputColumn, kind: Type| {
        let place = *places.entry(column).or_insert_with_key(|column| {
            inputs.push(column.clone());
            inputs.len() - 1
        });
        Typed::input(kind, place)
    };
    let mut wanted: Vec<(String, Value)> = vec![
        (ARRIVAL_FIELD.to_owned(), input(InputColumn::Arrival, Type::Datetime).into()),
        (TIME_FIELD.to_owned(), input(InputColumn::Time, Type::Datetime).into()),
    ];
    for (name, kinds) in names {
        let field: Arc<str> = Arc::from(name.as_str());
        let variants =
            kinds.iter().map(|kind| input(InputColumn::Field(Arc::clone(&field), kind), type_of(kind)));
        wanted.push((name, Value { variants: variants.collect() }));
    }
    for (name, value) in &plan.computed {
        wanted.retain(|(known, _)| known != name);
        wanted.push((name.clone(), value.clone()));
    }
    (wanted, Arc::new(scan.with_inputs(inputs)))
}

fn joined(kind: Type, parts: &[ArrayRef], order: &UInt32Array) -> Result<ArrayRef> {
    let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
    if parts.is_empty() {
        return Ok(new_null_array(&arrow_type(kind), 0));
    }
    let whole = arrow_select::concat::concat(&parts)?;
    Ok(arrow_select::take::take(&whole, order, None)?)
}

/// How many of the rows fit into so many bytes; at least one.
pub(crate) fn rows_within(fields: &[Field], rows: usize, bytes_max: usize) -> usize {
    let total: usize =
        fields.iter().flat_map(|field| &field.values).map(|(_, array)| text_bytes(array, rows)).sum();
    if total <= bytes_max {
        return rows;
    }
    let mut left = bytes_max;
    for row in 0..rows {
        let bytes: usize = fields
            .iter()
            .map(|field| {
                let values: usize =
                    field.values.iter().map(|(_, array)| text_bytes(&array.slice(row, 1), 1)).sum();
                field.name.len() + values
            })
            .sum();
        if bytes > left {
            return row.max(1);
        }
        left -= bytes;
    }
    rows
}

pub(crate) fn first_rows(mut fields: Vec<Field>, rows: usize) -> Vec<Field> {
    for field in &mut fields {
        for (_, array) in &mut field.values {
            if array.len() > rows {
                *array = array.slice(0, rows);
            }
        }
    }
    fields
}
