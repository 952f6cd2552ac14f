//! Who made the API tokens of an organisation, when, and when each was last used. It stands beside the tokens
//! themselves, whose form on the wire has no room for it.

use sqlx::FromRow;
use tidegauge_model::{OrgId, Timestamp, TokenId, UserId};

use crate::db::read;
use crate::{Catalog, Result};

/// Where a token comes from, and when it was last used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenUse {
    pub id: TokenId,
    pub maker: UserId,
    pub maker_name: String,
    /// Whether the maker is a member of the token's organisation still.
    pub is_maker_member: bool,
    pub created: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

#[derive(FromRow)]
struct TokenUseRow {
    id: String,
    person_id: String,
    name: String,
    is_member: bool,
    created: i64,
    last_used_at: Option<i64>,
}

impl From<TokenUseRow> for TokenUse {
    fn from(row: TokenUseRow) -> Self {
        Self {
            id: row.id.into(),
            maker: row.person_id.into(),
            maker_name: row.name,
            is_maker_member: row.is_member,
            created: Timestamp::from_micros(row.created),
            last_used_at: row.last_used_at.map(Timestamp::from_micros),
        }
    }
}

impl Catalog {
    /// In the order of [`Catalog::list_tokens`].
    pub async fn token_uses(&self, org: &OrgId) -> Result<Vec<TokenUse>> {
        let rows: Vec<TokenUseRow> = read!(self, executor => {
            sqlx::query_as(
                "SELECT t.id, t.person_id, p.name, m.person_id IS NOT NULL AS is_member, t.created, t.last_used_at \
                 FROM token t JOIN person p ON p.id = t.person_id LEFT JOIN membership m \
                 ON m.org_id = t.org_id AND m.person_id = t.person_id AND m.accepted IS NOT NULL \
                 WHERE t.org_id = $1 ORDER BY t.id",
            )
            .bind(org.as_str())
            .fetch_all(executor)
            .await?
        });
        Ok(rows.into_iter().map(TokenUse::from).collect())
    }
}
