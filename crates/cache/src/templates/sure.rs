//! For which rows a condition is certainly true or certainly false before any text is read.

use arrow_buffer::BooleanBuffer;
use tidegauge_exec::expr::Picked;
use tidegauge_store::{Codes, Templates};

use super::Verdict;

/// What is certain of some rows. Rows that are in neither have to be looked at.
#[derive(Clone, Debug)]
pub struct Sure {
    pub yes: BooleanBuffer,
    pub no: BooleanBuffer,
}

impl Sure {
    /// The same of all rows; none where it is not known.
    pub fn of_all(is_true: Option<bool>, rows: usize) -> Self {
        let bits = |is_set: bool| {
            if is_set { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) }
        };
        Self { yes: bits(is_true == Some(true)), no: bits(is_true == Some(false)) }
    }

    /// What the verdicts on templates say of rows, and what is known of rows without a text.
    pub fn of_templates(
        templates: &Templates,
        verdicts: &[Verdict],
        of_null: Option<bool>,
        picked: &Picked,
    ) -> Self {
        // Of a text whose template is not known, nothing is.
        let is_yes = |verdict: &Verdict| *verdict == Verdict::All;
        let yes = verdicts.iter().map(is_yes).chain([of_null == Some(true), false]).collect();
        let is_open = |verdict: &Verdict| matches!(verdict, Verdict::Open(_));
        let open = verdicts.iter().map(is_open).chain([of_null.is_none(), true]).collect();
        let yes = bits(templates, yes, picked);
        let open = bits(templates, open, picked);
        let no = !&(&yes | &open);
        Self { yes, no }
    }

    /// Of a condition that is true where all of several are.
    pub fn and(self, other: &Self) -> Self {
        Self { yes: &self.yes & &other.yes, no: &self.no | &other.no }
    }

    /// Of a condition that is true where one of several is.
    pub fn or(self, other: &Self) -> Self {
        Self { yes: &self.yes | &other.yes, no: &self.no & &other.no }
    }

    /// Of the opposite of a condition.
    pub fn negated(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    /// The rows that have to be looked at.
    pub fn open(&self) -> BooleanBuffer {
        !&(&self.yes | &self.no)
    }
}

/// The rows whose code is one of the wanted.
fn bits(templates: &Templates, is_wanted: Vec<bool>, picked: &Picked) -> BooleanBuffer {
    let count = picked.count();
    let other = templates.other_code();
    // Mostly nothing is wanted but the rows that are like no others, and there are none.
    let is_rare = !is_wanted[..other].contains(&true);
    if is_rare && (!is_wanted[other] || !templates.has_others()) {
        return BooleanBuffer::new_unset(count);
    }
    match templates.codes() {
        Codes::U8(codes) => {
            BooleanBuffer::collect_bool(count, |at| is_wanted[usize::from(codes[picked.row(at) as usize])])
        }
        Codes::U16(codes) => {
            BooleanBuffer::collect_bool(count, |at| is_wanted[usize::from(codes[picked.row(at) as usize])])
        }
        Codes::U32(codes) => {
            BooleanBuffer::collect_bool(count, |at| is_wanted[codes[picked.row(at) as usize] as usize])
        }
    }
}
