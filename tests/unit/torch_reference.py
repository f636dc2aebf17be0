"""The same transformer in PyTorch, written from the papers with PyTorch's own functions, for its gradients."""

import torch
from torch.nn import functional as F


def losses(parameters, config, ids, targets, table=None, angles=None, bias=None, causal=True):
    """Cross-entropy of each prediction, (B, T).

    Args:
        parameters: names to tensors, named as in `embedding_lab.model`.
        table: (T, d) or None; angles: (T, head_dim / 2) in radians or None; bias: (heads, T, T) or None.
    """
    batch, length = ids.shape
    heads, head_dim = config.heads, config.d // config.heads
    x = F.embedding(ids, parameters["embedding"])
    if table is not None:
        x = x + table
    for block in range(config.layers):

        def p(name, block=block):
            return parameters[f"block{block}.{name}"]

        normal = F.layer_norm(x, (config.d,), p("attention_norm.gain"), p("attention_norm.shift"))
        q, k, v = F.linear(normal, p("qkv.weight").T, p("qkv.bias")).split(config.d, dim=2)
        q, k, v = (part.view(batch, length, heads, head_dim).transpose(1, 2) for part in (q, k, v))
        if angles is not None:
            q, k = turned(q, angles), turned(k, angles)
        mask = torch.zeros(heads, length, length, dtype=x.dtype)
        if bias is not None:
            mask = mask + bias
        if causal:
            mask = mask.masked_fill(~torch.ones(length, length).tril().bool(), float("-inf"))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        mixed = mixed.transpose(1, 2).reshape(batch, length, config.d)
        x = x + F.linear(mixed, p("attention_out.weight").T, p("attention_out.bias"))
        normal = F.layer_norm(x, (config.d,), p("mlp_norm.gain"), p("mlp_norm.shift"))
        inner = F.gelu(F.linear(normal, p("mlp_in.weight").T, p("mlp_in.bias")), approximate="tanh")
        x = x + F.linear(inner, p("mlp_out.weight").T, p("mlp_out.bias"))
    x = F.layer_norm(x, (config.d,), parameters["final_norm.gain"], parameters["final_norm.shift"])
    logits = F.linear(x, parameters["embedding" if config.tied else "unembedding"])
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def turned(x, angles):
    """Rotary position as a product of complex numbers (Su et al. 2021, equation 12)."""
    half = x.shape[-1] // 2
    pairs = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([pairs.real, pairs.imag], dim=-1)


def kerple(parameter, length):
    """The logarithmic variant of Chi et al. 2022, section 4, (heads, T, T), from the logarithms of r1 and r2."""
    distance = (torch.arange(length)[:, None] - torch.arange(length)).abs()
    return torch.stack([-r1 * torch.log(1 + r2 * distance) for r1, r2 in zip(*parameter.exp(), strict=True)])


# What an encoding computes from its parameter "position_bias", by its name; of others that is the bias itself.
COMPUTED_BIAS = {"kerple": kerple}
