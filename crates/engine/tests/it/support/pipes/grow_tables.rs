//! Tables drawn by chance: datasets, tables that stand in the query, both with some stages, under a name or not. And
//! the stages that put two tables together.

use super::expr::{Ex, list};
use super::grow::Grower;
use super::grow_expr::is_usable;
use super::table::{Column, Table};
use super::value::{Class, Kind, TypeSet, Val};
use crate::support::house::{HOUR, SECOND, START};

const TEXTS: [&str; 8] = ["", "a", "A", "ab", "GET", "größe", "ΣΑΣ", "1"];
const ROWS_MAX: usize = 300;
const KINDS: [&str; 9] = [
    "inner",
    "innerunique",
    "leftouter",
    "rightouter",
    "fullouter",
    "leftanti",
    "rightanti",
    "leftsemi",
    "rightsemi",
];

impl Grower<'_> {
    /// A source as text, and its rows.
    pub(crate) fn source(&mut self) -> (String, Table) {
        match self.below(4) {
            0 => self.datatable(),
            place => {
                let (name, table) = &self.world[place as usize % self.world.len()];
                (format!("['{name}']"), table.clone())
            }
        }
    }

    /// A table as an operand of another stage.
    pub(crate) fn table(&mut self, stages_max: u64) -> (String, Table) {
        let (mut text, mut table) = self.source();
        self.nesting += 1;
        let count = self.below(stages_max + 1);
        for _ in 0..count {
            text = format!("{text} | {}", self.stage(&mut table));
        }
        self.nesting -= 1;
        match count {
            _ if self.one_in(4) => (self.named(&text), table),
            0 => (text, table),
            _ => (format!("({text})"), table),
        }
    }

    /// A name for a table by `let`.
    pub(crate) fn named(&mut self, text: &str) -> String {
        let name = format!("table_{}", self.lets.len());
        self.lets.push(format!("let {name} = {text};"));
        name
    }

    fn datatable(&mut self) -> (String, Table) {
        let all: [(&str, &str, Kind); 6] = [
            ("id", "long", Kind::Int),
            ("s", "string", Kind::Text),
            ("n", "long", Kind::Int),
            ("r", "real", Kind::Real),
            ("b", "bool", Kind::Bool),
            ("at", "datetime", Kind::Time),
        ];
        let mut chosen: Vec<_> =
            all.into_iter().filter(|(name, ..)| *name == "id" || self.one_in(2)).collect();
        if self.one_in(3) {
            chosen.reverse();
        }
        let mut rows = Vec::new();
        for number in 0..self.below(8) {
            rows.push(
                chosen.iter().map(|(name, _, kind)| self.cell(name, *kind, number)).collect::<Vec<Val>>(),
            );
        }
        let header: Vec<String> = chosen.iter().map(|(name, word, _)| format!("{name}:{word}")).collect();
        let values: Vec<Val> = rows.iter().flatten().cloned().collect();
        let columns = chosen
            .iter()
            .map(|(name, _, kind)| Column { name: (*name).to_owned(), kinds: TypeSet::from([*kind]) });
        let columns = columns.collect();
        let text = format!("datatable({})[{}]", header.join(", "), list(&values));
        let is_ordered = true;
        (text, Table { columns, rows, has_column_order: true, is_ordered, ..Table::default() })
    }

    fn cell(&mut self, name: &str, kind: Kind, number: u64) -> Val {
        if name == "id" {
            return Val::Int(number as i64 * 3);
        }
        if self.one_in(5) {
            return Val::Null;
        }
        match kind {
            Kind::Int => Val::Int(self.below(6) as i64 - 1),
            Kind::Real => Val::Real(self.below(8) as f64 / 2.0 - 1.0),
            Kind::Text => Val::Text((*self.pick(&TEXTS).unwrap()).to_owned()),
            Kind::Bool => Val::Bool(self.one_in(2)),
            _ => Val::Time(START - 30 * HOUR + self.below(4) as i64 * 600 * SECOND),
        }
    }

    pub(crate) fn union(&mut self, table: &mut Table) -> Option<String> {
        let (text, other) = self.table(2);
        if table.rows.len() + other.rows.len() > ROWS_MAX {
            return None;
        }
        let name_of = |table: &Table, place: usize| match table.sources.as_slice() {
            [only] => only.clone(),
            _ => format!("union_arg{place}"),
        };
        // What the rows of several tables are called is not said anywhere.
        let is_simple = ["union", "join", "lookup", "table_"].iter().all(|word| !text.contains(word));
        if !(self.one_in(3) && is_simple) {
            table.union(&other, None);
            return Some(format!("union {text}"));
        }
        let names = [name_of(table, 0), name_of(&other, 1)];
        let origin = self.origin(table, &other);
        table.union(&other, Some((&origin, names)));
        Some(format!("union withsource={origin} {text}"))
    }

    /// A name for the column that says where rows come from: a new one, or that of a field, which gives way to it.
    fn origin(&mut self, table: &Table, other: &Table) -> String {
        let is_plain = |name: &&str| name.chars().all(char::is_alphanumeric);
        let taken: Vec<String> =
            table.names().into_iter().chain(other.names()).filter(is_plain).map(str::to_owned).collect();
        let taken = if self.one_in(3) { self.pick(&taken).cloned() } else { None };
        taken.unwrap_or_else(|| "origin".to_owned())
    }

    pub(crate) fn join(&mut self, table: &mut Table) -> Option<String> {
        let (text, other) = self.table(2);
        let on = self.keys_of_both(table, &other)?;
        let rights: Vec<usize> = on.iter().filter_map(|(_, right)| other.place(right)).collect();
        let mut kind = *self.pick(&KINDS).unwrap();
        if kind == "innerunique" && !other.is_unique(&rights) {
            kind = "inner";
        }
        let is_lookup = matches!(kind, "inner" | "leftouter") && self.one_in(3);
        let pairs: Vec<(Ex, Ex)> =
            on.iter().map(|(l, r)| (Ex::Column(l.clone()), Ex::Column(r.clone()))).collect();
        let mut joined = table.clone();
        if table.rows.len() * other.rows.len() > 40_000 {
            return None;
        }
        joined.join(&other, kind, &pairs, is_lookup);
        if joined.rows.len() > ROWS_MAX || joined.columns.len() > 60 {
            return None;
        }
        *table = joined;
        let on = on.iter().map(|(l, r)| match l == r && self.one_in(2) {
            true => l.clone(),
            false => format!("$left.{l} == $right.{r}"),
        });
        let on: Vec<String> = on.collect();
        let operator = if is_lookup { "lookup" } else { "join" };
        let kind = if kind == "inner" && !is_lookup && self.one_in(2) {
            String::new()
        } else {
            format!("kind={kind} ")
        };
        Some(format!("{operator} {kind}{text} on {}", on.join(", ")))
    }

    /// Columns of two tables that can be equal.
    fn keys_of_both(&mut self, left: &Table, right: &Table) -> Option<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        for l in left.names() {
            for r in right.names() {
                let (a, b) = (left.class(l), right.class(r));
                let is_number = |class: Class| matches!(class, Class::Int | Class::Number);
                let is_single = |table: &Table, name: &str| table.kinds(name).len() == 1;
                let is_same = a == b && !matches!(a, Class::Mixed | Class::Nothing);
                let is_exact = is_single(left, l) && is_single(right, r);
                let is_long = |one: Class, other: Class| one == Class::Long && is_number(other);
                let fits =
                    is_same || (is_number(a) && is_number(b) && is_exact) || is_long(a, b) || is_long(b, a);
                if fits && is_usable(l) && is_usable(r) && (l == r || self.one_in(6)) {
                    pairs.push((l.to_owned(), r.to_owned()));
                }
            }
        }
        let first = self.pick(&pairs).cloned()?;
        let second = self.pick(&pairs).cloned().filter(|second| *second != first && self.one_in(3));
        Some(std::iter::once(first).chain(second).collect())
    }
}
