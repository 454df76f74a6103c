//! A page of one file with some items of a folder.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::AnalysisError;
use super::lines::read_lines;
use super::manifest::FolderManifest;
use super::results::whole;
use crate::attend::over_cases::Collected;
use crate::attend::results::{Basis, conclusions};
use crate::attend::view::html_of_stored;
use crate::ledger::present_manifest;
use crate::name::nearest;
use crate::safe_text::for_terminal;

/// Renders a self-contained page of the prompts of these items, in the order of the folder, which must be complete. It
/// concludes as the page of the folder does: p-values are adjusted over all prompts of the analysis.
pub fn single_file(folder: &Path, items: &[String]) -> Result<String, AnalysisError> {
    let (manifest, _) = present_manifest::<FolderManifest>(folder)?;
    let mut document = manifest.settings.document(vec![manifest.model.record.clone()]);
    let (inside, grouping) = (&manifest.settings.inside, manifest.settings.grouping());
    let mut collected = Collected::new(inside, grouping);
    let (mut bases, mut chosen, mut maps) = (Vec::new(), Vec::new(), Vec::new());
    let (mut known, mut failures) = (Vec::new(), Vec::new());
    let mut lines = read_lines(folder, &manifest)?;
    while lines.next_known()?.is_some() {
        let line = lines.item()?;
        let first = bases.len();
        if inside.witness {
            line.cases.iter().for_each(|case| collected.add(case, &document.models));
        }
        bases.extend(line.cases.iter().map(|case| Basis::new(case, manifest.settings.method.keywords)));
        if items.contains(&line.item) {
            chosen.extend(first..bases.len());
            document.contrasts.extend(line.contrasts.iter().map(|contrast| contrast.after(document.cases.len())));
            document.cases.extend(line.cases);
            maps.extend(line.maps);
            failures.extend(line.failures.into_iter().map(|why| format!("{}: {why}.", line.item)));
        }
        known.push(line.item);
    }
    whole(folder, &manifest, known.len())?;
    if let Some(item) = items.iter().find(|item| !known.contains(item)) {
        let like = nearest(item, known.iter().map(String::as_str));
        let like = like.map_or(String::new(), |like| format!("; did you mean {}?", for_terminal(like)));
        return Err(AnalysisError::Parts(format!("{}: no item {}{like}", folder.display(), for_terminal(item))));
    }
    let mut found = conclusions(&bases);
    let mut strips = match inside.witness {
        true => collected.add_to(&mut manifest.settings.document(document.models.clone()), &[]),
        false => Vec::new(),
    };
    for (case, place) in document.cases.iter_mut().zip(chosen) {
        case.conclusion = found[place].take();
        if let Some(strip) = strips.get_mut(place) {
            case.take_chances(std::mem::take(&mut strip.each));
        }
    }
    let (some, all) = (items.iter().collect::<BTreeSet<_>>().len(), known.len());
    document.notes.push(format!("{some} of the {all} items of an analysis; p is adjusted over the prompts of all."));
    document.notes.extend(failures);
    Ok(html_of_stored(&document, &maps)?)
}
