// A short message. It may quote user text, so it is set through textContent.

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector("p");
  box.textContent = data.text;
  box.className = data.tone;
  box.setAttribute("role", data.tone === "error" ? "alert" : "status");
}
