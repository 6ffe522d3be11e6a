// The worst that a page of the console can be asked for: a space with 50,000 documents, 10,000 of them in one folder, documents as large and as odd
// as they may be, and many users, rules, spaces and records. A new page or form needs a row here, or a reason (tests/house/worst-cases.test.ts).

import { join } from "node:path";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";
import { BATCH_OPERATIONS_MAX } from "../../../src/context/versioned-store/schema.ts";
import { openSpace } from "../../bench/file-space.ts";
import { admittedTo, carried, signedIn, type ConsolePage, type Visitor } from "../../kit/context/console.ts";
import { contextServer, deny } from "../../kit/context/context-server.ts";
import { measuredServer, type MeasuredServer } from "../../kit/service/measured-server.ts";
import { addVersions } from "./many-versions.ts";

export type PageCase = (one: Visitor) => Promise<unknown>;

const KIB = 1024;
const MIB = 1024 * KIB;
const FILES = 50_000;
const IN_ONE_FOLDER = 10_000;
const CONFLICTS = 1_000;
const DELETED = 2_000;
const USERS = 300;
const RULES = 1_000;
const SPACES = 30;
/** As large as the console renders and edits. */
const SHOWN_BYTES = 256 * KIB;

const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
/** Words that do not compress to nothing. */
const prose = (bytes: number) => {
  const words = Array.from({ length: bytes / 12 }, (_, index) => Bun.hash(`${index}`).toString(36));
  return words
    .map((word, index) => (index % 10 === 0 ? `${word}\n` : word))
    .join(" ")
    .slice(0, bytes);
};

const DOCUMENTS: Readonly<Record<string, string>> = {
  "odd/prose.md": prose(SHOWN_BYTES),
  "odd/links.md": filled("[[a]] [b](c.md)\n", SHOWN_BYTES),
  "odd/list.md": filled("* a\n", SHOWN_BYTES),
  "odd/table.md": `|a|b|\n|-|-|\n${filled("|<|&|\n", SHOWN_BYTES - 20)}`,
  "odd/deep.md": filled("> ", SHOWN_BYTES),
  "odd/brackets.md": filled("[](<", SHOWN_BYTES),
  "odd/lines.md": filled("\n", SHOWN_BYTES),
  "odd/marks.txt": filled("<&>\"'\u202e", SHOWN_BYTES / 2),
};

const get =
  (path: string, status = 200): PageCase =>
  async (one) =>
    expected(await one.get(path), status);
function expected(page: ConsolePage, status: number): ConsolePage {
  if (page.status !== status)
    throw new Error(`${page.path}: ${page.status}, not ${status}: ${page.text.slice(0, 300)}`);
  return page;
}
const send =
  (from: string, action: string, status: number, fields: Record<string, string>): PageCase =>
  async (one) =>
    expected(await one.submit(await one.get(from), action, fields), status);

