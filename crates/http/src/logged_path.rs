//! What is shown of the path of a request: a secret that stands in it is left out.

use super::endpoint_path;

/// What is shown of a path, in the log and in the audit trail: what stands behind these is a secret.
pub(crate) fn logged_path(path: &str) -> String {
    const SECRET_BELOW: [&str; 4] = ["/setup/", "/v1/input/", "/v2/exports/", endpoint_path::BELOW];
    match SECRET_BELOW.into_iter().find(|before| path.starts_with(before)) {
        Some(before) => format!("{before}…"),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_of_a_link_is_not_logged() {
        assert_eq!(logged_path("/setup/IN54p0VCalfg"), "/setup/…");
        assert_eq!(logged_path("/v2/setup/x"), "/v2/setup/x");
        assert_eq!(logged_path("/v2/exports/IN54p0VCalfg"), "/v2/exports/…");
        assert_eq!(logged_path("/v2/exports"), "/v2/exports");
        assert_eq!(logged_path("/v1/input/xaat-1"), "/v1/input/…");
        assert_eq!(logged_path("/v1/input"), "/v1/input");
        assert_eq!(logged_path("/e/a-secret-that-is-cut/upload"), "/e/…");
    }
}
