//! Enums with names, as written on the command line, in files and in tables.

/// A name that is not among the known choices.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{given}`; use {known}")]
pub struct UnknownName {
    /// Kind of choice.
    pub what: &'static str,
    /// The name as given.
    pub given: String,
    /// The names known.
    pub known: String,
}

/// The known name closest to an unknown one, if any is close: one contains the other, or few letters differ.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SHORTEST: usize = 4;
    const LEAST_LIKENESS: f64 = 0.65;
    let lower = given.to_lowercase();
    let holds = |long: &str, short: &str| short.len() >= SHORTEST && long.contains(short);
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let held = if holds(&name, &lower) || holds(&lower, &name) { LEAST_LIKENESS } else { 0.0 };
        strsim::normalized_damerau_levenshtein(&lower, &name).max(held)
    };
    let best = known.into_iter().map(|name| (likeness(name), name)).max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(likeness, _)| *likeness >= LEAST_LIKENESS).map(|(_, name)| name)
}

/// A hint at the name that may have been meant; empty without one.
pub fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The variants of an enum as an array.
pub const fn all<T: Copy + strum::VariantArray, const N: usize>() -> [T; N] {
    match T::VARIANTS.first_chunk() {
        Some(all) => *all,
        None => panic!("the length is that of `VARIANTS`"),
    }
}

/// The choice with a given name.
pub fn find<T: Copy + Into<&'static str>>(what: &'static str, given: &str, all: &[T]) -> Result<T, UnknownName> {
    let name = |choice: &T| -> &'static str { (*choice).into() };
    all.iter().copied().find(|choice| name(choice) == given).ok_or_else(|| UnknownName {
        what,
        given: given.to_string(),
        known: all.iter().map(name).collect::<Vec<_>>().join(", "),
    })
}

/// Serialises values as the text that users type: for `#[serde(with = "as_text")]`.
pub mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    /// As `serde` calls it.
    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    /// As `serde` calls it.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Like [`as_text`], for lists.
pub mod as_texts {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    /// As `serde` calls it.
    pub fn serialize<T: Display, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(T::to_string))
    }

    /// As `serde` calls it.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(d: D) -> Result<Vec<T>, D::Error> {
        Vec::<String>::deserialize(d)?.iter().map(|text| text.parse().map_err(de::Error::custom)).collect()
    }
}

/// The letter of an option as most styles display it: `A` for the first; its number, counted from 1, after `Z`.
pub fn option_letter(option: usize) -> String {
    match u8::try_from(option) {
        Ok(number @ 0..26) => char::from(b'A' + number).to_string(),
        _ => (option + 1).to_string(),
    }
}

/// Gives an enum that derives `strum::IntoStaticStr` and `strum::VariantArray` its list `ALL` and its `name`; with the
/// kind of choice, in words, also `Display` and `FromStr`.
#[macro_export]
macro_rules! named {
    ($choice:ty) => {
        impl $choice {
            /// All variants, in the order of help texts and tables.
            pub const ALL: [$choice; <$choice as strum::VariantArray>::VARIANTS.len()] = $crate::name::all();

            /// The name on the command line and in files.
            pub fn name(self) -> &'static str {
                self.into()
            }
        }
    };
    ($choice:ty, $what:literal) => {
        $crate::name::named!($choice);

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $choice {
            type Err = $crate::name::UnknownName;

            fn from_str(given: &str) -> Result<Self, Self::Err> {
                $crate::name::find($what, given, &Self::ALL)
            }
        }
    };
}
pub use named;

/// Gives a type that is serialised as text the JSON schema of a string.
#[cfg(feature = "schema")]
#[macro_export]
macro_rules! text_schema {
    ($text:ty) => {
        impl schemars::JsonSchema for $text {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                String::schema_name()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}
#[cfg(feature = "schema")]
pub use text_schema;
