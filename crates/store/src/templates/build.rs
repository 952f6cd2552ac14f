//! Collects the templates of strings row by row, and gives up as soon as it shows that they are not worth it.

use hashbrown::HashTable;
use tidegauge_model::template::Splitter;
use xxhash_rust::xxh3::xxh3_64;

use super::filter::{self, Filter};
use super::{Hole, Templates, part};

/// Strings that are shorter on average are found fast enough without.
const TEXT_BYTES_LEAST: usize = 16;

/// At least one byte in so many has to be fixed: ids are variables and nothing else.
const FIXED_SHARE: usize = 4;

/// There may be so many templates whatever the number of rows is, and one for so many rows on top of it.
const TEMPLATES_ALWAYS: usize = 64;
const ROWS_FOR_TEMPLATE: usize = 8;

/// The last codes are for rows without a text and for those whose template is not in the dictionary.
const TEMPLATES_MAX: usize = u16::MAX as usize - 2;

/// A longer template is not kept: a text like it rarely comes again.
const TEMPLATE_BYTES_MAX: usize = 4 << 10;
const DICTIONARY_BYTES_MAX: usize = 2 << 20;

/// One row in so many may have a template that is not in the dictionary.
const OTHERS_SHARE: usize = 8;

/// After so many rows it is asked whether templates repeat at all.
const TRIAL_ROWS: usize = 4096;

/// What a row has instead of a template, until the number of templates is known.
const NULL: u16 = u16::MAX;
const OTHER: u16 = u16::MAX - 1;

/// The templates so far.
struct Builder {
    splitter: Splitter,
    templates_max: usize,
    rows: Vec<u16>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
    by_text: HashTable<u16>,
    holes: Vec<Hole>,
    hole_ends: Vec<u32>,
    minimizers: Vec<u64>,
    others: usize,
    string_bytes: usize,
    fixed_bytes: usize,
    strings: usize,
}

impl Builder {
    fn new(rows: usize) -> Self {
        Self {
            splitter: Splitter::default(),
            templates_max: (TEMPLATES_ALWAYS + rows / ROWS_FOR_TEMPLATE).min(TEMPLATES_MAX),
            rows: Vec::with_capacity(rows),
            bytes: Vec::new(),
            ends: Vec::new(),
            by_text: HashTable::new(),
            holes: Vec::new(),
            hole_ends: Vec::new(),
            minimizers: Vec::new(),
            others: 0,
            string_bytes: 0,
            fixed_bytes: 0,
            strings: 0,
        }
    }

    /// Adds a row. None where it is not worth going on.
    fn add(&mut self, text: Option<&str>) -> Option<()> {
        let Some(text) = text else {
            self.rows.push(NULL);
            return Some(());
        };
        self.splitter.split(text);
        self.strings += 1;
        self.string_bytes += text.len();
        self.fixed_bytes += self.splitter.template().len() - self.splitter.variables().len();
        let code = self.code();
        self.others += usize::from(code == OTHER);
        self.rows.push(code);
        for (number, variable) in self.splitter.variables().iter().enumerate() {
            let token = &text.as_bytes()[variable.start..variable.end];
            filter::each_minimizer(token, |minimizer| self.minimizers.push(minimizer));
            if code != OTHER {
                let first =
                    usize::from(code).checked_sub(1).map_or(0, |before| self.hole_ends[before] as usize);
                self.holes[first + number].add(variable.letters, token.len());
            }
        }
        (self.strings != TRIAL_ROWS || self.is_worth_it()).then_some(())
    }

    /// The code of the text that was split last.
    fn code(&mut self) -> u16 {
        let template = self.splitter.template();
        let hash = xxh3_64(template);
        let known =
            self.by_text.find(hash, |code| part(&self.bytes, &self.ends, usize::from(*code)) == template);
        if let Some(code) = known {
            return *code;
        }
        let is_full = self.ends.len() >= self.templates_max
            || template.len() > TEMPLATE_BYTES_MAX
            || self.bytes.len() + template.len() > DICTIONARY_BYTES_MAX;
        let Some(code) = u16::try_from(self.ends.len()).ok().filter(|_| !is_full) else { return OTHER };
        self.bytes.extend_from_slice(template);
        self.ends.push(self.bytes.len() as u32);
        self.holes.resize(self.holes.len() + self.splitter.variables().len(), Hole::default());
        self.hole_ends.push(self.holes.len() as u32);
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.by_text.insert_unique(hash, code, |code| xxh3_64(part(bytes, ends, usize::from(*code))));
        code
    }

    fn is_worth_it(&self) -> bool {
        let templates = self.ends.len() + self.others;
        self.string_bytes >= self.strings * TEXT_BYTES_LEAST
            && self.fixed_bytes * FIXED_SHARE >= self.string_bytes
            && templates <= (TEMPLATES_ALWAYS + self.strings / 2)
    }

    /// The templates of all rows, if they are worth it.
    fn finish(self) -> Option<Templates> {
        let is_known = self.others * OTHERS_SHARE <= self.strings && !self.ends.is_empty();
        if !is_known || !self.is_worth_it() {
            return None;
        }
        let (null, other) = (self.ends.len() as u16, self.ends.len() as u16 + 1);
        let coded = |code: &u16| match *code {
            NULL => null,
            OTHER => other,
            code => code,
        };
        let codes: Vec<u16> = self.rows.iter().map(coded).collect();
        let filter = Filter::of(self.minimizers);
        Some(Templates::new(&codes, self.bytes, self.ends, self.holes, self.hole_ends, filter))
    }
}

impl Templates {
    /// The templates of these strings; none where they are too short or too different for it to be worth it.
    pub fn of<'a>(strings: impl ExactSizeIterator<Item = Option<&'a str>>) -> Option<Self> {
        let mut builder = Builder::new(strings.len());
        for text in strings {
            builder.add(text)?;
        }
        builder.finish()
    }
}
