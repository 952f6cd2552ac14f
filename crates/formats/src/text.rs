//! The bytes of an answer, in pieces: one text that grows takes twice as much while it moves to a larger place. They
//! count as the query's memory until they are sent.

use std::io;
use std::ops::{Deref, DerefMut};

use bytes::Bytes;
use tidegauge_app::service::Error;
use tidegauge_app::service::query::failure;
use tidegauge_engine::{Answer, Error as EngineError, Held};

use super::json::write_comma;
use super::shown::cells;

/// About how long a piece is.
const PIECE_BYTES: usize = 256 << 10;

/// About how long what is beside the values of an answer is.
const START_BYTES: usize = 1_024;

/// An answer that is being written. What is at hand can be written to like any text; it is put away between rows.
#[derive(Debug)]
pub(super) struct Text {
    held: Held,
    pieces: Vec<Bytes>,
    at_hand: Vec<u8>,
    /// Why the query may not have the memory. From then on nothing is kept.
    refused: Option<EngineError>,
}

/// An answer that is written, and the memory of it.
#[derive(Debug)]
pub struct Written {
    pieces: Vec<Bytes>,
    held: Held,
}

impl Text {
    /// For an answer of which each value takes about so many bytes.
    pub(super) fn of(answer: &Answer, cell_bytes: usize) -> Self {
        Self::new(&answer.held, START_BYTES.saturating_add(cells(answer).saturating_mul(cell_bytes)))
    }

    /// For about so many bytes.
    pub(super) fn new(held: &Held, bytes: usize) -> Self {
        let at_hand = Vec::with_capacity(bytes.min(PIECE_BYTES));
        Self { held: held.clone(), pieces: Vec::new(), at_hand, refused: None }
    }

    /// Puts what is at hand away when it is long enough. Its last byte stays: what comes next depends on it.
    pub(super) fn settle(&mut self) {
        if self.at_hand.len() < PIECE_BYTES {
            return;
        }
        let last = self.at_hand.split_off(self.at_hand.len() - 1);
        let piece = std::mem::replace(&mut self.at_hand, Vec::with_capacity(PIECE_BYTES));
        self.at_hand.extend_from_slice(&last);
        self.put_away(piece);
    }

    /// Counts so many bytes beside the text, until it is written.
    pub(super) fn take(&mut self, bytes: usize) {
        if self.refused.is_none() {
            self.refused = self.held.take(bytes).err();
        }
        if self.refused.is_some() {
            self.pieces = Vec::new();
        }
    }

    fn put_away(&mut self, piece: Vec<u8>) {
        self.take(piece.len());
        if self.refused.is_none() {
            self.pieces.push(piece.into());
        }
    }

    pub(super) fn finish(mut self) -> Result<Written, Error> {
        let rest = std::mem::take(&mut self.at_hand);
        self.put_away(rest);
        match self.refused {
            Some(refused) => Err(failure::of_running(refused)),
            None => Ok(Written { pieces: self.pieces, held: self.held }),
        }
    }
}

/// Writes rows between brackets.
pub(super) fn write_rows(out: &mut Text, rows: usize, mut write: impl FnMut(&mut Vec<u8>, usize)) {
    out.push(b'[');
    for row in 0..rows {
        write_comma(out);
        write(out, row);
        out.settle();
    }
    out.push(b']');
}

impl Deref for Text {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.at_hand
    }
}

impl DerefMut for Text {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.at_hand
    }
}

impl io::Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (written, _) = bytes.split_at(bytes.len().min(PIECE_BYTES));
        self.at_hand.extend_from_slice(written);
        self.settle();
        Ok(written.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    /// Of text that is there already and counts as no query's memory.
    pub fn of_pieces(pieces: Vec<Bytes>) -> Self {
        Self { pieces, held: Held::default() }
    }

    fn bytes(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum()
    }

    /// To be called when what it was written from is dropped: the place of the query is given back, and all memory but
    /// that of the text.
    pub fn alone(self) -> Self {
        let held = self.held.written(self.bytes());
        Self { held, ..self }
    }

    /// All of it at one place, with its memory.
    pub fn whole(self) -> (Vec<u8>, Held) {
        let mut whole = Vec::with_capacity(self.bytes());
        for piece in self.pieces {
            whole.extend_from_slice(&piece);
        }
        (whole, self.held)
    }

    /// Its pieces as they were put away, with their memory.
    pub fn into_pieces(self) -> (Vec<Bytes>, Held) {
        (self.pieces, self.held)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_is_put_away_comes_back_in_order() {
        for count in [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 7] {
            let expected: Vec<u8> = (0..count).map(|place| (place % 251) as u8).collect();
            let mut text = Text::new(&Held::default(), count);
            for row in expected.chunks(1_000) {
                text.extend_from_slice(row);
                text.settle();
                assert_eq!(text.last(), row.last());
            }
            let (pieces, _) = text.finish().unwrap().alone().into_pieces();
            assert_eq!(pieces.concat(), expected);

            let mut text = Text::new(&Held::default(), 0);
            text.write_all(&expected).unwrap();
            assert_eq!(text.finish().unwrap().whole().0, expected);
        }
    }
}
