//! `summarize` and its kin: groups in plain lists, and aggregates over their values. Null is left out of all but the
//! count of rows.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::expr::{Ex, name as name_of};
use super::table::{Column, Table};
use super::value::{Kind, TypeSet, Val};

#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub(crate) function: &'static str,
    pub(crate) of: Option<Ex>,
    pub(crate) condition: Option<Ex>,
    /// What else is asked of the row with the greatest or the least value, or what tells counters apart.
    pub(crate) beside: Vec<String>,
}

impl Aggregate {
    pub(crate) fn text(&self) -> String {
        let parts = self.of.iter().map(Ex::text).chain(self.condition.iter().map(Ex::text));
        let parts = parts.chain(self.beside.iter().map(|column| name_of(column)));
        format!("{}({})", self.function, parts.collect::<Vec<String>>().join(", "))
    }

    fn base(&self) -> &'static str {
        match self.function {
            "countif" => "count",
            "sumif" => "sum",
            "avgif" => "avg",
            "minif" => "min",
            "maxif" => "max",
            "dcountif" => "dcount",
            "make_set_if" => "make_set",
            "make_list_if" => "make_list",
            other => other,
        }
    }

    fn kinds(&self, table: &Table) -> TypeSet {
        let of = || self.of.as_ref().map(|of| of.kinds(table)).unwrap_or_default();
        match self.base() {
            "count" | "dcount" => TypeSet::from([Kind::Int]),
            "avg" | "increase" => TypeSet::from([Kind::Real]),
            "sum" if of() == TypeSet::from([Kind::Int]) => of(),
            "sum" => TypeSet::from([Kind::Real]),
            "make_set" | "make_list" => TypeSet::from([Kind::List]),
            "min" | "max" if of().contains(&Kind::Long) => TypeSet::from([Kind::Int, Kind::Long, Kind::Real]),
            _ => of(),
        }
    }

    fn values(&self, table: &Table, rows: &[&Vec<Val>]) -> Vec<Val> {
        let is_met = |row: &&&Vec<Val>| {
            self.condition.as_ref().is_none_or(|condition| condition.value(table, row) == Val::Bool(true))
        };
        let of = |row: &&Vec<Val>| self.of.as_ref().map_or(Val::Int(1), |of| of.value(table, row));
        rows.iter().filter(is_met).map(of).filter(|value| !value.is_null()).collect()
    }

    fn compute(&self, table: &Table, rows: &[&Vec<Val>]) -> Val {
        let values = self.values(table, rows);
        let sum = || values.iter().filter_map(Val::float).sum::<f64>();
        let best = |wanted: Ordering| {
            values.iter().fold(Val::Null, |best, value| match value.compare(&best) {
                Some(order) if order != wanted => best,
                _ => value.clone(),
            })
        };
        let distinct = || {
            let mut seen = HashSet::new();
            values.iter().filter(|value| seen.insert(value.key())).cloned().collect::<Vec<Val>>()
        };
        match self.base() {
            "count" => Val::Int(values.len() as i64),
            "dcount" => Val::Int(distinct().len() as i64),
            "sum" if self.kinds(table) == TypeSet::from([Kind::Int]) => {
                let whole = values.iter().map(|value| if let Val::Int(value) = value { *value } else { 0 });
                Val::Int(whole.sum())
            }
            "sum" => Val::Real(sum()),
            "avg" if values.is_empty() => Val::Null,
            "avg" => Val::Real(sum() / values.len() as f64),
            "increase" => self.rise(table, rows),
            "min" => best(Ordering::Less),
            "max" => best(Ordering::Greater),
            "make_set" => {
                let kinds = self.of.as_ref().map(|of| of.kinds(table)).unwrap_or_default();
                let may_be_long = kinds.contains(&Kind::Long) || kinds.contains(&Kind::Any);
                Val::List(distinct().into_iter().map(|value| value.in_array(may_be_long)).collect())
            }
            "make_list" => Val::List(values.into_iter().map(|value| value.in_array(false)).collect()),
            other => panic!("no aggregate is called {other}"),
        }
    }

    /// How much the counters of all rows rose where a row of the group is the later of two points.
    fn rise(&self, table: &Table, rows: &[&Vec<Val>]) -> Val {
        let series = self.beside.first().and_then(|name| table.place(name));
        let (Some(of), Some(series), Some(time)) = (&self.of, series, table.place("_time")) else {
            panic!("a counter has a value, a series and a time")
        };
        let point = |row: &Vec<Val>| match (&row[time], of.value(table, row).float()) {
            (Val::Time(time), Some(value)) => Some(((row[series].key(), *time), value)),
            _ => None,
        };
        let mut points: BTreeMap<(String, i64), f64> = BTreeMap::new();
        for (place, value) in table.rows.iter().filter_map(point) {
            let kept = points.entry(place).or_insert(value);
            *kept = kept.max(value);
        }
        let here: BTreeSet<(String, i64)> = rows.iter().filter_map(|row| Some(point(row)?.0)).collect();
        let points: Vec<((String, i64), f64)> = points.into_iter().collect();
        let rises: Vec<f64> = points
            .windows(2)
            .filter(|pair| pair[0].0.0 == pair[1].0.0 && here.contains(&pair[1].0))
            .map(|pair| if pair[1].1 < pair[0].1 { pair[1].1 } else { pair[1].1 - pair[0].1 })
            .collect();
        if rises.is_empty() { Val::Null } else { Val::Real(rises.iter().sum()) }
    }
}

