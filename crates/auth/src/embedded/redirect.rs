//! Where a code may be sent. An address is compared character by character with those that the client registered; the
//! only freedom is the port of a loopback address (RFC 8252, 7.3). Nothing is decoded or normalised before it is
//! compared, because a browser might read the same text in another way.

/// Longest address that a client can register.
pub const ADDRESS_MAX: usize = 2_048;

/// Why a client cannot register an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectProblem {
    #[error("must be an absolute address of printable ASCII characters, of at most {ADDRESS_MAX}")]
    NotAnAddress,
    #[error("must not have a fragment")]
    Fragment,
    #[error("must not have a user name or password in it")]
    UserInfo,
    #[error("must not have a * in it: addresses are compared exactly")]
    Wildcard,
    #[error("must name a host")]
    NoHost,
    #[error(
        "must use https, except for the loopback addresses http://127.0.0.1, http://[::1] and http://localhost"
    )]
    PlainHttp,
    #[error(
        "must use a scheme with a dot in it, such as com.example.app, if it is neither https nor loopback"
    )]
    Scheme,
    #[error("must use https: only a public client can have a scheme of its own")]
    NotForConfidential,
}

/// The parts of an address, as they are written.
struct Parts<'a> {
    scheme: &'a str,
    /// What stands between `//` and the path, if there is a `//`.
    authority: Option<&'a str>,
    /// The path with the query, as it is written.
    rest: &'a str,
}

fn split(address: &str) -> Option<Parts<'_>> {
    let (scheme, after) = address.split_once(':')?;
    let mut letters = scheme.bytes();
    let is_scheme = letters.next().is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte));
    if !is_scheme {
        return None;
    }
    let Some(after) = after.strip_prefix("//") else {
        return Some(Parts { scheme, authority: None, rest: after });
    };
    let end = after.find(['/', '?']).unwrap_or(after.len());
    Some(Parts { scheme, authority: Some(&after[..end]), rest: &after[end..] })
}

/// The loopback addresses whose port is free. The name `localhost` is not among them: what it stands for can be changed.
const LOOPBACK_HOSTS: [&str; 2] = ["127.0.0.1", "[::1]"];

/// The host and the port of a loopback address.
fn loopback(authority: &str) -> Option<(&'static str, Option<&str>)> {
    LOOPBACK_HOSTS.iter().find_map(|host| match authority.strip_prefix(host)? {
        "" => Some((*host, None)),
        rest => Some((*host, Some(rest.strip_prefix(':')?))),
    })
}

fn is_port(text: &str) -> bool {
    text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// Checks an address that a client wants to register.
pub fn check(address: &str, is_public: bool) -> Result<(), RedirectProblem> {
    // A backslash is a slash for browsers.
    let is_printable = address.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\\"<>^`{|}".contains(&byte));
    if address.len() > ADDRESS_MAX || !is_printable {
        return Err(RedirectProblem::NotAnAddress);
    }
    if address.contains('#') {
        return Err(RedirectProblem::Fragment);
    }
    if address.contains('*') {
        return Err(RedirectProblem::Wildcard);
    }
    let parts = split(address).ok_or(RedirectProblem::NotAnAddress)?;
    if parts.authority.is_some_and(|authority| authority.contains('@')) {
        return Err(RedirectProblem::UserInfo);
    }
    match parts.scheme {
        "https" | "http" => check_web(&parts),
        _ if !is_public => Err(RedirectProblem::NotForConfidential),
        // A scheme that belongs to somebody: the name of a domain in reverse (RFC 8252, 7.1).
        scheme if scheme.contains('.') => Ok(()),
        _ => Err(RedirectProblem::Scheme),
    }
}

