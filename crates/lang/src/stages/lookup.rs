//! `lookup`: adds the fields of another table to the rows that it has an entry for.

use super::join;
use super::{Operator, Trial};
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Lookup, LookupKind, Stage};

const KINDS: &[(&str, LookupKind)] = &[("leftouter", LookupKind::LeftOuter), ("inner", LookupKind::Inner)];

pub(super) const OPERATOR: Operator = Operator {
    names: &["lookup"],
    syntax: "lookup [kind=leftouter|inner] table on field_or_equality [, …]",
    doc: "Adds the fields of another table to the rows that it has an entry for.",
    example: "lookup kind=leftouter names on id",
    trial: Trial {
        query: r#"let users = datatable(id:long, name:string)[1, "Ann"]; datatable(id:long)[1, 2] | lookup users on id"#,
        rows: &[r#"{"id":1,"name":"Ann"}"#, r#"{"id":2,"name":""}"#],
    },
    needs: Some("a table and `on`"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let (kind, table, on) = join::parts(parser, KINDS, OPERATOR.example)?;
    let kind = kind.unwrap_or(LookupKind::LeftOuter);
    Some(Stage::Lookup(Lookup { kind, table: Box::new(table), on }))
}

pub(super) fn print(lookup: &Lookup, printer: &mut Printer) {
    let kind = KINDS.iter().find(|(_, kind)| *kind == lookup.kind).map_or("leftouter", |(name, _)| name);
    join::print_parts("lookup", kind, &lookup.table, &lookup.on, printer);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("lookup names on id", "lookup kind=leftouter names on id"),
            (
                "lookup kind=inner (names | distinct id) on id",
                "lookup kind=inner (names | distinct id) on id",
            ),
            ("lookup names on $left.user == $right.id", "lookup kind=leftouter names on user == id"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("lookup", "`lookup` needs a table and `on`", "lookup", "lookup kind=leftouter"),
            ("lookup names", "`on` is missing before the end", "", "lookup kind=leftouter"),
            (
                "lookup kind=rightouter names on id",
                "`rightouter` is no kind of this stage",
                "rightouter",
                "leftouter",
            ),
        ]);
    }
}
