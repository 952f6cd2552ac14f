//! The templates of the strings of one column of one row group: the dictionary of templates, the template of each row,
//! what the variables in each hole look like, and a filter over the longer ones. Made when a segment is written and
//! stored in it beside the column, or made anew from the strings of a segment that has none. What a question makes of
//! it is left to the query engine.

mod build;
mod filter;
mod form;

use arrow_buffer::ScalarBuffer;
use tidegauge_model::template::letters;
use xxhash_rust::xxh3::xxh3_128;

pub use filter::FRAGMENT_BYTES_LEAST;
use filter::Filter;

use crate::Codes;

/// The templates of a column of a row group.
#[derive(Clone, Debug)]
pub struct Templates {
    /// By row. Behind the templates come [`Self::null_code`] and [`Self::other_code`].
    codes: Codes,
    /// The templates, one after the other.
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// What tells each template apart from all others, in whatever row group.
    identities: Vec<u128>,
    /// Of all templates, one after the other.
    holes: Vec<Hole>,
    hole_ends: Vec<u32>,
    filter: Filter,
    has_others: bool,
}

/// What the variables are like that stand in one hole of one template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hole {
    /// Which of [`letters`] occur in them.
    pub letters: u8,
    /// The bytes of the longest; [`u8::MAX`] stands for that and more.
    pub longest: u8,
}

impl Hole {
    /// Whether a text with these letters and of this length can be part of a variable here.
    pub fn fits(self, letters: u8, bytes: usize) -> bool {
        letters & !self.letters == 0 && (self.longest == u8::MAX || bytes <= usize::from(self.longest))
    }

    /// Whether it has letters of other scripts.
    pub fn is_foreign(self) -> bool {
        self.letters & letters::OTHER != 0
    }

    fn add(&mut self, letters: u8, bytes: usize) {
        self.letters |= letters;
        self.longest = self.longest.max(u8::try_from(bytes).unwrap_or(u8::MAX));
    }
}

impl Templates {
    /// How many templates there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The template of each row.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The code of rows without a text.
    pub fn null_code(&self) -> usize {
        self.len()
    }

    /// The code of rows whose template is not in the dictionary.
    pub fn other_code(&self) -> usize {
        self.len() + 1
    }

    /// Whether there are rows whose template is not in the dictionary.
    pub fn has_others(&self) -> bool {
        self.has_others
    }

    /// A template with [`HOLE`](tidegauge_model::template::HOLE) for each variable.
    pub fn template(&self, code: usize) -> &[u8] {
        part(&self.bytes, &self.ends, code)
    }

    /// What tells a template apart from all others.
    pub fn identity(&self, code: usize) -> u128 {
        self.identities[code]
    }

    /// The holes of a template, in their order.
    pub fn holes(&self, code: usize) -> &[Hole] {
        part(&self.holes, &self.hole_ends, code)
    }

    /// Whether a text of letters and digits can be a part of a variable; false only when it is certain that it is not.
    /// Capital and small letters of ASCII are the same here.
    pub fn may_hold(&self, fragment: &str) -> bool {
        self.filter.may_hold(fragment.as_bytes())
    }

    /// How much memory it takes.
    pub fn memory_bytes(&self) -> usize {
        let width = match &self.codes {
            Codes::U8(_) => 1,
            Codes::U16(_) => 2,
            Codes::U32(_) => 4,
        };
        self.codes.len() * width
            + self.bytes.len()
            + self.ends.len() * (size_of::<u32>() * 2 + size_of::<u128>())
            + self.holes.len() * size_of::<Hole>()
            + self.filter.bytes()
    }

    fn new(
        codes: &[u16],
        bytes: Vec<u8>,
        ends: Vec<u32>,
        holes: Vec<Hole>,
        hole_ends: Vec<u32>,
        filter: Filter,
    ) -> Self {
        let identities = (0..ends.len()).map(|code| xxh3_128(part(&bytes, &ends, code))).collect();
        let has_others = codes.iter().any(|code| usize::from(*code) == ends.len() + 1);
        let codes = if ends.len() < usize::from(u8::MAX) {
            Codes::U8(codes.iter().map(|code| *code as u8).collect())
        } else {
            Codes::U16(ScalarBuffer::from(codes.to_vec()))
        };
        Self { codes, bytes, ends, identities, holes, hole_ends, filter, has_others }
    }
}

/// One of several parts that lie one after the other.
fn part<'a, T>(all: &'a [T], ends: &[u32], number: usize) -> &'a [T] {
    let start = number.checked_sub(1).map_or(0, |before| ends[before] as usize);
    &all[start..ends[number] as usize]
}

#[cfg(test)]
mod tests;
