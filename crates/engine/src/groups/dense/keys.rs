//! The different values of one key that a thread has seen, each with a number.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use hashbrown::HashMap;
use tidegauge_lang::tree::Type;

use crate::types::arrow_type;

/// Values of one key with their numbers.
pub(in crate::groups) struct KeyColumn {
    kind: Type,
    values: Values,
    /// The number of null, once it was seen.
    null: Option<u32>,
    count: u32,
    /// The bytes of the texts.
    text_bytes: usize,
}

enum Values {
    Texts(HashMap<Box<str>, u32>),
    /// Integers as they are, floats as their bits, booleans as zero and one.
    Numbers(HashMap<i64, u32>),
}

impl KeyColumn {
    pub(in crate::groups) fn new(kind: Type) -> Self {
        let values = match arrow_type(kind) {
            arrow_schema::DataType::Utf8View => Values::Texts(HashMap::new()),
            _ => Values::Numbers(HashMap::new()),
        };
        Self { kind, values, null: None, count: 0, text_bytes: 0 }
    }

    pub(in crate::groups) fn of_text(&mut self, text: &str) -> u32 {
        let Values::Texts(texts) = &mut self.values else { return 0 };
        match texts.get(text) {
            Some(number) => *number,
            None => {
                let number = self.count;
                texts.insert(Box::from(text), number);
                self.count += 1;
                self.text_bytes += text.len();
                number
            }
        }
    }

    pub(in crate::groups) fn of_number(&mut self, value: i64) -> u32 {
        let Values::Numbers(numbers) = &mut self.values else { return 0 };
        let next = self.count;
        let number = *numbers.entry(value).or_insert(next);
        self.count += u32::from(number == next);
        number
    }

    pub(in crate::groups) fn of_null(&mut self) -> u32 {
        let number = *self.null.get_or_insert(self.count);
        self.count += u32::from(number == self.count);
        number
    }

    /// How many values were seen. Who adds to them sees to it that they stay below 32 bits.
    pub(in crate::groups) fn len(&self) -> usize {
        self.count as usize
    }

    /// How many bytes the values take.
    pub(in crate::groups) fn memory_bytes(&self) -> usize {
        // A table has a byte for each place beside what stands there.
        match &self.values {
            Values::Texts(texts) => texts.capacity() * (size_of::<(Box<str>, u32)>() + 1) + self.text_bytes,
            Values::Numbers(numbers) => numbers.capacity() * (size_of::<(i64, u32)>() + 1),
        }
    }

    /// The values with these numbers, as one array.
    pub(in crate::groups) fn array(&self, numbers: impl Iterator<Item = u32>) -> ArrayRef {
        match &self.values {
            Values::Texts(texts) => {
                let mut by_number: Vec<Option<&str>> = vec![None; self.count as usize];
                texts.iter().for_each(|(text, number)| by_number[*number as usize] = Some(text));
                Arc::new(numbers.map(|number| by_number[number as usize]).collect::<StringViewArray>())
            }
            Values::Numbers(values) => {
                let mut by_number: Vec<Option<i64>> = vec![None; self.count as usize];
                values.iter().for_each(|(value, number)| by_number[*number as usize] = Some(*value));
                let values = numbers.map(|number| by_number[number as usize]);
                match self.kind {
                    Type::Float => {
                        let floats = values.map(|bits| bits.map(|bits| f64::from_bits(bits.cast_unsigned())));
                        Arc::new(floats.collect::<Float64Array>())
                    }
                    Type::Boolean => {
                        Arc::new(values.map(|bit| bit.map(|bit| bit != 0)).collect::<BooleanArray>())
                    }
                    _ => Arc::new(values.collect::<Int64Array>()),
                }
            }
        }
    }
}
