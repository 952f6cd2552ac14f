//! Rows with named columns, and the stages that look at one table.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::expr::Ex;
use super::value::{Class, TypeSet, Val};

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kinds: TypeSet,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Val>>,
    /// The datasets that rows come from.
    pub(crate) sources: Vec<String>,
    /// Whether the query says in which order the rows are, down to the last one.
    pub(crate) is_ordered: bool,
    /// Whether a name that no column has is a column of nulls, as in a dataset.
    pub(crate) is_open: bool,
    /// Whether the query says in which order the columns are.
    pub(crate) has_column_order: bool,
    /// Whether rows are groups over buckets of time, of which `take` means another thing.
    pub(crate) is_bucketed: bool,
    /// Columns with lists whose elements stand in the order of the rows that they came from.
    pub(crate) listed: Vec<String>,
}

impl Table {
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    pub(crate) fn kinds(&self, name: &str) -> TypeSet {
        self.place(name).map(|place| self.columns[place].kinds.clone()).unwrap_or_default()
    }

    pub(crate) fn class(&self, name: &str) -> Class {
        Class::of(&self.kinds(name))
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    pub(crate) fn column(&self, place: usize) -> impl Iterator<Item = &Val> {
        self.rows.iter().map(move |row| &row[place])
    }

    /// Whether no two rows have the same values in these columns.
    pub(crate) fn is_unique(&self, places: &[usize]) -> bool {
        let mut seen = BTreeSet::new();
        self.rows.iter().all(|row| {
            let key: Vec<String> = places.iter().map(|place| row[*place].key()).collect();
            seen.insert(key)
        })
    }

    pub(crate) fn filter(&mut self, condition: &Ex) {
        let rows = std::mem::take(&mut self.rows);
        self.rows = rows.into_iter().filter(|row| condition.value(self, row) == Val::Bool(true)).collect();
    }

    pub(crate) fn extend(&mut self, name: &str, ex: &Ex) {
        let kinds = ex.kinds(self);
        let values: Vec<Val> = self.rows.iter().map(|row| ex.value(self, row)).collect();
        self.is_bucketed &= name != "_time";
        self.listed.clear();
        match self.place(name) {
            Some(place) => {
                self.columns[place].kinds = kinds;
                self.rows.iter_mut().zip(values).for_each(|(row, value)| row[place] = value);
            }
            None => {
                self.columns.push(Column { name: name.to_owned(), kinds });
                self.rows.iter_mut().zip(values).for_each(|(row, value)| row.push(value));
            }
        }
    }

    /// Of two fields with one name the later one counts, at the place of the first.
    pub(crate) fn project(&mut self, fields: &[(String, Ex)]) {
        let mut kept: Vec<(String, Ex)> = Vec::new();
        for (name, ex) in fields {
            match kept.iter_mut().find(|(known, _)| known == name) {
                Some(known) => known.1 = ex.clone(),
                None => kept.push((name.clone(), ex.clone())),
            }
        }
        let columns: Vec<Column> =
            kept.iter().map(|(name, ex)| Column { name: name.clone(), kinds: ex.kinds(self) }).collect();
        let row = |row: &Vec<Val>| kept.iter().map(|(_, ex)| ex.value(self, row)).collect();
        let rows = self.rows.iter().map(row).collect();
        (self.columns, self.rows) = (columns, rows);
        self.is_open = false;
        self.has_column_order = true;
        self.listed.clear();
    }

    /// Keeps the columns at these places, in this order.
    pub(crate) fn pick(&mut self, places: &[usize]) {
        self.columns = places.iter().map(|place| self.columns[*place].clone()).collect();
        for row in &mut self.rows {
            *row = places.iter().map(|place| row[*place].clone()).collect();
        }
        self.is_open = false;
        self.listed.clear();
    }

    /// All at once, so that two can change their names. A column that had a new name is gone.
    pub(crate) fn rename(&mut self, pairs: &[(String, String)]) {
        let is_old = |name: &str| pairs.iter().any(|(_, old)| old == name);
        let is_new = |name: &str| pairs.iter().any(|(new, _)| new == name);
        let kept: Vec<usize> = (0..self.columns.len())
            .filter(|place| {
                let name = &self.columns[*place].name;
                is_old(name) || !is_new(name)
            })
            .collect();
        self.pick(&kept);
        for column in &mut self.columns {
            if let Some((new, _)) = pairs.iter().find(|(_, old)| *old == column.name) {
                column.name.clone_from(new);
            }
        }
    }

    /// Sorts by values that are computed, each with its direction and with the place of nulls.
    pub(crate) fn sort(&mut self, keys: &[(Ex, bool, bool)]) {
        let mut rows: Vec<(Vec<Val>, Vec<Val>)> = std::mem::take(&mut self.rows)
            .into_iter()
            .map(|row| (keys.iter().map(|(ex, ..)| ex.value(self, &row)).collect(), row))
            .collect();
        let order = |a: &[Val], b: &[Val]| {
            keys.iter().enumerate().fold(
                Ordering::Equal,
                |so_far, (place, (_, is_descending, nulls_first))| {
                    // Where nulls go is said for the order as it is shown.
                    let next = a[place].order(&b[place], nulls_first != is_descending);
                    so_far.then(if *is_descending { next.reverse() } else { next })
                },
            )
        };
        rows.sort_by(|(a, _), (b, _)| order(a, b));
        self.is_ordered = rows.windows(2).all(|pair| order(&pair[0].0, &pair[1].0) == Ordering::Less);
        self.rows = rows.into_iter().map(|(_, row)| row).collect();
    }
}
