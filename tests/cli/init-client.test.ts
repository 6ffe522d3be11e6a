// Goal: `cairn init client` proves what it is told before it writes anything, and keeps what is in a folder; `--reconfigure` changes the settings
// that it is told to and nothing else.

import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { failure } from "../kit/cli/cairn.ts";
import { pictureOf } from "../kit/folder.ts";
import { BACK, CANCEL, CLEAR, DOWN, ENTER, initDesk } from "../kit/cli/init-desk.ts";
import { runContext } from "../kit/context/running-context.ts";

describe("init --reconfigure", () => {
  test("shows the settings of a space, changes those that it is told to, and nothing else", async () => {
    await using at = await initDesk();
    await at.printed("init", "solo", "--dir", "notes");
    await at.folder.write("notes/decisions.md", "edited\n");
    const change = (...flags: string[]) => ["init", "solo", "--reconfigure", "--dir", "notes", ...flags];
    const shown = (settings: object, changed: string[]) => ({
      kind: "solo",
      directory: at.at("notes"),
      settings: { name: "notes", template: "solo", "max-versions": "0", ...settings },
      changed,
    });
    const before = pictureOf(at.at("notes", "team"));
    expect(await at.data<object>("init", "--reconfigure", "--dir", "notes")).toEqual(shown({}, []));
    expect(await at.refused(...change("--name", "Bad Name", "--template", "team"))).toEqual(
      failure(
        '--name "Bad Name": 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends; --template "team": a solo installation keeps what it was created with',
      ),
    );
    expect(await at.refused(...change("--force"))).toEqual(failure("use --reconfigure or --force, not both"));
    const changed = await at.data<object>(...change("--name", "mine", "--max-versions", "5"));
    expect(changed).toEqual(shown({ name: "mine", "max-versions": "5" }, ["name", "max-versions"]));
    expect(readFileSync(at.at("notes", ".cairn", "space.yaml"), "utf8")).toContain("max_versions: 5");
    expect(await at.data<object>("status", "--dir", "notes")).toMatchObject({
      space: "mine",
      versions: 7,
      changes: { modified: ["decisions.md"] },
    });
    expect(pictureOf(at.at("notes", "team"))).toEqual(before);
    expect((await at.refused("init", "--reconfigure", "--dir", "none"))[1]).toContain(
      "nothing to reconfigure in",
    );
  });

  test("changes the address of a server in its file, with every comment kept", async () => {
    await using at = await initDesk();
    await at.printed(..."init server --data-dir data --space main --admin ada --port 0 --quiet".split(" "));
    await at.folder.write(
      "data/server.yaml",
      "# ours\nlisten:\n  # behind a proxy\n  port: 8743 # as always\nquotas:\n  max_files: 10\n",
    );
    const change = (...flags: string[]) => [
      "init",
      "server",
      "--reconfigure",
      "--server-dir",
      "data",
      ...flags,
    ];
    const [, wrong] = await at.refused(...change("--port", "x", "--address", "224.0.0.1"));
    expect(wrong).toContain('--address "224.0.0.1": a multicast address');
    expect(wrong).toContain('; --port "x": expected a number from 0 to 65535');
    expect(await at.printed(...change("--port", "9000", "--address", "::1"))).toEndWith(
      "changed: address, port; a running server applies this from its next start\n",
    );
    expect(readFileSync(at.at("data", "server.yaml"), "utf8")).toBe(
      '# ours\nlisten:\n  address: "::1"\n  # behind a proxy\n  port: 9000 # as always\nquotas:\n  max_files: 10\n',
    );
    await at.folder.write("data/server.yaml", "listen: { port: 1 }\n");
    expect((await at.refused(...change("--port", "2")))[1]).toContain("safely; change listen.address");
    expect(readFileSync(at.at("data", "server.yaml"), "utf8")).toBe("listen: { port: 1 }\n");
  });

  test.skipIf(process.platform === "win32")(
    "asks at a terminal, and writes nothing before Save",
    async () => {
      await using at = await initDesk();
      await at.printed("init", "solo", "--dir", "notes");
      const args = ["init", "--reconfigure", "--dir", "notes"];
      const left = await at.typed(args, [
        ["Name of the space", `${CLEAR}mine${ENTER}`],
        ["How many versions", CANCEL],
      ]);
      expect([left.exitCode, left.unasked]).toEqual([1, 0]);
      const saved = await at.typed(args, [
        ["Name of the space", `${CLEAR}mine${ENTER}`],
        ["How many versions", BACK],
        ["Name of the space", `s${ENTER}`],
        ["How many versions", ENTER],
        ["Save name: notes → mines?", ENTER],
      ]);
      expect([saved.exitCode, saved.unasked]).toEqual([0, 0]);
      expect(saved.text).toContain("changed: name\n");
      expect(await at.data<object>("status", "--dir", "notes")).toMatchObject({ space: "mines" });
    },
  );
});

