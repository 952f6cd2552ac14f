//! `getschema`: one row for each field, about the field.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringViewArray};
use tidegauge_bind::Surroundings;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::types::type_name;
use tidegauge_lang::tree::Type;

use super::relation::{About, Relation};
use super::rows::of_arrays;
use crate::Result;
use crate::context::QueryContext;

impl QueryContext {
    pub(super) fn get_schema(&self, mut relation: Relation, around: &Surroundings) -> Result<Relation> {
        let fields = relation.scope.fields()?;
        let mut types: Vec<String> = Vec::with_capacity(fields.len());
        for (_, value) in &fields {
            // Integers have one name, however long they are.
            let mut names: Vec<&str> = Vec::new();
            for name in value.types().into_iter().map(type_name) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            types.push(if names.is_empty() { "unknown".to_owned() } else { names.join("|") });
        }
        let names: StringViewArray = fields.iter().map(|(name, _)| Some(name.as_str())).collect();
        let types: StringViewArray = types.iter().map(|kind| Some(kind.as_str())).collect();
        let places: Int64Array = (0..fields.len() as i64).map(Some).collect();
        let rows = fields.len();
        let columns: [(&str, Type, ArrayRef); 4] = [
            ("ColumnName", Type::String, Arc::new(names)),
            ("ColumnOrdinal", Type::Integer, Arc::new(places)),
            ("DataType", Type::String, Arc::new(types.clone())),
            ("ColumnType", Type::String, Arc::new(types)),
        ];
        let kinds: Vec<Type> = columns.iter().map(|(_, kind, _)| *kind).collect();
        let described = columns.iter().enumerate();
        let described =
            described.map(|(place, (name, kind, _))| ((*name).to_owned(), Typed::input(*kind, place).into()));
        let described = described.collect();
        let arrays = columns.into_iter().map(|(_, _, array)| array).collect();
        let about = About { sources: relation.about.sources, ..About::default() };
        self.note(&relation.scope);
        of_arrays(arrays, &kinds, rows, described, around, about)
    }
}
