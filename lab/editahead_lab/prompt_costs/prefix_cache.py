"""A server's prefix cache, as far as costs go.

vLLM's (docs, "Automatic Prefix Caching"): a prompt's tokens are cut into blocks, a block is known by its tokens and all
those before it, and only full blocks are kept. Here nothing is ever evicted.
"""

from __future__ import annotations

from collections.abc import Sequence


class PrefixCache:
    """A prefix cache of a server, without a limit of size.

    Args:
        block: tokens of a block; 16 is vLLM's default on a GPU, 128 on a CPU.
    """

    def __init__(self, block: int) -> None:
        self._block = block
        self._known: set[int] = set()

    def prefill(self, ids: Sequence[int]) -> int:
        """Return how many tokens of a prompt must be computed, and add the prompt to the cache."""
        known = chain = 0
        missed = False
        for end in range(self._block, len(ids) + 1, self._block):
            chain = hash((chain, tuple(ids[end - self._block : end])))
            missed |= chain not in self._known
            if not missed:
                known = end
            self._known.add(chain)
        return len(ids) - known
