//! Events in an order: by time, or by fields.

use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{convert, logic};
use tidegauge_lang::tree::{Cursor, SortKey, Type};
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_store::TypeSet;

use crate::Result;
use crate::plan::groups::numbers_in_order;

/// Up to how many fields of a dataset are all shown.
const FIELDS_SHOWN_MAX: usize = 500;

/// Which events are wanted, and what of them.
#[derive(Debug)]
pub(crate) struct EventsPlan {
    pub(crate) order: EventOrder,
    pub(crate) sorted_by: Vec<SortKey>,
    pub(crate) after: Option<Cursor>,
    pub(crate) limit: usize,
    /// The fields of the answer; none is all of them.
    pub(crate) fields: Option<Vec<(String, Value)>>,
    /// The fields that the dataset is known to have, shown even where no row has them. Of very many only those that
    /// occur are shown.
    pub(crate) stored: Vec<(String, TypeSet)>,
    /// Whether there are so many fields that only those are shown which a row of the answer has.
    pub(crate) shows_only_present: bool,
    /// What the query computed, shown beside the stored fields.
    pub(crate) computed: Vec<(String, Value)>,
}

/// How events are ordered. Those that are equal are newest first, and those of the same time as they were sent.
#[derive(Clone, Debug)]
pub(crate) enum EventOrder {
    Time { is_descending: bool },
    Columns(Vec<SortColumn>),
}

/// One column to sort by.
#[derive(Clone, Debug)]
pub(crate) struct SortColumn {
    pub(crate) expr: Typed,
    pub(crate) is_descending: bool,
    pub(crate) has_nulls_first: bool,
}

impl SortColumn {
    /// A column to sort by, with nulls as the least values.
    pub(crate) fn new(expr: Typed, is_descending: bool) -> Self {
        Self { expr, is_descending, has_nulls_first: !is_descending }
    }
}

impl EventsPlan {
    /// All events that a scope shows, the newest first.
    pub(crate) fn new(scope: &mut Scope) -> Result<Self> {
        let mut plan = Self {
            order: EventOrder::Time { is_descending: true },
            sorted_by: vec![SortKey {
                field: TIME_FIELD.to_owned(),
                is_descending: true,
                ..SortKey::default()
            }],
            after: None,
            limit: usize::MAX,
            fields: None,
            stored: Vec::new(),
            shows_only_present: false,
            computed: Vec::new(),
        };
        if !scope.is_open() {
            plan.fields = Some(scope.fields()?);
            return Ok(plan);
        }
        plan.computed = scope.computed();
        match scope.stored_fields(FIELDS_SHOWN_MAX) {
            Some(stored) => plan.stored = stored,
            None => plan.shows_only_present = true,
        }
        Ok(plan)
    }
}

/// The columns that put values in order: their own, or where types are mixed whether there is a value, its number as a
/// float and by the digits that a float loses, and then its text. Numbers that are not all of 64 bits have their rank.
pub(crate) fn sort_columns(value: &Value) -> Result<Vec<Typed>> {
    match value.variants.as_slice() {
        [] => Ok(Vec::new()),
        [only] if only.kind == Type::Float => Ok(vec![convert::with_one_zero(only.clone())?]),
        [only] if !matches!(only.kind, Type::Dynamic | Type::LongInteger) => Ok(vec![only.clone()]),
        variants => {
            let mut columns = vec![value.exists()?];
            if value.has_long_integers() || value.of_type(Type::Dynamic).is_some() {
                columns.extend(numbers_in_order(value)?);
            } else {
                columns.extend(value.float()?.map(convert::with_one_zero).transpose()?);
                if let Some(integer) = value.of_type(Type::Integer) {
                    columns.push(convert::lost_as_float(integer.clone())?);
                }
            }
            let is_number =
                |variant: &Typed| matches!(variant.kind, Type::Integer | Type::Float | Type::LongInteger);
            let texts = variants.iter().filter(|variant| !is_number(variant));
            let texts = texts.map(|variant| match variant.kind {
                Type::Dynamic => convert::to_text_unless_number(variant.clone()),
                _ => convert::to_text(variant.clone()),
            });
            let texts = texts.collect::<tidegauge_exec::Result<Vec<Typed>>>()?;
            columns.extend(logic::first_of(texts)?);
            Ok(columns)
        }
    }
}
