//! The words of OAuth 2.0 that more than one crate needs: the ways in which a client can come to a token.

/// A way to come to an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantType {
    AuthorizationCode,
    RefreshToken,
    ClientCredentials,
    DeviceCode,
}

impl GrantType {
    pub const ALL: &[Self] =
        &[Self::AuthorizationCode, Self::RefreshToken, Self::ClientCredentials, Self::DeviceCode];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
            Self::ClientCredentials => "client_credentials",
            Self::DeviceCode => "urn:ietf:params:oauth:grant-type:device_code",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|grant| grant.name() == name)
    }
}
