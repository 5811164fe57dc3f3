// What pass two put right: a button for every boundary that it took away.

import { el, tell } from "../components/shared/dom.js";

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".corrections");
  const rows = data.rows.map(({ sentence, step, where, reason, also }) => {
    const button = el("button");
    button.append(el("b", "", where), el("span", "", reason));
    if (also) button.append(el("i", "", also));
    button.addEventListener("click", () => {
      tell("seamark-jump", { sentence });
      if (step !== null) tell("seamark-go", { at: step });
    });
    button.addEventListener("pointerenter", () => tell("seamark-mark", { ranges: [[sentence - 1, sentence + 1]] }));
    button.addEventListener("pointerleave", () => tell("seamark-mark", { ranges: [] }));
    const item = el("li");
    item.append(button);
    return item;
  });
  const list = el("ol");
  list.append(...rows);
  root.replaceChildren(el("h2", "", data.title), ...data.words.map((said) => el("p", "", said)), ...(rows.length ? [list] : []));
}
