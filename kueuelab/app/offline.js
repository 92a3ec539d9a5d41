// Keeps the files of the site in the browser: the second visit needs no network. What a page asks
// of another origin is refused.

importScripts("files.js");

const SITE = `kueuelab:${new URL("./", self.location.href).pathname}:`;
const KEPT = SITE + self.site.version;

/** A browser looks for garbage as small objects are made: few large pieces would all stay. */
const FREEING = {
  transform(piece, pieces) {
    pieces.enqueue(piece);
    new Array(4096).fill(0);
  },
};

/** Keeps a file. What is packed is unpacked once, and not at each start. */
async function keep(kept, name) {
  // The server is asked whether what the browser has is still right.
  const request = new Request(name, { cache: "no-cache" });
  const found = await fetch(request);
  if (!found.ok) throw new Error(`${found.status}: ${name}`);
  const unpacked = () => found.body.pipeThrough(new DecompressionStream("gzip")).pipeThrough(new TransformStream(FREEING));
  await kept.put(request, name.endsWith(".gz") ? new Response(unpacked(), { headers: { unpacked: "yes" } }) : found);
}

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => Promise.all(self.site.files.map((name) => keep(kept, name)))));
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
