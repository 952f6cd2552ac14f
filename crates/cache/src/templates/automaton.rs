//! A regular expression asked of templates. Its automaton walks along the fixed parts, and through a hole in every way
//! that a variable can take it: where all ways have matched every text does, where none has none does.

use std::sync::Arc;

use hashbrown::HashMap;
use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use tidegauge_model::template::{HOLE, letters};

use super::{Verdict, Window};

/// How large the expression and what is computed of it may be, in bytes.
const EXPRESSION_BYTES_MAX: usize = 4 << 20;
const STATES_BYTES_MAX: usize = 8 << 20;

/// Through how many states at once a template is followed.
const STATES_MAX: usize = 128;

/// How many steps are made for one question: beyond, searching the texts costs less.
const STEPS_MAX: usize = 20_000_000;

/// The automaton of an expression, which grows as it is used.
pub(super) struct Automaton {
    dfa: DFA,
    cache: Cache,
    /// The state in which no match has begun; none where more than the bytes at hand counts.
    idle: Option<LazyStateID>,
    /// For the letters that variables have, one byte for each class of theirs.
    in_holes: HashMap<u8, Arc<[u8]>>,
    steps: usize,
    is_spent: bool,
}

/// The ways along a template that have not matched yet.
struct Ways {
    states: Vec<LazyStateID>,
    has_matched: bool,
    /// Whether there are ways that cannot match any more.
    has_failed: bool,
    /// Up to which byte of the template no match has begun, and how far those reach that may be there.
    window: Window,
    /// The byte of the template that is followed.
    place: usize,
}

/// The state that an expression is in while nothing of it has matched. None where it asks what stands beside a match.
fn idle_state(dfa: &DFA, cache: &mut Cache) -> Option<LazyStateID> {
    if !dfa.get_nfa().look_set_any().is_empty() {
        return None;
    }
    let start = dfa.start_state_forward(cache, &Input::new("")).ok()?;
    // No text has this byte, so that it is part of no match.
    let once = dfa.next_state(cache, start, HOLE).ok()?;
    let twice = dfa.next_state(cache, once, HOLE).ok()?;
    let is_idle = once == twice && !once.is_match() && !once.is_dead() && !once.is_quit();
    is_idle.then_some(once)
}

/// A window that does not begin or end inside a letter.
fn between_letters(template: &[u8], window: Window) -> Window {
    let is_inside = |place: usize| template.get(place).is_some_and(|byte| byte & 0xc0 == 0x80);
    let Window { mut start, mut end } = window;
    while is_inside(start) && start > 0 {
        start -= 1;
    }
    while is_inside(end) {
        end += 1;
    }
    Window { start, end }
}

/// Nothing can be said: too many states, or letters that the automaton does not know.
struct Unknown;

