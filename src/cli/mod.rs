//! The command line: one file per subcommand; parsed arguments become a checked plan before any work.

use std::process::ExitCode;

/// Parse the arguments, run the subcommand, turn its outcome into an exit code.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
