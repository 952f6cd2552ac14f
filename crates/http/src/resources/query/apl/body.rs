//! The body of a query in text as clients send it: all but the text may be absent, null or empty, and means the same
//! then.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use tidegauge_app::service::query::apl::AplInput;
use tidegauge_lang::tree::{Literal, SortKey};
use tidegauge_model::{Rule, Violation};
use tidegauge_web::json::{optional_object, optional_objects};
use utoipa::ToSchema;

use crate::resources::query::body::{OrderRequest, QueryOptions};
use crate::resources::query::compact::compact;

/// How many values a request may bring.
const VARIABLES_MAX: usize = 1_000;

/// A query in text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "apl": "['web'] | where status >= 500 | summarize count() by bin_auto(_time), path",
    "startTime": "now-1h", "endTime": "now",
}))]
pub struct AplRequest {
    #[schema(required = true, value_type = String, example = "['web'] | where status >= 500 | take 10")]
    pub apl: Option<String>,
    /// RFC 3339, or relative to now, such as `now-1h`. Inclusive. Without it all events up to the end are looked at.
    #[schema(example = "now-1h")]
    pub start_time: Option<String>,
    /// Like `startTime`. Exclusive.
    #[schema(example = "now")]
    pub end_time: Option<String>,
    /// A row id: the answer begins after that event. Only for single events in the order of time.
    pub cursor: Option<String>,
    /// Whether the event of the cursor is part of the answer.
    pub include_cursor: Option<bool>,
    /// Whether the answer has the column `_cursor` with the row ids of its events.
    pub include_cursor_field: Option<bool>,
    /// `status.continuationToken` of an answer that was cut.
    pub continuation_token: Option<String>,
    /// How many events the answer has where the text does not say.
    #[schema(minimum = 0, maximum = 50_000, default = 1_000)]
    pub default_limit: Option<i64>,
    /// The order of events where the text does not say.
    #[serde(default, deserialize_with = "optional_objects")]
    pub default_order: Option<Vec<OrderRequest>>,
    /// About how many buckets `bin_auto` makes at most.
    #[schema(minimum = 0, default = 100)]
    pub max_bin_auto_groups: Option<i64>,
    /// Values by name that the text can use. A `let` of the same name goes before.
    #[schema(value_type = Option<Object>)]
    pub variables: Option<BTreeMap<String, Box<RawValue>>>,
    #[serde(default, deserialize_with = "optional_object")]
    pub query_options: Option<QueryOptions>,
}

impl AplRequest {
    pub fn shows_nulls(&self) -> bool {
        self.query_options.as_ref().is_none_or(QueryOptions::shows_nulls)
    }

    /// Asks over another time and with other values, where they are given.
    pub fn take_over(
        &mut self,
        start_time: Option<String>,
        end_time: Option<String>,
        variables: Option<BTreeMap<String, Box<RawValue>>>,
    ) {
        self.start_time = given(start_time).or(self.start_time.take());
        self.end_time = given(end_time).or(self.end_time.take());
        self.variables.get_or_insert_default().extend(variables.unwrap_or_default());
    }

    pub fn into_input(self) -> Result<AplInput, Violation> {
        let text = given(self.apl).ok_or_else(|| Violation::required("apl"))?;
        let variables = literals(self.variables.unwrap_or_default())?;
        let order = self.default_order.unwrap_or_default().into_iter();
        let order = order.filter_map(|key| {
            let field = given(key.field)?;
            Some(SortKey { field, is_descending: key.desc.unwrap_or(false), ..SortKey::default() })
        });
        Ok(AplInput {
            text,
            start_time: given(self.start_time),
            end_time: given(self.end_time),
            cursor: given(self.cursor),
            includes_cursor: self.include_cursor.unwrap_or(false),
            continuation_token: given(self.continuation_token),
            has_cursor_field: self.include_cursor_field.unwrap_or(false),
            default_limit: number("defaultLimit", self.default_limit)?,
            default_order: order.collect(),
            auto_bins_max: number("maxBinAutoGroups", self.max_bin_auto_groups)?,
            variables,
            ..AplInput::default()
        })
    }
}

