//! Backgrounds of invented contexts: a place and the profiles of two people, drawn from pools, as ToMValley's step 1.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};

use crate::parse_error::in_words;
use crate::seed::seeded;

/// The project's own pools.
const BUILT_IN: &str = include_str!("../../datasets/making/pools.toml");

/// Places and aspects of profiles that backgrounds are drawn from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pools {
    /// Where the lists come from.
    pub source: String,
    /// Places by type.
    places: IndexMap<String, Vec<String>>,
    profiles: Aspects,
    /// Names by gender.
    names: IndexMap<String, Vec<String>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Aspects {
    surname: Vec<String>,
    occupation: Vec<String>,
    education: Vec<String>,
    race: Vec<String>,
    r#trait: Vec<String>,
}

/// Pools that cannot be drawn from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolsError {
    /// Not the format of pools.
    #[error("{file}: {message}")]
    Format {
        /// The file.
        file: String,
        /// Position and reason.
        message: String,
    },
    /// A list has too few entries.
    #[error("{file}: `{list}` needs at least {least} entries")]
    TooFew {
        /// The file.
        file: String,
        /// The list.
        list: String,
        /// The least number.
        least: usize,
    },
}

/// What one person is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Profile {
    /// Given name.
    pub name: String,
    /// Surname.
    pub surname: String,
    /// Gender.
    pub gender: String,
    /// Occupation.
    pub occupation: String,
    /// Highest education.
    pub education: String,
    /// Race.
    pub race: String,
    /// Trait of character.
    pub r#trait: String,
}

impl Profile {
    /// Name and surname.
    pub fn full_name(&self) -> String {
        format!("{} {}", self.name, self.surname)
    }

    fn sentence(&self) -> String {
        let Profile { name, gender, occupation, education, race, r#trait, .. } = self;
        let full = self.full_name();
        format!(
            "{full} is a {race} {gender}, works as {occupation}, has {education} and is {trait}. {name} is the first name."
        )
    }
}

/// A place and two people: the main character first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Background {
    /// Type of the place.
    pub place_type: String,
    /// The place.
    pub place: String,
    /// The main character.
    pub main: Profile,
    /// The other one.
    pub other: Profile,
}

impl Background {
    /// The profiles in the form of released trials.
    pub fn characters(&self) -> String {
        let [main, other] = [&self.main, &self.other].map(Profile::sentence);
        format!("**Main Character**: {main} **Supporting Characters**: - **1**: {other}")
    }
}

impl Pools {
    /// Reads pools, by default the project's own.
    ///
    /// # Errors
    /// The text is not in the format, or a list is too short.
    pub fn new(file: Option<(&str, &str)>) -> Result<Self, PoolsError> {
        let (file, text) = file.unwrap_or(("built-in pools.toml", BUILT_IN));
        let format = |error| PoolsError::Format { file: file.to_string(), message: in_words(error) };
        let pools: Pools = toml::from_str(text).map_err(format)?;
        let Aspects { surname, occupation, education, race, r#trait } = &pools.profiles;
        // Two people have different names and surnames.
        let aspects = [
            ("surname", surname, 2),
            ("occupation", occupation, 1),
            ("education", education, 1),
            ("race", race, 1),
            ("trait", r#trait, 1),
        ];
        let names = pools.names.iter().map(|(gender, names)| (gender.as_str(), names, 2));
        let places = pools.places.iter().map(|(kind, places)| (kind.as_str(), places, 1));
        for (list, entries, least) in aspects.into_iter().chain(names).chain(places) {
            if entries.len() < least {
                return Err(PoolsError::TooFew { file: file.to_string(), list: list.to_string(), least });
            }
        }
        for (list, empty) in [("places", pools.places.is_empty()), ("names", pools.names.is_empty())] {
            if empty {
                return Err(PoolsError::TooFew { file: file.to_string(), list: list.to_string(), least: 1 });
            }
        }
        Ok(pools)
    }

    /// The same pools with other places, given as (type, place).
    pub fn with_places(self, places: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut by_type: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (kind, place) in places {
            let known = by_type.entry(kind).or_default();
            if !known.contains(&place) {
                known.push(place);
            }
        }
        by_type.values_mut().for_each(|places| places.sort());
        let source = format!("{}, places of released trials", self.source);
        Pools { source, places: by_type.into_iter().collect(), ..self }
    }

    /// Number of types of places, and of places.
    pub fn places(&self) -> (usize, usize) {
        (self.places.len(), self.places.values().map(Vec::len).sum())
    }

    /// Draws the background of a context: each place with equal chances, each aspect of a profile by itself. `None` without
    /// places.
    pub fn draw(&self, number: u32, seed: u64) -> Option<Background> {
        let mut random = seeded(seed, "background", number as usize);
        let places: Vec<(&String, &String)> =
            self.places.iter().flat_map(|(kind, places)| places.iter().map(move |place| (kind, place))).collect();
        let (place_type, place) = *places.choose(&mut random)?;
        let mut profile = |before: Option<&Profile>| {
            let (gender, names) = self.names.get_index(random.random_range(0..self.names.len()))?;
            let aspects = &self.profiles;
            let mut pick = |list: &[String], taken: Option<&String>| {
                let free: Vec<&String> = list.iter().filter(|entry| Some(*entry) != taken).collect();
                free.choose(&mut random).map(|entry| entry.to_string())
            };
            Some(Profile {
                name: pick(names, before.map(|before| &before.name))?,
                surname: pick(&aspects.surname, before.map(|before| &before.surname))?,
                gender: gender.clone(),
                occupation: pick(&aspects.occupation, None)?,
                education: pick(&aspects.education, None)?,
                race: pick(&aspects.race, None)?,
                r#trait: pick(&aspects.r#trait, None)?,
            })
        };
        let main = profile(None)?;
        let other = profile(Some(&main))?;
        Some(Background { place_type: place_type.clone(), place: place.clone(), main, other })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn backgrounds_are_drawn_by_seed_and_number_from_all_thirteen_types() {
        let pools = Pools::new(None).unwrap();
        assert_eq!(pools.places(), (13, 130));
        let drawn: Vec<Background> = (0..400).map(|number| pools.draw(number, 1).unwrap()).collect();
        assert_eq!(drawn[7], pools.draw(7, 1).unwrap());
        assert_ne!(drawn[7], pools.draw(7, 2).unwrap());
        let types: BTreeSet<&str> = drawn.iter().map(|background| background.place_type.as_str()).collect();
        assert_eq!(types.len(), 13);
        assert!(drawn.iter().all(|one| one.main.name != one.other.name && one.main.surname != one.other.surname));
        let few =
            Pools::new(Some(("few.toml", &BUILT_IN.replace("woman = [\"Ada\", ", "third = [\"Ada\"]\nwoman = ["))));
        assert_eq!(few.unwrap_err().to_string(), "few.toml: `third` needs at least 2 entries");
    }
}
