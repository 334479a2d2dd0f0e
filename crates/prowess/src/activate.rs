//! Delivering one body into the context, wrapped, in two steps: a request, then its delivery or denial.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::diagnostic::Code;
use crate::error::{Error, ErrorKind};
use crate::files::Fingerprint;
use crate::ledger::{Entry, Ledger, ReceiptKind};
use crate::library::{Library, Origin};
use crate::parse;
use crate::resource;
use crate::skill::{Skill, Visibility, display_path};
use crate::source::{ByteRange, Resource, Resources};
use crate::text::{escape, one_line};

/// How many resources a delivered text lists by name.
const LISTED_RESOURCES: usize = 50;
/// The bytes of the longest character: a read that brings fewer may never get past one.
const LONGEST_CHARACTER: u64 = 4;
/// How many characters of a name a note repeats.
const MAX_NAME: usize = 64;
/// The part of a file that may lie before the body.
pub(crate) const MAX_HEAD: u64 = 1024 * 1024 + 64 * 1024;
/// What a body must not hold, so that it can't close or open the wrapper.
const WRAPPER_TAGS: [&str; 4] =
    ["<skill_content", "</skill_content", "<skill_resources", "</skill_resources"];

/// What somebody asked of a library. Nothing has been read yet: the host [delivers](Self::deliver) it or
/// [denies](Self::deny) it.
///
/// A request that can't be met (an unknown name, a skill that this origin may not activate) is a request as well: its
/// delivery is the text that tells the model so.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Ledger, Library, LoadOptions, Origin, Roots, source::Memory};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nFill.");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let delivery = library.activate("pdf", Origin::Model).deliver(&mut Ledger::new(), "call-1");
/// assert!(delivery.text().contains("\nFill.\n"));
/// assert!(library.activate("pdf", Origin::Model).deny("not now").text().contains("not now"));
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a request does nothing until it is delivered or denied"]
pub struct Request {
    library: Library,
    origin: Origin,
    wanted: Wanted,
}

#[derive(Debug)]
enum Wanted {
    Body { skill: Arc<Skill>, arguments: String },
    Resource { skill: Arc<Skill>, path: String, range: ByteRange, permission: Result<(), Error> },
    Nothing(Error),
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The body is in the text.
    New,
    /// The body is in the context already, unchanged; the text is a short note.
    AlreadyResident,
    /// The file has changed: the new body is in the text, and supersedes the old one.
    Changed,
    /// Nothing was delivered; the text says why.
    Denied,
    /// A resource is in the text.
    Resource,
}

impl Status {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::AlreadyResident => "already-resident",
            Self::Changed => "changed",
            Self::Denied => "denied",
            Self::Resource => "resource",
        }
    }
}

/// What a body was read from, beside the text of its [`Delivery`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activation {
    /// The skill.
    pub skill: Arc<Skill>,
    /// `sha256:` and 64 hex digits over the raw bytes of its `SKILL.md`.
    pub digest: String,
    /// The first files it brings along, by path.
    pub resources: Vec<Resource>,
    /// How many files it brings along.
    pub resources_total: usize,
}

/// The text for the context, and what it is.
#[derive(Debug)]
#[must_use = "the text is for the model"]
pub struct Delivery {
    status: Status,
    text: String,
    activation: Option<Activation>,
    error: Option<Error>,
}

impl Library {
    /// Asks for a skill's body by name, id or, for the user, path. See [`find`](Self::find).
    pub fn activate(&self, name: &str, origin: Origin) -> Request {
        let wanted =
            self.permitted(name, origin).map(|skill| Wanted::Body { skill, arguments: String::new() });
        self.request_for(origin, wanted)
    }

    /// Asks for a part of a skill's resource, as text. Who may activate the skill may read it, and so may a model once
    /// the body is in its context, whoever brought it there.
    pub fn request_resource(&self, name: &str, path: &str, range: ByteRange, origin: Origin) -> Request {
        let wanted = self.find(name, origin).map(|skill| Wanted::Resource {
            skill: skill.clone(),
            path: path.to_owned(),
            range,
            permission: may_activate(skill, skill.visibility(), origin),
        });
        self.request_for(origin, wanted)
    }

