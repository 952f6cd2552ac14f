//! Parted rows on the disk: one file for each thread, to which all blocks in memory are written as one piece for each
//! part, so that a part is read in few and long pieces.

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef, Decimal128Array, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use datafusion_common::DataFusionError;
use datafusion_execution::SpillFile;
use datafusion_execution::disk_manager::DiskManager;

use super::keys::{Form, Key, placed};
use super::part::{PartedBlock, Parts, Rows};
use crate::{Error, Result};

/// The column of the keys' longer texts.
const TEXTS: &str = "texts";

/// What one thread has put on the disk.
pub(super) struct Spilled {
    /// Gone with what is in it when nobody needs it any more.
    file: Arc<dyn SpillFile>,
    /// The same file, for reading.
    opened: File,
    /// By part, where its pieces lie.
    pieces: Vec<Vec<Range<u64>>>,
}

/// Some rows of a part on the disk.
pub(super) struct Piece<'a> {
    opened: &'a File,
    range: Range<u64>,
}

impl Spilled {
    pub(super) fn new(disk: &Arc<DiskManager>, parts: Parts) -> Result<Self> {
        let file = disk.create_tmp_file("parted rows")?;
        let path = file.path().ok_or_else(|| broken("the disk has no files"))?;
        let opened = File::open(path).map_err(DataFusionError::IoError)?;
        Ok(Self { file, opened, pieces: vec![Vec::new(); parts.count()] })
    }

    /// Puts the rows of blocks on the disk.
    pub(super) fn write(&mut self, blocks: &[PartedBlock], form: &Form) -> Result<()> {
        let mut writer = self.file.open_writer()?;
        for part in 0..self.pieces.len() {
            let rows: Vec<Rows<'_>> = blocks.iter().map(|block| block.part(part)).collect();
            let batch = together(&rows, form)?;
            if batch.num_rows() == 0 {
                continue;
            }
            let start = self.written();
            let mut stream = StreamWriter::try_new(&mut writer, &batch.schema())?;
            stream.write(&batch)?;
            stream.finish()?;
            let end = self.written();
            self.pieces[part].push(start..end);
        }
        Ok(())
    }

    fn written(&self) -> u64 {
        self.file.size().unwrap_or_default()
    }

    pub(super) fn pieces(&self, part: usize) -> impl Iterator<Item = Piece<'_>> {
        self.pieces[part].iter().map(|range| Piece { opened: &self.opened, range: range.clone() })
    }
}

impl Piece<'_> {
    pub(super) fn read(&self) -> Result<Rows<'static>> {
        let mut bytes = vec![0; (self.range.end - self.range.start) as usize];
        self.opened.read_exact_at(&mut bytes, self.range.start).map_err(DataFusionError::IoError)?;
        let (mut decoder, mut buffer) = (StreamDecoder::new(), Buffer::from_vec(bytes));
        let batch = decoder.decode(&mut buffer)?.ok_or_else(|| broken("a piece has no rows"))?;
        let (keys, mut arguments) =
            batch.columns().split_first().ok_or_else(|| broken("rows have no keys"))?;
        let keys = keys.as_primitive::<Decimal128Type>().values();
        let mut keys: Vec<Key> = keys.iter().map(|key| key.cast_unsigned()).collect();
        let mut bytes = Vec::new();
        if let Some((texts, others)) = arguments.split_first().filter(|_| has_texts(&batch)) {
            let texts = texts.as_binary::<i64>();
            for (key, text) in keys.iter_mut().zip(texts.iter().flatten()) {
                if !text.is_empty() {
                    *key = placed(*key, bytes.len());
                    bytes.extend_from_slice(text);
                }
            }
            arguments = others;
        }
        let (keys, bytes) = (Cow::Owned(keys), Cow::Owned(bytes));
        Ok(Rows { keys, bytes, first: 0, arguments: arguments.to_vec() })
    }
}

/// Rows as one batch. Keys are numbers of 128 bits there, whatever they stand for; if some of them are longer texts, these
/// are a column beside them.
fn together(rows: &[Rows<'_>], form: &Form) -> Result<RecordBatch> {
    let keys: Vec<i128> =
        rows.iter().flat_map(|rows| rows.keys.iter().map(|key| key.cast_signed())).collect();
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    columns.push(("key".to_owned(), Arc::new(Decimal128Array::from(keys))));
    let text_bytes = rows.iter().map(|rows| rows.bytes.len()).sum();
    if text_bytes > 0 {
        let mut texts = LargeBinaryBuilder::with_capacity(columns[0].1.len(), text_bytes);
        for rows in rows {
            let of_rows = rows.texts();
            let text = |key: &Key| if form.is_long(*key) { of_rows.long(*key) } else { &[] };
            rows.keys.iter().for_each(|key| texts.append_value(text(key)));
        }
        columns.push((TEXTS.to_owned(), Arc::new(texts.finish())));
    }
    for place in 0..rows.first().map_or(0, |rows| rows.arguments.len()) {
        let parts: Vec<&dyn Array> = rows.iter().map(|rows| rows.arguments[place].as_ref()).collect();
        let column = arrow_select::concat::concat(&parts)?;
        // Texts of all parts lie together, and only those of this one are to be written.
        let column: ArrayRef = match column.data_type() {
            DataType::Utf8View => Arc::new(column.as_string_view().gc()),
            _ => column,
        };
        columns.push((place.to_string(), column));
    }
    let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = columns
        .into_iter()
        .map(|(name, column)| (Field::new(name, column.data_type().clone(), true), column))
        .unzip();
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

fn has_texts(batch: &RecordBatch) -> bool {
    batch.schema_ref().fields().get(1).is_some_and(|field| field.name() == TEXTS)
}

fn broken(message: &str) -> Error {
    Error::Internal { message: format!("what was put on the disk cannot be read: {message}") }
}
