// Goal: the manual's way from a new token to a daemon works as it is written, and a file with anything else than one token is refused by its name
// before a request is sent.

import { join } from "node:path";
import { readFileSync, statSync } from "node:fs";
import { expect, test } from "bun:test";
import { ROOT } from "../../release/step.ts";
import { binaryPath, outcomeOf } from "../kit/binaries.ts";
import { failure } from "../kit/cli/cairn.ts";
import { initDesk } from "../kit/cli/init-desk.ts";
import { runContext } from "../kit/context/running-context.ts";
import { within } from "../kit/within.ts";

const EXPECTED = "expected one access token and nothing else, as cairn auth token create prints it on stdout";
/** Nothing listens there, so a request would fail in another way. */
const NOWHERE = ["--server", "http://127.0.0.1:1"];

/** The commands of the section, one for each block. */
async function commandsOf(page: string, heading: string): Promise<string[]> {
  const text = await Bun.file(join(ROOT, "docs", page)).text();
  const section = text.split(`\n### ${heading}\n`)[1]!.split(/^##/m)[0]!;
  return [...section.matchAll(/```sh\n(.+?)\n```/gs)].map((match) => match[1]!);
}

test.skipIf(process.platform === "win32")("the manual's token for a daemon is one that syncs", async () => {
  await using server = await runContext();
  await using at = await initDesk();
  await server.data("user", "add", "ada", "--role", "contributor");
  const shell = async (command: string, environment: Record<string, string> = {}) => {
    const path = `${join(binaryPath("cairn"), "..")}:${process.env["PATH"]}`;
    const child = Bun.spawn(["sh", "-c", command], {
      cwd: at.folder.path,
      env: { ...process.env, HOME: at.folder.path, SERVICE_DIR: at.at("copy"), PATH: path, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return outcomeOf(command, child);
  };
  const [create, install] = await commandsOf("sync.md", "A token for a daemon");
  // The admin works on the server.
  expect(await shell(create!, { SERVICE_SERVER_DIR: server.directory })).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: "the token is shown once and does not expire\n",
  });
  expect(readFileSync(at.at("laptop.token"), "utf8")).toMatch(/^cairn_[\w-]{43}\n$/);
  expect(statSync(at.at("laptop.token")).mode & 0o777).toBe(0o600);
  const token = ["--token-file", at.at("laptop.token")];
  const init = ["init", "client", "--server", server.url, "--space", "team", "--dir", "copy"];
  expect(await at.printed(...init, ...token)).toContain(" as ada: ");
  await at.printed("sync", "--dir", "copy", ...token);
  const { exitCode, stderr } = await shell(install!);
  // Not every system that runs this test can start a unit.
  if (exitCode === 0) expect(stderr).toBe("");
  else
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("the system did not start the daemon (")]);
  await shell("cairn daemon uninstall");
});

test("commands that create a token print it alone on stdout, and the rest on stderr unless --quiet is set", async () => {
  await using server = await runContext();
  const token = expect.stringMatching(/^cairn_[\w-]{43}\n$/);
  const create = ["auth", "token", "create", "root"];
  const said = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await server.cairn(...args);
    return [exitCode, stdout, stderr];
  };
  expect(await said(...create)).toEqual([0, token, "the token is shown once and does not expire\n"]);
  expect(await said(...create, "--expires", "30d")).toEqual([
    0,
    token,
    expect.stringMatching(/^the token is shown once and expires at \S+Z\n$/),
  ]);
  expect(await said(...create, "--quiet")).toEqual([0, token, ""]);
  expect(await said("user", "add", "bob", "--role", "viewer")).toEqual([
    0,
    token,
    "bob is viewer; the token is shown once\n",
  ]);
  expect(await said("user", "reset-token", "bob")).toEqual([
    0,
    token,
    "1 token of bob revoked; the new one is shown once\n",
  ]);
});

test("an admin resets the tokens of their own account with one of them", async () => {
  await using server = await runContext();
  await using at = await initDesk();
  const other = await server.admin.post("/users/root/tokens", {});
  const place = ["--server", server.url, "--token-file"];
  const own = await at.folder.write("own", server.bootstrap);
  const { exitCode, stdout, stderr } = await at.cairn("user", "reset-token", "root", ...place, own);
  expect([exitCode, stderr]).toEqual([0, "2 tokens of root revoked; the new one is shown once\n"]);
  const made = await at.folder.write("new", stdout);
  expect(await at.printed("auth", "whoami", ...place, made)).toContain("root");
  for (const token of [server.bootstrap, other.token])
    expect((await server.as(token).raw("GET", "/auth/whoami")).status).toBe(401);
});

test("a file or variable with anything else than one token is refused before a request", async () => {
  await using at = await initDesk();
  const texts = { sentence: "token, shown once: cairn_x\nit does not expire\n", two: "cairn_x\ncairn_y\n" };
  const files = { ...texts, empty: "\n", accents: "cairn_é\n" };
  for (const [name, text] of Object.entries(files)) {
    const path = await at.folder.write(name, text);
    const refused = failure(`--token-file ${path}: ${EXPECTED}`);
    const token = ["--token-file", path];
    expect(await at.refused("init", "client", ...NOWHERE, ...token)).toEqual(refused);
    expect(await at.refused("auth", "whoami", ...NOWHERE, ...token)).toEqual(refused);
  }
  const child = Bun.spawn([binaryPath("cairn"), "auth", "whoami", ...NOWHERE], {
    env: { ...process.env, HOME: at.folder.path, SERVICE_TOKEN: texts.two },
    stdio: ["ignore", "ignore", "pipe"],
  });
  expect([await within("cairn auth whoami ends", child.exited), await child.stderr.text()]).toEqual(
    failure(`SERVICE_TOKEN: ${EXPECTED}`),
  );
});
