//! What a dashboard's document must look like, in the form that clients of the public service write: a name, charts, a
//! layout of twelve columns, a window of time. Checking one changes nothing in it. The charts are checked in `charts`.

use serde_json::Value;
use serde_json::value::RawValue;
use tidegauge_model::UserId;
use tidegauge_model::dashboard::{DashboardUid, EVERYONE, UID_BYTES_MAX};

use super::charts;
use super::fault::invalid;
use super::fields::Fields;
use super::unique::Unique;
use crate::service::Result;

/// Longest document, in bytes of JSON.
pub(super) const BYTES_MAX: usize = 1024 * 1024;

const NAME_MAX: usize = 100;
const OWNER_MAX: usize = 256;
const DESCRIPTION_MAX: usize = 1_000;
const LAYOUT_MAX: usize = 200;
const SECTIONS_MAX: usize = 1_000;
const TIME_MAX: usize = 100;

/// How often a dashboard can ask anew, in seconds.
const REFRESH_SECONDS: &[i64] = &[15, 60, 300, 900];

/// The forms of documents, of which there is one.
const SCHEMA_VERSIONS: &[i64] = &[2];

/// Columns of the layout.
const COLUMNS: i64 = 12;

/// Highest chart, in rows.
const ROWS_MAX: i64 = 100;

/// The greatest whole number that every reader of JSON has exactly.
const EXACT_MAX: i64 = (1 << 53) - 1;

const KEYS: &[&str] = &[
    "name",
    "owner",
    "description",
    "charts",
    "layout",
    "sections",
    "refreshTime",
    "schemaVersion",
    "timeWindowStart",
    "timeWindowEnd",
    "against",
    "againstTimestamp",
    "uid",
    "overrides",
    "datasets",
    // What some clients read as part of the document and send back with it.
    "id",
    "version",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
];

const LAYOUT_KEYS: &[&str] = &[
    "i",
    "x",
    "y",
    "w",
    "h",
    "minW",
    "minH",
    "maxW",
    "maxH",
    "static",
    "moved",
    "isDraggable",
    "isResizable",
    "isBounded",
    "resizeHandles",
];

/// What is taken from a document that can be kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) name: String,
    /// The one person who sees it; none for the whole organisation.
    pub(super) owner: Option<UserId>,
    pub(super) uid: Option<DashboardUid>,
}

pub(super) fn check(document: &RawValue) -> Result<Checked> {
    check_text(document.get())
}

pub(super) fn check_text(text: &str) -> Result<Checked> {
    if text.len() > BYTES_MAX {
        return Err(invalid("", format!("should be at most {BYTES_MAX} bytes of JSON")));
    }
    let document = read(text)?;
    let fields = Fields::of("", &document)?;
    fields.only(KEYS)?;
    for key in
        ["name", "charts", "layout", "refreshTime", "schemaVersion", "timeWindowStart", "timeWindowEnd"]
    {
        fields.require(key)?;
    }
    let name = fields.text("name", 1, NAME_MAX)?.unwrap_or_default();
    if name.trim().is_empty() {
        return Err(fields.wrong("name", "should be at least 1 chars long"));
    }
    fields.text("description", 0, DESCRIPTION_MAX)?;
    check_times(&fields)?;
    check_layout(&fields)?;
    fields.list("sections", SECTIONS_MAX)?;
    charts::check(&fields)?;
    let owner = fields.text("owner", 0, OWNER_MAX)?.filter(|owner| !owner.is_empty() && *owner != EVERYONE);
    let uid = fields.text("uid", 0, UID_BYTES_MAX)?.filter(|uid| !uid.is_empty());
    let read_uid = |uid| {
        let problem = format!("must be 1 to {UID_BYTES_MAX} letters, digits, _ and -");
        DashboardUid::parse(uid).ok_or_else(|| fields.wrong("uid", problem))
    };
    Ok(Checked { name: name.to_owned(), owner: owner.map(Into::into), uid: uid.map(read_uid).transpose()? })
}

/// Reads JSON of which no object has a key twice.
pub(super) fn read(text: &str) -> Result<Value> {
    match serde_json::from_str(text) {
        Ok(Unique(value)) => Ok(value),
        Err(error) => {
            let error = error.to_string();
            Err(invalid("", error.split(" at line ").next().unwrap_or(&error)))
        }
    }
}

fn check_times(fields: &Fields<'_>) -> Result<()> {
    fields.one_of("schemaVersion", SCHEMA_VERSIONS)?;
    fields.one_of("refreshTime", REFRESH_SECONDS)?;
    for key in ["timeWindowStart", "timeWindowEnd"] {
        let time = fields.text(key, 1, TIME_MAX)?.unwrap_or_default();
        if !time.starts_with("qr-") && !time.bytes().all(|byte| byte.is_ascii_digit()) {
            let problem = "must be a quick range such as qr-now-1h and qr-now, or milliseconds since 1970";
            return Err(fields.wrong(key, problem));
        }
    }
    fields.text("against", 0, TIME_MAX)?;
    fields.text("againstTimestamp", 0, TIME_MAX)?;
    Ok(())
}

