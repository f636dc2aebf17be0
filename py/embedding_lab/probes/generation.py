"""The probe that lets a model write: one character after another, with what it thought of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..model import random_stream
from .view import Probe, View, number_argument, read, text_argument

if TYPE_CHECKING:
    from ..kinds import Floats, Work

PROMPT = "Alice "
SHOWN = 10  # entries of each distribution


def generate(view: View, prompt: str = PROMPT, length: int = 100, temperature: float = 0.8, sample: int = 1) -> Work:
    """Continue a text: sample each next character from the distribution of the model.

    The model sees the last characters that fit its context. At temperature t the logits are divided by t before
    the softmax: below 1 sharpens, above 1 flattens, and 0 always takes the most probable. A generator, so that a
    long text on a big model does not hold up training; the parameters are those of its start throughout.

    Args:
        prompt: what to continue; only its end matters where it is longer than the context.
        length: characters to write.
        temperature: from 0.
        sample: seeds the choices; another number gives another text.

    Yields:
        Progress.

    Returns:
        prompt (see `Reading.told`; cut counts what is before its last T characters); text, what was written;
        temperature; steps: for each character {character, probability, entropy, top}: its probability and the
        entropy in nats of the distribution at this temperature, and top, its 10 largest entries {character,
        probability}; context, T.
    """
    context, vocabulary = view.config.context, view.corpus.vocabulary
    reading = read(view, "prompt", prompt, PROMPT, most=len(prompt) + len(PROMPT))
    cut = max(0, len(reading.ids) - context)
    prompted = replace(reading, text=reading.text[cut:], ids=reading.ids[cut:], cut=cut)
    seen = prompted.ids.tolist()
    model, stream = view.model.beside(keep=True), random_stream(sample, "probe generate")
    window = np.zeros((1, context), np.int32)
    written, steps = [], []
    for made in range(length):
        recent = seen[-context:]
        # What stands after a character changes nothing before it, so one shape serves every length.
        window[0, : len(recent)] = recent
        logits = model.logits(window)[0, len(recent) - 1].astype(np.float64)
        probability = _softmax(logits, temperature)
        id = int(probability.argmax()) if temperature == 0 else int(stream.choice(len(vocabulary), p=probability))
        likely = np.argsort(-probability, kind="stable")[:SHOWN]
        positive = probability[probability > 0]
        steps.append(
            {
                "character": vocabulary[id],
                "probability": probability[id],
                "entropy": max(0.0, -float(np.sum(positive * np.log(positive)))),
                "top": [{"character": vocabulary[each], "probability": probability[each]} for each in likely],
            }
        )
        written.append(vocabulary[id])
        seen = [*recent, id]
        yield (made + 1) / length
    return {
        "prompt": prompted.told(),
        "text": "".join(written),
        "temperature": temperature,
        "steps": steps,
        "context": context,
    }


def _softmax(logits: Floats, temperature: float) -> Floats:
    if temperature == 0:
        likeliest: Floats = (np.arange(len(logits)) == logits.argmax()).astype(np.float64)
        return likeliest
    powers: Floats = np.exp((logits - logits.max()) / temperature)
    probability: Floats = powers / powers.sum()
    return probability


PROBES = [
    Probe(
        "generate",
        "Let it write",
        (),
        generate,
        [
            text_argument("prompt", PROMPT, "The text to continue."),
            number_argument("length", 100, 1, 500, "Characters to write."),
            number_argument("temperature", 0.8, 0.0, 3.0, "Below 1 plays safe, above 1 dares more, 0 takes the likeliest."),
            number_argument("sample", 1, 0, 9999, "Seeds the choices: another number gives another text."),
        ],
    )
]
