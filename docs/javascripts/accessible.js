// What the theme adds to a page has no name for assistive technology, and its frames and its menu have no keyboard.
const improve = () => {
  for (const nav of document.querySelectorAll(".md-code__nav")) nav.setAttribute("role", "none");
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  }
};
new MutationObserver(improve).observe(document.body, { childList: true, subtree: true });
// On a narrow page, or a magnified one, the menu and the search are labels of hidden check boxes.
for (const label of document.querySelectorAll(".md-header label[for=__drawer], .md-header label.md-header__button[for=__search]")) {
  Object.assign(label, { tabIndex: 0, role: "button", ariaLabel: label.title });
  label.addEventListener("keydown", (event) => {
    if (event.key !== " ") return; // the theme listens to Enter
    event.preventDefault();
    label.click();
  });
}
addEventListener("resize", improve);
improve();
