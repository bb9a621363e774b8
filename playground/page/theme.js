// Sets the color scheme before the first paint: the visitor's choice, or that of the system.
{
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const choice = () => {
    try {
      return localStorage.getItem("podgraft-theme");
    } catch {
      return null; // the browser forbids storage
    }
  };
  const apply = () => { document.documentElement.dataset.theme = choice() ?? (dark.matches ? "dark" : "light"); };
  dark.addEventListener("change", apply);
  apply();
}
