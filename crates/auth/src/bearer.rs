//! Reads the `Authorization` header (RFC 6750): a bearer token, or the reason why there is none.

use crate::principal::Refusal;
use crate::secret::TokenSecret;

/// Takes the token out of the header's value.
pub fn read(header: Option<&[u8]>) -> Result<TokenSecret, Refusal> {
    let Some(value) = header else {
        return Err(Refusal::NoToken);
    };
    let value = std::str::from_utf8(value).map_err(|_| Refusal::MalformedToken)?;
    let Some((scheme, token)) = value.trim().split_once(' ') else {
        return Err(Refusal::MalformedToken);
    };
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::MalformedToken);
    }
    TokenSecret::parse(token.trim()).ok_or(Refusal::MalformedToken)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "xapt-01890a5d-ac96-4774-bcce-b302099a8057";

    #[test]
    fn the_scheme_may_be_in_any_case() {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let secret = read(Some(format!("{scheme} {TOKEN}").as_bytes())).unwrap();
            assert_eq!(secret.reveal(), TOKEN);
        }
    }

    #[test]
    fn each_way_to_fail_is_told_apart() {
        assert_eq!(read(None).unwrap_err(), Refusal::NoToken);
        for bad in ["", "Bearer", "Bearer ", "Basic dXNlcg==", "Bearer xapt-123", TOKEN] {
            assert_eq!(read(Some(bad.as_bytes())).unwrap_err(), Refusal::MalformedToken, "{bad}");
        }
        assert_eq!(read(Some(b"Bearer \xff")).unwrap_err(), Refusal::MalformedToken);
    }
}
