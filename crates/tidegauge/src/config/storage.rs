//! The settings of the store of events and of ingest, checked.

use std::time::Duration;

use tidegauge_admission::config::IngestLimits;
use tidegauge_store::{ObjectLocation, S3Location, StoreSettings};

use super::error::{Error, seconds, setting};
use super::settings::{IngestSettings, StorageSettings};

/// Below this a flush would make tiny segments.
const BUFFER_BYTES_MIN: usize = 1 << 20;

/// Below this nearly nothing that is read would fit.
const OBJECT_CACHE_BYTES_MIN: u64 = 16 << 20;

pub(super) fn store_settings(storage: &StorageSettings) -> Result<StoreSettings, Error> {
    for (key, value) in [("buffer_bytes", storage.buffer_bytes), ("flush_bytes", storage.flush_bytes)] {
        if value < BUFFER_BYTES_MIN {
            return Err(setting(key, format!("must be at least {BUFFER_BYTES_MIN}")));
        }
    }
    if storage.flush_bytes > storage.buffer_bytes {
        return Err(setting("flush_bytes", "must not be larger than buffer_bytes"));
    }
    if storage.flush_rows == 0 {
        return Err(setting("flush_rows", "must be at least 1"));
    }
    Ok(StoreSettings {
        objects: objects(storage)?,
        object_cache_bytes: object_cache_bytes(storage)?,
        buffer_bytes_max: storage.buffer_bytes,
        flush_bytes: storage.flush_bytes,
        flush_rows: storage.flush_rows,
        flush_age: seconds("flush_age_seconds", storage.flush_age_seconds)?,
        grace: Duration::from_secs(storage.segment_grace_seconds),
        lease: seconds("lease_seconds", storage.lease_seconds)?,
        ..StoreSettings::new(storage.data.clone())
    })
}

fn objects(storage: &StorageSettings) -> Result<ObjectLocation, Error> {
    if storage.objects.is_empty() {
        return Ok(ObjectLocation::Folder(storage.data.join("segments")));
    }
    let Some(rest) = storage.objects.strip_prefix("s3://") else {
        return Ok(ObjectLocation::Folder(storage.objects.as_str().into()));
    };
    let (bucket, prefix) = match rest.split_once('/') {
        Some((bucket, prefix)) => (bucket, prefix),
        None => (rest, ""),
    };
    if bucket.is_empty() {
        return Err(setting("objects", "names no bucket: write s3://bucket or s3://bucket/prefix"));
    }
    let given = |text: &String| (!text.is_empty()).then(|| text.clone());
    Ok(ObjectLocation::S3(S3Location {
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        endpoint: given(&storage.objects_endpoint),
        region: given(&storage.objects_region),
    }))
}

fn object_cache_bytes(storage: &StorageSettings) -> Result<u64, Error> {
    match storage.objects_cache_bytes {
        1..OBJECT_CACHE_BYTES_MIN => {
            let problem = format!("must be at least {OBJECT_CACHE_BYTES_MIN}, or 0 for no cache");
            Err(setting("objects_cache_bytes", problem))
        }
        bytes => Ok(bytes),
    }
}

/// Clients compare it number by number.
pub(super) fn elastic_version(text: String) -> Result<String, Error> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if text.split('.').count() == 3 && text.split('.').all(is_number) {
        return Ok(text);
    }
    Err(setting("elastic_version", format!("{text:?} is not a version such as 8.19.3")))
}

pub(super) fn ingest_limits(ingest: &IngestSettings) -> Result<IngestLimits, Error> {
    if ingest.max_ingest_uncompressed_bytes > ingest.ingest_memory_bytes as u64 {
        let problem = "must not be larger than ingest_memory_bytes: such a body could never be read";
        return Err(setting("max_ingest_uncompressed_bytes", problem));
    }
    Ok(IngestLimits {
        max_body_bytes: ingest.max_ingest_body_bytes,
        max_uncompressed_bytes: ingest.max_ingest_uncompressed_bytes,
        max_event_bytes: ingest.max_event_bytes,
        memory_bytes: ingest.ingest_memory_bytes,
    })
}
