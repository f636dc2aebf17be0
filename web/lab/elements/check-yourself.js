/** <check-yourself>: questions whose model answers open when the reader has committed to an answer of their own. */

class CheckYourself extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", this.#commit);
  }

  disconnectedCallback() {
    this.removeEventListener("click", this.#commit);
  }

  /** @param {Event} event */
  #commit = ({ target }) => {
    if (!(target instanceof HTMLButtonElement) || !target.closest(".attempt")) return;
    /** @type {HTMLElement | null} */
    const question = target.closest(".question");
    const answer = question?.querySelector("textarea");
    const model = question?.querySelector("details");
    if (!question || !answer || !model) return;
    const isEmpty = answer.value.trim() === "";
    this.#refuse(answer, isEmpty);
    if (isEmpty) return;
    question.dataset.committed = "";
    answer.readOnly = true;
    target.disabled = true;
    model.open = true;
    model.querySelector("summary")?.focus();
  };

  /** Say beside an empty answer that it is one, or take that back. @param {HTMLTextAreaElement} answer @param {boolean} isEmpty */
  #refuse(answer, isEmpty) {
    const id = `${answer.id}-error`;
    const described = (answer.getAttribute("aria-describedby") ?? "").split(" ").filter((other) => other !== id);
    document.getElementById(id)?.remove();
    answer.removeAttribute("aria-invalid");
    if (isEmpty) {
      const error = document.createElement("p");
      error.id = id;
      error.className = "error";
      error.textContent = "Your answer is empty: write one first, in a few words. Then the model answer opens.";
      answer.after(error);
      answer.setAttribute("aria-invalid", "true");
      described.push(id);
      answer.focus();
    }
    answer.setAttribute("aria-describedby", described.join(" "));
  }
}

customElements.define("check-yourself", CheckYourself);
