// Elements of the page. Text is always set as text, never parsed as HTML.

export const byId = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

// A sentence of the engine: the texts at odd indexes are code.
export const say = (sentence) => sentence.map((text, index) => (index % 2 ? make("code", { textContent: text }) : text));

export const button = (text, onclick, className = "btn") => make("button", { type: "button", className, textContent: text, onclick });

const MOVES = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};
export const VERTICAL = { ArrowDown: MOVES.ArrowRight, ArrowUp: MOVES.ArrowLeft, Home: MOVES.Home, End: MOVES.End };

// Moves the focus among elements by arrow keys; returns the element, or null for another key.
export function move(event, elements, moves = MOVES) {
  const step = moves[event.key];
  const index = elements.indexOf(document.activeElement);
  if (!step || index < 0 || event.altKey || event.ctrlKey || event.metaKey) return null;
  event.preventDefault();
  const element = elements[step(index, elements.length)];
  element.focus();
  return element;
}

// Tabs as the ARIA Authoring Practices describe them. Calls *select* with a tab.
export function listenToTabs(list, select) {
  const tabs = () => [...list.querySelectorAll('[role="tab"]')];
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const tab = move(event, tabs());
    if (tab) select(tab);
  });
}

export function markSelected(list, selected) {
  for (const tab of list.querySelectorAll('[role="tab"]')) {
    tab.setAttribute("aria-selected", String(tab === selected));
    tab.tabIndex = tab === selected ? 0 : -1;
  }
}

export function setUpTabs(listId, selected) {
  const list = byId(listId);
  const select = (tab) => {
    markSelected(list, tab);
    for (const each of list.querySelectorAll('[role="tab"]')) byId(each.getAttribute("aria-controls")).hidden = each !== tab;
  };
  listenToTabs(list, select);
  select(byId(selected));
  return (id) => select(byId(id));
}

// Segments: buttons of which one is pressed, with arrow keys.
export function showSegments(list, names, selected, onSelect, decorate = () => []) {
  list.replaceChildren(...names.map((name, index) => {
    const element = make("button", { type: "button", "aria-pressed": String(index === selected), tabIndex: index === Math.max(selected, 0) ? 0 : -1 }, ...decorate(index), name);
    element.addEventListener("click", () => onSelect(index));
    return element;
  }));
  list.onkeydown = (event) => move(event, [...list.children]);
}
