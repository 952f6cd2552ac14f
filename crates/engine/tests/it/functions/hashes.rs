//! Short numbers and digests that stand for values.

use tidegauge_lang::tree::Literal;

use super::{Json, Null, Time, cases, refusals, results, with_columns};

#[test]
fn numbers_that_stand_for_values() {
    cases! {
        hash("World") => 1_846_988_464_401_551_951;
        hash(Time("2015-01-01")) => 1_380_966_698_541_616_202;
        hash("") => -1_205_034_819_632_174_695;
        hash(Null) => Null;
        hash("a", Null) => Null;
    }
    let hash = |arguments: &[Literal]| {
        let (expr, columns) = with_columns("hash", arguments, |_| false);
        results(&expr, &columns, 1).unwrap().remove(0)
    };
    let text = |text: &str| Literal::String(text.to_owned());
    assert_eq!(hash(&[text("5")]), hash(&[Literal::Integer(5)]));
    assert_ne!(hash(&[text("a")]), hash(&[text("b")]));
    assert_ne!(hash(&[text("a")]), hash(&[text("a"), text("salt")]));
    assert_eq!(hash(&[text("a"), text("3")]), hash(&[text("a"), Literal::Integer(3)]));
}

#[test]
fn digests() {
    cases! {
        hash_md5("World") => "f5a7924e621e84c9280a9a27e1bcb7f6";
        hash_md5("") => "d41d8cd98f00b204e9800998ecf8427e";
        hash_md5(200) => "3644a684f98ea8fe223c713b77189a77";
        hash_md5(Time("2020-01-01")) => "786c530672d1f8db31fee25ea8a9390b";
        hash_md5(Time("2020-01-01T00:00:00.123456789Z")) => "b67027e4662b845a66e7e0f0bf52c339";
        hash_md5(Null) => Null;
        hash_sha1("World") => "70c07ec18ef89c5309bbb0937f3a6342411e1fdd";
        hash_sha1("") => "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        hash_sha1(Null) => Null;
        hash_sha256("World") => "78ae647dc5544d227130a0682a51e30bc7777fbb6d8a8f17007463a3ecd1d524";
        hash_sha256("") => "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        hash_sha256(Json("[1,2]")) => "49a64717d5d4cb19952e6eac2946415cf6879adacf9908e7d872332d32c6e684";
        hash_sha256(Null) => Null;
        hash_sha512(200) => HASH_SHA512_OF_200;
        hash_sha512(Null) => Null;
    }
    refusals! {
        hash_md5() => "`hash_md5` takes 1 argument, and 0 are given";
        hash_sha1("a", 1) => "`hash_sha1` takes 1 argument, and 2 are given";
        hash_sha256() => "`hash_sha256` takes 1 argument, and 0 are given";
        hash_sha512("a", "b") => "`hash_sha512` takes 1 argument, and 2 are given";
        hash("a", 1, 2) => "`hash` takes 1 to 2 arguments, and 3 are given";
    }
}

const HASH_SHA512_OF_200: &str = "a95b2fdf251ce814ab82db095eda6e92e86911cfbe16dede576a21c5f9296d2a4eab6195910d17c5e1ba827f2e088430721c4ed19eb366e9698c2a44e438af7a";
