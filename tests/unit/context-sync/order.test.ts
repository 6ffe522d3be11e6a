// Goal: a push that is read while it arrives is what JSON.parse makes of the whole, wherever the pieces end; what JSON.parse refuses is refused.

import { describe, expect, test } from "bun:test";
import { BATCH_OPERATIONS_MAX } from "../../../src/context/versioned-store/schema.ts";
import * as fc from "fast-check";
import { readOrder } from "../../../src/context/sync/order.ts";
import { SpoolDirectory } from "../../../src/kit/disk/spool.ts";
import { temporaryFolder } from "../../kit/folder.ts";

interface Op {
  op: "put" | "delete";
  path: string;
  content_b64?: string;
  expected?: number | null;
}

async function* inPieces(text: string | Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string);
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(text: string | Uint8Array, sizes: readonly number[] = [7]) {
  await using folder = await temporaryFolder();
  await using spool = new SpoolDirectory(folder.path).open();
  const { base, operations } = await readOrder(inPieces(text, sizes), spool);
  const ops: object[] = [];
  for (const { content, ...rest } of operations) {
    const bytes = content && (await spool.read(content.at, content.length));
    ops.push({ ...rest, ...(bytes ? { text: Buffer.from(bytes).toString("latin1") } : {}) });
  }
  return { base, ops };
}

function expected(text: string) {
  const { base, ops } = JSON.parse(text) as { base?: string; ops: Op[] };
  return {
    base,
    ops: ops.map(({ content_b64, ...rest }) => ({
      ...rest,
      ...(content_b64 === undefined ? {} : { text: Buffer.from(content_b64, "base64").toString("latin1") }),
    })),
  };
}

