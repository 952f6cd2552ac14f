//! Two tables put together: `union`, `join` and `lookup`.

use std::collections::HashMap;

use super::expr::Ex;
use super::table::{Column, Table};
use super::value::{Kind, TypeSet, Val};

impl Table {
    /// All rows of both. Tables that stand in the query give each type of a column its own. A column that has the name of
    /// the source gives way to it.
    pub(crate) fn union(&mut self, other: &Self, source: Option<(&str, [String; 2])>) {
        let is_literal = self.sources.is_empty() && other.sources.is_empty();
        let mut columns: Vec<(Column, String)> = Vec::new();
        for name in self.names().into_iter().chain(other.names()) {
            if columns.iter().any(|(_, known)| known == name) {
                continue;
            }
            let kinds: Vec<Kind> = {
                let mut kinds: Vec<Kind> = self.kinds(name).into_iter().collect();
                kinds.extend(other.kinds(name).into_iter().filter(|kind| !self.kinds(name).contains(kind)));
                kinds
            };
            if !is_literal || kinds.len() < 2 {
                let free = free(name, columns.iter().map(|(column, _)| column.name.as_str()));
                columns.push((Column { name: free, kinds: kinds.into_iter().collect() }, name.to_owned()));
                continue;
            }
            for kind in kinds {
                let wanted = format!("{name}_{}", suffix(kind));
                let free = free(&wanted, columns.iter().map(|(column, _)| column.name.as_str()));
                columns.push((Column { name: free, kinds: TypeSet::from([kind]) }, name.to_owned()));
            }
        }
        if let Some((name, _)) = &source {
            columns.retain(|(column, _)| column.name != *name);
        }
        let mut rows = Vec::new();
        for (number, table) in [&*self, other].into_iter().enumerate() {
            for row in &table.rows {
                let of_source = source.iter().map(|(_, names)| Val::Text(names[number].clone()));
                let cell = |(column, name): &(Column, String)| {
                    let value = table.place(name).map_or(Val::Null, |place| row[place].clone());
                    let is_whole = value.kind().is_some_and(|kind| column.kinds.contains(&kind));
                    if is_whole || column.kinds.contains(&Kind::Any) { value } else { Val::Null }
                };
                rows.push(of_source.chain(columns.iter().map(cell)).collect());
            }
        }
        let of_source = source
            .iter()
            .map(|(name, _)| Column { name: (*name).to_owned(), kinds: TypeSet::from([Kind::Text]) });
        let columns = of_source.chain(columns.into_iter().map(|(column, _)| column)).collect();
        let sources = self.sources_with(other);
        let is_open = self.is_open && other.is_open;
        *self = Self { columns, rows, sources, is_open, ..Self::default() };
    }

    fn sources_with(&self, other: &Self) -> Vec<String> {
        let mut sources = self.sources.clone();
        sources.extend(other.sources.iter().filter(|source| !self.sources.contains(source)).cloned());
        sources
    }

    /// Rows whose keys are equal. A key that is null belongs to nothing.
    pub(crate) fn join(&mut self, other: &Self, kind: &str, on: &[(Ex, Ex)], is_lookup: bool) {
        let key = |table: &Self, row: &Vec<Val>, is_left: bool| -> Option<Vec<String>> {
            let of =
                |pair: &(Ex, Ex)| if is_left { pair.0.value(table, row) } else { pair.1.value(table, row) };
            let values: Vec<Val> = on.iter().map(of).collect();
            let has_null = values.iter().any(Val::is_null);
            (!has_null).then(|| values.iter().map(Val::key).collect())
        };
        let mut right_keys: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
        for (at, row) in other.rows.iter().enumerate() {
            if let Some(key) = key(other, row, false) {
                right_keys.entry(key).or_default().push(at);
            }
        }
        let mut is_matched = vec![false; other.rows.len()];
        let mut pairs: Vec<(Option<usize>, Option<usize>)> = Vec::new();
        for (left, row) in self.rows.iter().enumerate() {
            let found =
                key(self, row, true).and_then(|key| right_keys.get(&key)).cloned().unwrap_or_default();
            found.iter().for_each(|at| is_matched[*at] = true);
            match kind {
                "innerunique" => pairs.extend(found.first().map(|at| (Some(left), Some(*at)))),
                "leftsemi" if !found.is_empty() => pairs.push((Some(left), None)),
                "leftanti" | "leftouter" | "fullouter" if found.is_empty() => pairs.push((Some(left), None)),
                "leftsemi" | "leftanti" | "rightsemi" | "rightanti" => {}
                _ => pairs.extend(found.iter().map(|at| (Some(left), Some(*at)))),
            }
        }
        for (at, is_matched) in is_matched.into_iter().enumerate() {
            let is_wanted = match kind {
                "rightouter" | "fullouter" | "rightanti" => !is_matched,
                "rightsemi" => is_matched,
                _ => false,
            };
            if is_wanted {
                pairs.push((None, Some(at)));
            }
        }
        let is_dropped = |name: &str| {
            is_lookup && on.iter().any(|(_, right)| matches!(right, Ex::Column(key) if key == name))
        };
        let (shows_left, shows_right) = shown_sides(kind);
        let left: Vec<usize> = (0..self.columns.len()).filter(|_| shows_left).collect();
        let right: Vec<usize> = (0..other.columns.len())
            .filter(|place| shows_right && !is_dropped(&other.columns[*place].name))
            .collect();
        let mut columns: Vec<Column> = left.iter().map(|place| self.columns[*place].clone()).collect();
        for place in &right {
            let column = &other.columns[*place];
            let name = free(&column.name, columns.iter().map(|column| column.name.as_str()));
            columns.push(Column { name, kinds: column.kinds.clone() });
        }
        let rows = pairs.into_iter().map(|(l, r)| {
            let of_left = left.iter().map(|place| self.cell(l, *place));
            of_left.chain(right.iter().map(|place| other.cell(r, *place))).collect()
        });
        let rows = rows.collect();
        let sources = self.sources_with(other);
        *self = Self { columns, rows, sources, ..Self::default() };
    }

    /// A value of a row; where there is no row, texts are empty and others null.
    fn cell(&self, row: Option<usize>, place: usize) -> Val {
        match row {
            Some(row) => self.rows[row][place].clone(),
            None if self.columns[place].kinds == TypeSet::from([Kind::Text]) => Val::Text(String::new()),
            None => Val::Null,
        }
    }
}

/// Whether a join shows the columns of its left and of its right side.
fn shown_sides(kind: &str) -> (bool, bool) {
    match kind {
        "leftsemi" | "leftanti" => (true, false),
        "rightsemi" | "rightanti" => (false, true),
        _ => (true, true),
    }
}

/// A name that none of these is.
fn free<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let numbered = (1..).map(|number| format!("{wanted}{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !names.contains(&name.as_str())).unwrap()
}

fn suffix(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "bool",
        Kind::Int | Kind::Long => "long",
        Kind::Real => "real",
        Kind::Text => "string",
        Kind::Time => "datetime",
        Kind::Span => "timespan",
        Kind::List | Kind::Any => "dynamic",
    }
}