    fn request_for(&self, origin: Origin, wanted: Result<Wanted, Error>) -> Request {
        Request { library: self.clone(), origin, wanted: wanted.unwrap_or_else(Wanted::Nothing) }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn refuse(&self, error: Error) -> Request {
        self.request_for(Origin::Model, Err(error))
    }

    /// The skill that is meant, if `origin` may have it.
    fn permitted(&self, name: &str, origin: Origin) -> Result<Arc<Skill>, Error> {
        let skill = self.find(name, origin)?;
        may_activate(skill, skill.visibility(), origin)?;
        Ok(skill.clone())
    }
}

/// The one rule of who may activate what.
fn may_activate(skill: &Skill, visibility: Visibility, origin: Origin) -> Result<(), Error> {
    let name = skill.name();
    let (kind, message) = match (visibility, origin) {
        (Visibility::Untrusted, _) => {
            (ErrorKind::Untrusted, format!("skill `{name}` is not trusted by the host"))
        }
        (Visibility::UserOnly, Origin::Model) => (
            ErrorKind::UserOnly,
            format!("only the user can activate skill `{name}`; ask the user to run it"),
        ),
        (Visibility::Hidden, Origin::Model) => {
            (ErrorKind::Denied, format!("the host has disabled skill `{name}`"))
        }
        (_, Origin::User) if !skill.frontmatter().user_invocable => {
            (ErrorKind::ModelOnly, format!("only the model can activate skill `{name}`"))
        }
        _ => return Ok(()),
    };
    Err(Error::new(kind, message).with_path(skill.location()))
}

impl Request {
    /// The skill it is about; none if no skill is meant by it or the origin may not have it.
    #[must_use]
    pub fn skill(&self) -> Option<&Arc<Skill>> {
        match &self.wanted {
            Wanted::Body { skill, .. } | Wanted::Resource { skill, .. } => Some(skill),
            Wanted::Nothing(_) => None,
        }
    }

    /// Why it can't be met, if that is known already.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        match &self.wanted {
            Wanted::Nothing(error) => Some(error),
            _ => None,
        }
    }

    /// Adds the user's arguments. They stand behind the body, never in it, and no receipt keeps them.
    pub fn with_arguments(mut self, text: &str) -> Self {
        if let Wanted::Body { arguments, .. } = &mut self.wanted {
            text.clone_into(arguments);
        }
        self
    }

    /// Reads what is wanted, fresh, and tells the ledger of it. `placement` is where the text will stand: for tool
    /// calls the call's id.
    pub fn deliver(self, ledger: &mut Ledger, placement: impl Into<String>) -> Delivery {
        let delivered = match self.wanted {
            Wanted::Nothing(error) => Err(error),
            Wanted::Body { skill, arguments } => {
                deliver_body(&self.library, &skill, self.origin, &arguments, ledger, placement.into())
            }
            Wanted::Resource { skill, permission: Err(error), .. }
                if ledger.resident(skill.id()).is_none() =>
            {
                Err(error)
            }
            Wanted::Resource { skill, path, range, .. } => {
                deliver_resource(&self.library, &skill, self.origin, &path, range, ledger)
            }
        };
        delivered.unwrap_or_else(refusal)
    }

    /// Turns it down; the reason becomes text for the model.
    pub fn deny(self, reason: impl Into<String>) -> Delivery {
        let reason = reason.into();
        refusal(match self.wanted {
            Wanted::Nothing(error) => error,
            _ if reason.is_empty() => Error::new(ErrorKind::Denied, "the host denied the request"),
            _ => Error::new(ErrorKind::Denied, reason),
        })
    }
}

impl Delivery {
    /// What became of the request.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// The text for the context.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text for the context, owned.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// What was activated; none if nothing was, or if it is a resource.
    #[must_use]
    pub fn activation(&self) -> Option<&Activation> {
        self.activation.as_ref()
    }