impl Table {
    /// One row for each group. A key of several types is known only value by value afterwards.
    pub(crate) fn summarize(&mut self, aggregates: &[(String, Aggregate)], keys: &[(String, Ex)]) {
        let mut groups: Vec<(Vec<Val>, Vec<&Vec<Val>>)> = Vec::new();
        let mut places: HashMap<Vec<String>, usize> = HashMap::new();
        for row in &self.rows {
            let key: Vec<Val> = keys.iter().map(|(_, ex)| ex.value(self, row)).collect();
            let place = *places.entry(key.iter().map(Val::key).collect()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((key, vec![row])),
            }
        }
        if groups.is_empty() && keys.is_empty() {
            groups.push((Vec::new(), Vec::new()));
        }
        let mut columns: Vec<Column> = keys
            .iter()
            .map(|(name, ex)| {
                let kinds = ex.kinds(self);
                let kinds = match kinds.len() {
                    0 => TypeSet::from([Kind::Text]),
                    1 if !kinds.contains(&Kind::Long) => kinds,
                    _ => TypeSet::from([Kind::Any]),
                };
                Column { name: name.clone(), kinds }
            })
            .collect();
        for (name, aggregate) in aggregates {
            columns.push(Column { name: name.clone(), kinds: aggregate.kinds(self) });
            for beside in aggregate.beside.iter().filter(|_| aggregate.function.starts_with("arg_")) {
                columns.push(Column { name: beside.clone(), kinds: self.kinds(beside) });
            }
        }
        let row = |(key, rows): (Vec<Val>, Vec<&Vec<Val>>)| {
            let mut values = key;
            for (_, aggregate) in aggregates {
                values.extend(match aggregate.function {
                    "arg_max" | "arg_min" => self.row_with(aggregate, &rows),
                    _ => vec![aggregate.compute(self, &rows)],
                });
            }
            values
        };
        let rows = groups.into_iter().map(row).collect();
        let sources = std::mem::take(&mut self.sources);
        let is_bucketed = keys.iter().any(|(name, _)| name == "_time");
        let is_list = |(_, aggregate): &&(String, Aggregate)| aggregate.base() == "make_list";
        let lists = aggregates.iter().filter(|_| self.is_ordered).filter(is_list);
        let listed = lists.map(|(name, _)| name.clone()).collect();
        *self =
            Self { columns, rows, sources, has_column_order: true, is_bucketed, listed, ..Self::default() };
    }

    /// The values of the row in which one is greatest or least.
    fn row_with(&self, aggregate: &Aggregate, rows: &[&Vec<Val>]) -> Vec<Val> {
        let Some(of) = &aggregate.of else { panic!("`{}` needs a value", aggregate.function) };
        let wanted = if aggregate.function == "arg_max" { Ordering::Greater } else { Ordering::Less };
        let mut best: Option<&Vec<Val>> = None;
        for row in rows {
            let is_better =
                |best: &Vec<Val>| of.value(self, row).compare(&of.value(self, best)) == Some(wanted);
            if !of.value(self, row).is_null() && best.is_none_or(is_better) {
                best = Some(row);
            }
        }
        let shown = std::iter::once(of.clone()).chain(aggregate.beside.iter().cloned().map(Ex::Column));
        shown.map(|ex| best.map_or(Val::Null, |row| ex.value(self, row))).collect()
    }
}
