//! What a file is: its format and compression, by its name or as the user says, and the bytes in it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use rustix::fs::FileType;

use super::live::Live;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A JSON object on each line.
    Ndjson,
    /// A JSON array.
    Json,
    Csv,
    /// Plain text: each line is an event with the field message, and its time is the one that it begins with.
    Lines,
}

impl Format {
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Json => "application/json",
            Self::Csv => "text/csv",
            Self::Lines => "text/plain",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    None,
    Gzip,
    Zstd,
}

impl Encoding {
    /// The name in `Content-Encoding`.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

/// A file to be sent.
#[derive(Clone, Debug)]
pub struct Input {
    /// `-` is standard input.
    pub path: PathBuf,
    pub format: Format,
    pub encoding: Encoding,
}

impl Input {
    pub fn new(path: &Path, format: Option<Format>) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            let format = format.unwrap_or(Format::Ndjson);
            return Ok(Self { path: path.to_owned(), format, encoding: Encoding::None });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let (name, encoding) = match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Encoding::Gzip),
            Some((stem, "zst" | "zstd")) => (stem, Encoding::Zstd),
            _ => (name.as_str(), Encoding::None),
        };
        let by_name = match name.rsplit_once('.') {
            Some((_, "ndjson" | "jsonl" | "ldjson" | "log")) => Some(Format::Ndjson),
            Some((_, "json")) => Some(Format::Json),
            Some((_, "csv")) => Some(Format::Csv),
            Some((_, "txt")) => Some(Format::Lines),
            _ => None,
        };
        if path.is_dir() {
            bail!("{} is a folder: name the files in it", path.display());
        }
        let Some(format) = format.or(by_name) else {
            bail!("{}: say with --format whether it is ndjson, json, csv or lines", path.display());
        };
        Ok(Self { path: path.to_owned(), format, encoding })
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        if self.is_stdin() { "standard input".to_owned() } else { self.path.display().to_string() }
    }

    fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Bytes of the file as it is stored; unknown for what is not a file.
    pub fn stored_bytes(&self) -> anyhow::Result<Option<u64>> {
        if self.is_stdin() {
            return Ok(None);
        }
        let about = std::fs::metadata(&self.path).with_context(|| format!("opening {}", self.name()))?;
        Ok(about.is_file().then_some(about.len()))
    }

    /// Whether reading it again gives the same bytes.
    pub fn is_stored(&self) -> bool {
        !self.is_stdin() && std::fs::metadata(&self.path).is_ok_and(|about| about.is_file())
    }

    pub fn open(&self) -> anyhow::Result<Opened> {
        let consumed = Arc::new(AtomicU64::new(0));
        if self.is_stdin() {
            let about = rustix::fs::fstat(io::stdin()).context("looking at standard input")?;
            let is_file = FileType::from_raw_mode(about.st_mode).is_file();
            return Opened::plain(io::stdin(), is_file);
        }
        let file = File::open(&self.path).with_context(|| format!("opening {}", self.name()))?;
        let counted = |file| Counted { file, consumed: Arc::clone(&consumed) };
        let reader: Box<dyn Read + Send> = match self.encoding {
            // Not counted: the file itself can read into memory that was not written to before.
            Encoding::None => {
                let is_file = file.metadata().with_context(|| format!("opening {}", self.name()))?.is_file();
                return Opened::plain(file, is_file);
            }
            Encoding::Gzip => Box::new(flate2::read::MultiGzDecoder::new(counted(file))),
            Encoding::Zstd => Box::new(zstd::stream::read::Decoder::new(counted(file))?),
        };
        Ok(Opened { source: Source::Stored(reader), consumed: Some(consumed) })
    }
}

/// A file that is being read.
pub struct Opened {
    /// Gives the text, decompressed.
    pub source: Source,
    /// Bytes of the file that were read so far, where they are not those of the text.
    pub consumed: Option<Arc<AtomicU64>>,
}

/// Where text comes from.
pub enum Source {
    /// All of it is there.
    Stored(Box<dyn Read + Send>),
    /// It comes bit by bit.
    Live(Live),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Stored(_) => "Stored(…)",
            Self::Live(_) => "Live(…)",
        })
    }
}

impl Opened {
    fn plain(reader: impl Read + Send + 'static, is_file: bool) -> anyhow::Result<Self> {
        let source =
            if is_file { Source::Stored(Box::new(reader)) } else { Source::Live(Live::start(reader)?) };
        Ok(Self { source, consumed: None })
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("consumed", &self.consumed).finish_non_exhaustive()
    }
}

struct Counted {
    file: File,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_format_and_compression() {
        let cases = [
            ("a.ndjson", Format::Ndjson, Encoding::None),
            ("a.JSONL.GZ", Format::Ndjson, Encoding::Gzip),
            ("x/a.json.zst", Format::Json, Encoding::Zstd),
            ("a.b.csv", Format::Csv, Encoding::None),
            ("a.txt.gz", Format::Lines, Encoding::Gzip),
            ("-", Format::Ndjson, Encoding::None),
        ];
        for (name, format, encoding) in cases {
            let input = Input::new(Path::new(name), None).unwrap();
            assert_eq!((input.format, input.encoding), (format, encoding), "{name}");
        }
        assert!(Input::new(Path::new("a.gz"), None).unwrap_err().to_string().contains("--format"));
        assert!(Input::new(Path::new("/"), None).unwrap_err().to_string().contains("is a folder"));
        let input = Input::new(Path::new("a.gz"), Some(Format::Csv)).unwrap();
        assert_eq!((input.format, input.encoding), (Format::Csv, Encoding::Gzip));
    }
}
