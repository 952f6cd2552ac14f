//! The first start of an installation: an organisation, its owner and the owner's personal token.

use std::path::Path;

use anyhow::Context;
use tidegauge_admission::config::FirstStart;
use tidegauge_auth::{TokenKind, TokenSecret};
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_catalog::{Catalog, Change};
use tidegauge_model::address::fold_email;
use tidegauge_model::{Capabilities, Org, OrgId, Rng, Timestamp, TokenId, UserId};

use crate::secret_key::write_private;
use crate::service::invite_links::{self, NewInviteLink};

/// What was made, to be told to the operator once.
#[derive(Debug)]
pub struct Made {
    pub org: OrgId,
    pub secret: TokenSecret,
    /// By which the owner sets a password.
    pub link: NewInviteLink,
}

/// Sets the installation up if that has not been done. `None` if it has.
pub async fn set_up(
    catalog: &Catalog,
    settings: &FirstStart,
    rng: &dyn Rng,
    now: Timestamp,
) -> anyhow::Result<Option<Made>> {
    if catalog.is_set_up().await? {
        return Ok(None);
    }
    let in_file = read_token_file(&settings.token_file)?;
    let secret = match (&settings.token, &in_file) {
        (Some(secret), _) | (None, Some(secret)) => secret.clone(),
        (None, None) => TokenSecret::generate(TokenKind::Personal, rng),
    };
    if in_file.as_ref() != Some(&secret) {
        // The file comes first: after a crash between the two, the next start finds the same token in it.
        write_private(&settings.token_file, &format!("{}\n", secret.reveal()))
            .with_context(|| format!("writing the first token to {}", settings.token_file.display()))?;
    }

    let org_id = OrgId::generate(now, rng);
    let org = Org::self_hosted(org_id, settings.org_name.clone(), settings.owner_email.clone(), now);
    let owner = Person {
        id: UserId::generate(now, rng),
        email: fold_email(&settings.owner_email),
        name: "Owner".to_owned(),
        created: now,
    };
    let token = Token {
        id: TokenId::generate(now, rng),
        org: None,
        person: owner.id.clone(),
        name: "First token".to_owned(),
        description: "Made by the first start".to_owned(),
        capabilities: Capabilities::default(),
        created: now,
        expires_at: None,
        last_used_at: None,
        ends_with_membership: false,
    };
    let change = Change {
        org: Some(org.id.clone()),
        actor: "first start".to_owned(),
        at: now,
        request_id: String::new(),
    };
    if catalog.set_up(&org, &owner, &token, &secret.digest(), &change).await? {
        let link = invite_links::make(catalog, rng, &owner, &change).await?;
        return Ok(Some(Made { org: org.id, secret, link }));
    }
    // Another node was first, so this token opens nothing.
    if in_file.is_none() {
        std::fs::remove_file(&settings.token_file)
            .with_context(|| format!("removing the unused token {}", settings.token_file.display()))?;
    }
    Ok(None)
}

/// The token in the file, if there is one.
fn read_token_file(path: &Path) -> anyhow::Result<Option<TokenSecret>> {
    match std::fs::read_to_string(path) {
        Ok(text) => match TokenSecret::parse(text.trim()) {
            Some(secret) if secret.kind() == TokenKind::Personal => Ok(Some(secret)),
            _ => anyhow::bail!("{} must hold a token of the form xapt-<uuid>", path.display()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading the first token {}", path.display())),
    }
}
