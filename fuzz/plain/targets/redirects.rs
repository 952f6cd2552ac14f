//! Addresses that browsers are sent back to: one that is taken for a registered one leads to the same host, as a browser
//! reads it, and plain HTTP leads to the machine of the browser alone.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_auth::embedded::redirect::{check, form_target, is_loopback, matches};
use url::{Host, Url};

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fuzz_target!(|text: &str| {
    // The address that was registered, and on the next line the one that is asked for.
    let (registered, asked) = text.split_once('\n').unwrap_or((text, text));
    let _ = form_target(registered);
    if check(registered, true).is_err() {
        return;
    }
    assert!(matches(registered, registered));
    let Ok(own) = Url::parse(registered) else { return };
    if own.scheme() == "http" {
        assert!(is_local(&own), "{registered} is not on the machine of the browser");
        assert!(is_loopback(registered));
    }
    assert!(own.username().is_empty() && own.password().is_none() && own.fragment().is_none());
    if matches(registered, asked) && registered != asked {
        let other = Url::parse(asked).expect("it is a registered one but for its port");
        assert_eq!((other.scheme(), other.host()), (own.scheme(), own.host()), "{registered} and {asked}");
        assert_eq!((other.path(), other.query()), (own.path(), own.query()), "{registered} and {asked}");
        assert!(other.fragment().is_none() && other.username().is_empty());
    }
});
