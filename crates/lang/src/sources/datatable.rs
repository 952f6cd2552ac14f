//! `datatable`: rows that stand in the query.

use crate::Diagnostic;
use crate::lexer::TokenKind;
use crate::parser::{Parser, type_word};
use crate::print::Printer;
use crate::tree::DataTable;

const EXAMPLE: &str = "datatable (id:long, name:string) [1, \"a\", 2, \"b\"]";

impl Parser<'_> {
    pub(super) fn datatable(&mut self) -> Option<DataTable> {
        let start = self.cursor.advance();
        let columns = self.columns(true, EXAMPLE);
        let Some(open) = self.cursor.accept(&TokenKind::LeftBracket) else {
            self.report_missing("`[` with values", EXAMPLE);
            return None;
        };
        let mut values = Vec::new();
        while !self.cursor.is_at(&TokenKind::RightBracket) && !self.cursor.is_at_end() {
            values.push(self.expr());
            if self.cursor.accept(&TokenKind::Comma).is_none() {
                break;
            }
        }
        let close = self.close(TokenKind::RightBracket, open);
        if !columns.is_empty()
            && !values.len().is_multiple_of(columns.len())
            && !self.cursor.has_reported_since(start)
        {
            let (count, width) = (values.len(), columns.len());
            let message = format!("{count} values do not fill rows of {width} columns");
            let missing = width - count % width;
            let hint = format!("write {missing} more, or remove {}", count % width);
            self.cursor.report(Diagnostic::new(message, open.to(close)).with_hint(hint));
        }
        Some(DataTable { columns, values })
    }
}

pub(super) fn print(table: &DataTable, printer: &mut Printer) {
    printer.push("datatable(");
    printer.joined(&table.columns, |printer, column| {
        printer.name(&column.name);
        printer.push(&format!(":{}", type_word(column.kind)));
    });
    printer.push(")[");
    printer.joined(&table.values, Printer::expr);
    printer.push("]");
}
