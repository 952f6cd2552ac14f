//! Pairs of a key and a value.

use super::{Json, Null, cases, refusals};

#[test]
fn pairs_are_made_and_parsed() {
    cases! {
        pair("host", "web01") => Json("{\"key\":\"host\",\"value\":\"web01\",\"separator\":\":\"}");
        pair("status", 404, "=") => Json("{\"key\":\"status\",\"value\":\"404\",\"separator\":\"=\"}");
        pair("a", Null) => Null;
        parse_pair("host:server1") => Json("{\"key\":\"host\",\"value\":\"server1\",\"separator\":\":\"}");
        parse_pair("env=a=b", "=") => Json("{\"key\":\"env\",\"value\":\"a=b\",\"separator\":\"=\"}");
        parse_pair("alone") => Json("{\"key\":\"\",\"value\":\"alone\",\"separator\":\":\"}");
        parse_pair("a:b", "") => Json("{\"key\":\"\",\"value\":\"a:b\",\"separator\":\"\"}");
        parse_pair("") => Json("{\"key\":\"\",\"value\":\"\",\"separator\":\":\"}");
        parse_pair(Null) => Null;
    }
    refusals! {
        pair("a") => "`pair` takes 2 to 3 arguments, and 1 are given";
        parse_pair("a", "b", "c") => "`parse_pair` takes 1 to 2 arguments, and 3 are given";
    }
}

#[test]
fn pairs_are_found() {
    let tags = "[\"server:web01\",\"env:production\",\"region:us-west\",\"alone\",7]";
    let server = "{\"key\":\"server\",\"value\":\"web01\",\"separator\":\":\"}";
    let region = "{\"key\":\"region\",\"value\":\"us-west\",\"separator\":\":\"}";
    let of_maps = "[{\"key\":\"a\"},{\"key\":\"b\",\"value\":\"c\",\"separator\":\"=\"}]";
    cases! {
        find_pair(Json(tags), "server", "*") => Json(server);
        find_pair(Json(tags), "*", "web*") => Json(server);
        find_pair(Json(tags), "r*g*n", "*-west") => Json(region);
        find_pair(Json(tags), "*", "*s*s*") => Json(region);
        find_pair(Json(tags), "serve", "*") => Null;
        find_pair(Json(tags), "", "alone") => Json("{\"key\":\"\",\"value\":\"alone\",\"separator\":\":\"}");
        find_pair(Json("[\"a=b\"]"), "a", "b", "=") => Json("{\"key\":\"a\",\"value\":\"b\",\"separator\":\"=\"}");
        find_pair(Json(of_maps), "b", "*") => Json("{\"key\":\"b\",\"value\":\"c\",\"separator\":\"=\"}");
        find_pair(Json("[\"aa:b\"]"), "a*a*a", "*") => Null;
        find_pair(Json("[]"), "*", "*") => Null;
        find_pair("server:web01", "*", "*") => Null;
        find_pair(Null, "*", "*") => Null;
    }
    refusals! {
        find_pair(Json("[]"), "*") => "`find_pair` takes 3 to 4 arguments, and 2 are given";
    }
}
