//! Judgements as tables and figures, as in the papers.

use indexmap::IndexMap;

use super::judged::{Decision, Disagreement, Faults, GroupResult, Judged, QuestionResult, RaterFacts, Share};
use super::scheme::Label;
use super::{Kind, Scheme, SpanJudged, Value};
use crate::figure::{Bar, Block, Body, Chart, MOST_SERIES, Stack, StackBar};
use crate::report::agreements_grid;
use crate::table::{Format, Grid, Screen, Value as Shown, cells, render_grids};

const COUNTED: &str = "An adjudicated unit counts as its adjudicator decided, any other with the mean of its judges. Intervals: \
    95 %, clustered by story.";

/// Number of disagreements in a table; JSON lists all.
const SHOWN: usize = 20;

impl Judged {
    /// Renders the tables in a format; JSON contains everything.
    pub fn render(&self, scheme: &Scheme, format: Format, screen: Screen) -> Result<String, serde_json::Error> {
        if format == Format::Json {
            return Ok(serde_json::to_string_pretty(self)? + "\n");
        }
        let mut grids = self.grids(scheme);
        grids.extend(self.disagreements_grid(scheme));
        let adjudicators: Vec<&str> =
            self.raters.iter().filter(|each| each.adjudicates).map(|each| each.rater.as_str()).collect();
        let by = if adjudicators.is_empty() { String::new() } else { format!(" by {}", adjudicators.join(", ")) };
        let before = [
            ("scheme", scheme.title.english().to_string()),
            ("source", self.source.clone()),
            ("units", format!("{}, {} adjudicated{by}", self.units, self.adjudicated)),
        ];
        Ok(render_grids(&before, &grids, format, screen))
    }

    /// The tables, but for what is left to adjudicate.
    pub fn grids(&self, scheme: &Scheme) -> Vec<Grid> {
        let mut grids = vec![self.raters_grid()];
        for question in &self.questions {
            grids.push(self.question_grid(scheme, question));
            if question.kind == Kind::Spans {
                grids.extend(faults_grid(question));
            }
            grids.extend(agreement_grid(question));
        }
        grids.extend(self.decisions_grid(scheme));
        grids
    }

    fn raters_grid(&self) -> Grid {
        let row = |each: &RaterFacts| {
            let name = if each.adjudicates { format!("{} (adjudicates)", each.rater) } else { each.rater.clone() };
            cells![name, each.units, each.dealt, Shown::places(each.median_seconds, 1)]
        };
        Grid::new("Judges", 1, ["judge", "units", "dealt", "median seconds"], self.raters.iter().map(row))
    }

    fn question_grid(&self, scheme: &Scheme, question: &QuestionResult) -> Grid {
        let by = self.by.as_deref().unwrap_or("group");
        let named = |group: &GroupResult| cells![group.run.clone().unwrap_or_default(), &group.group, group.units];
        let mut header = vec!["run".to_string(), by.to_string(), "units".to_string()];
        let value = |share: &Share| Shown::places(share.percent, 1).within(share.interval, 1);
        let figure = |value: Option<f64>| Shown::places(value, 2);
        let few = if question.kind == Kind::Spans { "too few texts" } else { "too few units" };
        let interval = |group: &GroupResult| match (group.mean_interval, &group.interval_missing) {
            (None, Some(_)) => few.into(),
            (ends, _) => Shown::range(ends, 2),
        };
        let rows: Vec<Vec<Shown>> = match question.kind {
            Kind::Label | Kind::Labels => {
                header.extend(self.label_titles(scheme, question));
                let row =
                    |group: &GroupResult| named(group).into_iter().chain(group.labels.iter().map(value)).collect();
                question.groups.iter().map(row).collect()
            }
            Kind::Scale => {
                header.extend(["mean", "95 % interval"].map(String::from));
                header.extend(question.groups[0].ratings.iter().map(|share| format!("{} %", share.label)));
                let row = |group: &GroupResult| {
                    let shares = group.ratings.iter().map(|share| Shown::places(share.percent, 1));
                    named(group).into_iter().chain([figure(group.mean), interval(group)]).chain(shares).collect()
                };
                question.groups.iter().map(row).collect()
            }
            Kind::Spans => {
                header.extend(["words", "mean score", "95 % interval", "pooled", "passed %"].map(String::from));
                let row = |group: &GroupResult| {
                    let passed = Shown::places(group.passed, 1);
                    let values = cells![group.words, figure(group.mean), interval(group), figure(group.pooled), passed];
                    [named(group), values].concat()
                };
                question.groups.iter().map(row).collect()
            }
        };
        let unit = if matches!(question.kind, Kind::Label | Kind::Labels) { " (percent of units)" } else { "" };
        let mut grid =
            Grid::new(&format!("{}{unit}", question.title), 2, header, rows.into_iter()).with_notes([COUNTED]);
        if question.groups.iter().any(|group| group.interval_missing.is_some()) {
            let few = format!("{}{}", few[..1].to_uppercase(), &few[1..]);
            grid.notes
                .push(format!("{few}: of one story, or the t interval over stories would leave the scale.").into());
        }
        if let Some(source) = scheme.question(&question.id).and_then(|question| question.weights_source.clone()) {
            grid.notes.push(format!("Weights: {source}").into());
        }
        grid
    }

