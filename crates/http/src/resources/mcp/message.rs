//! Messages of JSON-RPC 2.0 as this protocol has them: a request has a method and an id that is a text or a number, and a
//! notification has none. Lists of messages are not taken, as no revision since 2025-06-18 has them.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tidegauge_web::json;
use utoipa::ToSchema;

use super::revision::Era;

/// What every message says that it is.
const VERSION: &str = "2.0";

/// The codes of JSON-RPC, and below them those of the protocol.
const NOT_JSON: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const NO_METHOD: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;
const HEADER_MISMATCH: i64 = -32_020;
const UNSUPPORTED_VERSION: i64 = -32_022;

/// A message of a client.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct McpMessage {
    #[schema(example = "2.0", pattern = "^2\\.0$")]
    jsonrpc: String,
    /// A notification has none.
    #[serde(default, deserialize_with = "present")]
    #[schema(required = false, nullable = false, value_type = McpId, example = 1)]
    id: Option<Value>,
    /// Missing in the answer to a request, which nobody here has made.
    #[schema(required = true, value_type = String, example = "tools/list")]
    method: Option<String>,
    #[schema(required = false, nullable = false, value_type = Object, example = json!({}))]
    params: Option<Box<RawValue>>,
}

/// What an answer is known by.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum McpId {
    Number(i64),
    Text(String),
}

/// A message that is a request, or without an id a notification.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) id: Option<McpId>,
    pub(super) method: String,
    pub(super) params: Params,
}

/// What the methods take, of which each looks at its own.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    #[serde(rename = "_meta")]
    pub(super) meta: Option<Map<String, Value>>,
    pub(super) protocol_version: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: Option<Box<RawValue>>,
}

/// Why a message is not answered with a result.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    code: i64,
    message: String,
    data: Option<Box<Value>>,
}

/// Tells null, which is no id, from none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl McpMessage {
    /// What the message asks for; or why it asks for nothing, with its id where it has one.
    pub(super) fn read(self) -> Result<Incoming, (Option<McpId>, Fault)> {
        let id = match self.id.map(serde_json::from_value::<McpId>).transpose() {
            Ok(id) => id,
            Err(_) => return Err((None, Fault::invalid_request("the id must be a whole number or a text"))),
        };
        let Some(method) = self.method.filter(|_| self.jsonrpc == VERSION) else {
            let problem =
                "must be one request or notification of JSON-RPC 2.0, with \"jsonrpc\": \"2.0\" and a method";
            return Err((id, Fault::invalid_request(problem)));
        };
        let params = match self.params.map(|params| json::read::<Params>(params.get().as_bytes())) {
            None => Params::default(),
            Some(Ok(params)) => params,
            Some(Err(error)) => {
                let problem = error.body.message.replacen(" in body ", " in params ", 1);
                return Err((id, Fault::invalid_params(problem)));
            }
        };
        Ok(Incoming { id, method, params })
    }
}

impl Fault {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn not_json(message: impl Into<String>) -> Self {
        Self::new(NOT_JSON, message)
    }

    pub(super) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    pub(super) fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(HEADER_MISMATCH, message)
    }

    pub(super) fn no_method(method: &str) -> Self {
        let method: String = method.chars().take(128).collect();
        Self::new(NO_METHOD, format!("there is no method {method:?} here"))
    }

    pub(super) fn unsupported_version(requested: &str, supported: &[&str]) -> Self {
        let requested: String = requested.chars().take(64).collect();
        Self {
            data: Some(Box::new(json!({"supported": supported, "requested": requested}))),
            ..Self::new(UNSUPPORTED_VERSION, "Unsupported protocol version")
        }
    }

    fn text(&self, id: Option<&McpId>) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = Value::clone(data);
        }
        json!({"jsonrpc": VERSION, "id": id, "error": error})
    }

    /// A message that was not understood as one.
    pub(super) fn refused(&self, id: Option<&McpId>) -> Response {
        (StatusCode::BAD_REQUEST, Json(self.text(id))).into_response()
    }

    /// A request that was understood and cannot be answered. Clients of before 2026 take a status that is no success for a
    /// fault of the connection, and 404 for a session that has ended.
    pub(super) fn answered(&self, id: &McpId, era: Era) -> Response {
        let status = match (era, self.code) {
            (Era::Handshake, _) => StatusCode::OK,
            (Era::PerRequest, NO_METHOD) => StatusCode::NOT_FOUND,
            (Era::PerRequest, _) => StatusCode::BAD_REQUEST,
        };
        (status, Json(self.text(Some(id)))).into_response()
    }
}

/// A request with its result.
pub(super) fn answered(id: &McpId, result: &impl Serialize) -> Response {
    #[derive(Serialize)]
    struct Answered<'a, R> {
        jsonrpc: &'static str,
        id: &'a McpId,
        result: &'a R,
    }
    Json(Answered { jsonrpc: VERSION, id, result }).into_response()
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::{self, SeededRng};

    use super::*;

    fn read(text: &str) -> Result<Incoming, i64> {
        let message: McpMessage = json::read(text.as_bytes()).map_err(|error| i64::from(error.body.code))?;
        message.read().map_err(|(_, fault)| fault.code)
    }

    #[test]
    fn a_message_is_a_request_or_a_notification() {
        let request = read(r#"{"jsonrpc": "2.0", "id": "a", "method": "ping"}"#).unwrap();
        assert_eq!((request.id, request.method.as_str()), (Some(McpId::Text("a".to_owned())), "ping"));
        let notification = read(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#).unwrap();
        assert_eq!(notification.id, None);
        for (text, code) in [
            (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#, INVALID_REQUEST),
            (r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}"#, INVALID_PARAMS),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": 1}}"#, INVALID_PARAMS),
        ] {
            assert_eq!(read(text).unwrap_err(), code, "{text}");
        }
        assert!(read("[]").is_err());
    }

    #[test]
    fn a_damaged_message_is_read_or_refused() {
        let rng = SeededRng::new(7);
        let call = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"_meta": {"a": []},
            "protocolVersion": "2026-07-28", "name": "query_apl", "arguments": {"apl": "web | count"}}}"#;
        let mut read_whole = 0;
        for _ in 0..20_000 {
            let [first, second, with, length] = rng::bytes::<4>(&rng).map(usize::from);
            let mut bytes = call.as_bytes().to_vec();
            for place in [first, second] {
                let place = place % bytes.len();
                bytes[place] = with as u8;
            }
            bytes.truncate(if length.is_multiple_of(4) { length } else { bytes.len() });
            let Ok(message) = json::read::<McpMessage>(&bytes) else { continue };
            match message.read() {
                Ok(_) => read_whole += 1,
                Err((_, fault)) => assert!([INVALID_REQUEST, INVALID_PARAMS].contains(&fault.code)),
            }
        }
        assert!(read_whole > 0, "some changes do not matter");
    }

    #[test]
    fn old_clients_get_errors_with_success_and_new_ones_with_a_status() {
        let fault = Fault::no_method("x");
        assert_eq!(fault.answered(&McpId::Number(1), Era::Handshake).status(), 200);
        assert_eq!(fault.answered(&McpId::Number(1), Era::PerRequest).status(), 404);
        assert_eq!(Fault::invalid_params("x").answered(&McpId::Number(1), Era::PerRequest).status(), 400);
    }
}
