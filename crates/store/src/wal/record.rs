//! A record of the WAL: 48 bytes of head and a batch. The head has a checksum of its own, so that a damaged batch can
//! still be named by its dataset and sequence.

use tidegauge_model::DatasetId;

use crate::{Error, Result};

/// "TGR1": a record begins here.
const MAGIC: u32 = u32::from_le_bytes(*b"TGR1");

pub(super) const HEAD_BYTES: usize = 48;

/// The 16 bytes that make a dataset's id what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DatasetKey([u8; 16]);

impl DatasetKey {
    pub(crate) fn of(id: &DatasetId) -> Result<Self> {
        let digits = id.as_str().strip_prefix(DatasetId::PREFIX).unwrap_or_default();
        let number = u128::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 32);
        let number = number.ok_or_else(|| Error::corrupt(format!("{id} is not the id of a dataset")))?;
        Ok(Self(number.to_be_bytes()))
    }

    pub(crate) fn number(self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    pub(crate) fn id(self) -> DatasetId {
        DatasetId::from(format!("{}{:032x}", DatasetId::PREFIX, self.number()))
    }
}

/// What is said of a batch before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) payload_bytes: u32,
    pub(super) payload_checksum: u32,
    pub(super) sequence: u64,
    pub(super) dataset: DatasetKey,
    /// Up to where the file was known to be on disk when this was written. Damage behind the highest such mark may
    /// be a write that was cut off, and was never acknowledged; damage before it is loss.
    pub(super) synced: u64,
}

impl Head {
    pub(super) fn encode(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[0..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.payload_checksum.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[24..40].copy_from_slice(&self.dataset.0);
        bytes[40..48].copy_from_slice(&self.synced.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[8..]);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// `None` when no head stands here.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEAD_BYTES] = bytes.get(..HEAD_BYTES)?.try_into().ok()?;
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if number(0) != MAGIC || number(4) != crc32fast::hash(&bytes[8..]) {
            return None;
        }
        let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
        let mut dataset = [0; 16];
        dataset.copy_from_slice(&bytes[24..40]);
        Some(Self {
            payload_bytes: number(8),
            payload_checksum: number(12),
            sequence: long(16),
            dataset: DatasetKey(dataset),
            synced: long(40),
        })
    }

    /// Length of head, batch and the padding to the next record.
    pub(super) fn record_bytes(&self) -> usize {
        HEAD_BYTES + (self.payload_bytes as usize).next_multiple_of(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_reads_back_and_any_flipped_bit_is_noticed() {
        let dataset = DatasetId::from("dataset_01890a5dac96774bbcceb302099a8057");
        let key = DatasetKey::of(&dataset).unwrap();
        assert_eq!(key.id(), dataset);
        let head = Head {
            payload_bytes: 12,
            payload_checksum: 34,
            sequence: u64::MAX - 1,
            dataset: key,
            synced: 16,
        };
        let bytes = head.encode();
        assert_eq!(Head::decode(&bytes), Some(head));
        for bit in 0..HEAD_BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Head::decode(&flipped), None, "bit {bit}");
        }
        assert_eq!(Head::decode(&bytes[..47]), None);
    }

    #[test]
    fn what_is_not_an_id_has_no_key() {
        for text in ["", "dataset_", "dataset_zz", "org_01890a5dac96774bbcceb302099a8057"] {
            assert!(DatasetKey::of(&DatasetId::from(text)).is_err(), "{text}");
        }
    }
}
