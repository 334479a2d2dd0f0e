//! The class `Library`: loading, and what a load found.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{AsyncTask, ClassInstance, Either, JavaScriptClassExt, Unknown};
use napi::{Env, JsValue};
use napi_derive::napi;
use prowess::library::Reload;
use prowess::scope::{self, ENTERPRISE_DIRECTORY, Places, Preset};
use prowess::source::ScanOptions;
use prowess::trust::{STORE_FILE, Trust};
use prowess::{Catalog, CatalogOptions, Error, LoadOptions, Policy, Roots, json};
use serde_json::Value as Json;

use crate::convert::{Failure, from_json, not_new, path, text, usage};
use crate::job::{Answer, Asked, Job, asked, later, now};
use crate::options::Options;

const PLACES: [&str; 7] = ["project", "home", "enterprise", "preset", "folders", "builtin", "roots"];
const LIMITS: [&str; 6] = ["disable", "policy", "trust", "maxDepth", "maxDirectories", "maxBody"];

/// An immutable snapshot of one load: every `SKILL.md` that was seen, in one state, with a reason.
///
/// A load never fails as a whole: what is wrong with a file is among the `diagnostics`. Every access to a list makes it
/// anew.
#[napi]
#[derive(Debug)]
pub struct Library {
    pub(crate) library: prowess::Library,
    elapsed: Duration,
    list: OnceLock<Json>,
}

impl Answer for Library {
    fn into_js(self, env: &Env) -> napi::Result<Unknown<'_>> {
        Ok(self.into_instance(env)?.to_unknown())
    }
}

impl Answer for (Reload, Duration) {
    fn into_js(self, env: &Env) -> napi::Result<Unknown<'_>> {
        let (reload, elapsed) = self;
        let mut answer = from_json(env, &json::reload(&reload))?.coerce_to_object()?;
        answer.set("library", Library::new(reload.library, elapsed).into_js(env)?)?;
        Ok(answer.to_unknown())
    }
}

#[napi]
impl Library {
    /// Libraries come from `Library.load`.
    #[napi(constructor, ts_args_type = "none: never")]
    pub fn none(env: &Env) -> napi::Result<Self> {
        Err(not_new(env, "libraries come from `Library.load`"))
    }

    /// Finds every skill and reads its frontmatter.
    #[napi(ts_args_type = "options?: types.LoadOptions", ts_return_type = "Promise<Library>")]
    pub fn load(env: &Env, options: Unknown<'_>) -> AsyncTask<Job<Library>> {
        later(loading(env, options))
    }

    /// `load` on this thread.
    #[napi(ts_args_type = "options?: types.LoadOptions", ts_return_type = "Library")]
    pub fn load_sync<'env>(env: &'env Env, options: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        now(env, loading(env, options))
    }

    /// Loads what one path holds: a `SKILL.md`, a skill's directory, or a directory that is searched.
    #[napi(ts_args_type = "path: string, options?: types.LimitOptions", ts_return_type = "Promise<Library>")]
    pub fn load_path(env: &Env, path: Unknown<'_>, options: Unknown<'_>) -> AsyncTask<Job<Library>> {
        later(loading_path(env, path, options))
    }

    /// `loadPath` on this thread.
    #[napi(ts_args_type = "path: string, options?: types.LimitOptions", ts_return_type = "Library")]
    pub fn load_path_sync<'env>(
        env: &'env Env,
        path: Unknown<'_>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        now(env, loading_path(env, path, options))
    }

    /// Loads the same again, and compares. What was loaded before stays as it is.
    #[napi(ts_return_type = "Promise<types.Reload>")]
    pub fn reload(&self) -> AsyncTask<Job<(Reload, Duration)>> {
        later(self.reloading())
    }

    /// `reload` on this thread.
    #[napi(ts_return_type = "types.Reload")]
    pub fn reload_sync<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        now(env, self.reloading())
    }

    /// The directories that were searched, highest first.
    #[napi(getter, ts_return_type = "types.Root[]")]
    pub fn roots<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        self.part(env, "roots")
    }

    /// The skills that bear their name, sorted by name.
    #[napi(getter, ts_return_type = "types.Skill[]")]
    pub fn skills<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        self.part(env, "skills")
    }

    /// The skills that lost their name to another. Their ids still reach them.
    #[napi(getter, ts_return_type = "types.Shadowed[]")]
    pub fn shadowed<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        self.part(env, "shadowed")
    }

    /// The identical copies of a skill.
    #[napi(getter, ts_return_type = "types.Duplicate[]")]
    pub fn duplicates<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        self.part(env, "duplicates")
    }

    /// The files that do not load.
    #[napi(getter, ts_return_type = "types.Invalid[]")]
    pub fn invalid<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        self.part(env, "invalid")
    }

    /// Everything that was found wrong.
    #[napi(getter, ts_return_type = "types.Diagnostic[]")]
    pub fn diagnostics<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        self.part(env, "diagnostics")
    }

    /// What the search touched.
    #[napi(getter, ts_return_type = "types.Scan")]
    pub fn scan<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        self.part(env, "scan")
    }

    /// All of these, in the shape of `prowess list --json`.
    #[napi(js_name = "toJSON", ts_return_type = "types.Listing")]
    pub fn to_json<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        from_json(env, self.list())
    }
}

