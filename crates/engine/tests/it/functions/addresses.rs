//! Addresses of the internet protocol.

use super::{Json, Null, cases, refusals};

#[test]
fn addresses_as_numbers_and_texts() {
    cases! {
        parse_ipv4("192.168.2.0") => 3_232_236_032;
        parse_ipv4("192.168.1.1/24") => 3_232_235_776;
        parse_ipv4("255.255.255.255/31") => 4_294_967_294;
        parse_ipv4("0.0.0.0") => 0;
        parse_ipv4("256.1.1.1") => Null;
        parse_ipv4("192.168.1") => Null;
        parse_ipv4("192.168.1.1/33") => Null;
        parse_ipv4("192.168.1.1/+3") => Null;
        parse_ipv4("") => Null;
        parse_ipv4(Null) => Null;
        parse_ipv4_mask("192.5.1.4", 24) => 3_221_553_408;
        parse_ipv4_mask("127.0.0.1", 24) => 2_130_706_432;
        parse_ipv4_mask("192.168.1.1/16", 24) => 3_232_235_520;
        parse_ipv4_mask("192.168.1.1", 0) => 0;
        parse_ipv4_mask("192.168.1.1", 33) => Null;
        parse_ipv4_mask("x", 24) => Null;
        parse_ipv4_mask("1.1.1.1", Null) => Null;
        format_ipv4(3_232_235_776) => "192.168.1.0";
        format_ipv4("192.168.1.1", 24) => "192.168.1.0";
        format_ipv4("192.168.1.1", 32) => "192.168.1.1";
        format_ipv4("192.168.1.1/24", 32) => "192.168.1.0";
        format_ipv4("192.168.1.1/24", -1) => "";
        format_ipv4(-1) => "";
        format_ipv4(4_294_967_296) => "";
        format_ipv4("no") => "";
        format_ipv4(Null) => Null;
        format_ipv4_mask("192.168.1.54", 24) => "192.168.1.0/24";
        format_ipv4_mask("192.168.1.1", 32) => "192.168.1.1/32";
        format_ipv4_mask("192.168.1.1/24", 32) => "192.168.1.0/24";
        format_ipv4_mask("192.168.1.1/24", -1) => "";
        format_ipv4_mask(3_232_235_776) => "192.168.1.0/32";
        format_ipv4_mask(Null, 24) => Null;
        ipv4_netmask_suffix("192.164.2.2/24") => 24;
        ipv4_netmask_suffix("10.1.2.3") => 32;
        ipv4_netmask_suffix("10.1.2.3/0") => 0;
        ipv4_netmask_suffix("10.1.2/24") => Null;
        ipv4_netmask_suffix(Null) => Null;
    }
    refusals! {
        parse_ipv4() => "`parse_ipv4` takes 1 argument";
        parse_ipv4_mask("1.1.1.1", "24") => "argument 2 of `parse_ipv4_mask` must be a number";
        format_ipv4("1.1.1.1", "24") => "argument 2 of `format_ipv4` must be a number";
        format_ipv4_mask("1.1.1.1", true) => "argument 2 of `format_ipv4_mask` must be a number";
        ipv4_netmask_suffix() => "`ipv4_netmask_suffix` takes 1 argument";
    }
}

