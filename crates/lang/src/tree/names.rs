//! Names with a type, and names of which some parts may be anything.

use super::value::Type;
use crate::Span;

/// A name with a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Type,
}

/// A name in which some stretches may be anything: the parts between them, so one part is a plain name.
#[derive(Clone, Debug)]
pub struct NamePattern {
    pub parts: Vec<String>,
    pub span: Span,
}

/// Where it stands is no part of it.
impl std::hash::Hash for NamePattern {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.parts.hash(state);
    }
}

impl PartialEq for NamePattern {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for NamePattern {}

impl NamePattern {
    /// One that does not stand in a text.
    pub fn new(parts: Vec<String>) -> Self {
        Self { parts, span: Span::default() }
    }

    /// The name, if nothing in it may be anything.
    pub fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [name] => Some(name),
            _ => None,
        }
    }

    /// Whether a name fits, with its case.
    pub fn fits(&self, name: &str) -> bool {
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self.plain() == Some(name);
        };
        let Some(mut rest) =
            name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()))
        else {
            return false;
        };
        for part in middle {
            match rest.split_once(part.as_str()) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        true
    }
}
