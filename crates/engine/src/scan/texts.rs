//! Conditions on texts, asked of their templates first. Rows that a condition is certainly true or false for are not
//! read; the others are, and only they are tested.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use tidegauge_cache::templates::{Asked, Sure, Verdict};
use tidegauge_exec::InputColumn;
use tidegauge_exec::expr::{Input, Node, Picked, Rows, Typed};
use tidegauge_exec::kernels::text::wanted::rows_with;
use tidegauge_exec::types::{arrow_type, type_of};
use tidegauge_model::FieldKind;
use tidegauge_store::{Block, Templates};
use tokio::time::Instant;

use super::weight::is_few;
use super::{Scan, add_since};
use crate::Result;

/// What is certain of a condition.
pub(super) struct Decided {
    sure: Sure,
    /// Where the condition is one test of one text.
    only: Option<OnlySearch>,
}

/// The one test that a condition is.
struct OnlySearch {
    asked: Arc<Asked>,
    /// The place of the text among the inputs.
    input: usize,
    verdicts: Vec<Verdict>,
    is_negated: bool,
}

/// What is known of the columns that a condition reads.
struct Known<'a> {
    scan: &'a Scan,
    block: &'a Block,
    picked: &'a Picked,
    /// By the place of the input.
    templates: Vec<(usize, Arc<Templates>)>,
}

impl Scan {
    /// For which rows a condition is certainly true or false; none where nothing is known of any.
    pub(super) async fn decided(
        &self,
        place: usize,
        condition: &Typed,
        picked: &Picked,
    ) -> Result<Option<Decided>> {
        let block = &self.blocks[place];
        if block.is_buffered() {
            return Ok(None);
        }
        let mut places = Vec::new();
        condition.visit_searches(&mut |input| places.push(input));
        places.sort_unstable();
        places.dedup();
        let mut templates = Vec::new();
        for input in places {
            if let InputColumn::Field(field, FieldKind::String) = &self.inputs[input]
                && let Some(known) = self.templates_in_turn(place, field, picked.count()).await?
            {
                templates.push((input, known));
            }
        }
        if templates.is_empty() {
            return Ok(None);
        }
        let began = Instant::now();
        let known = Known { scan: self, block, picked, templates };
        let decided = match known.of_only_search(condition)? {
            Some(decided) => decided,
            None => Decided { sure: known.of(condition)?, only: None },
        };
        add_since(&self.counters.nanos_filtering, began);
        Ok(Some(decided))
    }

    /// The rows that pass: those that certainly do, and those of the open ones that turn out to.
    pub(super) async fn kept_of_open(
        &self,
        place: usize,
        condition: &Typed,
        picked: Picked,
        decided: Decided,
    ) -> Result<Picked> {
        let Decided { sure, only } = decided;
        let open = sure.open();
        let count = open.count_set_bits();
        if count == 0 {
            return Ok(picked.keep(&sure.yes));
        }
        let looked_at = picked.clone().keep(&open);
        let passes = match only.and_then(|only| self.matching(place, &looked_at, &only)) {
            Some(passes) => passes,
            None => self.passes(place, condition, &looked_at).await?,
        };
        Ok(picked.keep(&with_those_of(sure.yes, &open, &passes)))
    }

    /// Which of the picked rows have the one text that a condition wants, where texts are kept without views: making
    /// those takes longer than looking.
    pub(super) fn having_only_text(
        &self,
        place: usize,
        condition: &Typed,
        picked: &Picked,
    ) -> Option<BooleanBuffer> {
        let cache = self.cache.as_ref().filter(|_| !self.blocks[place].is_buffered())?;
        let (test, _, false) = condition.only_search()? else { return None };
        let (search, input) = test.search()?;
        let needle = search.only_text()?;
        let texts = cache.packed(self.blocks[place].id(), &self.inputs[input])?;
        let began = Instant::now();
        let passes = match picked {
            Picked::Range(range) => rows_with(needle, &texts, range.len(), |place| range.start + place),
            Picked::Rows(rows) => rows_with(needle, &texts, rows.len(), |place| rows[place] as usize),
        };
        add_since(&self.counters.nanos_filtering, began);
        Some(passes)
    }

    /// Which of the open rows pass, where their texts are kept without what is the same in all: only the parts are put
    /// together that can matter.
    fn matching(&self, place: usize, picked: &Picked, only: &OnlySearch) -> Option<BooleanBuffer> {
        let cache = self.cache.as_ref()?;
        let texts = cache.taken_apart(self.blocks[place].id(), &self.inputs[only.input])?;
        let began = Instant::now();
        let matcher = only.asked.matcher();
        // Where few rows are left, looking at those alone is less than looking through all.
        let within = only.asked.within().filter(|_| !is_few(picked.count(), &self.blocks[place]));
        let matches = match within {
            Some(within) => texts.holding(picked, &only.verdicts, within, &matcher),
            None => texts.matching(picked, &only.verdicts, &matcher),
        };
        add_since(&self.counters.nanos_filtering, began);
        Some(if only.is_negated { !&matches } else { matches })
    }
}

