/** The page's entry: loads the lab, and where a script of it does not arrive says so, with a way to try again. */

import("./main.js").catch((error) => {
  const message = document.createElement("p");
  message.setAttribute("role", "alert");
  message.className = "error";
  message.textContent = `The lab's scripts could not be loaded (${error.message}). The text below needs none of them.`;
  const retry = document.createElement("button");
  retry.type = "button";
  retry.className = "button";
  retry.textContent = "Retry";
  retry.addEventListener("click", () => location.reload());
  document.getElementById("lab").replaceChildren(message, retry);
});
