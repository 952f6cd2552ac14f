//! Columns of just so many bytes that they are decoded whole, and of one more, so that only the wanted rows of them are,
//! or portions: the answers are those that the events say.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tidegauge_engine::Engine;
use tidegauge_store::DatasetState;

use crate::support::engines::{asked, engine};
use crate::support::house::{House, SECOND, START, block_on};
use crate::support::tables::rows;

/// So many bytes of a column are decoded whole.
const COLUMN_BYTES_MAX: usize = 64 << 20;

const ROWS: usize = 128;
const OF_A_REQUEST: usize = 16;

/// The row whose text makes the difference.
const ODD: usize = 77;

/// Events whose field `a`, and if it is wanted `b`, has the limit and so many bytes more in all, in few different texts:
/// what counts is what all rows have together.
#[derive(Clone, Copy)]
struct Column {
    more: isize,
    has_b: bool,
}

impl Column {
    fn letter(self, row: usize) -> char {
        match row {
            ODD if self.more != 0 => 'c',
            _ if row.is_multiple_of(3) => 'a',
            _ => 'b',
        }
    }

    fn length(self, row: usize) -> usize {
        let length = COLUMN_BYTES_MAX / ROWS;
        if row == ODD { length.saturating_add_signed(self.more) } else { length }
    }

    fn request(self, first: usize) -> String {
        let mut lines = String::new();
        for row in first..first + OF_A_REQUEST {
            let letter = self.letter(row);
            let text = format!("{letter}{}{letter}", "-".repeat(self.length(row) - 2));
            let _ = write!(lines, r#"{{"_time":{},"n":{row},"a":"{text}""#, START + row as i64 * SECOND);
            if self.has_b {
                let _ = write!(lines, r#","b":"{text}""#);
            }
            lines += "}\n";
        }
        lines
    }

    /// All events in one block of a segment.
    async fn filled(self, house: &House) -> Arc<DatasetState> {
        let state = house.dataset().await;
        for first in (0..ROWS).step_by(OF_A_REQUEST) {
            house.ingest(&state, &self.request(first)).await;
        }
        house.flush(&state).await;
        state
    }

    fn numbers(self, passes: impl Fn(usize) -> bool) -> Json {
        (0..ROWS).filter(|row| passes(*row)).map(|row| json!([row])).collect()
    }

    /// Questions with their answers: of all rows, of some, and of the first in an order.
    fn questions(self) -> Vec<(String, Json)> {
        let some: Json = (0..ROWS)
            .filter(|row| row % 8 == 5)
            .map(|row| json!([row, self.length(row), self.letter(row).to_string()]))
            .collect();
        let mut lengths = std::collections::BTreeMap::new();
        (0..ROWS).for_each(|row| *lengths.entry((self.letter(row), self.length(row))).or_insert(0) += 1);
        let lengths: Json = lengths
            .iter()
            .map(|((letter, length), count)| json!([letter.to_string(), length, count]))
            .collect();
        let mut ordered: Vec<usize> = (0..ROWS).collect();
        ordered.sort_by_key(|row| (std::cmp::Reverse(self.letter(*row)), *row));
        let ordered: Json = ordered[..4].iter().map(|row| json!([row])).collect();
        let mut questions = vec![
            (
                "logs | where a endswith '-b' | sort by n asc | project n".to_owned(),
                self.numbers(|row| self.letter(row) == 'b'),
            ),
            (
                format!("logs | where n == {ODD} and a startswith 'c' | project n"),
                self.numbers(|row| row == ODD && self.letter(row) == 'c'),
            ),
            (
                "logs | where n % 8 == 5 | sort by n asc \
                 | project n, l = strlen(a), f = substring(a, 0, 1)"
                    .to_owned(),
                some,
            ),
            (
                "logs | summarize c = count() by k = substring(a, 0, 1), l = strlen(a) | sort by k asc, l asc"
                    .to_owned(),
                lengths,
            ),
            ("logs | sort by a desc, n asc | take 4 | project n".to_owned(), ordered),
        ];
        if self.has_b {
            // Both columns at once are more than are ever decoded at once.
            let text = "logs | where a endswith '-a' or b endswith '-c' | sort by n asc | project n";
            questions.push((text.to_owned(), self.numbers(|row| self.letter(row) != 'b')));
        }
        questions
    }
}

/// An engine that decodes so many bytes at once, which are an eighth of what a query may have.
fn engine_of(house: &House, whole_bytes: usize) -> Engine {
    engine(house, |settings| {
        settings.memory_bytes = whole_bytes * 8;
        settings.query_memory_bytes = whole_bytes * 8;
        settings.cache_bytes = 256 << 20;
        settings.spill_folder = house.folder().join(format!("spill-{whole_bytes}"));
    })
}

#[test]
fn columns_are_read_the_same_on_both_sides_of_what_is_decoded_whole() {
    block_on(async {
        let house = House::new().await;
        for column in [
            Column { more: -1, has_b: false },
            Column { more: 0, has_b: false },
            Column { more: 1, has_b: true },
        ] {
            let state = column.filled(&house).await;
            // In portions where the column is large, and one of them whole.
            for whole_bytes in [COLUMN_BYTES_MAX, 2 * COLUMN_BYTES_MAX] {
                let engine = engine_of(&house, whole_bytes);
                for (text, wanted) in column.questions() {
                    for time in ["first", "second"] {
                        let answer = asked(&engine, &state, &text).await;
                        let place = format!("{} more, {whole_bytes}, {time}: {text}", column.more);
                        assert_eq!(rows(&answer.tables[0]), wanted, "{place}");
                    }
                }
            }
            house.store.remove(state.id());
        }
    });
}
