// The sizes of the panes, by their dividers; the views of a phone; the size of the verdict.

import { byId, listenToTabs, markSelected } from "./dom.js";

const STEP = 16;
const KEY = "podgraft-panes";
const DIVIDERS = {
  "divider-input": { property: "--input-width", measure: () => byId("input").offsetWidth, at: (event) => event.clientX, grow: "ArrowRight", shrink: "ArrowLeft", max: () => innerWidth * 0.7 },
  "divider-panes": { property: "--configuration-height", measure: () => byId("pane-configuration").offsetHeight, at: (event) => byId("input").getBoundingClientRect().bottom - event.clientY, grow: "ArrowUp", shrink: "ArrowDown", max: () => byId("input").offsetHeight - 120 },
};
const MIN = 120;
const SHRINK = 120; // pixels that are scrolled before the verdict becomes one line
const EXPAND = 8;

export function setUpPanes() {
  const sizes = read();
  for (const [id, divider] of Object.entries(DIVIDERS)) setUpDivider(id, divider, sizes);
  setUpVerdict();
}

function setUpDivider(id, { property, measure, at, grow, shrink, max }, sizes) {
  const element = byId(id);
  const set = (size) => {
    const limited = size === null ? null : Math.round(Math.max(MIN, Math.min(size, max())));
    if (limited === null) byId("frame").style.removeProperty(property);
    else byId("frame").style.setProperty(property, `${limited}px`);
    sizes[id] = limited;
    write(sizes);
    describe();
  };
  const describe = () => {
    element.setAttribute("aria-valuemin", String(MIN));
    element.setAttribute("aria-valuemax", String(Math.max(MIN, Math.round(max()))));
    element.setAttribute("aria-valuenow", String(Math.round(Math.max(MIN, Math.min(measure(), Math.max(MIN, max()))))));
  };
  if (sizes[id]) set(sizes[id]);
  describe();
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    element.onpointermove = (moved) => set(at(moved));
  });
  element.addEventListener("pointerup", () => { element.onpointermove = null; });
  element.addEventListener("dblclick", () => set(null));
  element.addEventListener("keydown", (event) => {
    const size = { [grow]: measure() + STEP, [shrink]: measure() - STEP, Home: MIN, End: max() }[event.key];
    if (size === undefined) return;
    event.preventDefault();
    set(size);
  });
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function write(sizes) {
  try {
    localStorage.setItem(KEY, JSON.stringify(sizes));
  } catch {
    // The browser forbids storage; the sizes hold until the next load.
  }
}

// The verdict is one line while the result is scrolled.
function setUpVerdict() {
  const verdict = byId("verdict");
  const update = (top, room) => {
    if (top > SHRINK && room > 2 * SHRINK) verdict.classList.add("small");
    else if (top < EXPAND) verdict.classList.remove("small");
  };
  const result = byId("result");
  result.addEventListener("scroll", () => update(result.scrollTop, result.scrollHeight - result.clientHeight), { passive: true });
  addEventListener("scroll", () => update(scrollY, document.documentElement.scrollHeight - innerHeight), { passive: true });
}

// On a phone, the page has the view of the result, and that of the input.
export function setUpViews() {
  const list = byId("views");
  const show = (name) => {
    document.body.dataset.view = name;
    markSelected(list, byId(`view-${name}`));
  };
  listenToTabs(list, (tab) => show(tab.id.slice("view-".length)));
  return show;
}
