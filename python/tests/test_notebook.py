"""The notebook of the examples runs as it stands."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tomeval.ipynb"


def test_the_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "\n".join(
        str(output.get("data", output.get("text", ""))) for cell in notebook.cells for output in cell.get("outputs", [])
    )
    assert "Demo inventory" in shown and "report.html" in shown
    assert all(output.output_type != "error" for cell in notebook.cells for output in cell.get("outputs", []))
