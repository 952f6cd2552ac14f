//! `print`: one row of values.

use crate::Diagnostic;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::Named;

impl Parser<'_> {
    pub(super) fn print_row(&mut self) -> Option<Vec<Named>> {
        let start = self.cursor.advance();
        if self.is_at_stage_end() {
            let diagnostic = Diagnostic::new("`print` needs a value", start);
            self.cursor.report(diagnostic.with_hint("write `print x = 1 + 2`"));
            return None;
        }
        Some(self.separated(|parser, place| {
            let name = parser.accept_assigned_name().unwrap_or_else(|| unnamed(place));
            Named { name, expr: parser.expr() }
        }))
    }
}

/// What a value without a name is called, by its place.
fn unnamed(place: usize) -> String {
    format!("print_{place}")
}

pub(super) fn print(values: &[Named], printer: &mut Printer) {
    printer.push("print ");
    let mut place = 0;
    printer.joined(values, |printer, value| {
        if value.name != unnamed(place) {
            printer.name(&value.name);
            printer.push(" = ");
        }
        printer.expr(&value.expr);
        place += 1;
    });
}
