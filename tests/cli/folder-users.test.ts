// Goal: folders of several users under one home sync as the user who joined each, whoever is signed in; without that user's token nothing is sent,
// nothing is recorded, and the command that signs them in is named.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { binaryPath } from "../kit/binaries.ts";
import { failure } from "../kit/cli/cairn.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { initDesk } from "../kit/cli/init-desk.ts";
import { within } from "../kit/within.ts";

const PASSWORD = "correct horse battery";

/** A server with the users ann, bob and eve, and a home on another machine with their tokens in files. */
async function office() {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await contextServer());
  const at = stack.use(await initDesk());
  const tokens: Record<string, string> = {};
  for (const name of ["ann", "bob", "eve"]) {
    const { token } = await server.user(name, "contributor");
    tokens[name] = token;
    await at.folder.write(`${name}.token`, `${token}\n`);
    await server.admin.put(`/users/${name}/password`, { password: PASSWORD });
  }
  const remote = ["--server", server.url];
  const kept = stack.move();
  return {
    server,
    at,
    tokens,
    remote,
    /** Signs in from a pipe. */
    async login(name: string) {
      const child = Bun.spawn([binaryPath("cairn"), "auth", "login", name, ...remote], {
        env: { ...process.env, HOME: at.folder.path },
        stdio: [new Blob([PASSWORD]), "ignore", "inherit"],
      });
      expect(await within("cairn auth login ends", child.exited)).toBe(0);
    },
    /** Joins a folder with the name of the user; with their token in a file, or as the current user. */
    join: (name: string, ...flags: string[]) =>
      at.printed("init", "client", ...remote, "--space", "team", "--dir", name, ...flags),
    tokenFile: (name: string) => ["--token-file", at.at(`${name}.token`)],
    whoami: async () => (await at.data<{ name: string }>("auth", "whoami", ...remote)).name,
    author: async (path: string) =>
      (await server.admin.get(`/spaces/team/history/${path}`)).versions[0]?.author,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const signIn = (url: string, name: string) => `run cairn auth login ${name} --server ${url}`;
const notSignedIn = (url: string, name: string) =>
  failure(
    `not signed in to ${url} as ${name}; ${signIn(url, name)}, or pass a token of ${name} with --token-file or SERVICE_TOKEN`,
    2,
  );

describe("a folder that syncs", () => {
  test("acts as the user who joined it, and joining changes no sign-in", async () => {
    await using one = await office();
    const { at } = one;
    await one.login("ann");
    await one.join("ann");
    await one.join("bob", ...one.tokenFile("bob"));
    expect(await one.whoami()).toBe("ann");
    await at.folder.write("ann/a.md", "of ann\n");
    await at.folder.write("bob/b.md", "of bob\n");
    await at.printed("sync", "--dir", "bob");
    await at.printed("sync", "--dir", "ann");
    expect([await one.author("a.md"), await one.author("b.md")]).toEqual(["ann", "bob"]);
    await one.login("bob");
    expect(await one.whoami()).toBe("bob");
    await at.folder.write("ann/a.md", "of ann, again\n");
    await at.printed("push", "--dir", "ann");
    expect(await one.author("a.md")).toBe("ann");
    // Bob is signed in, and the folder is still Ann's.
    expect(await one.join("ann")).toContain(" as ann: nothing new\n");
  });

  test("refuses to sync without a token of its user, and with that of another, and changes nothing", async () => {
    await using one = await office();
    const { at, server } = one;
    await one.login("ann");
    await one.join("ann");
    await one.login("bob");
    expect(await at.printed("auth", "logout", "ann", ...one.remote)).toBe(
      `signed out of ${server.url} as ann\n`,
    );
    await at.folder.write("ann/new.md", "new\n");
    const before = await at.data<object>("status", "--dir", "ann");
    const rule = ["space", "sync", "set", "docs", "never"];
    const commands = [["sync"], ["pull"], ["push"], ["daemon", "start"], ["daemon", "install"], rule];
    for (const command of commands)
      expect(await at.refused(...command, "--dir", "ann")).toEqual(notSignedIn(server.url, "ann"));
    const belongs = (remedy: string) =>
      failure(
        `the token belongs to bob, but the folder syncs as ann; ${signIn(server.url, "ann")}${remedy}`,
        2,
      );
    for (const command of commands)
      expect(await at.refused(...command, "--dir", "ann", ...one.tokenFile("bob"))).toEqual(
        belongs(" and leave out --token-file"),
      );
    const asBob = Bun.spawn([binaryPath("cairn"), "sync", "--dir", at.at("ann")], {
      env: { ...process.env, HOME: at.folder.path, SERVICE_TOKEN: one.tokens["bob"] },
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect([await within("cairn sync ends", asBob.exited), await asBob.stderr.text()]).toEqual(
      belongs(" and unset SERVICE_TOKEN"),
    );
    expect(await at.data<object>("status", "--dir", "ann")).toEqual(before);
    expect(await server.admin.get("/spaces/team/files")).toEqual([]);
    await at.printed("sync", "--dir", "ann", ...one.tokenFile("ann"));
    expect(await one.author("new.md")).toBe("ann");
  });

  test("gets SERVICE_TOKEN only if its server was named by the person", async () => {
    await using one = await office();
    const { at, server } = one;
    await one.join("ann", ...one.tokenFile("ann"));
    const heard: string[] = [];
    await using other = Bun.serve({
      port: 0,
      fetch({ headers }) {
        heard.push(headers.get("Authorization") ?? "");
        return Response.json({ name: "ann" });
      },
    });
    const { origin } = other.url;
    const sync = join(at.at("ann"), ".sync", "state.db");
    {
      using state = new Database(sync);
      state.run("UPDATE replica SET server = ?", [origin]);
    }
    const run = async (environment: Record<string, string>, ...args: string[]) => {
      const child = Bun.spawn([binaryPath("cairn"), ...args, "--dir", at.at("ann")], {
        env: { ...process.env, HOME: at.folder.path, SERVICE_TOKEN: one.tokens["ann"], ...environment },
        stdio: ["ignore", "ignore", "pipe"],
      });
      return [await within("cairn ends", child.exited), await child.stderr.text()];
    };
    const refused = failure(
      `SERVICE_TOKEN is not sent to ${origin}, which only this folder names; if you trust that server with it, set SERVICE_TOKEN_SERVER=${origin}, or pass the token with --token-file`,
    );
    for (const command of [["sync"], ["pull"], ["daemon", "start"]])
      expect([command, ...(await run({}, ...command))]).toEqual([command, ...refused]);
    expect(heard).toEqual([]);
    await run({ SERVICE_TOKEN_SERVER: server.url }, "sync");
    expect(heard).toEqual([]);
    await run({ SERVICE_TOKEN_SERVER: origin }, "sync");
    expect(heard[0]).toBe(`Bearer ${one.tokens["ann"]}`);
  });

  test("is not joined again by another user", async () => {
    await using one = await office();
    const { at, server } = one;
    await one.join("ann", ...one.tokenFile("ann"));
    const again = ["init", "client", ...one.remote, "--space", "team", "--dir", "ann"];
    expect(await at.refused(...again, ...one.tokenFile("bob"))).toEqual(
      failure(
        `${at.at("ann")} syncs with team of ${server.url} as ann, not as bob; ${signIn(server.url, "ann")}, or choose another folder`,
      ),
    );
    expect(await one.whoami()).toBe("ann");
    await at.printed("sync", "--dir", "ann");
  });
});

test("signing out revokes the token of one user, and makes nobody else current", async () => {
  await using one = await office();
  const { at, server } = one;
  await one.join("bob", ...one.tokenFile("bob"));
  await one.login("ann");
  const logout = ["auth", "logout", ...one.remote];
  expect(await at.refused(...logout, "eve")).toEqual(notSignedIn(server.url, "eve"));
  expect(await at.refused(...logout, "bob", ...one.tokenFile("bob"))).toEqual(
    failure("use a name or --token-file, not both"),
  );
  expect(await at.data<object>(...logout)).toEqual({ server: server.url, user: "ann", signed_out: true });
  const [exitCode, said] = await at.refused("auth", "whoami", ...one.remote);
  expect([exitCode, said]).toEqual([2, expect.stringContaining(`not signed in to ${server.url}; run`)]);
  await at.printed("sync", "--dir", "bob");
  await at.printed(...logout, "bob");
  expect(await at.refused("sync", "--dir", "bob")).toEqual(notSignedIn(server.url, "bob"));
});

test("signing out without flags ends the last sign-in, and says so if there is none", async () => {
  await using one = await office();
  const { at, server } = one;
  const none = "you are not signed in to a server; name the server to sign out of with --server";
  const usage = "usage: cairn auth logout [<name>] --server <url> [flags]\n";
  expect(await at.refused("auth", "logout")).toEqual([1, `Error: ${none}\n${usage}`]);
  await one.login("ann");
  await one.join("bob", ...one.tokenFile("bob"));
  expect(await at.refused("auth", "logout", "--local")).toEqual([
    1,
    `Error: nobody is signed in to a server on this machine; name the server to sign out of with --server\n${usage}`,
  ]);
  const { exitCode, stdout, stderr } = await at.cairn("auth", "logout", "--json");
  expect([exitCode, stderr, JSON.parse(stdout)]).toEqual([
    0,
    `server: ${server.url}\n`,
    { server: server.url, user: "ann", signed_out: true },
  ]);
  expect((await at.refused("auth", "logout"))[1]).toStartWith(`Error: ${none}\n`);
});

test("a daemon without a token of the folder's user says who has to sign in", async () => {
  await using one = await office();
  const { at, server } = one;
  await one.join("ann", ...one.tokenFile("ann"));
  await one.join("bob", ...one.tokenFile("bob"));
  await one.join("eve", ...one.tokenFile("eve"));
  const status = async (name: string) => {
    const { stdout } = await at.cairn("daemon", "status", "--json", "--dir", name);
    return JSON.parse(stdout) as { problem?: { message: string } | null; connected?: boolean };
  };
  const run = (name: string, ...flags: string[]) =>
    Bun.spawn([binaryPath("cairn"), "daemon", "run", "--dir", join(at.folder.path, name), ...flags], {
      env: { ...process.env, HOME: at.folder.path },
      stdio: ["ignore", "ignore", "inherit"],
    });
  await at.printed("auth", "logout", "ann", ...one.remote);
  for (const name of ["ann", "bob", "eve"]) await at.folder.write(`${name}/new.md`, `of ${name}\n`);
  const daemons = [run("ann"), run("bob", ...one.tokenFile("ann")), run("eve", ...one.tokenFile("bob"))];
  try {
    const problem = async (name: string) => (await status(name)).problem?.message;
    const [, absent] = notSignedIn(server.url, "ann");
    await eventually(async () => `Error: ${await problem("ann")}\n`, absent);
    // The token in the file was revoked.
    await eventually(
      () => problem("bob"),
      `the token is not valid: it is unknown, revoked or expired; ${signIn(server.url, "bob")}, or pass a token of bob with --token-file or SERVICE_TOKEN`,
    );
    await eventually(
      () => problem("eve"),
      `the token belongs to bob, but the folder syncs as eve; ${signIn(server.url, "eve")} and leave out --token-file`,
    );
    expect(await server.admin.get("/spaces/team/files")).toEqual([]);
    expect(await at.printed("daemon", "logs", "--dir", "ann")).not.toContain("Authorization");
  } finally {
    for (const daemon of daemons) daemon.kill("SIGTERM");
  }
  expect(await within("the daemons end", Promise.all(daemons.map((daemon) => daemon.exited)))).toEqual([
    0, 0, 0,
  ]);
});
