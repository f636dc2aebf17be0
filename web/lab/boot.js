/**
 * The entry of each page: loads the lab, and where a file of it does not arrive says which, with a way to try again.
 *
 * A classic script, since a frame of an opaque origin runs no module unless the server allows it, and that has to be said
 * here. In such a frame an import has no base, so the whole address is taken. Beside the lab nothing is imported: what
 * tells of a missing script must not be another script.
 */

/** The scripts that the page cannot begin without, as the build lists them: its entry first, then all that this imports. */
const scripts = [...document.querySelectorAll("link")].filter(({ rel }) => rel === "modulepreload").map(({ href }) => href);
const place = document.getElementById("lab") ?? document.body;

/**
 * What Python needs of a browser to run in it, by the name that a browser which has it gives it.
 * @type {Record<string, string>}
 */
const NEEDS = { WebAssembly: "WebAssembly, which Python runs in", Worker: "web workers, which Python runs in beside the page" };

/** Why a file of the page's does not arrive, or null if it does. @param {string} url */
async function trouble(url) {
  const file = url.split("/").pop();
  try {
    const response = await fetch(url);
    if (!response.ok) return { file, reason: `HTTP ${response.status}`, isGone: response.status === 404 };
    await response.arrayBuffer();
    return null;
  } catch {
    return { file, reason: "the server does not answer", isGone: false };
  }
}

/** The first script that is missing, if one is; `import` itself does not tell. */
async function missingScript() {
  for (const url of scripts) {
    const found = await trouble(url);
    if (found) return found;
  }
  return null;
}

/** @param {string} label @param {() => void} act */
function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

/**
 * Say what is missing, in place of what is there, with Retry if that can help, and a reload as the second way.
 * @param {Element} where
 * @param {string} words
 * @param {(() => void) | null} retry
 * @param {boolean} offersReload
 */
function tell(where, words, retry, offersReload) {
  const message = document.createElement("p");
  message.setAttribute("role", "alert");
  message.className = "error";
  message.textContent = words;
  const actions = document.createElement("p");
  actions.className = "action";
  if (retry) {
    const again = button("Retry", () => {
      if (again.getAttribute("aria-disabled")) return;
      again.setAttribute("aria-disabled", "true"); // and not disabled: the keyboard stays there until it is told what came of it
      retry();
    });
    actions.append(again, " ");
  }
  if (offersReload) actions.append(button("Reload the page", () => location.reload()));
  const hadFocus = where.contains(document.activeElement);
  where.replaceChildren(message, actions);
  if (hadFocus) actions.querySelector("button")?.focus();
}

/**
 * Say why there is no lab on this page, to the page that holds this one in a frame, too.
 * @param {string} code
 * @param {string} words
 * @param {(() => void) | null} retry
 * @param {boolean} offersReload
 */
function fail(code, words, retry, offersReload) {
  if (parent !== window) parent.postMessage({ type: "embedding-lab:error", detail: { code, message: words } }, "*");
  tell(place, words, retry, offersReload);
}

async function begin(failures = 0) {
  const lacking = Object.keys(NEEDS).filter((name) => !(name in globalThis));
  if (lacking.length) {
    const what = lacking.map((name) => NEEDS[name]).join(" and ");
    const words =
      `This browser lacks ${what}. No model can be trained without; the text of this page can be read all the same. Current` +
      " versions of Chrome, Edge, Firefox and Safari have it, unless a setting or a protected mode switches it off for this page.";
    return fail("unsupported", words, null, true);
  }
  try {
    await import(scripts[0]);
  } catch (error) {
    const missing = await missingScript();
    let words = missing
      ? `${missing.file} could not be loaded: ${missing.reason}. The lab needs it; the text of this page does not.`
      : `The lab's scripts could not be loaded (${error instanceof Error ? error.message : error}). The text of this page needs none of them.`;
    if (missing?.isGone) words += " Where a newer version of this page was published meanwhile, reload the page to get it.";
    if (self.origin === "null") {
      words +=
        " This frame is sandboxed and has no origin of its own: its sandbox must hold allow-same-origin, or the lab's server" +
        " must send the header Access-Control-Allow-Origin: *.";
    }
    const code = missing ? "missing-file" : "script";
    fail(code, words, () => begin(failures + 1), failures > 0 || !missing || missing.isGone);
  }
}

/**
 * A stylesheet is asked for again by a new link; the page works without it, only not well.
 * @param {HTMLLinkElement} link
 */
function watchStylesheet(link, failures = 0, box = document.createElement("div")) {
  link.addEventListener("load", () => {
    const had = box.contains(document.activeElement);
    box.remove();
    if (had) place.querySelector("button")?.focus(); // the keyboard was on Retry
  });
  link.addEventListener("error", async () => {
    const { file, reason } = (await trouble(link.href)) ?? { file: link.href.split("/").pop(), reason: "it did not come whole" };
    place.before(box);
    const retry = () => {
      const again = document.createElement("link");
      for (const { name, value } of link.attributes) again.setAttribute(name, value);
      watchStylesheet(again, failures + 1, box);
      link.replaceWith(again);
    };
    tell(box, `${file}, which this page gets its looks from, could not be loaded: ${reason}.`, retry, failures > 0);
  });
}

const stylesheet = [...document.querySelectorAll("link")].find(({ rel }) => rel === "stylesheet");
if (stylesheet) watchStylesheet(stylesheet);

/** The stylesheet's last rule says that it came whole (whole.css). */
function checkStylesheet() {
  if (!getComputedStyle(document.documentElement).getPropertyValue("--whole")) stylesheet?.dispatchEvent(new Event("error"));
}
// A deferred script comes after what became of the stylesheet; but WebKit may run one while the stylesheet is on its way.
if (performance.getEntriesByName(stylesheet?.href ?? "").length) checkStylesheet();
else addEventListener("load", checkStylesheet);
begin();