fn check_web(parts: &Parts<'_>) -> Result<(), RedirectProblem> {
    let authority = parts.authority.ok_or(RedirectProblem::NoHost)?;
    let (host, port) = match loopback(authority) {
        Some((host, port)) => (host, port),
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() || !port.is_none_or(is_port) {
        return Err(RedirectProblem::NoHost);
    }
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    let is_loopback = LOOPBACK_HOSTS.contains(&host);
    if !is_loopback && !host.bytes().all(is_name) {
        return Err(RedirectProblem::NotAnAddress);
    }
    let is_local = is_loopback || host == "localhost";
    if parts.scheme == "http" && !is_local { Err(RedirectProblem::PlainHttp) } else { Ok(()) }
}

/// Whether an address of a request is one that the client registered.
pub fn matches(registered: &str, asked: &str) -> bool {
    registered == asked || differs_in_port_only(registered, asked).unwrap_or(false)
}

/// Whether both are the same loopback address with another port.
fn differs_in_port_only(registered: &str, asked: &str) -> Option<bool> {
    let (registered, asked) = (split(registered)?, split(asked)?);
    if registered.scheme != "http" || asked.scheme != "http" {
        return Some(false);
    }
    let (host, _) = loopback(registered.authority?)?;
    let (asked_host, port) = loopback(asked.authority?)?;
    // A path that is left out is the root.
    let path =
        |rest: &'static str, text: &str| if text.is_empty() { rest.to_owned() } else { text.to_owned() };
    let same_path = path("/", registered.rest) == path("/", asked.rest);
    Some(host == asked_host && port.is_none_or(is_port) && same_path)
}

/// Whether an address leads back to the machine that the browser runs on, where any program can listen.
pub fn is_loopback(address: &str) -> bool {
    split(address).is_some_and(|parts| {
        let host = parts.authority.unwrap_or_default();
        parts.scheme == "http" && (loopback(host).is_some() || host.split(':').next() == Some("localhost"))
    })
}

/// The part of an address that a page may be allowed to send a form to: the origin, or the scheme alone where there is
/// none.
pub fn form_target(address: &str) -> Option<String> {
    let parts = split(address)?;
    match (parts.scheme, parts.authority) {
        ("https" | "http", Some(authority)) => Some(format!("{}://{authority}", parts.scheme)),
        (scheme, _) => Some(format!("{scheme}:")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_can_be_registered() {
        for address in [
            "https://example.com/back",
            "https://example.com:8443/back?x=1",
            "https://example.com",
            "http://127.0.0.1",
            "http://127.0.0.1:8080/back",
            "http://[::1]/back",
            "http://localhost:3000/back",
        ] {
            assert_eq!(check(address, false), Ok(()), "{address}");
        }
        assert_eq!(check("com.example.app:/back", true), Ok(()));
        assert_eq!(check("com.example.app://back", true), Ok(()));
    }

    #[test]
    fn addresses_that_cannot() {
        use RedirectProblem as P;
        for (address, problem) in [
            ("", P::NotAnAddress),
            ("/back", P::NotAnAddress),
            ("//example.com/back", P::NotAnAddress),
            ("HTTPS://example.com/", P::NotAnAddress),
            ("https://example.com\\@evil.example/", P::NotAnAddress),
            ("https://exa mple.com/", P::NotAnAddress),
            ("https://exämple.com/", P::NotAnAddress),
            ("https://Example.com/", P::NotAnAddress),
            ("https://%65xample.com/", P::NotAnAddress),
            ("https://example.com/\r\nx", P::NotAnAddress),
            ("https://example.com/#x", P::Fragment),
            ("https://*.example.com/", P::Wildcard),
            ("https://me@example.com/", P::UserInfo),
            ("http://127.0.0.1@evil.example/", P::UserInfo),
            ("https:example.com", P::NoHost),
            ("https:///back", P::NoHost),
            ("https://example.com:99999/", P::NoHost),
            ("https://example.com:80:80/", P::NoHost),
            ("http://127.0.0.1:/x:", P::NoHost),
            ("http://example.com/", P::PlainHttp),
            ("http://127.0.0.1.evil.example/", P::PlainHttp),
            ("http://localhost.evil.example/", P::PlainHttp),
            ("javascript:alert(1)", P::Scheme),
            ("data:text/html,x", P::Scheme),
            ("myapp:/back", P::Scheme),
        ] {
            assert_eq!(check(address, true), Err(problem), "{address}");
        }
        assert_eq!(check("com.example.app:/back", false), Err(P::NotForConfidential));
        let long = format!("https://example.com/{}", "a".repeat(ADDRESS_MAX));
        assert_eq!(check(&long, true), Err(P::NotAnAddress));
    }

    #[test]
    fn only_the_port_of_a_loopback_address_is_free() {
        let registered = "http://127.0.0.1/back";
        for asked in [registered, "http://127.0.0.1:1/back", "http://127.0.0.1:65535/back"] {
            assert!(matches(registered, asked), "{asked}");
        }
        assert!(matches("http://127.0.0.1", "http://127.0.0.1:1234/"));
        assert!(matches("http://127.0.0.1/", "http://127.0.0.1:1234"));
        assert!(matches("http://[::1]:80/back", "http://[::1]:1234/back"));
        for asked in [
            "http://127.0.0.1:65536/back",
            "http://127.0.0.1:/../back",
            "http://127.0.0.1:+80/back",
            "http://127.0.0.1:80@evil.example/back",
            "http://127.0.0.1.evil.example/back",
            "http://127.0.0.1@evil.example/back",
            "http://127.0.0.2/back",
            "http://127.1/back",
            "http://2130706433/back",
            "http://localhost/back",
            "http://[::1]/back",
            "https://127.0.0.1/back",
            "HTTP://127.0.0.1/back",
            "http://127.0.0.1/back/",
            "http://127.0.0.1/Back",
            "http://127.0.0.1/back?x",
            "http://127.0.0.1/b%61ck",
            "http://127.0.0.1/x/../back",
            "http://127.0.0.1//back",
            "http:\\\\127.0.0.1/back",
            "http://127.0.0.1/back#",
        ] {
            assert!(!matches(registered, asked), "{asked}");
        }
    }

    #[test]
    fn everything_else_is_compared_exactly() {
        let registered = "https://example.com/back";
        assert!(matches(registered, registered));
        for asked in [
            "https://example.com/back/",
            "https://example.com/back.evil",
            "https://example.com/backup",
            "https://example.com/back?next=x",
            "https://example.com/back#x",
            "https://example.com:443/back",
            "https://example.com.evil.example/back",
            "https://example.com@evil.example/back",
            "https://evil.example/https://example.com/back",
            "https://EXAMPLE.com/back",
            "https://example.com/BACK",
            "https://example.com/%62ack",
            "https://example.com/./back",
            "http://example.com/back",
            " https://example.com/back",
            "https://example.com/back ",
            "",
        ] {
            assert!(!matches(registered, asked), "{asked}");
        }
        assert!(!matches("http://localhost:3000/back", "http://localhost:3001/back"));
    }

    #[test]
    fn forms_are_sent_to_the_origin_alone() {
        assert_eq!(form_target("https://example.com:1/back?x").as_deref(), Some("https://example.com:1"));
        assert_eq!(form_target("com.example.app:/back").as_deref(), Some("com.example.app:"));
        assert!(
            is_loopback("http://localhost:1/x")
                && is_loopback("http://[::1]:1")
                && !is_loopback("https://a.b/")
        );
    }
}
