//! Snappy blocks, in which Loki and Prometheus send. A block declares how long it becomes, and that is believed only
//! as far as a block of its size can become.

use snap::raw::{Decoder, decompress_len};

use crate::answer::Problem;

/// The densest element, three bytes for sixty-four, and some for the head.
const RATIO_MAX: usize = 22;
const FREE_BYTES: usize = 64;

/// Decompresses a block that may become `bytes_max` long.
pub fn expand(block: &[u8], bytes_max: usize) -> Result<Vec<u8>, Problem> {
    let corrupt = |error: snap::Error| Problem::malformed(format!("the snappy block is corrupt: {error}"));
    let length = decompress_len(block).map_err(corrupt)?;
    if length > bytes_max {
        return Err(Problem::too_large(format!(
            "the body is larger than {bytes_max} bytes after decompression; send it in smaller parts"
        )));
    }
    if length > block.len().saturating_mul(RATIO_MAX).saturating_add(FREE_BYTES) {
        return Err(Problem::malformed(
            "the snappy block is corrupt: it declares more than it can become; it may be cut",
        ));
    }
    Decoder::new().decompress_vec(block).map_err(corrupt)
}

/// How long a block says that it becomes, as far as one of its size can.
pub fn declared_bytes(block: &[u8]) -> usize {
    let possible = block.len().saturating_mul(RATIO_MAX).saturating_add(FREE_BYTES);
    decompress_len(block).unwrap_or(0).min(possible)
}

#[cfg(test)]
mod tests {
    use tidegauge_model::ErrorKind;

    use super::*;

    #[test]
    fn blocks_come_back() {
        let text = b"abcdefgh".repeat(50_000);
        let block = snap::raw::Encoder::new().compress_vec(&text).unwrap();
        assert_eq!(expand(&block, 1 << 20), Ok(text));
    }

    #[test]
    fn a_declared_length_is_not_believed() {
        let four_gibibytes = [0xff, 0xff, 0xff, 0xff, 0x0f, 0];
        assert_eq!(expand(&four_gibibytes, 1 << 30).map_err(|it| it.kind), Err(ErrorKind::TooLarge));
        assert_eq!(expand(&four_gibibytes, usize::MAX).map_err(|it| it.kind), Err(ErrorKind::Malformed));
        for broken in [&[][..], &[0x80], &[0xff; 12], &[4, 0xff, 0xff]] {
            assert_eq!(expand(broken, 1 << 20).map_err(|it| it.kind), Err(ErrorKind::Malformed));
        }
    }
}
