"""What is kept of a document goes when it is closed, but for the last predictions."""

from __future__ import annotations

import gc
import weakref

import pytest

from editahead_inference.pipeline import Pipeline
from editahead_lsp.prediction.scheduler import MAX_CLOSED
from editahead_prompts.text.snapshot import Snapshot
from server_harness import ServerHarness

pytestmark = pytest.mark.slow


TEXT = "def load(user):\n    return user\n\n\nload(1)\nload(2)\n"
DOCUMENTS = 9


async def test_the_texts_of_closed_documents_go() -> None:
    harness = ServerHarness(Pipeline())
    await harness.initialize()
    known = weakref.WeakSet[Snapshot]()
    for number in range(DOCUMENTS):
        uri = f"file:///{number}.py"
        harness.open(uri, TEXT)
        known.add(harness.server.session.documents.get(uri).snapshot)
        await harness.next_edit(uri, 1, 0, 6, trigger="cursor", evidence=True)
        await harness.take(lambda message: message.get("method") == "editahead/askEvidence")
        for version in range(2, 5):
            harness.change(uri, version, (0, 4, 0, 8, f"fetch{version}"[:4]))
            await harness.next_edit(uri, version, 0, 8)
            known.add(harness.server.session.documents.get(uri).snapshot)
        harness.close_document(uri)
    await harness.server.predictions.run_on_worker(lambda: None, idle=True)
    gc.collect()
    assert len(known) <= MAX_CLOSED
    harness.finish()


async def test_one_document_does_not_keep_old_texts_of_the_others() -> None:
    harness = ServerHarness(Pipeline())
    await harness.initialize()
    old = weakref.WeakSet[Snapshot]()
    uris = [f"file:///{number}.py" for number in range(20)]
    for uri in uris:
        harness.open(uri, TEXT)
        old.add(harness.server.session.documents.get(uri).snapshot)
        await harness.next_edit(uri, 1, 0, 0)
    for version in range(2, 6):
        for uri in uris:
            harness.change(uri, version, (5, 0, 5, 0, "#"))
            await harness.next_edit(uri, version, 5, 1)
    gc.collect()
    assert not list(old)
    harness.finish()
