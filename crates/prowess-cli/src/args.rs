//! The command line, as data.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::ArgValueCandidates;
use clap_complete::env::Shells;
use prowess::messages::KEPT_TOKENS;
use prowess_args::{Global, McpArgs};

use crate::completions::skill_names;
#[cfg(feature = "select")]
use crate::model::args::{EvalArgs, ModelArgs, RunArgs};
use crate::select::SelectArgs;
use crate::trust::{TrustArgs, UntrustArgs};

/// Find Agent Skills, show what a model sees of them and what that costs, and hand over their bodies
#[derive(Debug, Parser)]
#[command(name = "prowess", version, max_term_width = 80, propagate_version = true)]
#[command(after_help = "\
Examples:
  prowess list                    the skills of this project, and your own
  prowess catalog --budget 2000   what goes into the system prompt
  prowess activate pdf-forms      what enters the context when a model asks
  prowess demo                    all of it in one run, on broken fixtures

Exit codes: 0 fine, 1 not found or refused, 2 wrong usage, 3 the system failed")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The skills that load, where from, and what they cost; what is shadowed, and what does not load
    #[command(
        after_help = "Examples:\n  prowess list\n  prowess list --project ~/src/app --json\n  prowess list --root \
                            plugin=vendor/skills"
    )]
    List,
    /// Exactly what goes into the system prompt
    #[command(
        after_help = "Examples:\n  prowess catalog\n  prowess catalog --budget 2000 --format markdown\n  prowess \
                            catalog --style tool --tools anthropic"
    )]
    Catalog(CatalogArgs),
    /// What every skill costs: bars per entry, and what is paid every turn against what is paid once
    #[command(after_help = "Examples:\n  prowess cost\n  prowess cost --turns 50 --tokens o200k")]
    Cost(CostArgs),
    /// Exactly what enters the context when a skill is activated
    #[command(
        after_help = "Examples:\n  prowess activate pdf-forms\n  prowess activate user:commit-message -- only the \
                            staged files\n  prowess activate pdf-forms --origin model --json"
    )]
    Activate(ActivateArgs),
    /// A file that a skill brings along; nothing outside of its directory is read
    #[command(
        after_help = "Examples:\n  prowess resource pdf-forms references/fields.md\n  prowess resource pdf-forms \
                            assets/form.pdf > form.pdf"
    )]
    Resource(ResourceArgs),
    /// Which skill fits a prompt: a model's choice
    #[command(
        after_help = "Examples:\n  prowess select --model anthropic/claude-sonnet-4-5 'fill in this form'\n  prowess \
                            select --endpoint http://127.0.0.1:8080/v1 --runs 5 'fill in this form'\n  prowess select \
                            --offline 'fill in this form'"
    )]
    Select(SelectArgs),
    /// A prompt, run to its end: catalog, activation, resources, answer
    #[cfg(feature = "select")]
    #[command(
        after_help = "Examples:\n  prowess run --model openai/gpt-5 'write a commit message for my staged changes'\n  \
                            prowess run --model ollama/qwen3 '/pdf-forms form.pdf'"
    )]
    Run(RunArgs),
    /// Whether descriptions trigger, measured: prompts with the skill that each should trigger, run several times
    #[cfg(feature = "select")]
    #[command(
        after_help = "Examples:\n  prowess eval triggers.yaml --model anthropic/claude-sonnet-4-5 --dry-run\n  prowess eval \
                            triggers.yaml --model openai/gpt-5 --results results.jsonl --html report.html\n  prowess eval \
                            triggers.json --endpoint http://127.0.0.1:8080/v1 --method schema --split held-out"
    )]
    Eval(EvalArgs),
    /// Every finding with its source line; a SKILL.md, a skill's directory, or a directory of skills
    #[command(
        after_help = "Examples:\n  prowess check\n  prowess check skills/pdf-forms --fix\n  prowess check --format github --fail-on warning"
    )]
    Check(CheckArgs),
    /// Shorten a conversation so that the bodies of its skills survive, and tell the session
    #[command(
        after_help = "Examples:\n  prowess compact --messages chat.json --session s.json --budget 25000\n  prowess \
                      compact --messages chat.json --session s.json --budget 8000 --summary sum.txt --json"
    )]
    Compact(CompactArgs),
    /// What a session holds: which bodies are in the conversation, and what each costs
    #[command(
        after_help = "Examples:\n  prowess session s.json\n  prowess session s.json --timeline\n  prowess \
                            session s.json --finish pdf-forms"
    )]
    Session(SessionArgs),
    /// What became of every SKILL.md that bears a name, and what to do about it
    #[command(
        after_help = "Examples:\n  prowess why pdf-forms\n  prowess why user:commit-message\n  prowess why ./skills/pdf-forms"
    )]
    Why(WhyArgs),
    /// Allow skills as they are now, for commands with `--trust ask`; without a name: which are allowed
    #[command(
        after_help = "Examples:\n  prowess trust\n  prowess trust pdf-forms\n  prowess catalog --trust ask"
    )]
    Trust(TrustArgs),
    /// Take back what `trust` has allowed
    #[command(after_help = "Examples:\n  prowess untrust pdf-forms\n  prowess untrust --all")]
    Untrust(UntrustArgs),
    /// A script that completes commands, options and skill names in a shell
    #[command(
        after_help = "Examples:\n  source <(prowess completions bash)\n  prowess completions fish | source"
    )]
    Completions(CompletionsArgs),
    /// Serve the skills to any client that speaks MCP, over stdin and stdout or HTTP
    #[command(
        after_help = "Examples:\n  prowess mcp\n  prowess mcp --http\n  prowess mcp --project ~/src/app --print-config"
    )]
    Mcp(McpArgs),
    /// The three stages in one run on six broken fixtures, and eight checks of what came out
    #[command(
        after_help = "Examples:\n  prowess demo\n  prowess demo 'write a commit message for my staged changes'"
    )]
    Demo(DemoArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CatalogArgs {
    /// The most it may cost, in tokens
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: FormatArg,
    /// How the model opens a skill: it reads the file, or calls a tool
    #[arg(long, value_enum, default_value_t)]
    pub(crate) style: StyleArg,
    /// Keep this skill as long as the budget allows; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) pin: Vec<String>,
    /// Print the tool definitions in this provider's form instead
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub(crate) tools: Option<ToolsArg>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum FormatArg {
    #[default]
    Xml,
    Markdown,
    Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum StyleArg {
    #[default]
    File,
    Tool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ToolsArg {
    Openai,
    Anthropic,
    Gemini,
    Mcp,
}

#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    /// Over how many turns of a session to compare
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) turns: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ActivateArgs {
    /// A skill's name, id or path
    #[arg(add = ArgValueCandidates::new(skill_names))]
    pub(crate) name: String,
    /// Who asks: a model may not activate what is the user's alone
    #[arg(long, value_enum, default_value_t)]
    pub(crate) origin: OriginArg,
    /// Keep account of the conversation in this file: a body that it holds is not delivered twice
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Where the text will stand in the conversation: the tool call's id. Without one, `compact` can't find the text
    #[arg(long, value_name = "ID", requires = "session")]
    pub(crate) placement: Option<String>,
    /// What the user wants of the skill; stands behind the body
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum OriginArg {
    #[default]
    User,
    Model,
}

#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    /// A skill's name, id or path
    #[arg(add = ArgValueCandidates::new(skill_names))]
    pub(crate) name: String,
    /// The file's path relative to the skill's directory
    pub(crate) path: String,
    /// The first byte to print
    #[arg(long, value_name = "BYTE", default_value_t = 0)]
    pub(crate) offset: u64,
    /// How many bytes to print; default: all
    #[arg(long, value_name = "BYTES")]
    pub(crate) length: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// What the user wants
    #[arg(default_value = "Write a commit message for my staged changes.")]
    pub(crate) prompt: String,
    #[cfg(feature = "select")]
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// What to look at; default: every root
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write the corrections into the files
    #[arg(long)]
    pub(crate) fix: bool,
    /// How the findings are written
    #[arg(long, value_enum)]
    pub(crate) format: Option<CheckFormat>,
    /// From which severity on findings end in exit code 1
    #[arg(long, value_enum, default_value_t)]
    pub(crate) fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CheckFormat {
    Human,
    Json,
    Github,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum FailOn {
    #[default]
    Error,
    Warning,
    Info,
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// A name, an id or a path
    #[arg(add = ArgValueCandidates::new(skill_names))]
    pub(crate) name: String,
    /// The catalog's budget in tokens, to see what it does to the skill
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(Shells::builtins().names()))]
    pub(crate) shell: String,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The conversation as JSON: an array of messages, or an object with one
    #[arg(long, value_name = "FILE")]
    pub(crate) messages: PathBuf,
    /// The session's file; only what it knows of is protected
    #[arg(long, value_name = "FILE")]
    pub(crate) session: PathBuf,
    /// The most that bodies may cost, kept or put back, in tokens
    #[arg(long, value_name = "N")]
    pub(crate) budget: usize,
    /// About how much of the conversation stays as it is, in tokens
    #[arg(long, value_name = "N", default_value_t = KEPT_TOKENS)]
    pub(crate) keep: usize,
    /// The summary of what leaves
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// The provider's form; default: what it looks like
    #[arg(long, value_enum)]
    pub(crate) shape: Option<ShapeArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ShapeArg {
    Openai,
    Anthropic,
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// The session's file
    pub(crate) file: PathBuf,
    /// Draw turns against tokens
    #[arg(long)]
    pub(crate) timeline: bool,
    /// Say that a skill has served its purpose: the next compaction leaves a line of it; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) finish: Vec<String>,
    /// Turn a skill off; only the user turns it on again; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) deactivate: Vec<String>,
}
