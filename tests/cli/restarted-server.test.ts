// Goal: a program that runs for long beside a server, like the terminal interface, goes on when the server is started again; and a server whose
// terminal is closed stops as if it were told to.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { doorTransport } from "../../src/cli/door-transport.ts";
import { Client } from "../../src/context/client/client.ts";
import { runningDoor } from "../../src/context/people/local-door.ts";
import { refusalOf } from "../kit/http/refusal.ts";
import { runContext } from "../kit/context/running-context.ts";

const who = (client: Client) => client.get("/auth/whoami");

test("the operator's requests reach a server that was started again, with its new token and port", async () => {
  await using server = await runContext();
  const client = new Client(doorTransport(server.directory, (await runningDoor(server.directory))!));
  const before = await who(client);
  await server.end("SIGTERM");
  expect(await refusalOf(who(client))).toMatchObject({ code: "unavailable" });
  await server.start();
  expect(await who(client)).toEqual(before);
});

test.skipIf(process.platform !== "linux")("a server whose terminal is closed stops in order", async () => {
  await using server = await runContext();
  expect(await server.end("SIGHUP")).toEqual({ exitCode: 0, signal: null });
  expect(existsSync(join(server.directory, "run", "server.json"))).toBe(false);
  expect(server.log.at(-1)).toMatchObject({ message: "stopped" });
});
