//! Roles and head maps as CSV.

use crate::attend::results::{Case, Document};
use crate::table::CsvTable;

/// One line per prompt and role. Columns: `item, variant, model, language, right, source, belief, order, role, names,
/// mentions, story, question, options, absent`. Shares are from 0 to 1; `absent` gives the reason why a prompt has no
/// roles, and such a line has no role.
pub fn roles_csv(document: &Document) -> String {
    let mut table = RolesTable::default();
    document.cases.iter().for_each(|case| table.add(case, document));
    table.text()
}

/// Builds the table of roles, prompt by prompt.
pub struct RolesTable(CsvTable);

impl Default for RolesTable {
    fn default() -> Self {
        RolesTable(CsvTable::new(ROLE_COLUMNS))
    }
}

impl RolesTable {
    /// Adds the roles of a prompt; `document` gives the model's name.
    pub fn add(&mut self, case: &Case, document: &Document) {
        let Some(roles) = &case.roles else { return };
        let head = || {
            vec![
                case.item.clone(),
                case.variant.clone(),
                document.models[case.model].name.clone(),
                case.language.code().to_string(),
                case.right.map_or(String::new(), |right| right.to_string()),
                roles.source.clone(),
                roles.belief.map_or(String::new(), |belief| belief.to_string()),
                roles.order.map_or(String::new(), |order| order.to_string()),
            ]
        };
        for role in &roles.roles {
            let tail = [
                role.role.to_string(),
                role.names.join("; "),
                role.mentions.to_string(),
                format!("{:.7}", role.story),
                format!("{:.7}", role.question),
                format!("{:.7}", role.options),
                String::new(),
            ];
            self.0.line(head().into_iter().chain(tail));
        }
        if let Some(reason) = roles.reason() {
            let mut line = head();
            line.resize(ROLE_COLUMNS.len() - 1, String::new());
            line.push(reason);
            self.0.line(line);
        }
    }

    /// The whole table.
    pub fn text(self) -> String {
        self.0.text()
    }
}

/// Columns of the table of roles.
const ROLE_COLUMNS: [&str; 15] = [
    "item", "variant", "model", "language", "right", "source", "belief", "order", "role", "names", "mentions", "story",
    "question", "options", "absent",
];

/// One line per map, layer and head. Columns: `quantity, unit, model, first_group, second_group, layer, head, first,
/// second, difference, p, holm`; p-values are empty without a test.
pub fn heads_csv(document: &Document) -> String {
    let mut table = CsvTable::new([
        "quantity",
        "unit",
        "model",
        "first_group",
        "second_group",
        "layer",
        "head",
        "first",
        "second",
        "difference",
        "p",
        "holm",
    ]);
    let p = |value: Option<f64>| value.map_or(String::new(), |p| format!("{p:.3e}"));
    for map in &document.findings.head_maps {
        for index in 0..map.difference.len() {
            table.line([
                map.quantity.clone(),
                map.unit.clone(),
                document.models[map.model].name.clone(),
                map.groups.0.clone(),
                map.groups.1.clone(),
                map.layers[index / map.heads].to_string(),
                (index % map.heads).to_string(),
                format!("{:.7}", map.first[index]),
                format!("{:.7}", map.second[index]),
                format!("{:.7}", map.difference[index]),
                p(map.p[index]),
                p(map.holm[index]),
            ]);
        }
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::super::examples_head_analysis::with_findings;
    use super::*;

    #[test]
    fn one_line_per_role_and_per_head() {
        let mut document = with_findings();
        document.cases[0].item = "=1+1".into();
        insta::assert_snapshot!(format!("{}\n{}", roles_csv(&document), heads_csv(&document)));
    }
}
