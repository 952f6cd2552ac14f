//! Expressions drawn by chance for a table, by the class that is wanted.

use super::expr::{Ex, list};
use super::grow::Grower;
use super::table::Table;
use super::value::{Class, Kind, Val};
use crate::support::house::SECOND;

const NEEDLES: [&str; 14] =
    ["", "a", "A", "ab", "get", "größe", "σας", "see", "i", "1", "true", "foo", "bar", "日本"];
const PATTERNS: [&str; 6] = ["^a", "(?i)ß|ö", "[0-9]+", "\\bfoo", "e$", "^(get|GET)"];
const TESTS: [&str; 20] = [
    "=~",
    "!~",
    "contains",
    "!contains",
    "contains_cs",
    "!contains_cs",
    "startswith",
    "!startswith",
    "startswith_cs",
    "!startswith_cs",
    "endswith",
    "!endswith",
    "endswith_cs",
    "!endswith_cs",
    "has",
    "!has",
    "has_cs",
    "!has_cs",
    "matches regex",
    "!matches regex",
];
const EDGES: [i64; 9] = [0, 1, -1, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 53, (1 << 53) + 1, 1_000_003];

/// Columns that expressions leave alone: when events arrived is not what a test decides.
pub(crate) fn is_usable(name: &str) -> bool {
    !name.starts_with("_sysTime")
}

