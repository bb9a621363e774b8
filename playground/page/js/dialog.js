// A dialog with a text to copy, or with a part of the page.

import { byId } from "./dom.js";

export function showText(heading, text, value) {
  show(heading, [text], true);
  byId("dialog-value").value = value;
  byId("dialog-value").select();
}

export function showTemplate(heading, template) {
  show(heading, [byId(template).content.cloneNode(true)], false);
}

function show(heading, content, hasValue) {
  byId("dialog-heading").textContent = heading;
  byId("dialog-text").replaceChildren(...content);
  byId("dialog-value").hidden = byId("dialog-copy").hidden = !hasValue;
  byId("dialog-status").textContent = "";
  byId("dialog").showModal();
}

// Copies a text, and reports it in the button for 4 s; without access to the clipboard, in a dialog.
export async function copy(button, text, heading, description) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return showText(heading, description, text);
  }
  const label = button.querySelector("span") ?? button;
  const before = label.dataset.label ?? label.textContent;
  label.dataset.label = before;
  label.textContent = "Copied";
  setTimeout(() => { label.textContent = before; }, 4000);
  byId("status").textContent = description;
}

export function setUpDialog() {
  byId("dialog-close").addEventListener("click", () => byId("dialog").close());
  byId("dialog-copy").addEventListener("click", async () => {
    byId("dialog-value").select();
    try {
      await navigator.clipboard.writeText(byId("dialog-value").value);
      byId("dialog-status").textContent = "Copied.";
    } catch {
      byId("dialog-status").textContent = "The browser does not allow access to the clipboard; press Ctrl+C.";
    }
  });
}

export function saveFile(name, base64) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
