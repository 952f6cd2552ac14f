//! Where and how often something stands in a text, by itself or as a pattern.

use super::{Json, Null, cases, refusals};

#[test]
fn positions() {
    cases! {
        indexof("/api/v2/users", "/v", 0) => 4;
        indexof("/api/products", "/v", 0) => -1;
        indexof("abcabc", "b") => 1;
        indexof("abcabc", "b", 2) => 4;
        indexof("abcabc", "b", -2) => 4;
        indexof("abcabc", "b", 0, -1, 2) => 4;
        indexof("abcabc", "b", 0, -1, 3) => -1;
        indexof("abcabc", "b", 0, 1) => -1;
        indexof("abcabc", "b", 0, 2) => 1;
        indexof("añb", "b") => 2;
        indexof("abc", "") => 0;
        indexof("abc", "c", 99) => -1;
        indexof("abc", "c", 0, -1, 0) => -1;
        indexof("", "a") => -1;
        indexof("abcdefgabcdefg", "cde", 1, 10, 2) => 9;
        indexof("abcdefgabcdefg", "cde", 1, -1, 3) => -1;
        indexof("abcdefg", "cde", 1, 2) => -1;
        indexof("abcdefg", "cde", -5) => 2;
        indexof("äöüö", "ö", 0, 3, 2) => 3;
        indexof("aaa", "aa", 0, -1, 2) => 1;
        indexof("abc", "", 0, -1, 3) => 2;
        indexof(Null, "a") => Null;
        indexof_regex("/api/user-12345/settings", "user-[0-9]+") => 5;
        indexof_regex("a1b22", "[0-9]+", 0, 2) => 3;
        indexof_regex("a1b22", "[0-9]+", 2) => 3;
        indexof_regex("a1b22", "x") => -1;
        indexof_regex("a1b22", "[0-9]", 0, 0) => Null;
        indexof_regex("üa1", "[0-9]", 0, 1, 2) => -1;
    }
}

#[test]
fn counts() {
    cases! {
        countof("con", "content_type") => 1;
        countof("an", "banana") => 2;
        countof("aa", "aaaa") => 3;
        countof("ü", "üüx") => 2;
        countof("", "abc") => 0;
        countof("a", "") => 0;
        countof("a", Null) => Null;
        countof_regex("[0-9]+", "a1b22c") => 2;
        countof_regex("", "ab") => 3;
    }
}

#[test]
fn replacement() {
    cases! {
        replace_string("GET", "Retrieve", "GET") => "Retrieve";
        replace_string("aa", "b", "aaaaa") => "bba";
        replace_string("", "x", "abc") => "abc";
        replace_string("ü", "", "aüb") => "ab";
        replace_string("a", "$1", "a") => "$1";
        replace_string("a", "b", Null) => Null;
        replace("^logging", "axiom", "logging-data") => "axiom-data";
        replace("apikey=[^&]+", "apikey=[REDACTED]", "/api?apikey=abc123def456") => "/api?apikey=[REDACTED]";
        replace_regex("^(4[0-9]{2})$", "CLIENT_ERROR-$1", "404") => "CLIENT_ERROR-404";
        replace_regex("(\\d)\\d\\d", "${1}xx", "404 503") => "4xx 5xx";
        replace_regex("a*", "-", "b") => "-b-";
        replace_regex("x", "y", 1) => "1";
        replace_regex("is (\\d+)", "was: \\1", "this is 1") => "this was: 1";
        replace_regex("a(b)?", "[\\1$0\\n\\]", "ac") => "[a\\n\\]c";
        replace_regex("(?P<n>b)", "<$n>", "abc") => "a<b>c";
    }
}

#[test]
fn groups() {
    cases! {
        extract("x=([0-9.]+)", 1, "axiom x=65.6|po") => "65.6";
        extract("v([0-9]+[.][0-9]+)", 1, "frontend-v2.1") => "2.1";
        extract("([0-9.]+) (s|ms)$", 0, "Operation took 127.5 ms") => "127.5 ms";
        extract("([0-9.]+) (s|ms)$", 3, "Operation took 127.5 ms") => "";
        extract("a", 0, "b") => "";
        extract("a(b)?", 1, "a") => "";
        extract("a", -1, "a") => "";
        extract("a", 0, Null) => Null;
        extract_all("([0-9]+)", Json("[1]"), "/orders/111/items/222/details/333") => Json("[\"111\",\"222\",\"333\"]");
        extract_all("(\\w)(\\w)", "ab cd") => Json("[[\"a\",\"b\"],[\"c\",\"d\"]]");
        extract_all("\\w", "ab") => Json("[\"a\",\"b\"]");
        extract_all("(?P<first>\\w)(?P<middle>\\w+)(?P<last>\\w)", Json("[\"first\",2,\"last\"]"), "82b8-dfa7")
            => Json("[[\"8\",\"2b\",\"8\"],[\"d\",\"fa\",\"7\"]]");
        extract_all("(a)(b)", Json("[]"), "ab") => Json("[[\"a\",\"b\"]]");
        extract_all("x", Json("[0]"), "ab") => Json("[]");
        extract_all("(x)", Json("[2]"), "x") => Null;
        extract_all("x", Null, "ab") => Null;
    }
}

#[test]
fn ends_and_quotes() {
    cases! {
        trim_start_regex("https?://[^/]+", "https://api.example.com/api/users") => "/api/users";
        trim_end_regex("[0-9]+$", "/api/users/123") => "/api/users/";
        trim_regex("[0-9]+", "12ab34") => "ab";
        trim_regex("a|b", "abxab") => "bxa";
        trim_start_regex("x", "ax") => "ax";
        trim_regex("x*", "") => "";
        regex_quote("(so$me.Te^xt)") => "\\(so\\$me\\.Te\\^xt\\)";
        regex_quote("a-b") => "a-b";
    }
}

#[test]
fn patterns_that_cannot_be_read() {
    cases! {
        countof_regex(Null, "a") => Null;
    }
    for name in ["replace_regex", "extract", "countof_regex", "trim_regex", "extract_all"] {
        let text =
            |text: &str| super::expr(super::ExprKind::Literal(super::Literal::String(text.to_owned())));
        let number = super::expr(super::ExprKind::Literal(super::Literal::Integer(1)));
        let arguments = match name {
            "replace_regex" => vec![text("("), text("a"), text("b")],
            "extract" => vec![text("("), number, text("b")],
            _ => vec![text("("), text("b")],
        };
        let error = super::results(&super::call(name, arguments), &[], 1).unwrap_err();
        assert!(error.contains(&format!("the regular expression of `{name}` cannot be read")), "{error}");
    }
    refusals! {
        extract("a", "first", "b") => "argument 2 of `extract` must be a number, and it is a string";
    }
}
