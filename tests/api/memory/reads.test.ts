// Goal: a turn reads each document at most once, however many rounds and agents it has, and asks the space once for each agent.

import { expect, test } from "bun:test";
import { contextServer, SPACE } from "../../kit/context/context-server.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { call, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";

interface Answer {
  readonly documents: readonly { readonly path: string; readonly text?: string }[];
}

test("the text of a document crosses the network once, and each agent of a turn asks once", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const answers: Answer[] = [];
  await using between = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async ({ url, method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const passed = new Headers(headers);
      passed.delete("Host");
      const response = await fetch(`${server.url}${pathname}${search}`, {
        method,
        headers: passed,
        ...(body && { body: await new Response(body).arrayBuffer() }),
      });
      const text = await response.text();
      if (pathname.endsWith("/documents")) answers.push(JSON.parse(text) as Answer);
      return new Response(text, { status: response.status, headers: { "Content-Type": "application/json" } });
    },
  });
  const tokenFile = await folder.write("token", server.bootstrap);
  const memory = {
    server: { url: `http://127.0.0.1:${between.port}`, space: SPACE, token_file: tokenFile },
  };
  const config = await folder.write("config.yaml", Bun.YAML.stringify({ memory }, null, 2));
  await using at = await world({ workers: ["scout"], flags: { config } });
  const paths = ["team/one.md", "team/two.md", "team/three.md"];
  for (const path of paths) {
    await server.admin.write(path, `text of ${path}`);
    await at.admin.post(`${at.own}/context`, { path });
  }
  const turn = async () => {
    answers.length = 0;
    at.model
      .script("boss", [call("memory_list"), call("delegate", { agent: "scout", task: "Go." }), say("Done.")])
      .script("scout", [call("memory_list"), call("memory_list"), say("Seen.")]);
    await at.chat("Go.");
    return answers.map(({ documents }) =>
      documents.filter(({ text }) => text !== undefined).map(({ path }) => path),
    );
  };
  expect(await turn()).toEqual([[...paths].sort(), []]);
  await server.admin.write("team/two.md", "changed");
  expect(await turn()).toEqual([["team/two.md"], []]);
  const [, seen] = answers;
  expect(seen?.documents.map(({ path }) => path)).toEqual([...paths].sort());
  expect(at.model.requests.at(-1)!.system).toContain("Document team/two.md, version 2:\n\nchanged");
});
