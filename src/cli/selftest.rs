//! `tomeval selftest`: checks that this program computes correctly on a device.

use std::path::PathBuf;

use super::Outcome;
use super::report::TableFormatArgs;
use crate::arguments::compute::{default_device, open};
use crate::arguments::devices::Devices;
use crate::selftest::{Fixtures, render, selftest};
use crate::terminal::progress::Shown;

/// Arguments of `tomeval selftest`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Device: cpu, cuda, cuda:N or metal [default: the first GPU found, else cpu].
    #[arg(long, value_name = "DEVICE")]
    device: Option<Devices>,
    /// Folder with tiny models and reference results of transformers, laid out as tests/fixtures of the sources
    /// [default: built in].
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    format: TableFormatArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let (choice, device) = match &args.device {
        Some(Devices::One(choice)) => (*choice, open(*choice)?),
        Some(several) => anyhow::bail!("--device {several}: name one device, and test the others after it"),
        None => default_device(),
    };
    let (format, screen) = args.format.chosen();
    let fixtures = match args.fixtures {
        Some(folder) => Fixtures::within(folder),
        None => Fixtures::built_in()?,
    };
    let shown = Shown::new();
    let mut counted = false;
    let test = selftest(&fixtures, choice.to_string(), &device, |at, rows, name| {
        if !counted {
            shown.tracker().count("comparing", rows, "rows");
            counted = true;
        }
        shown.tracker().at(at as u64, name.to_string());
    })?;
    drop(shown);
    crate::terminal::stdout::print(&render(&test, format, screen)?)?;
    Ok(if test.passed { Outcome::Done } else { Outcome::Incomplete })
}
