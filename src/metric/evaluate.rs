//! Evaluation: turns outcomes and a card's tables into results.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;

use super::budgets::budgets;
use super::calibration::calibrations;
use super::compute::variant_pairs;
use super::constant::Constants;
use super::linked::linked;
use super::none_of_these::none_of_these;
use super::order_effects::order_effects;
use super::raters::raters;
use super::reminders::reminded;
use super::replies::{is_unread, reply_results};
use super::reply_length::reply_lengths;
use super::respondent::Respondent;
use super::results::{Cell, Counts, Listing, Results, TableResult};
use super::shortcut::shortcuts;
use super::swaps::{SWAP_MARGIN, swaps};
use super::table::{Presentation, table_result};
use super::unseen::unseen;
use super::variance::sources;
use super::world::{Group, Population, World};
use super::wrong_choices::wrong_choices;
use super::{Filter, Layout, Outcome};
use crate::answer::Ties;
use crate::benchmark::{Answer, Benchmark, Item};
use crate::prompt::Condition;

/// Context of the outcomes.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The benchmark's name.
    pub benchmark: Benchmark,
    /// The benchmark's name in running text.
    pub title: &'a str,
    /// The respondent.
    pub by: Respondent<'a>,
    /// All items of the data in the relevant languages, run or not; they decide which stories are complete.
    pub items: &'a [Item],
    /// The card's tables.
    pub layout: &'a Layout,
    /// Seed of the resampling for intervals.
    pub seed: u64,
}

/// Computes the results of `outcomes`. A pure function: equal inputs give identical results.
pub fn evaluate<'a>(setting: &Setting<'_>, outcomes: impl IntoIterator<Item = &'a Outcome<'a>>) -> Results {
    let outcomes: Vec<&Outcome<'_>> = outcomes.into_iter().collect();
    let population = Population::new(setting.items, setting.layout.stratum.as_deref());
    let blank = blank(setting.items, &outcomes);
    let mut presentations = presentations(&population, outcomes.iter().copied(), &blank);
    let mut constants: IndexMap<Option<Condition>, Arc<Constants<'_>>> = IndexMap::new();
    for presentation in &mut presentations {
        let condition =
            Condition::of_presentation(presentation.worlds.first().and_then(|world| world.presentation().1));
        let built = constants.entry(condition).or_insert_with(|| Arc::new(Constants::new(setting.items, condition)));
        presentation.constants = Some(Arc::clone(built));
    }
    let mut tables = tables(setting, &presentations);
    tables.iter_mut().for_each(|table| table.combine(&IndexMap::new()));
    let bounds: [(fn(&Outcome<'_>) -> bool, fn(&mut Cell) -> &mut Option<f64>); 2] =
        [(|outcome| outcome.failed(), |cell| &mut cell.if_failed_right), (is_unread, |cell| &mut cell.if_unread_right)];
    for (open, bound) in bounds {
        if outcomes.iter().any(|outcome| open(outcome)) {
            let granted: Vec<Outcome<'_>> = outcomes.iter().map(|outcome| granted(outcome, open)).collect();
            let presentations = self::presentations(&population, &granted, &[]);
            note_bound(&mut tables, self::tables(setting, &presentations), bound);
        }
    }
    let Layout { links, twins, .. } = setting.layout;
    let linked = linked((links, twins), setting.items, &presentations, setting.by);
    Results {
        benchmark: setting.benchmark,
        title: setting.title.to_string(),
        label: setting.by.label.to_string(),
        counts: counts(setting.items, &outcomes),
        tables,
        order_effects: presentations.iter().flat_map(|each| effects(&each.all(), setting)).collect(),
        none_of_these: none_of_these(&outcomes, setting.by),
        unseen: unseen(&outcomes, setting.by),
        budgets: budgets(&outcomes, setting.by),
        reply_length: reply_lengths(&outcomes, setting.by),
        variance: sources(&outcomes, setting.by, setting.seed, false),
        options: Vec::new(),
        swaps: swaps(&outcomes, setting.layout.stratum.as_deref(), setting.by, SWAP_MARGIN),
        reminded: reminded(&outcomes, setting.by),
        wrong_choices: wrong_choices(&outcomes, setting.by),
        perspective: Vec::new(),
        calibration: presentations.iter().flat_map(|each| calibrations(&each.all(), setting.by)).collect(),
        label_mass: Vec::new(),
        replies: reply_results(&outcomes, setting.by),
        agreement: Vec::new(),
        raters: raters(&outcomes, setting.by),
        linked,
        listings: presentations
            .iter()
            .flat_map(|each| &each.worlds)
            .filter_map(|world| cultural_falls(world, setting.by))
            .collect(),
        notes: setting.layout.notes.clone(),
        shortcuts: shortcuts(setting.items, &setting.layout.strata).into_iter().filter(|it| it.is_shortcut).collect(),
        unread_rows: Vec::new(),
        changed_data: Vec::new(),
    }
}

/// For each style and condition with another number of outcomes than items: each item once, unanswered.
fn blank<'a>(items: &'a [Item], outcomes: &[&Outcome<'_>]) -> Vec<Outcome<'a>> {
    let mut counts: IndexMap<(&str, Option<&str>), usize> = IndexMap::new();
    for outcome in outcomes {
        *counts.entry((&outcome.style, outcome.condition.as_deref())).or_default() += 1;
    }
    let of = |(style, condition): (&str, Option<&str>)| {
        let condition = condition.map(str::to_string);
        let blank = |item| Outcome::new(item, style, condition.clone(), Vec::new(), Ties::default());
        items.iter().map(blank).collect::<Vec<_>>()
    };
    counts
        .into_iter()
        .filter(|(_, count)| *count != items.len())
        .flat_map(|(presentation, _)| of(presentation))
        .collect()
}

/// Outcomes by style and condition, in order of first occurrence, then by respondent: a model, or people.
fn presentations<'a>(
    population: &'a Population<'a>,
    outcomes: impl IntoIterator<Item = &'a Outcome<'a>>,
    blank: &'a [Outcome<'a>],
) -> Vec<Presentation<'a>> {
    let mut presentations: IndexMap<(&str, Option<&str>), IndexMap<Option<&str>, Vec<&Outcome<'_>>>> = IndexMap::new();
    for outcome in outcomes {
        let raters = presentations.entry((&outcome.style, outcome.condition.as_deref())).or_default();
        raters.entry(outcome.rater.as_deref()).or_default().push(outcome);
    }
    let of = |(presentation, raters): ((&str, Option<&str>), IndexMap<Option<&str>, Vec<&'a Outcome<'a>>>)| {
        let same = |outcome: &&Outcome<'_>| (outcome.style.as_str(), outcome.condition.as_deref()) == presentation;
        let blank: Vec<&Outcome<'_>> = blank.iter().filter(same).collect();
        Presentation {
            worlds: raters.into_values().map(|outcomes| World::new(population, outcomes)).collect(),
            whole: (!blank.is_empty()).then(|| World::new(population, blank)),
            constants: None,
        }
    };
    presentations.into_iter().map(of).collect()
}

fn tables(setting: &Setting<'_>, presentations: &[Presentation<'_>]) -> Vec<TableResult> {
    let tables = setting.layout.tables.iter();
    tables
        .map(|table| table_result(table, presentations, setting.by, setting.seed))
        .filter(|table| !table.rows.is_empty())
        .collect()
}

