//! Whether descriptions trigger, measured: many prompts, several runs of each, a real model.
//!
//! ```
//! use std::ops::ControlFlow;
//! use prowess_select::eval::{Experiment, Report, Triggers};
//! use prowess_select::model::{Model, OnDelta, Reply, ToolCall, Turn};
//! use prowess_select::Error;
//!
//! /// Activates `pdf` for whatever it is asked.
//! struct Eager;
//! impl Model for Eager {
//!     fn name(&self) -> &str {
//!         "eager"
//!     }
//!     fn reply(&self, _turn: &Turn, _on: OnDelta<'_>) -> Result<Reply, Error> {
//!         Ok(Reply::new("").with_call(ToolCall::new("call", "activate_skill", r#"{"name": "pdf"}"#)))
//!     }
//! }
//!
//! let triggers = Triggers::parse(
//!     "skills:\n- {name: pdf, description: Fills in forms.}\nprompts:\n\
//!      - {prompt: Fill in this form., expected: pdf}\n- {prompt: Tell a joke., expected: none}\n",
//! )?;
//! let library = triggers.library().expect("the file has skills");
//! let experiment = Experiment::new(&Eager, &library).runs(2);
//! let attempts = experiment.run(&triggers.prompts, &[], &mut |_| ControlFlow::Continue(()))?;
//! let report = Report::new(&library, &triggers.prompts, &attempts);
//! assert_eq!((report.skills[0].recall.hits, report.skills[0].recall.of), (2, 2));
//! assert_eq!((report.skills[0].false_triggers.hits, report.skills[0].false_triggers.of), (2, 2));
//! # Ok::<(), Error>(())
//! ```

mod attempt;
mod experiment;
#[cfg(feature = "html")]
mod html;
mod json;
mod rate;
mod report;
mod results;
mod triggers;
mod yaml;

pub use self::attempt::Attempt;
pub use self::experiment::{Experiment, Plan};
pub use self::rate::Rate;
pub use self::report::{Failing, Group, Pair, Report, SkillReport};
pub use self::results::Results;
pub use self::triggers::{Prompt, Split, Triggers};

#[cfg(test)]
mod tests;
