//! Selects the part of a run for this process: as given, or from cluster variables if requested.

use std::str::FromStr;

use crate::run::{NotAShard, Shard};

/// `--shard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardChoice {
    /// This part.
    Part(Shard),
    /// The part assigned by the cluster.
    Auto,
}

impl FromStr for ShardChoice {
    type Err = NotAShard;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given {
            "auto" => Ok(ShardChoice::Auto),
            given => Ok(ShardChoice::Part(given.parse()?)),
        }
    }
}

/// Returns the part of the work to do. Cluster variables count only if requested; if they are set and not requested, a
/// line on stderr says so.
pub fn chosen(choice: Option<ShardChoice>) -> anyhow::Result<Option<Shard>> {
    let found = of_cluster(|name| std::env::var(name).ok());
    match (choice, found) {
        (Some(ShardChoice::Part(shard)), _) => Ok(Some(shard)),
        (Some(ShardChoice::Auto), Some(Found::Part { shard, names })) => {
            eprintln!("Doing part {}/{} of the work, from {names}.", shard.index, shard.of);
            Ok(Some(shard))
        }
        (Some(ShardChoice::Auto), Some(Found::Unclear { what })) => anyhow::bail!("--shard auto: {what}"),
        (Some(ShardChoice::Auto), None) => anyhow::bail!(
            "--shard auto: found no variables of a Slurm array (SLURM_ARRAY_TASK_ID), of Slurm tasks (SLURM_PROCID) or \
             of a Kubernetes indexed job (JOB_COMPLETION_INDEX); write --shard I/N"
        ),
        (None, Some(Found::Part { shard, names })) if shard.of > 1 => {
            eprintln!(
                "Doing the whole work, although {names} are set; --shard auto would do part {}/{}.",
                shard.index, shard.of
            );
            Ok(None)
        }
        (None, Some(Found::Unclear { what })) => {
            eprintln!("Doing the whole work; --shard auto would split it, but {what}.");
            Ok(None)
        }
        (None, Some(Found::Part { .. }) | None) => Ok(None),
    }
}

/// Result of reading the cluster variables.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Part {
        shard: Shard,
        names: String,
    },
    /// Set, but without a valid part.
    Unclear {
        what: String,
    },
}

/// Reads the part from a Slurm array, the tasks of a Slurm job, or both, or else from a Kubernetes indexed job.
fn of_cluster(variable: impl Fn(&str) -> Option<String>) -> Option<Found> {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    let part = |index: &'static str, first: usize, of: &'static str| -> Option<Found> {
        let given = variable(index)?;
        let unclear = |what: String| Some(Found::Unclear { what });
        let Some(place) = number(index).and_then(|index| index.checked_sub(first)) else {
            return unclear(format!("{index}={given} is not a valid part"));
        };
        let Some(of_number) = number(of) else {
            return unclear(format!(
                "{index} is set and {of} is not: set it to the number of parts, or write --shard I/N"
            ));
        };
        match place < of_number {
            true => Some(Found::Part {
                shard: Shard { index: place + 1, of: of_number },
                names: format!("{index}={given} and {of}={of_number}"),
            }),
            false => unclear(format!("{index}={given} is beyond {of}={of_number}; write --shard I/N")),
        }
    };
    // An array with gaps, for instance 1-9:2 or 3,7, does not map numbers to parts.
    let step = number("SLURM_ARRAY_TASK_STEP").unwrap_or(1);
    let array = match (variable("SLURM_ARRAY_TASK_ID"), number("SLURM_ARRAY_TASK_MIN"), number("SLURM_ARRAY_TASK_MAX"))
    {
        (Some(_), Some(min), Some(max))
            if step > 1 || number("SLURM_ARRAY_TASK_COUNT") != (max + 1).checked_sub(min) =>
        {
            let what = "the numbers of the Slurm array are not consecutive; write --shard I/N".to_string();
            Some(Found::Unclear { what })
        }
        (_, min, _) => part("SLURM_ARRAY_TASK_ID", min.unwrap_or(0), "SLURM_ARRAY_TASK_COUNT"),
    };
    let tasks = part("SLURM_PROCID", 0, "SLURM_NTASKS");
    match (array, tasks) {
        (Some(Found::Part { shard: array, names }), Some(Found::Part { shard: task, names: of_tasks }))
            if task.of > 1 =>
        {
            let shard = Shard { index: (array.index - 1) * task.of + task.index, of: array.of.checked_mul(task.of)? };
            Some(Found::Part { shard, names: format!("{names}, {of_tasks}") })
        }
        (Some(array), _) => Some(array),
        (None, Some(tasks)) => Some(tasks),
        (None, None) => part("JOB_COMPLETION_INDEX", 0, "JOB_COMPLETIONS"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> Option<Found> {
        of_cluster(|wanted| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.to_string()))
    }

    fn part(variables: &[(&str, &str)]) -> Option<(usize, usize)> {
        match found(variables) {
            Some(Found::Part { shard, .. }) => Some((shard.index, shard.of)),
            _ => None,
        }
    }

    #[test]
    fn clusters_name_their_parts() {
        let tasks = [("SLURM_PROCID", "1"), ("SLURM_NTASKS", "4")];
        assert_eq!(part(&tasks), Some((2, 4)));
        let array = [
            ("SLURM_ARRAY_TASK_ID", "5"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_MAX", "6"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
        ];
        assert_eq!(part(&array), Some((3, 4)));
        assert_eq!(part(&[&array[..], &tasks].concat()), Some((10, 16)));
        assert_eq!(part(&[&array[..], &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1")]].concat()), Some((3, 4)));
        assert_eq!(part(&[("JOB_COMPLETION_INDEX", "0"), ("JOB_COMPLETIONS", "8")]), Some((1, 8)));
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("SLURM_JOB_ID", "77")]), None);
    }

    #[test]
    fn what_names_no_part_is_told() {
        let unclear = |variables: &[(&str, &str)]| matches!(found(variables), Some(Found::Unclear { .. }));
        assert!(unclear(&[("JOB_COMPLETION_INDEX", "0")]));
        assert!(unclear(&[("SLURM_PROCID", "4"), ("SLURM_NTASKS", "4")]));
        assert!(unclear(&[("SLURM_PROCID", "x"), ("SLURM_NTASKS", "4")]));
        let array = [
            ("SLURM_ARRAY_TASK_ID", "5"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_MAX", "9"),
            ("SLURM_ARRAY_TASK_COUNT", "5"),
        ];
        assert!(unclear(&array), "1-9:2 or five numbers of nine");
        assert!(unclear(&[("SLURM_ARRAY_TASK_ID", "5"), ("SLURM_ARRAY_TASK_MIN", "9"), ("SLURM_ARRAY_TASK_MAX", "1")]));
    }
}