/// The outcome with its item counted as answered rightly if `open` holds.
fn granted<'a>(outcome: &Outcome<'a>, open: fn(&Outcome<'_>) -> bool) -> Outcome<'a> {
    let choice = if open(outcome) { Some(outcome.item.gold.clone()) } else { outcome.choice.clone() };
    let Outcome { item, style, condition, rater, irrelevant, tied, ties, .. } = outcome;
    let (style, condition, rater) = (style.clone(), condition.clone(), rater.clone());
    Outcome {
        item,
        style,
        condition,
        rater,
        irrelevant: *irrelevant,
        trials: Vec::new(),
        choice,
        tied: *tied,
        ties: *ties,
    }
}

/// Records in each cell the value with the granted outcomes, if it differs.
fn note_bound(tables: &mut [TableResult], granted: Vec<TableResult>, bound: fn(&mut Cell) -> &mut Option<f64>) {
    let cells = |table: TableResult| table.rows.into_iter().flat_map(|row| row.cells);
    for (table, granted) in tables.iter_mut().zip(granted) {
        for (cell, granted) in table.rows.iter_mut().flat_map(|row| &mut row.cells).zip(cells(granted)) {
            *bound(cell) = granted.value.filter(|_| granted.value != cell.value);
        }
    }
}

fn counts(items: &[Item], outcomes: &[&Outcome<'_>]) -> Counts {
    let mut failures: IndexMap<String, usize> = IndexMap::new();
    let trials = || outcomes.iter().flat_map(|outcome| &outcome.trials);
    for failure in trials().filter_map(|trial| trial.failure.as_ref()) {
        *failures.entry(failure.clone()).or_default() += 1;
    }
    failures.sort_unstable_keys();
    let mut flags: IndexMap<String, usize> = IndexMap::new();
    for flag in outcomes.iter().flat_map(|outcome| &outcome.item.flags) {
        *flags.entry(flag.name.to_string()).or_default() += 1;
    }
    flags.sort_unstable_keys();
    let right = outcomes.iter().filter(|outcome| outcome.is_right()).count();
    let unanswered = outcomes.iter().filter(|outcome| outcome.choice.is_none()).count();
    let share = |part: usize| part as f64 / outcomes.len() as f64 * 100.0;
    Counts {
        items_in_data: items.len(),
        items: outcomes.len(),
        questions: outcomes.iter().map(|outcome| &outcome.item.parallel).collect::<HashSet<_>>().len(),
        trials: trials().count(),
        draws: trials().map(|trial| trial.count).sum(),
        unanswered,
        failed_items: outcomes.iter().filter(|outcome| outcome.failed()).count(),
        ties: outcomes.iter().filter(|outcome| outcome.tied).count(),
        tied_trials: trials().filter(|trial| trial.tied).count(),
        failures,
        flags,
        accuracy_bounds: (!outcomes.is_empty()).then(|| (share(right), share(right + unanswered))),
    }
}

fn effects(outcomes: &[&Outcome<'_>], setting: &Setting<'_>) -> Vec<super::OrderEffects> {
    let mut groups: IndexMap<(&str, usize), Vec<&Outcome<'_>>> = IndexMap::new();
    let single = |outcome: &&Outcome<'_>| matches!(outcome.item.gold, Answer::Single(_)) && !outcome.failed();
    for outcome in outcomes.iter().copied().filter(single) {
        groups.entry((outcome.item.language.code(), outcome.item.options.len())).or_default().push(outcome);
    }
    groups.sort_by(|(language, options), _, (other_language, other_options), _| {
        language.cmp(other_language).then(options.cmp(other_options))
    });
    groups.into_values().map(|outcomes| order_effects(&outcomes, setting.by, setting.seed)).collect()
}

/// Questions that are right in the direct variant and wrong in the cultural one.
fn cultural_falls(world: &World<'_>, by: Respondent<'_>) -> Option<Listing> {
    let all = Filter::default();
    let group = Group::new(world, vec![&all], &[]);
    let pairs: Vec<_> = variant_pairs(&group).collect();
    let ids = pairs.iter().filter(|pair| pair.falls()).map(|pair| pair.cultural.item.id.clone()).collect();
    let (style, condition) = world.presentation();
    (!pairs.is_empty()).then(|| Listing {
        id: "direct-right-cultural-wrong".to_string(),
        title: "Right when translated directly, wrong in the cultural variant".to_string(),
        header: by.header(style, condition),
        ids,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answered, cells, check, check_none, failed, item, outcomes, results};
    use super::*;

    #[test]
    fn values_are_means_over_people_and_measures_of_stories_stay_within_a_person() {
        let named = [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"), ("c1", "c")];
        let items: Vec<Item> = named.map(|(id, story)| item(id, story, &[("task", "t")])).to_vec();
        let by = |rater: &str, items, right| -> Vec<Outcome<'_>> {
            outcomes(items, right).into_iter().map(|outcome| outcome.of_rater(Some(rater.into()))).collect()
        };
        // The second person got only one story, and nobody the last item.
        let all = [by("p1", &items[..4], &[true, true, true, false]), by("p2", &items[..2], &[true, false])].concat();
        let found = cells(&items, &all, "{name='all'}, {name='whole', measure='coherent'}");
        check(&found[0], (75.0 + 50.0) / 2.0, 6);
        assert_eq!(found[0].interval_by, Some(crate::metric::IntervalBy::People));
        // Complete stories: of p1 story a and not b; of p2 not a.
        check(&found[1], 50.0 / 2.0, 3);
        let results = results(&items, &all, "");
        let [people] = &results.raters[..] else { panic!("one presentation") };
        assert_eq!(people.raters.iter().map(|it| (it.items, it.accuracy)).collect::<Vec<_>>(), [(4, 75.0), (2, 50.0)]);
        assert_eq!((people.agreement.units, people.agreement.same), (2, Some(50.0)));
        let row = &results.tables[0].rows[0];
        assert_eq!((results.tables[0].rows.len(), row.part.map(|part| (part.asked, part.of))), (1, Some((4, 5))));
    }

    #[test]
    fn what_failed_is_counted_apart_from_what_is_wrong() {
        let items: Vec<Item> = ["a", "b", "c", "d"].map(|id| item(id, id, &[("task", id)])).to_vec();
        let mut outcomes = outcomes(&items, &[true, true, false, true]);
        outcomes[3] = failed(&items[3]);
        let columns =
            "{name='all'}, {name='a', where={task='a'}}, {name='d', where={task='d'}}, {name='m', mean=['a', 'd']}";
        let found = cells(&items, &outcomes, columns);
        check(&found[0], 50.0, 4);
        assert_eq!(found[0].if_failed_right, Some(75.0));
        check(&found[1], 100.0, 1);
        assert_eq!(found[1].if_failed_right, None, "nothing of it failed");
        check_none(&found[2], "none of its items could be asked");
        assert_eq!(found[2].if_failed_right, Some(100.0));
        check_none(&found[3], "no value for d");
        let results = results(&items, &outcomes, "");
        assert_eq!((results.counts.failed_items, results.counts.unanswered), (1, 1));
        assert_eq!(results.order_effects[0].items, 3);
        // An answer that was not found in a reply counts as wrong, as papers score it.
        outcomes[3] = answered(&items[3], None);
        let found = cells(&items, &outcomes, columns);
        check(&found[2], 0.0, 1);
        assert_eq!(found[0].if_failed_right, None);
    }
}
