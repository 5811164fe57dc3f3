// What a question retrieved: chunks in rank order, then the missed parts of excerpts; or whole documents with both in place.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".passages");
  root.style.setProperty("--hit", data.hit);
  root.style.setProperty("--edge", data.edge);
  root.replaceChildren(...data.passages.map(section));
}

const TAGS = { hit: "mark", missed: "del", rank: "sup" };

function section({ kind, title, parts }) {
  const made = document.createElement("section");
  made.className = kind;
  made.appendChild(document.createElement("h3")).textContent = title;
  const text = made.appendChild(document.createElement("p"));
  for (const [words, what] of parts) {
    const part = text.appendChild(document.createElement(TAGS[what] ?? "span"));
    part.className = what;
    part.textContent = words;
  }
  return made;
}
