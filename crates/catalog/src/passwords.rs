//! The passwords of people, as hashes that name their own parameters. Whoever gets another password has to sign in again
//! everywhere: sessions, links, failures and what they allowed to others end with the password before.

use sqlx::FromRow;
use tidegauge_model::{Timestamp, UserId};

use crate::audit::Change;
use crate::db::{read, write};
use crate::sign_ins::record_for_person;
use crate::users::Person;
use crate::{Catalog, Result};

/// A person who may sign in, with the hash of their password if they have set one.
#[derive(Clone)]
pub struct Account {
    pub person: Person,
    /// What the person signs in with: their address, or their id where another account has it.
    pub sign_in: String,
    pub hash: Option<String>,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("person", &self.person.id).finish_non_exhaustive()
    }
}

/// A password that is to be stored, and the failures that it ends.
#[derive(Clone, Copy)]
pub struct NewPassword<'a> {
    pub hash: &'a str,
    /// What the failures are counted under that are forgotten.
    pub account: &'a str,
}

impl std::fmt::Debug for NewPassword<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewPassword(…)")
    }
}

#[derive(FromRow)]
struct AccountRow {
    id: String,
    sign_in: String,
    email: String,
    name: String,
    created: i64,
    hash: Option<String>,
}

impl AccountRow {
    fn read(self) -> Account {
        let person = Person {
            id: self.id.into(),
            email: self.email,
            name: self.name,
            created: Timestamp::from_micros(self.created),
        };
        Account { person, sign_in: self.sign_in, hash: self.hash }
    }
}

/// What an [`AccountRow`] is read from.
macro_rules! select {
    () => {
        "SELECT p.id, p.sign_in, p.email, p.name, p.created, w.hash \
         FROM person p LEFT JOIN password w ON w.person_id = p.id"
    };
}

/// Ends inside a transaction all that is open for a person: sessions, links, what was allowed to others, and invitations
/// made in a session, which may have been done by who knew the password before. Also what is on its way to become a grant.
macro_rules! end_everything {
    ($connection:expr, $person:expr, $at:expr) => {
        for statement in [
            "DELETE FROM browser_session WHERE person_id = $1",
            "DELETE FROM password_link WHERE person_id = $1",
            "DELETE FROM oauth_device WHERE person_id = $1",
            "DELETE FROM oauth_consent WHERE person_id = $1",
            // Those that were made with a token or a grant last as long as that.
            "DELETE FROM invitation WHERE issuer = $1 AND issuer_token IS NULL",
        ] {
            sqlx::query(statement).bind($person.as_str()).execute(&mut *$connection).await?;
        }
        for statement in [
            "UPDATE oauth_grant SET revoked = $2 WHERE person_id = $1 AND revoked IS NULL",
            "UPDATE oauth_code SET used = $2 WHERE person_id = $1 AND used IS NULL",
        ] {
            sqlx::query(statement)
                .bind($person.as_str())
                .bind($at.as_micros())
                .execute(&mut *$connection)
                .await?;
        }
    };
}

/// Stores a password inside a transaction, and ends what was open with the one before.
macro_rules! set_password {
    ($connection:expr, $person:expr, $new:expr, $at:expr) => {
        $crate::passwords::end_everything!($connection, $person, $at);
        sqlx::query(
            "INSERT INTO password (person_id, hash, changed) VALUES ($1, $2, $3) \
             ON CONFLICT (person_id) DO UPDATE SET hash = excluded.hash, changed = excluded.changed",
        )
        .bind($person.as_str())
        .bind($new.hash)
        .bind($at.as_micros())
        .execute(&mut *$connection)
        .await?;
    };
}

/// Forgets the failures that a password ends, inside its transaction.
macro_rules! forget_failures {
    ($connection:expr, $new:expr) => {
        sqlx::query("DELETE FROM sign_in_attempt WHERE account = $1")
            .bind($new.account)
            .execute(&mut *$connection)
            .await?
    };
}

pub(crate) use {end_everything, forget_failures, set_password};

impl Catalog {
    /// The account that signs in with this.
    pub async fn find_account_by_sign_in(&self, sign_in: &str) -> Result<Option<Account>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, AccountRow>(concat!(select!(), " WHERE p.sign_in = $1"))
                .bind(sign_in)
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(AccountRow::read))
    }

    pub async fn find_account(&self, person: &UserId) -> Result<Option<Account>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, AccountRow>(concat!(select!(), " WHERE p.id = $1"))
                .bind(person.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(AccountRow::read))
    }

    /// Gives a person another password, if theirs is still the one that the caller proved to know.
    pub async fn change_password(
        &self,
        person: &UserId,
        proven: &str,
        new: NewPassword<'_>,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let present = sqlx::query("UPDATE password SET hash = hash WHERE person_id = $1 AND hash = $2")
                .bind(person.as_str())
                .bind(proven)
                .execute(&mut *connection)
                .await?
                .rows_affected();
            if present == 0 {
                return Ok(false);
            }
            set_password!(connection, person, new, change.at);
            forget_failures!(connection, new);
            record_for_person!(connection, person, change, "password.change", person.as_str(), "");
        });
        Ok(true)
    }

    /// Stores the same password with another hash. Nothing changes for anybody, so no change is recorded.
    pub async fn rehash_password(&self, person: &UserId, old: &str, new: &str) -> Result<()> {
        write!(self, connection => {
            sqlx::query("UPDATE password SET hash = $3 WHERE person_id = $1 AND hash = $2")
                .bind(person.as_str())
                .bind(old)
                .bind(new)
                .execute(&mut *connection)
                .await?;
        });
        Ok(())
    }
}
