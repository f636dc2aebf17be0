"""The same model in PyTorch, eager, with one thread: what a reader would run natively."""

import time

import numpy as np
import torch
from torch.nn import functional as F

from embedding_lab.optimizer import BETA1, BETA2, EPSILON, WEIGHT_DECAY
from embedding_lab.training import Run
from tests.bench import subject

torch.set_num_threads(1)


class TorchModel:
    """The transformer with PyTorch's fused functions and autograd.

    Args:
        start: a `Transformer` without rotation and bias, whose parameters are copied.
    """

    def __init__(self, start):
        self.config, self.size = start.config, start.size
        self.parameters = {name: torch.tensor(part, requires_grad=True) for name, part in start.parameters.arrays.items()}
        self.gradients = None  # PyTorch keeps them itself
        fixed = start.encoding.table(self.config.context, self.config.d)
        self._table = torch.tensor(fixed, dtype=torch.float32) if isinstance(fixed, np.ndarray) else None

    def logits(self, ids):
        """(B, T) int64 to (B * T, V)."""
        config, parameters = self.config, self.parameters
        batch, length = ids.shape
        d, heads = config.d, config.heads
        x = F.embedding(ids, parameters["embedding"])
        table = parameters.get("position_table", self._table)
        if table is not None:
            x = x + table[:length]
        x = x.view(-1, d)
        for block in range(config.layers):
            p = {name.split(".", 1)[1]: part for name, part in parameters.items() if name.startswith(f"block{block}.")}
            normal = F.layer_norm(x, (d,), p["attention_norm.gain"], p["attention_norm.shift"])
            qkv = torch.addmm(p["qkv.bias"], normal, p["qkv.weight"]).view(batch, length, 3, heads, d // heads)
            q, k, v = qkv.permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(-1, d)
            x = x + torch.addmm(p["attention_out.bias"], mixed, p["attention_out.weight"])
            normal = F.layer_norm(x, (d,), p["mlp_norm.gain"], p["mlp_norm.shift"])
            inner = F.gelu(torch.addmm(p["mlp_in.bias"], normal, p["mlp_in.weight"]), approximate="tanh")
            x = x + torch.addmm(p["mlp_out.bias"], inner, p["mlp_out.weight"])
        x = F.layer_norm(x, (d,), parameters["final_norm.gain"], parameters["final_norm.shift"])
        return x @ parameters["embedding" if config.tied else "unembedding"].T

    def losses(self, inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """As `Transformer.losses`."""
        inputs, targets = _tensors(inputs, targets)
        losses = F.cross_entropy(self.logits(inputs), targets.view(-1), reduction="none")
        self._mean = losses.mean()
        return losses.detach().numpy().reshape(inputs.shape)

    def backward(self) -> None:
        """As `Transformer.backward`."""
        self._mean.backward()


class TorchAdamW:
    """PyTorch's AdamW as it is by default, with the lab's settings."""

    def __init__(self, model: TorchModel):
        self.optimizer = torch.optim.AdamW(model.parameters.values(), model.config.lr, (BETA1, BETA2), EPSILON, WEIGHT_DECAY)

    def update(self, gradients, lr: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.step()
        self.optimizer.zero_grad()


class TorchRun(Run):
    """The lab's own run, so with its batches, schedule and evaluations, whose model and optimizer are PyTorch's."""

    def __init__(self, config, corpus):
        super().__init__(config, corpus)  # makes the starting weights, and evaluates once with the lab's own model
        self.model = TorchModel(self.model)
        self.optimizer = TorchAdamW(self.model)

    def validation_loss(self) -> float:
        with torch.no_grad():
            return super().validation_loss()

    def _has_finite_parameters(self) -> bool:
        return True  # no run that is measured diverges, and a look at them would be time that PyTorch does not need


def first_losses(config, corpus) -> list[float]:
    """The loss at the starting weights, and after each of the first updates."""
    run = TorchRun(config, corpus)
    for _ in range(subject.UPDATES + 1):
        run.advance(0)
    return run.train_loss


class TorchSteps:
    """Training steps alone, over and over on batches that are tensors already."""

    def __init__(self, config, corpus):
        self.model = TorchModel(subject.starting_model(config, corpus))
        self.optimizer = TorchAdamW(self.model).optimizer
        self.batches = [_tensors(*batch) for batch in subject.first_batches(config, corpus, 16)]

    def seconds_per_step(self, seconds: float) -> float:
        """Train for about this long."""
        for batch in self.batches[:2]:
            self._step(*batch)
        steps, started = 0, time.perf_counter()
        while (took := time.perf_counter() - started) < seconds:
            self._step(*self.batches[steps % len(self.batches)])
            steps += 1
        return took / steps

    def _step(self, inputs, targets) -> None:
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model.logits(inputs), targets.view(-1))
        loss.backward()
        self.optimizer.step()
        loss.item()


def train_to_the_end(config, corpus) -> tuple[float, float]:
    """One run with its evaluations, the one before the first step too.

    Returns:
        The seconds it took, and the validation loss at its end.
    """
    run = TorchRun(config, corpus)
    started = time.perf_counter()
    run.validation_loss()
    while run.state == "training":
        run.advance(1)
    return time.perf_counter() - started, run.validation[-1][1]


def _tensors(*arrays):
    return tuple(torch.from_numpy(array.astype(np.int64)) for array in arrays)
