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

const MOVES = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

// Tabs as the ARIA Authoring Practices describe them: arrow keys, Home, and End. Calls *select* with a tab.
export function listenToTabs(list, select) {
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const tabs = [...list.querySelectorAll('[role="tab"]')];
    const move = MOVES[event.key];
    if (!move || !tabs.includes(document.activeElement)) return;
    event.preventDefault();
    const tab = tabs[move(tabs.indexOf(document.activeElement), tabs.length)];
    select(tab);
    tab.focus();
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
