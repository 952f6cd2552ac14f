//! The settings of OAuth 2.0, checked: the issuers whose access tokens are accepted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use tidegauge_admission::config::oauth::{
    DpopRule, IntrospectionClient, IssuerConfig, LoginConfig, LoginTarget, Oauth,
};
use tidegauge_auth::oauth::{Expected, Rules, algorithms, times};
use tidegauge_model::{OrgId, Role};
use url::{Host, Url};

use super::error::{Error, setting};

/// More would make the look for the issuer of an opaque token slow.
const ISSUERS_MAX: usize = 16;

/// An issuer that takes longer for an answer is not waited for: requests wait with it.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OauthSettings {
    oauth_embedded: bool,
    oauth_registration: bool,
    oauth_dpop_nonces: bool,
    issuers: Vec<IssuerSettings>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IssuerSettings {
    url: String,
    audience: String,
    algorithms: Vec<String>,
    token: String,
    introspection_client: String,
    introspection_secret_file: PathBuf,
    introspection_auth: String,
    require_type: bool,
    leeway_seconds: u64,
    dpop: String,
    allow_private_address: bool,
    scope_prefix: String,
    login_client: String,
    login_scope: String,
    login_target: String,
    user_claim: String,
    email_claim: String,
    name_claim: String,
    org: String,
    org_claim: String,
    role_claim: String,
    roles: BTreeMap<String, String>,
    provision: bool,
    provision_role: String,
    link_verified_email: bool,
    machine_role: String,
}

pub(super) fn checked(settings: OauthSettings) -> Result<Oauth, Error> {
    if settings.issuers.len() > ISSUERS_MAX {
        return Err(setting("oauth.issuers", format!("there may be at most {ISSUERS_MAX}")));
    }
    let is_embedded = settings.oauth_embedded && settings.issuers.is_empty();
    let issuers: Vec<IssuerConfig> = settings.issuers.into_iter().map(issuer).collect::<Result<_, _>>()?;
    for (index, one) in issuers.iter().enumerate() {
        if issuers[..index].iter().any(|other| other.expected.issuer == one.expected.issuer) {
            return Err(setting("oauth.issuers.url", format!("{:?} is there twice", one.expected.issuer)));
        }
    }
    Ok(Oauth {
        is_embedded,
        takes_registrations: settings.oauth_registration,
        demands_nonces: settings.oauth_dpop_nonces,
        issuers,
    })
}

fn issuer(settings: IssuerSettings) -> Result<IssuerConfig, Error> {
    check_url(&settings.url, settings.allow_private_address)?;
    let leeway = Duration::from_secs(settings.leeway_seconds);
    if leeway > times::LEEWAY_MAX {
        return Err(setting("oauth.issuers.leeway_seconds", "must be at most 60"));
    }
    let provision_role = role("oauth.issuers.provision_role", &settings.provision_role)?;
    Ok(IssuerConfig {
        introspection: introspection(&settings)?,
        dpop: dpop(&settings.dpop)?,
        allows_private_address: settings.allow_private_address,
        answer_time_max: ANSWER_TIME_MAX,
        rules: rules(&settings)?,
        provision: settings.provision.then_some(provision_role),
        links_verified_email: settings.link_verified_email,
        login: login(&settings)?,
        expected: Expected {
            issuer: settings.url,
            audiences: some(settings.audience).into_iter().collect(),
            algorithms: allowed(&settings.algorithms)?,
            require_type: settings.require_type,
            leeway,
            scope_prefix: settings.scope_prefix,
        },
    })
}

