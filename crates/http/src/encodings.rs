//! In which compressed forms a client takes an answer.

use axum::http::{HeaderMap, header};

/// Whether the header `Accept-Encoding` names a form and does not refuse it. A form that is not named is not taken,
/// whatever `*` says: plain is never wrong.
pub(crate) fn takes(headers: &HeaderMap, coding: &str) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|part| {
        let mut words = part.split(';').map(str::trim);
        let is_named = words.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        is_named && !words.any(is_zero)
    })
}

fn is_zero(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return false };
    name.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>().is_ok_and(|quality| quality <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_taken_where_it_is_named_and_not_refused() {
        let with = |text: &str| HeaderMap::from_iter([(header::ACCEPT_ENCODING, text.parse().unwrap())]);
        for text in ["gzip", "br, GZIP;q=0.5", "gzip; q=1", "deflate,gzip"] {
            assert!(takes(&with(text), "gzip"), "{text}");
        }
        for text in ["", "br", "gzip;q=0", "gzip; Q=0.000", "*", "x-gzip"] {
            assert!(!takes(&with(text), "gzip"), "{text}");
        }
        assert!(!takes(&HeaderMap::new(), "gzip"));
    }
}
