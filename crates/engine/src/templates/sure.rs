//! For which rows a condition is certainly true or certainly false before any text is read.

use arrow_buffer::BooleanBuffer;
use tidegauge_store::{Codes, Templates};

use super::Verdict;
use crate::scan::Picked;

/// What is certain of some rows. Rows that are in neither have to be looked at.
#[derive(Clone, Debug)]
pub(crate) struct Sure {
    pub(crate) yes: BooleanBuffer,
    pub(crate) no: BooleanBuffer,
}

impl Sure {
    /// The same of all rows; none where it is not known.
    pub(crate) fn of_all(is_true: Option<bool>, rows: usize) -> Self {
        let bits = |is_set: bool| {
            if is_set { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) }
        };
        Self { yes: bits(is_true == Some(true)), no: bits(is_true == Some(false)) }
    }

    /// What the verdicts on templates say of rows, and what is known of rows without a text.
    pub(crate) fn of_templates(
        templates: &Templates,
        mut verdicts: Vec<Verdict>,
        of_null: Option<bool>,
        picked: &Picked,
    ) -> Self {
        verdicts.push(match of_null {
            Some(true) => Verdict::All,
            Some(false) => Verdict::None,
            None => Verdict::Open,
        });
        // Of a text whose template is not known, nothing is.
        verdicts.push(Verdict::Open);
        let yes = bits(templates.codes(), &verdicts, Verdict::All, picked);
        let open = bits(templates.codes(), &verdicts, Verdict::Open, picked);
        let no = !&(&yes | &open);
        Self { yes, no }
    }

    /// Of a condition that is true where all of several are.
    pub(crate) fn and(self, other: &Self) -> Self {
        Self { yes: &self.yes & &other.yes, no: &self.no | &other.no }
    }

    /// Of a condition that is true where one of several is.
    pub(crate) fn or(self, other: &Self) -> Self {
        Self { yes: &self.yes | &other.yes, no: &self.no & &other.no }
    }

    pub(crate) fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    /// The rows that have to be looked at.
    pub(crate) fn open(&self) -> BooleanBuffer {
        !&(&self.yes | &self.no)
    }
}

/// The rows whose template has a verdict.
fn bits(codes: &Codes, verdicts: &[Verdict], wanted: Verdict, picked: &Picked) -> BooleanBuffer {
    let count = picked.count();
    let is_wanted: Vec<bool> = verdicts.iter().map(|verdict| *verdict == wanted).collect();
    let other = verdicts.len() - 1;
    if wanted == Verdict::All && !is_wanted.contains(&true) {
        return BooleanBuffer::new_unset(count);
    }
    let is_only_other = wanted == Verdict::Open && !is_wanted[..other].contains(&true);
    match codes {
        Codes::U8(codes) if !is_only_other || codes.contains(&(other as u8)) => {
            BooleanBuffer::collect_bool(count, |at| is_wanted[usize::from(codes[picked.row(at) as usize])])
        }
        Codes::U16(codes) if !is_only_other || codes.contains(&(other as u16)) => {
            BooleanBuffer::collect_bool(count, |at| is_wanted[usize::from(codes[picked.row(at) as usize])])
        }
        Codes::U32(codes) => {
            BooleanBuffer::collect_bool(count, |at| is_wanted[codes[picked.row(at) as usize] as usize])
        }
        Codes::U8(_) | Codes::U16(_) => BooleanBuffer::new_unset(count),
    }
}
