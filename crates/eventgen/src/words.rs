//! The lists that made-up events draw from: services with what they serve, places, clients, statuses, errors.
//! How often each is drawn is decided where it is drawn.

/// A service, two kinds of thing that it serves, and what belongs to one of each.
#[derive(Debug)]
pub struct Service {
    pub name: &'static str,
    pub things: [(&'static str, &'static str); 2],
}

const fn service(
    name: &'static str,
    one: (&'static str, &'static str),
    two: (&'static str, &'static str),
) -> Service {
    Service { name, things: [one, two] }
}

/// The most frequent first.
pub const SERVICES: &[Service] = &[
    service("gateway", ("routes", "targets"), ("clients", "quotas")),
    service("checkout", ("carts", "items"), ("coupons", "uses")),
    service("catalogue", ("products", "images"), ("categories", "filters")),
    service("accounts", ("profiles", "emails"), ("addresses", "history")),
    service("search", ("queries", "facets"), ("suggestions", "terms")),
    service("sessions", ("logins", "devices"), ("grants", "scopes")),
    service("payments", ("charges", "refunds"), ("cards", "checks")),
    service("stock", ("warehouses", "shelves"), ("counts", "changes")),
    service("pricing", ("prices", "tiers"), ("currencies", "rates")),
    service("orders", ("orders", "lines"), ("returns", "labels")),
    service("shipping", ("parcels", "events"), ("carriers", "zones")),
    service("mailer", ("messages", "attachments"), ("templates", "versions")),
    service("reviews", ("reviews", "votes"), ("questions", "answers")),
    service("recommender", ("models", "features"), ("shelves", "entries")),
    service("media", ("uploads", "chunks"), ("renditions", "masks")),
    service("ledger", ("entries", "postings"), ("balances", "closings")),
    service("fraud", ("cases", "signals"), ("rules", "hits")),
    service("reports", ("exports", "files"), ("schedules", "runs")),
    service("webhooks", ("endpoints", "deliveries"), ("secrets", "rotations")),
    service("admin", ("switches", "overrides"), ("tenants", "members")),
];

/// What follows the kind of thing in a path; `*` is where the part that belongs to it stands.
pub const PATH_ENDS: &[&str] = &["/{id}", "", "/{id}/*", "/search", "/batch"];

pub const REGIONS: &[&str] = &["eu-central-1", "us-east-1", "us-west-2", "ap-southeast-1", "sa-east-1"];

pub const ENVIRONMENTS: &[&str] = &["prod", "canary", "staging"];

pub const METHODS: &[(&str, u64)] =
    &[("GET", 700), ("POST", 180), ("PUT", 60), ("PATCH", 30), ("DELETE", 30)];

pub const PROTOCOLS: &[(&str, u64)] = &[("HTTP/2.0", 700), ("HTTP/1.1", 280), ("HTTP/3.0", 20)];

/// Statuses and how many of a thousand requests end with them.
pub const STATUSES: &[(u64, u64)] = &[
    (200, 805),
    (201, 45),
    (202, 10),
    (204, 30),
    (301, 5),
    (304, 30),
    (400, 10),
    (401, 10),
    (403, 5),
    (404, 25),
    (409, 2),
    (422, 4),
    (429, 4),
    (500, 7),
    (502, 2),
    (503, 4),
    (504, 2),
];

/// City and country, the most frequent first.
pub const CITIES: &[(&str, &str)] = &[
    ("Berlin", "DE"),
    ("New York", "US"),
    ("London", "GB"),
    ("São Paulo", "BR"),
    ("Paris", "FR"),
    ("Chicago", "US"),
    ("Mumbai", "IN"),
    ("Tokyo", "JP"),
    ("Hamburg", "DE"),
    ("Toronto", "CA"),
    ("Madrid", "ES"),
    ("Sydney", "AU"),
    ("Seattle", "US"),
    ("Amsterdam", "NL"),
    ("Warsaw", "PL"),
    ("Singapore", "SG"),
    ("Milan", "IT"),
    ("Stockholm", "SE"),
    ("Austin", "US"),
    ("Munich", "DE"),
    ("Lagos", "NG"),
    ("Mexico City", "MX"),
    ("Vienna", "AT"),
    ("Zürich", "CH"),
    ("Jakarta", "ID"),
    ("Seoul", "KR"),
    ("Dublin", "IE"),
    ("Lisbon", "PT"),
    ("Prague", "CZ"),
    ("Copenhagen", "DK"),
    ("Oslo", "NO"),
    ("Helsinki", "FI"),
    ("Bogotá", "CO"),
    ("Nairobi", "KE"),
    ("Cairo", "EG"),
    ("Istanbul", "TR"),
    ("Athens", "GR"),
    ("Auckland", "NZ"),
    ("Santiago", "CL"),
    ("Hanoi", "VN"),
];

/// Programs that are not browsers.
pub const PROGRAMS: &[&str] = &[
    "okhttp/4.12.0",
    "okhttp/5.1.0",
    "python-requests/2.32.3",
    "python-httpx/0.28.1",
    "Go-http-client/2.0",
    "Go-http-client/1.1",
    "curl/8.5.0",
    "curl/7.88.1",
    "axios/1.7.9",
    "node-fetch/3.3.2",
    "Java-http-client/21.0.5",
    "Ruby/3.3.6",
    "ShopApp/9.14 (iPhone; iOS 18.1)",
    "ShopApp/9.12 (iPhone; iOS 17.6)",
    "ShopApp/9.14 (Android 15; Pixel 8)",
    "ShopApp/9.13 (Android 14; SM-S911B)",
    "HealthCheck/2",
    "Prober/1.4 (+https://status.example.com)",
];

pub const SYSTEMS: &[&str] =
    &["Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64", "iPad; OS 18"];

pub const BROWSERS: &[&str] = &[
    "Chrome/131.0.0.0 Safari/537.36",
    "Chrome/130.0.0.0 Safari/537.36",
    "Chrome/129.0.0.0 Safari/537.36",
    "Chrome/128.0.0.0 Safari/537.36",
    "Gecko/20100101 Firefox/133.0",
    "Gecko/20100101 Firefox/128.0",
    "Version/18.1 Safari/605.1.15",
    "Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
];

pub const FLAGS: &[&str] = &[
    "new-checkout",
    "fast-search",
    "dark-mode",
    "beta-pricing",
    "one-page-cart",
    "shadow-reads",
    "passkeys",
    "related-v2",
];

/// Kinds of error, with the status that they come with.
pub const ERRORS: &[(&str, u64)] = &[
    ("DatabaseTimeout", 500),
    ("NullReference", 500),
    ("ConstraintViolation", 500),
    ("SerializationError", 500),
    ("BadGateway", 502),
    ("ConnectionReset", 502),
    ("CircuitOpen", 503),
    ("PoolExhausted", 503),
    ("UpstreamTimeout", 504),
];

/// Where an error can have come through, from the inside out.
pub const FRAMES: &[&str] = &[
    "Pool.acquire (pool.go:118)",
    "Client.roundTrip (client.go:402)",
    "Store.query (store.go:77)",
    "Store.inTransaction (store.go:231)",
    "Cache.getOrLoad (cache.go:59)",
    "Retry.run (retry.go:44)",
    "Codec.decode (codec.go:163)",
    "Handler.serve (handler.go:91)",
    "Middleware.authenticate (auth.go:35)",
    "Middleware.trace (trace.go:20)",
    "Router.dispatch (router.go:148)",
    "Server.handle (server.go:310)",
];
