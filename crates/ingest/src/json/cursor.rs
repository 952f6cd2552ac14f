//! A place in the input, and the small steps from it. Running out of input is told apart from input that is wrong,
//! since the rest may come with the next chunk.

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The input ends before the event does.
    More,
    /// The text at the cursor is no JSON; says what is wrong or was expected.
    Malformed(&'static str),
}

#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) position: usize,
    /// Nothing comes after the input, so that a number may end with it.
    pub(crate) complete: bool,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(input: &'a [u8], complete: bool) -> Self {
        Self { input, position: 0, complete }
    }

    #[inline]
    pub(crate) fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.input.get(self.position) {
            self.position += 1;
        }
    }

    /// The next byte that is not whitespace. The cursor stays at it.
    #[inline]
    pub(crate) fn next_significant(&mut self) -> Result<u8, Stop> {
        match self.input.get(self.position) {
            Some(byte) if *byte > b' ' => Ok(*byte),
            _ => {
                self.skip_whitespace();
                self.input.get(self.position).copied().ok_or(Stop::More)
            }
        }
    }

    #[inline]
    pub(crate) fn colon(&mut self) -> Result<(), Stop> {
        if self.next_significant()? != b':' {
            return Err(Stop::Malformed("expected ':' after a field name"));
        }
        self.position += 1;
        Ok(())
    }

    /// `true`, `false` or `null`.
    #[inline]
    pub(crate) fn word(&mut self, word: &'static str) -> Result<(), Stop> {
        let word = word.as_bytes();
        let rest = &self.input[self.position..];
        if rest.starts_with(word) {
            self.position += word.len();
            return Ok(());
        }
        if word.starts_with(rest) { Err(Stop::More) } else { Err(Stop::Malformed(EXPECTED_VALUE)) }
    }
}

pub(crate) const EXPECTED_VALUE: &str =
    "expected a value: an object, an array, a string in double quotes, a number, true, false or null";
