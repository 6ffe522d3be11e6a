// The service worker: keeps the interface and the conversations that were read last, for reading without a connection. The server is always
// asked first; a stored answer carries its time, and the interface says so. Data belongs to one person and is deleted when that person signs
// out, when the session ends, and before another person signs in. release/ui.ts builds it into /sw.js.

import { STORED_HEADER, treatmentOf } from "./rules.ts";

interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface AnsweringEvent extends LifeEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  addEventListener(name: "install" | "activate", hear: (event: LifeEvent) => void): void;
  addEventListener(name: "fetch", hear: (event: AnsweringEvent) => void): void;
  addEventListener(name: "message", hear: (event: LifeEvent & { readonly data: unknown }) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

declare const CAIRN_UI_BUILD: string;
const scope = globalThis as unknown as Scope;

const SHELL_PREFIX = "cairn-shell-";
const SHELL = `${SHELL_PREFIX}${CAIRN_UI_BUILD}`;
const DATA = "cairn-data";
const PAGE = "/";
const OWNER = "/.owner";
const WHOAMI = "/api/v1/whoami";
const ANSWERS_MAX = 150;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const ASSETS_MAX = 400;

/** Counts deletions: an answer that was on its way during one is not kept. */
let deletions = 0;
let last: Promise<unknown> = Promise.resolve();

/** One change of the kept data after the other. */
function inOrder<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work, work);
  last = done.catch(() => undefined);
  return done;
}

scope.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((shell) => shell.add(PAGE))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith(SHELL_PREFIX) && name !== SHELL) await caches.delete(name);
      await scope.clients.claim();
    })(),
  );
});

/** The page lists what it loaded before this worker was there. */
scope.addEventListener("message", (event) => {
  const paths = Array.isArray(event.data) ? event.data.filter((one) => typeof one === "string") : [];
  const of = (treatment: string) =>
    [...new Set(paths)].filter((path) => treatmentOf("GET", path.split("?")[0]!, false) === treatment);
  event.waitUntil(
    (async () => {
      const shell = await caches.open(SHELL);
      for (const path of of("asset").slice(0, ASSETS_MAX))
        if (!(await shell.match(path))) await shell.add(path);
      const answers = of("kept").filter((path) => path !== WHOAMI);
      for (const path of [WHOAMI, ...answers.slice(0, ANSWERS_MAX)])
        if (!(await (await caches.open(DATA)).match(path))) await readForKeeping(path);
    })(),
  );
});

async function readForKeeping(path: string): Promise<void> {
  const before = deletions;
  const found = await fetch(path);
  if (path === WHOAMI) await own(found.clone());
  await inOrder(() => keep(new URL(path, location.origin).href, found, path === WHOAMI ? deletions : before));
}

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  const treatment = treatmentOf(request.method, url.pathname, request.mode === "navigate");
  if (treatment === "asset") event.respondWith(asset(request));
  if (treatment === "page") event.respondWith(page(event));
  if (treatment === "kept") event.respondWith(answer(event, url.pathname));
  if (treatment === "forgets") event.respondWith(forget().then(() => fetch(request)));
});

async function asset(request: Request): Promise<Response> {
  const shell = await caches.open(SHELL);
  const known = await shell.match(request.url);
  if (known) return known;
  const found = await fetch(request);
  if (found.ok) await shell.put(request.url, found.clone());
  return found;
}

async function page(event: AnsweringEvent): Promise<Response> {
  try {
    const found = await fetch(event.request);
    const isPage = found.ok && found.headers.get("content-type")?.startsWith("text/html") === true;
    const copy = isPage ? found.clone() : undefined;
    if (copy) event.waitUntil(caches.open(SHELL).then((shell) => shell.put(PAGE, copy)));
    return found;
  } catch (error) {
    const known = await (await caches.open(SHELL)).match(PAGE);
    if (known) return known;
    throw error;
  }
}

async function answer(event: AnsweringEvent, path: string): Promise<Response> {
  const { request } = event;
  const before = deletions;
  try {
    const found = await fetch(request);
    const copy = found.clone();
    // Before the page gets it: what comes after belongs to the person whom it names.
    if (path === WHOAMI) await own(copy.clone());
    event.waitUntil(inOrder(() => keep(request.url, copy, path === WHOAMI ? deletions : before)));
    return found;
  } catch (error) {
    const known = await (await caches.open(DATA)).match(request.url);
    if (known) return known;
    throw error;
  }
}

/** Deletes what belongs to anyone but the person of this answer. */
async function own(who: Response): Promise<void> {
  const id = who.ok ? String(((await who.json()) as { id?: unknown }).id) : "";
  const data = await caches.open(DATA);
  const owner = await (await data.match(OWNER))?.text();
  if (owner === id) return;
  await forget();
  if (id !== "") await (await caches.open(DATA)).put(OWNER, new Response(id));
}

async function keep(url: string, found: Response, before: number): Promise<void> {
  if (found.status === 401) return forget();
  const data = await caches.open(DATA);
  if (!found.ok) return void (await data.delete(url));
  const body = await found.arrayBuffer();
  const hasOwner = (await data.match(OWNER)) !== undefined;
  if (!hasOwner || before !== deletions || body.byteLength > ANSWER_BYTES_MAX) return;
  const headers = { "Content-Type": "application/json", [STORED_HEADER]: new Date().toISOString() };
  await data.delete(url);
  await data.put(url, new Response(body, { headers }));
  // Deleted while it was written.
  if (before !== deletions) return void (await caches.delete(DATA));
  const kept = (await data.keys()).filter((one) => !one.url.endsWith(OWNER));
  for (const one of kept.slice(0, Math.max(0, kept.length - ANSWERS_MAX))) await data.delete(one);
}

async function forget(): Promise<void> {
  deletions += 1;
  await caches.delete(DATA);
}
