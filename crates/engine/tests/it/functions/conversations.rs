//! Conversations with models.

use super::{Json, Null, cases, refusals};

const TALK: &str = r#"[{"role":"system","content":"Be kind."},{"role":"user","content":"Hello"},
    {"role":"assistant","content":"Hi!"},{"role":"user","content":"Weather?"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"get_weather"}}]},
    {"role":"tool","content":"{\"temperature\":72}"},{"role":"assistant","content":"It is warm."}]"#;
const PARTS: &str = r#"[{"role":"user","content":[{"type":"text","text":"What "},{"type":"image"},
    {"type":"text","text":"is it?"}]},{"role":"assistant","parts":[{"type":"text","content":"A tide."}]}]"#;

#[test]
fn what_was_said() {
    cases! {
        genai_concat_contents(Json(TALK), " / ") =>
            "Be kind. / Hello / Hi! / Weather? / {\"temperature\":72} / It is warm.";
        genai_concat_contents(Json(PARTS)) => "What is it? A tide.";
        genai_concat_contents(Json("[]")) => "";
        genai_concat_contents("[{\"role\":\"user\",\"content\":\"in a text\"}]") => "in a text";
        genai_concat_contents("no messages") => Null;
        genai_concat_contents(Null) => Null;
        genai_extract_user_prompt(Json(TALK)) => "Weather?";
        genai_extract_user_prompt(Json("[{\"role\":\"system\",\"content\":\"a\"}, 3]")) => "";
        genai_extract_user_prompt(Null) => Null;
        genai_extract_assistant_response(Json(TALK)) => "It is warm.";
        genai_extract_assistant_response(Json("[]")) => "";
        genai_extract_assistant_response(Json("{}")) => Null;
        genai_extract_system_prompt(Json(TALK)) => "Be kind.";
        genai_extract_system_prompt(Json(PARTS)) => "";
        genai_extract_system_prompt(Null) => Null;
        genai_get_content_by_index(Json(TALK), 1) => "Hello";
        genai_get_content_by_index(Json(TALK), 7) => "";
        genai_get_content_by_index(Json(TALK), -1) => "";
        genai_get_content_by_index(Json(TALK), Null) => Null;
        genai_get_role(Json(TALK), 0) => "system";
        genai_get_role(Json(TALK), 70) => "";
        genai_get_role(Null, 0) => Null;
        genai_get_content_by_role(Json(TALK), "user") => "Hello";
        genai_get_content_by_role(Json(TALK), "critic") => "";
        genai_get_content_by_role(Null, "user") => Null;
        genai_message_roles(Json(PARTS)) => Json("[\"user\",\"assistant\"]");
        genai_message_roles(Json("[]")) => Json("[]");
        genai_message_roles(Null) => Null;
    }
    refusals! {
        genai_concat_contents() => "`genai_concat_contents` takes 1 to 2 arguments";
        genai_extract_user_prompt() => "`genai_extract_user_prompt` takes 1 argument";
        genai_extract_assistant_response() => "`genai_extract_assistant_response` takes 1 argument";
        genai_extract_system_prompt() => "`genai_extract_system_prompt` takes 1 argument";
        genai_get_content_by_index(Json("[]"), "a") =>
            "argument 2 of `genai_get_content_by_index` must be a number, and it is a string";
        genai_get_role(Json("[]"), "a") => "argument 2 of `genai_get_role` must be a number";
        genai_get_content_by_role(Json("[]")) => "`genai_get_content_by_role` takes 2 arguments";
        genai_message_roles() => "`genai_message_roles` takes 1 argument";
    }
}

