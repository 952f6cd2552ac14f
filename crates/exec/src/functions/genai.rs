//! Conversations with models: what was said by whom, what tools were asked, and what it cost. What is no array of
//! messages gives null.

mod messages;
mod prices;

use tidegauge_lang::tree::Type;

use self::messages::Message;
use self::prices::Price;
use super::call::{Call, Function, function};
use super::elements::{self, write_member};
use super::rows;
use crate::error::Result;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("genai_concat_contents", 1, 2, concat_contents),
    function("genai_conversation_turns", 1, 1, conversation_turns),
    function("genai_cost", 3, 3, cost),
    function("genai_input_cost", 2, 2, |call| cost_of_one(call, |price| price.input)),
    function("genai_output_cost", 2, 2, |call| cost_of_one(call, |price| price.output)),
    function("genai_get_pricing", 1, 1, pricing),
    function("genai_estimate_tokens", 1, 1, estimate_tokens),
    function("genai_extract_assistant_response", 1, 1, |call| {
        content(call, |messages| last_of(messages, "assistant"))
    }),
    function("genai_extract_user_prompt", 1, 1, |call| content(call, |messages| last_of(messages, "user"))),
    function("genai_extract_system_prompt", 1, 1, |call| {
        content(call, |messages| first_of(messages, "system").or(first_of(messages, "developer")))
    }),
    function("genai_extract_tool_calls", 1, 1, tool_calls),
    function("genai_extract_function_results", 1, 1, function_results),
    function("genai_has_tool_calls", 1, 1, has_tool_calls),
    function("genai_get_content_by_index", 2, 2, |call| {
        by_index(call, |message, text| text.push_str(&message.content()))
    }),
    function("genai_get_role", 2, 2, |call| by_index(call, |message, text| text.push_str(message.role()))),
    function("genai_get_content_by_role", 2, 2, content_by_role),
    function("genai_is_truncated", 2, 2, is_truncated),
    function("genai_message_roles", 1, 1, roles),
];

fn first_of<'a>(messages: &'a [Message], role: &str) -> Option<&'a Message> {
    messages.iter().find(|message| message.role() == role)
}

fn last_of<'a>(messages: &'a [Message], role: &str) -> Option<&'a Message> {
    messages.iter().rev().find(|message| message.role() == role)
}

/// The content of one of the messages; empty where there is no such.
fn content(call: &Call<'_>, choose: fn(&[Message]) -> Option<&Message>) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let messages = messages::of(row.text(0))?;
        text.push_str(&choose(&messages).map(Message::content).unwrap_or_default());
        Some(())
    });
    call.result(Type::String, [call.json(0)?], run)
}

fn content_by_role(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let messages = messages::of(row.text(0))?;
        text.push_str(&first_of(&messages, row.text(1)).map(Message::content).unwrap_or_default());
        Some(())
    });
    call.result(Type::String, [call.json(0)?, call.text(1)?], run)
}

/// Something of the message at a place that counts from zero; empty where there is no such.
fn by_index(call: &Call<'_>, write: fn(&Message, &mut String)) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let messages = messages::of(row.text(0))?;
        let message = usize::try_from(row.integer(1)).ok().and_then(|place| messages.get(place));
        if let Some(message) = message {
            write(message, text);
        }
        Some(())
    });
    call.result(Type::String, [call.json(0)?, call.integer(1)?], run)
}

/// All contents that are not empty, one behind the other.
fn concat_contents(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let contents = messages::of(row.text(0))?.iter().map(Message::content).collect::<Vec<_>>();
        for content in contents.iter().filter(|content| !content.is_empty()) {
            if !text.is_empty() {
                text.push_str(row.text(1));
            }
            text.push_str(content);
        }
        Some(())
    });
    call.result(Type::String, [call.json(0)?, call.text_or(1, " ")?], run)
}

/// How often the user said something and the assistant answered.
fn conversation_turns(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        let (mut turns, mut is_asked) = (0, false);
        for message in messages::of(row.text(0))? {
            match message.role() {
                "user" => is_asked = true,
                "assistant" if is_asked => (turns, is_asked) = (turns + 1, false),
                _ => {}
            }
        }
        Some(turns)
    });
    call.result(Type::Integer, [call.json(0)?], run)
}

/// Dollars for so many tokens; null below none.
fn dollars(tokens: f64, per_million: f64) -> Option<f64> {
    (tokens >= 0.0).then_some(tokens * per_million / 1e6)
}

fn cost(call: &Call<'_>) -> Result<Value> {
    let run = rows::floats(|row| {
        let price = prices::of(row.text(0))?;
        Some(dollars(row.float(1), price.input)? + dollars(row.float(2), price.output)?)
    });
    call.result(Type::Float, [call.text(0)?, call.float(1)?, call.float(2)?], run)
}

fn cost_of_one(call: &Call<'_>, choose: fn(Price) -> f64) -> Result<Value> {
    let run = rows::floats(move |row| dollars(row.float(1), choose(prices::of(row.text(0))?)));
    call.result(Type::Float, [call.text(0)?, call.float(1)?], run)
}

fn pricing(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let price = prices::of(row.text(0))?;
        text.push('{');
        write_member(text, "input_price_per_million", |text| json::write_float(price.input, text));
        write_member(text, "output_price_per_million", |text| json::write_float(price.output, text));
        text.push('}');
        Some(())
    });
    call.result(Type::Map, [call.text(0)?], run)
}

/// About four characters make a token.
fn estimate_tokens(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| i64::try_from(row.text(0).chars().count().div_ceil(4)).ok());
    call.result(Type::Integer, [call.text(0)?], run)
}

/// All calls of tools; null without any.
fn tool_calls(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let messages = messages::of(row.text(0))?;
        let calls: Vec<_> = messages.iter().flat_map(Message::tool_calls).collect();
        elements::write_array(text, &calls, |call, text| text.push_str(&call.to_string()));
        (!calls.is_empty()).then_some(())
    });
    call.result(Type::Array, [call.json(0)?], run)
}

/// What all calls of tools gave; null without any.
fn function_results(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let messages = messages::of(row.text(0))?;
        let results: Vec<_> = messages.iter().flat_map(Message::results).collect();
        elements::write_array(text, &results, |result, text| text.push_str(&result.to_string()));
        (!results.is_empty()).then_some(())
    });
    call.result(Type::Array, [call.json(0)?], run)
}

fn has_tool_calls(call: &Call<'_>) -> Result<Value> {
    let run = rows::booleans(|row| {
        Some(messages::of(row.text(0))?.iter().any(|message| !message.tool_calls().is_empty()))
    });
    call.result(Type::Boolean, [call.json(0)?], run)
}

/// Whether the reason for which an answer ended, or one of several, is that it was too long.
fn is_truncated(call: &Call<'_>) -> Result<Value> {
    let run = rows::booleans(|row| {
        let is_length = |reason: &str| {
            let reason = reason.trim().trim_matches('"').to_ascii_lowercase();
            matches!(reason.as_str(), "length" | "max_tokens" | "max_output_tokens")
        };
        let reasons = elements::elements(row.text(0));
        Some(match reasons {
            Some(reasons) => reasons.iter().any(|reason| is_length(reason.get())),
            None => is_length(row.text(0)),
        })
    });
    call.result(Type::Boolean, [call.text(1)?], run)
}

fn roles(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let messages = messages::of(row.text(0))?;
        elements::write_array(text, &messages, |message, text| json::write_string(message.role(), text));
        Some(())
    });
    call.result(Type::Array, [call.json(0)?], run)
}
