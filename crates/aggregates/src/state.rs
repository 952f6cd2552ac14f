//! The bytes of partial states: small numbers short, everything else as it is in memory. What the bytes mean is left
//! to the aggregates.

use datafusion_common::{DataFusionError, Result};

/// Reads what the functions below wrote.
#[derive(Debug)]
pub(super) struct StateReader<'a> {
    rest: &'a [u8],
}

impl<'a> StateReader<'a> {
    pub(super) fn new(state: &'a [u8]) -> Self {
        Self { rest: state }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(damaged)?;
        self.rest = rest;
        Ok(*bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(super) fn word(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn wide(&mut self) -> Result<u128> {
        Ok(u128::from_le_bytes(self.array()?))
    }

    pub(super) fn float(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        let length = usize::try_from(self.number()?).map_err(|_| damaged())?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| damaged())
    }
}

pub(super) fn write_number(state: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        state.push(number as u8 | 0x80);
        number >>= 7;
    }
    state.push(number as u8);
}

pub(super) fn write_word(state: &mut Vec<u8>, word: u64) {
    state.extend_from_slice(&word.to_le_bytes());
}

pub(super) fn write_float(state: &mut Vec<u8>, float: f64) {
    state.extend_from_slice(&float.to_le_bytes());
}

pub(super) fn write_text(state: &mut Vec<u8>, text: &str) {
    write_number(state, text.len() as u64);
    state.extend_from_slice(text.as_bytes());
}

pub(super) fn damaged() -> DataFusionError {
    DataFusionError::Execution("a partial result is damaged: run the query again".to_owned())
}
