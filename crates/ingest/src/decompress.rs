//! Decompresses a body as it arrives, with fixed memory, and hands the result on piece by piece. The bounds on size
//! and ratio stop bodies that are made to expand; what the bytes mean is left to the reader.

use std::fmt;

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, Operation};

use crate::encoding::Encoding;

const OUTPUT_BYTES: usize = 64 * 1024;
const WINDOW_BITS: u8 = 15;

/// Bounds on what a compressed body may expand to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecompressLimits {
    /// The bound that protects memory and time.
    pub bytes_max: u64,
    /// How many times larger than what arrived the body may become. It only ends a bomb sooner than `bytes_max`
    /// would: logs compress 10 to 100 times.
    pub ratio_max: u64,
    /// A body may always become this large, since small bodies of equal events compress beyond any ratio.
    pub ratio_free_bytes: u64,
    /// Memory that a zstd body may ask for, as a power of two. 8 MiB is what RFC 9659 sets for HTTP.
    pub zstd_window_log_max: u32,
    /// Each member of a gzip body costs more than its bytes say, so their number is bounded as well.
    pub gzip_members_max: u32,
}

impl Default for DecompressLimits {
    fn default() -> Self {
        Self {
            bytes_max: 256 << 20,
            ratio_max: 200,
            ratio_free_bytes: 16 << 20,
            zstd_window_log_max: 23,
            gzip_members_max: 65_536,
        }
    }
}

/// Why a compressed body cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndecodableBody {
    #[error("the {encoding} body is corrupt: {reason}")]
    Corrupt { encoding: &'static str, reason: String },
    #[error("the {encoding} body ends too early; send it whole")]
    Truncated { encoding: &'static str },
    #[error("the body is larger than {bytes_max} bytes after decompression; send it in smaller parts")]
    TooLarge { bytes_max: u64 },
    #[error(
        "the body expands more than {ratio_max} times; send it in smaller parts or with less compression"
    )]
    TooDense { ratio_max: u64 },
}

/// A body that cannot be decompressed, or the error of the one who takes the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError<E> {
    Body(UndecodableBody),
    Sink(E),
}

impl<E> From<UndecodableBody> for DecodeError<E> {
    fn from(error: UndecodableBody) -> Self {
        Self::Body(error)
    }
}

/// Decompresses one body.
pub struct Decompressor {
    codec: Codec,
    output: Vec<u8>,
    limits: DecompressLimits,
    bytes_in: u64,
    bytes_out: u64,
}

enum Codec {
    Identity,
    Gzip {
        inflate: Option<Decompress>,
        members: u32,
    },
    /// The first byte decides between the zlib wrapper and none.
    DeflateUndecided,
    Deflate {
        inflate: Decompress,
        ended: bool,
    },
    Zstd {
        decoder: Decoder<'static>,
        between_frames: bool,
    },
}

/// What one step of a codec did.
struct Step {
    read: usize,
    written: usize,
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Decompressor")
            .field("encoding", &self.codec.name())
            .field("bytes_in", &self.bytes_in)
            .field("bytes_out", &self.bytes_out)
            .finish_non_exhaustive()
    }
}

impl Decompressor {
    pub fn new(encoding: Encoding, limits: DecompressLimits) -> Result<Self, UndecodableBody> {
        let codec = match encoding {
            Encoding::Identity => Codec::Identity,
            Encoding::Gzip => Codec::Gzip { inflate: Some(Decompress::new_gzip(WINDOW_BITS)), members: 0 },
            Encoding::Deflate => Codec::DeflateUndecided,
            Encoding::Zstd => Codec::Zstd { decoder: zstd_decoder(&limits)?, between_frames: true },
        };
        let output = if encoding == Encoding::Identity { Vec::new() } else { vec![0; OUTPUT_BYTES] };
        Ok(Self { codec, output, limits, bytes_in: 0, bytes_out: 0 })
    }

    /// The size of the body so far, decompressed.
    pub fn bytes_out(&self) -> u64 {
        self.bytes_out
    }

    /// Decompresses a piece of the body, cut anywhere.
    pub fn decode<E>(
        &mut self,
        input: &[u8],
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), DecodeError<E>> {
        self.bytes_in += input.len() as u64;
        if matches!(self.codec, Codec::Identity) {
            self.count(input.len())?;
            return sink(input).map_err(DecodeError::Sink);
        }
        let mut rest = input;
        loop {
            let step = self.codec.step(rest, &mut self.output, &self.limits)?;
            rest = &rest[step.read..];
            self.count(step.written)?;
            if step.written > 0 {
                sink(&self.output[..step.written]).map_err(DecodeError::Sink)?;
            }
            // A full output may hide more, even when all input was taken.
            if rest.is_empty() && step.written < self.output.len() {
                return Ok(());
            }
            if step.read == 0 && step.written == 0 {
                return Err(self.codec.corrupt("it does not go on").into());
            }
        }
    }

    /// Ends the body.
    pub fn finish(&self) -> Result<(), UndecodableBody> {
        let whole = match &self.codec {
            Codec::Identity => true,
            Codec::Gzip { inflate, members } => *members > 0 && inflate.is_none(),
            Codec::DeflateUndecided => false,
            Codec::Deflate { ended, .. } => *ended,
            Codec::Zstd { between_frames, .. } => *between_frames,
        };
        // Nothing at all is an empty body in every encoding.
        if whole || self.bytes_in == 0 {
            return Ok(());
        }
        Err(UndecodableBody::Truncated { encoding: self.codec.name() })
    }

