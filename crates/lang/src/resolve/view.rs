//! A view as a query that stands for itself: the values that it names put in the place of their names, so that neither
//! the query that uses the view nor the view can change what a name of the other means.

use std::collections::{HashMap, HashSet};

use super::resolve;
use crate::parser::HEIGHT_MAX;
use crate::tree::{Expr, ExprKind, Literal, Program, Query, Source, Stage};
use crate::{Diagnostic, Span};

/// How many parts a value with a name may have in a view.
const PARTS_MAX: usize = 2_000;

/// How many parts all names of a view may bring.
const ALL_PARTS_MAX: usize = 100_000;

/// Settles the names of a view: of tables, and of values. A column that a stage makes goes before a value of its name,
/// a value goes before a field of the events.
pub fn resolve_view(program: Program) -> Result<Query, Vec<Diagnostic>> {
    let resolved = resolve(program, &[], &HashMap::new())?;
    let mut values = Values { known: HashMap::new(), parts: 0, problem: None };
    for (name, mut value) in resolved.constants {
        values.put_into(&mut value, &HashSet::new());
        let Size { parts, height } = Size::of(&mut value);
        if parts > PARTS_MAX || height > HEIGHT_MAX {
            values.refuse(&name, value.span);
            break;
        }
        // A name may be defined anew, by what it was before.
        values.known.insert(name, (value, parts));
    }
    let mut query = resolved.query;
    if values.problem.is_none() && !values.known.is_empty() {
        values.put_into_query(&mut query);
    }
    match values.problem {
        None => Ok(query),
        Some(problem) => Err(vec![problem]),
    }
}

/// The values by their names, with how many parts they have.
struct Values {
    known: HashMap<String, (Expr, usize)>,
    /// How many parts they have brought so far.
    parts: usize,
    problem: Option<Diagnostic>,
}

impl Values {
    fn refuse(&mut self, name: &str, place: Span) {
        let message = format!("the value `{name}` is too large to stand in a view");
        let hint = "write a shorter value, or use it less often".to_owned();
        self.problem = Some(Diagnostic::new(message, place).with_hint(hint));
    }

    fn put_into_query(&mut self, query: &mut Query) {
        let mut columns = HashSet::new();
        if let Source::Union(union) = &mut query.source {
            union.tables.iter_mut().for_each(|table| self.put_into_query(table));
        }
        for expr in query.source.exprs_mut() {
            self.put_into_expr(expr, &columns);
        }
        for stage in &mut query.stages {
            match &mut *stage {
                Stage::Union(union) => union.tables.iter_mut().for_each(|table| self.put_into_query(table)),
                // Conditions of a join are about fields.
                Stage::Join(join) => self.put_into_query(&mut join.right),
                Stage::Lookup(lookup) => self.put_into_query(&mut lookup.table),
                other => {
                    for expr in other.exprs_mut() {
                        self.put_into_expr(expr, &columns);
                    }
                }
            }
            add_columns(stage, &mut columns);
        }
    }

    /// Puts values into a whole expression, which must not become too high by it.
    fn put_into_expr(&mut self, expr: &mut Expr, columns: &HashSet<String>) {
        let parts = self.parts;
        self.put_into(expr, columns);
        if self.parts > parts && Size::of(expr).height > HEIGHT_MAX {
            let message = "the expression is nested too deep with the values in it";
            let hint = "use fewer values that are made of each other".to_owned();
            self.problem = Some(Diagnostic::new(message, expr.span).with_hint(hint));
        }
    }

    fn put_into(&mut self, expr: &mut Expr, columns: &HashSet<String>) {
        match &mut expr.kind {
            ExprKind::Field(name) => {
                if let Some(value) = self.value_of(&name.clone(), columns) {
                    expr.kind = value;
                }
            }
            ExprKind::Table(query) => self.put_into_query(query),
            _ => expr.children_mut().into_iter().for_each(|child| self.put_into(child, columns)),
        }
    }

    /// What stands for a name: the value that has it, or a member of the map that has its beginning.
    fn value_of(&mut self, name: &str, columns: &HashSet<String>) -> Option<ExprKind> {
        if columns.contains(name) {
            return None;
        }
        if let Some((value, parts)) = self.known.get(name) {
            self.parts += parts;
            if self.parts > ALL_PARTS_MAX {
                let place = value.span;
                self.refuse(name, place);
                return None;
            }
            return Some(value.kind.clone());
        }
        let (of, keys) = name.split_once('.')?;
        let (value, _) = self.known.get(of).filter(|_| !columns.contains(of))?;
        if !matches!(value.kind, ExprKind::Literal(Literal::Dynamic(_))) {
            return None;
        }
        let member = |of: Expr, key: &str| {
            let span = of.span;
            let key = Expr::new(ExprKind::Literal(Literal::String(key.to_owned())), span);
            Expr::new(ExprKind::Member { of: Box::new(of), key: Box::new(key) }, span)
        };
        self.parts += 1;
        Some(keys.split('.').fold(value.clone(), member).kind)
    }
}

