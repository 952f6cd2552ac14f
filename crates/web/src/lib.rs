//! What every handler of HTTP reads requests and writes responses with: which status a kind of error has (`error`), bodies
//! and paths (`extract`, `json`), cookies, and the headers that are the same on every route. Which routes there are, and
//! who may call them, is left to `http`.

pub mod caller_address;
pub mod cookies;
pub mod error;
pub mod extract;
pub mod json;
pub mod nonce;
pub mod quota_headers;
pub mod request_ids;
