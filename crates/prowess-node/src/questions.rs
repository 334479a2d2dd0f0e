//! The class `Library`: what is asked of it.

use napi::bindgen_prelude::{AsyncTask, Buffer, ClassInstance, Either, Unknown};
use napi::{Env, JsValue};
use napi_derive::napi;
use prowess::activate::Delivery;
use prowess::source::{ByteRange, Part};
use prowess::tools;
use prowess::{Catalog, CatalogOptions, Error, Origin, catalog, json, lint, mention};
use serde_json::Value as Json;

use crate::convert::{Failure, exception, from_json, text, thrown};
use crate::job::{Answer, Asked, Job, asked, done, later, now};
use crate::library::{Library, full_catalog, given};
use crate::options::Options;
use crate::request::{Request, deliver, shape};

#[napi]
impl Library {
    /// A line for the log: how many skills there are, and what they cost.
    #[napi]
    pub fn summary(&self) -> String {
        full_catalog(&self.library).summary()
    }

    /// The text that a model sees every turn, and what it costs. Empty if no skill is listed.
    #[napi(ts_args_type = "options?: types.CatalogOptions", ts_return_type = "types.Catalog")]
    pub fn catalog<'env>(&self, env: &'env Env, options: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        let catalog = catalog_options(env, options).map(|options| Catalog::build(&self.library, &options));
        done(env, catalog.map(|catalog| json::catalog(&catalog)))
    }

    /// What a model must hear of a catalog that has changed since an earlier load. Empty if it has not.
    #[napi(ts_args_type = "earlier: Library, options?: types.CatalogOptions", ts_return_type = "string")]
    pub fn catalog_delta<'env>(
        &self,
        env: &'env Env,
        earlier: Either<ClassInstance<'_, Library>, Unknown<'_>>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        let delta = given(earlier)
            .and_then(|earlier| Ok(catalog::delta(&earlier, &self.library, &catalog_options(env, options)?)));
        done(env, delta.map(Json::from))
    }

    /// The definitions of `activate_skill` and `read_skill_resource`, in a provider's form: the value of a request's
    /// `tools`. Empty if no skill is listed.
    #[napi(
        ts_generic_types = "F extends types.Provider",
        ts_args_type = "format: F",
        ts_return_type = "types.Tools[F][]"
    )]
    pub fn tools<'env>(&self, env: &'env Env, format: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        let format = text(env, format, "the format").and_then(|format| Ok(format.parse()?));
        done(env, format.map(|format| Json::from(tools::definitions(&self.library, format))))
    }

    /// The skills that a user's prompt mentions as `/name` or `$name`, in their order, each once.
    #[napi(ts_args_type = "prompt: string", ts_return_type = "types.Mention[]")]
    pub fn mentions<'env>(&self, env: &'env Env, prompt: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        let prompt = text(env, prompt, "the prompt");
        done(env, prompt.map(|prompt| json::mentions(&mention::find(&self.library, &prompt), &prompt)))
    }

    /// Every entry of a skill's frontmatter, known or not, such as `allowed-tools`: data for the host.
    #[napi(ts_args_type = "name: string", ts_return_type = "Record<string, unknown>")]
    pub fn frontmatter<'env>(&self, env: &'env Env, name: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        let name = text(env, name, "the name");
        let skill = name.and_then(|name| Ok(self.library.find(&name, Origin::User)?));
        done(env, skill.map(|skill| json::frontmatter(skill.frontmatter())))
    }

    /// The directories that a host must let a model read.
    #[napi]
    pub fn readable_roots(&self) -> Vec<String> {
        self.library.readable_roots().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    /// Delivers a body by name, id or, for the user, path.
    ///
    /// What is refused is an exception: `unknown-skill`, `ambiguous-name`, `untrusted`, `body-too-large`, ...
    #[napi(
        ts_args_type = "name: string, options?: types.ActivateOptions",
        ts_return_type = "Promise<types.Delivery>"
    )]
    pub fn activate(&self, env: &Env, name: Unknown<'_>, options: Unknown<'_>) -> AsyncTask<Job<Activated>> {
        later(self.activation(env, name, options))
    }

    /// `activate` on this thread.
    #[napi(ts_args_type = "name: string, options?: types.ActivateOptions", ts_return_type = "types.Delivery")]
    pub fn activate_sync<'env>(
        &self,
        env: &'env Env,
        name: Unknown<'_>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        now(env, self.activation(env, name, options))
    }

    /// Turns a model's tool call, in the form of OpenAI, Anthropic, Gemini or MCP, into a request to be delivered or
    /// denied; null if the tool is none of these.
    #[napi(ts_args_type = "call: object")]
    pub fn request(&self, env: &Env, call: Unknown<'_>) -> napi::Result<Option<Request>> {
        Request::read(env, &self.library, call).map_err(|failure| thrown(env, failure))
    }

    /// Answers a model's tool call: `request` and `deliver` in one. What can't be met is answered as well.
    #[napi(
        ts_args_type = "call: object, options?: types.DeliverOptions",
        ts_return_type = "Promise<types.Answer | null>"
    )]
    pub fn dispatch(&self, env: &Env, call: Unknown<'_>, options: Unknown<'_>) -> AsyncTask<Job<Json>> {
        later(self.dispatching(env, call, options))
    }

    /// `dispatch` on this thread.
    #[napi(
        ts_args_type = "call: object, options?: types.DeliverOptions",
        ts_return_type = "types.Answer | null"
    )]
    pub fn dispatch_sync<'env>(
        &self,
        env: &'env Env,
        call: Unknown<'_>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        now(env, self.dispatching(env, call, options))
    }

    /// Reads a part of a file that a skill brings along, and nothing outside of the skill's directory.
    #[napi(
        ts_args_type = "name: string, path: string, options?: types.ResourceOptions",
        ts_return_type = "Promise<types.Resource>"
    )]
    pub fn resource(
        &self,
        env: &Env,
        name: Unknown<'_>,
        path: Unknown<'_>,
        options: Unknown<'_>,
    ) -> AsyncTask<Job<Resource>> {
        later(self.reading(env, name, path, options))
    }

    /// `resource` on this thread.
    #[napi(
        ts_args_type = "name: string, path: string, options?: types.ResourceOptions",
        ts_return_type = "types.Resource"
    )]
    pub fn resource_sync<'env>(
        &self,
        env: &'env Env,
        name: Unknown<'_>,
        path: Unknown<'_>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        now(env, self.reading(env, name, path, options))
    }

    /// What became of every `SKILL.md` that bears a name or could be meant by it, also where a load does not look.
    #[napi(
        ts_args_type = "name: string, options?: { budget?: number }",
        ts_return_type = "Promise<types.Explanation>"
    )]
    pub fn why(&self, env: &Env, name: Unknown<'_>, options: Unknown<'_>) -> AsyncTask<Job<Json>> {
        later(self.explaining(env, name, options))
    }

    /// `why` on this thread.
    #[napi(
        ts_args_type = "name: string, options?: { budget?: number }",
        ts_return_type = "types.Explanation"
    )]
    pub fn why_sync<'env>(
        &self,
        env: &'env Env,
        name: Unknown<'_>,
        options: Unknown<'_>,
    ) -> napi::Result<Unknown<'env>> {
        now(env, self.explaining(env, name, options))
    }

    /// Everything that is wrong, also what a load does not look for: dead links in bodies, descriptions too alike.
    #[napi(ts_return_type = "Promise<types.Check>")]
    pub fn check(&self) -> AsyncTask<Job<Json>> {
        later(self.checking())
    }

    /// `check` on this thread.
    #[napi(ts_return_type = "types.Check")]
    pub fn check_sync<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        now(env, self.checking())
    }
}

