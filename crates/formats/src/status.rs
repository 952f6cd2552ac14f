//! The `status` of an answer: what the work was, measured, and what a person should know of it.

use tidegauge_engine::{Answer, Message};

use super::json::{write_comma, write_key, write_member, write_string, write_text_member, write_time};
use super::shown::{MAIN, Shown, TOTALS};

/// What clients written in Go take for "not set", and every other client for a time.
pub(super) const NO_TIME: &str = "0001-01-01T00:00:00Z";

/// Bits of `cacheStatus`.
const MISS: u8 = 1;
const KEPT: u8 = 2;
const UNFLUSHED: u8 = 8;

pub(super) fn write(out: &mut Vec<u8>, shown: &Shown<'_>) {
    let figures = &shown.answer.figures;
    let elapsed = u64::try_from(figures.elapsed.as_micros()).unwrap_or(u64::MAX).max(1);
    out.push(b'{');
    write_member(out, "elapsedTime", elapsed);
    write_member(out, "blocksExamined", figures.blocks_examined);
    write_member(out, "rowsExamined", figures.rows_examined);
    write_member(out, "rowsMatched", figures.rows_matched);
    write_member(out, "numGroups", u32::try_from(figures.groups).unwrap_or(u32::MAX));
    write_member(out, "isPartial", shown.answer.continues_at.is_some());
    write_text_member(out, "continuationToken", shown.continuation_token.unwrap_or_default());
    write_member(out, "isEstimate", figures.is_estimate);
    let kept = if figures.blocks_kept > 0 { KEPT } else { 0 };
    // Nothing was computed anew where all blocks were kept.
    let missed = if figures.blocks_kept > 0 && figures.rows_examined == 0 { 0 } else { MISS };
    write_member(out, "cacheStatus", missed | kept | if figures.has_unflushed { UNFLUSHED } else { 0 });
    write_block_time(out, "minBlockTime", figures.block_times.map(|(min, _)| min));
    write_block_time(out, "maxBlockTime", figures.block_times.map(|(_, max)| max));
    if let Some((min, max)) = figures.row_ids {
        write_text_member(out, "minCursor", &min.to_string());
        write_text_member(out, "maxCursor", &max.to_string());
    }
    write_key(out, "messages");
    out.push(b'[');
    each_message(shown, |priority, code, text| write_message(out, priority, code, text));
    out.extend_from_slice(b"]}");
}

fn write_block_time(out: &mut Vec<u8>, name: &str, time: Option<i64>) {
    write_key(out, name);
    match time {
        Some(time) => write_time(out, time),
        None => write_string(out, NO_TIME),
    }
}

/// The codes of all messages, for answers that have no status.
pub(super) fn codes(shown: &Shown<'_>) -> String {
    let mut codes: Vec<String> = Vec::new();
    each_message(shown, |_, code, _| codes.push(code.to_owned()));
    codes.join(", ")
}

/// What a person should know of an answer: how important it is, its code, and its text.
fn each_message(shown: &Shown<'_>, mut tell: impl FnMut(&str, &str, &str)) {
    for message in &shown.answer.messages {
        let (code, text) = told(message);
        tell("warn", code, &text);
    }
    if shown.answer.figures.is_estimate {
        let text = "some values are estimates: of so many values, what dcount, percentile, histogram, topk, phrases and \
            spotlight give is close and not exact";
        tell("info", "estimate", text);
    }
    for text in shown.text.iter().flat_map(|text| &text.warnings) {
        let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        tell("warn", &format!("apl_{letters}_1"), text);
    }
    if shown.answer.continues_at.is_some() {
        let text = "the answer was cut, because all of it would take too long or be too large: ask the same again with \
            continuationToken to go on";
        tell("warn", "answer_cut", text);
    }
    if shown.is_window_cut {
        let text = "the licence does not let queries look back so far: the range begins later than asked for";
        tell("warn", "license_limit_for_query_warning", text);
    }
    if let Some(limit) = shown.default_limit.filter(|limit| is_cut_at(shown.answer, *limit)) {
        let text = format!(
            "there is more than the default limit of {limit}: ask for it with limit, or page with cursor"
        );
        tell("warn", "default_limit_warning", &text);
    }
}

/// The code and the text of a message.
fn told(message: &Message) -> (&'static str, String) {
    match message {
        Message::MissingField { name, near } => {
            let hint = near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            ("missing_column", format!("no event has had the field {name:?}: it counts as null{hint}"))
        }
        Message::FailedField(field) => (
            "virtual_field_finalize_error",
            format!("the virtual field {field:?} could not be computed for every row: it is null there"),
        ),
        Message::DefaultLimit(limit) => (
            "default_limit_warning",
            format!("a default limit of {limit} was applied: ask for more with `| limit`, or page with cursor"),
        ),
        Message::RowsCut(rows) => (
            "apl_rowlimitapplied_1",
            format!("an answer has at most {rows} rows here: narrow the query, or page with cursor"),
        ),
        Message::NoPlaces => (
            "no_geo_database",
            "no geo database is configured, so the places of addresses are empty: the operator names one with \
             geo_database"
                .to_owned(),
        ),
        Message::Cut { function, limit, unit } => (
            "values_cut",
            format!("`{function}` takes at most {limit} {unit}: what is beyond them was left out"),
        ),
        Message::NullBeyond { function, limit, unit } => (
            "values_cut",
            format!("`{function}` makes at most {limit} {unit}: where there would be more, it gave null"),
        ),
        Message::TextWithNumber(field) => (
            "text_compared_with_number",
            format!(
                "the field {field:?} holds texts alone, and no text is equal to a number: write the number in \
                 quotes, or convert the field, as with `tolong({field})`"
            ),
        ),
        Message::LimitOfGroups(limit) => (
            "limit_of_groups",
            format!(
                "behind a summary over time the limit of {limit} is the number of groups in every bucket, not of \
                 rows: write `| top {limit} by …` for rows"
            ),
        ),
        Message::HiddenBySource(field) => (
            "hidden_by_withsource",
            format!(
                "the field {field:?} of the tables is hidden by the column that `withsource` names: name another \
                 to see both"
            ),
        ),
    }
}

/// Whether a limit kept anything back: of events by their number, of groups by theirs.
fn is_cut_at(answer: &Answer, limit: u64) -> bool {
    let shown =
        |name: &str| answer.tables.iter().find(|table| table.name == name).map(|table| table.rows as u64);
    match (shown(TOTALS), shown(MAIN)) {
        (Some(groups), _) => groups >= limit && answer.figures.groups > limit,
        (None, Some(rows)) => rows >= limit && answer.figures.rows_matched > limit,
        (None, None) => false,
    }
}

fn write_message(out: &mut Vec<u8>, priority: &str, code: &str, text: &str) {
    write_comma(out);
    out.push(b'{');
    write_text_member(out, "priority", priority);
    write_member(out, "count", 1);
    write_text_member(out, "code", code);
    write_text_member(out, "msg", text);
    out.push(b'}');
}
