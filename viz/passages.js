// Retrieved chunks in rank order, their excerpts marked, and below them what of the excerpts was not retrieved.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".passages");
  root.style.setProperty("--hit", data.hit);
  root.style.setProperty("--edge", data.edge);
  root.replaceChildren(...data.passages.map(section));
}

function section({ kind, title, parts }) {
  const made = document.createElement("section");
  made.className = kind;
  made.appendChild(document.createElement("h3")).textContent = title;
  const text = made.appendChild(document.createElement("p"));
  for (const [words, hit] of parts) {
    text.appendChild(document.createElement(hit ? "mark" : "span")).textContent = words;
  }
  return made;
}
