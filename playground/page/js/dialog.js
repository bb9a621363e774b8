// A dialog with a text to copy.

import { byId } from "./dom.js";

export function showText(heading, text, value) {
  byId("dialog-heading").textContent = heading;
  byId("dialog-text").textContent = text;
  byId("dialog-value").value = value;
  byId("dialog-status").textContent = "";
  byId("dialog").showModal();
  byId("dialog-value").select();
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
