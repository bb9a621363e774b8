// The service worker, which serves later visits from a cache.

const TIMEOUT = 4000;

// A later visit is served from the cache of the service worker. The page works without one.
export async function useServiceWorker() {
  if (!("serviceWorker" in navigator)) return;
  const controlled = new Promise((resolve) => {
    if (navigator.serviceWorker.controller) resolve();
    navigator.serviceWorker.addEventListener("controllerchange", () => resolve());
  });
  const timeout = new Promise((resolve) => setTimeout(resolve, TIMEOUT));
  try {
    await navigator.serviceWorker.register("./sw.js");
    await Promise.race([controlled, timeout]);
  } catch {
    // The browser refuses service workers, for example in a private window.
  }
}
