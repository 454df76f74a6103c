//! The file that `tomeval study init` writes.

use crate::benchmark::Benchmark;

/// A commented study file whose first task is this benchmark.
pub fn file(benchmark: Benchmark) -> String {
    let data = match benchmark {
        Benchmark::Demo => "",
        _ => "data = \"../data\"             # the benchmark's folder, or the folder that holds it\n",
    };
    format!(
        "# A study runs every [[model]] on every [[task]]. `tomeval study FILE --plan` shows what it needs,\n\
         # `tomeval study FILE` runs it, and the same command continues after a stop.\n\
         # Keys are arguments of `tomeval run` (`tomeval run --help`), with _ for -. Paths are relative to this file.\n\n\
         # For every run, unless a task or model overrides it:\n\
         orders = \"random:5\"\n\
         scorings = [\"letter\"]         # letter, text, hybrid, generate\n\
         styles = [\"vanilla\"]          # `tomeval prompts list` shows all\n\
         seed = 0\n\n\
         [[model]]\n\
         model = \"smollm2-135m-instruct\"   # a folder, a .gguf file, a name of `tomeval models list`, a Hub id, openai:URL#NAME\n\
         # name = \"smollm2\"              # in tables, and for its folder\n\
         # dtype = [\"f32\", \"q8_0\"]       # one model per precision\n\n\
         # [[model]]\n\
         # model = \"models/qwen3-8b\"\n\
         # thinking = \"off\"\n\n\
         [[task]]\n\
         benchmark = \"{benchmark}\"\n\
         {data}\
         limit = 60                    # questions; leave it out for all\n\
         # languages = [\"en\"]\n\
         # scorings = [\"letter\", \"generate\"]\n\n\
         # [[skip]]                    # leaves out what matches all keys\n\
         # model = \"smollm2\"\n\
         # scoring = \"generate\"\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_new_file_is_a_study() {
        for benchmark in [Benchmark::Demo, Benchmark::ToMBench] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("study.toml");
            std::fs::write(&path, file(benchmark)).unwrap();
            let found = super::super::file::combinations(&path, Path::new("out"), &[]).unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].task, benchmark.name());
        }
    }
}
