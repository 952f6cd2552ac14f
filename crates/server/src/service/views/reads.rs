//! Which datasets a query reads, found by walking over all of its tree: sources, the tables of stages, and queries inside
//! expressions. Errs on the side of more: what only the run can tell counts as any dataset.

use std::collections::HashMap;

use tidegauge_lang::tree::{
    AggregateFunction, Expr, ExprKind, LetValue, Literal, NamePattern, Named, OrderKey, Program, Query,
    Source, Stage, Statement, Summarize,
};

/// The datasets that a query reads.
#[derive(Debug, Default)]
pub(super) struct Reads {
    /// In the order in which the query names them.
    pub(super) names: Vec<String>,
    /// Whether it may read others too: by a pattern, or by a name that is not known yet.
    pub(super) is_open: bool,
}

/// What a name means that `let` or the query's parameters have defined.
enum Meaning {
    /// A query that has been walked over.
    Table,
    /// The name of a table, or a text that `table(…)` may take for one.
    Name(String),
    Unknown,
}

struct Walk {
    reads: Reads,
    defined: HashMap<String, Meaning>,
}

impl Reads {
    pub(super) fn of(program: &Program) -> Self {
        let mut walk = Walk { reads: Self::default(), defined: HashMap::new() };
        for statement in &program.statements {
            walk.statement(statement);
        }
        walk.query(&program.query);
        walk.reads
    }
}

impl Walk {
    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(definition) => {
                let meaning = match &definition.value {
                    LetValue::Table(query) => {
                        self.query(query);
                        Meaning::Table
                    }
                    LetValue::Scalar(expr) => {
                        self.expr(expr);
                        self.meaning(expr)
                    }
                };
                self.defined.insert(definition.name.clone(), meaning);
            }
            Statement::Set(setting) => self.exprs(&setting.value),
            Statement::Parameters(parameters) => {
                for parameter in parameters {
                    self.exprs(&parameter.default);
                    self.defined.entry(parameter.column.name.clone()).or_insert(Meaning::Unknown);
                }
            }
        }
    }

    /// What a name means that stands for this value.
    fn meaning(&self, expr: &Expr) -> Meaning {
        match &expr.kind {
            ExprKind::Literal(Literal::String(text)) => Meaning::Name(text.clone()),
            ExprKind::Field(name) => match self.defined.get(name) {
                None => Meaning::Name(name.clone()),
                Some(Meaning::Name(name)) => Meaning::Name(name.clone()),
                Some(Meaning::Table) => Meaning::Table,
                Some(Meaning::Unknown) => Meaning::Unknown,
            },
            _ => Meaning::Unknown,
        }
    }

    fn dataset(&mut self, name: &str) {
        match self.defined.get(name) {
            None => self.read(name.to_owned()),
            Some(Meaning::Table) => {}
            Some(Meaning::Name(meant)) => self.read(meant.clone()),
            Some(Meaning::Unknown) => self.reads.is_open = true,
        }
    }

    fn read(&mut self, name: String) {
        if !self.reads.names.contains(&name) {
            self.reads.names.push(name);
        }
    }

    fn pattern(&mut self, pattern: &NamePattern) {
        match pattern.plain() {
            Some(name) => self.dataset(name),
            None => self.reads.is_open = true,
        }
    }

    fn query(&mut self, query: &Query) {
        match &query.source {
            Source::Dataset { name, .. } => self.dataset(name),
            Source::Datasets { pattern, .. } => self.pattern(pattern),
            Source::Table { name, .. } => {
                self.expr(name);
                match self.meaning(name) {
                    Meaning::Name(name) => self.read(name),
                    Meaning::Table => {}
                    Meaning::Unknown => self.reads.is_open = true,
                }
            }
            Source::Values(table) => self.exprs(&table.values),
            Source::Print(values) => self.named(values),
            Source::External(_) => {}
            Source::Union(union) => self.queries(&union.tables),
            Source::Search(search) => {
                self.reads.is_open |= search.tables.is_empty();
                search.tables.iter().for_each(|pattern| self.pattern(pattern));
                self.expr(&search.predicate);
            }
        }
        query.stages.iter().for_each(|stage| self.stage(stage));
    }

    fn stage(&mut self, stage: &Stage) {
        match stage {
            Stage::Filter(expr) | Stage::Take(expr) | Stage::Sample(expr) => self.expr(expr),
            Stage::Extend(named)
            | Stage::ExtendValid(named)
            | Stage::Project(named)
            | Stage::Distinct(named) => self.named(named),
            Stage::Summarize(summarize) => self.summarize(summarize),
            Stage::Order(keys) => self.order(keys),
            Stage::Top(top) => {
                self.expr(&top.count);
                self.order(&top.keys);
            }
            Stage::Union(union) => self.queries(&union.tables),
            Stage::Join(join) => {
                self.query(&join.right);
                self.exprs(join.on.iter().flat_map(|pair| [&pair.left, &pair.right]));
            }
            Stage::Lookup(lookup) => {
                self.query(&lookup.table);
                self.exprs(lookup.on.iter().flat_map(|pair| [&pair.left, &pair.right]));
            }
            Stage::Parse(parse) | Stage::ParseWhere(parse) => self.expr(&parse.of),
            Stage::ParseKeyValue(parse) => self.expr(&parse.of),
            Stage::Expand(expand) => self.exprs(expand.fields.iter().map(|field| &field.expr)),
            Stage::Search(search) => {
                search.tables.iter().for_each(|pattern| self.pattern(pattern));
                self.expr(&search.predicate);
            }
            Stage::MakeSeries(make) => {
                self.exprs(
                    make.series
                        .iter()
                        .flat_map(|series| [Some(&series.expr), series.default.as_ref()])
                        .flatten(),
                );
                self.exprs(
                    [Some(&make.axis), make.from.as_ref(), make.to.as_ref(), Some(&make.step)]
                        .into_iter()
                        .flatten(),
                );
                self.named(&make.keys);
            }
            Stage::Sort(_)
            | Stage::Limit(_)
            | Stage::After(_)
            | Stage::ProjectAway(_)
            | Stage::ProjectKeep(_)
            | Stage::ProjectRename(_)
            | Stage::ProjectReorder(_)
            | Stage::Count
            | Stage::Redact(_)
            | Stage::GetSchema => {}
        }
    }

    fn summarize(&mut self, summarize: &Summarize) {
        for aggregate in &summarize.aggregates {
            self.exprs(&aggregate.call.of);
            match &aggregate.call.function {
                AggregateFunction::Computed(expr) => self.expr(expr),
                AggregateFunction::ArgMin(other) | AggregateFunction::ArgMax(other) => self.exprs(other),
                _ => {}
            }
        }
        self.named(&summarize.keys);
    }

    fn queries(&mut self, queries: &[Query]) {
        queries.iter().for_each(|query| self.query(query));
    }

    fn named(&mut self, named: &[Named]) {
        self.exprs(named.iter().map(|named| &named.expr));
    }

    fn order(&mut self, keys: &[OrderKey]) {
        self.exprs(keys.iter().map(|key| &key.expr));
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Table(query) => self.query(query),
            ExprKind::Literal(_) | ExprKind::Field(_) | ExprKind::AllFields | ExprKind::Error => {}
            ExprKind::Named { value, .. }
            | ExprKind::Negate(value)
            | ExprKind::Exists(value)
            | ExprKind::Not(value) => self.expr(value),
            ExprKind::Member { of, key } => self.exprs([&**of, &**key]),
            ExprKind::Binary { left, right, .. } | ExprKind::Text { left, right, .. } => {
                self.exprs([&**left, &**right]);
            }
            ExprKind::In { value, list, .. } | ExprKind::HasAny { value, list, .. } => {
                self.expr(value);
                self.exprs(list);
            }
            ExprKind::Between { value, low, high, .. } => self.exprs([&**value, &**low, &**high]),
            ExprKind::Call { arguments, .. } => self.exprs(arguments),
        }
    }
}

