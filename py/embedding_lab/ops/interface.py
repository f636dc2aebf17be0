"""What every way to compute has: the functions of `reference.py`, where each is explained.

Only type checkers read this file: modules import it under TYPE_CHECKING, and the tab's wheel leaves it out.
"""

from typing import Protocol

from ..kinds import Floats, Integers


class Operations(Protocol):
    """A module or an object that a model computes with."""

    @property
    def NAME(self) -> str: ...

    def embedding(self, out: Floats, table: Floats, ids: Integers) -> None: ...

    def embedding_backward(self, dtable: Floats, dout: Floats, ids: Integers) -> None: ...

    def unembedding(self, out: Floats, x: Floats, table: Floats) -> None: ...

    def unembedding_backward(self, dx: Floats, dtable: Floats, dout: Floats, x: Floats, table: Floats) -> None: ...

    def linear(self, out: Floats, x: Floats, weight: Floats, bias: Floats, residual: Floats | None = None) -> None: ...

    def linear_backward(self, dx: Floats, dweight: Floats, dbias: Floats, dout: Floats, x: Floats, weight: Floats) -> None: ...

    def layer_norm(self, out: Floats, mean: Floats, rstd: Floats, x: Floats, gain: Floats, shift: Floats) -> None: ...

    def layer_norm_backward(
        self, dx: Floats, dgain: Floats, dshift: Floats, dout: Floats, x: Floats, mean: Floats, rstd: Floats, gain: Floats
    ) -> None: ...

    def gelu(self, out: Floats, x: Floats) -> None: ...

    def gelu_backward(self, dx: Floats, dout: Floats, x: Floats) -> None: ...

    def rotate(self, qkv: Floats, cos: Floats, sin: Floats) -> None: ...

    def rotate_backward(self, dqkv: Floats, cos: Floats, sin: Floats) -> None: ...

    def attention(self, out: Floats, weights: Floats, qkv: Floats, bias: Floats | None, causal: bool) -> None: ...

    def attention_backward(
        self, dqkv: Floats, dbias: Floats | None, dscores: Floats, dout: Floats, weights: Floats, qkv: Floats, causal: bool
    ) -> None: ...

    def cross_entropy(self, losses: Floats, probabilities: Floats, logits: Floats, targets: Integers) -> None: ...

    def cross_entropy_backward(self, dlogits: Floats, probabilities: Floats, targets: Integers) -> None: ...

    def adamw(
        self,
        parameters: Floats,
        gradients: Floats,
        mean: Floats,
        square: Floats,
        step: int,
        lr: float,
        beta1: float,
        beta2: float,
        epsilon: float,
        weight_decay: float,
    ) -> None: ...
