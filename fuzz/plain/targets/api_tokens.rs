//! What a request sends to say who asks: a secret that is read is the one that was sent, whichever way is taken, and prints
//! itself nowhere.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_auth::bearer::{Sent, read, read_any, read_plain};
use tidegauge_auth::embedded::pkce;
use tidegauge_auth::embedded::user_code::UserCode;
use tidegauge_auth::oauth::{Challenge, Scopes};
use tidegauge_auth::{OpaqueSecret, TokenSecret};

fn check_secret(secret: &TokenSecret) {
    assert_eq!(TokenSecret::parse(secret.reveal()).as_ref(), Some(secret));
    assert!(!format!("{secret:?}").contains(&secret.reveal()[5..]));
    assert!(secret.reveal().starts_with(secret.kind().prefix()));
}

fuzz_target!(|data: &[u8]| {
    let (plain, any) = (read(Some(data)), read_any(Some(data)));
    if let Ok(secret) = &plain {
        check_secret(secret);
        assert_eq!(any, Ok(Sent::Secret(secret.clone())), "a token of ours is one, however it is read");
    }
    if let Ok(Sent::AccessToken { text, .. }) = any {
        assert!(plain.is_err() && TokenSecret::parse(text).is_none());
        assert!(text.bytes().all(|byte| byte.is_ascii_graphic()));
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(secret) = read_plain(text) {
        check_secret(&secret);
        assert_eq!(secret.reveal(), text.trim());
    }
    if let Some(secret) = OpaqueSecret::parse(text) {
        assert_eq!(secret.reveal(), text);
    }
    if let Some(code) = UserCode::parse(text) {
        assert_eq!(UserCode::parse(&code.shown()).as_ref(), Some(&code));
    }
    let challenge = pkce::challenge(text);
    assert!(pkce::is_challenge(&challenge));
    assert_eq!(pkce::proves(text, &challenge), pkce::proves(text, &challenge));
    let _ = Scopes::parse(text);
    let header = Challenge { description: Some(text.to_owned()), ..Challenge::default() }.to_string();
    assert!(header.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "a header has one line of ASCII");
});