/** Of a space on a server, and of the one of `cairn ui`. */
const spaceRows = (space: string): Readonly<Record<string, PageCase>> => {
  const at = `/console/spaces/${space}`;
  const save = (path: string, status: number, fields: Record<string, string>) =>
    send(`${at}/edit/${path}`, `${at}/edit/${path}`, status, fields);
  return {
    "the overview": get("/console"),
    "the top folder": get(at),
    "a folder of 10,000 documents": get(`${at}/tree/flat`),
    "the last page of that folder": get(`${at}/tree/flat?after=note-99800.md`),
    "deleted documents": get(`${at}/deleted`),
    "a thousand conflicts": get(`${at}/conflicts`),
    "one of a thousand conflicts": get(`${at}/conflicts/clash/note-7.conflict-ada-20261122T130000Z.md`),
    "the versions of a document that has ten thousand": get(`${at}/history/often.md`),
    "a search for each line": get(`${at}/search?q=.%2B&regex=1`),
    "the difference of two large texts that share nothing": get(`${at}/diff/odd/rewritten.txt`, 413),
    "the difference of two long lines": get(`${at}/diff/odd/line.txt`),
    "a document of 5 MiB": get(`${at}/files/large.txt`),
    "its bytes": get(`${at}/raw/large.txt`),
    ...Object.fromEntries(
      Object.keys(DOCUMENTS).flatMap((path) => [
        [`${path}, to read`, get(`${at}/files/${path}`)],
        [`${path}, as text`, get(`${at}/files/${path}?view=text`)],
        [`${path}, to edit`, get(`${at}/edit/${path}`)],
        [`${path}, as a preview`, save(path, 200, { action: "preview" })],
      ]),
    ),
    "a text that is too large to save, shown again": save("odd/prose.md", 413, {
      action: "save",
      content: prose(SHOWN_BYTES * 3),
    }),
    "a text beside one of 5 MiB that was saved meanwhile": async (one) => {
      const page = await one.get(`${at}/edit/odd/lines.md`);
      const form = { ...page.forms.at(-1)!.fields, base: "1", action: "save", content: prose(SHOWN_BYTES) };
      expected(await one.post(`${at}/edit/large.txt`, form), 412);
    },
    "the whole graph": get(`${at}/graph`),
    "the links of one document": get(`${at}/graph/flat/note-99000.md`),
    "broken links": get(`${at}/graph?list=broken`),
    "the freshness of every document": get(`${at}/freshness`),
    "documents without a rule": get(`${at}/freshness?show=none`),
    snapshots: get(`${at}/snapshots`),
    "a link by the name of no document": get(`${at}/link?name=${"n".repeat(900)}`),
    "changes on disk": get(`${at}/disk`),
    "deleting a document of 5 MiB": get(`${at}/remove/large.txt`),
    "destroying one of ten thousand versions": get(`${at}/destroy/often.md?version=5000`),
  };
};

/**
 * The space keeps its name when its folder is opened on this machine. Documents are rendered and edited by the same code. A search waits for the
 * disk, where nobody but the person who searches waits with it.
 */
export const UI_ROWS = Object.fromEntries(
  Object.entries(spaceRows("team")).filter(([name]) => !/^odd|^a (search|link)/.test(name)),
);

export const CONSOLE_ROWS: Readonly<Record<string, PageCase>> = {
  ...spaceRows("team"),
  "the counters of the overview": get("/console/live"),
  "many spaces": get("/console/spaces"),
  "many users": get("/console/users"),
  "the form for one more, with many spaces": get("/console/users/new"),
  "a user with a thousand rules": get("/console/users/worst"),
  "a thousand rules": get("/console/users/worst/access"),
  "the last of a thousand rules, saved": async (one) => {
    const page = await one.get("/console/users/worst/access?from=900");
    expected(await one.submit(page, "/console/users/worst/access", { do: "save" }), 200);
  },
  "why a user may do something, with a thousand rules": get(
    `/console/access?user=worst&space=team&path=${encodeURIComponent("a/".repeat(400) + "b")}`,
  ),
  "a thousand sync rules": get("/console/spaces/team/settings"),
  "a thousand sync rules, saved": send(
    "/console/spaces/team/settings",
    "/console/spaces/team/settings/sync",
    200,
    { do: "save" },
  ),
  "the audit record": get("/console/audit"),
  "one audit record": get("/console/audit/records/1"),
  "what nobody did": get("/console/audit?action=never.done"),
  "counts of the audit record": get("/console/audit/stats"),
  "the audit record, verified": send("/console/audit/verify", "/console/audit/verify", 200, {}),
  "the audit record, exported": get("/console/audit/export"),
  webhooks: get("/console/webhooks"),
  backups: get("/console/backups"),
  "settings, and checks": send("/console/settings", "/console/settings", 200, {}),
  "my account": get("/console/account"),
  "signing in with a long name and password": async (one) => {
    const { cookies } = one;
    const kept = new Map(cookies);
    cookies.clear();
    const page = await one.get("/console/login");
    const typed = { name: "n".repeat(4_000), password: "p".repeat(1_000) };
    expected(await one.submit(page, "/console/login", typed), 401);
    cookies.clear();
    for (const [name, value] of kept) cookies.set(name, value);
  },
};

