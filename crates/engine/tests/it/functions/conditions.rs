//! Choices, null and types.

use super::{Json, Null, Time, Timespan, cases, refusals};

#[test]
fn choices() {
    cases! {
        iff(true, "a", "b") => "a";
        iff(false, "a", "b") => "b";
        iff(Null, "a", "b") => "b";
        iff(true, 1, 2.5) => 1.0;
        iff(true, 9007199254740992, 2.5) => 9007199254740992.0;
        iff(true, 9007199254740993, 2.5) => 9007199254740993;
        case(false, 2.5, 9223372036854775807) => 9223372036854775807;
        coalesce(Null, 9007199254740993, 2.5) => 9007199254740993;
        iff(false, 1, "none") => "none";
        iff(true, 1, "none") => 1;
        iff(true, Null, 5) => Null;
        iif(Json("true"), Time("2020-01-01"), Null) => Time("2020-01-01");
        case(false, "ok", true, "moved", "error") => "moved";
        case(false, "ok", false, "moved", "error") => "error";
        case(Null, 1, false, 2.0, 3) => 3.0;
        case(true, "x", 7) => "x";
    }
    refusals! {
        iff("yes", 1, 2) => "argument 1 of `iff` must be true or false, and it is a string";
        case(true, 1, false, 2) => "`case` takes pairs of a condition and a value, and a last value for the rest";
    }
}

#[test]
fn the_first_that_is_there() {
    cases! {
        coalesce("", "Berlin", "unknown") => "Berlin";
        coalesce(Null, 1, 2) => 1;
        coalesce(Null, Null) => Null;
        coalesce(Null, "") => "";
        coalesce(1, 2.5) => 1.0;
        coalesce("", 5) => 5;
        coalesce(0, 5) => 0;
        coalesce(Json("\"\""), "x") => "x";
        coalesce(Json("[]"), "x") => Json("[]");
        coalesce(false, true) => false;
    }
}

#[test]
fn null_and_empty() {
    cases! {
        isnull("") => false;
        isnull(Null) => true;
        isnotnull("") => true;
        notnull(Null) => false;
        isempty("") => true;
        isempty(Null) => true;
        isempty("a") => false;
        isempty(0) => false;
        isempty(Json("\"\"")) => true;
        isempty(Json("[]")) => false;
        isnotempty("") => false;
        isnotempty(" ") => true;
        notempty(Null) => false;
        not(true) => false;
        not(false) => true;
        not(Null) => Null;
    }
    refusals! {
        not(1) => "argument 1 of `not` must be true or false, and it is an integer";
    }
}

#[test]
fn types() {
    cases! {
        gettype("a") => "string";
        gettype(1) => "long";
        gettype(1.5) => "real";
        gettype(true) => "bool";
        gettype(Time("2020-01-01")) => "datetime";
        gettype(Timespan(1)) => "timespan";
        gettype(Json("[1]")) => "array";
        gettype(Json("{}")) => "dictionary";
        gettype(Json("\"a\"")) => "string";
        gettype(Json("-1")) => "long";
        gettype(Json("1e3")) => "real";
        gettype(Null) => "null";
        isbool(false) => true;
        isbool("true") => false;
        isbool(Json("true")) => true;
        isstring("") => true;
        isstring(Null) => false;
        isint(42) => true;
        isint(4.2) => false;
        isint(25.563663) => false;
        isint(Json("7")) => true;
        isreal(123.11) => true;
        isreal("1.5") => false;
        isreal(Null) => false;
        isarray(Json("[]")) => true;
        isarray("[]") => false;
        ismap(Json("{}")) => true;
        ismap(Json("[]")) => false;
        isutf8("ü") => true;
    }
}

#[test]
fn numbers_that_prove_themselves() {
    cases! {
        iscc("4111111111111111") => true;
        iscc("4111 1111 1111 1111") => true;
        iscc("4111111111111112") => false;
        iscc(4_111_111_111_111_111) => true;
        iscc("0") => false;
        iscc("") => false;
        iscc(Null) => false;
        isimei("356938035643809") => true;
        isimei("356938035643808") => false;
        isimei("35693803564380") => false;
        isimei("35693803564380x") => false;
    }
}