    fn count(&mut self, written: usize) -> Result<(), UndecodableBody> {
        self.bytes_out += written as u64;
        let DecompressLimits { bytes_max, ratio_max, ratio_free_bytes, .. } = self.limits;
        if self.bytes_out > bytes_max {
            return Err(UndecodableBody::TooLarge { bytes_max });
        }
        if self.bytes_out > ratio_free_bytes && self.bytes_out > self.bytes_in.saturating_mul(ratio_max) {
            return Err(UndecodableBody::TooDense { ratio_max });
        }
        Ok(())
    }
}

impl Codec {
    fn name(&self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip { .. } => "gzip",
            Self::DeflateUndecided | Self::Deflate { .. } => "deflate",
            Self::Zstd { .. } => "zstd",
        }
    }

    fn corrupt(&self, reason: &str) -> UndecodableBody {
        UndecodableBody::Corrupt { encoding: self.name(), reason: reason.to_owned() }
    }

    fn step(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        limits: &DecompressLimits,
    ) -> Result<Step, UndecodableBody> {
        if matches!(self, Self::DeflateUndecided) {
            let Some(first) = input.first() else { return Ok(Step { read: 0, written: 0 }) };
            // The wrapper starts with its method, 8, in the low half. A deflate block that starts so would be a
            // stored or reserved one with bits set that encoders leave clear.
            let wrapped = first & 0x0f == 8 && first >> 4 <= 7;
            *self = Self::Deflate { inflate: Decompress::new(wrapped), ended: false };
        }
        match self {
            Self::Identity | Self::DeflateUndecided => Ok(Step { read: 0, written: 0 }),
            Self::Gzip { .. } => self.gzip(input, output, limits.gzip_members_max),
            Self::Deflate { .. } => self.deflate(input, output),
            Self::Zstd { .. } => self.zstd(input, output, limits),
        }
    }

    /// A body may be several members one after the other, as when files were joined.
    fn gzip(&mut self, input: &[u8], output: &mut [u8], members_max: u32) -> Result<Step, UndecodableBody> {
        let Self::Gzip { inflate, members } = self else { return Ok(Step { read: 0, written: 0 }) };
        if inflate.is_none() {
            if input.is_empty() {
                return Ok(Step { read: 0, written: 0 });
            }
            if *members >= members_max {
                return Err(self.corrupt("it has too many members; send it in smaller parts"));
            }
            *inflate = Some(Decompress::new_gzip(WINDOW_BITS));
        }
        let Some(decoder) = inflate else { return Ok(Step { read: 0, written: 0 }) };
        let step = inflate_step(decoder, input, output);
        let joined = *members > 0;
        match step {
            Ok((step, ended)) => {
                if ended {
                    *members += 1;
                    *inflate = None;
                }
                Ok(step)
            }
            Err(_) if joined => Err(self.corrupt("there is something after its end that is not gzip")),
            Err(reason) => Err(self.corrupt(&reason)),
        }
    }

    fn deflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, UndecodableBody> {
        let Self::Deflate { inflate, ended } = self else { return Ok(Step { read: 0, written: 0 }) };
        if *ended {
            if input.is_empty() {
                return Ok(Step { read: 0, written: 0 });
            }
            return Err(self.corrupt("there is something after its end"));
        }
        match inflate_step(inflate, input, output) {
            Ok((step, at_end)) => {
                *ended = at_end;
                Ok(step)
            }
            Err(reason) => Err(self.corrupt(&reason)),
        }
    }

    fn zstd(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        limits: &DecompressLimits,
    ) -> Result<Step, UndecodableBody> {
        let Self::Zstd { decoder, between_frames } = self else { return Ok(Step { read: 0, written: 0 }) };
        if *between_frames && input.is_empty() {
            return Ok(Step { read: 0, written: 0 });
        }
        match decoder.run_on_buffers(input, output) {
            Ok(status) => {
                *between_frames = status.remaining == 0;
                Ok(Step { read: status.bytes_read, written: status.bytes_written })
            }
            Err(error) => {
                let error = error.to_string();
                if error.contains("memory") {
                    let mebibytes = (1_u64 << limits.zstd_window_log_max) >> 20;
                    return Err(self.corrupt(&format!(
                        "its window is larger than {mebibytes} MiB; compress it with a lower level or without --long"
                    )));
                }
                Err(self.corrupt(&error))
            }
        }
    }
}

fn zstd_decoder(limits: &DecompressLimits) -> Result<Decoder<'static>, UndecodableBody> {
    let failed =
        |error: std::io::Error| UndecodableBody::Corrupt { encoding: "zstd", reason: error.to_string() };
    let mut decoder = Decoder::new().map_err(failed)?;
    decoder.set_parameter(DParameter::WindowLogMax(limits.zstd_window_log_max)).map_err(failed)?;
    Ok(decoder)
}

/// Also tells whether the stream ended.
fn inflate_step(decoder: &mut Decompress, input: &[u8], output: &mut [u8]) -> Result<(Step, bool), String> {
    let (read_before, written_before) = (decoder.total_in(), decoder.total_out());
    let status =
        decoder.decompress(input, output, FlushDecompress::None).map_err(|error| error.to_string())?;
    let step = Step {
        read: (decoder.total_in() - read_before) as usize,
        written: (decoder.total_out() - written_before) as usize,
    };
    Ok((step, status == Status::StreamEnd))
}
