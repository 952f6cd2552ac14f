//! Templates as they are stored in a segment: a head with the sizes of the parts, then the dictionary with its holes,
//! the codes with their low bytes before their high ones, both compressed, and the filter as it is.

use super::{Filter, Hole, Templates};
use crate::Codes;
use crate::{Error, Result};
use tidegauge_model::template::HOLE;

/// Of the form below. Another one is not read, and the templates are made anew from the strings.
const VERSION: u32 = 1;

const HEAD_NUMBERS: usize = 7;

/// The dictionary is small and the same words stand in it many times.
const DICTIONARY_LEVEL: i32 = 3;
const CODES_LEVEL: i32 = 1;

/// No dictionary with its holes, and no codes of a row group, are larger.
const PART_BYTES_MAX: u32 = 64 << 20;

/// What stands before the parts, as numbers of four bytes.
struct Head {
    rows: u32,
    templates: u32,
    /// Of the dictionary: as it is, and compressed.
    dictionary: (u32, u32),
    /// Of the compressed codes.
    codes: u32,
    filter: u32,
}

impl Templates {
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
        let failed = |source| Error::disk("compress templates", source);
        let mut dictionary = Vec::with_capacity(self.bytes.len() + self.holes.len() * 2 + self.len() * 4);
        self.ends.iter().for_each(|end| dictionary.extend_from_slice(&end.to_le_bytes()));
        self.holes.iter().for_each(|hole| dictionary.push(hole.letters));
        self.holes.iter().for_each(|hole| dictionary.push(hole.longest));
        dictionary.extend_from_slice(&self.bytes);
        let packed = zstd::bulk::compress(&dictionary, DICTIONARY_LEVEL).map_err(failed)?;
        let codes = zstd::bulk::compress(&self.planes(), CODES_LEVEL).map_err(failed)?;
        let mut filter = Vec::with_capacity(self.filter.bytes());
        self.filter.write(&mut filter);
        let head = [
            VERSION,
            self.codes.len() as u32,
            self.len() as u32,
            dictionary.len() as u32,
            packed.len() as u32,
            codes.len() as u32,
            filter.len() as u32,
        ];
        let mut bytes: Vec<u8> = head.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend_from_slice(&packed);
        bytes.extend_from_slice(&codes);
        bytes.extend_from_slice(&filter);
        Ok(bytes)
    }

    /// The low bytes of all codes, then the high ones where there are any: each are alike among themselves.
    fn planes(&self) -> Vec<u8> {
        match &self.codes {
            Codes::U8(codes) => codes.to_vec(),
            codes => {
                let all = || (0..codes.len()).map(|row| codes.at(row));
                all().map(|code| code as u8).chain(all().map(|code| (code >> 8) as u8)).collect()
            }
        }
    }

    /// Templates as they were stored; none where they have another form than this version knows. The bytes have been
    /// compared with their checksum, and what does not hold together is an error all the same.
    pub(crate) fn decode(bytes: &[u8], rows: usize) -> Result<Option<Self>> {
        let damaged = || Error::corrupt("the templates of a column do not hold together");
        let (head, rest) = match read_head(bytes).ok_or_else(damaged)? {
            Some(found) => found,
            None => return Ok(None),
        };
        if head.rows as usize != rows || head.dictionary.0 > PART_BYTES_MAX {
            return Err(damaged());
        }
        read_parts(&head, rest).map(Some).ok_or_else(damaged)
    }
}

/// The head and what comes after it; none inside where the form is another.
fn read_head(bytes: &[u8]) -> Option<Option<(Head, &[u8])>> {
    let (head, rest) = bytes.split_at_checked(HEAD_NUMBERS * 4)?;
    let mut numbers = [0; HEAD_NUMBERS];
    for (number, bytes) in numbers.iter_mut().zip(head.as_chunks::<4>().0) {
        *number = u32::from_le_bytes(*bytes);
    }
    let [version, rows, templates, dictionary, packed, codes, filter] = numbers;
    let head = Head { rows, templates, dictionary: (dictionary, packed), codes, filter };
    Some((version == VERSION).then_some((head, rest)))
}

fn read_parts(head: &Head, bytes: &[u8]) -> Option<Templates> {
    let (rows, templates) = (head.rows as usize, head.templates as usize);
    let (packed, rest) = bytes.split_at_checked(head.dictionary.1 as usize)?;
    let (codes, filter) = rest.split_at_checked(head.codes as usize)?;
    let filter = Filter::read(filter.get(..head.filter as usize).filter(|own| own.len() == filter.len())?)?;
    let dictionary = zstd::bulk::decompress(packed, head.dictionary.0 as usize).ok()?;
    let (ends, rest) = dictionary.split_at_checked(templates.checked_mul(4)?)?;
    let ends: Vec<u32> = ends.as_chunks::<4>().0.iter().map(|end| u32::from_le_bytes(*end)).collect();
    let string_bytes = ends.last().copied().unwrap_or(0) as usize;
    let (holes, strings) = rest.split_at_checked(rest.len().checked_sub(string_bytes)?)?;
    let (letters, longest) = holes.split_at(holes.len() / 2);
    let holes: Vec<Hole> = letters
        .iter()
        .zip(longest)
        .map(|(letters, longest)| Hole { letters: *letters, longest: *longest })
        .collect();
    let mut hole_ends = Vec::with_capacity(templates);
    let (mut start, mut count) = (0, 0);
    for end in &ends {
        let template = strings.get(start..*end as usize)?;
        count += template.iter().filter(|byte| **byte == HOLE).count() as u32;
        hole_ends.push(count);
        start = *end as usize;
    }
    let codes = read_codes(codes, rows, templates)?;
    (count as usize == holes.len())
        .then(|| Templates::new(&codes, strings.to_vec(), ends, holes, hole_ends, filter))
}

fn read_codes(packed: &[u8], rows: usize, templates: usize) -> Option<Vec<u16>> {
    let planes = zstd::bulk::decompress(packed, rows * 2).ok()?;
    let (low, high) = planes.split_at_checked(rows)?;
    let codes: Vec<u16> = match high.len() {
        0 => low.iter().map(|low| u16::from(*low)).collect(),
        _ if high.len() == rows => {
            low.iter().zip(high).map(|(low, high)| u16::from_le_bytes([*low, *high])).collect()
        }
        _ => return None,
    };
    codes.iter().all(|code| usize::from(*code) <= templates + 1).then_some(codes)
}
