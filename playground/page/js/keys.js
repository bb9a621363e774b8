// The shortcuts of the page; each has a control as well.

import { byId } from "./dom.js";

export function setUpKeys({ problems, goTo, review, focusInput }) {
  let visited = -1; // the problem that F8 went to
  document.addEventListener("keydown", (event) => {
    const isText = event.target.closest("input, textarea, select, code-editor, dialog");
    const places = problems();
    if (event.key === "F8" && places.length) {
      event.preventDefault();
      visited = (visited + (event.shiftKey ? -1 : 1) + places.length) % places.length;
      goTo(places[visited]);
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      review();
    } else if (event.altKey && /^Digit[1-4]$/.test(event.code)) {
      event.preventDefault();
      focusInput(Number(event.code.at(-1)));
    } else if (event.altKey && event.code === "KeyR") {
      event.preventDefault();
      byId("verdict").focus();
    } else if (event.key === "?" && !isText) byId("shortcuts").click();
  }, true);
}