    /// Why nothing was delivered.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Whether the host must keep the text when it prunes its conversation: it holds a body.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        matches!(self.status, Status::New | Status::Changed)
    }
}

fn deliver_body(
    library: &Library,
    skill: &Arc<Skill>,
    origin: Origin,
    arguments: &str,
    ledger: &mut Ledger,
    placement: String,
) -> Result<Delivery, Error> {
    if origin == Origin::Model {
        ledger.permit_model(skill.id())?;
    }
    let Rendered { activation, text: wrapped, .. } = render_body(library, skill, origin)?;
    let status = record(library, ledger, &activation, &wrapped, &placement);
    let mut text = match status {
        Status::AlreadyResident => resident_note(&activation),
        Status::Changed => format!("{}{wrapped}", superseding_note(skill)),
        _ => wrapped,
    };
    if !arguments.is_empty() {
        text.push_str(&format!(
            "<skill_arguments>{}</skill_arguments>\n",
            harmless(arguments).replace("</skill_arguments", "&lt;/skill_arguments")
        ));
    }
    Ok(Delivery { status, text, activation: Some(activation), error: None })
}

/// Tells the ledger of an activation, and finds out whether the body is needed.
fn record(
    library: &Library,
    ledger: &mut Ledger,
    activation: &Activation,
    text: &str,
    placement: &str,
) -> Status {
    let Activation { skill, digest, .. } = activation;
    let status = match ledger.current(skill.id()) {
        Some(receipt) if receipt.digest == *digest => Status::AlreadyResident,
        Some(_) => Status::Changed,
        None => Status::New,
    };
    ledger.activated(skill, library.call_name(skill));
    if status != Status::AlreadyResident {
        ledger.deliver(&Entry {
            skill: skill.id(),
            digest,
            placement,
            text,
            proof: None,
            kind: ReceiptKind::Delivered,
            at: ledger.clock,
        });
    }
    status
}

/// A body as it is delivered, and what it was read from.
pub(crate) struct Rendered {
    pub(crate) activation: Activation,
    /// The wrapped body.
    pub(crate) text: String,
    pub(crate) body: Body,
}

/// Reads a body as it is now, and wraps it.
pub(crate) fn render_body(library: &Library, skill: &Arc<Skill>, origin: Origin) -> Result<Rendered, Error> {
    let body = read_body(library, skill, origin)?;
    let Resources { files, total, .. } = library.source().resources(skill.directory(), LISTED_RESOURCES);
    let activation = Activation {
        skill: skill.clone(),
        digest: body.digest.clone(),
        resources: files,
        resources_total: total,
    };
    Ok(Rendered { text: wrap(&activation, &body.text), activation, body })
}

/// A body alone, and where it lies in its file.
pub(crate) struct Body {
    pub(crate) text: String,
    digest: String,
    /// The offset in bytes at which it begins.
    pub(crate) start: u64,
    /// The line in which it begins; the first is 1.
    pub(crate) first_line: u64,
    /// The size of the file in bytes.
    pub(crate) size: u64,
}

/// Reads the file as it is now. What its frontmatter says of the model holds from now on, too.
fn read_body(library: &Library, skill: &Skill, origin: Origin) -> Result<Body, Error> {
    let file = library.read_skill_file(skill, library.max_body().saturating_add(MAX_HEAD))?;
    let parsed = parse::parse(&file.bytes, skill.location());
    if let Some(code @ (Code::MissingFrontmatter | Code::LinkAsText)) = parsed.invalid {
        let message = format!("`{}` is no skill any more: {code}", display_path(skill.location()));
        return Err(Error::new(ErrorKind::UnknownSkill, message).with_path(skill.location()));
    }
    let size = file.size.saturating_sub(parsed.body as u64);
    if size > library.max_body() || file.size > file.bytes.len() as u64 {
        let (limit, name) = (library.max_body(), skill.name());
        let message = format!("the body of skill `{name}` has {size} bytes; the limit is {limit}");
        return Err(Error::new(ErrorKind::BodyTooLarge, message).with_path(skill.location()));
    }
    let digest = digest(&file.bytes);
    library.checked(skill, Ok(()), |()| {
        vec![(skill.location().to_path_buf(), Fingerprint { digest: digest.clone(), size: file.size })]
    })?;
    if parsed.frontmatter.disable_model_invocation {
        may_activate(skill, skill.visibility().max(Visibility::UserOnly), origin)?;
    }
    Ok(Body {
        text: parse::body(&file.bytes, parsed.body),
        digest,
        start: parsed.body as u64,
        first_line: line_at(&file.bytes, parsed.body),
        size: file.size,
    })
}

