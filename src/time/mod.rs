//! Limits and the clock.

pub mod clock;
pub mod limits;
mod trend;

pub use clock::Clock;
pub use limits::Limits;
pub use trend::{PreviousSearch, Trend};