impl Grower<'_> {
    pub(crate) fn columns_of(&self, table: &Table, classes: &[Class]) -> Vec<String> {
        let fits = |name: &&str| is_usable(name) && classes.contains(&table.class(name));
        table.names().into_iter().filter(fits).map(str::to_owned).collect()
    }

    /// A column of one of these classes; now and then one that a dataset has never had.
    pub(crate) fn column(&mut self, table: &Table, classes: &[Class]) -> Option<Ex> {
        if table.is_open && self.one_in(25) {
            return Some(Ex::Column("nobody".to_owned()));
        }
        let names = self.columns_of(table, classes);
        self.pick(&names).cloned().map(Ex::Column)
    }

    /// A value that some row has, or none.
    fn value_in(&mut self, table: &Table, classes: &[Class]) -> Option<Val> {
        let names = self.columns_of(table, classes);
        let place = table.place(self.pick(&names)?)?;
        let values: Vec<Val> = table.column(place).filter(|value| !value.is_null()).cloned().collect();
        self.pick(&values).cloned()
    }

    pub(crate) fn of_class(&mut self, table: &Table, class: Class, depth: u32) -> Ex {
        match class {
            Class::Int => self.whole(table, depth),
            Class::Number => self.number(table, depth),
            Class::Text => self.text(table, depth),
            Class::Time => self.time(table, depth),
            _ => self.condition(table, depth),
        }
    }

    pub(crate) fn some_class(&mut self) -> Class {
        *self
            .pick(&[
                Class::Int,
                Class::Int,
                Class::Number,
                Class::Text,
                Class::Text,
                Class::Bool,
                Class::Time,
            ])
            .unwrap()
    }

    fn choice(&mut self, table: &Table, class: Class, depth: u32) -> Ex {
        let count = 1 + self.below(2);
        let pairs =
            (0..count).map(|_| (self.condition(table, depth - 1), self.of_class(table, class, depth - 1)));
        let pairs = pairs.collect();
        Ex::Case(pairs, Box::new(self.of_class(table, class, depth - 1)))
    }

    fn whole(&mut self, table: &Table, depth: u32) -> Ex {
        let leaf = |grower: &mut Self| {
            let column = if grower.one_in(4) { None } else { grower.column(table, &[Class::Int]) };
            column.unwrap_or_else(|| grower.whole_literal(table))
        };
        if depth == 0 {
            return leaf(self);
        }
        let boxed = |grower: &mut Self| Box::new(grower.whole(table, depth - 1));
        match self.below(12) {
            0..=3 => leaf(self),
            4..=6 => {
                let operator = *self.pick(&["+", "-", "*", "/", "%"]).unwrap();
                Ex::Arithmetic(operator, boxed(self), boxed(self))
            }
            7 => Ex::Call("strlen", vec![self.text(table, depth - 1)]),
            8 => {
                let of = self.column(table, &[Class::Text, Class::Bool, Class::Int]);
                Ex::Call("toint", vec![of.unwrap_or(Ex::Value(Val::Text("12".to_owned())))])
            }
            9 => {
                let size = 1 + self.below(5) as i64;
                Ex::Call("bin", vec![self.whole(table, depth - 1), Ex::Value(Val::Int(size))])
            }
            10 => Ex::Call("coalesce", vec![self.whole(table, depth - 1), self.whole_literal(table)]),
            _ if self.one_in(3) => Ex::Negate(boxed(self)),
            _ => self.choice(table, Class::Int, depth),
        }
    }

    fn whole_literal(&mut self, table: &Table) -> Ex {
        match self.below(6) {
            0 => Ex::Value(Val::Int(*self.pick(&EDGES).unwrap())),
            1 => Ex::Constant("five".to_owned(), Val::Int(5)),
            2 => Ex::Value(self.value_in(table, &[Class::Int]).unwrap_or(Val::Int(2))),
            _ => Ex::Value(Val::Int(self.below(9) as i64 - 3)),
        }
    }

    fn number(&mut self, table: &Table, depth: u32) -> Ex {
        let leaf = |grower: &mut Self| {
            let half = Ex::Value(Val::Real(grower.below(12) as f64 - 5.5));
            let column = if grower.one_in(4) { None } else { grower.column(table, &[Class::Number]) };
            column.unwrap_or(half)
        };
        if depth == 0 {
            return leaf(self);
        }
        match self.below(9) {
            0..=3 => leaf(self),
            4 | 5 => {
                let operator = *self.pick(&["+", "-", "*"]).unwrap();
                let (a, b) = (self.number(table, depth - 1), self.whole(table, depth - 1));
                Ex::Arithmetic(operator, Box::new(a), Box::new(b))
            }
            6 => {
                // What is no number has no order, so nothing is divided by zero here.
                let by = Ex::Value(Val::Real(*self.pick(&[0.5, -2.0, 3.0]).unwrap()));
                Ex::Arithmetic("/", Box::new(self.number(table, depth - 1)), Box::new(by))
            }
            7 => {
                let size = Ex::Value(Val::Real(*self.pick(&[0.5, 2.0]).unwrap()));
                Ex::Call("bin", vec![self.number(table, depth - 1), size])
            }
            _ => self.choice(table, Class::Number, depth),
        }
    }

    fn text(&mut self, table: &Table, depth: u32) -> Ex {
        let leaf = |grower: &mut Self| {
            let needle = Ex::Value(Val::Text((*grower.pick(&NEEDLES).unwrap()).to_owned()));
            let column = if grower.one_in(5) { None } else { grower.column(table, &[Class::Text]) };
            column.unwrap_or(needle)
        };
        if depth == 0 {
            return leaf(self);
        }
        match self.below(9) {
            0..=3 => leaf(self),
            4 => Ex::Call("tolower", vec![self.text(table, depth - 1)]),
            5 => {
                let other = self.column(table, &[Class::Int, Class::Bool, Class::Text, Class::Time]);
                Ex::Call("strcat", vec![self.text(table, depth - 1), other.unwrap_or(Ex::Value(Val::Int(7)))])
            }
            6 => {
                let of = self.column(table, &[Class::Int, Class::Bool, Class::Text, Class::Time]);
                Ex::Call("tostring", vec![of.unwrap_or(Ex::Value(Val::Null))])
            }
            7 => {
                let last = Ex::Value(Val::Text((*self.pick(&NEEDLES).unwrap()).to_owned()));
                Ex::Call("coalesce", vec![self.text(table, depth - 1), last])
            }
            _ => self.choice(table, Class::Text, depth),
        }
    }

    fn time(&mut self, table: &Table, depth: u32) -> Ex {
        let known = self.value_in(table, &[Class::Time]).unwrap_or(Val::Time(crate::support::house::START));
        let column = self.column(table, &[Class::Time]).unwrap_or(Ex::Value(known.clone()));
        let span = Val::Span(*self.pick(&[1, SECOND, 90 * SECOND, 3600 * SECOND]).unwrap());
        match self.below(if depth == 0 { 3 } else { 6 }) {
            0 | 1 => column,
            2 => Ex::Value(known),
            3 => Ex::Call("bin", vec![column, Ex::Value(span)]),
            4 => Ex::Arithmetic("+", Box::new(column), Box::new(Ex::Value(span))),
            _ => Ex::Arithmetic("-", Box::new(column), Box::new(Ex::Value(span))),
        }
    }

    pub(crate) fn condition(&mut self, table: &Table, depth: u32) -> Ex {
        if depth > 0 && self.one_in(3) {
            let a = Box::new(self.condition(table, depth - 1));
            return match self.below(4) {
                0 => Ex::Not(a),
                1 => Ex::Or(a, Box::new(self.condition(table, depth - 1))),
                _ => Ex::And(a, Box::new(self.condition(table, depth - 1))),
            };
        }
        match self.below(13) {
            0..=3 => self.comparison(table, depth),
            4..=6 => self.text_test(table),
            7 => {
                let function = *self.pick(&["isnull", "isnotnull", "isempty", "isnotempty"]).unwrap();
                let numbers = [Class::Int, Class::Number, Class::Long];
                let others = [Class::Text, Class::Bool, Class::Time, Class::Mixed];
                let of =
                    self.column(table, &[&numbers[..], &others[..]].concat()).unwrap_or(Ex::Value(Val::Null));
                Ex::Call(function, vec![of])
            }
            8 => self.between(table, depth),
            9 => self.among(table),
            10 => self.mixed(table),
            11 => self.long(table),
            _ => self.column(table, &[Class::Bool]).unwrap_or(Ex::Value(Val::Bool(true))),
        }
    }

    fn comparison(&mut self, table: &Table, depth: u32) -> Ex {
        let class = self.some_class();
        let operators: &[&'static str] =
            if class == Class::Bool { &["==", "!="] } else { &["==", "!=", "<", "<=", ">", ">="] };
        let operator = *self.pick(operators).unwrap();
        let depth = depth.min(1);
        let a = match class {
            Class::Bool => self.column(table, &[Class::Bool]).unwrap_or(Ex::Value(Val::Bool(false))),
            class => self.of_class(table, class, depth),
        };
        let other = match class {
            Class::Int if self.one_in(3) => Class::Number,
            Class::Number if self.one_in(3) => Class::Int,
            class => class,
        };
        let b = match (other, self.value_in(table, &[other])) {
            (Class::Bool, _) => Ex::Value(Val::Bool(self.one_in(2))),
            (_, Some(value)) if !self.one_in(4) => Ex::Value(value),
            _ => self.of_class(table, other, 0),
        };
        Ex::Compare(operator, Box::new(a), Box::new(b))
    }

    /// A column of numbers beyond 64 bits with others: how they compare, lie between them and are among them.
    fn long(&mut self, table: &Table) -> Ex {
        let names = self.columns_of(table, &[Class::Long]);
        let Some(name) = self.pick(&names).cloned() else { return self.comparison(table, 0) };
        let column = Box::new(Ex::Column(name));
        let numbers = [Class::Long, Class::Int, Class::Number];
        let mut value = || self.value_in(table, &numbers).unwrap_or(Val::Long(1 << 63));
        let (one, other) = (value(), value());
        match self.below(4) {
            0 => Ex::Between(column, Box::new(Ex::Value(one)), Box::new(Ex::Value(other)), self.one_in(3)),
            1 => {
                let among: Vec<Val> = (0..1 + self.below(6))
                    .map(|_| self.value_in(table, &numbers).unwrap_or(Val::Int(0)))
                    .collect();
                let operator = *self.pick(&["in", "!in"]).unwrap();
                Ex::In { value: column, text: list(&among), among, operator }
            }
            place => {
                let operator = *self.pick(&["==", "!=", "<", "<=", ">", ">="]).unwrap();
                let other = self.column(table, &numbers).filter(|_| place == 2).unwrap_or(Ex::Value(one));
                Ex::Compare(operator, column, Box::new(other))
            }
        }
    }

    fn text_test(&mut self, table: &Table) -> Ex {
        let operator = *self.pick(&TESTS).unwrap();
        let of = self.column(table, &[Class::Text, Class::Text, Class::Int]);
        let of = of.unwrap_or_else(|| Ex::Value(Val::Text("Ab aB".to_owned())));
        let needle = match operator.ends_with("regex") {
            true => self.pick(&PATTERNS),
            false => self.pick(&NEEDLES),
        };
        Ex::Text(operator, Box::new(of), (*needle.unwrap()).to_owned())
    }

    /// A column of several types with a value of one of them.
    fn mixed(&mut self, table: &Table) -> Ex {
        let names = self.columns_of(table, &[Class::Mixed]);
        let simple = [Kind::Bool, Kind::Int, Kind::Real, Kind::Text];
        let is_simple = |name: &String| table.kinds(name).iter().all(|kind| simple.contains(kind));
        let names: Vec<String> = names.into_iter().filter(is_simple).collect();
        let Some(name) = self.pick(&names).cloned() else { return self.text_test(table) };
        let place = table.place(&name).unwrap();
        let values: Vec<Val> = table.column(place).cloned().collect();
        let column = Box::new(Ex::Column(name));
        let value = self.pick(&values).cloned().unwrap_or(Val::Int(1));
        match (&value, self.below(3)) {
            (Val::Text(_) | Val::Bool(_), 0 | 1) => {
                Ex::Compare(self.pick(&["==", "!="]).unwrap(), column, Box::new(Ex::Value(value)))
            }
            (Val::Int(_) | Val::Real(_), 0 | 1) => {
                Ex::Compare(self.pick(&["==", "!=", "<", ">="]).unwrap(), column, Box::new(Ex::Value(value)))
            }
            _ => {
                let operator = *self.pick(&TESTS[..18]).unwrap();
                Ex::Text(operator, column, (*self.pick(&NEEDLES).unwrap()).to_owned())
            }
        }
    }

    fn between(&mut self, table: &Table, depth: u32) -> Ex {
        let class = *self.pick(&[Class::Int, Class::Number, Class::Time, Class::Text]).unwrap();
        let of = self.of_class(table, class, depth.min(1));
        let mut end = || {
            let value = self.value_in(table, &[class]).map(Ex::Value);
            value.unwrap_or_else(|| self.of_class(table, class, 0))
        };
        let (low, high) = (end(), end());
        Ex::Between(Box::new(of), Box::new(low), Box::new(high), self.one_in(3))
    }

    /// A list of values, or the first column of another table.
    fn among(&mut self, table: &Table) -> Ex {
        let class = *self.pick(&[Class::Int, Class::Text, Class::Number, Class::Text]).unwrap();
        let value = Box::new(self.of_class(table, class, 0));
        let is_text = class == Class::Text;
        let operators: &[&'static str] = if is_text { &["in", "!in", "in~", "!in~"] } else { &["in", "!in"] };
        let operator = *self.pick(operators).unwrap();
        if self.one_in(2) && self.may_nest() {
            let (mut text, mut other) = self.table(1);
            let names = self.columns_of(&other, &[class]);
            if let Some(column) = self.pick(&names).cloned() {
                other.project(&[(column.clone(), Ex::Column(column.clone()))]);
                text = format!("({text} | project {column})");
                if self.one_in(2) {
                    text = self.named(&text[1..text.len() - 1]);
                }
                let among = other.column(0).cloned().collect();
                return Ex::In { value, text, among, operator };
            }
        }
        let mut among: Vec<Val> = Vec::new();
        for _ in 0..1 + self.below(6) {
            let known = self.value_in(table, &[class]);
            let other = match class {
                Class::Text => Val::Text((*self.pick(&NEEDLES).unwrap()).to_owned()),
                Class::Int => Val::Int(self.below(6) as i64 - 1),
                _ => Val::Real(self.below(6) as f64 - 0.5),
            };
            among.push(known.filter(|_| self.one_in(2)).unwrap_or(other));
        }
        Ex::In { value, text: list(&among), among, operator }
    }
}