#[test]
fn addresses_beside_each_other() {
    cases! {
        ipv4_compare("192.168.1.1", "192.168.1.10") => -1;
        ipv4_compare("192.168.1.10", "192.168.1.1") => 1;
        ipv4_compare("192.168.1.0", "192.168.1.0") => 0;
        ipv4_compare("192.168.1.1/24", "192.168.1.255") => 0;
        ipv4_compare("192.168.1.1", "192.168.1.255/24") => 0;
        ipv4_compare("192.168.1.1/30", "192.168.1.255/24") => 0;
        ipv4_compare("192.168.1.1", "192.168.1.0", 31) => 0;
        ipv4_compare("192.168.1.1/24", "192.168.1.255", 31) => 0;
        ipv4_compare("192.168.1.1", "192.168.1.255", 24) => 0;
        ipv4_compare("192.168.1.1", "192.168.1.255", 33) => Null;
        ipv4_compare("a", "192.168.1.255") => Null;
        ipv4_compare(Null, "192.168.1.255") => Null;
        ipv4_is_match("203.0.113.112", "203.0.113.112") => true;
        ipv4_is_match("192.168.1.1/24", "192.168.1.255") => true;
        ipv4_is_match("192.168.1.1", "192.168.2.255", 16) => true;
        ipv4_is_match("192.168.1.1", "192.168.2.255") => false;
        ipv4_is_match("192.168.1.1", "") => Null;
        ipv4_is_match("192.168.1.1", Null) => Null;
        ipv6_compare("2001:db8::1", "2001:db8::abcd") => -1;
        ipv6_compare("192.168.1.1/24", "::ffff:c0a8:01ff") => 0;
        ipv6_compare("::ffff:c0a8:0101", "192.168.1.255/24") => 0;
        ipv6_compare("::192.168.1.1/30", "192.168.1.255/24") => 0;
        ipv6_compare("fe80::85d:e82c:9446:7994", "fe80::85d:e82c:9446:7995", 127) => 0;
        ipv6_compare("fe80::85d:e82c:9446:7994/127", "fe80::85d:e82c:9446:7998", 120) => 0;
        ipv6_compare("::ffff:c0a8:0101", "192.168.1.255", 120) => 0;
        ipv6_compare("::2", "::1") => 1;
        ipv6_compare("::1", "::1", 129) => Null;
        ipv6_compare("::1/129", "::1") => Null;
        ipv6_compare(Null, "::1") => Null;
        ipv6_is_match("2001:db8:abcd::1", "2001:db8::/32") => true;
        ipv6_is_match("192.168.1.1/30", "192.168.1.255/24") => true;
        ipv6_is_match("fe80::85d:e82c:9446:7994/120", "fe80::85d:e82c:9446:7998") => true;
        ipv6_is_match("::1", "::2") => false;
        ipv6_is_match("::g", "::2") => Null;
        ipv6_is_match("::1", Null) => Null;
    }
    refusals! {
        ipv4_compare("1.1.1.1", "1.1.1.1", "x") => "argument 3 of `ipv4_compare` must be a number";
        ipv4_is_match("1.1.1.1") => "`ipv4_is_match` takes 2 to 3 arguments, and 1 are given";
        ipv6_compare("::1", "::1", "x") => "argument 3 of `ipv6_compare` must be a number";
        ipv6_is_match("::1") => "`ipv6_is_match` takes 2 to 3 arguments, and 1 are given";
    }
}

#[test]
fn addresses_in_networks() {
    cases! {
        ipv4_is_in_range("127.2.3.1", "127.2.3.1") => true;
        ipv4_is_in_range("192.168.1.1", "192.168.1.255/24") => true;
        ipv4_is_in_range("192.168.2.1", "192.168.1.255/24") => false;
        ipv4_is_in_range("10.0.0.0/8", "10.1.0.0/16") => false;
        ipv4_is_in_range("192.168.1", "192.168.1.255/24") => Null;
        ipv4_is_in_range(Null, "192.168.1.255/24") => Null;
        ipv4_is_in_any_range("192.168.0.0", Json("[\"192.168.0.0/24\",\"10.0.0.0/8\"]")) => true;
        ipv4_is_in_any_range("127.0.0.1", Json("[\"127.0.0.1\",\"192.168.1.1\"]")) => true;
        ipv4_is_in_any_range("10.1.2.3", "192.168.0.0/24", "10.0.0.0/8") => true;
        ipv4_is_in_any_range("123.1.11.21", Json("[\"192.168.1.1/16\",\"10.0.0.1/8\"]")) => false;
        ipv4_is_in_any_range("123.1.11.21", Json("[]")) => false;
        ipv4_is_in_any_range("1.1.1.1", Json("[\"x\",\"1.0.0.0/8\"]")) => true;
        ipv4_is_in_any_range("1.1.1.1", Json("[\"x\"]")) => Null;
        ipv4_is_in_any_range("x", Json("[\"1.0.0.0/8\"]")) => Null;
        ipv4_is_in_any_range("1.1.1.1", Null) => Null;
        ipv6_is_in_range("fd00::a1b2", "fd00::/8") => true;
        ipv6_is_in_range("a5e:f127:8a9d:146d:e102:b5d3:c755:abcd", "0:0:0:0:0:ffff:c0a8:ac/60") => false;
        ipv6_is_in_range("192.168.1.7", "::ffff:c0a8:0100/120") => true;
        ipv6_is_in_range("fd00::a1b2", "") => Null;
        ipv6_is_in_range("fd00::a1b2", Null) => Null;
        ipv6_is_in_any_range("2001:db8::1234", Json("[\"2001:db8::/32\",\"fd00::/8\"]")) => true;
        ipv6_is_in_any_range("2001:db9::1234", "2001:db8::/32", "fd00::/8") => false;
        ipv6_is_in_any_range("what", Json("[\"::/0\"]")) => Null;
        ipv6_is_in_any_range(Null, Json("[\"::/0\"]")) => Null;
        ipv4_is_private("192.168.2.1") => true;
        ipv4_is_private("10.1.2.3") => true;
        ipv4_is_private("172.31.0.1") => true;
        ipv4_is_private("192.168.1.1/24") => true;
        ipv4_is_private("208.1.2.3") => false;
        ipv4_is_private("127.0.0.1") => false;
        ipv4_is_private("private") => Null;
        ipv4_is_private(Null) => Null;
    }
    refusals! {
        ipv4_is_in_range("1.1.1.1") => "`ipv4_is_in_range` takes 2 arguments, and 1 are given";
        ipv4_is_in_any_range("1.1.1.1") => "`ipv4_is_in_any_range` takes 2 to 64 arguments";
        ipv6_is_in_range("::1") => "`ipv6_is_in_range` takes 2 arguments";
        ipv6_is_in_any_range("::1") => "`ipv6_is_in_any_range` takes 2 to 64 arguments";
        ipv4_is_private() => "`ipv4_is_private` takes 1 argument, and 0 are given";
    }
}

