// What the theme adds to a page has no name for assistive technology, and its frames no keyboard.
const improve = () => {
  for (const nav of document.querySelectorAll(".md-code__nav")) nav.setAttribute("role", "none");
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  }
};
new MutationObserver(improve).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", improve);
improve();