/// Adds the columns that a stage makes.
fn add_columns(stage: &Stage, columns: &mut HashSet<String>) {
    match stage {
        Stage::Extend(named) | Stage::ExtendValid(named) | Stage::Project(named) | Stage::Distinct(named) => {
            columns.extend(named.iter().map(|named| named.name.clone()));
        }
        Stage::Summarize(summarize) => {
            columns.extend(summarize.aggregates.iter().map(|named| named.name.clone()));
            columns.extend(summarize.keys.iter().map(|named| named.name.clone()));
        }
        _ => {}
    }
}

/// How large an expression is, with the queries in it.
#[derive(Default)]
struct Size {
    parts: usize,
    height: usize,
}

impl Size {
    fn of(expr: &mut Expr) -> Self {
        let mut size = Self { parts: 1, height: 0 };
        match &mut expr.kind {
            ExprKind::Literal(Literal::String(text) | Literal::Dynamic(text)) => {
                // Long texts are copied too.
                size.parts += text.len() / 64;
            }
            ExprKind::Table(query) => size.add_query(query),
            _ => expr.children_mut().into_iter().for_each(|child| size.add(&Self::of(child))),
        }
        size.height += 1;
        size
    }

    fn add(&mut self, other: &Self) {
        self.parts += other.parts;
        self.height = self.height.max(other.height);
    }

    fn add_query(&mut self, query: &mut Query) {
        self.parts += query.stages.len() + 1;
        match &mut query.source {
            Source::Union(union) => union.tables.iter_mut().for_each(|table| self.add_query(table)),
            other => other.exprs_mut().into_iter().for_each(|expr| self.add(&Self::of(expr))),
        }
        for stage in &mut query.stages {
            match stage {
                Stage::Union(union) => union.tables.iter_mut().for_each(|table| self.add_query(table)),
                Stage::Join(join) => self.add_query(&mut join.right),
                Stage::Lookup(lookup) => self.add_query(&mut lookup.table),
                other => other.exprs_mut().into_iter().for_each(|expr| self.add(&Self::of(expr))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{parse_query, print_query};

    use super::*;

    fn view(text: &str) -> Result<Query, Vec<Diagnostic>> {
        let (program, diagnostics) = parse_query(text);
        assert_eq!(diagnostics, [], "{text}");
        resolve_view(program)
    }

    #[test]
    fn values_stand_in_the_place_of_their_names() {
        for (text, wanted) in [
            ("let a = 5; t | where x > a | take a", "t | where x > 5 | take 5"),
            ("let a = 1; let b = a + 1; t | where x > b", "t | where x > 1 + 1"),
            ("let a = 1; let a = a + 1; t | where x > a", "t | where x > 1 + 1"),
            ("let a = 1; t | where x in ((u | where y == a))", "t | where x in ((u | where y == 1))"),
            ("let a = 1; t | union (u | where y == a)", "t | union (u | where y == 1)"),
            ("let a = dynamic({\"b\":1}); t | where x == a.b", "t | where x == dynamic({\"b\":1})[\"b\"]"),
            ("let a = 1; t | summarize arg_max(x, y + a)", "t | summarize arg_max(x, y + 1)"),
            // A column goes before, and conditions of a join are about fields.
            ("let a = 1; t | extend a = a + 1 | where a > 0", "t | extend a = 1 + 1 | where a > 0"),
            ("let a = 1; t | join kind=inner u on a", "t | join kind=inner u on a"),
        ] {
            let query = view(text).unwrap();
            let printed = |query: Query| print_query(&Program { statements: Vec::new(), query });
            let (wanted, _) = parse_query(wanted);
            assert_eq!(printed(query), printed(wanted.query), "{text}");
        }
    }

    #[test]
    fn values_that_would_grow_without_bound_are_refused() {
        let doubled: String = (1..40).map(|n| format!("let a{n} = a{} + a{};", n - 1, n - 1)).collect();
        let nested: String = (1..40).map(|n| format!("let a{n} = -(-(-(-(-(-(a{}))))));", n - 1)).collect();
        let often = format!("let a0 = {}1; t | where x in ({}1)", "1 + ".repeat(150), "a0, ".repeat(2_000));
        for text in [
            format!("let a0 = 1;{doubled} t | where a39"),
            format!("let a0 = 1;{nested} t | where a39"),
            often,
        ] {
            assert!(view(&text).is_err(), "{}", &text[..60]);
        }
    }
}