#[test]
fn addresses_in_texts() {
    let line = "05:04:54 127.0.0.1 GET /favicon.ico 404";
    cases! {
        has_ipv4("Requests from: 192.168.1.1, 10.1.1.115.", "192.168.1.1") => true;
        has_ipv4("Requests from: 192.168.1.1, 10.1.1.115.", "10.1.1.115") => true;
        has_ipv4("Requests from: 192.168.1.1, 10.1.1.115.", "10.1.1.11") => false;
        has_ipv4(line, "127.0.0.1") => true;
        has_ipv4("05:04:54 127.0.0.256 GET /favicon.ico 404", "127.0.0.256") => false;
        has_ipv4("05:04:54127.0.0.1 GET /favicon.ico 404", "127.0.0.1") => false;
        has_ipv4("a127.0.0.1", "127.0.0.1") => false;
        has_ipv4("127.0.0.1ü", "127.0.0.1") => false;
        has_ipv4("from_127.0.0.1:80", "127.0.0.1") => true;
        has_ipv4("", "127.0.0.1") => false;
        has_ipv4(Null, "127.0.0.1") => Null;
        has_any_ipv4(line, "127.0.0.1", "127.0.0.2") => true;
        has_any_ipv4(line, Json("[\"127.0.0.2\",\"127.0.0.1\"]")) => true;
        has_any_ipv4("192.168.1.1", Json("[\"192.168.1.9\",\"192.168.0.0/16\"]")) => true;
        has_any_ipv4("05:04:54 127.0.0.256 GET", Json("[\"127.0.0.256\",\"192.168.1.1\"]")) => false;
        has_any_ipv4("05:04:54127.0.0.1 GET", "127.0.0.1", "192.168.1.1") => false;
        has_any_ipv4(line, Json("[]")) => false;
        has_any_ipv4(line, Null) => Null;
        has_ipv4_prefix(line, "127.0.") => true;
        has_ipv4_prefix(line, "127.0.0.1") => true;
        has_ipv4_prefix(line, "127.0") => false;
        has_ipv4_prefix(line, "127.0.0.1.") => false;
        has_ipv4_prefix(line, "") => false;
        has_ipv4_prefix("05:04:54 127.0.0.256 GET /favicon.ico 404", "127.0.") => false;
        has_ipv4_prefix("05:04:54127.0.0.1 GET /favicon.ico 404", "127.0.") => false;
        has_ipv4_prefix(Null, "127.0.") => Null;
        has_any_ipv4_prefix("192.168.0.1", Json("[\"172.16.\",\"192.168.\"]")) => true;
        has_any_ipv4_prefix(line, "127.0.", "192.168.") => true;
        has_any_ipv4_prefix(line, Json("[\"127.0\",\"192.168.1.1\"]")) => false;
        has_any_ipv4_prefix(line, Null) => Null;
    }
    refusals! {
        has_ipv4("a") => "`has_ipv4` takes 2 arguments, and 1 are given";
        has_any_ipv4("a") => "`has_any_ipv4` takes 2 to 64 arguments, and 1 are given";
        has_ipv4_prefix("a", "b", "c") => "`has_ipv4_prefix` takes 2 arguments, and 3 are given";
        has_any_ipv4_prefix("a") => "`has_any_ipv4_prefix` takes 2 to 64 arguments, and 1 are given";
    }
}

#[test]
fn places_are_empty_without_a_database() {
    let nothing = "{\"country\":\"\",\"state\":\"\",\"city\":\"\",\"latitude\":null,\"longitude\":null,\
        \"country_iso\":\"\",\"time_zone\":\"\"}";
    cases! {
        geo_info_from_ip_address("172.217.22.14") => Json(nothing);
        geo_info_from_ip_address("2607:f8b0:4005:805::200e") => Json(nothing);
        geo_info_from_ip_address("nowhere") => Null;
        geo_info_from_ip_address(Null) => Null;
    }
    refusals! {
        geo_info_from_ip_address() => "`geo_info_from_ip_address` takes 1 argument";
    }
}
