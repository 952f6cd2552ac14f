//! Pipelines drawn by chance: stage by stage as text, with the rows that they must give.

use super::expr::{Ex, name as quoted};
use super::group::Aggregate;
use super::grow_expr::is_usable;
use super::table::Table;
use super::value::{Class, Val};
use crate::numbers::Numbers;
use crate::support::house::SECOND;

/// A query with the rows that it must give.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub(crate) text: String,
    pub(crate) table: Table,
}

/// Draws stages. Each begins with its own seed, so that one that is left out changes only what is built on it.
pub(crate) struct Grower<'a> {
    rng: Numbers,
    pub(super) world: &'a [(String, Table)],
    pub(super) lets: Vec<String>,
    pub(super) nesting: u32,
    /// Whether tables are so large that the engine cuts lists and estimates numbers of values, which then are not
    /// asked for; there are many keys instead.
    is_large: bool,
}

/// More rows than these are cut or counted in the end where tables are large.
const ROWS_SHOWN: usize = 2_000;

/// Grows a pipeline from seeds: one for the source, one for each stage.
pub(crate) fn grow(world: &[(String, Table)], source: u64, stages: &[u64]) -> Pipeline {
    let mut grower = Grower { rng: Numbers(source), world, lets: Vec::new(), nesting: 0, is_large: false };
    let (text, table) = grower.source();
    grower.grown(text, table, stages)
}

/// Grows a pipeline over the first table of the world, which is large.
pub(crate) fn grow_large(world: &[(String, Table)], stages: &[u64]) -> Pipeline {
    let mut grower = Grower { rng: Numbers(0), world, lets: Vec::new(), nesting: 0, is_large: true };
    let (name, table) = &world[0];
    let mut pipeline = grower.grown(format!("['{name}']"), table.clone(), stages);
    if pipeline.table.rows.len() > ROWS_SHOWN {
        let shortened = grower.shortened(&mut pipeline.table);
        pipeline.text = format!("{}\n| {shortened}", pipeline.text);
    }
    pipeline
}

