//! The file with the key that seals secrets: read, or made on first start with access for its owner only.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, bail};
use tidegauge_catalog::SealKey;
use tidegauge_model::hex;
use tidegauge_model::rng::{self, Rng};
use tidegauge_notify::signature::SigningKey;

/// Reads the key, or makes it when there is no such file.
pub fn read_or_make(path: &Path, rng: &dyn Rng) -> anyhow::Result<SealKey> {
    Ok(SealKey::new(&read_or_make_bytes(path, rng)?))
}

/// The key that signatures of webhooks are computed of, from the same file.
pub fn read_signing_key(path: &Path, rng: &dyn Rng) -> anyhow::Result<SigningKey> {
    Ok(SigningKey::new(&read_or_make_bytes(path, rng)?))
}

fn read_or_make_bytes(path: &Path, rng: &dyn Rng) -> anyhow::Result<[u8; SealKey::LENGTH]> {
    if !path.try_exists().with_context(|| format!("looking for the secret key {}", path.display()))? {
        make(path, rng).with_context(|| format!("making the secret key {}", path.display()))?;
    }
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("reading the secret key {}", path.display()))?;
    match decode(text.trim()) {
        Some(bytes) => Ok(bytes),
        None => bail!("the secret key {} must hold 64 hexadecimal digits", path.display()),
    }
}

fn make(path: &Path, rng: &dyn Rng) -> std::io::Result<()> {
    let bytes: [u8; SealKey::LENGTH] = rng::bytes(rng);
    write_private(path, &format!("{}\n", hex::encode(&bytes)))
}

fn decode(text: &str) -> Option<[u8; SealKey::LENGTH]> {
    let mut bytes = [0; SealKey::LENGTH];
    if text.len() != 2 * SealKey::LENGTH || !text.is_ascii() {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}

/// Writes a new file that only its owner can read, and makes sure that it is on the disk. It appears whole or not
/// at all: a key that was cut off by a crash would lock its secrets away for ever.
pub fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft_name = path.file_name().unwrap_or_default().to_owned();
    draft_name.push(".draft");
    let draft = folder.join(draft_name);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)?;
    std::fs::File::open(folder)?.sync_all()
}
