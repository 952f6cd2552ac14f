//! Passwords: hashing and comparing with argon2id, away from the threads that answer requests and few at once, because
//! each takes 19 MiB and much time. What a password may be is in `rules`.

pub mod rules;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tidegauge_model::ErrorKind;
use tidegauge_model::rng::{self, Rng};
use tokio::sync::Semaphore;

use super::{Error, Result};

/// What a hash costs: memory in KiB and passes over it, in one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

const SALT_BYTES: usize = 16;

/// Passwords that are worked on at once: 38 MiB.
const RUNNING_MAX: usize = 2;

/// Passwords that wait for their turn; a further one is told to come back.
const WAITING_MAX: usize = 64;

/// The hash of a password that nobody has, with the present costs. Comparing with it takes as long as with that of a
/// person, so that the time does not tell whether there is one.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmU$\
    q0pT1cJ0mF5cYb8n0mJwq1r7m4dVtq3Yp3cV5o9k0bE";

/// A text that somebody typed as their password. It never prints itself.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    pub fn new(text: String) -> Self {
        Self(text)
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }

    fn text(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

impl<'de> serde::Deserialize<'de> for Password {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

/// Where passwords are worked on.
#[derive(Debug)]
pub struct PasswordState {
    running: Arc<Semaphore>,
    present: Arc<Semaphore>,
    computed: AtomicU64,
}

impl Default for PasswordState {
    fn default() -> Self {
        Self {
            running: Arc::new(Semaphore::new(RUNNING_MAX)),
            present: Arc::new(Semaphore::new(RUNNING_MAX + WAITING_MAX)),
            computed: AtomicU64::new(0),
        }
    }
}

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// It is another password, or there is none to compare with.
    Wrong,
    Right,
    /// It is the password, but its hash has other costs than a new one would have.
    RightButOutdated,
}

impl PasswordState {
    /// The hash of a new password.
    pub async fn hash(&self, password: &Password, rng: &dyn Rng) -> Result<String> {
        let salt = rng::bytes::<SALT_BYTES>(rng);
        let password = password.clone();
        self.run(move || {
            let hash: PasswordHash = hasher()?.hash_password_with_salt(password.text().as_bytes(), &salt)?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Compares a password with the hash of a person's. Without one it takes the same time.
    pub async fn compare(&self, password: &Password, hash: Option<&str>) -> Result<Compared> {
        let has_hash = hash.is_some();
        let hash = hash.unwrap_or(NOBODY).to_owned();
        let password = password.clone();
        let (is_equal, is_present) = self
            .run(move || {
                let hash = PasswordHash::new(&hash)?;
                let is_present = Params::try_from(&hash).is_ok_and(|costs| is_present(&costs));
                match hasher()?.verify_password(password.text().as_bytes(), &hash) {
                    Ok(()) => Ok((true, is_present)),
                    Err(argon2::password_hash::Error::PasswordInvalid) => Ok((false, is_present)),
                    Err(error) => Err(error),
                }
            })
            .await?;
        Ok(match (is_equal && has_hash, is_present) {
            (false, _) => Compared::Wrong,
            (true, true) => Compared::Right,
            (true, false) => Compared::RightButOutdated,
        })
    }

    /// How many passwords were hashed or compared since the start.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> argon2::password_hash::Result<T> + Send + 'static,
    ) -> Result<T> {
        let busy =
            || Error::new(ErrorKind::Unavailable, "more people are signing in than can be served right now");
        let place = Arc::clone(&self.present).try_acquire_owned().map_err(|_| busy())?;
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| busy())?;
        self.computed.fetch_add(1, Ordering::Relaxed);
        let failed = |cause: Box<dyn std::error::Error + Send + Sync>| Error {
            source: Some(cause),
            ..Error::new(ErrorKind::Internal, "the request could not be completed")
        };
        let worked = tokio::task::spawn_blocking(move || {
            // The turn is held to the end of the work also if the request is cancelled meanwhile: the memory is taken.
            let _held = (place, turn);
            work()
        });
        match worked.await {
            Ok(done) => done.map_err(|error| failed(error.to_string().into())),
            Err(error) => Err(failed(Box::new(error))),
        }
    }
}

fn hasher() -> argon2::password_hash::Result<Argon2<'static>> {
    let costs = Params::new(MEMORY_KIB, PASSES, LANES, None)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, costs))
}

fn is_present(costs: &Params) -> bool {
    (costs.m_cost(), costs.t_cost(), costs.p_cost()) == (MEMORY_KIB, PASSES, LANES)
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::SeededRng;

    use super::*;

    fn password(text: &str) -> Password {
        Password::new(text.to_owned())
    }

    #[tokio::test]
    async fn a_password_is_equal_to_itself_only() {
        let state = PasswordState::default();
        let hash = state.hash(&password("tide and time"), &SeededRng::new(1)).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(state.compare(&password("tide and time"), Some(&hash)).await.unwrap(), Compared::Right);
        assert_eq!(state.compare(&password("tide and Time"), Some(&hash)).await.unwrap(), Compared::Wrong);
        assert!(state.compare(&password("x"), Some("not a hash")).await.is_err());
        let again = state.hash(&password("tide and time"), &SeededRng::new(2)).await.unwrap();
        assert_ne!(hash, again);
    }

    #[tokio::test]
    async fn nobody_costs_as_much_as_somebody() {
        let costs = Params::try_from(&PasswordHash::new(NOBODY).unwrap()).unwrap();
        assert!(is_present(&costs));
        let state = PasswordState::default();
        assert_eq!(state.compare(&password("x"), None).await.unwrap(), Compared::Wrong);
        assert_eq!(state.computed(), 1);
    }

    #[tokio::test]
    async fn other_costs_are_noticed() {
        let weak = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(64, 1, 1, None).unwrap());
        let hash: PasswordHash = weak.hash_password_with_salt(b"tide and time", b"a salt for tests").unwrap();
        let compared =
            PasswordState::default().compare(&password("tide and time"), Some(&hash.to_string())).await;
        assert_eq!(compared.unwrap(), Compared::RightButOutdated);
    }

    #[test]
    fn a_password_does_not_print_itself() {
        assert_eq!(format!("{:?}", password("tide and time")), "Password(…)");
    }
}
