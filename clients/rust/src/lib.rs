//! Start a Standin node, or attach to one, and control it from tests.
//!
//! ```no_run
//! # fn main() -> Result<(), standin::Error> {
//! let node = standin::for_test()?;
//! let head: String = node.call("eth_blockNumber", ())?;
//! # Ok(())
//! # }
//! ```

mod error;
mod http;
mod node;
mod start;
mod types;

pub use error::Error;
pub use node::{Account, Key, Node, TestNode};
pub use start::{attach, for_test, start};
pub use types::{CallError, Fault, FaultAction, FaultMatch, FaultReport, JournalEntry};
