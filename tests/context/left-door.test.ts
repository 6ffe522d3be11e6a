// Goal: after a server was killed, neither the token of its local door nor a request reaches the program of another user that took its port.

import { expect, test } from "bun:test";
import { doorTransport } from "../../src/cli/door-transport.ts";
import { doorState } from "../../src/context/people/local-door.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";

/** Nobody here has this ID. */
const ANOTHER = 4_000_000_001;

/** A folder as a killed server left it, whose process ID another program has by now, and a program that answers on its port. */
async function left() {
  const folder = await temporaryFolder();
  const asked: (string | null)[] = [];
  const program = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ headers }) => {
      asked.push(headers.get("authorization"));
      return Response.json({ name: "anyone" });
    },
  });
  const door = {
    pid: process.pid,
    url: `http://127.0.0.1:${program.port}`,
    token: "cairn_of_the_former_run",
  };
  await folder.write("run/server.json", JSON.stringify(door));
  return {
    directory: folder.path,
    door,
    asked,
    async [Symbol.asyncDispose]() {
      await program.stop(true);
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("the program of another user on the port is no server, and is not asked", async () => {
  await using at = await left();
  const { kind } = await doorState(at.directory, () => [ANOTHER]);
  expect({ kind, asked: at.asked }).toEqual({ kind: "stale", asked: [] });
});

test.each([
  ["of the same user", process.getuid?.() ?? 0],
  ["of root", 0],
])("a program %s on the port is asked", async (_, user) => {
  await using at = await left();
  const { kind } = await doorState(at.directory, () => [user]);
  expect({ kind, asked: at.asked }).toEqual({ kind: "running", asked: ["Bearer cairn_of_the_former_run"] });
});

test("the program is asked on a system that does not tell who listens", async () => {
  await using at = await left();
  expect((await doorState(at.directory, () => [])).kind).toBe("running");
});

test("a command that runs for long sends nothing to the program of another user that took the port", async () => {
  await using at = await left();
  const users = [process.getuid?.() ?? 0];
  const transport = doorTransport(at.directory, at.door, () => users);
  const asks = () => transport.send("GET", "/api/v1/auth/whoami", { headers: {}, body: undefined });
  expect((await asks()).status).toBe(200);
  users[0] = ANOTHER;
  await refusal(
    asks(),
    "unavailable",
    `${transport.name} does not answer: the server in ${at.directory} has ended, and the program of another user listens there`,
  );
  expect(at.asked).toEqual(["Bearer cairn_of_the_former_run"]);
});