/// Values by name as the text can use them.
pub fn literals(variables: BTreeMap<String, Box<RawValue>>) -> Result<Vec<(String, Literal)>, Violation> {
    if variables.len() > VARIABLES_MAX {
        let problem = format!("should have at most {VARIABLES_MAX} items");
        return Err(Violation::new("variables", Rule::TooManyItems, problem));
    }
    let named = variables.into_iter().map(|(name, value)| match literal(&value) {
        Some(literal) => Ok((name, literal)),
        None => {
            let problem = "is beyond the range of numbers";
            Err(Violation::new(format!("variables.{name}"), Rule::Maximum, problem))
        }
    });
    named.collect()
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// A number of things; clients that have none send zero.
fn number(field: &str, number: Option<i64>) -> Result<Option<usize>, Violation> {
    match number.map(usize::try_from) {
        None | Some(Ok(0)) => Ok(None),
        Some(Ok(number)) => Ok(Some(number)),
        Some(Err(_)) => Err(Violation::new(field, Rule::Minimum, "should be greater than or equal to 0")),
    }
}

/// Whole numbers keep their digits, however many they are, as they do in events. None beyond the range of a float.
fn literal(json: &RawValue) -> Option<Literal> {
    let text = json.get().trim();
    if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return Literal::number(text);
    }
    Some(match serde_json::from_str(text).ok()? {
        Json::Null | Json::Number(_) => Literal::Null,
        Json::Bool(flag) => Literal::Boolean(flag),
        Json::String(text) => Literal::String(text),
        Json::Array(_) | Json::Object(_) => Literal::Dynamic(compact(text)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegauge_web::json::read;

    fn input(text: &str) -> Result<AplInput, String> {
        let request = read::<AplRequest>(text.as_bytes()).map_err(|error| error.body.message)?;
        request.into_input().map_err(|violation| violation.to_string())
    }

    #[test]
    fn what_is_absent_null_or_empty_means_the_same() {
        let absent = input(r#"{"apl": "['d']"}"#).unwrap();
        let null = input(
            r#"{"apl": "['d']", "startTime": null, "endTime": "", "cursor": null, "includeCursor": false,
                "includeCursorField": null, "defaultLimit": 0, "defaultOrder": null, "libraries": null,
                "maxBinAutoGroups": null, "queryOptions": null, "variables": null, "continuationToken": ""}"#,
        );
        assert_eq!(format!("{absent:?}"), format!("{:?}", null.unwrap()));
    }

    #[test]
    fn values_become_literals_of_their_kinds() {
        let text = r#"{"apl": "print a", "variables":
            {"a": 1, "b": 1.5, "c": "x", "d": true, "e": null, "f": [1, "y"], "g": {"k": 2}}}"#;
        let values: Vec<Literal> =
            input(text).unwrap().variables.into_iter().map(|(_, value)| value).collect();
        let expected = [
            Literal::Integer(1),
            Literal::Float(1.5),
            Literal::String("x".to_owned()),
            Literal::Boolean(true),
            Literal::Null,
            Literal::Dynamic(r#"[1,"y"]"#.to_owned()),
            Literal::Dynamic(r#"{"k":2}"#.to_owned()),
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn integers_in_lists_and_objects_keep_their_digits() {
        let text = r#"{"apl": "print a", "variables":
            {"a": [18446744073709551617, 1], "b": {"k": [-18446744073709551617]}}}"#;
        let values = input(text).unwrap().variables.into_iter().map(|(_, value)| value);
        let expected = [r#"[18446744073709551617,1]"#, r#"{"k":[-18446744073709551617]}"#];
        assert_eq!(values.collect::<Vec<_>>(), expected.map(|text| Literal::Dynamic(text.to_owned())));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, problem) in [
            ("{}", "apl in body is required"),
            (r#"{"apl": " "}"#, "apl in body is required"),
            (r#"{"apl": 1}"#, "apl in body must be a string"),
            (
                r#"{"apl": "a", "defaultLimit": -1}"#,
                "defaultLimit in body should be greater than or equal to 0",
            ),
            (r#"{"apl": "a", "variables": []}"#, "variables in body must be an object"),
        ] {
            assert_eq!(input(text).unwrap_err(), problem);
        }
    }
}