/// An issuer is reached over TLS. Only one on the same machine, which has to be allowed, may do without.
fn check_url(text: &str, allows_private_address: bool) -> Result<(), Error> {
    let key = "oauth.issuers.url";
    let Ok(url) = Url::parse(text) else {
        return Err(setting(key, format!("{text:?} is not an address such as https://login.example.com")));
    };
    let is_loopback = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let is_plain_allowed = url.scheme() == "http" && is_loopback && allows_private_address;
    if url.scheme() != "https" && !is_plain_allowed {
        return Err(setting(
            key,
            "must begin with https://; http:// is for an issuer on the same machine with allow_private_address",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err(setting(key, "must have no user, query or fragment"));
    }
    Ok(())
}

fn allowed(names: &[String]) -> Result<Vec<algorithms::Algorithm>, Error> {
    let key = "oauth.issuers.algorithms";
    if names.is_empty() {
        return Err(setting(key, "must name at least one"));
    }
    let read = |name: &String| {
        algorithms::from_name(name)
            .ok_or_else(|| setting(key, format!("{name:?} is not among {}", algorithms::names().join(", "))))
    };
    names.iter().map(read).collect()
}

fn introspection(settings: &IssuerSettings) -> Result<Option<IntrospectionClient>, Error> {
    match settings.token.as_str() {
        "jwt" => return Ok(None),
        "introspection" => {}
        other => {
            return Err(setting(
                "oauth.issuers.token",
                format!("{other:?} is neither jwt nor introspection"),
            ));
        }
    }
    if settings.introspection_client.is_empty() {
        return Err(setting("oauth.issuers.introspection_client", "must be set for introspection"));
    }
    if settings.introspection_secret_file.as_os_str().is_empty() {
        return Err(setting("oauth.issuers.introspection_secret_file", "must be set for introspection"));
    }
    let sends_basic = match settings.introspection_auth.as_str() {
        "basic" => true,
        "post" => false,
        other => {
            return Err(setting(
                "oauth.issuers.introspection_auth",
                format!("{other:?} is neither basic nor post"),
            ));
        }
    };
    let (id, secret_file) =
        (settings.introspection_client.clone(), settings.introspection_secret_file.clone());
    Ok(Some(IntrospectionClient { id, secret_file, sends_basic }))
}

fn login(settings: &IssuerSettings) -> Result<LoginConfig, Error> {
    if settings.login_client.is_empty() {
        return Err(setting("oauth.issuers.login_client", "must name a client"));
    }
    let target = match settings.login_target.as_str() {
        "resource" => LoginTarget::Resource,
        "audience" => LoginTarget::Audience,
        "none" => LoginTarget::Nothing,
        other => {
            let problem = format!("{other:?} is none of resource, audience and none");
            return Err(setting("oauth.issuers.login_target", problem));
        }
    };
    let (client, scope) = (settings.login_client.clone(), some(settings.login_scope.clone()));
    Ok(LoginConfig { client, scope, target })
}

fn dpop(text: &str) -> Result<DpopRule, Error> {
    match text {
        "off" => Ok(DpopRule::Off),
        "allowed" => Ok(DpopRule::Allowed),
        "required" => Ok(DpopRule::Required),
        other => {
            Err(setting("oauth.issuers.dpop", format!("{other:?} is none of off, allowed and required")))
        }
    }
}

fn rules(settings: &IssuerSettings) -> Result<Rules, Error> {
    if !settings.org.is_empty() && !settings.org_claim.is_empty() {
        return Err(setting("oauth.issuers.org_claim", "must be empty when org is set"));
    }
    if settings.user_claim.is_empty() {
        return Err(setting("oauth.issuers.user_claim", "must name a claim"));
    }
    let mut roles = BTreeMap::new();
    for (theirs, ours) in &settings.roles {
        roles.insert(theirs.clone(), role("oauth.issuers.roles", ours)?);
    }
    let machine_role = role("oauth.issuers.machine_role", &settings.machine_role)?;
    Ok(Rules {
        user_claim: settings.user_claim.clone(),
        email_claim: settings.email_claim.clone(),
        name_claim: settings.name_claim.clone(),
        org: some(settings.org.clone()).map(OrgId::from),
        org_claim: some(settings.org_claim.clone()),
        role_claim: some(settings.role_claim.clone()),
        roles,
        machine_role: Some(machine_role).filter(|role| *role != Role::None),
    })
}

fn role(key: &'static str, id: &str) -> Result<Role, Error> {
    Role::from_id(id).ok_or_else(|| setting(key, format!("{id:?} is not among {}", Role::ids().join(", "))))
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}
