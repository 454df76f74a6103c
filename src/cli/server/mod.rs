//! Models on servers.

mod connect;
pub mod inspect;
mod served;
mod way;

pub use connect::{Connected, refuse_own_arithmetic};
pub use served::{Served, ServedWorkload};
pub use way::Way;
