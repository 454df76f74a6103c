//! From items to trials: item x condition x option order.

use indexmap::IndexMap;

use crate::benchmark::Item;
use crate::prompt::{Condition, DrawnOrder, Order, Pack, PackError, TooManyOrders};

use super::Settings;

/// One item under one condition and option order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// Index of the item.
    pub item: usize,
    /// What is left out, if anything.
    pub condition: Option<Condition>,
    /// The order shown.
    pub order: Order,
    /// How often the policy drew it.
    pub count: usize,
}

/// A list of trials that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// No style of the pack serves an item.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The order policy is not for so many options.
    #[error(transparent)]
    Orders(#[from] TooManyOrders),
}

/// Every trial of a run, by item, condition and first draw of the order.
///
/// Where orders make no difference (options not shown, or asked about one by one) there is one trial in the identity
/// order. A condition that leaves nothing out of an item adds no trial for it.
pub fn trials(items: &[Item], packs: &IndexMap<String, Pack>, settings: &Settings) -> Result<Vec<Trial>, TrialError> {
    let mut trials = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let pack = &packs[&item.benchmark];
        let style = pack.style_for(item, &settings.style, settings.scoring, settings.instructions)?;
        let options = item.options.len();
        let drawn = match style.takes_orders(item, settings.scoring) {
            true => settings.orders.draw(settings.seed, &item.id, options)?,
            false => vec![DrawnOrder { order: Order::identity(options), count: 1 }],
        };
        for &condition in &settings.conditions {
            let changes = condition.is_none_or(|condition| condition.apply(item).context.len() < item.context.len());
            if changes {
                trials.extend(drawn.iter().map(|DrawnOrder { order, count }| Trial {
                    item: index,
                    condition,
                    order: order.clone(),
                    count: *count,
                }));
            }
        }
    }
    Ok(trials)
}
