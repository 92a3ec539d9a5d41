// Keeps the files of the site in the browser: the second visit needs no network. What a page asks
// of another origin is refused.

importScripts("files.js");

const SITE = `kueuelab:${new URL("./", self.location.href).pathname}:`;
const KEPT = SITE + self.site.version;

self.addEventListener("install", (event) => {
  // The server is asked whether what the browser has is still right.
  const requests = self.site.files.map((name) => new Request(name, { cache: "no-cache" }));
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  const forget = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith(SITE) && name !== KEPT);
    await Promise.all(names.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(forget());
});

self.addEventListener("fetch", (event) => {
  const answer = async () => {
    if (new URL(event.request.url).origin !== self.location.origin) return Response.error();
    const kept = await caches.open(KEPT);
    return (await kept.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  };
  event.respondWith(answer());
});
