//! Asking a person, on a terminal, about skills that are not allowed yet.

use std::io::{self, BufRead, IsTerminal, Write};

use prowess::Origin;
use prowess::skill::{Skill, display_path};
use prowess_args::Global;

use super::{allow, allowable};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{BOLD, Output, YELLOW, safe};

/// What a person says about a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    All,
    /// No to this one and all that follow.
    Quit,
}

/// Asks about the skill that is named, or about all, and loads anew what was allowed. Without a terminal, or where a
/// program reads the answer as JSON, nobody is asked and nothing is allowed.
pub(crate) fn ask(
    context: Context,
    name: Option<&str>,
    global: &Global,
    output: &mut Output,
) -> Result<Context, Failure> {
    if output.is_json() || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(context);
    }
    let named = name.map(|name| context.library.find(&context.query(name), Origin::User));
    let asked: Vec<&Skill> = match named {
        Some(found) => found.into_iter().map(AsRef::as_ref).collect(),
        None => context.library.all().map(AsRef::as_ref).collect(),
    };
    let mut asked = asked.into_iter().filter(|skill| context.library.is_asked(skill));
    let allowed = allowed(&mut asked, &mut io::stdin().lock(), &mut anstream::stderr())?;
    let allowed = allowable(&context, allowed.into_iter(), output);
    if allowed.is_empty() {
        return Ok(context);
    }
    allow(global, allowed)?;
    Context::load(global, output)
}

fn allowed<'a>(
    asked: &mut dyn Iterator<Item = &'a Skill>,
    input: &mut dyn BufRead,
    screen: &mut dyn Write,
) -> io::Result<Vec<&'a Skill>> {
    let mut allowed = Vec::new();
    while let Some(skill) = asked.next() {
        match ask_about(skill, input, screen)? {
            Answer::Yes => allowed.push(skill),
            Answer::No => {}
            Answer::All => {
                allowed.push(skill);
                allowed.extend(asked);
                break;
            }
            Answer::Quit => break,
        }
    }
    Ok(allowed)
}

fn ask_about(skill: &Skill, input: &mut dyn BufRead, screen: &mut dyn Write) -> io::Result<Answer> {
    writeln!(screen, "{BOLD}{}{BOLD:#} {YELLOW}is not trusted{YELLOW:#}", safe(skill.id()))?;
    writeln!(screen, "  {}", safe(&display_path(skill.location())))?;
    writeln!(screen, "  {}", safe(skill.description()))?;
    loop {
        write!(screen, "Allow it as it is now? [y]es, [N]o, [a]ll, [q]uit: ")?;
        screen.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(screen)?;
            return Ok(Answer::Quit);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Answer::Yes),
            "" | "n" | "no" => return Ok(Answer::No),
            "a" | "all" => return Ok(Answer::All),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}