    fn decisions_grid(&self, scheme: &Scheme) -> Option<Grid> {
        let row = |each: &Decision| {
            let adjudicated = said(scheme, &each.question, &each.adjudicated);
            cells![
                &each.unit,
                &each.question,
                all_said(scheme, &each.question, &each.by),
                format!("{}: {adjudicated}", each.adjudicated_by),
            ]
        };
        let header = ["unit", "question", "said", "counts"];
        let grid = Grid::new("Adjudicated: the adjudicator's choice counts", 2, header, self.decisions.iter().map(row))
            .with_notes(["Agreement is between those who do not adjudicate, and does not change."]);
        (!grid.rows.is_empty()).then_some(grid)
    }

    fn label_titles(&self, scheme: &Scheme, question: &QuestionResult) -> Vec<String> {
        let labels = scheme.question(&question.id).map_or(&[][..], |question| &question.labels);
        labels.iter().map(|label| label.title.english().to_string()).collect()
    }

    fn disagreements_grid(&self, scheme: &Scheme) -> Option<Grid> {
        self.disagreements.first()?;
        let row = |each: &Disagreement| cells![&each.unit, &each.question, all_said(scheme, &each.question, &each.by)];
        let rows = self.disagreements.iter().take(SHOWN).map(row);
        let mut grid = Grid::new("Disagreements to adjudicate", 3, ["unit", "question", "said"], rows);
        let more = self.disagreements.len().saturating_sub(SHOWN);
        if more > 0 {
            grid.notes.push(format!("And {more} more; --json lists all.").into());
        }
        grid.notes.push(
            "`tomeval annotate read` with --html FILE and --page FILE, the page they are from, makes a page to adjudicate them."
                .into(),
        );
        Some(grid)
    }

    /// The figures with their file names: ratios of labels by group as bars (Hi-ToM, Figures 7 and 16), ratings as
    /// shares of a whole (ToMValley, Figures 2 and 3), scores of texts by group (numbers in XToM, Table 1) and their
    /// faults.
    pub fn charts(&self, scheme: &Scheme) -> Vec<(String, Chart)> {
        let mut charts = Vec::new();
        for question in &self.questions {
            match question.kind {
                Kind::Label | Kind::Labels => charts.extend(self.bars(scheme, question)),
                Kind::Spans => {
                    charts.push(self.scores(question));
                    charts.extend(self.faults(scheme, question));
                }
                Kind::Scale => {}
            }
        }
        charts.extend(self.stacks(scheme));
        charts
    }

