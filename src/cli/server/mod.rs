//! Models on servers.

mod audited;
mod connect;
pub mod inspect;
mod lengths;
mod served;
mod steadiness;
mod stories;
mod way;

pub use audited::{Audited, audit, audit_wanted};
pub use connect::Connected;
pub use lengths::forgets;
pub use served::{Served, ServedWorkload};
pub use steadiness::{Steadiness, steadiness};
pub use stories::story;
pub use way::ScoringRoute;
