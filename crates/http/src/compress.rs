//! Compresses answers of data for clients that take it: lists and tables become a tenth of their size, which counts on
//! slow ways. Pages are left as they are, because they hold a secret beside text that others choose; so are streams of
//! events, whose parts would wait for each other.

use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, Predicate, SizeAbove};

/// Smaller answers fit into one packet anyway.
const BYTES_MIN: u64 = 1_024;

/// The kinds of answer that are texts of data.
const KINDS: [&str; 3] = ["application/json", "application/x-ndjson", "text/csv"];

type IsData = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// The layer that compresses.
pub(crate) fn layer() -> CompressionLayer<And<SizeAbove, IsData>> {
    let when = SizeAbove::new(BYTES_MIN).and(is_data as IsData);
    // Most of what there is to gain is gained at once, and a query should not wait for the rest.
    CompressionLayer::new().gzip(true).quality(CompressionLevel::Fastest).compress_when(when)
}

fn is_data(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    KINDS.contains(&kind.split(';').next().unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::response::Response;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    async fn coding(kind: &'static str, length: usize, taken: &str) -> Option<String> {
        let text = move || async move { ([(header::CONTENT_TYPE, kind)], "x".repeat(length)) };
        let router: Router = Router::new().route("/", get(text)).layer(layer());
        let request = Request::builder().header(header::ACCEPT_ENCODING, taken).body(Body::empty()).unwrap();
        let response: Response = router.oneshot(request).await.unwrap();
        response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned())
    }

    #[tokio::test]
    async fn large_texts_of_data_are_compressed_for_who_takes_it() {
        for kind in ["application/json", "application/x-ndjson", "text/csv; charset=utf-8"] {
            assert_eq!(coding(kind, 5_000, "gzip, br").await.as_deref(), Some("gzip"), "{kind}");
            assert_eq!(coding(kind, 500, "gzip").await, None, "{kind}");
            assert_eq!(coding(kind, 5_000, "identity").await, None, "{kind}");
            assert_eq!(coding(kind, 5_000, "gzip;q=0").await, None, "{kind}");
        }
        for kind in ["text/html", "text/event-stream", "application/vnd.apache.arrow.stream"] {
            assert_eq!(coding(kind, 5_000, "gzip").await, None, "{kind}");
        }
    }
}
