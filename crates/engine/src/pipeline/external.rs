//! `externaldata`: rows of files at addresses. Which addresses may be read is decided by who reads them.

mod records;

use tidegauge_bind::Surroundings;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::cells;
use tidegauge_lang::Span;
use tidegauge_lang::tree::{ExternalData, ExternalFormat, Type};

use super::relation::{About, Relation};
use super::rows::of_arrays;
use crate::context::QueryContext;
use crate::error::{Result, invalid_with};

/// How long a file may be.
const FILE_MIB_MAX: usize = 5;

impl QueryContext {
    pub(super) async fn external(&self, external: &ExternalData, around: &Surroundings) -> Result<Relation> {
        let span = external.span;
        let Some(files) = &self.question.options.files else {
            let hint = "let the service read addresses in its settings, or send the rows to a dataset";
            return Err(invalid_with(span, "`externaldata` may not read files here".to_owned(), hint));
        };
        let kinds: Vec<Type> = external.columns.iter().map(|column| column.kind).collect();
        let mut columns: Vec<cells::Column> = kinds.iter().map(|kind| cells::Column::of(*kind, 0)).collect();
        let mut rows = 0;
        self.work().external.add_files(external.addresses.len(), span)?;
        for address in &external.addresses {
            let bytes = files.read(address).await.map_err(|reason| {
                invalid_with(
                    span,
                    format!("the file at {address} cannot be read: {reason}"),
                    "check the address",
                )
            })?;
            self.work().external.add_bytes(bytes.len(), span)?;
            let text = text_of(&bytes, address, span)?;
            let format = external.format.unwrap_or_else(|| format_of(address));
            rows += records::add(text, format, external, &mut columns).map_err(|reason| {
                let hint = "write the format that it has: `with (format=\"csv\")`";
                invalid_with(span, format!("the file at {address} cannot be understood: {reason}"), hint)
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
        return Err(invalid_with(span, message, "send its rows to a dataset"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| {
        invalid_with(
            span,
            format!("the file at {address} is no text in UTF-8"),
            "convert it, without compression",
        )
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
