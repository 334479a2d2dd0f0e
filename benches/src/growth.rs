//! How time grows with the number of skills.

use std::hint::black_box;

use prowess::{Catalog, CatalogOptions, Ledger, Library, LoadOptions, Origin, Roots};

use crate::measure::{median, one_of_many};
use crate::table;
use crate::trees;

const SIZES: [usize; 3] = [100, 1_000, 10_000];
const RUNS: usize = 5;

type Work<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// Prints what each operation takes at each size, and the exponent from the middle size to the largest.
pub(crate) fn report() -> Result<(), String> {
    let mut times: Vec<(&str, Vec<f64>)> = Vec::new();
    for (at, size) in SIZES.into_iter().enumerate() {
        let tree = trees::grouped(size).map_err(|error| format!("no tree: {error}"))?;
        let roots = Roots::new().with("project", &tree.root).map_err(|error| error.to_string())?;
        let library = Library::load(&roots, &LoadOptions::new());
        if library.skills().len() != size {
            return Err(format!("{} skills load, not {size}", library.skills().len()));
        }
        for (row, (name, mut work)) in operations(&roots, &library).into_iter().enumerate() {
            let time = median((0..RUNS).map(|_| one_of_many(&mut work)).collect());
            if at == 0 {
                times.push((name, Vec::new()));
            }
            times[row].1.push(time);
        }
    }
    println!(
        "## Growth\n\nCPU milliseconds of one call, median of {RUNS}; the exponent is that from 1,000 to 10,000 skills.\n"
    );
    let row = |(name, times): &(&str, Vec<f64>)| {
        let exponent = format!("{:.2}", (times[2] / times[1]).log10());
        let times = times.iter().map(|time| table::time(*time));
        std::iter::once((*name).to_owned()).chain(times).chain([exponent]).collect()
    };
    table::print(
        &["operation", "100", "1,000", "10,000", "exponent"],
        &times.iter().map(row).collect::<Vec<_>>(),
    );
    Ok(())
}

fn operations<'a>(roots: &'a Roots, library: &'a Library) -> Vec<Work<'a>> {
    let catalog = |options: CatalogOptions| move || _ = black_box(Catalog::build(library, &options));
    let full = Catalog::build(library, &CatalogOptions::new()).tokens();
    let name = library.skills()[library.skills().len() / 2].name();
    let mut resident = Ledger::new();
    drop(library.activate(name, Origin::Model).deliver(&mut resident, "call-1"));
    let mut evicting = resident.clone();
    vec![
        ("load", Box::new(|| _ = black_box(Library::load(roots, &LoadOptions::new())))),
        ("reload, unchanged", Box::new(|| _ = black_box(library.reload()))),
        ("catalog", Box::new(catalog(CatalogOptions::new()))),
        ("catalog within two thirds", Box::new(catalog(CatalogOptions::new().budget(full * 2 / 3)))),
        ("catalog within a tenth", Box::new(catalog(CatalogOptions::new().budget(full / 10)))),
        ("why", Box::new(move || _ = black_box(library.why(name, None)))),
        (
            "activate",
            Box::new(move || {
                let mut ledger = Ledger::new();
                drop(black_box(library.activate(name, Origin::Model).deliver(&mut ledger, "call-1")));
            }),
        ),
        (
            "activate again",
            Box::new(move || {
                drop(black_box(library.activate(name, Origin::Model).deliver(&mut resident, "call-2")));
            }),
        ),
        (
            "evict and activate",
            Box::new(move || {
                evicting.reconcile([""; 0]);
                drop(black_box(library.activate(name, Origin::Model).deliver(&mut evicting, "call-1")));
            }),
        ),
    ]
}
