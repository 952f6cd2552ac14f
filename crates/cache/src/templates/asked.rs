//! Tests of texts as they are asked of templates, each with what was made ready for it. Expressions only say what they
//! ask; what answers is kept here, for as long as a scan takes.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::HashMap;
use tidegauge_exec::Search;
use tidegauge_exec::kernels::text::Matcher;
use tidegauge_lang::tree::TextTest;
use tidegauge_model::template::token_bytes;
use tidegauge_store::Templates;

use super::automaton::Automaton;
use super::literal::Literal;
use super::{Verdict, Within};

/// The tests that a scan has asked so far, by where they lie in memory: each keeps its own there.
#[derive(Debug, Default)]
pub struct Searches(Mutex<HashMap<usize, Arc<Asked>>>);

/// A test, and what answers it.
pub struct Asked {
    search: Arc<Search>,
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

impl Searches {
    /// What answers a test.
    pub fn of(&self, search: &Arc<Search>) -> Arc<Asked> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Asked::new(Arc::clone(search)));
        Arc::clone(known.entry(Arc::as_ptr(search).addr()).or_insert_with(new))
    }
}

impl Asked {
    fn new(search: Arc<Search>) -> Self {
        Self { search, way: OnceLock::new(), matcher: OnceLock::new(), within: OnceLock::new() }
    }

    /// Which texts of each template pass.
    pub fn verdicts(&self, templates: &Templates) -> Vec<Verdict> {
        match self.way.get_or_init(|| self.make_ready()) {
            Way::Literal(literal) => literal.verdicts(templates),
            Way::Regex(automata) => lock(automata).verdicts(templates),
            Way::Unknown => vec![Verdict::UNKNOWN; templates.len()],
        }
    }

    /// What tests the parts of texts that are left open.
    pub fn matcher(&self) -> Matcher {
        let Search { test, is_case_sensitive, needle } = &*self.search;
        self.matcher.get_or_init(|| Matcher::new(*test, *is_case_sensitive, needle)).clone()
    }

    /// What finds the needle in variables, where it can lie only in one.
    pub fn within(&self) -> Option<&Within> {
        let Search { test, is_case_sensitive, needle } = &*self.search;
        let is_one_token = *test == TextTest::Contains && token_bytes(needle) == needle.len();
        let within = || is_one_token.then(|| Within::new(needle, *is_case_sensitive)).flatten();
        self.within.get_or_init(within).as_ref()
    }

    fn make_ready(&self) -> Way {
        let Search { test, is_case_sensitive, needle } = &*self.search;
        if *test != TextTest::Matches {
            return Way::Literal(Box::new(Literal::new(*test, *is_case_sensitive, needle)));
        }
        match Automaton::new(needle) {
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

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.search, f)
    }
}
