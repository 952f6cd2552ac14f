//! Functions of the language that have no row in the table yet: their names and how many arguments they take, so that
//! queries with them are read and checked. A row in the table goes before the outline of the same name.

/// What is known of a function without its row.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    pub name: &'static str,
    /// The fewest and the most arguments.
    pub least: usize,
    pub most: usize,
}

const MANY: usize = super::ARGUMENTS_MAX;

const fn outline(name: &'static str, least: usize, most: usize) -> Outline {
    Outline { name, least, most }
}

pub(super) const OUTLINES: &[Outline] = &[
    // Arrays and maps.
    outline("pack", 1, MANY),
    // Conditions.
    outline("iif", 3, 3),
    // Conversion.
    outline("ensure_field", 2, 2),
    outline("typeof", 1, 1),
    outline("toboolean", 1, 1),
    // Conversations with models.
    outline("genai_concat_contents", 1, 2),
    outline("genai_conversation_turns", 1, 1),
    outline("genai_cost", 3, 3),
    outline("genai_estimate_tokens", 1, 1),
    outline("genai_extract_assistant_response", 1, 1),
    outline("genai_extract_function_results", 1, 1),
    outline("genai_extract_system_prompt", 1, 1),
    outline("genai_extract_tool_calls", 1, 1),
    outline("genai_extract_user_prompt", 1, 1),
    outline("genai_get_content_by_index", 2, 2),
    outline("genai_get_content_by_role", 2, 2),
    outline("genai_get_pricing", 1, 1),
    outline("genai_get_role", 2, 2),
    outline("genai_has_tool_calls", 1, 1),
    outline("genai_input_cost", 2, 2),
    outline("genai_is_truncated", 2, 2),
    outline("genai_message_roles", 1, 1),
    outline("genai_output_cost", 2, 2),
    // Hashes.
    outline("hash", 1, 2),
    outline("hash_md5", 1, 1),
    outline("hash_sha1", 1, 1),
    outline("hash_sha256", 1, 1),
    outline("hash_sha512", 1, 1),
    // Addresses.
    outline("format_ipv4", 1, 2),
    outline("format_ipv4_mask", 1, 2),
    outline("geo_info_from_ip_address", 1, 1),
    outline("has_any_ipv4", 2, MANY),
    outline("has_any_ipv4_prefix", 2, MANY),
    outline("has_ipv4", 2, 2),
    outline("has_ipv4_prefix", 2, 2),
    outline("ipv4_compare", 2, 3),
    outline("ipv4_is_in_any_range", 2, MANY),
    outline("ipv4_is_in_range", 2, 2),
    outline("ipv4_is_match", 2, 3),
    outline("ipv4_is_private", 1, 1),
    outline("ipv4_netmask_suffix", 1, 1),
    outline("ipv6_compare", 2, 3),
    outline("ipv6_is_in_any_range", 2, MANY),
    outline("ipv6_is_in_range", 2, 2),
    outline("ipv6_is_match", 2, 3),
    outline("parse_ipv4", 1, 1),
    outline("parse_ipv4_mask", 2, 2),
    // Numbers and sets.
    outline("acos", 1, 1),
    outline("asin", 1, 1),
    outline("atan", 1, 1),
    outline("atan2", 2, 2),
    outline("cos", 1, 1),
    outline("cot", 1, 1),
    outline("degrees", 1, 1),
    outline("exp10", 1, 1),
    outline("exp2", 1, 1),
    outline("gamma", 1, 1),
    outline("isfinite", 1, 1),
    outline("isinf", 1, 1),
    outline("isint", 1, 1),
    outline("isnan", 1, 1),
    outline("loggamma", 1, 1),
    outline("not", 1, 1),
    outline("pi", 0, 0),
    outline("radians", 1, 1),
    outline("rand", 0, 1),
    outline("range", 2, 3),
    outline("set_difference", 2, MANY),
    outline("set_has_element", 2, 2),
    outline("set_intersect", 2, MANY),
    outline("set_union", 2, MANY),
    outline("sin", 1, 1),
    outline("tan", 1, 1),
    // The query and its events.
    outline("column_ifexists", 2, 2),
    outline("cursor_current", 0, 0),
    outline("ingestion_time", 0, 0),
    // Pairs.
    outline("find_pair", 3, 4),
    outline("pair", 2, 3),
    outline("parse_pair", 1, 2),
    // Rounding.
    outline("bin_auto", 1, 1),
    // SQL.
    outline("format_sql", 1, 1),
    outline("parse_sql", 1, 1),
    // Texts.
    outline("parse_path", 1, 1),
    outline("notempty", 1, 1),
    outline("notnull", 1, 1),
    // Types.
    outline("iscc", 1, 1),
    outline("isimei", 1, 1),
    outline("ismap", 1, 1),
    outline("isreal", 1, 1),
    outline("isstring", 1, 1),
    outline("isutf8", 1, 1),
];

impl Outline {
    /// Whether it can be called with so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }

    /// How many arguments it takes, in words.
    pub fn count_text(&self) -> String {
        match (self.least, self.most) {
            (0, 0) => "no arguments".to_owned(),
            (1, 1) => "1 argument".to_owned(),
            (least, most) if least == most => format!("{least} arguments"),
            (0, most) => format!("at most {most} argument{}", if most == 1 { "" } else { "s" }),
            (least, most) => format!("{least} to {most} arguments"),
        }
    }
}
