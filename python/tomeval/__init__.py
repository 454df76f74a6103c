"""Evaluation of Theory-of-Mind benchmarks with local models: the program `tomeval` from Python.

    import tomeval
    run = tomeval.run(model="smollm2-135m-instruct", benchmark="demo", language="en")
    run.items, run.tables["tasks"], run.page()

All work is done by the program, which comes with the package; this module calls it and reads what it writes.
"""

from ._process import Incomplete, Stopped, TomevalError
from ._program import NotInstalled, find_program
from ._run import Page, Run, compare, load, logprob, plan, run, score, study

__all__ = [
    "Incomplete",
    "NotInstalled",
    "Page",
    "Run",
    "Stopped",
    "TomevalError",
    "compare",
    "find_program",
    "load",
    "logprob",
    "plan",
    "run",
    "score",
    "study",
]