impl Automaton {
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let config = DFA::config().unicode_word_boundary(true).cache_capacity(STATES_BYTES_MAX);
        let dfa = DFA::builder()
            .configure(config)
            .thompson(thompson::Config::new().nfa_size_limit(Some(EXPRESSION_BYTES_MAX)))
            .build(pattern)
            .ok()?;
        let mut cache = dfa.create_cache();
        let idle = idle_state(&dfa, &mut cache);
        Some(Self { dfa, cache, idle, in_holes: HashMap::new(), steps: 0, is_spent: false })
    }

    /// Which texts of a template pass whose variables are made of these letters.
    pub(super) fn verdict(&mut self, template: &[u8], letters: u8) -> Verdict {
        if self.is_spent {
            return Verdict::UNKNOWN;
        }
        let clears = self.cache.clear_count();
        let known = self.in_holes.get(&letters).map(Arc::clone);
        let in_holes = known.unwrap_or_else(|| {
            let bytes: Arc<[u8]> = self.bytes_of(letters).into();
            self.in_holes.insert(letters, Arc::clone(&bytes));
            bytes
        });
        let followed = self.follow(template, &in_holes);
        if self.cache.clear_count() != clears || self.steps > STEPS_MAX {
            // States that were forgotten may have been taken for others.
            self.is_spent = true;
            return Verdict::UNKNOWN;
        }
        match followed {
            Err(Unknown) => Verdict::UNKNOWN,
            Ok(ways) if !ways.has_matched => Verdict::None,
            Ok(ways) if ways.states.is_empty() && !ways.has_failed => Verdict::All,
            Ok(_) if self.idle.is_none() => Verdict::UNKNOWN,
            Ok(ways) => Verdict::Open(between_letters(template, ways.window)),
        }
    }

    fn follow(&mut self, template: &[u8], in_holes: &[u8]) -> Result<Ways, Unknown> {
        let start = self.dfa.start_state_forward(&mut self.cache, &Input::new("")).map_err(|_| Unknown)?;
        let window = Window { start: 0, end: 0 };
        let mut ways = Ways { states: Vec::new(), has_matched: false, has_failed: false, window, place: 0 };
        ways.add(start)?;
        for (place, byte) in template.iter().enumerate() {
            if ways.states.is_empty() {
                return Ok(ways);
            }
            ways.mark(place, self.idle);
            ways.place = place;
            let before = std::mem::take(&mut ways.states);
            if *byte != HOLE {
                before.into_iter().try_for_each(|state| self.step(state, *byte, &mut ways))?;
                continue;
            }
            for state in before {
                in_holes.iter().try_for_each(|byte| self.step(state, *byte, &mut ways))?;
            }
            // A variable has one letter or more.
            let mut next = 0;
            while let Some(state) = ways.states.get(next).copied() {
                in_holes.iter().try_for_each(|byte| self.step(state, *byte, &mut ways))?;
                next += 1;
            }
        }
        for state in std::mem::take(&mut ways.states) {
            self.steps += 1;
            let end = self.dfa.next_eoi_state(&mut self.cache, state).map_err(|_| Unknown)?;
            // A way that is still undecided at the end has failed.
            if end.is_match() {
                ways.has_matched = true;
                ways.window.end = template.len();
            } else {
                ways.has_failed = true;
            }
        }
        Ok(ways)
    }

    fn step(&mut self, state: LazyStateID, byte: u8, ways: &mut Ways) -> Result<(), Unknown> {
        self.steps += 1;
        let next = self.dfa.next_state(&mut self.cache, state, byte).map_err(|_| Unknown)?;
        ways.add(next)
    }

    /// One byte for each class of those that variables of these letters are made of.
    fn bytes_of(&self, letters: u8) -> Vec<u8> {
        let is_made_of = |byte: &u8| {
            let own = match byte {
                b'0'..=b'9' => letters::DIGITS,
                b'a'..=b'f' => letters::LOWER_HEX,
                b'g'..=b'z' => letters::LOWER,
                b'A'..=b'F' => letters::UPPER_HEX,
                b'G'..=b'Z' => letters::UPPER,
                0x80.. => letters::OTHER,
                _ => 0,
            };
            own & letters != 0
        };
        let classes = self.dfa.byte_classes();
        let mut bytes: Vec<u8> = (0..=u8::MAX).filter(is_made_of).collect();
        bytes.sort_by_key(|byte| classes.get(*byte));
        bytes.dedup_by_key(|byte| classes.get(*byte));
        bytes
    }
}

impl Ways {
    /// Notes where the next byte stands.
    fn mark(&mut self, place: usize, idle: Option<LazyStateID>) {
        if self.has_matched {
            return;
        }
        if self.states.len() == 1 && self.states.first().copied() == idle {
            self.window.start = place;
        }
    }

    fn add(&mut self, state: LazyStateID) -> Result<(), Unknown> {
        if state.is_quit() {
            return Err(Unknown);
        }
        if state.is_match() {
            self.has_matched = true;
            self.window.end = self.place + 1;
        } else if state.is_dead() {
            self.has_failed = true;
        } else if !self.states.contains(&state) {
            if self.states.len() >= STATES_MAX {
                return Err(Unknown);
            }
            self.states.push(state);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
