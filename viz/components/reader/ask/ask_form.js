// The text box for a question, and below it, while a question is asked, its settings and status.

import { el } from "../../shared/dom.js";

/** @import { Offer } from "../state.d.ts"
 * @import { AskingData } from "../payload.data.d.ts" */

/**
 * @typedef {object} FormEvents
 * @property {() => void} ask
 * @property {() => void} clear
 * @property {() => void} stop
 * @property {() => void} test Open the page that tests settings on other texts.
 * @property {() => void} set Another setting was chosen.
 */

export class AskForm {
  /** @param {FormEvents} events */
  constructor(events) {
    this.root = el("form", "ask");
    this.root.setAttribute("role", "search");
    this.input = this.root.appendChild(el("input"));
    this.input.type = "text";
    this.input.autocomplete = "off";
    this.input.placeholder = "Ask your text";
    this.input.title = "Shows which chunks a search would retrieve, in every column. Press / to come here.";
    this.input.setAttribute("aria-label", "Ask your text");
    this.input.setAttribute("aria-keyshortcuts", "/");
    this.submit = this.root.appendChild(el("button", "go", "Ask"));
    this.submit.type = "submit";
    this.bar = el("div", "asking");
    this.bar.setAttribute("role", "group");
    this.bar.setAttribute("aria-label", "Search settings");
    this.method = this.select("Chunks are ranked", events.set);
    this.limit = this.select("How much is retrieved", events.set);
    this.progress = this.bar.appendChild(el("progress"));
    this.progress.max = 1;
    this.progress.setAttribute("aria-label", "Progress of the answer");
    this.status = this.bar.appendChild(el("span", "ask-said"));
    this.stop = this.button("Cancel", events.stop);
    this.test = this.button("Test on other texts", events.test);
    this.test.title = "Opens Tune, which measures settings on other documents";
    this.clear = this.button("Clear", events.clear);
    this.clear.title = "Clears the question and its marks; Esc clears the marks alone";
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      events.ask();
    });
  }

  /**
   * @param {string} label
   * @param {() => void} act
   */
  select(label, act) {
    const made = this.bar.appendChild(el("select"));
    made.setAttribute("aria-label", label);
    made.title = label;
    made.addEventListener("change", act);
    return made;
  }

  /**
   * @param {string} words
   * @param {() => void} act
   */
  button(words, act) {
    const made = this.bar.appendChild(el("button", "", words));
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  /** @param {AskingData} data */
  update({ methods, method, limits, limit }) {
    offer(this.method, methods, method);
    offer(this.limit, limits, limit);
  }

  /**
   * Show the progress of the answer, or a note on it.
   * @param {string} words
   * @param {string} tone
   * @param {number | null} share of the work that is done; null if none is
   */
  say(words, tone, share) {
    this.status.textContent = this.status.title = words;
    this.status.className = `ask-said ${tone}`;
    this.progress.hidden = this.stop.hidden = share === null;
    if (share !== null) this.progress.value = share;
  }
}

/**
 * Fill a select element with its options, if they have changed; the fitting budget depends on the text.
 * @param {HTMLSelectElement} select
 * @param {Offer[]} offers
 * @param {string} chosen
 */
export function offer(select, offers, chosen) {
  const shown = [...select.options].map((option) => [option.value, option.text]);
  if (JSON.stringify(shown) !== JSON.stringify(offers))
    select.replaceChildren(...offers.map(([word, name]) => new Option(name, word)));
  select.value = chosen;
}