impl Library {
    fn activation(&self, env: &Env, name: Unknown<'_>, options: Unknown<'_>) -> Asked<Activated> {
        let name = text(env, name, "the name")?;
        let (options, ledger) = Options::with_ledger(env, options, &["origin", "arguments", "placement"])?;
        let library = self.library.clone();
        asked(move || {
            let request = library.activate(&name, options.word("origin")?.unwrap_or(Origin::User));
            let request = request.with_arguments(options.text("arguments")?.unwrap_or_default());
            Ok(Activated(deliver(request, ledger, options.text("placement")?.map(str::to_owned))))
        })
    }

    fn dispatching(&self, env: &Env, call: Unknown<'_>, options: Unknown<'_>) -> Asked<Json> {
        match Request::read(env, &self.library, call)? {
            Some(request) => request.delivery(env, options),
            None => asked(|| Ok(Json::Null)),
        }
    }

    fn reading(
        &self,
        env: &Env,
        name: Unknown<'_>,
        path: Unknown<'_>,
        options: Unknown<'_>,
    ) -> Asked<Resource> {
        let (name, path) = (text(env, name, "the name")?, text(env, path, "the path")?);
        let options = Options::read(env, options, &["offset", "length"])?;
        let library = self.library.clone();
        asked(move || {
            let bytes = |key: &str| Ok::<_, Error>(options.number(key)?.map(|bytes| bytes as u64));
            let range = ByteRange {
                offset: bytes("offset")?.unwrap_or(0),
                length: bytes("length")?.unwrap_or(u64::MAX),
            };
            let skill = library.find(&name, Origin::User)?;
            let part = library.resource(skill, &path, range)?;
            Ok(Resource(json::resource(skill, &part), part))
        })
    }

