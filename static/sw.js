// The service worker. It keeps one page and what that page is made of, and
// shows it where a page cannot be had because the network is gone. It never
// keeps any other page, nor an answer of the API.
//
// The server fills in both names: the version changes with the files.

const version = "VERSION";
const files = ["FILES"];
const page = "/offline";

// What is kept is nobody's: a page asked for with cookies would greet whoever
// was signed in, and use up the notice that waits for them.
const nobodys = (address) => new Request(address, { credentials: "omit", cache: address === page ? "reload" : "default" });

const kept = async (address) => (await caches.match(address, { cacheName: version })) ?? Response.error();

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(version).then((cache) => cache.addAll([page, ...files].map(nobodys))));
});

async function tidy() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== version).map((name) => caches.delete(name)));
  // The browser asks for the page while the worker is still waking up.
  await registration.navigationPreload?.enable();
}

addEventListener("activate", (event) => event.waitUntil(tidy()));

async function visit(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return kept(page);
  }
}

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  // A form must go out as it came: sent on from here, one from another site
  // would look like one of ours.
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(visit(event));
  else if (files.includes(pathname + search)) event.respondWith(fetch(request).catch(() => kept(request.url)));
  // The browser's own copy has the colours that the person chose.
  else if (pathname === "/theme.css") event.respondWith(fetch(request).catch(() => fetch(request, { cache: "force-cache" })));
});
