// Goal: a signal stops the service cleanly and in time, whatever is running, and loses no turn.

import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { temporaryFolder } from "../kit/folder.ts";
import { hang, say } from "../kit/model/index.ts";
import { runService, type RunningService } from "../kit/service/running.ts";
import { compiledWorld } from "../kit/service/world.ts";
import { within } from "../kit/within.ts";

const posix = process.platform !== "win32";

/** Opens a connection that stays open. Resolves once the service has responded on it, or immediately after half a request. */
async function openSocket(service: RunningService, text: string, answered: boolean): Promise<Socket> {
  const socket = connect(service.port, "127.0.0.1");
  await within("the service accepts", new Promise((resolve) => socket.once("connect", resolve)));
  socket.on("error", () => {});
  socket.write(text.replaceAll("{own}", `127.0.0.1:${service.port}`));
  if (answered) await within("the service responds", new Promise((resolve) => socket.once("data", resolve)));
  return socket;
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test.if(posix)(
    `${signal} with viewers, a provider that hangs, queued turns and idle connections`,
    async () => {
      await using at = await compiledWorld({
        model: { boss: [[say("Half of it", { chunks: 2 }), hang()]] },
      });
      const { admin, model, program: service } = at;
      const chat = await admin.events(`${at.own}/chat`, { method: "POST", body: { text: "go" } });
      await chat.until((event) => event.type === "delta");
      const viewers = await Promise.all([1, 2, 3].map(() => admin.events(`${at.own}/events`)));
      for (const text of ["second", "third"]) await at.begin(text, { queue: true });
      const idle = await openSocket(service, "GET /health HTTP/1.1\r\nHost: {own}\r\n\r\n", true);
      const half = await openSocket(
        service,
        "POST /api/v1/teams HTTP/1.1\r\nHost: {own}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
        false,
      );

      const end = await service.end(signal);
      expect(end).toEqual({ exitCode: 0, signal: null });
      expect(service.log.map(({ message }) => message)).not.toContain(
        "background work did not finish before the deadline",
      );
      expect(service.log.find((line) => line.message === "stopping")).toMatchObject({ reason: signal });
      expect(service.log.at(-1)!.message).toBe("stopped");

      // Streams end cleanly, and their last event is the end of the turn.
      const told = (await chat.all()).at(-1)!;
      expect([told.type, told.data.data.turn.status]).toEqual(["turn.finished", "interrupted"]);
      for (const viewer of viewers) {
        const finished = (await viewer.all()).filter((event) => event.type === "turn.finished");
        expect(finished.map((event) => event.data.data.turn.status)).toEqual(["interrupted"]);
      }
      idle.destroy();
      half.destroy();

      model.on("boss", (request) => say(`answer to ${request.messages.at(-1)!.text}`));
      await at.restart();
      const listed = () => admin.get(`${at.own}/turns`);
      for (const turn of await listed()) await at.end(turn);
      // Queued turns began by themselves, one after another.
      expect((await listed()).map(({ status, text }) => [text, status])).toEqual([
        ["go", "interrupted"],
        ["second", "done"],
        ["third", "done"],
      ]);
      expect(model.problems).toEqual([]);
    },
  );
}

test.if(posix)("a second signal ends it at once", async () => {
  await using folder = await temporaryFolder();
  // The container runtime probe takes up to 5 s; the first signal waits for it, the second does not.
  const docker = await folder.write("bin/docker", "#!/bin/sh\nexec sleep 30\n");
  chmodSync(docker, 0o755);
  await using service = await runService({ environment: { PATH: `${folder.path}/bin:${process.env.PATH}` } });
  service.child.kill("SIGTERM");
  await service.line("stopping");
  // Without the second signal it would end with 0.
  expect(await service.end("SIGTERM")).toEqual({ exitCode: 1, signal: null });
  // The next start finds everything intact.
  await using again = await runService({ data: service.data });
  expect((await fetch(`${again.url}/health`)).status).toBe(200);
});

test.if(posix)("a signal during the start is not lost", async () => {
  await using folder = await temporaryFolder();
  await using service = await runService({ data: `${folder.path}/data` });
  expect(await service.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  expect(service.log.at(-1)!.message).toBe("stopped");
});

test("keeps running when the reader of its log leaves", async () => {
  await using service = await runService();
  await service.stopReading();
  const statuses = await Promise.all(
    [1, 2, 3].map(async () => (await fetch(`${service.url}/health`)).status),
  );
  expect(statuses).toEqual([200, 200, 200]);
});
