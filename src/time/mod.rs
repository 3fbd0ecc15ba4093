//! Limits and the clock.

pub mod clock;
pub mod limits;

pub use clock::Clock;
pub use limits::Limits;
