//! The look-up behind every authenticated request: from the digest of a token to its record and the organisations
//! it can act in, in one statement.

use std::sync::{Arc, OnceLock};

use sqlx::FromRow;
use tidegauge_model::licence::Limits;
use tidegauge_model::org::Payment;
use tidegauge_model::{Capabilities, GrantId, OrgId, Role, RoleGrants, RoleId, Timestamp, TokenId, UserId};

use crate::db::read;
use crate::endpoints::Endpoint;
use crate::orgs::{read_licence, read_payment};
use crate::tokens::{API, read_capabilities};
use crate::users::read_role;
use crate::{Catalog, Result};

/// A token that was presented, and where it counts.
#[derive(Clone, Debug)]
pub struct Bearer {
    pub id: TokenId,
    pub is_api_token: bool,
    pub user: UserId,
    pub expires_at: Option<Timestamp>,
    /// Whether it ends with the membership of who made it; if so, that person is a member now.
    pub ends_with_membership: bool,
    pub capabilities: Capabilities,
    pub org_contexts: Vec<OrgContext>,
    /// The endpoint whose address stands for the token, if it came by one.
    pub endpoint: Option<Arc<Endpoint>>,
}

/// An organisation that a token can act in, with what every request there is held to.
#[derive(Clone, Debug)]
pub struct OrgContext {
    pub org: OrgId,
    /// The person's role; an API token has none.
    pub role: Option<Role>,
    /// What the person holds beside that role. It is read of the organisation that a request acts in alone, because
    /// others decide how many the person belongs to.
    pub granted: Arc<RoleGrants>,
    pub payment: Payment,
    /// Read only where a request acts, because a person may have many, and only once.
    licence: String,
    limits: OnceLock<Limits>,
}

impl OrgContext {
    /// That of what acts for an organisation and for no person.
    pub(crate) fn of_org(org: OrgId, payment: Payment, licence: String) -> Self {
        Self { org, role: None, granted: Arc::default(), payment, licence, limits: OnceLock::new() }
    }

    /// The limits of the organisation's licence.
    pub fn limits(&self) -> Result<Limits> {
        if let Some(limits) = self.limits.get() {
            return Ok(limits.clone());
        }
        let limits = read_licence(&self.licence)?.limits;
        Ok(self.limits.get_or_init(|| limits).clone())
    }
}

/// One row per organisation; a person without any still has one, with nothing in it.
#[derive(FromRow)]
struct BearerRow {
    id: String,
    kind: String,
    person_id: String,
    expires_at: Option<i64>,
    ends_with_membership: bool,
    capabilities: String,
    org_id: Option<String>,
    role: Option<String>,
    main_role: Option<String>,
    payment_status: Option<String>,
    first_failed_payment: Option<i64>,
    licence: Option<String>,
}

// A membership that the person has not taken is none here, so that it gives nothing to anybody. A person can take any
// number of them, which must not make their requests slow: a request looks at as many as they can own and as many again.
// The number stands in the text, because SQLite prepares a statement anew for each value of a limit that is a parameter,
// which halves the speed of every request.
//
// Tokens that end with a membership are given an end when it goes. That it is looked at here too is for another node,
// whose clock may be behind that end.
macro_rules! of_token {
    ($key:literal) => {
        concat!(
            "SELECT t.id, t.kind, t.person_id, t.expires_at, t.ends_with_membership, t.capabilities, \
             o.id AS org_id, m.role, m.main_role, o.payment_status, o.first_failed_payment, o.licence \
             FROM token t \
             LEFT JOIN membership m ON t.org_id IS NULL AND m.person_id = t.person_id AND m.accepted IS NOT NULL \
             LEFT JOIN org o ON o.id = COALESCE(t.org_id, m.org_id) \
             WHERE ",
            $key,
            " = $1 AND (NOT t.ends_with_membership OR EXISTS (SELECT 1 FROM membership k \
             WHERE k.org_id = t.org_id AND k.person_id = t.person_id AND k.accepted IS NOT NULL)) \
             ORDER BY CASE WHEN o.id = $2 THEN 0 ELSE 1 END, o.id LIMIT 200"
        )
    };
}

const SELECT: &str = of_token!("t.digest");

const SELECT_BY_ID: &str = of_token!("t.id");

/// What a [`BearerRow`] has of a person who comes without a token of ours.
macro_rules! of_person {
    ($kind:literal, $membership:literal) => {
        concat!(
            "SELECT p.id, '",
            $kind,
            "' AS kind, p.id AS person_id, CAST(NULL AS BIGINT) AS expires_at, \
             FALSE AS ends_with_membership, '{}' AS capabilities, o.id AS org_id, m.role, m.main_role, o.payment_status, \
             o.first_failed_payment, o.licence FROM person p ",
            $membership,
            " WHERE p.id = $1 \
             ORDER BY CASE WHEN o.id = $2 THEN 0 ELSE 1 END, o.id LIMIT 200"
        )
    };
}

const SELECT_OF_PERSON: &str = of_person!(
    "personal",
    "LEFT JOIN membership m ON m.person_id = p.id AND m.accepted IS NOT NULL LEFT JOIN org o ON o.id = m.org_id"
);

// A machine is no member; where it acts is said by the settings of its issuer.
const SELECT_OF_CLIENT: &str =
    of_person!("api", "LEFT JOIN org o ON o.id = $2 LEFT JOIN membership m ON m.person_id = p.id AND 1 = 0");

