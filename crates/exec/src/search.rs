//! One test of a text against a needle that stands in the query: what an expression asks, for who can answer it by other
//! means than by reading every text.

use std::fmt;

use tidegauge_lang::tree::TextTest;

/// A longer needle is looked for in the texts themselves.
const NEEDLE_BYTES_MAX: usize = 1024;

/// A test with its needle.
pub struct Search {
    pub test: TextTest,
    pub is_case_sensitive: bool,
    pub needle: String,
}

impl Search {
    /// None where the needle is empty, or too long to be looked for elsewhere.
    pub fn new(test: TextTest, is_case_sensitive: bool, needle: &str) -> Option<Self> {
        let is_fit = !needle.is_empty() && needle.len() <= NEEDLE_BYTES_MAX;
        is_fit.then(|| Self { test, is_case_sensitive, needle: needle.to_owned() })
    }

    /// The one text that passes, if only one does.
    pub fn only_text(&self) -> Option<&str> {
        (self.test == TextTest::Equals && self.is_case_sensitive).then_some(&self.needle)
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})", self.test, self.needle)
    }
}
