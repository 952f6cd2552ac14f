//! Arrays, sets and maps.

use super::{Json, Null, cases, refusals};

const FIVE: Json = Json("[1,2,3,4,5]");

#[test]
fn lengths_and_sums() {
    cases! {
        array_length(Json("[1, 2, 3, \"four\"]")) => 4;
        array_length(Json("[]")) => 0;
        array_length(Json("{}")) => Null;
        array_length("[1]") => Null;
        array_length(Null) => Null;
        len(Json("[1,2]")) => 2;
        len("añb") => 3;
        len(Json("\"ab\\n\"")) => 3;
        len(Null) => Null;
        array_sum(Json("[1,2,3,4]")) => 10.0;
        array_sum(Json("[1,\"a\",null,2.5]")) => 3.5;
        array_sum(Json("[]")) => Null;
        array_sum(Json("5")) => Null;
    }
    refusals! {
        len(5) => "argument 1 of `len` must be a string or an array, and it is an integer";
    }
}

#[test]
fn order() {
    cases! {
        array_reverse(FIVE) => Json("[5,4,3,2,1]");
        array_reverse(Json("[]")) => Json("[]");
        array_reverse(5) => Null;
        array_rotate_left(FIVE, 1) => Json("[2,3,4,5,1]");
        array_rotate_left(FIVE, 2) => Json("[3,4,5,1,2]");
        array_rotate_left(FIVE, -7) => Json("[4,5,1,2,3]");
        array_rotate_right(FIVE, 1) => Json("[5,1,2,3,4]");
        array_rotate_right(FIVE, -2) => Json("[3,4,5,1,2]");
        array_rotate_right(FIVE, i64::MIN) => Json("[4,5,1,2,3]");
        array_rotate_left(Json("[]"), 3) => Json("[]");
        array_shift_left(FIVE, 1) => Json("[2,3,4,5,null]");
        array_shift_left(FIVE, 2) => Json("[3,4,5,null,null]");
        array_shift_left(FIVE, 9) => Json("[null,null,null,null,null]");
        array_shift_left(FIVE, -1, 0) => Json("[0,1,2,3,4]");
        array_shift_right(FIVE) => Json("[null,1,2,3,4]");
        array_shift_right(FIVE, 2) => Json("[null,null,1,2,3]");
        array_shift_right(FIVE, i64::MIN) => Json("[null,null,null,null,null]");
        array_sort_asc(Json("[1,3,2,\"a\",\"c\",\"b\"]")) => Json("[1,2,3,\"a\",\"b\",\"c\"]");
        array_sort_desc(Json("[1,3,2,\"a\",\"c\",\"b\"]")) => Json("[3,2,1,\"c\",\"b\",\"a\"]");
        array_sort_desc(Json("[null,\"blue\",\"yellow\",\"green\",null]"))
            => Json("[\"yellow\",\"green\",\"blue\",null,null]");
        array_sort_asc(Json("[10,9.5,-1,\"ab\",\"a b\"]")) => Json("[-1,9.5,10,\"a b\",\"ab\"]");
        array_sort_asc("text") => Json("[]");
        array_sort_asc(Json("[null,2,1]"), false) => Json("[null,1,2]");
        array_sort_desc(Json("[null,2,1]"), true) => Json("[2,1,null]");
        array_sort_desc(Json("[]")) => Json("[]");
        array_sort_desc(Null) => Null;
        array_sort_asc(Json("[1,3,4,5,2]"), Json("[\"a\",\"b\",\"c\",\"d\",\"e\"]"))
            => Json("[[1,2,3,4,5],[\"a\",\"e\",\"b\",\"c\",\"d\"]]");
        array_sort_desc(Json("[1,null,2]"), Json("[1,2,3]"), Json("[1]"), false) => Json("[[null,2,1],[2,3,1],null]");
    }
}