/// Rows that are set already, with those of the open ones that passed.
fn with_those_of(yes: BooleanBuffer, open: &BooleanBuffer, passes: &BooleanBuffer) -> BooleanBuffer {
    if passes.count_set_bits() == 0 {
        return yes;
    }
    let mut all = BooleanBufferBuilder::new(yes.len());
    all.append_buffer(&yes);
    for (row, has_passed) in open.set_indices().zip(passes.iter()) {
        if has_passed {
            all.set_bit(row, true);
        }
    }
    all.finish()
}

impl Known<'_> {
    /// What is certain of a condition that is one test of one text; none where it is something else.
    fn of_only_search(&self, condition: &Typed) -> Result<Option<Decided>> {
        let Some((test, leaf, is_negated)) = condition.only_search() else { return Ok(None) };
        let Some((search, input)) = test.search() else { return Ok(None) };
        let Some((_, templates)) = self.templates.iter().find(|(own, _)| *own == input) else {
            return Ok(None);
        };
        let Some(of_null) = self.without_inputs(leaf)? else { return Ok(None) };
        let asked = self.scan.searches.of(search);
        let verdicts = asked.verdicts(templates);
        let sure = Sure::of_templates(templates, &verdicts, Some(of_null), self.picked);
        let sure = if is_negated { sure.negated() } else { sure };
        let only = OnlySearch { asked, input, verdicts, is_negated };
        Ok(Some(Decided { sure, only: Some(only) }))
    }

    /// What is certain of a condition.
    fn of(&self, condition: &Typed) -> Result<Sure> {
        let unknown = || Sure::of_all(None, self.picked.count());
        match &*condition.node {
            Node::And(parts) => {
                let first = Sure::of_all(Some(true), self.picked.count());
                parts.iter().try_fold(first, |sure, part| Ok(sure.and(&self.of(part)?)))
            }
            Node::Or(parts) => {
                let first = Sure::of_all(Some(false), self.picked.count());
                parts.iter().try_fold(first, |sure, part| Ok(sure.or(&self.of(part)?)))
            }
            Node::Shared(of) => self.of(of),
            Node::Call { name: "not", arguments, .. } => match arguments.as_slice() {
                [of] => Ok(self.of(of)?.negated()),
                _ => Ok(unknown()),
            },
            Node::Call { name: "known", arguments, .. } => match arguments.as_slice() {
                [of] if of.is_joined() => self.of(of),
                [of] => self.of_search(of, condition),
                _ => Ok(unknown()),
            },
            Node::Call { .. } => self.of_search(condition, condition),
            Node::Input(_) | Node::Literal(_) => self.of_absent(condition),
        }
    }

    /// What the templates say, of a test and the condition that it is.
    fn of_search(&self, test: &Typed, condition: &Typed) -> Result<Sure> {
        let Some((search, place)) = test.search() else { return self.of_absent(condition) };
        let Some((_, templates)) = self.templates.iter().find(|(own, _)| *own == place) else {
            return self.of_absent(condition);
        };
        let of_null = self.without_inputs(condition)?;
        Ok(Sure::of_templates(
            templates,
            &self.scan.searches.of(search).verdicts(templates),
            of_null,
            self.picked,
        ))
    }

    /// What is certain of a condition that reads only what no row of the block has.
    fn of_absent(&self, condition: &Typed) -> Result<Sure> {
        let is_absent = |place: &usize| match &self.scan.inputs[*place] {
            InputColumn::Field(field, kind) => !self.block.kinds(field).contains(*kind),
            InputColumn::Time
            | InputColumn::Arrival
            | InputColumn::Sequence
            | InputColumn::Index
            | InputColumn::Cursor
            | InputColumn::Template(_) => false,
        };
        let is_fixed = condition.inputs().iter().all(is_absent) && !condition.is_per_row();
        let is_true = if is_fixed { self.without_inputs(condition)? } else { None };
        Ok(Sure::of_all(is_true, self.picked.count()))
    }

    /// Whether a condition is true of a row that has none of what it reads; none where that is unknown.
    fn without_inputs(&self, condition: &Typed) -> Result<Option<bool>> {
        let absent = |column: &InputColumn| match column {
            InputColumn::Field(_, kind) => Input::Absent(arrow_type(type_of(*kind))),
            InputColumn::Time
            | InputColumn::Arrival
            | InputColumn::Sequence
            | InputColumn::Index
            | InputColumn::Cursor
            | InputColumn::Template(_) => Input::Absent(arrow_schema::DataType::Null),
        };
        let inputs: Vec<Input> = self.scan.inputs.iter().map(absent).collect();
        let value = condition.evaluate(&Rows::new(&inputs, 1))?.into_array(1)?;
        let value = value.as_boolean();
        Ok(value.is_valid(0).then(|| value.value(0)))
    }
}
