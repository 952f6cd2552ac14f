//! What conditions ask of texts, found in them without computing them: for who can answer such tests by other means.

use std::sync::Arc;

use super::{Node, Typed};
use crate::search::Search;

impl Typed {
    /// Whether it is made of conditions.
    pub fn is_joined(&self) -> bool {
        match &*self.node {
            Node::And(_) | Node::Or(_) | Node::Shared(_) => true,
            Node::Call { name, .. } => matches!(*name, "not" | "known"),
            Node::Input(_) | Node::Literal(_) => false,
        }
    }

    /// What it asks of a text, and the place of the input that the text is.
    pub fn search(&self) -> Option<(&Arc<Search>, usize)> {
        let Node::Call { search: Some(search), arguments, .. } = &*self.node else { return None };
        Some((search, arguments.first()?.as_input()?))
    }

    /// The one test that a condition is, that test with what it is for rows without a text, and whether it is negated.
    pub fn only_search(&self) -> Option<(&Self, &Self, bool)> {
        if self.search().is_some() {
            return Some((self, self, false));
        }
        let Node::Call { name, arguments, .. } = &*self.node else { return None };
        match (*name, arguments.as_slice()) {
            ("not", [of]) => of.only_search().map(|(test, leaf, is_negated)| (test, leaf, !is_negated)),
            ("known", [of]) if of.search().is_some() => Some((of, self, false)),
            ("known", [of]) => of.only_search(),
            _ => None,
        }
    }

    /// The inputs whose templates could answer parts of it.
    pub fn visit_searches(&self, visit: &mut dyn FnMut(usize)) {
        if let Some((_, place)) = self.search() {
            visit(place);
        }
        match &*self.node {
            Node::And(parts) | Node::Or(parts) => parts.iter().for_each(|part| part.visit_searches(visit)),
            Node::Call { name: "not" | "known", arguments, .. } => {
                arguments.iter().for_each(|part| part.visit_searches(visit));
            }
            Node::Shared(of) => of.visit_searches(visit),
            Node::Call { .. } | Node::Input(_) | Node::Literal(_) => {}
        }
    }
}
