//! Texts in forms that others made: encodings, addresses, records and sizes.

use super::{Json, Null, cases, refusals};

#[test]
fn base64() {
    cases! {
        base64_encode_tostring("text/html") => "dGV4dC9odG1s";
        base64_encode_tostring("Kusto") => "S3VzdG8=";
        base64_encode_tostring("a") => "YQ==";
        base64_encode_tostring("") => "";
        base64_encode_tostring("ü") => "w7w=";
        base64_decode_tostring("Y2hlY2tvdXQ=") => "checkout";
        base64_decode_tostring("VGhpcyBpcyBhIHRlc3QgbWVzc2FnZQ==") => "This is a test message";
        base64_decode_tostring("YQ") => "a";
        base64_decode_tostring("") => "";
        base64_decode_tostring("Y") => "";
        base64_decode_tostring("Y!==") => "";
        base64_decode_tostring("//8=") => "";
        base64_decode_tostring(Null) => Null;
        base64_decode_toarray("aGVsbG8gd29ybGQ=") => Json("[104,101,108,108,111,32,119,111,114,108,100]");
        base64_decode_toarray("?") => Json("[]");
        base64_encode_fromarray(Json("[192,168,0,1]")) => "wKgAAQ==";
        base64_encode_fromarray(Json("[256]")) => "";
        base64_encode_fromarray(Json("{}")) => "";
    }
}

#[test]
fn percent_signs() {
    cases! {
        url_encode("https://www.axiom.co/") => "https%3A%2F%2Fwww.axiom.co%2F";
        url_encode("hello world & special chars") => "hello%20world%20%26%20special%20chars";
        url_encode("ü-_.~") => "%C3%BC-_.~";
        url_decode("https%3A%2F%2Fexample.com%3Fa%3Db") => "https://example.com?a=b";
        url_decode("/search?q=hello%20world") => "/search?q=hello world";
        url_decode("100%") => "100%";
        url_decode("%zz%4") => "%zz%4";
        url_decode("%C3%BC+") => "ü+";
        url_decode("%FF") => "\u{fffd}";
        url_decode("") => "";
        url_decode(Null) => Null;
    }
}

#[test]
fn addresses() {
    cases! {
        parse_url("https://www.example.com/path/to/page?query=example") => Json(
            r#"{"scheme":"https","host":"www.example.com","port":"","path":"/path/to/page","username":"","password":"","query":{"query":"example"},"fragment":""}"#
        );
        parse_url("ftp://user:p%40ss@[::1]:21/a?x=1&y#top") => Json(
            r#"{"scheme":"ftp","host":"[::1]","port":"21","path":"/a","username":"user","password":"p@ss","query":{"x":"1","y":""},"fragment":"top"}"#
        );
        parse_url("/just/a/path") => Json(
            r#"{"scheme":"","host":"","port":"","path":"/just/a/path","username":"","password":"","query":{},"fragment":""}"#
        );
        parse_urlquery("a1=b1&a2=b2&a3=b3") => Json(r#"{"a1":"b1","a2":"b2","a3":"b3"}"#);
        parse_urlquery("?a=1&a=2&b=x+y%26") => Json(r#"{"a":"2","b":"x y&"}"#);
        parse_urlquery("") => Json("{}");
        format_url(Json(r#"{"scheme":"http","host":"localhost","port":8080,"path":"/frontend"}"#))
            => "http://localhost:8080/frontend";
        format_url(Json(r##"{"scheme":"https","host":"h","path":"a","query":{"q":"a b","n":1},"fragment":"f"}"##))
            => "https://h/a?q=a%20b&n=1#f";
        format_url(Json(r#"{"scheme":"https","host":"h","user":"u","password":"p@"}"#)) => "https://u:p%40@h";
        format_url("no map") => Null;
    }
}

#[test]
fn records() {
    cases! {
        parse_csv("axiom,logging,observability") => Json(r#"["axiom","logging","observability"]"#);
        parse_csv("axiom, processing, language") => Json(r#"["axiom","processing","language"]"#);
        parse_csv("aa,\"b,b,b\",cc,\"Escaping quotes: \"\"Title\"\"\",\"line1\nline2\"")
            => Json(r#"["aa","b,b,b","cc","Escaping quotes: \"Title\"","line1\nline2"]"#);
        parse_csv("a,b\nc,d") => Json(r#"["a","b"]"#);
        parse_csv("") => Json(r#"[""]"#);
        parse_csv("\"open") => Json(r#"["open"]"#);
        parse_csv(",") => Json(r#"["",""]"#);
    }
}

#[test]
fn sizes() {
    cases! {
        format_bytes(1024) => "1 KB";
        format_bytes(8_000_000, 2, "MB", 10) => "8.00 MB";
        format_bytes(8_765_432, 2) => "8.36 MB";
        format_bytes(1_234_567, 2) => "1.18 MB";
        format_bytes(564) => "564 Bytes";
        format_bytes(564, 2) => "564 Bytes";
        format_bytes(0) => "0 Bytes";
        format_bytes(-2048) => "-2 KB";
        format_bytes(i64::MAX) => "8 EB";
        format_bytes(10, 0, "bogus") => Null;
        format_bytes(10, 0, "", 7) => Null;
        format_bytes(Null) => Null;
        parse_bytes("1 KB") => 1024;
        parse_bytes("1 KB", 10) => 1000;
        parse_bytes("128 Bytes") => 128;
        parse_bytes("bad data") => 0;
        parse_bytes("512 KB") => 524_288;
        parse_bytes("256 KB", 2) => 262_144;
        parse_bytes("1.5KiB") => 1536;
        parse_bytes("9007199254740993") => 9_007_199_254_740_993;
        parse_bytes("99999 EB") => 0;
        parse_bytes("") => 0;
        parse_bytes("5 XB") => 0;
        parse_bytes(Null) => Null;
    }
    refusals! {
        format_bytes("1") => "argument 1 of `format_bytes` must be a number, and it is a string";
    }
}