/** Forms of a space whose rule is that of a route of the API, which has a row or a reason there. */
const SPACE_FORMS = [
  "POST /console/spaces/:space/disk",
  "POST /console/spaces/:space/new",
  "POST /console/spaces/:space/remove/*",
  "POST /console/spaces/:space/restore/*",
  "POST /console/spaces/:space/undelete/*",
  "POST /console/spaces/:space/destroy/*",
  "POST /console/spaces/:space/conflicts/*",
  "POST /console/spaces/:space/snapshots",
  "POST /console/spaces/:space/snapshots/:id/restore",
  "POST /console/spaces/:space/freshness/validate",
];
/** Pages of a space that show one row by its key, or an empty form. */
const SPACE_QUESTIONS = [
  "GET /console/spaces/:space/new",
  "GET /console/spaces/:space/snapshots/:id/restore",
];

/** Why a page or a form needs no row. */
export const CONSOLE_BOUNDED: Readonly<Record<string, readonly string[]>> = {
  "changes something by the rule of a route of the API": [
    ...SPACE_FORMS,
    "POST /console/logout",
    "POST /console/spaces/:space/settings/quotas",
    "POST /console/new-space",
    "POST /console/spaces/:space/delete",
    "POST /console/account/password",
    "POST /console/account/tokens/revoke",
    "POST /console/account/tokens/:id/revoke",
    "POST /console/users/new",
    "POST /console/users/:user/edit",
    "POST /console/users/:user/password",
    "POST /console/users/:user/disable",
    "POST /console/users/:user/enable",
    "POST /console/users/:user/delete",
    "POST /console/users/:user/tokens",
    "POST /console/users/:user/tokens/revoke",
    "POST /console/users/:user/tokens/:id/revoke",
    "POST /console/webhooks/new",
    "POST /console/webhooks/:id/edit",
    "POST /console/webhooks/:id/test",
    "POST /console/webhooks/:id/disable",
    "POST /console/webhooks/:id/enable",
    "POST /console/webhooks/:id/secret",
    "POST /console/webhooks/:id/delete",
    "POST /console/webhooks/deliveries/:delivery/redeliver",
    "POST /console/audit/acknowledge",
    "POST /console/backups",
    "POST /console/backups/:id/cancel",
  ],
  "shows one row by its key, or an empty form": [
    ...SPACE_QUESTIONS,
    "GET /console/logout",
    "GET /console/new-space",
    "GET /console/spaces/:space/delete",
    "GET /console/account/tokens/revoke",
    "GET /console/account/tokens/:id/revoke",
    "GET /console/users/:user/edit",
    "GET /console/users/:user/password",
    "GET /console/users/:user/disable",
    "GET /console/users/:user/delete",
    "GET /console/users/:user/tokens/revoke",
    "GET /console/users/:user/tokens/:id/revoke",
    "GET /console/webhooks/new",
    "GET /console/webhooks/:id/edit",
    "GET /console/webhooks/:id/disable",
    "GET /console/webhooks/:id/secret",
    "GET /console/webhooks/:id/delete",
    "GET /console/audit/acknowledge",
    "GET /console/backups/live",
  ],
  "a list that limits of its own keep short, or a page of one": [
    "GET /console/webhooks/:id",
    "GET /console/webhooks/dead-letters",
    "GET /console/audit/breaks",
  ],
};

export const UI_BOUNDED: Readonly<Record<string, readonly string[]>> = {
  "changes something by the rule of a route of the API": SPACE_FORMS,
  "shows one row by its key, or an empty form": [...SPACE_QUESTIONS, "GET /console/enter"],
  "the overview again, without its frame": ["GET /console/live"],
  "a list of one space": ["GET /console/spaces"],
  "waits for the disk, where nobody but the person who searches waits with it": [
    "GET /console/spaces/:space/search",
    "GET /console/spaces/:space/link",
  ],
};

