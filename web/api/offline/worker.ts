// The service worker: keeps the interface and the conversations that were read last, for reading without a connection. The server is always
// asked first; a stored answer carries its time, and the interface says so. Data belongs to one person and is deleted when that person signs
// out, when the session ends, and before another person signs in. Each build of the interface has a shell of its own: a page that stays open
// over an update still finds the parts that it has not loaded yet. release/ui.ts builds it into /sw.js.

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
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: object): Promise<readonly { readonly id: string }[]>;
  };
}

declare const CAIRN_UI_BUILD: string;
/** Paths of all hashed files of this build. */
declare const CAIRN_UI_ASSETS: readonly string[];
declare const self: Scope;

const SHELL_PREFIX = "cairn-shell-";
const SHELL = `${SHELL_PREFIX}${CAIRN_UI_BUILD}`;
const DATA = "cairn-data";
const PAGE = "/";
const OWNER = "/.owner";
/** In the shell of a replaced build: ids of the pages that were open. */
const OPEN_PAGES = "/.pages";
const WHOAMI = "/api/v1/whoami";
const ANSWERS_MAX = 150;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** Files that are fetched at a time, so that they compete little with what the page asks for. */
const FETCHES_MAX = 4;

/** Counts deletions: an answer that was on its way during one is not kept. */
let deletions = 0;
let last: Promise<unknown> = Promise.resolve();

/** One change of the kept data after the other. */
function inOrder<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work, work);
  last = done.catch(() => undefined);
  return done;
}

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((shell) => Promise.all([shell.add(PAGE), shell.delete(OPEN_PAGES)]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const pages = await openPages();
      for (const shell of await replacedShells())
        await (await caches.open(shell)).put(OPEN_PAGES, Response.json(pages));
      await self.clients.claim();
      await deleteUnusedShells();
    })(),
  );
});

async function openPages(): Promise<string[]> {
  const found = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return found.map(({ id }) => id);
}

async function replacedShells(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(SHELL_PREFIX) && name !== SHELL);
}

/** Deletes the shell of a replaced build once none of its pages is open. One without the list belongs to a build that comes. */
async function deleteUnusedShells(): Promise<void> {
  const open = await openPages();
  for (const name of await replacedShells()) {
    const list = await (await caches.open(name)).match(OPEN_PAGES);
    const users = (await list?.json()) as string[] | undefined;
    if (users?.every((id) => !open.includes(id))) await caches.delete(name);
  }
}

/** The page lists what it loaded before this worker was there. A page of another build lists files that are not of this one. */
self.addEventListener("message", (event) => {
  const paths = Array.isArray(event.data) ? event.data.filter((one) => typeof one === "string") : [];
  const of = (treatment: string) =>
    [...new Set(paths)].filter(
      (path) => treatmentOf("GET", path.split("?")[0]!, { isNavigation: false }) === treatment,
    );
  event.waitUntil(
    (async () => {
      const ours = new Set(CAIRN_UI_ASSETS);
      await keepAssets(of("asset").filter((path) => ours.has(path)));
      const answers = of("kept").filter((path) => path !== WHOAMI);
      for (const path of [WHOAMI, ...answers.slice(0, ANSWERS_MAX)])
        if (!(await (await caches.open(DATA)).match(path))) await readForKeeping(path);
      await deleteUnusedShells();
      await (filling ??= keepAssets(CAIRN_UI_ASSETS).finally(() => (filling = undefined)));
    })(),
  );
});

/** All files of this build, once at a time. */
let filling: Promise<void> | undefined;

/** Ends early when the server is unreachable or has another build by now: the next page continues. */
async function keepAssets(paths: readonly string[]): Promise<void> {
  const shell = await caches.open(SHELL);
  const waiting = [...paths];
  const work = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      if (!(await shell.match(path))) await shell.add(path);
  };
  await Promise.all(Array.from({ length: FETCHES_MAX }, work)).catch(() => (waiting.length = 0));
}

async function readForKeeping(path: string): Promise<void> {
  const before = deletions;
  const found = await fetch(path);
  if (path === WHOAMI) await own(found.clone());
  await inOrder(() => keep(new URL(path, location.origin).href, found, path === WHOAMI ? deletions : before));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  const treatment = treatmentOf(request.method, url.pathname, { isNavigation: request.mode === "navigate" });
  if (treatment === "asset") event.respondWith(asset(request));
  if (treatment === "page") event.respondWith(page(event));
  if (treatment === "kept") event.respondWith(answer(event, url.pathname));
  if (treatment === "forgets") event.respondWith(forget().then(() => fetch(request)));
});

async function asset(request: Request): Promise<Response> {
  // Of any build: the name has a hash of the content.
  const known = await caches.match(request.url);
  if (known) return known;
  const found = await fetch(request);
  if (found.ok) await (await caches.open(SHELL)).put(request.url, found.clone());
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
