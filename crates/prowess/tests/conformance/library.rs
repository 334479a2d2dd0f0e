//! The library as one face of the conformance cases. The other faces' tests use it as well, to compare answers whole.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use prowess::catalog::{Format, Style};
use prowess::scope::{Places, Preset};
use prowess::source::{ByteRange, ScanOptions, Source};
use prowess::tokens::Estimate;
use prowess::tools::{self, Shape};
use prowess::{
    Catalog, CatalogOptions, Error, Ledger, Library, LoadOptions, Origin, Policy, Roots, json, lint, mention,
};
use prowess_testkit::conformance::{Face, Place, Question};
use serde_json::{Value as Json, json as object};

pub(crate) struct LibraryFace {
    roots: Roots,
    options: LoadOptions,
    pub(crate) library: Library,
}

impl LibraryFace {
    pub(crate) fn new(place: &Place, source: Arc<dyn Source>) -> Self {
        let scan = ScanOptions::default();
        let scan = place.limit("depth").into_iter().fold(scan, ScanOptions::max_depth);
        let scan = place.limit("directories").into_iter().fold(scan, ScanOptions::max_directories);
        let options = LoadOptions::new().source(source).scan(scan).policy(policy(place));
        let roots = roots(place);
        Self { library: Library::load(&roots, &options), roots, options }
    }

    fn catalog(&self, question: &Question<'_>) -> Catalog {
        let number = |key: &str| {
            question.number(key).map(|number| usize::try_from(number).expect("a number that fits"))
        };
        let style = word(question, "style").unwrap_or(Style::File);
        let format = word(question, "format").unwrap_or(Format::Xml);
        let options = CatalogOptions::new().style(style).format(format);
        let options = number("budget").into_iter().fold(options, CatalogOptions::budget);
        let options = question.texts("pin").into_iter().fold(options, CatalogOptions::pin);
        Catalog::build(&self.library, &options)
    }

    fn list(&mut self) -> Json {
        self.library = Library::load(&self.roots, &self.options);
        let catalog = Catalog::build(&self.library, &CatalogOptions::new());
        json::list(&self.library, &catalog, Duration::ZERO)
    }

    fn activate(&self, question: &Question<'_>) -> Json {
        let name = question.text("name").unwrap_or_default();
        let request = self
            .library
            .activate(&name, origin(question))
            .with_arguments(&question.text("arguments").unwrap_or_default());
        let delivery = request.deliver(&mut Ledger::new(), "here");
        delivery.error().map_or_else(|| json::delivery(&delivery, &Estimate), json::error)
    }

    fn resource(&self, question: &Question<'_>) -> Result<Json, Error> {
        let name = question.text("name").unwrap_or_default();
        let skill = self.library.find(&name, Origin::User)?;
        let range = ByteRange {
            offset: question.number("offset").unwrap_or(0),
            length: question.number("length").unwrap_or(u64::MAX),
        };
        let part = self.library.resource(skill, &question.text("path").unwrap_or_default(), range)?;
        Ok(json::resource(skill, &part))
    }

    fn why(&self, question: &Question<'_>) -> Json {
        let name = question.text("name").unwrap_or_default();
        json::explanation(&self.library.why(&name, Some(&self.catalog(question))))
    }

    fn check(&self, question: &Question<'_>) -> Option<Json> {
        if question.argument("paths").is_some() {
            // It is the disk that is asked what a path is.
            return None;
        }
        let diagnostics = lint::check(&self.library, &self.catalog(question));
        Some(json::check(&diagnostics, self.library.scan().skill_files))
    }

    /// A model's tool call; null if the tool is none of ours.
    fn call(&self, question: &Question<'_>) -> Json {
        let arguments = question.argument("arguments").unwrap_or(&Json::Null);
        let tool = question.text("tool").unwrap_or_default();
        let Some(request) = self.library.request(&tool, arguments) else {
            return object!({"status": "not-ours"});
        };
        json::delivery(&request.deliver(&mut Ledger::new(), "here"), &Estimate)
    }

    fn mentions(&self, question: &Question<'_>) -> Json {
        let prompt = question.text("prompt").unwrap_or_default();
        json::mentions(&mention::find(&self.library, &prompt), &prompt)
    }
}

impl Face for LibraryFace {
    fn answer(&mut self, question: &Question<'_>) -> Result<Option<Json>, String> {
        Ok(Some(match question.ask() {
            "list" => self.list(),
            "catalog" => json::catalog(&self.catalog(question)),
            "tools" => {
                let shape = word(question, "provider").unwrap_or(Shape::OpenAi);
                tools::definitions(&self.library, shape).into()
            }
            "activate" => self.activate(question),
            "resource" => self.resource(question).unwrap_or_else(|error| json::error(&error)),
            "why" => self.why(question),
            "check" => return Ok(self.check(question)),
            "call" => self.call(question),
            "mentions" => self.mentions(question),
            other => return Err(format!("no such question: `{other}`")),
        }))
    }
}

/// A choice, by its word.
fn word<T: FromStr<Err = Error>>(question: &Question<'_>, key: &str) -> Option<T> {
    question.text(key).map(|word| word.parse().expect("a word that stands for a choice"))
}

pub(crate) fn origin(question: &Question<'_>) -> Origin {
    word(question, "origin").unwrap_or(Origin::User)
}

fn roots(place: &Place) -> Roots {
    let places = Places::new(place.project(), place.home()).enterprise(place.enterprise());
    let given = place.roots();
    if given.is_empty() {
        let preset = if place.prefers_user() { Preset::Claude } else { Preset::Agents };
        return Roots::preset(preset, &places);
    }
    given
        .into_iter()
        .try_fold(Roots::within(&places), |roots, (scope, directory, shares)| {
            if shares { roots.with_shared_rank(&scope, directory) } else { roots.with(&scope, directory) }
        })
        .expect("labels that are scopes")
}

fn policy(place: &Place) -> Policy {
    let hidden = Policy::new().hide(&place.disabled()).expect("patterns");
    hidden.rules(&place.policy().into()).expect("rules")
}
