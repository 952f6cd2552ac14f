//! Where one event ends and the next begins, in text that arrives in blocks. Each format has its rule: lines here,
//! CSV records in `csv`, elements of a JSON array in `json`.

use super::csv::CsvBorders;
use super::input::Format;
use super::json::JsonBorders;

/// The rule of one file, and how far it has looked.
#[derive(Debug)]
pub enum Borders {
    Lines { scanned: usize, border: usize },
    Csv(CsvBorders),
    Json(JsonBorders),
}

impl Borders {
    pub fn of(format: Format, csv_delimiter: u8) -> Self {
        match format {
            Format::Ndjson | Format::Lines => Self::Lines { scanned: 0, border: 0 },
            Format::Csv => Self::Csv(CsvBorders::new(csv_delimiter)),
            Format::Json => Self::Json(JsonBorders::default()),
        }
    }

    /// The end of the last whole event in the buffer, which has grown since the last call; 0 if there is none yet.
    pub fn scan(&mut self, buffer: &[u8]) -> anyhow::Result<usize> {
        match self {
            Self::Lines { scanned, border } => {
                if let Some(at) = memchr::memrchr(b'\n', &buffer[*scanned..]) {
                    *border = *scanned + at + 1;
                }
                *scanned = buffer.len();
                Ok(*border)
            }
            Self::Csv(csv) => Ok(csv.scan(buffer)),
            Self::Json(json) => json.scan(buffer),
        }
    }

    /// Whether events, and not only the names of their fields, stand before the border.
    pub fn has_events(&self, border: usize) -> bool {
        match self {
            Self::Csv(csv) => border > csv.header_end(),
            _ => border > self.opening().len(),
        }
    }

    /// The buffer was cut at the border: the rest of it is at the beginning of the next one, after what `opening`
    /// says. Writes what a part that is cut out needs at its end.
    pub fn cut(&mut self, part: &mut [u8]) {
        match self {
            Self::Lines { scanned, border } => (*scanned, *border) = (0, 0),
            Self::Csv(csv) => csv.cut(part),
            Self::Json(json) => json.cut(part),
        }
    }

    /// What stands before the text of the next part, beyond what is in the file.
    pub fn opening(&self) -> &[u8] {
        match self {
            Self::Lines { .. } => b"",
            Self::Csv(csv) => csv.opening(),
            Self::Json(json) => json.opening(),
        }
    }

    /// The names of the fields of a CSV file for the next part, where its text does not hold them.
    pub fn csv_names(&self) -> Option<&[u8]> {
        match self {
            Self::Csv(csv) => csv.names(),
            _ => None,
        }
    }
}