#[test]
fn parts() {
    cases! {
        array_slice(Json("[1,2,3]"), 1, 2) => Json("[2]");
        array_slice(FIVE, -3, -1) => Json("[3,4]");
        array_slice(FIVE, 0, 99) => FIVE;
        array_slice(FIVE, 3, 1) => Json("[]");
        array_slice(FIVE, i64::MIN, i64::MAX) => FIVE;
        array_slice(Json("[\"a, b\",{\"x\": [1]}]"), 1, 2) => Json("[{\"x\": [1]}]");
        array_split(FIVE, 4) => Json("[[1,2,3,4],[5]]");
        array_split(FIVE, 2) => Json("[[1,2],[3,4,5]]");
        array_split(FIVE, Json("[1,3]")) => Json("[[1],[2,3],[4,5]]");
        array_split(FIVE, -2) => Json("[[1,2,3],[4,5]]");
        array_split(FIVE, 99) => Json("[[1,2,3,4,5],[]]");
        array_split(FIVE, "x") => Null;
        array_concat(Json("[1]"), Json("[]"), Json("[\"a\",{\"b\":2}]")) => Json("[1,\"a\",{\"b\":2}]");
        array_concat(Json("[1]"), 5) => Json("[1,5]");
        array_concat(Json("[1]"), Null) => Json("[1]");
        array_concat(Null, Null) => Null;
        pack_array(1, "a", Null, 2.5, true) => Json("[1,\"a\",null,2.5,true]");
        pack_array() => Json("[]");
        strcat_array(Json("[1,2,3]"), "->") => "1->2->3";
        strcat_array(Json("[\"a\",null,true]")) => "atrue";
        strcat_array(Json("[]"), ",") => "";
        strcat_array("a", ",") => Null;
    }
    refusals! {
        array_slice(FIVE, "a", 2) => "argument 2 of `array_slice` must be a number, and it is a string";
    }
}

#[test]
fn searching() {
    const WORDS: Json = Json("[\"this\",\"is\",\"an\",\"example\",\"an\",\"example\"]");
    cases! {
        array_index_of(WORDS, "pn") => -1;
        array_index_of(WORDS, "an") => 2;
        array_index_of(WORDS, "an", 3) => 4;
        array_index_of(WORDS, "an", 0, -1, 2) => 4;
        array_index_of(WORDS, "example", 4, 1) => -1;
        array_index_of(WORDS, "example", -1) => 5;
        array_index_of(Json("[1,2.0,\"2\"]"), 2) => 1;
        array_index_of(Json("[1.5,{\"b\":1,\"a\":2}]"), Json("{\"a\":2,\"b\":1}")) => 1;
        array_index_of(Json("{}"), 1) => Null;
        array_iff(Json("[true,false,true]"), Json("[4,2,1]"), Json("[7,8,4]")) => Json("[4,8,1]");
        array_iff(Json("[true,true,true]"), Json("[1,2]"), Json("[3,4]")) => Json("[1,2,null]");
        array_iff(Json("[1,0]"), Json("[\"x\",\"y\"]"), 0) => Json("[\"x\",0]");
        array_iff(Json("[true,false]"), Null, 1) => Json("[null,1]");
        array_iff(true, Json("[1]"), Json("[2]")) => Null;
        array_iff(Json("[\"text\",null,0.5]"), Json("[1,2,3]"), Json("[4,5,6]")) => Json("[null,null,3]");
        array_select_dict(Json("[{\"key\":5,\"extra\":\"data\"},{\"key\":6}]"), "key", 5)
            => Json("{\"key\":5,\"extra\":\"data\"}");
        array_select_dict(Json("[{\"service.name\":\"frontend\"},1]"), "service.name", "frontend")
            => Json("{\"service.name\":\"frontend\"}");
        array_select_dict(Json("[{\"key\":5}]"), "key", "5") => Null;
        array_select_dict(Json("[]"), "key", 5) => Null;
    }
}