    fn bars(&self, scheme: &Scheme, question: &QuestionResult) -> Vec<(String, Chart)> {
        let mut runs: Vec<Option<&String>> = Vec::new();
        for group in &question.groups {
            if !runs.contains(&group.run.as_ref()) {
                runs.push(group.run.as_ref());
            }
        }
        let titles = self.label_titles(scheme, question);
        let chart = |(number, run): (usize, &Option<&String>)| {
            let of_run: Vec<&GroupResult> = question.groups.iter().filter(|group| group.run.as_ref() == *run).collect();
            let shown: Vec<&GroupResult> = match of_run.len() {
                1 => of_run,
                _ => of_run.into_iter().filter(|group| group.group != "all").collect(),
            };
            let shown: Vec<&GroupResult> = shown.into_iter().take(MOST_SERIES).collect();
            let bar = |(series, group): (usize, &&GroupResult), label: usize| Bar {
                series,
                value: Some(group.labels[label].percent),
                interval: group.labels[label].interval,
                chance: None,
                published: None,
                people: None,
            };
            let block = |(label, title): (usize, &String)| Block {
                name: title.clone(),
                bars: shown.iter().enumerate().map(|it| bar(it, label)).collect(),
            };
            let by = self.by.as_deref().unwrap_or("group");
            let chart = Chart {
                title: match run {
                    Some(run) => format!("{run}: {}", question.title),
                    None => question.title.clone(),
                },
                subtitle: format!("percent of the units judged, by {by}; 95 % intervals clustered by story"),
                series: shown.iter().map(|group| format!("{by} {} ({})", group.group, group.units)).collect(),
                body: Body::Bars(titles.iter().enumerate().map(block).collect()),
                notes: vec![self.source.clone()],
            };
            let number = if runs.len() > 1 { format!("-{}", number + 1) } else { String::new() };
            (format!("{}-{}{number}", self.scheme, question.id), chart)
        };
        runs.iter().enumerate().map(chart).collect()
    }

    /// Mean scores and pass rates of texts, by group.
    fn scores(&self, question: &QuestionResult) -> (String, Chart) {
        let drawn = |value: f64| value.clamp(0.0, 100.0);
        let bar = |series: usize, value: Option<f64>, interval: Option<(f64, f64)>| {
            let interval = interval.map(|(low, high)| (drawn(low), drawn(high)));
            Bar { series, value: value.map(drawn), interval, chance: None, published: None, people: None }
        };
        let block = |group: &GroupResult| Block {
            name: format!("{} ({})", group.group, group.units),
            bars: vec![bar(0, group.mean, group.mean_interval), bar(1, group.passed, None)],
        };
        let mut notes = vec![self.source.clone()];
        let ends = |group: &GroupResult| [group.mean, group.mean_interval.map(|(low, _)| low)];
        if question.groups.iter().flat_map(ends).flatten().any(|value| value < 0.0) {
            notes.push("Values below 0 are drawn as 0.".to_string());
        }
        let by = self.by.as_deref().unwrap_or("group");
        let chart = Chart {
            title: question.title.clone(),
            subtitle: format!("by {by} (texts); a text without faults scores 100; 95 % intervals clustered by story"),
            series: vec!["mean score".to_string(), "percent of texts that pass".to_string()],
            body: Body::Bars(question.groups.iter().map(block).collect()),
            notes,
        };
        (format!("{}-{}", self.scheme, question.id), chart)
    }

    /// Severities of the faults of each label; `None` without faults.
    fn faults(&self, scheme: &Scheme, question: &QuestionResult) -> Option<(String, Chart)> {
        let asked = scheme.question(&question.id)?;
        let faults: Vec<&Faults> =
            question.groups.iter().filter(|group| group.group == "all").flat_map(|group| &group.faults).collect();
        let bar = |label: &Label| {
            let count = |severity: Option<&str>| -> f64 {
                let of_it =
                    |fault: &&&Faults| fault.label == label.id && severity.is_none_or(|it| fault.severity == it);
                faults.iter().filter(of_it).map(|fault| fault.count).sum()
            };
            let all = count(None);
            let shares = asked.severities.iter().map(|severity| count(Some(&severity.id)) / all * 100.0).collect();
            let name = label.title.english().to_string();
            (all > 0.0).then(|| StackBar { name, shares, rests_on: format!("{all:.1} faults") })
        };
        let bars: Vec<StackBar> = asked.labels.iter().filter_map(bar).collect();
        let chart = Chart {
            title: format!("Faults: {}", question.title),
            subtitle: "percent of the faults of each dimension; faults are means over the judges of a text".to_string(),
            series: asked.severities.iter().map(|severity| severity.title.english().to_string()).collect(),
            body: Body::Stack(Stack { bars }),
            notes: vec![self.source.clone()],
        };
        let drawable = !faults.is_empty() && chart.series.len() <= MOST_SERIES;
        drawable.then(|| (format!("{}-{}-severities", self.scheme, question.id), chart))
    }

