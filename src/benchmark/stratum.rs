//! Strata within which items are compared.

use super::item::{Facets, Item};

impl Item {
    /// Stratum within which groups of items are compared: benchmark, language, number of options, and `facets`, named
    /// by the benchmark's card ([`super::Card::strata`]). A facet that the item lacks is `none`.
    ///
    /// ```
    /// use tomeval::{Benchmark, LoadOptions};
    /// let item = &Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default())?.items[0];
    /// let stratum = item.stratum(&["task".to_string()]);
    /// assert_eq!(stratum.keys().collect::<Vec<_>>(), ["benchmark", "language", "options", "task"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stratum(&self, facets: &[String]) -> Facets {
        let own = [
            ("benchmark", self.benchmark.to_string()),
            ("language", self.language.name().to_string()),
            ("options", self.options.len().to_string()),
        ];
        let mut stratum: Facets = own.map(|(name, value)| (name.to_string(), value)).into();
        for facet in facets {
            let value = || self.facet(facet).unwrap_or("none").to_string();
            stratum.entry(facet.clone()).or_insert_with(value);
        }
        stratum
    }
}
