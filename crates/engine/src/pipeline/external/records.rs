//! The records of a file, each value in the type of its column. What has no counterpart there is null.

use std::borrow::Cow;

use serde_json::value::RawValue;
use tidegauge_exec::kernels::cells::{Cell, Column};
use tidegauge_exec::kernels::json;
use tidegauge_lang::tree::{ExternalData, ExternalFormat, Type};

/// Adds the records of a file to the columns, and gives how many there are.
pub(super) fn add(
    text: &str,
    format: ExternalFormat,
    external: &ExternalData,
    columns: &mut [Column],
) -> Result<usize, String> {
    let skipped = usize::from(external.skips_first);
    let mut sink = Sink { external, columns, rows: 0 };
    match format {
        ExternalFormat::Csv => sink.delimited(text, ',', true, skipped),
        ExternalFormat::Scsv => sink.delimited(text, ';', true, skipped),
        ExternalFormat::Psv => sink.delimited(text, '|', true, skipped),
        ExternalFormat::Tsv => sink.delimited(text, '\t', false, skipped),
        ExternalFormat::Txt => {
            for line in text.lines().skip(skipped) {
                sink.push([Some(Cow::Borrowed(line))].into_iter());
            }
        }
        ExternalFormat::Raw => sink.push([Some(Cow::Borrowed(text))].into_iter()),
        ExternalFormat::Json | ExternalFormat::MultiJson => sink.json(text, skipped)?,
    }
    Ok(sink.rows)
}

/// Where records go.
struct Sink<'a> {
    external: &'a ExternalData,
    columns: &'a mut [Column],
    rows: usize,
}

impl Sink<'_> {
    /// Adds a record by the places of its values.
    fn push<'t>(&mut self, mut values: impl Iterator<Item = Option<Cow<'t, str>>>) {
        for (column, into) in self.external.columns.iter().zip(self.columns.iter_mut()) {
            let value = values.next().flatten();
            let value = value.filter(|value| column.kind == Type::String || !value.trim().is_empty());
            into.push(value.as_deref().and_then(|value| Cell::read(column.kind, value)));
        }
        self.rows += 1;
    }

    fn delimited(&mut self, text: &str, delimiter: char, has_quotes: bool, skipped: usize) {
        let records = Records { rest: text, delimiter, has_quotes };
        for record in records.skip(skipped) {
            self.push(record.into_iter().map(Some));
        }
    }

    /// Adds objects by the names of their members: one after the other, or in arrays.
    fn json(&mut self, text: &str, skipped: usize) -> Result<(), String> {
        let mut objects: Vec<&str> = Vec::new();
        for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
            let value = value.map_err(|error| error.to_string())?.get();
            match value.as_bytes().first() {
                Some(b'[') => objects.extend(json::elements(value).into_iter().flatten()),
                _ => objects.push(value),
            }
        }
        for object in objects.into_iter().skip(skipped) {
            for (column, into) in self.external.columns.iter().zip(self.columns.iter_mut()) {
                let member = json::member(object, &column.name);
                into.push(member.and_then(|member| Cell::of_json(column.kind, member)));
            }
            self.rows += 1;
        }
        Ok(())
    }
}

/// Records of values between delimiters, one a line. In quotes a value holds anything, a quote as two.
struct Records<'t> {
    rest: &'t str,
    delimiter: char,
    has_quotes: bool,
}

impl<'t> Iterator for Records<'t> {
    type Item = Vec<Cow<'t, str>>;

    fn next(&mut self) -> Option<Self::Item> {
        // Empty lines are no records.
        self.rest = self.rest.trim_start_matches(['\r', '\n']);
        if self.rest.is_empty() {
            return None;
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value());
            match self.rest.chars().next() {
                Some(mark) if mark == self.delimiter => self.rest = &self.rest[mark.len_utf8()..],
                _ => return Some(values),
            }
        }
    }
}

impl<'t> Records<'t> {
    /// Takes a value, and stands then at the mark behind it.
    fn value(&mut self) -> Cow<'t, str> {
        let mut quoted: Option<String> = None;
        while self.has_quotes && self.rest.starts_with('"') {
            let inner = &self.rest[1..];
            let end = inner.find('"').unwrap_or(inner.len());
            let so_far = quoted.get_or_insert_default();
            so_far.push_str(&inner[..end]);
            self.rest = inner.get(end + 1..).unwrap_or_default();
            if self.rest.starts_with('"') {
                so_far.push('"');
            }
        }
        let end = self.rest.find([self.delimiter, '\n']).unwrap_or(self.rest.len());
        let (plain, rest) = self.rest.split_at(end);
        self.rest = rest;
        let plain = plain.strip_suffix('\r').unwrap_or(plain);
        match quoted {
            Some(so_far) => Cow::Owned(so_far + plain),
            None => Cow::Borrowed(plain),
        }
    }
}
