"""How the page shows the probes: runs probe_views.test.mjs on a result of every probe, of an untrained and a trained model."""

import json

from embedding_lab.config import settings_table
from node_tests import run_in_node
from probe_samples import samples


def test_views_of_the_probes(alice, tmp_path):
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"settings": settings_table(), "results": list(samples(alice))}))
    run_in_node("probe_views.test.mjs", LAB_PROBES=str(results))
