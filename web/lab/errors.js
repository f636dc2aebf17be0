/** What is thrown, as the page takes it. */

/** @import { Answer, Told } from "./kinds.js" */

/** @typedef {Error & Partial<Omit<Told, "message">> & {file?: string}} LabError what the errors of the lab have besides */

/**
 * @param {unknown} thrown anything
 * @returns {LabError}
 */
export const asError = (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * @param {Told} told what a worker answers instead
 * @returns {LabError}
 */
export const errorOf = (told) => Object.assign(new Error(told.message), told);

/**
 * @template T
 * @param {Answer<T>} answer
 * @returns {T} what was asked for
 * @throws {LabError} what a worker answers instead
 */
export function answered(answer) {
  if (answer.error) throw errorOf(answer.error);
  return answer;
}
