//! The options of the commands that ask a model.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use prowess_select::Method;
use prowess_select::eval::Split;

/// Which model, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// The model, as PROVIDER/NAME: anthropic, openai, gemini, openrouter, mistral, groq, deepseek, ollama, llamacpp,
    /// lmstudio, vllm; with `--endpoint` any name
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(crate) model: Option<String>,
    /// Where the model is, if elsewhere than the provider; speaks OpenAI's form unless the provider has its own. It is
    /// sent no key but that of `--key-env`
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// The environment variable that holds the key; default: the provider's usual one, such as OPENAI_API_KEY
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) key_env: Option<String>,
    /// How long the model may be silent, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// How many tokens an answer may have
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_output: Option<u32>,
    /// The sampling temperature
    #[arg(long, value_name = "NUMBER")]
    pub(crate) temperature: Option<f64>,
}

impl ModelArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.model.is_some() || self.endpoint.is_some()
    }
}

/// How a model is asked for its choice.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArgs {
    /// How often to ask
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// How to ask: with the tool, with a schema of the names, or for plain text; `auto` takes the first that the
    /// endpoint knows
    #[arg(long, value_enum, default_value_t)]
    pub(crate) method: MethodArg,
    /// The most the catalog may cost, in tokens
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// Print the request instead of sending it
    #[arg(long)]
    pub(crate) show_request: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum MethodArg {
    #[default]
    Auto,
    Tool,
    Schema,
    Text,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::Auto => Self::Auto,
            MethodArg::Tool => Self::Tool,
            MethodArg::Schema => Self::Schema,
            MethodArg::Text => Self::Text,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What the user wants; `/name` and `$name` activate a skill before the model is asked
    pub(crate) prompt: String,
    /// How often the model is asked at most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: u32,
    /// The most the catalog may cost, in tokens
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// Go on with the conversation of this file, and keep it there; a run that fails leaves it as it was
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// What stands before the catalog in the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// Print the first request instead of sending it
    #[arg(long)]
    pub(crate) show_request: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// The trigger file, YAML or JSON: prompts, each with the skill that it should trigger
    pub(crate) file: PathBuf,
    /// How often to run each prompt
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// How many run at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) jobs: u32,
    /// How to ask: with the tools, as an agent does; with a schema of the names; or for plain text
    #[arg(long, value_enum, default_value_t = EvalMethod::Tool)]
    pub(crate) method: EvalMethod,
    /// Only this part of the prompts
    #[arg(long, value_enum)]
    pub(crate) split: Option<SplitArg>,
    /// Only prompts with this tag; repeatable, any of them counts
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Append each result to this file as a line of JSON, and make no attempt again that it holds
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
    /// Write the report to this file as well, as one page of HTML
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Say how many requests and tokens it will take, and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The most the catalog may cost, in tokens
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EvalMethod {
    Tool,
    Schema,
    Text,
}

impl From<EvalMethod> for Method {
    fn from(method: EvalMethod) -> Self {
        match method {
            EvalMethod::Tool => Self::Tool,
            EvalMethod::Schema => Self::Schema,
            EvalMethod::Text => Self::Text,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SplitArg {
    Train,
    HeldOut,
}

impl From<SplitArg> for Split {
    fn from(split: SplitArg) -> Self {
        match split {
            SplitArg::Train => Self::Train,
            SplitArg::HeldOut => Self::HeldOut,
        }
    }
}
