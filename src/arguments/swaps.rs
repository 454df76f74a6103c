//! The argument for items with other persons.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use clap::Args;

use crate::benchmark::{Item, NameLists, SwapKind};
use crate::trial::Swaps;

/// Items with other persons.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Prompts")]
pub struct SwapArgs {
    /// Ask each item again with other persons: the race that profiles state (race), surnames of another group (surname) or
    /// the other gender (gender), each in ToMValley's contexts, or the names of a file (names=FILE) in any benchmark; and up
    /// to five times with other names of the same group. Several, separated by commas.
    #[arg(long = "swap", value_name = "race|surname|gender|names=FILE", value_delimiter = ',')]
    swaps: Vec<SwapArgument>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SwapArgument {
    Kind(SwapKind),
    Names(PathBuf),
}

impl FromStr for SwapArgument {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        match (given.split_once('='), given.parse()) {
            (Some(("names", path)), _) if !path.is_empty() => Ok(SwapArgument::Names(path.into())),
            (_, Ok(SwapKind::Names)) => {
                Err("name the file: names=FILE, with groups of names (docs/protocols.md shows one)".to_string())
            }
            (_, Ok(kind)) => Ok(SwapArgument::Kind(kind)),
            (_, Err(_)) => Err("write race, surname, gender or names=FILE".to_string()),
        }
    }
}

impl SwapArgs {
    /// Returns the settings of the swaps, with the items that are left out of each, of which notes tell.
    pub fn swaps(&self, items: &[Item], seed: u64) -> anyhow::Result<Option<Swaps>> {
        if self.swaps.is_empty() {
            return Ok(None);
        }
        let mut swaps = Swaps::default();
        for (at, swap) in self.swaps.iter().enumerate() {
            let kind = match swap {
                SwapArgument::Kind(kind) => *kind,
                SwapArgument::Names(path) => {
                    let shown = path.display();
                    let text = std::fs::read_to_string(path).with_context(|| format!("--swap names={shown}"))?;
                    let lists = NameLists::parse(&text).with_context(|| format!("--swap names={shown}"))?;
                    swaps.named(shown.to_string(), &text, lists);
                    SwapKind::Names
                }
            };
            anyhow::ensure!(
                !self.swaps[..at].contains(swap) && !swaps.kinds.contains(&kind),
                "--swap {kind} is given twice"
            );
            swaps.kinds.push(kind);
        }
        swaps.settle(items, seed);
        for kind in &swaps.kinds {
            let of_kind: Vec<_> = swaps.left_out.iter().filter(|left_out| left_out.swap == *kind).collect();
            let count: usize = of_kind.iter().map(|left_out| left_out.items).sum();
            let reasons = of_kind.iter().map(|each| each.to_string()).collect::<Vec<_>>().join(", ");
            anyhow::ensure!(
                count < items.len(),
                "--swap {kind} changes no item: {reasons}; leave it out, or choose other items"
            );
            if count > 0 {
                eprintln!("note: --swap {kind} leaves out {count} of {} items: {reasons}", items.len());
            }
        }
        Ok(Some(swaps))
    }
}
