/** What the page that holds the lab in a frame may command: reads its messages, and says what is wrong with one. */

/** How the type of every message of the lab begins, both ways. */
export const PREFIX = "embedding-lab:";

/** @type {("run" | "pause" | "stop" | "reset")[]} */
const SIMPLE = ["run", "pause", "stop", "reset"];
const CONFIGURE = "configure";
/** The most names of one `configure`, and the most characters of a name and of a value. */
const MOST_NAMES = 50;
const MOST_CHARACTERS = 2000;
/** So much of what is wrong is quoted. */
const QUOTED = 40;

/** A message that is none of the lab's; `message` says why. */
export class CommandError extends Error {}

/** @typedef {{type: string, detail?: unknown}} Message that is meant for the lab */
/** @typedef {Record<string, string|null>} Changes of "configure" */

/** @param {any} data of a message @returns {data is Message} whether it is meant for the lab */
export const isForLab = (data) => typeof data?.type === "string" && data.type.startsWith(PREFIX);

/**
 * @param {Message} data
 * @returns {{name: "run"|"pause"|"stop"|"reset"} | {name: "configure", changes: Changes, refused: CommandError[]}} `changes` of
 *   "configure": names of the query to their values as an address writes them, null for the lab's default; `refused`: why
 *   others are not among them
 * @throws {CommandError}
 */
export function readCommand({ type, detail }) {
  const name = type.slice(PREFIX.length);
  if (name === CONFIGURE) return { name, ...readChanges(detail) };
  const simple = SIMPLE.find((each) => each === name);
  if (simple) return { name: simple };
  throw new CommandError(`The message ${quoted(type)} is unknown: send ${[...SIMPLE, CONFIGURE].map((each) => PREFIX + each).join(", ")}.`);
}

/** @param {unknown} detail @returns {{changes: Changes, refused: CommandError[]}} */
function readChanges(detail) {
  const about = `The detail of ${PREFIX}configure`;
  if (typeof detail !== "object" || detail === null || Object.getPrototypeOf(detail) !== Object.prototype) {
    throw new CommandError(`${about} is no object: send names with their values, for example {"steps": 300}.`);
  }
  const entries = Object.entries(detail);
  if (entries.length > MOST_NAMES) {
    throw new CommandError(`${about} has ${entries.length} names: send at most ${MOST_NAMES}.`);
  }
  /** @type {[string, string|null][]} */
  const changes = [];
  /** @type {CommandError[]} */
  const refused = [];
  for (const [name, value] of entries) {
    try {
      changes.push([name, readValue(name, value)]);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      refused.push(error);
    }
  }
  return { changes: Object.fromEntries(changes), refused };
}

/** @param {string} name @param {unknown} value @returns {string | null} */
function readValue(name, value) {
  // A list is measured before it is written as a text: its commas alone may be too many.
  if ((typeof value === "string" || Array.isArray(value)) && value.length > MOST_CHARACTERS) throw tooLong("The value of", name, value);
  const text = toText(value);
  if (text === undefined) {
    throw new CommandError(
      `The value of ${quoted(name)} is none that a setting can have: send a string, a number, true, false, null, or a list of strings or numbers.`,
    );
  }
  if (name.length > MOST_CHARACTERS) throw tooLong("The name", name, name);
  if (text !== null && text.length > MOST_CHARACTERS) throw tooLong("The value of", name, text);
  return text;
}

/** @param {string} what @param {string} name @param {{length: number}} part */
const tooLong = (what, name, { length }) =>
  new CommandError(`${what} ${quoted(name)} is ${length} long: send at most ${MOST_CHARACTERS} characters.`);

/**
 * A value as an address writes it; undefined if it is none.
 * @param {unknown} value
 * @returns {string | null | undefined}
 */
function toText(value) {
  if (value === null) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (isSimple(value)) return String(value);
  return Array.isArray(value) && value.every(isSimple) ? value.join() : undefined;
}

/** @param {unknown} value @returns {value is string | number} */
const isSimple = (value) => typeof value === "string" || typeof value === "number";

/** @param {string} text */
const quoted = (text) => (text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text);