impl Grower<'_> {
    fn grown(&mut self, mut text: String, mut table: Table, stages: &[u64]) -> Pipeline {
        for seed in stages {
            self.rng = Numbers(*seed);
            text = format!("{text}\n| {}", self.stage(&mut table));
        }
        let lets: String = self.lets.iter().map(|line| format!("{line}\n")).collect();
        Pipeline { text: format!("let five = 5;\n{lets}{text}"), table }
    }

    /// A last stage that leaves few rows.
    fn shortened(&mut self, table: &mut Table) -> String {
        let ids = table.place("id").filter(|place| table.is_unique(&[*place]));
        if ids.is_some() && table.class("id") == Class::Int && !table.is_bucketed {
            table.sort(&[(Ex::Column("id".to_owned()), false, true)]);
            table.rows.truncate(ROWS_SHOWN);
            return format!("top {ROWS_SHOWN} by id asc");
        }
        self.count(table)
    }

    fn count(&self, table: &mut Table) -> String {
        let count = Aggregate { function: "count", of: None, condition: None, beside: Vec::new() };
        table.summarize(&[("Count".to_owned(), count)], &[]);
        "count".to_owned()
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.rng.below(end)
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<'b, T>(&mut self, values: &'b [T]) -> Option<&'b T> {
        if values.is_empty() { None } else { values.get(self.below(values.len() as u64) as usize) }
    }

    pub(super) fn may_nest(&self) -> bool {
        self.nesting < 2
    }

    /// One stage as text, and what it makes of the table.
    pub(super) fn stage(&mut self, table: &mut Table) -> String {
        let drawn = match self.below(24) {
            0..=4 => None,
            5..=8 => Some(self.extend(table)),
            9 | 10 => self.project(table),
            11 => self.away_or_keep(table),
            12 => self.rename(table),
            13 => Some(self.reorder(table)),
            14 | 15 => self.sort(table),
            16 => self.take(table),
            17..=19 => Some(self.summarize(table)),
            20 => Some(self.distinct_or_count(table)),
            21 if self.may_nest() => self.union(table),
            22 | 23 if self.may_nest() => self.join(table),
            _ => None,
        };
        drawn.unwrap_or_else(|| {
            let condition = self.condition(table, 2);
            table.filter(&condition);
            format!("where {}", condition.text())
        })
    }

    fn usable(&self, table: &Table) -> Vec<String> {
        table.names().into_iter().filter(|name| is_usable(name)).map(str::to_owned).collect()
    }

    fn extend(&mut self, table: &mut Table) -> String {
        let mut parts = Vec::new();
        for _ in 0..1 + self.below(2) {
            let class = self.some_class();
            let ex = self.of_class(table, class, 2);
            let taken = self.usable(table);
            let name = match self.pick(&taken) {
                Some(taken) if self.one_in(4) && taken != "_time" => taken.clone(),
                _ => format!("e{}", self.below(5)),
            };
            table.extend(&name, &ex);
            parts.push(format!("{} = {}", quoted(&name), ex.text()));
        }
        format!("extend {}", parts.join(", "))
    }

    fn project(&mut self, table: &mut Table) -> Option<String> {
        let names = self.usable(table);
        let mut fields = Vec::new();
        for name in &names {
            if self.one_in(2) || name == "id" {
                fields.push((name.clone(), Ex::Column(name.clone())));
            }
        }
        if self.one_in(2) {
            let class = self.some_class();
            fields.push((format!("p{}", self.below(3)), self.of_class(table, class, 2)));
        }
        if self.one_in(3) {
            fields.reverse();
        }
        if fields.is_empty() {
            return None;
        }
        table.project(&fields);
        let part = |(name, ex): &(String, Ex)| match ex {
            Ex::Column(column) if column == name => quoted(name),
            _ => format!("{} = {}", quoted(name), ex.text()),
        };
        Some(format!("project {}", fields.iter().map(part).collect::<Vec<String>>().join(", ")))
    }

    fn away_or_keep(&mut self, table: &mut Table) -> Option<String> {
        let names: Vec<String> = table.names().into_iter().map(str::to_owned).collect();
        let name = self.pick(&names)?.clone();
        let is_pattern = self.one_in(2);
        let fits = |other: &str| if is_pattern { other.starts_with(&name[..1]) } else { other == name };
        let is_away = self.one_in(2);
        let places: Vec<usize> = (0..names.len()).filter(|at| fits(&names[*at]) != is_away).collect();
        if places.is_empty() {
            return None;
        }
        table.pick(&places);
        let operator = if is_away { "project-away" } else { "project-keep" };
        Some(format!("{operator} {}", if is_pattern { format!("{}*", &name[..1]) } else { quoted(&name) }))
    }

    fn rename(&mut self, table: &mut Table) -> Option<String> {
        let names: Vec<String> = self.usable(table).into_iter().filter(|name| name != "_time").collect();
        let (a, b) = (self.pick(&names)?.clone(), self.pick(&names)?.clone());
        let pairs = match self.below(3) {
            0 if a != b => vec![(a.clone(), b.clone()), (b, a)],
            1 if a != b => vec![(a, b)],
            _ => vec![(format!("q{}", self.below(3)), a)],
        };
        table.rename(&pairs);
        let parts = pairs.iter().map(|(new, old)| format!("{} = {}", quoted(new), quoted(old)));
        Some(format!("project-rename {}", parts.collect::<Vec<String>>().join(", ")))
    }

    fn reorder(&mut self, table: &mut Table) -> String {
        let names = self.usable(table);
        let Some(first) = self.pick(&names).cloned() else { return "project-reorder *".to_owned() };
        let at = table.place(&first).unwrap();
        let rest = (0..table.columns.len()).filter(|place| *place != at);
        let is_last = self.one_in(3);
        let places: Vec<usize> =
            if is_last { rest.chain([at]).collect() } else { std::iter::once(at).chain(rest).collect() };
        table.pick(&places);
        if is_last { format!("project-reorder *, {first}") } else { format!("project-reorder {first}") }
    }

    /// Mostly by so many keys that no two rows are equal.
    fn sort(&mut self, table: &mut Table) -> Option<String> {
        let classes = [Class::Int, Class::Number, Class::Long, Class::Text, Class::Bool, Class::Time];
        let mut names = self.columns_of(table, &classes);
        if names.is_empty() {
            return None;
        }
        let turn = self.below(names.len() as u64) as usize;
        names.rotate_left(turn);
        let count = 1 + self.below(2) as usize;
        if !self.one_in(4) && names.iter().any(|name| name == "id") {
            names.truncate(count);
            names.push("id".to_owned());
        }
        let mut keys = Vec::new();
        let mut parts = Vec::new();
        for name in names {
            let is_descending = self.one_in(2);
            let nulls = *self.pick(&[None, None, Some(true), Some(false)]).unwrap();
            let ex = match table.class(&name) {
                Class::Int if self.one_in(6) => {
                    Ex::Arithmetic("-", Box::new(Ex::Value(Val::Int(3))), Box::new(Ex::Column(name)))
                }
                _ => Ex::Column(name),
            };
            let direction = match is_descending {
                false => " asc",
                true if self.one_in(2) => "",
                true => " desc",
            };
            let of_nulls = nulls.map_or("", |first| if first { " nulls first" } else { " nulls last" });
            parts.push(format!("{}{direction}{of_nulls}", ex.text()));
            keys.push((ex, is_descending, nulls.unwrap_or(!is_descending)));
        }
        table.sort(&keys);
        Some(format!("{} by {}", self.pick(&["sort", "order"]).unwrap(), parts.join(", ")))
    }

    /// Which rows are taken is known where their order is.
    fn take(&mut self, table: &mut Table) -> Option<String> {
        if table.is_bucketed {
            return None;
        }
        let count = self.below(8) as usize;
        let ids = table.place("id").filter(|place| table.is_unique(&[*place]));
        let is_whole = table.class("id") == Class::Int;
        if ids.is_some() && is_whole && self.one_in(2) {
            let is_descending = self.one_in(2);
            table.sort(&[(Ex::Column("id".to_owned()), is_descending, !is_descending)]);
            table.rows.truncate(count);
            let direction = if is_descending { "" } else { " asc" };
            return Some(format!("top {count} by id{direction}"));
        }
        if !table.is_ordered {
            return None;
        }
        table.rows.truncate(count);
        Some(format!("{} {count}", self.pick(&["take", "limit"]).unwrap()))
    }

    fn distinct_or_count(&mut self, table: &mut Table) -> String {
        let classes =
            [Class::Int, Class::Number, Class::Long, Class::Text, Class::Bool, Class::Time, Class::Mixed];
        let names = self.columns_of(table, &classes);
        let count = 1 + self.below(3) as usize;
        let mut chosen: Vec<String> = Vec::new();
        for _ in 0..count {
            let Some(name) = self.pick(&names).cloned() else { continue };
            if !chosen.contains(&name) {
                chosen.push(name);
            }
        }
        if chosen.is_empty() || self.one_in(4) {
            return self.count(table);
        }
        let keys: Vec<(String, Ex)> =
            chosen.iter().map(|name| (name.clone(), Ex::Column(name.clone()))).collect();
        table.summarize(&[], &keys);
        table.is_bucketed = false;
        format!("distinct {}", chosen.iter().map(|name| quoted(name)).collect::<Vec<String>>().join(", "))
    }

    fn summarize(&mut self, table: &mut Table) -> String {
        let keys = self.group_keys(table);
        let mut aggregates: Vec<(String, Aggregate)> = Vec::new();
        for number in 0..self.below(4) {
            let taken: Vec<String> = keys.iter().map(|(name, _)| name.clone()).collect();
            let aggregate = self.rise(table, &keys).unwrap_or_else(|| self.aggregate(table, &taken));
            let is_beside = |other: &&(String, Aggregate)| !other.1.beside.is_empty();
            if !aggregate.beside.is_empty() && aggregates.iter().find(is_beside).is_some() {
                continue;
            }
            let mut name = format!("a{number}");
            while taken.contains(&name) {
                name.push('_');
            }
            aggregates.push((name, aggregate));
        }
        if aggregates.is_empty() && keys.is_empty() {
            let count = Aggregate { function: "count", of: None, condition: None, beside: Vec::new() };
            aggregates.push(("a0".to_owned(), count));
        }
        table.summarize(&aggregates, &keys);
        let results = aggregates.iter().map(|(name, aggregate)| format!("{name} = {}", aggregate.text()));
        let results: Vec<String> = results.collect();
        let by = keys.iter().map(|(name, ex)| match ex {
            Ex::Column(column) if column == name => quoted(name),
            Ex::Call("bin", _) if name == "_time" => ex.text(),
            _ => format!("{} = {}", quoted(name), ex.text()),
        });
        let by: Vec<String> = by.collect();
        let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
        format!("summarize {}{by}", results.join(", "))
    }

    fn group_keys(&mut self, table: &Table) -> Vec<(String, Ex)> {
        let classes =
            [Class::Int, Class::Number, Class::Long, Class::Text, Class::Bool, Class::Mixed, Class::Time];
        let names = self.columns_of(table, &classes);
        let mut keys: Vec<(String, Ex)> = Vec::new();
        for _ in 0..self.below(if self.is_large { 15 } else { 3 }) {
            let key = match self.below(5) {
                0 if table.class("_time") == Class::Time => {
                    let step = Val::Span(*self.pick(&[SECOND, 600 * SECOND, 3600 * SECOND]).unwrap());
                    let time = Ex::Column("_time".to_owned());
                    ("_time".to_owned(), Ex::Call("bin", vec![time, Ex::Value(step)]))
                }
                1 => {
                    let class = self.some_class();
                    (format!("k{}", keys.len()), self.of_class(table, class, 1))
                }
                _ => match self.pick(&names).cloned() {
                    Some(name) => (name.clone(), Ex::Column(name)),
                    None => continue,
                },
            };
            if !keys.iter().any(|(name, _)| *name == key.0) {
                keys.push(key);
            }
        }
        keys
    }

    fn aggregate(&mut self, table: &Table, taken: &[String]) -> Aggregate {
        let is_if = self.one_in(3);
        let condition = is_if.then(|| self.condition(table, 1));
        let plain =
            |function, of| Aggregate { function, of, condition: condition.clone(), beside: Vec::new() };
        let count = plain(if is_if { "countif" } else { "count" }, None);
        let classes: &[Class] = match self.below(9) {
            0 | 1 => &[Class::Int, Class::Number],
            2 | 3 => &[Class::Int, Class::Number, Class::Text, Class::Time],
            4 => return self.row_of(table, taken).unwrap_or(count),
            5 | 6 => &[Class::Int, Class::Number, Class::Text, Class::Bool],
            7 => &[Class::Long],
            _ => return count,
        };
        let Some(of) = self.column(table, classes) else { return count };
        let is_time = table.class(&of.text()[2..of.text().len() - 2]) == Class::Time;
        let functions: &[(&'static str, &'static str)] = match classes.len() {
            2 if self.is_small(table, &of) => &[("sum", "sumif"), ("avg", "avgif")],
            2 => return count,
            1 | 4 if self.is_large => &[("min", "minif"), ("max", "maxif")],
            1 if self.one_in(2) => &[("min", "minif"), ("max", "maxif")],
            4 if classes[3] == Class::Time => &[("min", "minif"), ("max", "maxif"), ("dcount", "dcountif")],
            _ => &[("make_set", "make_set_if"), ("make_list", "make_list_if"), ("dcount", "dcountif")],
        };
        let (one, other) = *self.pick(functions).unwrap();
        debug_assert!(!is_time || classes.len() == 4);
        plain(if is_if { other } else { one }, Some(of))
    }

    /// How much counters rise, where no key but the bucket could part their points by time.
    fn rise(&mut self, table: &Table, keys: &[(String, Ex)]) -> Option<Aggregate> {
        let is_bucket = |(name, ex): &(String, Ex)| name == "_time" && matches!(ex, Ex::Call("bin", _));
        if !self.one_in(5) || !keys.iter().all(is_bucket) || table.class("_time") != Class::Time {
            return None;
        }
        let of = self.column(table, &[Class::Int]).filter(|of| self.is_small(table, of))?;
        let series = self.columns_of(table, &[Class::Int, Class::Text, Class::Bool]);
        let beside = vec![self.pick(&series)?.clone()];
        Some(Aggregate { function: "increase", of: Some(of), condition: None, beside })
    }

    /// Sums of small numbers are exact in whatever order they are made.
    fn is_small(&self, table: &Table, of: &Ex) -> bool {
        let is_small = |value: Val| value.float().is_none_or(|value| value.abs() < 1e12);
        table.rows.iter().all(|row| is_small(of.value(table, row)))
    }

    /// The row with the greatest or the least of values of which no two are equal.
    fn row_of(&mut self, table: &Table, taken: &[String]) -> Option<Aggregate> {
        let numbers = self.columns_of(table, &[Class::Int]);
        let is_unique = |name: &&String| {
            let place = table.place(name).unwrap();
            table.is_unique(&[place]) && table.column(place).all(|value| !value.is_null())
        };
        let numbers: Vec<String> = numbers.iter().filter(is_unique).cloned().collect();
        let of = Ex::Column(self.pick(&numbers)?.clone());
        let classes = [Class::Int, Class::Number, Class::Text, Class::Bool, Class::Time];
        let names = self.columns_of(table, &classes);
        let mut beside: Vec<String> = names.into_iter().filter(|name| !taken.contains(name)).collect();
        beside.retain(|name| !name.starts_with('a'));
        beside.truncate(1 + self.below(3) as usize);
        let function = *self.pick(&["arg_max", "arg_min"]).unwrap();
        (!beside.is_empty()).then_some(Aggregate { function, of: Some(of), condition: None, beside })
    }
}
