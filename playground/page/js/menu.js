// The menu of the header, as the ARIA Authoring Practices describe a menu button.

import { VERTICAL, byId, move } from "./dom.js";

export function setUpMenu() {
  const menu = byId("menu");
  const button = byId("more");
  const items = () => [...menu.querySelectorAll('[role^="menuitem"]')].filter((item) => item.offsetParent);
  const show = (isOpen) => {
    menu.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) items()[0]?.focus();
  };
  button.addEventListener("click", () => show(menu.hidden));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    show(true);
  });
  menu.addEventListener("keydown", (event) => {
    move(event, items(), VERTICAL);
    if (event.key === "Escape" || event.key === "Tab") {
      show(false);
      if (event.key === "Escape") button.focus();
    }
  });
  menu.addEventListener("click", (event) => {
    const item = event.target.closest('[role^="menuitem"]');
    if (!item) return;
    show(false);
    button.focus();
    if (item.dataset.do) byId(item.dataset.do).click();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target) && !button.contains(event.target)) show(false);
  });
}

export function setUpScheme() {
  byId("scheme").addEventListener("click", () => {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("podgraft-theme", dataset.theme);
    } catch {
      // The browser forbids storage; the choice holds until the next load.
    }
  });
}