/// The number of the line at an offset.
fn line_at(bytes: &[u8], offset: usize) -> u64 {
    1 + bytes.iter().take(offset).filter(|byte| **byte == b'\n').count() as u64
}

/// `sha256:` and 64 hex digits over the bytes.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    digest_text(&Sha256::digest(bytes))
}

/// A hash in the form of a digest.
pub(crate) fn digest_text(hash: &[u8]) -> String {
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn wrap(activation: &Activation, body: &str) -> String {
    let Activation { skill, digest, resources, resources_total } = activation;
    let body = harmless(body);
    let name = escape(&one_line(skill.name())).replace('"', "&quot;");
    let directory = harmless(&one_line(&display_path(skill.directory())));
    let line_end = if body.ends_with('\n') { "" } else { "\n" };
    let listing = listing(resources, *resources_total);
    format!(
        "<skill_content name=\"{name}\" digest=\"{digest}\">\n{body}{line_end}\n\
         Skill directory: {directory}\n\
         Relative paths in this skill resolve against the skill directory, not against the working directory.\n\
         {listing}</skill_content>\n"
    )
}

/// The text unchanged, but for tags that would close or open the wrapper: a model uses paths as they stand here.
fn harmless(text: &str) -> String {
    WRAPPER_TAGS.iter().fold(text.to_owned(), |text, tag| text.replace(tag, &tag.replace('<', "&lt;")))
}

fn listing(resources: &[Resource], total: usize) -> String {
    if total == 0 {
        return String::new();
    }
    let files: String =
        resources.iter().map(|file| format!("{}\n", harmless(&one_line(&file.path)))).collect();
    let more = match total.saturating_sub(resources.len()) {
        0 => String::new(),
        more => format!("({more} more)\n"),
    };
    format!("<skill_resources>\n{files}{more}</skill_resources>\n")
}

fn resident_note(activation: &Activation) -> String {
    format!(
        "Skill `{}` ({}) is in this conversation already, unchanged. Follow its text above.\n",
        name_in_note(&activation.skill),
        activation.digest
    )
}

fn superseding_note(skill: &Skill) -> String {
    format!(
        "Skill `{}` has changed since it was activated. The text below supersedes the earlier one.\n",
        name_in_note(skill)
    )
}

/// A note stays short, however long the name is.
fn name_in_note(skill: &Skill) -> String {
    harmless(&one_line(skill.name()).chars().take(MAX_NAME).collect::<String>())
}

fn deliver_resource(
    library: &Library,
    skill: &Skill,
    origin: Origin,
    path: &str,
    range: ByteRange,
    ledger: &mut Ledger,
) -> Result<Delivery, Error> {
    if origin == Origin::Model {
        ledger.permit_model(skill.id())?;
    }
    let range = ByteRange { length: range.length.max(LONGEST_CHARACTER), ..range };
    let part = library.resource(skill, path, range)?;
    ledger.read(skill.id(), library.call_name(skill), &part.path);
    let text = resource::render(skill, &part);
    Ok(Delivery { status: Status::Resource, text, activation: None, error: None })
}

fn refusal(error: Error) -> Delivery {
    let why = harmless(&one_line(&error.to_string()));
    let stop = if why.ends_with('?') { "" } else { "." };
    let text = format!("Nothing was delivered: {why}{stop}\n");
    Delivery { status: Status::Denied, text, activation: None, error: Some(error) }
}
