//! The small document with roles, heads and sensitivity.

use super::examples::document;
use crate::attend::results::{
    Case, ContributionsRecord, DifferenceRecord, DifferencesRecord, Document, HeadMapRecord, LabelCount, LeftOutRecord,
    MatchedPairQuantityRecord, MatchedPairsRecord, RoleMeansRecord, RoleRecord, RolesRecord, SensitivityGroupRecord,
    SensitivityRecord, TopHeadsCaseRecord, TopHeadsMeansRecord, TopHeadsRecord, WithinRecord,
};
use crate::benchmark::Role;
use crate::language::Language;

fn roles() -> RolesRecord {
    let role = |role: Role, names: &[&str], story: f64| RoleRecord {
        role,
        names: names.iter().map(|name| name.to_string()).collect(),
        words: vec![2],
        mentions: names.len(),
        story,
        question: 0.125,
        options: 0.25,
        heads: vec![0.1, 0.2, 0.3, 0.4],
    };
    RolesRecord {
        source: "author".into(),
        absent: None,
        detail: None,
        belief: Some(false),
        order: None,
        form: None,
        missing: vec!["a_basket".into()],
        roles: vec![role(Role::Believed, &["box"], 0.0625), role(Role::Agent, &["Mia", "Tom"], 0.5)],
    }
}

/// Two strata compared, and one left out.
fn within() -> WithinRecord {
    let left = LeftOutRecord { stratum: "x_y, English, 2 options".into(), items: (3, 0) };
    WithinRecord { strata: 2, items: (12, 14), stories: (8, 9), left_out: vec![left], reason: None }
}

/// One quantity with a comparison, and one without.
pub(crate) fn differences() -> DifferencesRecord {
    let compared = DifferenceRecord {
        quantity: "first of_it".into(),
        unit: "share".into(),
        within: within(),
        first: Some(0.25),
        second: Some(0.125),
        difference: Some(0.125),
        interval: Some((-0.0625, 0.3125)),
        p: Some(0.1),
        holm: Some(0.2),
    };
    let reason = Some("4 stories of wrong answers in strata that have both groups; 5 are needed".to_string());
    let not = DifferenceRecord {
        quantity: "second".into(),
        unit: "nats".into(),
        within: WithinRecord { strata: 1, items: (4, 9), stories: (4, 7), left_out: Vec::new(), reason },
        first: None,
        second: None,
        difference: None,
        interval: None,
        p: None,
        holm: None,
    };
    DifferencesRecord {
        model: Some(0),
        groups: ("wrong answers".into(), "right answers".into()),
        quantities: vec![compared, not],
    }
}

/// One prompt with all records, one without roles, and findings over them.
pub(crate) fn with_findings() -> Document {
    let mut document = document();
    let case = &mut document.cases[0];
    case.roles = Some(roles());
    case.contributions = Some(ContributionsRecord {
        first: "A".into(),
        second: "B".into(),
        difference: -1.0,
        embedding: 0.25,
        heads: vec![0.5, -2.0, 0.25, 0.0],
        biases: vec![0.0, 0.0],
        networks: vec![0.5, -0.5],
        heads_per_layer: 2,
        first_tokens_only: false,
    });
    let view = |way: &str, name: &str, jaccard| SensitivityRecord {
        way: way.into(),
        name: name.into(),
        shared: 4,
        jaccard,
        rank_biased_overlap: 0.75,
    };
    case.sensitivity = vec![view("layers", "layers 0-0", 0.25), view("measure", "value", 0.5)];
    case.strongest = vec![TopHeadsCaseRecord {
        chosen: "strongest:1=scope".into(),
        fall: 1.5,
        flips: true,
        random: vec![0.25, 0.5],
        random_flips: 0,
    }];
    let untracked = RolesRecord::absent("stories of x_y are not tracked".into(), None);
    let second =
        Case { item: "test/2/en".into(), roles: Some(untracked), contributions: None, ..document.cases[0].clone() };
    document.cases.push(Case { sensitivity: Vec::new(), strongest: Vec::new(), ..second });
    let found = &mut document.findings;
    found.roles = vec![RoleMeansRecord {
        model: 0,
        role: Role::Believed,
        items: 1,
        stories: 1,
        story: 0.0625,
        interval: None,
        mentions: 1.0,
        per_mention: 0.0625,
        question: 0.125,
        options: 0.25,
    }];
    found.role_differences = vec![differences()];
    found.without_roles = vec![("stories of x_y are not tracked".into(), 1)];
    found.twins = vec![MatchedPairsRecord {
        kind: "story".into(),
        model: 0,
        sides: ("false belief".into(), "true belief".into()),
        pairs: 3,
        stories: 3,
        alone: 1,
        quantities: vec![MatchedPairQuantityRecord {
            quantity: "original-actual".into(),
            pairs: 3,
            first: 0.5,
            second: 0.25,
            difference: 0.25,
            interval: Some((-0.125, 0.625)),
            p: Some(0.1),
            holm: Some(0.2),
        }],
    }];
    found.head_maps = vec![HeadMapRecord {
        quantity: "scope".into(),
        unit: "share of the row".into(),
        model: 0,
        groups: ("wrong answers".into(), "right answers".into()),
        within: within(),
        layers: vec![0, 1],
        heads: 2,
        first: vec![0.5, 0.25, 0.5, 0.0],
        second: vec![0.25, 0.5, 0.5, 0.0],
        difference: vec![0.25, -0.25, 0.0, 0.0],
        p: vec![Some(0.001), Some(0.5), Some(1.0), None],
        holm: vec![Some(0.003), Some(1.0), Some(1.0), None],
        significant: 1,
        labels: vec![LabelCount { label: "A".into(), first: 3, second: 0 }],
        warning: Some("the groups differ in which label is right (A 3 and 0)".into()),
    }];
    found.sensitivity = vec![SensitivityGroupRecord {
        model: 0,
        language: Language::En,
        way: "layers".into(),
        name: "layers 0-0".into(),
        items: 2,
        stories: 2,
        jaccard: 0.375,
        interval: Some((0.125, 0.625)),
        least: 0.25,
        rank_biased_overlap: 0.5,
    }];
    found.strongest = vec![TopHeadsRecord {
        chosen: "strongest:1=scope".into(),
        model: 0,
        heads: vec![(1, 0)],
        values: vec![0.5],
        draws: 2,
        shared: 0.5,
        p: 0.333,
        smallest_p: 0.333,
        all: TopHeadsMeansRecord {
            items: 2,
            stories: 2,
            fall: 1.5,
            interval: Some((1.0, 2.0)),
            random: 0.375,
            difference: 1.125,
            difference_interval: None,
            flips: 1,
            random_flips: 0.0,
        },
        differences: vec![differences()],
    }];
    document
}
