//! What the embedded authorisation server keeps: signing keys, clients, and the grants with their codes, refresh tokens
//! and device codes. Secrets are digests here; what a protocol message means is left to the server.

pub mod clients;
pub mod codes;
pub mod consents;
pub mod devices;
pub mod grants;
pub mod keys;
pub mod refresh;

pub use clients::{ClientSecrets, OAuthClient};
pub use codes::AuthorizationCode;
pub use devices::{DeviceRequest, DeviceStatus, Polled};
pub use grants::Grant;
pub use keys::SigningKey;
pub use refresh::{RefreshToken, Rotation};