    fn explaining(&self, env: &Env, name: Unknown<'_>, options: Unknown<'_>) -> Asked<Json> {
        let name = text(env, name, "the name")?;
        let budget = Options::read(env, options, &["budget"])?.number("budget")?;
        let library = self.library.clone();
        asked(move || {
            let options = budget.into_iter().fold(CatalogOptions::new(), CatalogOptions::budget);
            Ok(json::explanation(&library.why(&name, Some(&Catalog::build(&library, &options)))))
        })
    }

    fn checking(&self) -> Asked<Json> {
        let library = self.library.clone();
        asked(move || {
            let found = lint::check(&library, &full_catalog(&library));
            Ok(json::check(&found, library.scan().skill_files))
        })
    }
}

fn catalog_options(env: &Env, options: Unknown<'_>) -> Result<CatalogOptions, Failure> {
    let read = Options::read(env, options, &["budget", "format", "style", "pins", "cap", "floor"])?;
    let options = CatalogOptions::new();
    let options = read.number("budget")?.into_iter().fold(options, CatalogOptions::budget);
    let options = read.word("format")?.into_iter().fold(options, CatalogOptions::format);
    let options = read.word("style")?.into_iter().fold(options, CatalogOptions::style);
    let options = read.texts("pins")?.into_iter().fold(options, CatalogOptions::pin);
    let options = read.number("cap")?.into_iter().fold(options, CatalogOptions::cap);
    Ok(read.number("floor")?.into_iter().fold(options, CatalogOptions::floor))
}

/// A body that the host asked for: a refusal is an exception.
#[derive(Debug)]
pub struct Activated(Delivery);

impl Answer for Activated {
    fn into_js(self, env: &Env) -> napi::Result<Unknown<'_>> {
        match self.0.error() {
            Some(error) => Err(exception(env, error)),
            None => from_json(env, &shape(&self.0)),
        }
    }
}

/// A part of a file: what it is, and its bytes.
#[derive(Debug)]
pub struct Resource(Json, Part);

impl Answer for Resource {
    fn into_js(self, env: &Env) -> napi::Result<Unknown<'_>> {
        let mut answer = from_json(env, &self.0)?.coerce_to_object()?;
        answer.set("data", Buffer::from(self.1.bytes))?;
        Ok(answer.to_unknown())
    }
}
