//! One test of a text against a needle that stands in the query, as it is asked of templates.

use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::HashMap;
use tidegauge_lang::tree::TextTest;
use tidegauge_model::template::token_bytes;
use tidegauge_store::Templates;

use super::automaton::Automaton;
use super::literal::Literal;
use super::{Verdict, Within};
use crate::functions::text::Matcher;

/// A longer needle is looked for in the texts themselves.
const NEEDLE_BYTES_MAX: usize = 1024;

/// A test with its needle.
pub(crate) struct Search {
    test: TextTest,
    is_case_sensitive: bool,
    needle: String,
    /// Made ready when it is asked for: most tests are never asked of templates.
    way: OnceLock<Way>,
    matcher: OnceLock<Matcher>,
    within: OnceLock<Option<Within>>,
}

enum Way {
    Literal(Box<Literal>),
    Regex(Box<Mutex<Automata>>),
    /// Nothing is known of any template.
    Unknown,
}

/// A regular expression, and what was found out with it.
struct Automata {
    automaton: Automaton,
    /// By the identity of the template and the letters of its variables.
    known: HashMap<(u128, u8), Verdict>,
}

impl Search {
    pub(crate) fn new(test: TextTest, is_case_sensitive: bool, needle: &str) -> Option<Self> {
        let is_fit = !needle.is_empty() && needle.len() <= NEEDLE_BYTES_MAX;
        let needle = needle.to_owned();
        is_fit.then(|| Self {
            test,
            is_case_sensitive,
            needle,
            way: OnceLock::new(),
            matcher: OnceLock::new(),
            within: OnceLock::new(),
        })
    }

    /// The one text that passes, if only one does.
    pub(crate) fn only_text(&self) -> Option<&str> {
        (self.test == TextTest::Equals && self.is_case_sensitive).then_some(&self.needle)
    }

    /// Which texts of each template pass.
    pub(crate) fn verdicts(&self, templates: &Templates) -> Vec<Verdict> {
        match self.way.get_or_init(|| self.make_ready()) {
            Way::Literal(literal) => literal.verdicts(templates),
            Way::Regex(automata) => lock(automata).verdicts(templates),
            Way::Unknown => vec![Verdict::UNKNOWN; templates.len()],
        }
    }

    /// What tests the parts of texts that are left open.
    pub(crate) fn matcher(&self) -> Matcher {
        self.matcher.get_or_init(|| Matcher::new(self.test, self.is_case_sensitive, &self.needle)).clone()
    }

    /// What finds the needle in variables, where it can lie only in one.
    pub(crate) fn within(&self) -> Option<&Within> {
        let is_one_token = self.test == TextTest::Contains && token_bytes(&self.needle) == self.needle.len();
        let within = || is_one_token.then(|| Within::new(&self.needle, self.is_case_sensitive)).flatten();
        self.within.get_or_init(within).as_ref()
    }

    fn make_ready(&self) -> Way {
        if self.test != TextTest::Matches {
            return Way::Literal(Box::new(Literal::new(self.test, self.is_case_sensitive, &self.needle)));
        }
        match Automaton::new(&self.needle) {
            Some(automaton) => {
                Way::Regex(Box::new(Mutex::new(Automata { automaton, known: HashMap::new() })))
            }
            None => Way::Unknown,
        }
    }
}

impl Automata {
    fn verdicts(&mut self, templates: &Templates) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(templates.len());
        for code in 0..templates.len() {
            let letters = templates.holes(code).iter().fold(0, |letters, hole| letters | hole.letters);
            let verdict = self
                .known
                .entry((templates.identity(code), letters))
                .or_insert_with(|| self.automaton.verdict(templates.template(code), letters));
            verdicts.push(*verdict);
        }
        verdicts
    }
}

fn lock(automata: &Mutex<Automata>) -> MutexGuard<'_, Automata> {
    automata.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})", self.test, self.needle)
    }
}