// What a client was granted: for a person wherever they are a member, for itself in its organisation. A client that was
// deleted holds nothing.
const SELECT_OF_GRANT: &str = "SELECT g.id, CASE WHEN g.person_id IS NULL THEN 'api' ELSE 'personal' END AS kind, \
    COALESCE(g.person_id, c.created_by) AS person_id, g.ends AS expires_at, \
    FALSE AS ends_with_membership, COALESCE(c.capabilities, '{}') AS capabilities, o.id AS org_id, m.role, m.main_role, \
    o.payment_status, o.first_failed_payment, o.licence \
    FROM oauth_grant g \
    LEFT JOIN oauth_client c ON g.person_id IS NULL AND c.id = g.client_id \
    LEFT JOIN membership m ON m.person_id = g.person_id AND m.accepted IS NOT NULL \
    LEFT JOIN org o ON o.id = COALESCE(g.org_id, m.org_id) \
    WHERE g.id = $1 AND g.revoked IS NULL AND (g.person_id IS NOT NULL OR c.id IS NOT NULL) \
    ORDER BY CASE WHEN o.id = $2 THEN 0 ELSE 1 END, o.id LIMIT 200";

impl BearerRow {
    fn org_context(&self) -> Result<Option<OrgContext>> {
        let (Some(org), Some(status), Some(licence)) = (&self.org_id, &self.payment_status, &self.licence)
        else {
            return Ok(None);
        };
        Ok(Some(OrgContext {
            org: org.as_str().into(),
            role: self.role.as_deref().map(read_role).transpose()?,
            granted: Arc::new(RoleGrants {
                main: self.main_role.clone().map(RoleId::from),
                ..RoleGrants::default()
            }),
            payment: read_payment(status, self.first_failed_payment)?,
            licence: licence.clone(),
            limits: OnceLock::new(),
        }))
    }
}

impl Catalog {
    /// Finds the token with this digest. The organisation that the request names comes first.
    pub async fn find_bearer(&self, digest: &str, named_org: Option<&OrgId>) -> Result<Option<Bearer>> {
        self.read_bearer(SELECT, digest, named_org).await
    }

    /// Finds a token by its id, as [`Catalog::find_bearer`] does, for what was made with it before.
    pub async fn find_bearer_by_id(&self, id: &TokenId, named_org: Option<&OrgId>) -> Result<Option<Bearer>> {
        self.read_bearer(SELECT_BY_ID, id.as_str(), named_org).await
    }

    /// Where a person can act who comes with an access token, as [`Catalog::find_bearer`] finds it for a personal token.
    pub async fn find_person_bearer(
        &self,
        person: &UserId,
        named_org: Option<&OrgId>,
    ) -> Result<Option<Bearer>> {
        self.read_bearer(SELECT_OF_PERSON, person.as_str(), named_org).await
    }

    /// Who a grant that has not been revoked acts for, and where, as [`Catalog::find_bearer`] finds it for a token.
    pub async fn find_grant_bearer(
        &self,
        grant: &GrantId,
        named_org: Option<&OrgId>,
    ) -> Result<Option<Bearer>> {
        self.read_bearer(SELECT_OF_GRANT, grant.as_str(), named_org).await
    }

    /// A client that acts for itself in an organisation, as [`Catalog::find_bearer`] finds an API token. Its capabilities
    /// are not stored.
    pub async fn find_client_bearer(&self, person: &UserId, org: &OrgId) -> Result<Option<Bearer>> {
        self.read_bearer(SELECT_OF_CLIENT, person.as_str(), Some(org)).await
    }

    async fn read_bearer(
        &self,
        statement: &'static str,
        key: &str,
        named_org: Option<&OrgId>,
    ) -> Result<Option<Bearer>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, BearerRow>(statement)
                .bind(key)
                .bind(named_org.map_or("", OrgId::as_str))
                .fetch_all(executor)
                .await?
        });
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let mut org_contexts = Vec::with_capacity(rows.len());
        for row in &rows {
            org_contexts.extend(row.org_context()?);
        }
        self.read_granted(&first.person_id.as_str().into(), named_org, &mut org_contexts).await?;
        Ok(Some(Bearer {
            id: first.id.as_str().into(),
            is_api_token: first.kind == API,
            user: first.person_id.as_str().into(),
            expires_at: first.expires_at.map(Timestamp::from_micros),
            ends_with_membership: first.ends_with_membership,
            capabilities: read_capabilities(&first.capabilities)?,
            org_contexts,
            endpoint: None,
        }))
    }

    /// Reads what a person holds where a request acts: in the organisation that it names, or else in the only one that
    /// can be meant. Elsewhere nothing is decided by it.
    pub(crate) async fn read_granted(
        &self,
        person: &UserId,
        named_org: Option<&OrgId>,
        org_contexts: &mut [OrgContext],
    ) -> Result<()> {
        let is_meant =
            |org_context: &&mut OrgContext| named_org.is_none_or(|named| org_context.org == *named);
        let mut meant = org_contexts.iter_mut().filter(is_meant);
        let (Some(org_context), None) = (meant.next(), meant.next()) else {
            return Ok(());
        };
        if org_context.role.is_some() {
            let main = org_context.granted.main.clone();
            org_context.granted = Arc::new(self.granted_to(&org_context.org, person, main).await?);
        }
        Ok(())
    }
}
