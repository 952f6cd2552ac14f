//! The methods of the protocol: who the service is, that it is there, which tools there are for the caller, and calling
//! one. What goes wrong in a tool is a result that says so, because models read results and not errors.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tidegauge_app::App;
use tidegauge_web::extract::Caller;

use super::era::CALL;
use super::message::{Fault, Params};
use super::revision::{Era, HANDSHAKE, supported};
use super::tool::{ToolCall, told};
use super::tools;
use crate::guard::InFlight;

/// How long a client may keep what the service says of itself, in milliseconds.
const KEPT_MS: u32 = 300_000;

/// What a model is told of the service as a whole.
const INSTRUCTIONS: &str = "Tidegauge keeps events (logs, spans, metrics and others) in datasets and answers queries in \
    APL, a language of pipes: ['dataset'] | where status >= 500 | summarize count() by bin_auto(_time), path. Begin with \
    listDatasets and getDatasetSchema, then ask with queryApl; give startTime and endTime, and let summarize, project and \
    take make answers small. Every event has _time. What is wrong with a query is told with its place.";

/// One request with what is known of its sender.
pub(super) struct Asked<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    pub(super) in_flight: &'a Arc<InFlight>,
    pub(super) era: Era,
}

/// A result in the words of the client's revision.
#[derive(Serialize)]
pub(super) struct Complete {
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
    #[serde(flatten)]
    content: Content,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Document(Value),
    Called(Called),
}

/// What a tool has found. The text is for those who do not read the other.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Called {
    content: [Text; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Box<RawValue>>,
    is_error: bool,
}

#[derive(Serialize)]
struct Text {
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
}

impl Called {
    fn found(found: Box<RawValue>) -> Self {
        let text = found.get().to_owned();
        Self { content: [Text { kind: "text", text }], structured_content: Some(found), is_error: false }
    }

    fn failed(text: String) -> Self {
        Self { content: [Text { kind: "text", text }], structured_content: None, is_error: true }
    }
}

impl Asked<'_> {
    pub(super) async fn answer(&self, method: &str, params: Params) -> Result<Complete, Fault> {
        let content = match (method, self.era) {
            ("initialize", Era::Handshake) => Content::Document(initialized(params)),
            ("server/discover", Era::PerRequest) => Content::Document(discovered()),
            ("ping", _) => Content::Document(json!({})),
            ("tools/list", _) => Content::Document(self.tools()?),
            (CALL, _) => Content::Called(self.call(params).await?),
            _ => return Err(Fault::no_method(method)),
        };
        Ok(self.complete(content))
    }

    fn complete(&self, content: Content) -> Complete {
        let is_new = self.era == Era::PerRequest;
        let meta = is_new.then(|| json!({"io.modelcontextprotocol/serverInfo": server_info()}));
        Complete { kind: is_new.then_some("complete"), meta, content }
    }

    /// The tools that the caller may use, always in the same order.
    fn tools(&self) -> Result<Value, Fault> {
        // Which organisation is meant decides what may be done.
        self.caller.org_context().map_err(|error| Fault::invalid_request(error.message))?;
        let usable = tools::ALL.iter().filter(|tool| self.caller.check_access(tool.access).is_ok());
        let mut list = json!({"tools": usable.map(|tool| tool.described()).collect::<Vec<_>>()});
        if self.era == Era::PerRequest {
            list["ttlMs"] = json!(KEPT_MS);
            list["cacheScope"] = json!("private");
        }
        Ok(list)
    }

    async fn call(&self, params: Params) -> Result<Called, Fault> {
        let name = params.name.ok_or_else(|| Fault::invalid_params("name in params is required"))?;
        let Some(tool) = tools::ALL.iter().find(|tool| tool.name == name) else {
            let name: String = name.chars().take(128).collect();
            return Err(Fault::invalid_params(format!(
                "Unknown tool: {name}; tools/list names those there are"
            )));
        };
        let arguments = params.arguments.as_deref().map_or("{}", RawValue::get);
        let call = ToolCall { app: self.app, caller: self.caller, arguments };
        Ok(match tool.run(call).await {
            Ok(found) => Called::found(found),
            Err(error) => {
                self.in_flight.note_refusal(self.app, self.caller, &error);
                Called::failed(told(&error))
            }
        })
    }
}

/// The revision that the client wants where it is known, else the newest that begins so.
fn initialized(params: Params) -> Value {
    let wanted = params.protocol_version.unwrap_or_default();
    let version = HANDSHAKE.into_iter().find(|known| *known == wanted).unwrap_or(HANDSHAKE[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

fn discovered() -> Value {
    json!({
        "supportedVersions": supported(),
        "capabilities": {"tools": {}},
        "instructions": INSTRUCTIONS,
        "ttlMs": KEPT_MS,
        "cacheScope": "private",
    })
}

fn server_info() -> Value {
    json!({"name": "tidegauge", "title": "Tidegauge", "version": env!("CARGO_PKG_VERSION")})
}
