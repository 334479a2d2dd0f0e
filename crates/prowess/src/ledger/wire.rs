//! A snapshot as JSON.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{CatalogPlace, Known, Ledger, Presence, Receipt, ReceiptKind, Snapshot, Standing, State};
use crate::error::{Error, ErrorKind};

/// The version this crate writes, and the newest it reads.
const VERSION: u64 = 1;
/// Counts stay far enough below the end of their type to go on counting.
const MOST: u64 = u64::MAX / 2;

const STANDINGS: [Standing; 4] = [Standing::Active, Standing::Finished, Standing::Off, Standing::Withdrawn];
const KINDS: [ReceiptKind; 4] =
    [ReceiptKind::Delivered, ReceiptKind::Observed, ReceiptKind::Reattached, ReceiptKind::Stub];
const PRESENCES: [(Presence, &str); 3] =
    [(Presence::Pending, "pending"), (Presence::Present, "present"), (Presence::Gone, "gone")];

impl Snapshot {
    /// The snapshot as JSON: an object with the key `prowess_session`, which is the version of the format.
    ///
    /// ```
    /// use prowess::{Ledger, ledger::{Snapshot, Texts}};
    ///
    /// let snapshot = Ledger::new().snapshot(Texts::Included);
    /// assert_eq!(Snapshot::from_json(&snapshot.to_json())?, snapshot);
    /// # Ok::<(), prowess::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let ledger = &self.0;
        let mut texts = Numbered::default();
        let receipts: Vec<Value> =
            ledger.receipts.iter().map(|receipt| write_receipt(receipt, &mut texts)).collect();
        let mut skills: Vec<(&String, &Known)> = ledger.skills.iter().collect();
        skills.sort_unstable_by_key(|(id, _)| *id);
        let skills: Vec<Value> = skills.into_iter().map(|(id, known)| write_skill(id, known)).collect();
        json!({
            "prowess_session": VERSION,
            "clock": ledger.clock,
            "turn": ledger.turn,
            "pins": ledger.pins,
            "catalog": ledger.catalog.as_ref().map(|catalog| json!({
                "placement": catalog.placement,
                "present": catalog.is_present,
            })),
            "skills": skills,
            "receipts": receipts,
            "texts": texts.in_order,
        })
        .to_string()
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// `Usage` if it is no JSON (a truncated file), no session, of a newer version, or inconsistent.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| usage(format!("the session is no JSON: {error}")))?;
        let object = value.as_object().ok_or_else(|| usage("this is no session: not a JSON object"))?;
        match object.get("prowess_session").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(usage(format!(
                    "the session is of version {version}; this program reads up to version {VERSION}"
                )));
            }
            None => return Err(usage("this is no session: `prowess_session` is missing")),
        }
        read(&Fields(object)).map(Self)
    }
}

/// Each text once, with its number.
#[derive(Default)]
struct Numbered {
    numbers: HashMap<Arc<str>, usize>,
    in_order: Vec<String>,
}

impl Numbered {
    fn number(&mut self, text: &Arc<str>) -> usize {
        *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.in_order.push(text.to_string());
            self.in_order.len() - 1
        })
    }
}

fn write_skill(id: &str, known: &Known) -> Value {
    json!({
        "id": id,
        "name": known.name,
        "standing": known.standing.as_str(),
        "entered": known.entered,
        "listed": known.was_listed,
        "attempt": known.attempt,
        "reads": known.reads,
    })
}

fn write_receipt(receipt: &Receipt, texts: &mut Numbered) -> Value {
    let presence = PRESENCES.iter().find(|(presence, _)| *presence == receipt.presence);
    json!({
        "skill": receipt.skill,
        "digest": receipt.digest,
        "placement": receipt.placement,
        "text": texts.number(&receipt.text),
        "proof": receipt.proof.as_ref().map(|text| texts.number(text)),
        "kind": receipt.kind.as_str(),
        "presence": presence.map(|(_, word)| *word),
        "doubtful": receipt.doubtful,
        "turn": receipt.turn,
        "at": receipt.at,
    })
}