interface FurnishedConsole extends AsyncDisposable {
  readonly console: MeasuredPages;
  /** Ends the server, and opens the folder of its space with `cairn ui`. */
  ui(): Promise<MeasuredPages>;
}

interface MeasuredPages {
  readonly measured: MeasuredServer;
  readonly one: Visitor;
}

export async function furnishedConsole(): Promise<FurnishedConsole> {
  const server = await contextServer();
  const root = await signedIn(server, "root");
  const { admin } = server;
  for (let count = 0; count < SPACES; count += 1)
    await admin.post("/spaces", { name: `space-${count}`, template: "blank" });
  for (let count = 0; count < USERS; count += 1) await server.user(`user ${count}`, "viewer");
  await server.user("worst", "viewer");
  const rules = Array.from({ length: RULES }, () => deny(`${"**/*a*/".repeat(40)}b`, "read"));
  await server.rules("worst", ...rules);
  const never = Array.from({ length: RULES }, (_, index) => [`never${index}`, "never"] as const);
  await admin.put("/spaces/team/sync", Object.fromEntries(never));
  await server.stop();
  await furnish(server.inSpace());
  let measured = await measuredServer("context", server.directory);
  return {
    console: { measured, one: carried(root, server.url, measured.url) },
    async ui() {
      await measured[Symbol.asyncDispose]();
      measured = await measuredServer("ui", server.inSpace());
      return { measured, one: await admittedTo(measured.url) };
    },
    async [Symbol.asyncDispose]() {
      await measured[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Fills a space that nobody has open. */
async function furnish(directory: string): Promise<void> {
  const engine = openSpace(directory);
  const write = async (files: Iterable<readonly [path: string, text: string]>) => {
    const all = [...files];
    for (let from = 0; from < all.length; from += BATCH_OPERATIONS_MAX) {
      const operations = all.slice(from, from + BATCH_OPERATIONS_MAX).map(([path, text]) => ({
        op: "put" as const,
        path: parseDocumentPath("path", path),
        content: new TextEncoder().encode(text),
      }));
      await engine.apply({ operations, author: "seed" });
    }
  };
  const removed = Array.from({ length: DELETED }, (_, index) => `gone/note-${index}.md`);
  await write(removed.map((path) => [path, "gone\n"]));
  for (let from = 0; from < DELETED; from += BATCH_OPERATIONS_MAX) {
    const paths = removed.slice(from, from + BATCH_OPERATIONS_MAX);
    const operations = paths.map((path) => ({
      op: "delete" as const,
      path: parseDocumentPath("path", path),
    }));
    await engine.apply({ operations, author: "seed" });
  }
  await write(
    Array.from({ length: FILES }, (_, index) => {
      const name = `note-${index + FILES}.md`;
      const folder = index < FILES - IN_ONE_FOLDER ? `many/${index % 400}` : "flat";
      const text = `---\nstale-after: 90d\n---\n# Note ${index}\n\nSee [[note-${FILES + ((index * 7) % FILES)}]] and other/${index}.md\n`;
      return [`${folder}/${name}`, text] as const;
    }),
  );
  await write(
    Array.from({ length: CONFLICTS }, (_, index) => [
      `clash/note-${index}.conflict-ada-20261122T130000Z.md`,
      `theirs ${index}\n`,
    ]),
  );
  await write(Object.entries(DOCUMENTS));
  for (const mark of ["old", "new"])
    await write([
      ["odd/rewritten.txt", Array.from({ length: 100_000 }, (_, index) => `${mark} ${index}`).join("\n")],
      ["odd/line.txt", filled(`${mark} `, 100 * KIB)],
      ["large.txt", filled(`${mark} word word\n`, 5 * MIB - KIB)],
    ]);
  await write([["often.md", "again\n"]]);
  await engine.close();
  addVersions(join(directory, ".cairn", "space.db"));
}
