//! The different values of one key that a thread has seen, each with a number.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use hashbrown::HashMap;
use tidegauge_exec::types::arrow_type;
use tidegauge_lang::tree::Type;

/// Values of one key with their numbers.
pub(super) struct KeyColumn {
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
    pub(super) fn new(kind: Type) -> Self {
        let values = match arrow_type(kind) {
            arrow_schema::DataType::Utf8View => Values::Texts(HashMap::new()),
            _ => Values::Numbers(HashMap::new()),
        };
        Self { kind, values, null: None, count: 0, text_bytes: 0 }
    }

    pub(super) fn of_text(&mut self, text: &str) -> u32 {
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

    pub(super) fn of_number(&mut self, value: i64) -> u32 {
        let Values::Numbers(numbers) = &mut self.values else { return 0 };
        let next = self.count;
        let number = *numbers.entry(value).or_insert(next);
        self.count += u32::from(number == next);
        number
    }

    pub(super) fn of_null(&mut self) -> u32 {
        let number = *self.null.get_or_insert(self.count);
        self.count += u32::from(number == self.count);
        number
    }

    /// How many values were seen. Who adds to them sees to it that they stay below 32 bits.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// How many bytes the values take.
    pub(super) fn memory_bytes(&self) -> usize {
        // A table has a byte for each place beside what stands there.
        match &self.values {
            Values::Texts(texts) => texts.capacity() * (size_of::<(Box<str>, u32)>() + 1) + self.text_bytes,
            Values::Numbers(numbers) => numbers.capacity() * (size_of::<(i64, u32)>() + 1),
        }
    }

    /// How many bytes an array of so many of the values takes, if each is as frequent as the others.
    pub(super) fn array_bytes(&self, count: usize) -> usize {
        // A text has its view, a number itself, and each a bit that says whether it is null.
        count
            * match &self.values {
                Values::Texts(_) => size_of::<u128>() + 1 + self.text_bytes / self.len().max(1),
                Values::Numbers(_) => size_of::<i64>() + 1,
            }
    }

    /// The values with these numbers, as one array.
    pub(super) fn array(&self, numbers: impl Iterator<Item = u32>) -> ArrayRef {
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

#[cfg(test)]
mod tests {
    use arrow_array::Array;

    use super::*;

    #[test]
    fn what_an_array_takes_is_told_before() {
        for (length, repeated) in [(0, 1), (5, 1), (12, 3), (13, 1), (40, 7), (500, 2)] {
            let mut key = KeyColumn::new(Type::String);
            let numbers: Vec<u32> =
                (0..20_000).map(|row| key.of_text(&format!("{:0>length$}", row / repeated))).collect();
            let (told, array) = (key.array_bytes(numbers.len()), key.array(numbers.into_iter()));
            let taken = array.get_array_memory_size();
            assert!(told <= taken * 2 && taken <= told * 2, "{length}: {told} were told, {taken} are taken");
        }
        let mut key = KeyColumn::new(Type::Integer);
        let numbers: Vec<u32> = (0..20_000).map(|value| key.of_number(value * 1_000)).collect();
        let taken = key.array(numbers.into_iter()).get_array_memory_size();
        assert!(taken <= key.array_bytes(20_000) * 2, "{taken}");
    }
}