const refusal = (text: string | Uint8Array) =>
  read(text).then(
    () => "not refused",
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

const put = (content: string, more = "") =>
  `{"ops":[{"op":"put","path":"a","content_b64":${content}${more}}]}`;

const operation = fc.oneof(
  fc.record({
    op: fc.constant("put"),
    path: fc.string({ unit: "grapheme", maxLength: 40 }),
    content_b64: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  }),
  fc.record(
    {
      op: fc.constant("delete"),
      path: fc.string({ unit: "binary", maxLength: 40 }),
      expected: fc.option(fc.integer({ min: 1 })),
    },
    { requiredKeys: ["op", "path"] },
  ),
);

describe("a push", () => {
  test("is read as sent, in pieces of any size, with any white space", async () => {
    const push = fc.record(
      { base: fc.constant("0123456789ab.7"), ops: fc.array(operation, { maxLength: 8 }) },
      { requiredKeys: ["ops"] },
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });
    const space = fc.constantFrom(undefined, 1, "\t");
    await fc.assert(
      fc.asyncProperty(push, sizes, space, async (value, pieces, indent) => {
        const text = JSON.stringify(value, null, indent).replaceAll("\u2028", "\\u2028");
        expect(await read(text, pieces)).toEqual(expected(text));
      }),
    );
  });

  test("decodes escapes in names and content as JSON, even when a piece ends within one", async () => {
    const written = Buffer.from("??>>~~").toString("base64");
    expect(written).toMatch(/[/+]/);
    const escaped = written.replaceAll("/", "\\/").replaceAll("+", "\\u002b");
    for (const size of [1, 2, 3, 5, 1000])
      for (const text of [
        put(`"${escaped}"`),
        put(`"${escaped}"`).replace("content_b64", "content\\u005fb64").replace("ops", "\\u006fps"),
      ])
        expect((await read(text, [size])).ops).toEqual([{ op: "put", path: "a", text: "??>>~~" }]);
  });

  test("spools large content to disk and leaves nothing there", async () => {
    const content = Buffer.alloc(1_000_000, "0123456789").toString("base64");
    const { ops } = await read(put(`"${content}"`), [65_536, 12_345]);
    expect((ops[0] as { text: string }).text).toBe(Buffer.alloc(1_000_000, "0123456789").toString());
  });

  test("is refused for content that is not base64", async () => {
    const texts = {
      "": true,
      YQ: true,
      "YQ==": true,
      "YQ=": true,
      "a?b=": false,
      "YQ==YQ==": false,
      YWFhY: false,
    };
    const escapes = {
      "\\u0059\\u0051\\u003D\\u003d": true,
      "YWE\\/": true,
      '\\"': false,
      "YWE\\n": false,
      "YWE\\u0159": false,
      "YWE\\u00zz": false,
    };
    for (const [text, isBase64] of Object.entries({ ...texts, ...escapes, "Y=Q=": false, "YQ===": false }))
      for (const size of [1, 3, 1000]) {
        await using folder = await temporaryFolder();
        await using spool = new SpoolDirectory(folder.path).open();
        const { operations } = await readOrder(inPieces(put(`"${text}"`), [size]), spool);
        expect([text, operations[0]!.content?.isBase64]).toEqual([text, isBase64]);
      }
  });

  const refusals: Readonly<Record<string, [string, string]>> = {
    "content that is a number": [put("7"), "invalid: ops.0.content_b64: expected a string"],
    "an unknown field": [put('"YQ=="', ',"x":1'), "invalid: ops.0.x: unknown field"],
    "an unknown field beside": ['{"ops":[],"x":1}', "invalid: x: unknown field"],
    "no operations": ["{}", "invalid: ops: missing"],
    "operations that are none": ['{"ops":[0]}', "invalid: ops: expected one list of operations"],
    "two lists": [
      '{"ops":[{"op":"delete","path":"a"}],"ops":[]}',
      "invalid: ops: expected one list of operations",
    ],
    "a list of what is none behind the list": [
      '{"ops":[{"op":"delete","path":"a"}],"ops":[0]}',
      "invalid: ops: expected one list of operations",
    ],
    "a list": ["[]", "invalid: body: expected an object"],
    nothing: ["", "invalid: the body is not valid JSON"],
    "a body that broke off": [put('"YQ=="').slice(0, -2), "invalid: the body is not valid JSON"],
    "content that broke off": [put('"YQ=="').slice(0, -6), "invalid: the body is not valid JSON"],
    "something behind": [`${put('"YQ=="')}{`, "invalid: the body is not valid JSON"],
    "a comma too many": [put('"YQ=="').replace("}]", "},]"), "invalid: the body is not valid JSON"],
    "a bracket of the other kind": [put('"YQ=="').replace("}]", "]]"), "invalid: the body is not valid JSON"],
    "two numbers in one place": [
      '{"ops":[{"op":"delete","path":"a","expected":1 2}]}',
      "invalid: the body is not valid JSON",
    ],
    "nested too deeply": [`{"ops":${"[".repeat(64)}`, "invalid: the body is nested more than 64 deep"],
    "a path without end": [
      `{"ops":[{"op":"delete","path":"${"a".repeat(20_000)}"}]}`,
      "too_large: more than 16384 bytes of the body are not content",
    ],
    "a long path": [
      `{"ops":[{"op":"delete","path":"${"a".repeat(1_025)}"}]}`,
      "invalid: ops.0.path: at most 1024 characters",
    ],
  };
  for (const [what, [text, expectedRefusal]] of Object.entries(refusals))
    test(`${what} is refused`, async () => {
      expect(await refusal(text)).toBe(expectedRefusal);
    });

  test("text that is not UTF-8 is refused", async () => {
    const bytes = Buffer.from('{"ops":[{"op":"delete","path":"~"}]}');
    bytes[bytes.indexOf("~")] = 0xff;
    expect(await refusal(bytes)).toBe("invalid: the body is not valid JSON");
  });

  test("more operations than one push may have are refused before the rest is read", async () => {
    const one = '{"op":"delete","path":"a"}';
    let sent = 0;
    async function* endless() {
      yield Buffer.from('{"ops":[');
      for (; sent < 1_000_000; sent += 1_000) yield Buffer.from(`${one},`.repeat(1_000));
    }
    await using folder = await temporaryFolder();
    await using spool = new SpoolDirectory(folder.path).open();
    const limit = { code: "too_large", details: { limit: BATCH_OPERATIONS_MAX } };
    await expect(readOrder(endless(), spool)).rejects.toMatchObject(limit);
    expect(sent).toBe(BATCH_OPERATIONS_MAX);
  });
});
