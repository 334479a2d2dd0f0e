use serde_json::{Value, json};

use crate::model::Usage;

/// One run of one prompt, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The prompt's id.
    pub prompt: String,
    /// Which of its runs it is, from 0.
    pub run: u32,
    /// The skills that the model activated in the whole run, in order, as it calls them.
    pub activated: Vec<String>,
    /// Why it counts on neither side: the endpoint failed, the model refused, or its answer is of no use. A model that
    /// goes round in circles without activating anything has chosen nothing, and that counts.
    pub errored: Option<String>,
    /// How often the model was asked.
    pub turns: usize,
    /// What that cost.
    pub usage: Usage,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

impl Attempt {
    /// The attempt as one line of a results file.
    pub(super) fn to_json(&self, experiment: &str) -> Value {
        json!({
            "experiment": experiment,
            "prompt": self.prompt,
            "run": self.run,
            "activated": self.activated,
            "errored": self.errored,
            "turns": self.turns,
            "input_tokens": self.usage.input,
            "output_tokens": self.usage.output,
            "elapsed_ms": self.elapsed_ms,
        })
    }

    /// The attempt that a line holds, and of which experiment it is.
    pub(super) fn from_json(value: &Value) -> Option<(&str, Self)> {
        let number = |key: &str| value[key].as_u64();
        let names = value["activated"].as_array()?;
        let activated: Option<Vec<String>> =
            names.iter().map(|name| Some(name.as_str()?.to_owned())).collect();
        let attempt = Self {
            prompt: value["prompt"].as_str()?.to_owned(),
            run: number("run")?.try_into().ok()?,
            activated: activated?,
            errored: value["errored"].as_str().map(str::to_owned),
            turns: number("turns")?.try_into().ok()?,
            usage: Usage::new(number("input_tokens")?, number("output_tokens")?),
            elapsed_ms: number("elapsed_ms")?,
        };
        Some((value["experiment"].as_str()?, attempt))
    }
}
