// Goal: requests are signed as the protocol says: like Amazon's examples, and as a check that shares no code with the signer accepts.

import { describe, expect, test } from "bun:test";
import { s3Address } from "../../../src/kit/object-storage/s3-address.ts";
import { signedHeaders } from "../../../src/kit/object-storage/s3-signature.ts";
import { s3Storage } from "../../../src/kit/object-storage/s3.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";
import { ScriptedStorage } from "../../kit/object-storage.ts";

const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Of the page "Signature Calculations for the Authorization Header" of Amazon's reference. */
describe("Amazon's examples", () => {
  const signer = {
    credentials: {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    },
    region: "us-east-1",
    now: Date.UTC(2013, 4, 24),
  };
  const request = {
    method: "GET",
    host: "examplebucket.s3.amazonaws.com",
    path: "/",
    query: {},
    headers: {},
    bodyHash: EMPTY_HASH,
  };
  const authorization = (names: string, signature: string) =>
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${names}, Signature=${signature}`;

  test("of an object with a header", () => {
    const signed = signedHeaders({ ...request, path: "/test.txt", headers: { range: "bytes=0-9" } }, signer);
    expect(signed).toEqual({
      range: "bytes=0-9",
      "x-amz-content-sha256": EMPTY_HASH,
      "x-amz-date": "20130524T000000Z",
      authorization: authorization(
        "host;range;x-amz-content-sha256;x-amz-date",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
      ),
    });
  });

  test("of a list, with a query", () => {
    const signed = signedHeaders({ ...request, query: { prefix: "J", "max-keys": "2" } }, signer);
    expect(signed["authorization"]).toBe(
      authorization(
        "host;x-amz-content-sha256;x-amz-date",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
      ),
    );
  });

  test("of an object that is written, with a body", () => {
    const signed = signedHeaders(
      {
        ...request,
        method: "PUT",
        path: "/test%24file.text",
        headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        bodyHash: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      },
      signer,
    );
    expect(signed["authorization"]).toBe(
      authorization(
        "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
      ),
    );
  });
});

describe("the scripted storage", () => {
  test("accepts the runtime's own client, in headers and in presigned URLs", async () => {
    await using far = await ScriptedStorage.start();
    const { endpoint, bucket, region, credentials } = far;
    const { accessKeyId, secretAccessKey } = credentials;
    const client = new Bun.S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey });
    const key = "a b/ü+'(x)";
    await client.write(key, "one");
    expect(await client.file(key).text()).toBe("one");
    expect((await client.list({ prefix: "a" })).contents?.map((found) => found.key)).toEqual([key]);
    const url = client.presign(key, { method: "PUT" });
    expect((await fetch(url, { method: "PUT", body: "two" })).status).toBe(200);
    const repeated = await fetch(url, { method: "PUT", body: "3", headers: { "If-None-Match": "*" } });
    expect(repeated.status).toBe(412);
    expect(await client.file(key).text()).toBe("two");
    expect((await fetch(`${url.slice(0, -1)}x`, { method: "PUT", body: "4" })).status).toBe(403);
    const large = client.file("large").writer({ partSize: 5 * 1024 * 1024 });
    void large.write(new Uint8Array(6 * 1024 * 1024));
    await large.end();
    expect(far.objects.get("large")?.byteLength).toBe(6 * 1024 * 1024);
    await client.delete(key);
    expect([...far.objects.keys()]).toEqual(["large"]);
  });

  test("refuses a request without a signature, and one with another body", async () => {
    await using far = await ScriptedStorage.start();
    const url = `${far.endpoint}/lab/a`;
    expect((await fetch(url)).status).toBe(403);
    const headers = signedHeaders(
      { method: "PUT", host: far.host, path: "/lab/a", query: {}, headers: {}, bodyHash: EMPTY_HASH },
      { credentials: far.credentials, region: far.region, now: Date.now() },
    );
    const answer = await fetch(url, { method: "PUT", headers, body: "x" });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("XAmzContentSHA256Mismatch"),
    ]);
    expect((await fetch(url, { method: "PUT", headers })).status).toBe(200);
  });
});

test("a session token is signed, and a missing one is told", async () => {
  const pair = { accessKeyId: "id", secretAccessKey: "secret", sessionToken: "to+ken/=" };
  await using far = await ScriptedStorage.start({ pair });
  const { endpoint, bucket, region } = far;
  const storage = s3Storage({ endpoint, bucket, region, credentials: pair });
  await storage.put("a", Buffer.from("x"));
  expect(far.objects.size).toBe(1);
  const without = s3Storage({ endpoint, bucket, region, credentials: { ...pair, sessionToken: undefined } });
  const { details } = await refusalOf(without.put("b", Buffer.from("x")));
  expect(details).toMatchObject({ reason: "InvalidToken", status: 400 });
});

test.each([
  [{ accessKeyId: "" }, "access key ID"],
  [{ accessKeyId: "id\n" }, "access key ID"],
  [{ secretAccessKey: "se cret" }, "secret access key"],
  [{ sessionToken: "tökén" }, "session token"],
])("refuses credentials that cannot be right, and shows none: %j", async (part, name) => {
  const credentials = { accessKeyId: "id", secretAccessKey: "secret", ...part };
  await refusal(
    () => s3Storage({ bucket: "data", region: "eu-west-1", credentials }),
    "invalid",
    `${name}: expected ASCII characters without spaces and line breaks`,
  );
});

describe("the address of a bucket", () => {
  test.each([
    [{}, "https://data.s3.eu-west-1.amazonaws.com", ""],
    [{ bucket: "my.data" }, "https://s3.eu-west-1.amazonaws.com", "/my.data"],
    [{ region: "cn-north-1" }, "https://data.s3.cn-north-1.amazonaws.com.cn", ""],
    [{ endpoint: "https://s3.example.com" }, "https://s3.example.com", "/data"],
    [{ endpoint: "http://127.0.0.1:9000/" }, "http://127.0.0.1:9000", "/data"],
    [{ endpoint: "https://example.com/storage/s3/" }, "https://example.com", "/storage/s3/data"],
    [{ endpoint: "https://data.storage.example" }, "https://data.storage.example", ""],
  ])("%j", (place, origin, path) => {
    const address = s3Address({ bucket: "data", region: "eu-west-1", ...place });
    expect(address).toEqual({ origin, host: new URL(origin).host, path });
  });

  test.each([
    [{ bucket: "a/b" }, "bucket: expected 3 to 63 letters"],
    [{ bucket: ".." }, "bucket: expected 3 to 63 letters"],
    [{ region: "" }, "region: expected letters"],
    [{ region: "a/b" }, "region: expected letters"],
    [{ endpoint: "s3.example.com" }, "endpoint: expected a URL that begins with"],
    [{ endpoint: "file:///etc" }, "endpoint: expected a URL that begins with"],
    [{ endpoint: "https://user:secret@example.com" }, "endpoint: expected a URL without user"],
    [{ endpoint: "https://example.com/?a=b" }, "endpoint: expected a URL without user"],
  ])("refuses %j", async (place, message) => {
    const attempt = () => s3Address({ bucket: "data", region: "eu-west-1", ...place });
    await refusal(attempt, "invalid", new RegExp(`^${message}`));
  });
});
