//! The web interface as it was built: its page, and the files that the page refers to, each plain and compressed. How
//! they are served, and to whom, is left to `http`. Where the interface was not built, there is no page.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// What stands in the page for the token of the reader's session.
pub const FORM_TOKEN: &str = "{{form_token}}";

/// What stands in the page for the nonce of its styles.
pub const STYLE_NONCE: &str = "{{style_nonce}}";

/// What stands in the page for the names of the routes that not every service has.
pub const ROUTES: &str = "{{routes}}";

/// Folder of the files whose names hold a digest of what is in them.
const HASHED: &str = "assets/";

/// The kinds of files by the endings of their names.
const KINDS: &[(&str, &str)] = &[
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".json", "application/json"),
    (".png", "image/png"),
    (".woff2", "font/woff2"),
];

/// A file of the interface.
#[derive(Clone, Copy, Debug)]
pub struct File {
    name: &'static str,
    plain: &'static [u8],
    gzip: Option<&'static [u8]>,
    brotli: Option<&'static [u8]>,
}

/// The page, in which the places above are to be filled in; none where the interface was not built.
pub fn page() -> Option<&'static str> {
    PAGE
}

/// A file by its path below the interface's own.
pub fn file(name: &str) -> Option<&'static File> {
    let place = FILES.binary_search_by(|file| file.name.cmp(name)).ok()?;
    FILES.get(place)
}

impl File {
    /// What a browser is told of its content.
    pub fn kind(&self) -> &'static str {
        let known = KINDS.iter().find(|(ending, _)| self.name.ends_with(ending));
        known.map_or("application/octet-stream", |(_, kind)| kind)
    }

    /// Whether another content would have another name, so that browsers may keep it for ever.
    pub fn is_hashed(&self) -> bool {
        self.name.starts_with(HASHED)
    }

    /// Its bytes in the smallest form that a reader takes, and the name of that form if it is not the plain one.
    pub fn bytes(&self, takes: impl Fn(&str) -> bool) -> (&'static [u8], Option<&'static str>) {
        for (coding, bytes) in [("br", self.brotli), ("gzip", self.gzip)] {
            if let Some(bytes) = bytes.filter(|_| takes(coding)) {
                return (bytes, Some(coding));
            }
        }
        (self.plain, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: File =
        File { name: "assets/a-1.js", plain: b"plain", gzip: Some(b"gzip"), brotli: Some(b"brotli") };

    #[test]
    fn the_smallest_form_that_is_taken_is_given() {
        assert_eq!(SCRIPT.bytes(|_| true), (b"brotli".as_slice(), Some("br")));
        assert_eq!(SCRIPT.bytes(|coding| coding == "gzip"), (b"gzip".as_slice(), Some("gzip")));
        assert_eq!(SCRIPT.bytes(|_| false), (b"plain".as_slice(), None));
        let small = File { gzip: None, brotli: None, ..SCRIPT };
        assert_eq!(small.bytes(|_| true), (b"plain".as_slice(), None));
    }

    #[test]
    fn every_file_is_found_by_its_name_and_has_a_kind() {
        for known in FILES {
            assert_eq!(file(known.name).map(|found| found.name), Some(known.name));
            assert_ne!(known.kind(), "application/octet-stream", "{}", known.name);
        }
        assert!(file("index.html").is_none());
        assert!(file("../Cargo.toml").is_none());
    }

    #[test]
    fn the_page_has_its_places_and_no_script_of_its_own() {
        let Some(page) = page() else { return };
        for place in [FORM_TOKEN, STYLE_NONCE, ROUTES] {
            assert_eq!(page.matches(place).count(), 1, "{place}");
        }
        assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains(" onload="));
        for script in page.split("<script").skip(1) {
            assert!(script.contains("src=\"/ui/assets/"), "{script}");
        }
    }
}
