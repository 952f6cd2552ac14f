//! `externaldata`: rows of files at addresses. Whether an address may be fetched is left to others.

use crate::lexer::TokenKind;
use crate::parser::{Parser, type_word};
use crate::print::Printer;
use crate::suggest;
use crate::tree::{ExternalData, ExternalFormat, Literal};
use crate::{Diagnostic, Span};

const FORMATS: &[(&str, ExternalFormat)] = &[
    ("csv", ExternalFormat::Csv),
    ("scsv", ExternalFormat::Scsv),
    ("tsv", ExternalFormat::Tsv),
    ("psv", ExternalFormat::Psv),
    ("json", ExternalFormat::Json),
    ("multijson", ExternalFormat::MultiJson),
    ("raw", ExternalFormat::Raw),
    ("txt", ExternalFormat::Txt),
];

const SETTINGS: &[&str] = &["format", "ignoreFirstRecord", "skipFirstRow"];
const EXAMPLE: &str =
    "externaldata (id:long, name:string) [\"https://example.com/names.csv\"] with (format=\"csv\")";

impl Parser<'_> {
    pub(super) fn external(&mut self) -> Option<ExternalData> {
        self.cursor.advance();
        let columns = self.columns(true, EXAMPLE);
        let Some(open) = self.cursor.accept(&TokenKind::LeftBracket) else {
            self.report_missing("`[` with an address", EXAMPLE);
            return None;
        };
        let mut addresses = Vec::new();
        loop {
            addresses.push(self.expect_text("an address in quotes", EXAMPLE)?.0);
            if self.cursor.accept(&TokenKind::Comma).is_none() || self.cursor.is_at(&TokenKind::RightBracket)
            {
                break;
            }
        }
        let span = open.to(self.close(TokenKind::RightBracket, open));
        let mut external = ExternalData { columns, addresses, span, format: None, skips_first: false };
        if self.accept_word("with").is_some() {
            let Some(open) = self.cursor.accept(&TokenKind::LeftParenthesis) else {
                self.report_missing("`(` with settings", "with (format=\"csv\")");
                return None;
            };
            loop {
                if self.external_setting(&mut external).is_none() {
                    self.skip_stage();
                    break;
                }
                if self.cursor.accept(&TokenKind::Comma).is_none() {
                    break;
                }
            }
            self.close(TokenKind::RightParenthesis, open);
        }
        Some(external)
    }

    fn external_setting(&mut self, external: &mut ExternalData) -> Option<()> {
        let (name, span) = self.expect_name("a setting", "format=\"csv\"")?;
        if self.cursor.accept(&TokenKind::Equal).is_none() {
            self.report_missing("`=`", "format=\"csv\"");
            return None;
        }
        let value_span = self.cursor.span();
        let value = match self.cursor.peek() {
            TokenKind::Literal(Literal::String(text)) => text.clone(),
            _ => self.cursor.slice(value_span).to_owned(),
        };
        self.cursor.advance();
        match (name.as_str(), value.as_str()) {
            ("format", format) => match FORMATS.iter().find(|(name, _)| *name == format) {
                Some((_, format)) => external.format = Some(*format),
                None => {
                    self.report_choice(format, "format", FORMATS.iter().map(|(name, _)| *name), value_span)
                }
            },
            ("ignoreFirstRecord" | "skipFirstRow", "true" | "false") => {
                external.skips_first = value == "true"
            }
            ("ignoreFirstRecord" | "skipFirstRow", other) => {
                self.report_choice(other, "value here", ["true", "false"].into_iter(), value_span);
            }
            (other, _) => {
                self.report_choice(other, "setting of `externaldata`", SETTINGS.iter().copied(), span)
            }
        }
        Some(())
    }

    fn report_choice<'n>(
        &mut self,
        found: &str,
        what: &str,
        names: impl Iterator<Item = &'n str>,
        span: Span,
    ) {
        let names: Vec<&str> = names.collect();
        let hint = match suggest::nearest(found, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of {}", names.join(", ")),
        };
        self.cursor.report(Diagnostic::new(format!("`{found}` is no {what}"), span).with_hint(hint));
    }
}

pub(super) fn print(external: &ExternalData, printer: &mut Printer) {
    printer.push("externaldata (");
    printer.joined(&external.columns, |printer, column| {
        printer.name(&column.name);
        printer.push(&format!(":{}", type_word(column.kind)));
    });
    printer.push(") [");
    printer.joined(&external.addresses, |printer, address| printer.string(address));
    printer.push("]");
    let format = FORMATS.iter().find(|(_, format)| Some(*format) == external.format);
    let mut settings: Vec<String> = format.iter().map(|(name, _)| format!("format=\"{name}\"")).collect();
    if external.skips_first {
        settings.push("ignoreFirstRecord=true".to_owned());
    }
    if !settings.is_empty() {
        printer.push(&format!(" with ({})", settings.join(", ")));
    }
}