fn read(fields: &Fields<'_>) -> Result<Ledger, Error> {
    let mut ledger = Ledger {
        clock: fields.number("clock")?,
        turn: fields.number("turn")?,
        pins: fields.texts("pins")?.into_iter().collect(),
        catalog: read_catalog(fields)?,
        ..Ledger::default()
    };
    for skill in fields.objects("skills")? {
        ledger.skills.insert(skill.text("id")?.to_owned(), read_skill(&skill)?);
    }
    let texts: Vec<Arc<str>> = fields.texts("texts")?.into_iter().map(Arc::from).collect();
    for receipt in fields.objects("receipts")? {
        let receipt = read_receipt(&receipt, &texts)?;
        let index = ledger.receipts.len();
        let known = ledger.skills.get_mut(&receipt.skill);
        let known = known.ok_or_else(|| usage(format!("the session has no skill `{}`", receipt.skill)))?;
        known.receipts.push(index);
        ledger.places.entry(receipt.placement.clone()).or_default().push(index);
        ledger.clock = ledger.clock.max(receipt.at);
        ledger.receipts.push(receipt);
    }
    ledger.know_texts();
    ledger.settle_all();
    Ok(ledger)
}

fn read_catalog(fields: &Fields<'_>) -> Result<Option<CatalogPlace>, Error> {
    match fields.0.get("catalog") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(catalog)) => {
            let catalog = Fields(catalog);
            Ok(Some(CatalogPlace {
                placement: catalog.text("placement")?.to_owned(),
                is_present: catalog.flag("present")?,
            }))
        }
        Some(_) => Err(wrong("catalog")),
    }
}

fn read_skill(fields: &Fields<'_>) -> Result<Known, Error> {
    let mut known = Known::new();
    fields.text("name")?.clone_into(&mut known.name);
    known.standing = fields.word("standing", &STANDINGS, Standing::as_str)?;
    known.entered = fields.flag("entered")?;
    known.was_listed = fields.flag("listed")?;
    known.attempt = fields.number("attempt")?;
    known.reads = fields.texts("reads")?;
    Ok(known)
}

fn read_receipt(fields: &Fields<'_>, texts: &[Arc<str>]) -> Result<Receipt, Error> {
    let text = |key: &str| match fields.0.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(number) => {
            let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
            let text = number.and_then(|number| texts.get(number));
            text.cloned().map(Some).ok_or_else(|| wrong(key))
        }
    };
    Ok(Receipt {
        skill: fields.text("skill")?.to_owned(),
        digest: fields.text("digest")?.to_owned(),
        placement: fields.text("placement")?.to_owned(),
        text: text("text")?.unwrap_or_else(|| "".into()),
        state: State::Pending,
        kind: fields.word("kind", &KINDS, ReceiptKind::as_str)?,
        turn: fields.number("turn")?,
        proof: text("proof")?,
        presence: fields.word("presence", &PRESENCES, |(_, word)| word)?.0,
        doubtful: fields.flag("doubtful")?,
        at: fields.number("at")?,
    })
}

struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn text(&self, key: &str) -> Result<&'a str, Error> {
        self.0.get(key).and_then(Value::as_str).ok_or_else(|| wrong(key))
    }

    /// A count, far enough from the end of its type to go on counting.
    fn number(&self, key: &str) -> Result<u64, Error> {
        let number = self.0.get(key).and_then(Value::as_u64);
        number.filter(|number| *number < MOST).ok_or_else(|| wrong(key))
    }

    fn flag(&self, key: &str) -> Result<bool, Error> {
        self.0.get(key).and_then(Value::as_bool).ok_or_else(|| wrong(key))
    }

    fn array(&self, key: &str) -> Result<&'a [Value], Error> {
        let array = self.0.get(key).and_then(Value::as_array);
        array.map(Vec::as_slice).ok_or_else(|| wrong(key))
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, Error> {
        let text = |item: &Value| item.as_str().map(ToOwned::to_owned).ok_or_else(|| wrong(key));
        self.array(key)?.iter().map(text).collect()
    }

    fn objects(&self, key: &str) -> Result<Vec<Fields<'a>>, Error> {
        let object = |item: &'a Value| item.as_object().map(Fields).ok_or_else(|| wrong(key));
        self.array(key)?.iter().map(object).collect()
    }

    fn word<T: Copy>(&self, key: &str, all: &[T], word: impl Fn(T) -> &'static str) -> Result<T, Error> {
        let given = self.text(key)?;
        let meant = all.iter().copied().find(|value| word(*value) == given);
        meant.ok_or_else(|| wrong(key))
    }
}

fn wrong(key: &str) -> Error {
    usage(format!("the session is damaged: `{key}` is missing or wrong"))
}

fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}