#[test]
fn turns_tools_and_ends() {
    let asked = "[{\"role\":\"user\",\"content\":\"a\"}]";
    let used = r#"[{"role":"assistant","content":[{"type":"tool_use","name":"f"}]},
        {"role":"user","content":[{"type":"tool_result","content":"done"}]}]"#;
    cases! {
        genai_conversation_turns(Json(TALK)) => 2;
        genai_conversation_turns(Json(asked)) => 0;
        genai_conversation_turns(Json("[]")) => 0;
        genai_conversation_turns(Null) => Null;
        genai_extract_tool_calls(Json(TALK)) => Json("[{\"id\":\"c1\",\"function\":{\"name\":\"get_weather\"}}]");
        genai_extract_tool_calls(Json(used)) => Json("[{\"type\":\"tool_use\",\"name\":\"f\"}]");
        genai_extract_tool_calls(Json(asked)) => Null;
        genai_extract_tool_calls(Null) => Null;
        genai_extract_function_results(Json(TALK)) => Json("[{\"temperature\":72}]");
        genai_extract_function_results(Json(used)) => Json("[\"done\"]");
        genai_extract_function_results(Json(asked)) => Null;
        genai_extract_function_results(Null) => Null;
        genai_has_tool_calls(Json(TALK)) => true;
        genai_has_tool_calls(Json(asked)) => false;
        genai_has_tool_calls(Null) => Null;
        genai_is_truncated(Json(TALK), "length") => true;
        genai_is_truncated(Json(TALK), "stop") => false;
        genai_is_truncated(Json(TALK), Json("[\"max_tokens\"]")) => true;
        genai_is_truncated(Json(TALK), "") => false;
        genai_is_truncated(Json(TALK), Null) => Null;
    }
    refusals! {
        genai_conversation_turns() => "`genai_conversation_turns` takes 1 argument";
        genai_extract_tool_calls() => "`genai_extract_tool_calls` takes 1 argument";
        genai_extract_function_results() => "`genai_extract_function_results` takes 1 argument";
        genai_has_tool_calls() => "`genai_has_tool_calls` takes 1 argument";
        genai_is_truncated("a") => "`genai_is_truncated` takes 2 arguments, and 1 are given";
    }
}

#[test]
fn tokens_and_dollars() {
    cases! {
        genai_estimate_tokens("Hello, world!") => 4;
        genai_estimate_tokens("abcd") => 1;
        genai_estimate_tokens("") => 0;
        genai_estimate_tokens(Null) => Null;
        genai_get_pricing("gpt-4") => Json("{\"input_price_per_million\":30,\"output_price_per_million\":60}");
        genai_get_pricing("gpt-3.5-turbo") =>
            Json("{\"input_price_per_million\":0.5,\"output_price_per_million\":1.5}");
        genai_get_pricing("claude-3-opus-20240229") =>
            Json("{\"input_price_per_million\":15,\"output_price_per_million\":75}");
        genai_get_pricing("openai/GPT-4o-mini-2024-07-18") =>
            Json("{\"input_price_per_million\":0.15,\"output_price_per_million\":0.6}");
        genai_get_pricing("us.anthropic.claude-3-5-sonnet-20240620-v1:0") =>
            Json("{\"input_price_per_million\":3,\"output_price_per_million\":15}");
        genai_get_pricing("gpt-4-of-mine") => Null;
        genai_get_pricing("") => Null;
        genai_get_pricing(Null) => Null;
        genai_cost("gpt-4", 1000, 500) => 0.06;
        genai_cost("gpt-4", 0, 0) => 0.0;
        genai_cost("unknown", 1000, 500) => Null;
        genai_cost("gpt-4", -1, 500) => Null;
        genai_cost("gpt-4", Null, 500) => Null;
        genai_input_cost("gpt-4", 1000) => 0.03;
        genai_input_cost("unknown", 1000) => Null;
        genai_input_cost("gpt-4", Null) => Null;
        genai_output_cost("gpt-4", 1000) => 0.06;
        genai_output_cost("unknown", 1000) => Null;
        genai_output_cost(Null, 1000) => Null;
    }
    refusals! {
        genai_estimate_tokens() => "`genai_estimate_tokens` takes 1 argument";
        genai_get_pricing() => "`genai_get_pricing` takes 1 argument";
        genai_cost("gpt-4", "a", 1) => "argument 2 of `genai_cost` must be a number, and it is a string";
        genai_input_cost("gpt-4", "a") => "argument 2 of `genai_input_cost` must be a number";
        genai_output_cost("gpt-4", true) => "argument 2 of `genai_output_cost` must be a number";
    }
}
