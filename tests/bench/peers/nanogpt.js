/** Trains the peer @genai-fi/nanogpt: its model and its trainer, at the lab's default sizes. */
import { TeachableLLM } from "@genai-fi/nanogpt";
import * as tf from "@tensorflow/tfjs-core";
import createModelInstance from "nanogpt-files/models/factory.js";
import PreTrainer from "nanogpt-files/training/PreTrainer.js";

let trainer;
let batches;

function step(index) {
  const loss = trainer.trainStep({}, batches[index % batches.length]);
  const [value] = loss.dataSync(); // also waits for what a GPU has still to do
  loss.dispose();
  return value;
}

/**
 * @param {object} task
 * @param {"cpu"|"webgl"} task.backend of TensorFlow.js
 * @param {object} task.config the lab's settings
 * @param {number} task.characters size of the vocabulary
 * @param {number[][][]} task.batches pairs of inputs and targets, B * T numbers each
 * @returns {Promise<{parameters: number, losses: number[]}>}
 */
window.setUp = async ({ backend, config, characters, batches: numbers }) => {
  await TeachableLLM.selectBackend(backend);
  if (tf.getBackend() !== backend) throw new Error(`TensorFlow.js has no ${backend} here`);
  const { batch, context } = config;
  const tensor = (values) => tf.tensor2d(Int32Array.from(values), [batch, context], "int32");
  batches = numbers.map(([inputs, targets]) => ({ xs: tensor(inputs), ys: tensor(targets) }));
  const model = createModelInstance({
    modelType: "GenAI_NanoGPT_v1",
    vocabSize: characters,
    blockSize: context,
    nLayer: config.layers,
    nHead: config.heads,
    nEmbed: config.d,
    mlpFactor: 4,
    useRope: true,
  });
  const optimizer = { learningRate: config.lr, beta1: 0.9, beta2: 0.99, weightDecay: 0.01, warmupSteps: 20 };
  trainer = new PreTrainer(model, {}, optimizer);
  return { losses: [step(0), step(1)], parameters: model.getNumParams() };
};

/** Train for about so many seconds, one step at least. @returns {number} seconds per step */
window.measure = (seconds) => {
  const startedAt = performance.now();
  let steps = 0;
  while (performance.now() - startedAt < 1000 * seconds) step(steps++);
  return (performance.now() - startedAt) / 1000 / steps;
};
