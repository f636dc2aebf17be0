/**
 * The lab's training step written for the peer @jax-js/jax, compiled by its jit: forward, gradient, AdamW.
 * Its arrays are owned: a function consumes what it is given, and `.ref` keeps another hold of it.
 */
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";

let config;
let step;
let state;
let batches;
let updates = 0;

function norm(x, gain, shift) {
  return nn.standardize(x, -1, { epsilon: 1e-5 }).mul(gain).add(shift);
}

function meanLoss(parameters, inputs, targets) {
  const { batch, context, heads, d, layers } = config;
  const rows = batch * context;
  const p = (name) => parameters[name].ref;
  const [characters] = parameters.embedding.shape;
  const linear = (x, name) => np.matmul(x, p(`${name}.weight`)).add(p(`${name}.bias`));
  let x = np.take(p("embedding"), inputs, 0);
  for (let block = 0; block < layers; block++) {
    const name = `block${block}.`;
    const attended = norm(x.ref, p(`${name}attention_norm.gain`), p(`${name}attention_norm.shift`));
    const qkv = np.split(linear(attended, `${name}qkv`), 3, -1);
    const [q, k, v] = qkv.map((part) => part.reshape([batch, context, heads, d / heads]));
    const mixed = nn.dotProductAttention(q, k, v, { isCausal: true }).reshape([rows, d]);
    x = x.add(linear(mixed, `${name}attention_out`));
    const normal = norm(x.ref, p(`${name}mlp_norm.gain`), p(`${name}mlp_norm.shift`));
    x = x.add(linear(nn.gelu(linear(normal, `${name}mlp_in`), { approximate: true }), `${name}mlp_out`));
  }
  x = norm(x, p("final_norm.gain"), p("final_norm.shift"));
  const logits = np.matmul(x, np.transpose(p("embedding")));
  tree.dispose(parameters);
  return nn.logSoftmax(logits, -1).mul(nn.oneHot(targets, characters)).sum().mul(-1 / rows);
}

function trainStep({ beta1, beta2, epsilon, weightDecay }) {
  return (parameters, means, squares, [lr, correction1, correction2], inputs, targets) => {
    const [loss, gradients] = valueAndGrad(meanLoss)(tree.ref(parameters), inputs, targets);
    const next = [{}, {}, {}];
    for (const name of Object.keys(parameters)) {
      const gradient = gradients[name];
      const mean = means[name].mul(beta1).add(gradient.ref.mul(1 - beta1));
      const square = squares[name].mul(beta2).add(np.square(gradient).mul(1 - beta2));
      next[1][name] = mean.ref;
      next[2][name] = square.ref;
      const direction = mean.mul(correction1.ref).div(np.sqrt(square.mul(correction2.ref)).add(epsilon));
      const decayed = parameters[name].mul(np.subtract(1, lr.ref.mul(weightDecay)));
      next[0][name] = decayed.sub(direction.mul(lr.ref));
    }
    tree.dispose([lr, correction1, correction2]);
    return [loss, ...next];
  };
}

/** One update; @returns {number} the loss before it */
function update(lr, { beta1, beta2 }) {
  const [inputs, targets] = batches[updates % batches.length];
  updates += 1;
  const scalars = [lr, 1 / (1 - beta1 ** updates), 1 / (1 - beta2 ** updates)].map((value) => np.array(value));
  const [loss, ...next] = step(...state, scalars, inputs.ref, targets.ref);
  state = next;
  const [value] = loss.dataSync();
  return value;
}

let optimizer;

/**
 * @param {object} task
 * @param {object} task.config the lab's settings
 * @param {Record<string, {shape: number[], values: number[]}>} task.parameters where they start
 * @param {object} task.optimizer beta1, beta2, epsilon, weightDecay
 * @param {number[]} task.rates the step sizes of the first updates
 * @param {number[][][]} task.batches pairs of inputs and targets, B * T numbers each
 * @returns {Promise<{parameters: number, losses: number[]}>} the loss of each of the first batches, before its update
 */
window.setUp = async (task) => {
  await init("wasm");
  defaultDevice("wasm");
  ({ config, optimizer } = task);
  const integers = (values) => np.array(Int32Array.from(values), { dtype: np.int32 });
  batches = task.batches.map((pair) => pair.map(integers));
  const named = Object.entries(task.parameters);
  const start = named.map(([name, { shape, values }]) => [name, np.array(Float32Array.from(values)).reshape(shape)]);
  const zeros = () => Object.fromEntries(named.map(([name, { shape }]) => [name, np.zeros(shape)]));
  state = [Object.fromEntries(start), zeros(), zeros()];
  step = jit(trainStep(optimizer));
  const losses = task.rates.map((lr) => update(lr, optimizer));
  return { losses, parameters: named.reduce((sum, [, { values }]) => sum + values.length, 0) };
};

/** Train for about so many seconds, one step at least. @returns {number} seconds per step */
window.measure = (seconds) => {
  const startedAt = performance.now();
  let steps = 0;
  for (; performance.now() - startedAt < 1000 * seconds; steps++) update(config.lr, optimizer);
  return (performance.now() - startedAt) / 1000 / steps;
};
