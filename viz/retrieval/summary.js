// The key figures of a page, in large type side by side.

export default function ({ data, parentElement }) {
  const list = parentElement.querySelector("dl");
  list.replaceChildren(...data.map(([label, value, detail]) => {
    const cell = document.createElement("div");
    cell.appendChild(document.createElement("dt")).textContent = label;
    cell.appendChild(document.createElement("dd")).textContent = value;
    cell.appendChild(document.createElement("dd")).textContent = detail;
    cell.lastChild.className = "detail";
    return cell;
  }));
}
