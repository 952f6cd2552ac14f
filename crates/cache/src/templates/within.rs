//! Looks for a needle of letters and digits in many variables at once, as bytes that lie one after the other: most of
//! them do not have it, and are passed over without being told apart.

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

/// What can only lie in one variable, since variables are whole tokens and it has nothing that parts tokens.
#[derive(Debug)]
pub enum Within {
    Exact(Box<memmem::Finder<'static>>),
    AnyCase(Box<Regex>),
}

impl Within {
    pub(super) fn new(needle: &str, is_case_sensitive: bool) -> Option<Self> {
        if is_case_sensitive {
            return Some(Self::Exact(Box::new(memmem::Finder::new(needle).into_owned())));
        }
        let regex = RegexBuilder::new(&regex::escape(needle)).case_insensitive(true).build().ok()?;
        Some(Self::AnyCase(Box::new(regex)))
    }

    pub(super) fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Exact(finder) => finder.find(bytes),
            Self::AnyCase(regex) => regex.find(bytes).map(|found| found.start()),
        }
    }
}
