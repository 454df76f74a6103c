//! Models on servers.

mod connect;
pub mod inspect;
mod served;
mod way;

pub use connect::Connected;
pub use served::{Served, ServedWorkload};
pub use way::ScoringRoute;