#[cfg(test)]
mod tests {
    use tidegauge_lang::parse_query;

    use super::*;

    /// The names, with a star where others may be read too.
    fn reads(text: &str) -> Vec<String> {
        let (program, diagnostics) = parse_query(text);
        assert_eq!(diagnostics, [], "{text}");
        let Reads { mut names, is_open } = Reads::of(&program);
        if is_open {
            names.push("*".to_owned());
        }
        names
    }

    #[test]
    fn datasets_are_found_wherever_they_stand() {
        for (text, wanted) in [
            ("['web'] | where a > 1 | count", &["web"][..]),
            ("web | union api, (['a b'] | take 1), web", &["web", "api", "a b"]),
            ("union web, api", &["web", "api"]),
            ("web | join kind=inner (api | where x == 1) on id", &["web", "api"]),
            ("web | lookup names on id", &["web", "names"]),
            ("web | where id in ((api | project id))", &["web", "api"]),
            ("web | extend x = iff(id in ((api | project id)), 1, 2) | top 3 by x", &["web", "api"]),
            ("search in (web, api) \"timeout\"", &["web", "api"]),
            ("table(\"web\") | count", &["web"]),
            ("print x = 1", &[]),
            ("datatable (a:long) [1, 2]", &[]),
        ] {
            assert_eq!(reads(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_only_the_run_can_tell_is_any_dataset() {
        for text in [
            "union web*",
            "union *",
            "search \"timeout\"",
            "search in (web*) \"timeout\"",
            "declare query_parameters (name:string); table(name)",
            "table(strcat(\"w\", \"eb\"))",
        ] {
            assert_eq!(reads(text), ["*"], "{text}");
        }
    }

    #[test]
    fn names_of_let_stand_for_what_they_were_given() {
        for (text, wanted) in [
            ("let a = web | where x == 1; a | count", &["web"][..]),
            ("let a = web; a | count", &["web"]),
            ("let a = \"web\"; table(a)", &["web"]),
            ("let a = web; let b = a; b | union api", &["web", "api"]),
            // What is defined behind it is not meant.
            ("let a = b | count; let b = print 1; a | union b", &["b"]),
            ("let a = a | count; a", &["a"]),
        ] {
            assert_eq!(reads(text), wanted, "{text}");
        }
    }
}
