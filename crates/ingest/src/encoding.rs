//! The words of the Content-Encoding header that a body may come with. Decoding is left to `decompress`.

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    Gzip,
    Zstd,
    /// With the zlib wrapper as the standard says, or without it as some clients send it.
    Deflate,
}

impl Encoding {
    /// Reads the value of the header. Known clients send an empty value or `1` for a body that is not compressed, and the
    /// Collector of OpenTelemetry says `zlib` for what the standard calls deflate.
    pub fn parse(header: &str) -> Option<Self> {
        match header.trim().to_ascii_lowercase().as_str() {
            "" | "identity" | "1" => Some(Self::Identity),
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "zstd" => Some(Self::Zstd),
            "deflate" | "zlib" => Some(Self::Deflate),
            _ => None,
        }
    }
}
