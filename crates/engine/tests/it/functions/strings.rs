//! Texts made of other texts.

use super::{Json, Null, cases, refusals};

#[test]
fn lengths_and_case() {
    cases! {
        strlen("axiom") => 5;
        strlen("") => 0;
        strlen("⒦⒰⒮⒯⒪") => 5;
        strlen(Null) => Null;
        strlen(1234) => 4;
        string_size("hello") => 5;
        string_size("⒦⒰⒮⒯⒪") => 15;
        toupper("Get ß") => "GET SS";
        toupper("get") => "GET";
        tolower("AXIOM") => "axiom";
        tolower("ΟΔΟΣ") => "οδος";
        totitle("axiom") => "Axiom";
        totitle("élan vital") => "Élan vital";
        totitle("") => "";
        reverse("tide") => "edit";
        reverse("añb") => "bña";
        isascii("plain") => true;
        isascii("ü") => false;
        isascii("") => true;
        quote("/api/login") => "\"/api/login\"";
        quote("a\"b\n") => "\"a\\\"b\\n\"";
        strcmp("axiom", "observability") => -1;
        strcmp("abc", "ABC") => 1;
        strcmp("", "") => 0;
        strip_ansi_escapes("\u{1b}[1;31mred\u{1b}[0m text") => "red text";
        strip_ansi_escapes("\u{1b}]0;title\u{7}x\u{1b}[") => "x";
        strip_ansi_escapes("a\u{1b}") => "a";
        strip_ansi_escapes("\u{1b}(Bü") => "ü";
    }
}

#[test]
fn concatenation() {
    cases! {
        strcat("a") => "a";
        strcat("Hello", ", ", "World!") => "Hello, World!";
        strcat("status ", 404, true, 1.5) => "status 404true1.5";
        strcat("a", Null, "b") => "ab";
        strcat(Null) => "";
        strcat("x", Json("[1]")) => "x[1]";
        strcat_delim(":", "axiom", "monitoring") => "axiom:monitoring";
        strcat_delim("-", 1, Null, "b") => "1--b";
        strcat_delim(Null, "a", "b") => "ab";
        strrep("axiom", 3, "::") => "axiom::axiom::axiom";
        strrep("ab", 2) => "abab";
        strrep("ab", 0) => "";
        strrep("ab", -5) => "";
        strrep("", 1024, "") => "";
        strrep(7, 2) => "77";
        strrep("a", Null) => Null;
    }
    refusals! {
        strrep("a", "b") => "argument 2 of `strrep` must be a number, and it is a string";
    }
}

#[test]
fn repetition_has_bounds() {
    let long = "x".repeat(20_000);
    cases! {
        strrep(long.as_str(), 1024) => Null;
        strrep("x", 5_000) => "x".repeat(1024).as_str();
    }
}

#[test]
fn parts() {
    cases! {
        substring("axiom", 4, 5) => "m";
        substring("../../etc/passwd", 0, 10) => "../../etc/";
        substring("abc", 1) => "bc";
        substring("abc", 1, 20) => "bc";
        substring("abc", 10, 1) => "";
        substring("abc", 2, 0) => "";
        substring("abc", 0, -1) => "";
        substring("123456", -2, 2) => "12";
        substring("abc", -9) => "abc";
        substring("añb", 1, 1) => "ñ";
        substring("añb", 2) => "b";
        substring("añb", 3) => "";
        substring("abc", i64::MIN, i64::MAX) => "abc";
        substring("abc", i64::MAX) => "";
        substring(Null, 1) => Null;
        substring("abc", Null) => Null;
        split("axiom_observability_monitoring", "_") => Json("[\"axiom\",\"observability\",\"monitoring\"]");
        split("a\"b", "x") => Json("[\"a\\\"b\"]");
        split("", "_") => Json("[\"\"]");
        split("aü", "") => Json("[\"a\",\"ü\"]");
        split("", "") => Json("[]");
        split("a,,b", ",") => Json("[\"a\",\"\",\"b\"]");
        split(Null, ",") => Null;
        split("aaa_bbb_ccc", "_", 1) => Json("[\"bbb\"]");
        split("aaa_bbb", "_", 2) => Null;
        split("aaa_bbb", "_", -1) => Null;
    }
}

#[test]
fn trimming() {
    cases! {
        trim("/", "/api/login/") => "api/login";
        trim("ab", "abcab") => "c";
        trim("", " x ") => " x ";
        trim("ü", "üaü") => "a";
        trim_start("/", "/api/") => "api/";
        trim_end("/", "/api/") => "/api";
        trim_space("  a b \n") => "a b";
        trim_space("\u{a0}x") => "x";
        trim("/", Null) => Null;
        translate("aeiou", "", "product-catalog") => "prdct-ctlg";
        translate("0123456789", "#", "404") => "###";
        translate("abc", "xy", "abcd") => "xyyd";
        translate("", "x", "abc") => "abc";
    }
}

#[test]
fn code_points() {
    cases! {
        unicode_codepoints_from_string("⒦⒰") => Json("[9382,9392]");
        unicode_codepoints_from_string("") => Json("[]");
        unicode_codepoints_to_string(Json("[72,84,84,80]")) => "HTTP";
        unicode_codepoints_to_string(Json("[67, 1114112, \"x\", 55296, 68]")) => "CD";
        unicode_codepoints_to_string(Json("{}")) => Null;
        unicode_codepoints_to_string(75, Json("[117,115]"), 116, 111) => "Kusto";
        unicode_codepoints_to_string(75, Null) => Null;
    }
}
