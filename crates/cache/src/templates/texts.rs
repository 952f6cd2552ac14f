//! Texts without what is the same in all of their template: their variables alone, which are about a third of them. The
//! texts are put together again when they are asked for, which costs less than decoding them.

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use memchr::memchr_iter;
use tidegauge_exec::expr::Picked;
use tidegauge_exec::kernels::text::Matcher;
use tidegauge_exec::types::INLINE_MAX;
use tidegauge_model::template::{HOLE, token_bytes};
use tidegauge_store::Templates;

use super::{Verdict, Window, Within};
use tidegauge_exec::Result;

/// A variable of this length or more has its length in four bytes behind this one.
const LONG: u8 = u8::MAX;

/// How many bytes of text are in one buffer of an array; places in it have 32 bits, one of them for a sign.
const BUFFER_BYTES_MAX: usize = 1 << 30;

/// The texts of a column of a block.
#[derive(Debug)]
pub struct Texts {
    templates: Arc<Templates>,
    /// For each row its variables, each behind its length; the whole text of a row whose template is not known.
    variables: Vec<u8>,
    ends: Vec<u32>,
}

impl Texts {
    /// None where the texts do not have these templates, or are too many bytes.
    pub fn new(templates: Arc<Templates>, texts: &StringViewArray) -> Option<Self> {
        if templates.codes().len() != texts.len() {
            return None;
        }
        let mut variables = Vec::new();
        let mut ends = Vec::with_capacity(texts.len());
        for row in 0..texts.len() {
            let code = templates.codes().at(row);
            if texts.is_valid(row) {
                let text = texts.value(row);
                if code < templates.len() {
                    add_variables(templates.template(code), text, &mut variables)?;
                } else if code == templates.other_code() {
                    variables.extend_from_slice(text.as_bytes());
                } else {
                    return None;
                }
            } else if code != templates.null_code() {
                return None;
            }
            ends.push(u32::try_from(variables.len()).ok()?);
        }
        variables.shrink_to_fit();
        Some(Self { templates, variables, ends })
    }

    /// Some of the texts.
    pub fn at(&self, picked: &Picked) -> Result<ArrayRef> {
        let count = picked.count();
        let mut views = Vec::with_capacity(count);
        let (mut buffers, mut bytes) = (Vec::new(), Vec::new());
        for at in 0..count {
            if bytes.len() > BUFFER_BYTES_MAX {
                buffers.push(Buffer::from_vec(std::mem::take(&mut bytes)));
            }
            let start = bytes.len();
            self.write(picked.row(at) as usize, Window::WHOLE, &mut bytes);
            views.push(make_view(&bytes[start..], buffers.len() as u32, start as u32));
            if bytes.len() - start <= INLINE_MAX {
                // It stands in the view itself.
                bytes.truncate(start);
            }
        }
        buffers.push(Buffer::from_vec(bytes));
        let null = self.templates.null_code();
        let is_there = |at: usize| self.templates.codes().at(picked.row(at) as usize) != null;
        let nulls = NullBuffer::new(BooleanBuffer::collect_bool(count, is_there));
        let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
        Ok(Arc::new(StringViewArray::try_new(ScalarBuffer::from(views), buffers, nulls)?))
    }

    /// Which of the texts match, of those whose template leaves it open.
    pub fn matching(&self, picked: &Picked, verdicts: &[Verdict], matcher: &Matcher) -> BooleanBuffer {
        let mut part = Vec::new();
        BooleanBuffer::collect_bool(picked.count(), |at| {
            let row = picked.row(at) as usize;
            let window = match verdicts.get(self.templates.codes().at(row)) {
                Some(Verdict::Open(window)) => *window,
                _ => Window::WHOLE,
            };
            part.clear();
            self.write(row, window, &mut part);
            std::str::from_utf8(&part).is_ok_and(|part| matcher.is_match(part))
        })
    }

    /// The same for what can only lie in one variable: it is looked for in the variables of all rows at once, and only
    /// rows with a find are looked at.
    pub fn holding(
        &self,
        picked: &Picked,
        verdicts: &[Verdict],
        within: &Within,
        matcher: &Matcher,
    ) -> BooleanBuffer {
        let mut found = BooleanBufferBuilder::new(self.ends.len());
        found.append_n(self.ends.len(), false);
        let mut at = 0;
        while let Some(place) = self.variables.get(at..).and_then(|rest| within.find(rest)) {
            // What was found may also reach over the bytes between variables: that is told when the row is looked at.
            let row = self.ends.partition_point(|end| *end as usize <= at + place);
            found.set_bit(row, true);
            at = self.ends[row] as usize;
        }
        let found = found.finish();
        let rows: Vec<usize> =
            (0..picked.count()).filter(|at| found.value(picked.row(*at) as usize)).collect();
        let mut matching = BooleanBufferBuilder::new(picked.count());
        matching.append_n(picked.count(), false);
        let looked_at = Picked::Rows(rows.iter().map(|at| picked.row(*at)).collect());
        let matches = self.matching(&looked_at, verdicts, matcher);
        rows.iter().zip(matches.iter()).for_each(|(at, is_match)| matching.set_bit(*at, is_match));
        matching.finish()
    }

    /// Puts a text together, or a part of it.
    fn write(&self, row: usize, window: Window, text: &mut Vec<u8>) {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let mut variables = &self.variables[start..self.ends[row] as usize];
        let code = self.templates.codes().at(row);
        if code >= self.templates.len() {
            text.extend_from_slice(variables);
            return;
        }
        let template = self.templates.template(code);
        let template = &template[..window.end.min(template.len())];
        let mut copied = window.start;
        for hole in memchr_iter(HOLE, template) {
            let variable = next_variable(&mut variables);
            if hole >= window.start {
                text.extend_from_slice(&template[copied..hole]);
                text.extend_from_slice(variable);
                copied = hole + 1;
            }
        }
        text.extend_from_slice(template.get(copied..).unwrap_or_default());
    }

    /// How much memory it takes without the templates.
    pub fn memory_bytes(&self) -> usize {
        self.variables.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

/// Adds the variables of a text; none where it does not have this template.
fn add_variables(template: &[u8], text: &str, variables: &mut Vec<u8>) -> Option<()> {
    let bytes = text.as_bytes();
    let (mut copied, mut at) = (0, 0);
    for hole in memchr_iter(HOLE, template) {
        at += hole - copied;
        copied = hole + 1;
        let length = token_bytes(text.get(at..)?);
        match u8::try_from(length) {
            Ok(length) if length < LONG => variables.push(length),
            _ => {
                variables.push(LONG);
                variables.extend_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
            }
        }
        variables.extend_from_slice(&bytes[at..at + length]);
        at += length;
    }
    (at + template.len() - copied == bytes.len()).then_some(())
}

fn next_variable<'a>(variables: &mut &'a [u8]) -> &'a [u8] {
    let all: &'a [u8] = variables;
    let Some((length, rest)) = all.split_first() else { return &[] };
    let (length, rest) = match (*length, rest.split_first_chunk::<4>()) {
        (LONG, Some((length, rest))) => (u32::from_le_bytes(*length) as usize, rest),
        (length, _) => (usize::from(length), rest),
    };
    let (variable, rest) = rest.split_at(length.min(rest.len()));
    *variables = rest;
    variable
}