describe("init client", () => {
  /** A server with two spaces, of which one has files, and a home on another machine. */
  async function office() {
    const server = await runContext();
    const at = await initDesk();
    await server.admin.post("/spaces", { name: "other", template: "solo" });
    await server.admin.write("docs/a b.md", "one\n");
    const token = server.bootstrap;
    return {
      server,
      at,
      token,
      tokenFile: await at.folder.write("token", `${token}\n`),
      async [Symbol.asyncDispose]() {
        await at[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  test("proves address, token and space before it writes anything, then clones and keeps the token for later syncs", async () => {
    await using one = await office();
    const { at, server, tokenFile } = one;
    const init = (...flags: string[]) => ["init", "client", "--server", server.url, ...flags];
    const wrong = await at.folder.write("wrong", "cairn_nothing");
    const before = pictureOf(at.folder.path);
    expect(await at.refused("init", "client")).toEqual(
      failure(
        "missing flag: --server; there is no terminal to ask\nusage: cairn init client --server <url> [flags]",
      ),
    );
    expect(await at.refused("init", "client", "--server", "ftp://x")).toEqual(
      failure('--server "ftp://x": expected an address, for example https://context.example.org'),
    );
    const refusals: [string[], number, string][] = [
      [["init", "client", "--server", "http://127.0.0.1:1"], 2, "does not answer: connection refused"],
      [init(), 2, `not signed in to ${server.url}; run cairn auth login <name> --server ${server.url}`],
      [init("--token-file", wrong), 2, "run cairn auth login <name>"],
      [init("--token-file", at.at("none")), 1, "--token-file"],
      [init("--token-file", tokenFile), 1, "missing flag: --space; choose one of other, team"],
      [
        init("--token-file", tokenFile, "--space", "x"),
        1,
        `--space "x": not found on ${server.url}; choose one of`,
      ],
      [init("--token-file", tokenFile, "--space", "team", "--dir", wrong), 1, `${wrong} is not a folder`],
    ];
    for (const [args, code, part] of refusals) {
      const [exitCode, said] = await at.refused(...args);
      expect([args, exitCode, said]).toEqual([args, code, expect.stringContaining(part)]);
    }
    expect(pictureOf(at.folder.path)).toEqual(before);
    const made = await at.printed(...init("--token-file", tokenFile, "--space", "team", "--dir", "team"));
    expect(made).toStartWith(
      `${at.at("team")} follows the space team of ${server.url} as root: fetched 1 file, 4 B\n`,
    );
    expect(readFileSync(at.at("team", "docs", "a b.md"), "utf8")).toBe("one\n");
    expect(statSync(at.at(".cairn", "credentials.json")).mode & 0o777).toBe(0o600);
    // The stored token is enough now, and the same folder is no second clone.
    expect((await at.cairn(...init("--space", "team", "--dir", "team"))).exitCode).toBe(0);
    expect((await at.refused(...init("--space", "other", "--dir", "team")))[1]).toContain(
      "already syncs with team",
    );
  });

  test("--reconfigure moves a copy to another address of the same server, and to no other", async () => {
    await using one = await office();
    await using stranger = await runContext();
    const { at, server, tokenFile } = one;
    await at.printed("init", "client", "--server", server.url, "--token-file", tokenFile, "--space", "team");
    const change = (url: string) => ["init", "client", "--reconfigure", "--server", url];
    const other = await at.folder.write("other", stranger.bootstrap);
    expect((await at.refused(...change(stranger.url), "--token-file", other))[1]).toContain(
      "already syncs with team",
    );
    const address = server.url.replace("127.0.0.1", "localhost");
    expect(await at.data<object>(...change(address), "--token-file", tokenFile)).toMatchObject({
      changed: ["server", "token"],
    });
    expect(await at.data<object>("status", "--local")).toMatchObject({
      sync: { server: address, space: "team", user: "root" },
    });
  });

  test("--reconfigure replaces the token of a copy, and refuses one of another user", async () => {
    await using one = await office();
    const { at, server, tokenFile } = one;
    const { token: first } = await server.admin.post("/users", { name: "ann", role: "contributor" });
    const { token: second } = await server.admin.post("/users/ann/tokens", { label: "laptop" });
    const [firstFile, secondFile] = [await at.folder.write("1", first), await at.folder.write("2", second)];
    await at.printed("init", "client", "--server", server.url, "--token-file", firstFile, "--space", "team");
    const saved = () =>
      JSON.parse(readFileSync(at.at(".cairn", "credentials.json"), "utf8"))[server.url].users;
    const change = (...flags: string[]) => ["init", "client", "--reconfigure", ...flags];
    expect((await at.refused(...change("--token-file", tokenFile)))[1]).toContain("as ann, not as root");
    expect(saved()).toEqual([{ user: "ann", token: first }]);
    const settings = { server: server.url, space: "team", user: "ann" };
    const same = ["--server", server.url, "--space", "team"];
    expect(await at.data<object>(...change(...same))).toMatchObject({ settings, changed: [] });
    for (const [token, ...flags] of [
      [second, "--token-file", secondFile],
      [first, "--token-file", firstFile, ...same],
    ]) {
      expect(await at.data<object>(...change(...flags))).toMatchObject({ settings, changed: ["token"] });
      expect(saved()).toEqual([{ user: "ann", token }]);
    }
  });

  test("takes a folder with a space of its own only by --force, and keeps what is in it", async () => {
    await using one = await office();
    const { at, server, tokenFile } = one;
    await at.printed("init", "solo", "--dir", "mine", "--template", "blank");
    await at.folder.write("mine/note.md", "mine\n");
    const flags = ["--server", server.url, "--token-file", tokenFile, "--space", "team", "--dir", "mine"];
    const [exitCode, said] = await at.refused("init", "client", ...flags);
    expect([exitCode, said]).toEqual([1, expect.stringContaining("or pass --force: its files stay")]);
    await at.printed("init", "client", ...flags, "--force");
    expect(readFileSync(at.at("mine", "note.md"), "utf8")).toBe("mine\n");
    expect(readFileSync(at.at("mine", "docs", "a b.md"), "utf8")).toBe("one\n");
  });

  test.skipIf(process.platform === "win32")(
    "asks for another token if the saved one is refused, and says why",
    async () => {
      await using one = await office();
      const { at, server, token, tokenFile } = one;
      const init = ["init", "client", "--server", server.url, "--space", "team", "--dir", "copy"];
      const credentials = {
        [server.url]: { users: [{ user: "root", token: "cairn_revoked" }], current: "root" },
      };
      await at.folder.write(".cairn/credentials.json", JSON.stringify(credentials));
      // Nobody is there to ask.
      expect((await at.refused(...init))[1]).toContain("Error: the token is not valid");
      const answers = [
        ["the token is not valid", ""],
        ["How do you sign in to", ENTER],
        ["Type or paste the token", `${token}${ENTER}`],
        ["Keep the folder in sync in the background?", DOWN + ENTER],
        ["Follow the space team", ENTER],
      ] as const;
      const { exitCode, unasked } = await at.typed(init, answers);
      expect([unasked, exitCode]).toEqual([0, 0]);
      expect(readFileSync(at.at("copy", "docs", "a b.md"), "utf8")).toBe("one\n");
      // It replaced the refused one.
      expect((await at.cairn("sync", "--dir", "copy")).exitCode).toBe(0);
      // A token that this command names is an answer already.
      await at.folder.write("token", "cairn_revoked");
      const { text } = await at.typed([...init, "--token-file", tokenFile], []);
      expect(text).toContain("Error: the token is not valid");
    },
  );

  test.skipIf(process.platform === "win32")("asks again for what the server refuses", async () => {
    await using one = await office();
    const { at, server, token } = one;
    const { text, exitCode, unasked } = await at.typed(
      ["init", "client"],
      [
        ["What is the address of the server?", `${CLEAR}http://127.0.0.1:1${ENTER}`],
        ["connection refused", ""],
        ["What is the address of the server?", `${CLEAR}${server.url}${ENTER}`],
        ["How do you sign in to", ENTER],
        ["Type or paste the token", BACK],
        ["How do you sign in to", ENTER],
        ["Type or paste the token", `wrong${ENTER}`],
        ["run cairn auth login", ""],
        ["How do you sign in to", ENTER],
        ["Type or paste the token", `${token}${ENTER}`],
        ["Which space does the folder follow?", DOWN + ENTER],
        ["Which folder?", BACK],
        ["Which space does the folder follow?", ENTER],
        ["Which folder?", `${CLEAR}~/copy${ENTER}`],
        ["Keep the folder in sync in the background?", DOWN + ENTER],
        [`Follow the space team of ${server.url} in ${at.at("copy")}?`, ENTER],
      ],
    );
    expect([unasked, exitCode, text.includes(token)]).toEqual([0, 0, false]);
    expect(readFileSync(at.at("copy", "docs", "a b.md"), "utf8")).toBe("one\n");
  });
});