#[test]
fn paths() {
    const NESTED: Json = Json("[{\"a\":{\"b c\":[1,2]},\"v\":true},{\"v\":\"x\"},5]");
    cases! {
        array_extract(Json("[{\"value\":true},{\"value\":false}]"), "$[*].value") => Json("[\"true\",\"false\"]");
        array_extract(NESTED, "$[0].a['b c'][-1]") => Json("[\"2\"]");
        array_extract(NESTED, "$[0].a") => Json("[{\"b c\":[1,2]}]");
        array_extract(NESTED, "$[*].v") => Json("[\"true\",\"x\"]");
        array_extract(NESTED, "$[0].a.*[*]") => Json("[\"1\",\"2\"]");
        array_extract(NESTED, "$[9].v") => Json("[]");
        array_extract(Null, "$") => Null;
        array_extract(NESTED, Null) => Null;
    }
    for path in ["", "a", "$.", "$[", "$[x]", "$['a", "$x"] {
        let (expr, columns) = super::with_columns(
            "array_extract",
            &[super::IntoLiteral::literal(NESTED), super::IntoLiteral::literal(path)],
            |_| false,
        );
        let error = super::results(&expr, &columns, 1).unwrap_err();
        assert!(error.contains("cannot read the path"), "{path}: {error}");
    }
}

#[test]
fn sets() {
    cases! {
        set_union(Json("[1,2,3]"), Json("[3,4,5]")) => FIVE;
        set_union(Json("[\"A4\",\"A2\",\"A7\",\"A2\"]"), Json("[]")) => Json("[\"A4\",\"A2\",\"A7\"]");
        set_intersect(Json("[1,2,3]"), Json("[2,3,4,5]")) => Json("[2,3]");
        set_intersect(Json("[1,2,3]"), Json("[4,5]")) => Json("[]");
        set_intersect(Json("[3,1,2]"), Json("[1,3]"), Json("[3]")) => Json("[3]");
        set_difference(Json("[1,2,3]"), Json("[1,2,3]")) => Json("[]");
        set_difference(Json("[1,1,2,3]"), Json("[3.0]")) => Json("[1,2]");
        set_difference(Json("[1,2,3]"), 5) => Null;
        set_has_element(Json("[1,2,3]"), 2) => true;
        set_has_element(Json("[\"this\",\"is\"]"), "example") => false;
        set_has_element(Json("[\"a\\u0062\"]"), "ab") => true;
        set_has_element(Json("{}"), 1) => Null;
        set_union(Null, Json("[1]")) => Null;
    }
}

#[test]
fn maps() {
    cases! {
        bag_keys(Json("{\"os\":\"Windows\",\"browser\":\"Firefox\"}")) => Json("[\"os\",\"browser\"]");
        bag_keys(Json("[1]")) => Null;
        bag_has_key(Json("{\"source\":\"cdn\",\"env\":null}"), "env") => true;
        bag_has_key(Json("{\"source\":\"cdn\"}"), "env") => false;
        bag_has_key(5, "env") => Null;
        bag_has_key(Json("{\"a\":{\"b\":1}}"), "$.a.b") => true;
        bag_has_key(Json("{\"a\":{\"b\":1}}"), "$.a.c") => false;
        bag_has_key(Json("{\"$\":1}"), "$") => true;
        bag_has_key(Json("{\"a\":1}"), "$a") => false;
        bag_pack("source", "cdn", "n", 1) => Json("{\"source\":\"cdn\",\"n\":1}");
        pack("a", Null) => Json("{\"a\":null}");
        pack_dictionary("a", Json("[1]"), "b", true) => Json("{\"a\":[1],\"b\":true}");
        pack(Null, 1) => Json("{}");
        bag_zip(Json("[\"a\",\"b\",\"c\"]"), Json("[1,\"x\"]")) => Json("{\"a\":1,\"b\":\"x\"}");
        bag_zip(Json("[]"), Json("[1]")) => Json("{}");
        bag_zip(1, 2) => Null;
        bag_zip(Json("[\"a\",8,\"b\"]"), Json("[1,\"2\",2.5]")) => Json("{\"a\":1,\"b\":2.5}");
    }
    refusals! {
        bag_pack("a", 1, "b") => "`bag_pack` takes pairs of a name and a value";
    }
}
