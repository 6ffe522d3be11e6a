// Goal: `cairn ui` prints an address that works once, opens it where it can, leaves the space to other commands, ends with Ctrl+C, and refuses to serve
// anybody but this machine.

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startTerminal } from "../../src/kit/processes/process.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt, failure } from "../kit/cli/cairn.ts";
import { visitor } from "../kit/context/console.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/console\/enter\?key=[\w-]{43}/g;

async function space(): Promise<Folder & { readonly at: readonly string[] }> {
  const folder = await temporaryFolder();
  const at = ["--dir", join(folder.path, "notes")];
  await cairnAt(at).printed("init", "solo", "--quiet");
  return { ...folder, at };
}

/** Runs it without a terminal, until it is told to end. */
function running(...args: string[]) {
  const child = Bun.spawn([binaryPath("cairn"), "ui", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const read = (async () => {
    for await (const piece of child.stdout) printed += new TextDecoder().decode(piece);
  })();
  const ended = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await Promise.all([child.exited, read]);
    return { exitCode: child.exitCode, printed, said: await child.stderr.text() };
  };
  return {
    printed: () => printed,
    ended,
    [Symbol.asyncDispose]: () =>
      ended("SIGKILL").then(
        () => {},
        () => {},
      ),
  };
}

describe("cairn ui", () => {
  test("shows the space to the browser that opens the address, while other commands go on, and ends with Ctrl+C", async () => {
    await using folder = await space();
    const cairn = cairnAt(folder.at);
    await using ui = running(...folder.at, "--no-open");
    await until(() => ui.printed().endsWith("\n"));
    const [address = ""] = ui.printed().match(ADDRESS) ?? [];
    expect(ui.printed()).toBe(`${address}\n`);
    const { origin, pathname, search } = new URL(address);
    const one = visitor(origin);
    const page = await one.get(pathname + search);
    expect([page.status, page.path]).toEqual([200, "/console"]);
    expect(
      await cairn.printed("file", "put", "from-a-command.md", "--from", "/dev/null", "--quiet"),
    ).toBeDefined();
    expect((await one.get("/console/spaces/notes/freshness?show=none")).text).toContain("from-a-command.md");
    const { exitCode, said } = await ui.ended("SIGINT");
    expect([exitCode, said]).toEqual([
      0,
      `[info] notes in ${folder.at[1]}: the address works once, within 5 minutes; Ctrl+C ends cairn ui\n`,
    ]);
    await expect(fetch(`${origin}/console`)).rejects.toThrow();
  });

  test("prints data for scripts, takes a port, and says which one is taken", async () => {
    await using folder = await space();
    await using ui = running(...folder.at, "--json", "--quiet");
    await until(() => ui.printed().endsWith("}\n"));
    const { address, ...rest } = JSON.parse(ui.printed()) as Record<string, string>;
    expect(rest).toEqual({ space: "notes", place: folder.at[1]! });
    const { port } = new URL(address!);
    expect(await cairnAt(folder.at).refused("ui", "--port", port)).toEqual(
      failure(
        `listen 127.0.0.1:${port}: the address is already in use; stop the other program or choose another port`,
      ),
    );
    expect((await ui.ended("SIGTERM")).said).toBe("");
  });

  test("refuses to listen for other machines, a bad port, and a folder without a space", async () => {
    await using folder = await space();
    const { refused } = cairnAt(folder.at);
    for (const address of ["0.0.0.0", "::", "192.168.1.5", "localhost", "127.0.0.2"])
      expect(await refused("ui", "--address", address)).toEqual(
        failure(
          `cannot listen on ${address}: cairn ui serves this machine only; use 127.0.0.1 or ::1, or share the space with a context server`,
        ),
      );
    expect(await refused("ui", "--port", "65536")).toEqual(
      failure('--port "65536": expected a number from 0 to 65535'),
    );
    const [exitCode, said] = await cairnAt(["--dir", join(folder.path, "none")]).refused("ui");
    expect([exitCode, said.includes("no space in")]).toEqual([1, true]);
  });

  test.skipIf(process.platform === "win32")(
    "on a terminal opens the browser, and prints a new address when Enter is pressed",
    async () => {
      await using folder = await space();
      const opened = join(folder.path, "opened");
      const browser = await folder.write(
        "browser",
        `#!/bin/sh\nprintf %s "$1" > "${opened}.part"\nmv "${opened}.part" "${opened}"\n`,
      );
      chmodSync(browser, 0o755);
      let shown = "";
      const terminal = startTerminal([binaryPath("cairn"), "ui", ...folder.at], {
        environment: process.env,
        variables: { TERM: "dumb", BROWSER: browser, HOME: folder.path },
        columns: 500,
        rows: 24,
        output: (chunk) => (shown += new TextDecoder().decode(chunk)),
        drained: () => {},
      })!;
      try {
        await until(() => shown.includes("Ctrl+C ends cairn ui") && existsSync(opened));
        const [first = ""] = shown.match(ADDRESS) ?? [];
        expect(readFileSync(opened, "utf8")).toBe(first);
        expect(shown).toContain("press Enter for a new one");
        terminal.write(new TextEncoder().encode("\n"));
        await until(() => (shown.match(ADDRESS)?.length ?? 0) === 2);
        const [, second = ""] = shown.match(ADDRESS) ?? [];
        expect([(await fetch(first)).status, (await fetch(second, { redirect: "manual" })).status]).toEqual([
          403, 303,
        ]);
      } finally {
        terminal.kill();
        await terminal.ended;
      }
    },
  );
});
