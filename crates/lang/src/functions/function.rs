//! What is known of a function: how it is called, what it gives, a sentence and an example. Which ones there are is in
//! the tables of the families.

use crate::tree::Type;

/// A function of one row, or an aggregation function, of the rows of a group.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: &'static str,
    pub family: Family,
    pub parameters: &'static [Parameter],
    /// How many of the parameters must be given; those after them may be left out.
    pub required: usize,
    pub repeats: Repeats,
    pub result: ResultType,
    /// One sentence.
    pub doc: &'static str,
    pub example: Example,
}

/// What functions are listed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Conversion,
    Conditional,
    String,
    Datetime,
    Mathematical,
    Rounding,
    Array,
    /// Of arrays of numbers.
    Series,
    Hash,
    /// Addresses of the internet protocol.
    Ip,
    Pair,
    Sql,
    /// Conversations with models.
    GenAi,
    /// The query and its rows.
    Metadata,
    Type,
    /// Over many rows.
    Aggregation,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// The types it takes; none stands for all. A dynamic value may stand for any of them.
    pub types: &'static [Type],
}

/// Whether the last parameters may be given again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    Nothing,
    LastParameter,
    /// The first two, as pairs, with the last after them.
    FirstPair,
}

/// The type of what a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    Always(Type),
    /// That of the argument at this place.
    OfArgument(usize),
    /// A float for numbers; times and timespans stay what they are.
    MeanOf(usize),
    /// The one type that the arguments from this place on have, or dynamic if they differ.
    CommonFrom(usize),
}

/// An expression that needs no data, and the literal that it equals. For an aggregation function it is a query whose
/// answer is one row with one value.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub text: &'static str,
    pub result: &'static str,
}

/// The most arguments that a repeating parameter makes.
pub const ARGUMENTS_MAX: usize = 64;

impl Function {
    /// Whether it can be called with so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        match self.repeats {
            Repeats::Nothing => (self.required..=self.parameters.len()).contains(&count),
            Repeats::LastParameter => (self.required..=ARGUMENTS_MAX).contains(&count),
            Repeats::FirstPair => (self.required..=ARGUMENTS_MAX).contains(&count) && count % 2 == 1,
        }
    }

    /// How many arguments it takes, in words.
    pub fn count_text(&self) -> String {
        let plural =
            |count: usize| if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") };
        match self.repeats {
            Repeats::Nothing if self.required == self.parameters.len() => match self.required {
                0 => "no arguments".to_owned(),
                count => plural(count),
            },
            Repeats::Nothing if self.required == 0 => format!("at most {}", plural(self.parameters.len())),
            Repeats::Nothing => format!("{} to {}", self.required, plural(self.parameters.len())),
            Repeats::LastParameter => format!("{} to {ARGUMENTS_MAX} arguments", self.required),
            Repeats::FirstPair => {
                format!("an odd number of arguments from {} to {}", self.required, ARGUMENTS_MAX - 1)
            }
        }
    }

    /// How it is called: `substring(text, start, [length])`.
    pub fn signature(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for (place, parameter) in self.parameters.iter().enumerate() {
            let is_optional = place >= self.required;
            names.push(if is_optional { format!("[{}]", parameter.name) } else { parameter.name.to_owned() });
        }
        match self.repeats {
            Repeats::Nothing => {}
            Repeats::LastParameter => names.push("…".to_owned()),
            Repeats::FirstPair => names.insert(2, "…".to_owned()),
        }
        format!("{}({})", self.name, names.join(", "))
    }

    pub(super) const fn new(
        family: Family,
        name: &'static str,
        parameters: &'static [Parameter],
        result: ResultType,
        doc: &'static str,
        example: (&'static str, &'static str),
    ) -> Self {
        Self {
            name,
            family,
            parameters,
            required: parameters.len(),
            repeats: Repeats::Nothing,
            result,
            doc,
            example: Example { text: example.0, result: example.1 },
        }
    }

    pub(super) const fn requires(self, required: usize) -> Self {
        Self { required, ..self }
    }

    pub(super) const fn repeats(self, repeats: Repeats) -> Self {
        Self { repeats, ..self }
    }
}

pub(super) const fn parameter(name: &'static str, types: &'static [Type]) -> Parameter {
    Parameter { name, types }
}

pub(super) const ANY: &[Type] = &[];
pub(super) const BOOLEAN: &[Type] = &[Type::Boolean];
pub(super) const INTEGER: &[Type] = &[Type::Integer];
pub(super) const NUMBER: &[Type] = &[Type::Integer, Type::Float];
pub(super) const STRING: &[Type] = &[Type::String];
pub(super) const DATETIME: &[Type] = &[Type::Datetime];
pub(super) const TIMESPAN: &[Type] = &[Type::Timespan];
pub(super) const ARRAY: &[Type] = &[Type::Array];
pub(super) const ARRAY_OR_NUMBER: &[Type] = &[Type::Array, Type::Integer, Type::Float];
