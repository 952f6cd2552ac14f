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
    // The query and its events.
    outline("column_ifexists", 2, 2),
    outline("cursor_current", 0, 0),
    outline("ingestion_time", 0, 0),
    // Rounding.
    outline("bin_auto", 1, 1),
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
    // Series.
    outline("series_abs", 1, 1),
    outline("series_acos", 1, 1),
    outline("series_add", 2, 2),
    outline("series_asin", 1, 1),
    outline("series_atan", 1, 1),
    outline("series_ceiling", 1, 1),
    outline("series_cos", 1, 1),
    outline("series_cosine_similarity", 2, 2),
    outline("series_divide", 2, 2),
    outline("series_dot_product", 2, 2),
    outline("series_equals", 2, 2),
    outline("series_exp", 1, 1),
    outline("series_fft", 1, 2),
    outline("series_fill_backward", 1, 1),
    outline("series_fill_const", 2, 2),
    outline("series_fill_forward", 1, 1),
    outline("series_fill_linear", 1, 1),
    outline("series_fir", 2, 4),
    outline("series_floor", 1, 1),
    outline("series_greater", 2, 2),
    outline("series_greater_equals", 2, 2),
    outline("series_ifft", 1, 2),
    outline("series_iir", 3, 3),
    outline("series_less", 2, 2),
    outline("series_less_equals", 2, 2),
    outline("series_log", 1, 1),
    outline("series_magnitude", 1, 1),
    outline("series_max", 2, 2),
    outline("series_min", 2, 2),
    outline("series_multiply", 2, 2),
    outline("series_not_equals", 2, 2),
    outline("series_pearson_correlation", 2, 2),
    outline("series_pow", 2, 2),
    outline("series_sign", 1, 1),
    outline("series_sin", 1, 1),
    outline("series_stats", 1, 1),
    outline("series_stats_dynamic", 1, 1),
    outline("series_subtract", 2, 2),
    outline("series_sum", 1, 1),
    outline("series_tan", 1, 1),
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
