//! The token with which a client goes on where an answer was cut: the last row of the answer so far, in a form that
//! is not taken for a cursor. Clients pass it back as it is and read nothing in it.

use tidegauge_model::RowId;

/// Which form of token this is, so that another can follow it.
const PREFIX: &str = "after-";

/// What is told of a text that is no cursor.
pub const NOT_A_CURSOR: &str = "must be a cursor or a _rowId of an answer, whole and unchanged; leave it out to begin with the first page";

/// What is told of a text that is no token.
pub const NOT_A_TOKEN: &str = "must be the continuationToken of an answer, whole and unchanged; leave it out to ask again from the start";

/// The token that goes on after a row.
pub fn continuation_token(row: RowId) -> String {
    format!("{PREFIX}{row}")
}

/// The row that a token goes on after.
pub fn continuation_row(token: &str) -> Option<RowId> {
    RowId::parse(token.strip_prefix(PREFIX)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_and_a_cursor_is_none() {
        let row = RowId { time: 1_782_900_000_000_000_000, sequence: 7, index: 3 };
        assert_eq!(continuation_row(&continuation_token(row)), Some(row));
        assert_eq!(continuation_row(&row.to_string()), None);
        assert_eq!(continuation_row("after-"), None);
        let token = continuation_token(row);
        assert_eq!(continuation_row(&token[..token.len() - 1]), None);
    }
}
