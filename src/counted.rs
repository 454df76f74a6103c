//! Counts, numbers and sentences formatted for people.

/// A count with its noun: `1 row`, `2 rows`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {}", nouns(count, noun))
}

/// The noun in the singular or plural: `stories` for 2 of `story`.
pub fn nouns(count: usize, noun: &str) -> String {
    let vowel = |letter: char| "aeiou".contains(letter);
    match noun {
        noun if count == 1 => noun.to_string(),
        "person" => "people".to_string(),
        noun if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => format!("{noun}es"),
        noun => match noun.strip_suffix('y') {
            Some(stem) if !stem.ends_with(vowel) => format!("{stem}ies"),
            _ => format!("{noun}s"),
        },
    }
}

/// A number to at least two significant digits: `1.1`, `0.0034`, `123`; in scientific notation below 0.0001 and from a
/// million.
pub fn to_two_places(value: f64) -> String {
    match two_places(value) {
        _ if value == 0.0 => "0".to_string(),
        Some(places) => format!("{value:.places$}"),
        None => format!("{value:.1e}"),
    }
}

/// Digits after the point with which [`to_two_places`] writes a number; `None` in scientific notation.
pub fn two_places(value: f64) -> Option<usize> {
    let size = value.abs();
    let places = || (1 - size.log10().floor() as i32).max(0) as usize;
    if value == 0.0 { Some(0) } else { (1e-4..1e6).contains(&size).then(places) }
}

/// The text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        for (noun, one, many) in [
            ("row", "1 row", "0 rows"),
            ("pass", "1 pass", "0 passes"),
            ("story", "1 story", "0 stories"),
            ("reply", "1 reply", "0 replies"),
            ("key", "1 key", "0 keys"),
            ("batch", "1 batch", "0 batches"),
            ("person", "1 person", "0 people"),
        ] {
            assert_eq!((counted(1, noun), counted(0, noun)), (one.to_string(), many.to_string()));
        }
    }

    #[test]
    fn numbers_have_no_powers_of_ten_where_people_write_none() {
        for (value, text) in [
            (0.0, "0"),
            (1.12, "1.1"),
            (0.0034, "0.0034"),
            (-0.25, "-0.25"),
            (123.4, "123"),
            (9.5e-7, "9.5e-7"),
            (1.2e7, "1.2e7"),
        ] {
            assert_eq!(to_two_places(value), text);
        }
    }
}