fn check_layout(fields: &Fields<'_>) -> Result<()> {
    let layout = fields.list("layout", LAYOUT_MAX)?.unwrap_or_default();
    for (index, item) in layout.iter().enumerate() {
        let item = Fields::of(format!("layout {index}"), item)?;
        item.only(LAYOUT_KEYS)?;
        for key in ["i", "x", "w", "h"] {
            item.require(key)?;
        }
        item.text("i", 1, charts::ID_MAX)?;
        item.whole("x", 0, COLUMNS - 1)?;
        item.whole("y", 0, EXACT_MAX)?;
        item.number("minH", 0.0, 100.0)?;
        for (key, max) in [("w", COLUMNS), ("minW", COLUMNS), ("maxW", COLUMNS), ("h", ROWS_MAX)] {
            item.whole(key, 1, max)?;
        }
        item.whole("maxH", 1, ROWS_MAX)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegauge_model::ErrorKind;

    use super::*;

    fn document() -> Value {
        json!({
            "name": "Tides", "charts": [], "layout": [{"i": "a", "x": 0, "y": null, "w": 12, "h": 4, "minH": 0.5}],
            "refreshTime": 60.0, "schemaVersion": 2, "timeWindowStart": "qr-now-1h", "timeWindowEnd": "1704067200000",
        })
    }

    fn problem(change: impl FnOnce(&mut Value)) -> String {
        let mut document = document();
        change(&mut document);
        let error = check_text(&document.to_string()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
        error.message.strip_prefix("dashboard validation failed at ").unwrap_or(&error.message).to_owned()
    }

    #[test]
    fn the_name_the_owner_and_the_uid_are_taken_from_a_document() {
        let mut full = document();
        for everyone in [Value::Null, json!(""), json!(EVERYONE)] {
            full["owner"] = everyone;
            full["uid"] = json!("");
            let expected = Checked { name: "Tides".to_owned(), owner: None, uid: None };
            assert_eq!(check_text(&full.to_string()).unwrap(), expected);
        }
        full["owner"] = json!("user_1");
        full["uid"] = json!("tides");
        let checked = check_text(&full.to_string()).unwrap();
        assert_eq!((checked.owner, checked.uid), (Some("user_1".into()), Some("tides".into())));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_path() {
        let cases: [(&str, Value, &str); 16] = [
            ("name", json!(" "), "[name]: should be at least 1 chars long"),
            ("name", json!("n".repeat(101)), "[name]: should be at most 100 chars long"),
            ("name", json!("a\0"), "[name]: must not contain the NUL character"),
            ("charts", Value::Null, "[charts]: is required"),
            ("charts", json!({}), "[charts]: must be a list"),
            ("layout", json!([1]), "[layout 0]: must be an object"),
            (
                "layout",
                json!([{"i": "a", "x": 12, "w": 1, "h": 1}]),
                "[layout 0 x]: must be a whole number from 0 to 11",
            ),
            ("layout", json!([{"i": "a", "x": 0, "w": 1}]), "[layout 0 h]: is required"),
            (
                "layout",
                json!([{"i": "a", "x": 0, "w": 1, "h": 1, "minH": 101}]),
                "[layout 0 minH]: must be a number from 0 to 100",
            ),
            ("refreshTime", json!(10), "[refreshTime]: must be one of [15 60 300 900]"),
            ("refreshTime", json!(60.5), "[refreshTime]: must be one of [15 60 300 900]"),
            ("schemaVersion", json!(1), "[schemaVersion]: must be one of [2]"),
            (
                "timeWindowEnd",
                json!("now"),
                "[timeWindowEnd]: must be a quick range such as qr-now-1h and qr-now, or milliseconds since 1970",
            ),
            ("uid", json!("a b"), "[uid]: must be 1 to 128 letters, digits, _ and -"),
            ("owner", json!(5), "[owner]: must be a string"),
            ("colour", json!("red"), "[dashboard]: Unrecognized key: \"colour\""),
        ];
        for (key, value, expected) in cases {
            assert_eq!(problem(|document| document[key] = value), expected);
        }
        assert_eq!(problem(|document| *document = json!([])), "[dashboard]: must be an object");
    }

    #[test]
    fn what_two_readers_would_read_in_two_ways_is_refused() {
        let twice = document().to_string().replacen('{', "{\"name\": \"Other\", ", 1);
        let error = check_text(&twice).unwrap_err();
        assert_eq!(
            error.message,
            "dashboard validation failed at [dashboard]: the key \"name\" is given twice"
        );
        let infinite = document().to_string().replace("0.5", "1e999");
        assert!(check_text(&infinite).unwrap_err().message.ends_with("number out of range"));
    }

    #[test]
    fn a_document_has_a_longest_form() {
        let mut long = document();
        long["overrides"] = json!("o".repeat(BYTES_MAX));
        assert!(check_text(&long.to_string()).unwrap_err().message.contains("bytes of JSON"));
    }
}
