//! The messages of a conversation with a model: an array of maps with a role and a content, as the interfaces of
//! providers and the conventions of OpenTelemetry have them.

use serde_json::{Map, Value as Json};

pub(super) struct Message {
    members: Map<String, Json>,
}

/// The messages in their order. None for what is no array; elements that are no maps are passed over. A text that
/// holds an array counts as one.
pub(super) fn of(source: &str) -> Option<Vec<Message>> {
    let messages = match serde_json::from_str(source).ok()? {
        Json::String(text) if text.trim_start().starts_with('[') => serde_json::from_str(&text).ok()?,
        other => other,
    };
    let Json::Array(messages) = messages else { return None };
    let message = |message: Json| match message {
        Json::Object(members) => Some(Message { members }),
        _ => None,
    };
    Some(messages.into_iter().filter_map(message).collect())
}

impl Message {
    pub(super) fn role(&self) -> &str {
        self.members.get("role").and_then(Json::as_str).unwrap_or_default()
    }

    /// The text of the content. Of one in parts those that are texts, one behind the other.
    pub(super) fn content(&self) -> String {
        match self.members.get("content").or(self.members.get("parts")) {
            Some(Json::String(text)) => text.clone(),
            Some(Json::Array(parts)) => parts.iter().filter_map(text_of_part).collect(),
            Some(Json::Object(part)) => {
                text_of_part(&Json::Object(part.clone())).unwrap_or_default().to_owned()
            }
            None | Some(Json::Null) => String::new(),
            Some(other) => other.to_string(),
        }
    }

    /// What the model asked of tools.
    pub(super) fn tool_calls(&self) -> Vec<&Json> {
        let mut calls: Vec<&Json> = Vec::new();
        if let Some(Json::Array(asked)) = self.members.get("tool_calls") {
            calls.extend(asked);
        }
        calls.extend(self.members.get("function_call").filter(|call| !call.is_null()));
        calls.extend(self.parts().filter(|part| matches!(kind(part), "tool_call" | "tool_use")));
        calls
    }

    /// What a tool gave back. A text that is JSON counts as what it says.
    pub(super) fn results(&self) -> Vec<Json> {
        let is_result = |part: &&Json| matches!(kind(part), "tool_call_response" | "tool_result");
        let parts = self.parts().filter(is_result);
        let inner = |part: &Json| {
            let names = ["response", "result", "content"];
            names.iter().find_map(|name| part.get(*name)).map(|value| decoded(value.clone()))
        };
        let results: Vec<Json> = parts.filter_map(inner).collect();
        if !results.is_empty() || !matches!(self.role(), "tool" | "function") {
            return results;
        }
        vec![decoded(Json::String(self.content()))]
    }

    fn parts(&self) -> impl Iterator<Item = &Json> {
        let lists = [self.members.get("content"), self.members.get("parts")];
        lists.into_iter().flatten().filter_map(Json::as_array).flatten()
    }
}

fn kind(part: &Json) -> &str {
    part.get("type").and_then(Json::as_str).unwrap_or_default()
}

fn text_of_part(part: &Json) -> Option<&str> {
    let is_text = matches!(kind(part), "" | "text" | "input_text" | "output_text");
    let member = || part.get("text").or(part.get("content")).and_then(Json::as_str);
    part.as_str().or_else(|| if is_text { member() } else { None })
}

fn decoded(value: Json) -> Json {
    match &value {
        Json::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    }
}
