//! Takes the token out of a request: `Authorization: Bearer …` (RFC 6750), and the ways in which log shippers that
//! cannot set that header send theirs.

use crate::principal::Refusal;
use crate::secret::TokenSecret;

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
