//! Whether a value is among others: `in`, `has_any` and their likes. Arrays in a list stand for their elements. Literals
//! of one type become sets where they are many, so that a row costs the same however long the list is; the others are
//! tested one by one, and of those there may not be many.

mod elements;
mod sets;

use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{logic, text};
use tidegauge_exec::operators::{self, compare};
use tidegauge_exec::{Result, Value, functions, invalid};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, TextTest, Type};

use self::elements::{Element, Elements, Number};
use crate::scope::Scope;

/// From so many elements on, a set is made of them.
const SET_LEAST: usize = 4;

/// How many elements are tested one by one at most: each is a test of its own for every row.
const SINGLES_MAX: usize = 10_000;

impl Scope {
    pub(super) fn is_among(&mut self, value: &Expr, list: &[Expr], is_case_sensitive: bool) -> Result<Typed> {
        let (named, span) = (value, value.span);
        let value = self.bind(value)?;
        let mut parts = Vec::new();
        let mut elements = Elements::default();
        for element in list {
            let place = element.span;
            let element = self.bind(element)?;
            if element.of_type(Type::Array).is_none() {
                self.check_comparison(place, &value, &element)?;
                self.tell_of_text_with_number(named, &value, &element);
            }
            if elements.add_array(&element) {
                continue;
            }
            if element.of_type(Type::Array).is_some() {
                let arguments = [element, value.clone()];
                let is_inside =
                    functions::call("set_has_element", &arguments, span, self.surroundings().around())?;
                let is_inside = is_inside.and_then(|value| value.of_type(Type::Boolean).cloned());
                parts.extend(is_inside.map(logic::known).transpose()?);
            } else {
                elements.add(element);
            }
        }
        let Elements { texts, numbers, times, timespans, long_integers, mut singles } = elements;
        if texts.len() < SET_LEAST {
            singles.extend(texts.into_iter().map(|text| Element::Text(text).into_value()));
        } else {
            parts.extend(sets::texts(&value, texts, is_case_sensitive)?);
        }
        if numbers.len() < SET_LEAST {
            singles.extend(numbers.into_iter().map(|number| Element::Number(number).into_value()));
        } else {
            parts.extend(sets::numbers(&value, &numbers)?);
        }
        if times.len() < SET_LEAST {
            singles.extend(times.into_iter().map(|time| Element::Time(time).into_value()));
        } else {
            parts.extend(sets::times(&value, &times)?);
        }
        if timespans.len() < SET_LEAST {
            singles.extend(timespans.into_iter().map(|timespan| Element::Timespan(timespan).into_value()));
        } else {
            parts.extend(sets::timespans(&value, &timespans)?);
        }
        if long_integers.len() < SET_LEAST {
            singles.extend(long_integers.into_iter().map(|digits| Element::LongInteger(digits).into_value()));
        } else {
            parts.extend(sets::long_integers(&value, long_integers)?);
        }
        check_singles(singles.len(), span)?;
        for element in singles {
            parts.push(is_equal(&value, &element, is_case_sensitive)?);
        }
        Ok(any(parts))
    }

    pub(super) fn has_any(&mut self, value: &Expr, list: &[Expr], is_case_sensitive: bool) -> Result<Typed> {
        let span = value.span;
        let value = self.bind(value)?;
        let mut elements = Elements::default();
        for word in list {
            let word = self.bind(word)?;
            if !elements.add_array(&word) {
                elements.add(word);
            }
        }
        // A word is found by its text, whatever it is.
        let Elements { mut texts, numbers, times, timespans, long_integers, mut singles } = elements;
        texts.extend(long_integers);
        for number in numbers {
            match number {
                Number::Integer(integer) => texts.push(integer.to_string()),
                Number::Float(_) => singles.push(Element::Number(number).into_value()),
            }
        }
        let (mut words, others): (Vec<String>, Vec<String>) =
            texts.into_iter().partition(|word| text::is_single_word(word, is_case_sensitive));
        if words.len() < SET_LEAST {
            singles.extend(words.drain(..).map(|word| Element::Text(word).into_value()));
        }
        singles.extend(others.into_iter().map(|text| Element::Text(text).into_value()));
        singles.extend(times.into_iter().map(|time| Element::Time(time).into_value()));
        singles.extend(timespans.into_iter().map(|timespan| Element::Timespan(timespan).into_value()));
        check_singles(singles.len(), span)?;
        let mut parts = Vec::with_capacity(singles.len() + 1);
        if !words.is_empty() {
            parts.extend(sets::words(&value, words, is_case_sensitive)?);
        }
        for word in singles {
            parts.push(operators::text::test(TextTest::Has, is_case_sensitive, &value, &word)?);
        }
        Ok(any(parts))
    }
}

/// Whether a value is equal to one element.
fn is_equal(value: &Value, element: &Value, is_case_sensitive: bool) -> Result<Typed> {
    if element.of_type(Type::String).is_some() && !is_case_sensitive {
        return operators::text::test(TextTest::Equals, false, value, element);
    }
    logic::known(compare::equal(value, element)?)
}

fn check_singles(count: usize, span: Span) -> Result<()> {
    if count > SINGLES_MAX {
        let message =
            format!("the list has more than {SINGLES_MAX} elements that each need a test of their own");
        return Err(invalid(span, message));
    }
    Ok(())
}

fn any(parts: Vec<Typed>) -> Typed {
    if parts.is_empty() { logic::constant(false) } else { Typed::any(parts) }
}
