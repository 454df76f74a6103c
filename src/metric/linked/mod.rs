//! Questions that belong together. A card links items of one story by what they ask ([`Link`]): how often the second is
//! right where the first is, and whether both answers fit together; and it names twins ([`Twins`]): versions of one
//! question, of which each is told apart by the edit that makes it.
//!
//! What is found is an association of answers. It does not say that one answer was used for the other.

mod association;
mod consistency;
mod pairs;
mod texts;
mod twins;

use super::figure::adjust;
use super::link::{Link, Twins};
use super::linked_answers::Linked;
use super::respondent::Respondent;
use super::table::Presentation;
use super::world::{World, row_keys};
use crate::benchmark::{Filter, Item};
use pairs::{Roles, pairs};
pub use texts::{TwinTexts, TwinTextsOfVersion, twin_texts, twin_texts_by_version};

/// The results of all links and twins, for each style and condition. Answers of several people are pooled.
pub(super) fn linked(
    (links, twins): (&[Link], &[Twins]),
    items: &[Item],
    presentations: &[Presentation<'_>],
    by: Respondent<'_>,
) -> Linked {
    let mut found = Linked::default();
    let mut roles = Roles::default();
    for presentation in presentations {
        let worlds = &presentation.worlds;
        let Some((style, condition)) = worlds.first().map(World::presentation) else { continue };
        let header = by.header(style, condition);
        let of_presentation = found.links.len();
        for link in links {
            for key in row_keys(worlds, &link.rows, &Filter::default()) {
                let pairs = pairs(link, worlds, &key, &mut roles);
                found.links.extend(association::result(link, header.clone(), &key, &pairs));
            }
        }
        adjust(found.links[of_presentation..].iter_mut().map(|link| &mut link.within_gold_p));
        for each in twins {
            let of_twins = found.twins.len();
            for key in row_keys(worlds, &each.rows, &Filter::default()) {
                found.twins.extend(twins::result(each, header.clone(), &key, items, worlds));
            }
            adjust(found.twins[of_twins..].iter_mut().flat_map(|each| &mut each.parts).map(|part| &mut part.change_p));
        }
    }
    found
}
