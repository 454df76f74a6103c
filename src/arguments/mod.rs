//! Groups of arguments shared by several commands, and what they open: models, devices, data, runs, servers.

pub mod adapters;
pub mod compute;
pub mod costs;
#[cfg(not(feature = "cuda"))]
pub mod cuda;
pub mod devices;
pub mod fetching;
pub mod numbers;
pub mod own_data;
pub mod paths;
pub mod place;
pub mod server_args;
pub mod setup;
pub mod shard;
pub mod shots;
pub mod stdin;
pub mod swaps;
pub mod template;
pub mod writing;
