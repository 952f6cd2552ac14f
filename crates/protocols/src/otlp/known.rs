//! Which attributes have a field of their own. The list is frozen: an attribute that changed its place would break the
//! queries of those who send it. Whatever is not here is in the map beside, so that no sender can fill a dataset with fields.

/// The first parts of names in the semantic conventions (those of version 1.33, which is frozen here), sorted.
const PREFIXES: [&str; 71] = [
    "android",
    "app",
    "artifact",
    "aspnetcore",
    "aws",
    "azure",
    "browser",
    "cassandra",
    "cicd",
    "client",
    "cloud",
    "cloudevents",
    "cloudfoundry",
    "code",
    "container",
    "cpu",
    "db",
    "deployment",
    "destination",
    "device",
    "disk",
    "dns",
    "elasticsearch",
    "enduser",
    "error",
    "event",
    "exception",
    "faas",
    "feature_flag",
    "file",
    "gcp",
    "gen_ai",
    "geo",
    "graphql",
    "heroku",
    "host",
    "http",
    "hw",
    "ios",
    "jvm",
    "k8s",
    "linux",
    "log",
    "message",
    "messaging",
    "net",
    "network",
    "nodejs",
    "oci",
    "opentracing",
    "os",
    "otel",
    "peer",
    "process",
    "rpc",
    "server",
    "service",
    "session",
    "signalr",
    "source",
    "system",
    "telemetry",
    "test",
    "thread",
    "tls",
    "url",
    "user",
    "user_agent",
    "v8js",
    "vcs",
    "webengine",
];

/// Parts behind which senders choose the names, such as `http.request.header.x-mine`.
const OPEN: [&str; 10] = [
    "annotation",
    "annotations",
    "environment_variable",
    "header",
    "headers",
    "label",
    "labels",
    "metadata",
    "parameter",
    "tag",
];

/// No name of the conventions has more parts, or is longer.
const PARTS_MAX: usize = 6;
const BYTES_MAX: usize = 100;

/// Of a resource, these stand without a prefix.
const TOP_LEVEL: [&str; 2] = ["service", "telemetry"];

pub(super) fn is_known(name: &str) -> bool {
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default();
    if name.len() > BYTES_MAX || PREFIXES.binary_search(&first).is_err() {
        return false;
    }
    let rest: Vec<&str> = parts.collect();
    let Some((last, inner)) = rest.split_last() else { return false };
    rest.len() < PARTS_MAX && !last.is_empty() && !inner.iter().any(|part| OPEN.contains(part))
}

pub(super) fn is_top_level(name: &str) -> bool {
    name.split_once('.').is_some_and(|(first, _)| TOP_LEVEL.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(PREFIXES.is_sorted());
    }

    #[test]
    fn names_of_the_conventions_have_fields() {
        for name in
            ["http.request.method", "db.query.text", "exception.stacktrace", "k8s.pod.name", "user.id"]
        {
            assert!(is_known(name), "{name}");
        }
        for name in [
            "http",
            "http.",
            "mine",
            "mine.http.x",
            "http.request.header.x-mine",
            "k8s.pod.label.app",
            "",
            "http.a.b.c.d.e.f",
            "rpc.grpc.request.metadata.x",
            "process.environment_variable.HOME",
        ] {
            assert!(!is_known(name), "{name}");
        }
    }
}
