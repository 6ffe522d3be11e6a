// Goal: a secret opens only with the key file it was sealed with, and only for the record it belongs to; the key file is private.

import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SecretBox } from "../../../src/kit/secrets/secret-box.ts";
import { onSmallDisk } from "../../kit/small-disk.ts";

function keyPath(): string {
  return join(mkdtempSync(join(tmpdir(), "cairn-secret-box-")), "secrets.key");
}

test("opens what it sealed, also in another process that has the key file", () => {
  const path = keyPath();
  const sealed = new SecretBox(path).seal("sk-very-secret", "provider:7");
  expect(sealed).toStartWith("sealed:1:");
  expect(SecretBox.isSealed(sealed)).toBe(true);
  expect(sealed).not.toContain("very-secret");
  expect(new SecretBox(path).open(sealed, "provider:7")).toBe("sk-very-secret");
});

test("creates the key file with the first secret, for its owner only", () => {
  const path = keyPath();
  const box = new SecretBox(path);
  expect(existsSync(path)).toBe(false);
  box.seal("x", "provider:1");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(Buffer.from(readFileSync(path, "utf8").trim(), "base64url")).toHaveLength(32);
});

test("tightens the permissions of a key file that others could read", () => {
  const path = keyPath();
  const sealed = new SecretBox(path).seal("x", "provider:1");
  chmodSync(path, 0o644);
  expect(new SecretBox(path).open(sealed, "provider:1")).toBe("x");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("seals the same secret differently each time", () => {
  const box = new SecretBox(keyPath());
  expect(box.seal("x", "provider:1")).not.toBe(box.seal("x", "provider:1"));
});

test("refuses a value that was moved to another record, or changed", () => {
  const box = new SecretBox(keyPath());
  const sealed = box.seal("sk-very-secret", "provider:7");
  const changed = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
  for (const attempt of [() => box.open(sealed, "provider:8"), () => box.open(changed, "provider:7")]) {
    expect(attempt).toThrow(
      expect.objectContaining({
        code: "unavailable",
        message: expect.stringContaining("cannot decrypt this secret"),
      }),
    );
  }
});

test("says that the key file is missing, and does not create another one", () => {
  const path = keyPath();
  const sealed = new SecretBox(path).seal("x", "provider:1");
  rmSync(path);
  expect(() => new SecretBox(path).open(sealed, "provider:1")).toThrow(
    expect.objectContaining({ code: "unavailable", message: expect.stringContaining("is missing") }),
  );
  expect(existsSync(path)).toBe(false);
});

test("refuses a file that holds no key", () => {
  const path = keyPath();
  writeFileSync(path, "not a key\n");
  expect(() => new SecretBox(path).seal("x", "provider:1")).toThrow(
    expect.objectContaining({ code: "invalid", message: expect.stringContaining("is not a key file") }),
  );
});

onSmallDisk(
  "a full disk leaves no half of a key file, nor does what a crash left keep one from being made",
  async (disk) => {
    const path = join(disk.path, "secrets.key");
    await disk.fill();
    expect(() => new SecretBox(path).seal("x", "provider:1")).toThrow(
      expect.objectContaining({ code: "unavailable", message: expect.stringContaining("cannot create") }),
    );
    await disk.free();
    expect(readdirSync(disk.path)).toEqual([]);
    writeFileSync(`${path}.new`, "");
    const sealed = new SecretBox(path).seal("x", "provider:1");
    expect(new SecretBox(path).open(sealed, "provider:1")).toBe("x");
    expect(readdirSync(disk.path)).toEqual(["secrets.key"]);
  },
);
