//! The parameters of a protocol message, from the query string or from a form. A parameter that is there twice makes the
//! message ambiguous, and is refused (RFC 6749, 3.1).

use tidegauge_admission::config::PublicUrl;

use super::error::{ErrorCode, OAuthError};

/// The only parameter that may be given several times (RFC 8707).
const REPEATABLE: &str = "resource";

/// More parameters than any message has.
const PARAMETERS_MAX: usize = 64;

/// Parameters in the order in which they came.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, String)>);

impl std::fmt::Debug for Parameters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values may be secrets.
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl Parameters {
    /// Reads `name=value&…`. A parameter without a value counts as left out.
    pub fn parse(text: &[u8]) -> Self {
        let pairs = url::form_urlencoded::parse(text);
        Self(
            pairs
                .take(PARAMETERS_MAX + 1)
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }

    /// The value of a parameter, if it is there; an error if it is there twice.
    pub fn one(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        let mut values = self.all(name);
        let first = values.next();
        if values.next().is_some() {
            return Err(twice(name));
        }
        Ok(first)
    }

    pub fn required(&self, name: &str) -> Result<&str, OAuthError> {
        self.one(name)?.ok_or_else(|| OAuthError::invalid_request(format!("the parameter {name} is missing")))
    }

    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Refuses a resource that is not this service: tokens are for it alone (RFC 8707).
    pub fn check_resource(&self, own: &PublicUrl) -> Result<(), OAuthError> {
        let own = own.as_str();
        let is_own = |resource: &str| resource.strip_suffix('/').unwrap_or(resource) == own;
        if self.all(REPEATABLE).all(is_own) {
            return Ok(());
        }
        Err(OAuthError::new(ErrorCode::InvalidTarget, format!("the only resource here is {own}")))
    }

    /// Refuses a message in which any parameter is given twice.
    pub fn check_unique(&self) -> Result<(), OAuthError> {
        if self.0.len() > PARAMETERS_MAX {
            return Err(OAuthError::invalid_request(format!(
                "there are more than {PARAMETERS_MAX} parameters"
            )));
        }
        for (index, (name, _)) in self.0.iter().enumerate() {
            if name != REPEATABLE && self.0[..index].iter().any(|(other, _)| other == name) {
                return Err(twice(name));
            }
        }
        Ok(())
    }

    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The same without some parameters.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        Self(self.0.iter().filter(|(name, _)| !names.contains(&name.as_str())).cloned().collect())
    }

    /// The same with one more.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// As the query of an address.
    pub fn to_query(&self) -> String {
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.0).finish()
    }
}

fn twice(name: &str) -> OAuthError {
    let name: String = name.chars().take(64).collect();
    OAuthError::invalid_request(format!("the parameter {name} is given twice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_is_there_once() {
        let parameters = Parameters::parse(b"a=1&b=&c=%2B+x&resource=1&resource=2");
        assert_eq!(parameters.one("a").unwrap(), Some("1"));
        assert_eq!(parameters.one("b").unwrap(), None);
        assert_eq!(parameters.required("c").unwrap(), "+ x");
        assert!(parameters.required("d").is_err() && parameters.check_unique().is_ok());
        assert_eq!(parameters.all("resource").count(), 2);
        let twice = Parameters::parse(b"a=1&a=1");
        assert!(twice.one("a").is_err() && twice.check_unique().is_err());
        assert!(!format!("{parameters:?}").contains("+ x"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let parameters = Parameters::parse("state=a%26b%3Dc+d%C3%A4&x=1".as_bytes());
        assert_eq!(Parameters::parse(parameters.to_query().as_bytes()), parameters);
        let changed = parameters.without(&["x"]).with("y", "2 3");
        assert_eq!(changed.to_query(), "state=a%26b%3Dc+d%C3%A4&y=2+3");
    }
}
