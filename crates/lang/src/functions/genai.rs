//! Functions on conversations with models: arrays of messages with a role and a content, and what they cost.

use super::function::{Family, Function, INTEGER, NUMBER, Parameter, ResultType, STRING, parameter};
use crate::tree::Type;

const MESSAGES: Parameter = parameter("messages", &[Type::Array]);
const MODEL: Parameter = parameter("model", STRING);

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::GenAi, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "genai_concat_contents",
        &[MESSAGES, parameter("separator", STRING)],
        Type::String,
        "The contents of all messages with a separator between them, a blank if not given.",
        (
            "genai_concat_contents(dynamic([{\"role\": \"user\", \"content\": \"Hello\"}, \
            {\"role\": \"assistant\", \"content\": \"Hi!\"}]), \" / \")",
            "\"Hello / Hi!\"",
        ),
    )
    .requires(1),
    row(
        "genai_conversation_turns",
        &[MESSAGES],
        Type::Integer,
        "How often the user said something and the assistant answered.",
        (
            "genai_conversation_turns(dynamic([{\"role\": \"user\", \"content\": \"Hello\"}, \
            {\"role\": \"assistant\", \"content\": \"Hi!\"}]))",
            "1",
        ),
    ),
    row(
        "genai_cost",
        &[MODEL, parameter("input_tokens", NUMBER), parameter("output_tokens", NUMBER)],
        Type::Float,
        "What tokens read and written cost in dollars; null for an unknown model.",
        ("genai_cost(\"gpt-4\", 1000, 500)", "0.06"),
    ),
    row(
        "genai_input_cost",
        &[MODEL, parameter("input_tokens", NUMBER)],
        Type::Float,
        "What tokens read cost in dollars; null for an unknown model.",
        ("genai_input_cost(\"gpt-4\", 1000)", "0.03"),
    ),
    row(
        "genai_output_cost",
        &[MODEL, parameter("output_tokens", NUMBER)],
        Type::Float,
        "What tokens written cost in dollars; null for an unknown model.",
        ("genai_output_cost(\"gpt-4\", 1000)", "0.06"),
    ),
    row(
        "genai_get_pricing",
        &[MODEL],
        Type::Map,
        "What a million tokens of a model cost in dollars; null for an unknown model.",
        (
            "genai_get_pricing(\"gpt-4\")",
            "dynamic({\"input_price_per_million\": 30, \"output_price_per_million\": 60})",
        ),
    ),
    row(
        "genai_estimate_tokens",
        &[parameter("text", STRING)],
        Type::Integer,
        "About how many tokens a text has: one for four characters.",
        ("genai_estimate_tokens(\"Hello, world!\")", "4"),
    ),
    row(
        "genai_extract_assistant_response",
        &[MESSAGES],
        Type::String,
        "The last that the assistant said; empty if nothing.",
        (
            "genai_extract_assistant_response(dynamic([{\"role\": \"user\", \"content\": \
            \"Hello\"}, {\"role\": \"assistant\", \"content\": \"Hi!\"}]))",
            "\"Hi!\"",
        ),
    ),
    row(
        "genai_extract_user_prompt",
        &[MESSAGES],
        Type::String,
        "The last that the user said; empty if nothing.",
        (
            "genai_extract_user_prompt(dynamic([{\"role\": \"user\", \"content\": \"Hello\"}, \
            {\"role\": \"assistant\", \"content\": \"Hi!\"}]))",
            "\"Hello\"",
        ),
    ),
    row(
        "genai_extract_system_prompt",
        &[MESSAGES],
        Type::String,
        "What the system was told; empty if nothing.",
        (
            "genai_extract_system_prompt(dynamic([{\"role\": \"system\", \"content\": \"Be \
            kind.\"}]))",
            "\"Be kind.\"",
        ),
    ),
    row(
        "genai_extract_tool_calls",
        &[MESSAGES],
        Type::Array,
        "All calls of tools that the model asked for; null without any.",
        (
            "genai_extract_tool_calls(dynamic([{\"role\": \"assistant\", \"tool_calls\": \
            [{\"id\": \"c1\"}]}]))",
            "dynamic([{\"id\": \"c1\"}])",
        ),
    ),
    row(
        "genai_extract_function_results",
        &[MESSAGES],
        Type::Array,
        "What all calls of tools gave; null without any.",
        (
            "genai_extract_function_results(dynamic([{\"role\": \"tool\", \"content\": \"72\"}]))",
            "dynamic([\"72\"])",
        ),
    ),
    row(
        "genai_has_tool_calls",
        &[MESSAGES],
        Type::Boolean,
        "Whether the model asked for a tool.",
        (
            "genai_has_tool_calls(dynamic([{\"role\": \"assistant\", \"tool_calls\": [{\"id\": \
            \"c1\"}]}]))",
            "true",
        ),
    ),
    row(
        "genai_get_content_by_index",
        &[MESSAGES, parameter("index", INTEGER)],
        Type::String,
        "The content of the message at a place that counts from 0; empty if there is none.",
        (
            "genai_get_content_by_index(dynamic([{\"role\": \"user\", \"content\": \"Hello\"}, \
            {\"role\": \"assistant\", \"content\": \"Hi!\"}]), 1)",
            "\"Hi!\"",
        ),
    ),
    row(
        "genai_get_content_by_role",
        &[MESSAGES, parameter("role", STRING)],
        Type::String,
        "The content of the first message of a role; empty if there is none.",
        (
            "genai_get_content_by_role(dynamic([{\"role\": \"user\", \"content\": \"Hello\"}, \
            {\"role\": \"assistant\", \"content\": \"Hi!\"}]), \"user\")",
            "\"Hello\"",
        ),
    ),
    row(
        "genai_get_role",
        &[MESSAGES, parameter("index", INTEGER)],
        Type::String,
        "The role of the message at a place that counts from 0; empty if there is none.",
        (
            "genai_get_role(dynamic([{\"role\": \"user\", \"content\": \"Hello\"}, {\"role\": \
            \"assistant\", \"content\": \"Hi!\"}]), 0)",
            "\"user\"",
        ),
    ),
    row(
        "genai_is_truncated",
        &[MESSAGES, parameter("finish_reason", STRING)],
        Type::Boolean,
        "Whether an answer ended because it was too long.",
        ("genai_is_truncated(dynamic([]), \"length\")", "true"),
    ),
    row(
        "genai_message_roles",
        &[MESSAGES],
        Type::Array,
        "The roles of all messages.",
        (
            "genai_message_roles(dynamic([{\"role\": \"user\", \"content\": \"Hello\"}, \
            {\"role\": \"assistant\", \"content\": \"Hi!\"}]))",
            "dynamic([\"user\", \"assistant\"])",
        ),
    ),
];