impl Library {
    fn new(library: prowess::Library, elapsed: Duration) -> Self {
        Self { library, elapsed, list: OnceLock::new() }
    }

    fn list(&self) -> &Json {
        self.list.get_or_init(|| json::list(&self.library, &full_catalog(&self.library), self.elapsed))
    }

    fn part<'env>(&self, env: &'env Env, key: &str) -> napi::Result<Unknown<'env>> {
        from_json(env, &self.list()[key])
    }

    fn reloading(&self) -> Asked<(Reload, Duration)> {
        let library = self.library.clone();
        asked(move || {
            let start = Instant::now();
            Ok((library.reload(), start.elapsed()))
        })
    }
}

fn loading(env: &Env, options: Unknown<'_>) -> Asked<Library> {
    let options = Options::read(env, options, &[&PLACES[..], &LIMITS].concat())?;
    asked(move || {
        let home = options.text("home")?.map_or_else(|| Ok(users_home()), absolute)?;
        let (roots, options) = (roots(&options, &home)?, load_options(&options, &home)?);
        let start = Instant::now();
        Ok(Library::new(prowess::Library::load(&roots, &options), start.elapsed()))
    })
}

fn loading_path(env: &Env, path: Unknown<'_>, options: Unknown<'_>) -> Asked<Library> {
    let path = text(env, path, "the path")?;
    let options = Options::read(env, options, &LIMITS)?;
    asked(move || {
        let path = absolute(&path)?;
        let options = load_options(&options, &users_home())?;
        let start = Instant::now();
        Ok(Library::new(prowess::Library::load_path(&path, &options)?, start.elapsed()))
    })
}

fn roots(options: &Options, home: &Path) -> Result<Roots, Error> {
    let place = |key: &str, default| absolute(options.text(key)?.unwrap_or(default));
    let places =
        Places::new(place("project", ".")?, home).enterprise(place("enterprise", ENTERPRISE_DIRECTORY)?);
    let folder = |places: Places, folder| Ok::<_, Error>(places.folder(path(folder)?));
    let places = options.texts("folders")?.into_iter().try_fold(places, folder)?;
    let builtin = |places: Places, directory| Ok::<_, Error>(places.builtin(absolute(directory)?));
    let places = options.texts("builtin")?.into_iter().try_fold(places, builtin)?;
    match options.get("roots", "an array of pairs, each a scope and a directory", pairs)? {
        None => Ok(Roots::preset(options.word("preset")?.unwrap_or(Preset::Agents), &places)),
        Some(roots) => roots.into_iter().try_fold(Roots::within(&places), |roots, (scope, directory)| {
            roots.with_label(scope, absolute(directory)?)
        }),
    }
}

/// The pairs of a scope and a directory.
fn pairs(roots: &Json) -> Option<Vec<(&str, &str)>> {
    let pairs = roots.as_array()?.iter().map(|root| match root.as_array()?.as_slice() {
        [scope, directory] => Some((scope.as_str()?, directory.as_str()?)),
        _ => None,
    });
    pairs.collect()
}

/// Empty, and then no root is looked for in it, if the system knows none.
fn users_home() -> PathBuf {
    std::env::home_dir().filter(|home| home.is_absolute()).unwrap_or_default()
}

/// The absolute path that is meant by one given in the working directory.
fn absolute(given: &str) -> Result<PathBuf, Error> {
    let current = std::env::current_dir().map_err(|error| Error::io(".", error))?;
    scope::absolute(path(given)?, &current)
}

/// The options; what the user has allowed is kept in the home.
fn load_options(options: &Options, home: &Path) -> Result<LoadOptions, Error> {
    let scan = ScanOptions::default();
    let scan = options.number("maxDepth")?.into_iter().fold(scan, ScanOptions::max_depth);
    let scan = options.number("maxDirectories")?.into_iter().fold(scan, ScanOptions::max_directories);
    let policy = Policy::new().hide(&options.texts("disable")?)?;
    let policy = policy.rules(options.json("policy").unwrap_or(&Json::Array(Vec::new())))?;
    let trust = Trust::read(&options.texts("trust")?, &home.join(STORE_FILE))?;
    let load = LoadOptions::new().scan(scan).policy(policy.trust(trust));
    Ok(options.number("maxBody")?.into_iter().fold(load, |load, bytes| load.max_body(bytes as u64)))
}

/// The catalog without a budget: what each skill costs.
pub(crate) fn full_catalog(library: &prowess::Library) -> Catalog {
    Catalog::build(library, &CatalogOptions::new())
}

/// A library that was given as an argument.
pub(crate) fn given(
    library: Either<ClassInstance<'_, Library>, Unknown<'_>>,
) -> Result<prowess::Library, Failure> {
    match library {
        Either::A(library) => Ok(library.library.clone()),
        Either::B(_) => Err(usage("the library must be a `Library`").into()),
    }
}
