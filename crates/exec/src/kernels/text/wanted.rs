//! Looks for a few texts in a column: which rows have one of them. Short texts are compared as their views; of long ones
//! the last bytes are looked up first, which tell nearly all ids apart and are next to each other in memory. For one
//! long text, as an id mostly is, length and first bytes are compared before, which stand in the views.

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, StringArray, StringViewArray};
use arrow_buffer::{BooleanBuffer, Buffer};
use hashbrown::HashSet;

use crate::expr::{At, Kernel, Values};
use crate::types::INLINE_MAX;

/// Up to so many are compared one by one. A query can hold many conditions of one text each, which then take little
/// memory.
const FEW: usize = 4;

/// Texts that are looked for.
#[derive(Debug)]
pub struct Wanted {
    short: Short,
    long: HashSet<String>,
    ends: Ends,
    /// The only text, if it is a long one.
    only: Option<LongText>,
}

/// A text that does not stand in its view.
#[derive(Debug)]
struct LongText {
    text: Box<[u8]>,
    /// What its views begin with: its length and its first bytes.
    head: u64,
    /// What it ends with.
    end: [u8; 4],
}

/// The views of short texts.
#[derive(Debug)]
enum Short {
    Few(Vec<u128>),
    Many(HashSet<u128>),
}

/// The last bytes of the long ones.
#[derive(Debug)]
enum Ends {
    /// Four of each.
    Few(Vec<u32>),
    /// For each two bytes whether they are among them.
    Many(Box<[bool]>),
}

impl Wanted {
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let (short, long): (Vec<&str>, Vec<&str>) = texts.partition(|text| text.len() <= INLINE_MAX);
        let only = if short.is_empty() { LongText::only(&long) } else { None };
        let views = short.iter().map(|text| make_view(text.as_bytes(), 0, 0));
        let short =
            if short.len() <= FEW { Short::Few(views.collect()) } else { Short::Many(views.collect()) };
        let ends = if long.len() <= FEW {
            Ends::Few(long.iter().filter_map(|text| four_last(text.as_bytes())).collect())
        } else {
            let mut is_among = vec![false; 1 << 16].into_boxed_slice();
            let ends = long.iter().filter_map(|text| two_last(text.as_bytes()));
            ends.for_each(|end| is_among[usize::from(end)] = true);
            Ends::Many(is_among)
        };
        Self { short, long: long.into_iter().map(str::to_owned).collect(), ends, only }
    }

    /// The rows that have one of the texts. Rows without a text are in none.
    pub fn rows(&self, texts: &StringViewArray) -> BooleanBuffer {
        let bits = self.only.as_ref().map_or_else(|| self.bits(texts), |only| only.bits(texts));
        match texts.nulls() {
            Some(nulls) => &bits & nulls.inner(),
            None => bits,
        }
    }

    fn bits(&self, texts: &StringViewArray) -> BooleanBuffer {
        let (views, buffers) = (texts.views(), texts.data_buffers());
        BooleanBuffer::collect_bool(texts.len(), |row| {
            let view = views[row];
            if view as u32 as usize <= INLINE_MAX {
                match &self.short {
                    Short::Few(wanted) => wanted.contains(&view),
                    Short::Many(wanted) => wanted.contains(&view),
                }
            } else {
                self.may_have(view, buffers) && self.long.contains(texts.value(row))
            }
        })
    }

    fn may_have(&self, view: u128, buffers: &[Buffer]) -> bool {
        let (length, buffer, start) = (view as u32, (view >> 64) as u32, (view >> 96) as u32);
        let end = start as usize + length as usize;
        let bytes = buffers.get(buffer as usize).and_then(|bytes| bytes.get(..end));
        // What is no long text after all is looked up whole.
        bytes.is_none_or(|bytes| match &self.ends {
            Ends::Few(ends) => four_last(bytes).is_none_or(|end| ends.contains(&end)),
            Ends::Many(is_among) => two_last(bytes).is_none_or(|end| is_among[usize::from(end)]),
        })
    }
}

impl LongText {
    fn only(texts: &[&str]) -> Option<Self> {
        let [text] = texts else { return None };
        let text: Box<[u8]> = text.as_bytes().into();
        let (head, end) = (make_view(&text, 0, 0) as u64, *text.last_chunk()?);
        Some(Self { text, head, end })
    }

    /// The rows whose texts are this one.
    fn bits(&self, texts: &StringViewArray) -> BooleanBuffer {
        let views = texts.views();
        let buffers: Vec<&[u8]> = texts.data_buffers().iter().map(Buffer::as_slice).collect();
        let length = self.text.len();
        BooleanBuffer::collect_bool(views.len(), |row| {
            let view = views[row];
            if view as u64 != self.head {
                return false;
            }
            let (buffer, start) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
            let text = buffers.get(buffer).and_then(|bytes| bytes.get(start..start + length));
            text.is_some_and(|text| text.ends_with(&self.end) && *text == *self.text)
        })
    }
}

/// Whether texts are this one.
pub fn one_text(needle: &str) -> Kernel {
    let wanted = Wanted::new(std::iter::once(needle));
    Arc::new(move |values: &[Values], At { rows, .. }| {
        let array = values[0].clone().into_array(rows)?;
        let texts = array.as_string_view();
        Ok(Arc::new(BooleanArray::new(wanted.rows(texts), texts.nulls().cloned())) as ArrayRef)
    })
}

/// Which of these rows have this text, where texts lie one after the other without views.
pub fn rows_with(
    needle: &str,
    texts: &StringArray,
    count: usize,
    row: impl Fn(usize) -> usize,
) -> BooleanBuffer {
    let (ends, bytes, last) = (texts.value_offsets(), texts.value_data(), four_last(needle.as_bytes()));
    let has = |row: usize| {
        let (start, end) = (ends[row] as usize, ends[row + 1] as usize);
        end - start == needle.len()
            && four_last(&bytes[start..end]) == last
            && &bytes[start..end] == needle.as_bytes()
            && texts.is_valid(row)
    };
    BooleanBuffer::collect_bool(count, |place| has(row(place)))
}

fn two_last(bytes: &[u8]) -> Option<u16> {
    bytes.last_chunk().map(|end| u16::from_le_bytes(*end))
}

fn four_last(bytes: &[u8]) -> Option<u32> {
    bytes.last_chunk().map(|end| u32::from_le_bytes(*end))
}
