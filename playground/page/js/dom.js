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

// Tabs as the ARIA Authoring Practices describe them: arrow keys, Home, and End.
export function setUpTabs(listId, selected) {
  const list = byId(listId);
  const tabs = [...list.querySelectorAll('[role="tab"]')];
  const select = (tab, focus = false) => {
    for (const each of tabs) {
      const isSelected = each === tab;
      each.setAttribute("aria-selected", String(isSelected));
      each.tabIndex = isSelected ? 0 : -1;
      byId(each.getAttribute("aria-controls")).hidden = !isSelected;
    }
    if (focus) tab.focus();
  };
  const moves = {
    ArrowRight: (index) => (index + 1) % tabs.length,
    ArrowLeft: (index) => (index + tabs.length - 1) % tabs.length,
    Home: () => 0,
    End: () => tabs.length - 1,
  };
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    select(tabs[move(tabs.indexOf(document.activeElement))], true);
  });
  select(byId(selected));
  return (id) => select(byId(id));
}
