//! Takes the token out of a request: `Authorization: Bearer …` (RFC 6750), and the ways in which log shippers that
//! cannot set that header send theirs.

use crate::principal::Refusal;
use crate::secret::{TokenKind, TokenSecret};

/// What an `Authorization` header holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Sent<'a> {
    /// A token of ours.
    Secret(TokenSecret),
    /// Something that may be an access token of OAuth 2.0.
    AccessToken {
        text: &'a str,
        /// Whether it was sent as one that is bound to a key (RFC 9449).
        is_dpop: bool,
    },
}

/// Takes a token of ours, or an access token of OAuth 2.0, out of the value of an `Authorization` header.
pub fn read_any(header: Option<&[u8]>) -> Result<Sent<'_>, Refusal> {
    let text = header.and_then(|value| std::str::from_utf8(value).ok()).unwrap_or_default();
    let (scheme, token) = text.trim().split_once(' ').unwrap_or_default();
    let (is_bearer, is_dpop) = (scheme.eq_ignore_ascii_case("bearer"), scheme.eq_ignore_ascii_case("dpop"));
    let token = token.trim();
    if (is_bearer || is_dpop) && is_access_token(token) {
        return Ok(Sent::AccessToken { text: token, is_dpop });
    }
    read(header).map(Sent::Secret)
}

/// Whether a text has the letters of an access token (RFC 6750, 2.1) and is none of ours.
fn is_access_token(text: &str) -> bool {
    let is_ours = [TokenKind::Api, TokenKind::Personal].iter().any(|kind| text.starts_with(kind.prefix()));
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    let body = text.trim_end_matches('=');
    !is_ours && !body.is_empty() && body.bytes().all(is_letter)
}

/// Takes the token out of the value of an `Authorization` header.
pub fn read(header: Option<&[u8]>) -> Result<TokenSecret, Refusal> {
    let Some(value) = header else {
        return Err(Refusal::NoToken);
    };
    let value = std::str::from_utf8(value).map_err(|_| Refusal::MalformedToken)?;
    let Some((scheme, credentials)) = value.trim().split_once(' ') else {
        return Err(Refusal::MalformedToken);
    };
    let credentials = credentials.trim();
    let secret = match scheme.to_ascii_lowercase().as_str() {
        "bearer" | "splunk" => TokenSecret::parse(credentials),
        "basic" => pair(credentials),
        // Some shippers encode a pair, others send the token itself.
        "apikey" => TokenSecret::parse(credentials).or_else(|| pair(credentials)),
        _ => None,
    };
    secret.ok_or(Refusal::MalformedToken)
}

/// Takes a token that stands by itself, in a header of its own or in the address.
pub fn read_plain(token: &str) -> Result<TokenSecret, Refusal> {
    TokenSecret::parse(token.trim()).ok_or(Refusal::MalformedToken)
}

/// The token in `user:password`, base64: mostly the password, sometimes the user.
fn pair(encoded: &str) -> Option<TokenSecret> {
    let decoded = decode_base64(encoded)?;
    let text = std::str::from_utf8(&decoded).ok()?;
    let (user, password) = text.split_once(':').unwrap_or((text, ""));
    TokenSecret::parse(password).or_else(|| TokenSecret::parse(user))
}

/// The alphabet of RFC 4648 with `+` and `/`; padding may be left out.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        bits = (bits << 6) | u32::from(digit(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "xapt-01890a5d-ac96-4774-bcce-b302099a8057";

    #[test]
    fn the_scheme_may_be_in_any_case() {
        for scheme in ["Bearer", "bearer", "BEARER", "Splunk"] {
            let secret = read(Some(format!("{scheme} {TOKEN}").as_bytes())).unwrap();
            assert_eq!(secret.reveal(), TOKEN);
        }
    }

    #[test]
    fn shippers_send_it_in_pairs() {
        // "any:TOKEN", "TOKEN:", "TOKEN" and "TOKEN:any".
        for pair in [
            "YW55OnhhcHQtMDE4OTBhNWQtYWM5Ni00Nzc0LWJjY2UtYjMwMjA5OWE4MDU3",
            "eGFwdC0wMTg5MGE1ZC1hYzk2LTQ3NzQtYmNjZS1iMzAyMDk5YTgwNTc6",
            "eGFwdC0wMTg5MGE1ZC1hYzk2LTQ3NzQtYmNjZS1iMzAyMDk5YTgwNTc=",
            "eGFwdC0wMTg5MGE1ZC1hYzk2LTQ3NzQtYmNjZS1iMzAyMDk5YTgwNTc6YW55",
        ] {
            for scheme in ["Basic", "ApiKey"] {
                let secret = read(Some(format!("{scheme} {pair}").as_bytes())).unwrap();
                assert_eq!(secret.reveal(), TOKEN, "{scheme} {pair}");
            }
        }
        assert_eq!(read(Some(format!("ApiKey {TOKEN}").as_bytes())).unwrap().reveal(), TOKEN);
        assert_eq!(read_plain(TOKEN).unwrap().reveal(), TOKEN);
    }

    #[test]
    fn what_is_not_ours_may_be_an_access_token() {
        let token = |text| Sent::AccessToken { text, is_dpop: false };
        assert_eq!(read_any(Some(b"Bearer eyJ.e30.c2ln")).unwrap(), token("eyJ.e30.c2ln"));
        assert_eq!(read_any(Some(b"bearer  opaque/token== ")).unwrap(), token("opaque/token=="));
        let bound = Sent::AccessToken { text: "a.b.c", is_dpop: true };
        assert_eq!(read_any(Some(b"DPoP a.b.c")).unwrap(), bound);

        let ours = format!("Bearer {TOKEN}");
        assert!(
            matches!(read_any(Some(ours.as_bytes())).unwrap(), Sent::Secret(secret) if secret.reveal() == TOKEN)
        );
        assert_eq!(read_any(None).unwrap_err(), Refusal::NoToken);
        let not_one =
            ["Bearer xapt-123", "Bearer ", "Bearer a b", "Bearer =", "Bearer a\"b", "Digest a", "DPoP"];
        for bad in not_one {
            assert_eq!(read_any(Some(bad.as_bytes())).unwrap_err(), Refusal::MalformedToken, "{bad}");
        }
    }

    #[test]
    fn each_way_to_fail_is_told_apart() {
        assert_eq!(read(None).unwrap_err(), Refusal::NoToken);
        let long = format!("Basic {}", "A".repeat(4096));
        for bad in [
            "",
            "Bearer",
            "Bearer ",
            "Basic dXNlcg==",
            "Basic !",
            "Bearer xapt-123",
            "Digest a",
            TOKEN,
            &long,
        ] {
            assert_eq!(read(Some(bad.as_bytes())).unwrap_err(), Refusal::MalformedToken, "{bad}");
        }
        assert_eq!(read(Some(b"Bearer \xff")).unwrap_err(), Refusal::MalformedToken);
        assert_eq!(read_plain("").unwrap_err(), Refusal::MalformedToken);
    }
}
