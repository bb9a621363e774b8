// Serves each later visit from a cache, so it needs no transfer. One cache for each build.

const BUILD = "@BUILD@";
const CACHE = `podgraft-playground-${BUILD}`;
const POLICY = "@CSP@";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(@FIRST@)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("podgraft-playground-") && name !== CACHE) await caches.delete(name);
    }
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  if (!url.href.startsWith(self.registration.scope)) return;
  event.respondWith(respond(event.request));
});

async function respond(request) {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(request, { ignoreSearch: true });
  // Code is returned as it is, and not stored twice: see worker.js.
  if (cached) return request.url.endsWith(".wasm") ? cached : protect(cached);
  const response = await fetch(request);
  if (response.ok && request.url.includes(`/${BUILD}/`) && !request.url.endsWith(".wasm.gz")) await cache.put(request, response.clone());
  return protect(response);
}

// A worker has the policy of its own response, and a static host sends none.
function protect(response) {
  const headers = new Headers(response.headers);
  headers.set("content-security-policy", POLICY);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
