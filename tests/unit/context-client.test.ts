// Goal: what was meant as the name of a file, a space or a user never becomes another route on its way to the server.

import { describe, expect, test } from "bun:test";
import { Client, encodedPath, type Transport } from "../../src/context/client/client.ts";
import { AppError } from "../../src/kit/error.ts";

function recording() {
  const sent: string[] = [];
  const transport: Transport = {
    name: "test",
    send(method, path) {
      sent.push(`${method} ${path}`);
      return Promise.resolve(Response.json({}));
    },
    close: () => Promise.resolve(),
  };
  return { sent, client: new Client(transport) };
}

describe("the client", () => {
  test.each(["../../../users/ann", "a/./b.md", "a/..", ".", ".."])("sends nothing for %s", async (name) => {
    const { sent, client } = recording();
    const refused = await client
      .request("DELETE", `/spaces/team/files/${encodedPath(name)}`)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: "invalid", message: expect.stringContaining("cannot be a name") });
    expect(sent).toEqual([]);
  });

  test("sends names with dots, question marks and hashes as they are", async () => {
    const { sent, client } = recording();
    await client.get(`/spaces/team/files/${encodedPath("a..b/...c/d?e#f.md")}`, { version: 2 });
    expect(sent).toEqual(["GET /api/v1/spaces/team/files/a..b/...c/d%3Fe%23f.md?version=2"]);
  });
});
