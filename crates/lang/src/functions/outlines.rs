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
    outline("array_concat", 1, MANY),
    outline("array_extract", 2, 2),
    outline("array_iff", 3, 3),
    outline("array_index_of", 2, 5),
    outline("array_reverse", 1, 1),
    outline("array_rotate_left", 2, 2),
    outline("array_rotate_right", 2, 2),
    outline("array_select_dict", 3, 3),
    outline("array_shift_left", 1, 3),
    outline("array_shift_right", 1, 3),
    outline("array_slice", 3, 3),
    outline("array_sort_asc", 1, MANY),
    outline("array_sort_desc", 1, MANY),
    outline("array_split", 2, 2),
    outline("array_sum", 1, 1),
    outline("bag_has_key", 2, 2),
    outline("bag_keys", 1, 1),
    outline("bag_pack", 1, MANY),
    outline("bag_zip", 2, 2),
    outline("isarray", 1, 1),
    outline("len", 1, 1),
    outline("pack_array", 0, MANY),
    outline("pack_dictionary", 2, MANY),
    outline("strcat_array", 1, 2),
    outline("pack", 1, MANY),
    // Conversion.
    outline("dynamic_to_json", 1, 1),
    outline("ensure_field", 2, 2),
    outline("isbool", 1, 1),
    outline("toarray", 1, 1),
    outline("tohex", 1, 2),
    outline("typeof", 1, 1),
    outline("toboolean", 1, 1),
    // Times.
    outline("unixtime_microseconds_todatetime", 1, 1),
    outline("unixtime_nanoseconds_todatetime", 1, 1),
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
    outline("base64_decode_toarray", 1, 1),
    outline("base64_decode_tostring", 1, 1),
    outline("base64_encode_fromarray", 1, 1),
    outline("base64_encode_tostring", 1, 1),
    outline("countof_regex", 2, 2),
    outline("extract_all", 2, 3),
    outline("format_bytes", 1, 4),
    outline("format_url", 1, 1),
    outline("gettype", 1, 1),
    outline("indexof_regex", 2, 5),
    outline("isascii", 1, 1),
    outline("parse_bytes", 1, 2),
    outline("parse_csv", 1, 1),
    outline("parse_path", 1, 1),
    outline("parse_url", 1, 1),
    outline("parse_urlquery", 1, 1),
    outline("quote", 1, 1),
    outline("regex_quote", 1, 1),
    outline("replace", 3, 3),
    outline("strcmp", 2, 2),
    outline("string_size", 1, 1),
    outline("strip_ansi_escapes", 1, 1),
    outline("strrep", 2, 3),
    outline("totitle", 1, 1),
    outline("translate", 3, 3),
    outline("trim_end_regex", 2, 2),
    outline("trim_regex", 2, 2),
    outline("trim_start_regex", 2, 2),
    outline("unicode_codepoints_from_string", 1, 1),
    outline("unicode_codepoints_to_string", 1, 1),
    outline("url_decode", 1, 1),
    outline("url_encode", 1, 1),
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
