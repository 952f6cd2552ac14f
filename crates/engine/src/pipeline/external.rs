//! `externaldata`: rows of files at addresses. Which addresses may be read is decided by who reads them.

mod records;

use tidegauge_lang::tree::{ExternalData, ExternalFormat, Type};
use tidegauge_lang::{Diagnostic, Span};

use super::rows::of_arrays;
use super::segment::{About, Segment};
use crate::bind::Surroundings;
use crate::expr::Typed;
use crate::functions::cells;
use crate::run::Run;
use crate::{Error, Result};

/// How long a file may be, and all files of a query together.
const FILE_MIB_MAX: usize = 5;
const ALL_MIB_MAX: usize = 50;

/// How many files a query may read.
const FILES_MAX: usize = 20;

/// What a query read of files so far, in all its tables.
#[derive(Debug, Default)]
pub(crate) struct External {
    files: usize,
    bytes: usize,
}

impl External {
    /// Counts files that are about to be read.
    fn add_files(&mut self, count: usize, span: Span) -> Result<()> {
        self.files = self.files.saturating_add(count);
        if self.files > FILES_MAX {
            let message = format!("the query reads more than {FILES_MAX} files");
            return Err(invalid(span, message, "write fewer addresses, or send the rows to a dataset"));
        }
        Ok(())
    }

    fn add_bytes(&mut self, count: usize, span: Span) -> Result<()> {
        self.bytes = self.bytes.saturating_add(count);
        if self.bytes > ALL_MIB_MAX << 20 {
            let message = format!("the files of the query have more than {ALL_MIB_MAX} MiB together");
            return Err(invalid(span, message, "write fewer addresses, or send the rows to a dataset"));
        }
        Ok(())
    }
}

impl Run {
    pub(super) async fn external(&self, external: &ExternalData, around: &Surroundings) -> Result<Segment> {
        let span = external.span;
        let Some(files) = &self.question.options.files else {
            let hint = "let the service read addresses in its settings, or send the rows to a dataset";
            return Err(invalid(span, "`externaldata` may not read files here".to_owned(), hint));
        };
        let kinds: Vec<Type> = external.columns.iter().map(|column| column.kind).collect();
        let mut columns: Vec<cells::Column> = kinds.iter().map(|kind| cells::Column::of(*kind, 0)).collect();
        let mut rows = 0;
        self.work().external.add_files(external.addresses.len(), span)?;
        for address in &external.addresses {
            let bytes = files.read(address).await.map_err(|reason| {
                invalid(span, format!("the file at {address} cannot be read: {reason}"), "check the address")
            })?;
            self.work().external.add_bytes(bytes.len(), span)?;
            let text = text_of(&bytes, address, span)?;
            let format = external.format.unwrap_or_else(|| format_of(address));
            rows += records::add(text, format, external, &mut columns).map_err(|reason| {
                let hint = "write the format that it has: `with (format=\"csv\")`";
                invalid(span, format!("the file at {address} cannot be understood: {reason}"), hint)
            })?;
        }
        let fields = external.columns.iter().zip(0..);
        let fields =
            fields.map(|(column, place)| (column.name.clone(), Typed::input(column.kind, place).into()));
        let arrays = columns.into_iter().map(cells::Column::finish).collect();
        of_arrays(arrays, &kinds, rows, fields.collect(), around, About::default())
    }
}

fn text_of<'b>(bytes: &'b [u8], address: &str, span: Span) -> Result<&'b str> {
    if bytes.len() > FILE_MIB_MAX << 20 {
        let message = format!("the file at {address} has more than {FILE_MIB_MAX} MiB");
        return Err(invalid(span, message, "send its rows to a dataset"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| {
        invalid(span, format!("the file at {address} is no text in UTF-8"), "convert it, without compression")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The format that the name of a file tells.
fn format_of(address: &str) -> ExternalFormat {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let ending = path.rsplit(['/', '.']).next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "tsv" => ExternalFormat::Tsv,
        "scsv" => ExternalFormat::Scsv,
        "psv" => ExternalFormat::Psv,
        "json" | "jsonl" | "ndjson" => ExternalFormat::MultiJson,
        "txt" | "log" => ExternalFormat::Txt,
        "raw" => ExternalFormat::Raw,
        _ => ExternalFormat::Csv,
    }
}

fn invalid(span: Span, message: String, hint: &str) -> Error {
    Error::Invalid(vec![Diagnostic::new(message, span).with_hint(hint)])
}