    /// All scales with the same numbers, one bar per question.
    fn stacks(&self, scheme: &Scheme) -> Vec<(String, Chart)> {
        let mut scales: Vec<(Vec<String>, Vec<StackBar>)> = Vec::new();
        for question in self.questions.iter().filter(|question| question.kind == Kind::Scale) {
            for group in question.groups.iter().filter(|group| group.group == "all") {
                let numbers: Vec<String> = group.ratings.iter().map(|share| share.label.clone()).collect();
                let bar = StackBar {
                    name: format!(
                        "{} ({})",
                        question.id,
                        group.mean.map_or("-".into(), |mean| format!("mean {mean:.2}"))
                    ),
                    shares: group.ratings.iter().map(|share| share.percent).collect(),
                    rests_on: format!("{} units", group.units),
                };
                match scales.iter_mut().find(|(known, _)| *known == numbers) {
                    Some((_, bars)) => bars.push(bar),
                    None => scales.push((numbers, vec![bar])),
                }
            }
        }
        let chart = |(number, (series, bars)): (usize, (Vec<String>, Vec<StackBar>))| {
            let chart = Chart {
                title: scheme.title.english().to_string(),
                subtitle: "percent of ratings; a unit counts once, with the mean of its judges".to_string(),
                series,
                body: Body::Stack(Stack { bars }),
                notes: vec![self.source.clone()],
            };
            (format!("{}-ratings-{}", self.scheme, number + 1), chart)
        };
        let drawable = scales.into_iter().filter(|(series, _)| series.len() <= MOST_SERIES);
        drawable.enumerate().map(chart).collect()
    }
}

/// Agreement on each label, rating or pass, each figure with its interval.
fn agreement_grid(question: &QuestionResult) -> Option<Grid> {
    let on = question.agreement.iter().map(|on| match on.group.as_str() {
        "all" => (on.what.clone(), &on.agreement),
        group => (format!("{}: {group}", on.what), &on.agreement),
    });
    let mut grid = agreements_grid(&format!("Agreement: {}", question.id), "units", on)?;
    (grid.header[0], grid.header[1]) = ("on".to_string(), "people".to_string());
    // A row for each pair, one for the percentage of all pairs, one for Fleiss' kappa.
    let counted = question.agreement.iter().filter(|on| on.agreement.units > 0);
    let rows = counted.flat_map(|on| on.pairs.iter().chain([&on.all, &on.all]));
    for (row, intervals) in grid.rows.iter_mut().zip(rows) {
        for (cell, (ends, places)) in row.cells[3..].iter_mut().zip([(intervals.same, 1), (intervals.kappa, 2)]) {
            *cell = std::mem::take(cell).within(ends, places);
        }
    }
    grid.notes.push(
        "Intervals: 95 %, over stories; of a percentage by Wilson's formula, of a kappa by the jackknife. None for a kappa \
         of fewer than five stories, or one that no story changes."
            .into(),
    );
    Some(grid)
}

fn faults_grid(question: &QuestionResult) -> Option<Grid> {
    let all = question.groups.iter().filter(|group| group.group == "all");
    let rows: Vec<_> = all
        .flat_map(|group| &group.faults)
        .map(|fault| cells![&fault.label, &fault.severity, Shown::places(fault.count, 1)])
        .collect();
    let header = ["dimension", "severity", "faults"];
    (!rows.is_empty()).then(|| Grid::new("Faults, mean over judges", 1, header, rows.into_iter()))
}

fn all_said(scheme: &Scheme, question: &str, by: &IndexMap<String, Value>) -> String {
    let all = by.iter().map(|(rater, value)| format!("{rater}: {}", said(scheme, question, value)));
    all.collect::<Vec<_>>().join("; ")
}

fn said(scheme: &Scheme, question: &str, value: &Value) -> String {
    let title = |id: &String| {
        let label = scheme.question(question).and_then(|it| it.labels.iter().find(|label| label.id == *id));
        label.map_or_else(|| id.clone(), |label| label.title.english().to_string())
    };
    match value {
        Value::Number(number) => number.to_string(),
        Value::Label(id) => title(id),
        Value::Labels(ids) if ids.is_empty() => "none".to_string(),
        Value::Labels(ids) => ids.iter().map(title).collect::<Vec<_>>().join(", "),
        Value::Spans(spans) => {
            let span = |it: &SpanJudged| format!("\"{}\" {}, {}", it.place.text, title(&it.label), it.severity);
            spans.iter().map(span).collect::<Vec<_>>().join(", ")
        }
    }
}
