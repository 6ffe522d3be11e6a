// Goal: a command acts on what its flags name; otherwise on the environment, the space around it, the last sign-in, and what this machine has.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { serverUrl } from "../../src/cli/server-url.ts";
import { serverTarget, spaceTarget } from "../../src/cli/target.ts";
import { serverDirectory } from "../../src/context/config/directory.ts";
import { forgetToken, lastSignIn, saveSignIn, saveToken } from "../../src/cli/credentials.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";

const URL_A = "https://a.example.org";
const URL_B = "https://b.example.org";

async function machine() {
  const folder = await temporaryFolder();
  const at = (...names: string[]) => join(folder.path, ...names);
  const environment = { HOME: folder.path };
  return {
    at,
    environment,
    space: (name: string) => folder.write(`${name}/.cairn/space.yaml`, ""),
    server: (name: string) => folder.write(`${name}/server.yaml`, ""),
    signIn: (url: string) => saveSignIn(url, { user: "ann", token: "t" }, environment),
    signOut: (url: string) => forgetToken(url, "t", environment),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("follows the order of flags, environment, last sign-in and standard places for a space", async () => {
  await using here = await machine();
  const { environment, at } = here;
  await refusal(() => spaceTarget({}, environment), "not_found", /cairn init solo.*cairn auth login/);
  await here.server(".cairn/server");
  const data = { kind: "data" as const, directory: at(".cairn/server"), chosen: false };
  expect(spaceTarget({}, environment)).toEqual(data);
  await here.space(".cairn/space");
  const own = { kind: "folder" as const, directory: at(".cairn/space") };
  expect(spaceTarget({}, environment)).toEqual(own);
  await here.signIn(URL_A);
  const address = { kind: "address" as const, url: URL_A, chosen: false };
  expect(spaceTarget({}, environment)).toEqual(address);
  expect(spaceTarget({ local: true }, environment)).toEqual(own);
  const named = { ...environment, SERVICE_SERVER_DIR: at(".cairn/server") };
  expect(spaceTarget({}, named)).toEqual({ ...data, chosen: true });
  expect(spaceTarget({}, { ...named, SERVICE_DIR: at("elsewhere") })).toEqual({
    kind: "folder",
    directory: at("elsewhere"),
  });
  expect(spaceTarget({ server: `${URL_B}/` }, { ...named, SERVICE_DIR: at("x") })).toEqual({
    kind: "address",
    url: URL_B,
    chosen: true,
  });
  expect(spaceTarget({ dir: at("y") }, named)).toEqual({ kind: "folder", directory: at("y") });
});

test("follows the same order for a server, which is never a folder", async () => {
  await using here = await machine();
  const { environment, at } = here;
  await here.space(".cairn/space");
  await refusal(
    () => serverTarget({}, environment),
    "not_found",
    /^no server found in .*; sign in to one with cairn auth login <name> --server <address>, create one/,
  );
  await refusal(
    () => serverDirectory(undefined, environment, { system: "win32" }),
    "not_found",
    `no server found in ${at(".cairn/server")}; create one with cairn init server, or name its directory with --server-dir`,
  );
  await here.server(".cairn/server");
  const data = { kind: "data" as const, directory: at(".cairn/server"), chosen: false };
  expect(serverTarget({}, environment)).toEqual(data);
  await here.signIn(URL_A);
  expect(serverTarget({}, environment)).toEqual({ kind: "address", url: URL_A, chosen: false });
  expect(serverTarget({ local: true }, environment)).toEqual(data);
  expect(serverTarget({}, { ...environment, SERVICE_SERVER_DIR: data.directory })).toEqual({
    ...data,
    chosen: true,
  });
});

test("refuses flags that contradict each other", async () => {
  const both = (one: string, other: string) => `use ${one} or ${other}, not both`;
  const cases: [Parameters<typeof spaceTarget>[0], string][] = [
    [{ server: URL_A, "server-dir": "/x" }, both("--server", "--server-dir")],
    [{ server: URL_A, local: true }, both("--server", "--local")],
    [{ server: URL_A, dir: "/x" }, both("--dir", "--server")],
    [{ "server-dir": "/x", dir: "/y" }, both("--dir", "--server-dir")],
  ];
  for (const [flags, message] of cases) await refusal(() => spaceTarget(flags, {}), "invalid", message);
});

test("remembers the newest sign-in, and none after it was ended", async () => {
  await using here = await machine();
  const { environment } = here;
  await here.signIn(URL_A);
  await here.signIn(URL_B);
  expect(lastSignIn(environment)).toBe(URL_B);
  await saveToken(URL_A, { user: "ann", token: "of a tool" }, environment);
  expect(lastSignIn(environment)).toBe(URL_B);
  await here.signOut(URL_B);
  expect(lastSignIn(environment)).toBeUndefined();
});

test.each([
  ["localhost:8743", "http://localhost:8743"],
  ["[::1]:8743", "http://[::1]:8743"],
  ["context.example.org", "https://context.example.org"],
  ["context.example.org:8743/team", "https://context.example.org:8743/team"],
  ["ftp://context.example.org", undefined],
  ["not an address", undefined],
  ["https://context.example.org/ui#spaces", undefined],
  ["https://:secret@context.example.org", undefined],
])("the address %j without its scheme suggests %j", async (server, meant) => {
  const said = `--server "${server}": expected an address, for example https://context.example.org`;
  const details = meant === undefined ? undefined : { did_you_mean: meant };
  await refusal(() => serverTarget({ server }, {}), "invalid", said, details);
});

test("leaves out the empty end of an address that a browser shows", () => {
  for (const end of ["", "/", "/#", "/?", "///"]) expect(serverUrl(`${URL_A}${end}`)).toBe(URL_A);
});
