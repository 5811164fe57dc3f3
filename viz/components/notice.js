// A sentence that may hold user text.

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector("p");
  box.textContent = data.text;
  box.className = data.tone;
  box.setAttribute("role", data.tone === "error" ? "alert" : "status");
}
