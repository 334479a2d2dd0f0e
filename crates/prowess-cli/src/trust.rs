//! `trust` and `untrust`: what the user allows of the skills that others wrote.

mod ask;

use std::sync::Arc;

use clap::Args;
use clap_complete::ArgValueCandidates;
use prowess::Origin;
use prowess::skill::{Skill, Visibility};
use prowess::trust::{Identity, TrustStore};
use prowess_args::Global;
use serde_json::{Value, json};

pub(crate) use self::ask::ask;
use crate::completions::skill_names;
use crate::context::Context;
use crate::failure::Failure;
use crate::locked::LockedFile;
use crate::output::{BOLD, Output, YELLOW, safe};
use crate::table::Column;

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The skills' names, ids or paths; default: say which are allowed and which are not
    #[arg(add = ArgValueCandidates::new(skill_names))]
    names: Vec<String>,
    /// Allow every skill that is not allowed yet
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UntrustArgs {
    /// The skills' names, ids or paths
    #[arg(add = ArgValueCandidates::new(skill_names), required_unless_present = "all")]
    names: Vec<String>,
    /// Forget whatever was allowed, in every repository
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

/// The options with which skills must be allowed: those that were given, or `ask`.
pub(crate) fn asking(global: &Global) -> Global {
    let mut global = global.clone();
    if global.trust.is_empty() {
        global.trust.push("ask".to_owned());
    }
    global
}

pub(crate) fn trust(global: &Global, args: &TrustArgs, output: &mut Output) -> Result<(), Failure> {
    let context = Context::load(&asking(global), output)?;
    if args.names.is_empty() && !args.all {
        return list(&context, output);
    }
    let meant = match args.all {
        true => {
            let untrusted = context.library.all().map(AsRef::as_ref).filter(|skill| is_untrusted(skill));
            allowable(&context, untrusted, output)
        }
        false => {
            let named = found(&context, &args.names)?.into_iter();
            named
                .map(|skill| Ok((skill, context.library.identity(skill)?)))
                .collect::<Result<_, Failure>>()?
        }
    };
    let skills: Vec<&Skill> = meant.iter().map(|(skill, _)| *skill).collect();
    allow(global, meant)?;
    report("allowed", &skills, output)
}

pub(crate) fn untrust(global: &Global, args: &UntrustArgs, output: &mut Output) -> Result<(), Failure> {
    if args.all {
        let count = change(global, |store| Ok(store.revoke(|_, _| true)))?;
        return match output.is_json() {
            true => Ok(output.json(&json!({"revoked": count}))?),
            false => Ok(output.line(format!("forgot all {count} allowances"))?),
        };
    }
    let context = Context::load(global, output)?;
    let meant = found(&context, &args.names)?;
    change(global, |store| {
        for skill in &meant {
            let repository = context.library.repository(skill);
            store.revoke(|identity, id| identity.repository == repository && id == skill.id());
        }
        Ok(())
    })?;
    report("revoked", &meant, output)
}

fn found<'a>(context: &'a Context, names: &[String]) -> Result<Vec<&'a Skill>, Failure> {
    let find = |name: &String| Ok(context.library.find(&context.query(name), Origin::User)?.as_ref());
    names.iter().map(find).collect()
}

/// Those of the skills that can be trusted, as they are now; of the others is said why not.
fn allowable<'a>(
    context: &Context,
    skills: impl Iterator<Item = &'a Skill>,
    output: &mut Output,
) -> Vec<(&'a Skill, Identity)> {
    let mut allowable = Vec::new();
    for skill in skills {
        match context.library.identity(skill) {
            Ok(identity) => allowable.push((skill, identity)),
            Err(error) => {
                let line = safe(&format!("{} is not allowed: {error}", skill.id()));
                output.note(&format!("{YELLOW}{line}{YELLOW:#}"));
            }
        }
    }
    allowable
}

/// Keeps skills in the store.
fn allow(global: &Global, skills: Vec<(&Skill, Identity)>) -> Result<(), Failure> {
    change(global, |store| {
        skills.into_iter().for_each(|(skill, identity)| store.allow(identity, skill.id()));
        Ok(())
    })
}

fn report(what: &str, skills: &[&Skill], output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        let ids: Value = skills.iter().map(|skill| skill.id()).collect();
        return Ok(output.json(&json!({what: ids}))?);
    }
    for skill in skills {
        output.line(format!("{what} {}", safe(skill.id())))?;
    }
    Ok(())
}

fn list(context: &Context, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        let skills: Value = context
            .library
            .all()
            .map(|skill| {
                json!({
                    "id": skill.id(),
                    "location": prowess::skill::display_path(skill.location()),
                    "trusted": !is_untrusted(skill),
                })
            })
            .collect();
        return Ok(output.json(&json!({"skills": skills}))?);
    }
    let untrusted = context.library.all().filter(|skill| is_untrusted(skill)).count();
    output.styled(BOLD, format!("untrusted ({untrusted})"))?;
    let row = |skill: &Arc<Skill>| {
        let trusted = if is_untrusted(skill) { "no" } else { "yes" };
        vec![safe(skill.id()), trusted.to_owned(), safe(&context.short_path(skill.directory()))]
    };
    let head = [("SKILL", Column::Long), ("TRUSTED", Column::Text), ("DIRECTORY", Column::Long)];
    Ok(output.table(&head, context.library.all().map(row).collect())?)
}

/// Says how many skills a model does not get, and what to do about it.
pub(crate) fn tell(context: &Context, output: &mut Output) {
    for line in prowess_args::untrusted(&context.library) {
        output.note(&format!("{YELLOW}{line}{YELLOW:#}"));
    }
}

fn is_untrusted(skill: &Skill) -> bool {
    skill.visibility() == Visibility::Untrusted
}

/// Changes what is allowed, while no other process does.
fn change<T>(
    global: &Global,
    change: impl FnOnce(&mut TrustStore) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let path = global.trust_file()?;
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .map_err(|error| Failure::io(format!("can't make `{}`: {error}", directory.display())))?;
    }
    let file = LockedFile::lock(&path, "trust store")?;
    let mut store = global.trust_store()?;
    let changed = change(&mut store)?;
    file.replace(file.prepare(&store.to_json())?)?;
    Ok(changed)
}
