use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use prowess::scope::ENTERPRISE_DIRECTORY;

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The directory whose project skills count; default: the working directory
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub project: Option<PathBuf>,
    /// The directory whose user skills count; default: your home
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub home: Option<PathBuf>,
    /// The directory of the organisation's skills
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = ENTERPRISE_DIRECTORY)]
    pub enterprise: PathBuf,
    /// Search this directory instead of the default ones; repeatable, highest first; `+SCOPE=DIR` shares the rank of
    /// the one before
    #[arg(long = "root", global = true, value_name = "SCOPE=DIR")]
    pub roots: Vec<String>,
    /// The order of the default directories: `agents` has project before user, `claude` user before project
    #[arg(long, global = true, value_enum, default_value_t)]
    pub preset: PresetArg,
    /// Hide the skills that match this pattern, a name or `scope:name` with `*` and `?`; repeatable
    #[arg(long, global = true, value_name = "PATTERN")]
    pub disable: Vec<String>,
    /// Whose skills a user must have allowed: `ask` leaves out what `prowess trust` has not allowed, with everything in
    /// its directory as it is now, `deny` all, `allow` none; `SCOPE=RULE` is for one scope, a RULE alone for all others;
    /// repeatable
    #[arg(long, global = true, value_name = "[SCOPE=]RULE")]
    pub trust: Vec<String>,
    /// How many levels below a root are searched
    #[arg(long, global = true, value_name = "N", default_value_t = 5)]
    pub max_depth: usize,
    /// How many directories without a SKILL.md are searched per root
    #[arg(long, global = true, value_name = "N", default_value_t = 2000)]
    pub max_directories: usize,
    /// How tokens are counted: four characters each, or exactly, by the o200k vocabulary
    #[arg(long, global = true, value_enum, default_value_t)]
    pub tokens: Tokens,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// When to colour
    #[arg(long, global = true, value_enum, default_value_t)]
    pub color: Color,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more on stderr: diagnostics that are mere information too
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// The order of the default directories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "clap would print a variant's text in every help")]
pub enum PresetArg {
    #[default]
    Agents,
    Claude,
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "clap would print a variant's text in every help")]
pub enum Tokens {
    #[default]
    Estimate,
    O200k,
}

/// When to colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "clap would print a variant's text in every help")]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}
