//! Objects whose keys are read in any case, because some clients capitalise them in their own way. A key that is
//! spelled as it is known goes to that field, another one to the first field that differs in case alone.

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess};

/// The entries of an object, under the names that are known.
#[derive(Debug)]
pub struct AnyCase<'a, A> {
    entries: A,
    names: &'a [&'a str],
}

impl<'a, A> AnyCase<'a, A> {
    pub fn new(entries: A, names: &'a [&'a str]) -> Self {
        Self { entries, names }
    }

    fn known(&self, key: String) -> String {
        if self.names.contains(&key.as_str()) {
            return key;
        }
        match self.names.iter().find(|name| name.eq_ignore_ascii_case(&key)) {
            Some(name) => (*name).to_owned(),
            None => key,
        }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for AnyCase<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.entries.next_key::<String>()? else { return Ok(None) };
        let key: StringDeserializer<A::Error> = self.known(key).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.entries.size_hint()
    }
}
