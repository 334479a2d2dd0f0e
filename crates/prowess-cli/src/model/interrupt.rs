//! An interrupt from the keyboard ends a command cleanly, and the program in any case.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::failure::INTERRUPTED;

/// How long a command may take to come to its end: an endpoint that is silent tells it nothing.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Begins to listen.
    pub(crate) fn listen() -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        let set = flag.clone();
        // Where a handler can't be set, an interrupt ends the program as it always did.
        let _ = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::SeqCst) {
                end();
            }
            thread::spawn(|| {
                thread::sleep(GRACE);
                end();
            });
        });
        Self(flag)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[expect(clippy::exit, reason = "the command waits for an endpoint that says nothing")]
fn end() {
    crate::output::talk("interrupted");
    std::process::exit(i32::from(INTERRUPTED));
}
