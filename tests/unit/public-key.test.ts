// Goal: `tui.ssh.keys` takes public keys as people have them, and says what is wrong with everything else, before the server starts.

import { describe, expect, test } from "bun:test";
import { readServerConfig } from "../../src/context/config/config.ts";
import { parsePublicKey } from "../../src/context/config/public-key.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";

const ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBusUySE8NLn7DFJ5OHgO7+riJNT0KOQL/DzW8mmDVye";
const OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBaCYcv+goTJ4Cv2aZv9AWjnNklBvrh8J0XmQGQ/pXJl";

/** A key with parts of these lengths. */
function made(type: string, ...lengths: number[]): string {
  const parts = [Buffer.from(type), ...lengths.map((length) => Buffer.alloc(length, 0x71))];
  const bytes = parts.flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return `${type} ${Buffer.concat(bytes).toString("base64")}`;
}

test.each([
  [`${ED25519} ben@laptop`, "ssh-ed25519"],
  [`  ${ED25519}\n`, "ssh-ed25519"],
  [made("ecdsa-sha2-nistp256", 8, 65), "ecdsa-sha2-nistp256"],
  [made("ssh-rsa", 3, 256), "ssh-rsa"],
])("takes %j", (text, type) => {
  expect(parsePublicKey(text)).toMatchObject({ type, fingerprint: expect.stringMatching(/^SHA256:.{43}$/) });
});

test.each([
  ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", /private key; use the file that ends with \.pub/],
  [`${ED25519}\n${OTHER}`, /one line expected/],
  [`command="sh" ${ED25519}`, /not a supported type.*without options in front/],
  ["ssh-dss AAAA", /not a supported type/],
  ["", /not a supported type/],
  ["ssh-ed25519 ???", /not Base64/],
  ["ssh-ed25519 AAAA", /incomplete, or its content does not match its type/],
  [ED25519.slice(0, -8), /incomplete/],
  [ED25519.replace("ssh-ed25519", "ssh-rsa"), /does not match its type/],
  [made("ssh-ed25519", 31), /incomplete/],
  [made("ssh-rsa", 3, 128), /1024 bits is too weak/],
])("refuses %j", (text, problem) => {
  expect(parsePublicKey(text)).toMatch(problem);
});

describe("in server.yaml", () => {
  test("a key signs in one user, and a user may have several", async () => {
    await using folder = await temporaryFolder();
    const keys = [
      { user: "ben", key: ED25519 },
      { user: "ben", key: OTHER },
    ];
    await folder.write("server.yaml", Bun.YAML.stringify({ tui: { ssh: { enabled: true, keys } } }));
    expect(readServerConfig(folder.path).ssh).toMatchObject({
      enabled: true,
      host: "127.0.0.1",
      port: 8744,
      keys: [{ user: "ben" }, { user: "ben" }],
    });
  });

  test.each([
    [
      {
        keys: [
          { user: "a", key: ED25519 },
          { user: "b", key: `${ED25519} again` },
        ],
      },
      /keys\[1\]\.key \(line \d+\): already listed for a/,
    ],
    [
      { keys: [{ user: "a", key: "ssh-dss AAAA" }] },
      /keys\[0\]\.key \(line 1\): "ssh-dss" is not a supported type/,
    ],
    [{ keys: [{ key: ED25519 }] }, /tui\.ssh\.keys/],
    [{ address: "http://x" }, /tui\.ssh\.address: "http:/],
    [{ password: true }, /tui\.ssh\.password/],
  ])("refuses %j", async (ssh, problem) => {
    await using folder = await temporaryFolder();
    await folder.write("server.yaml", Bun.YAML.stringify({ tui: { ssh } }));
    await refusal(async () => readServerConfig(folder.path), "invalid", problem);
  });

  test("names the line of a key that is not valid, and of a text that is no YAML", async () => {
    await using folder = await temporaryFolder();
    const entry = (key: string) => `      - user: ben\n        key: ${key}\n`;
    const head = "tui:\n  ssh:\n    keys:\n";
    for (const [text, problem, details] of [
      [
        `${head}${entry(ED25519)}${entry("ssh-dss AAAA")}`,
        /keys\[1\]\.key \(line 7\): "ssh-dss" is not/,
        undefined,
      ],
      [`${head}${entry(ED25519)}${entry(ED25519)}`, /keys\[1\]\.key \(line 7\): already listed/, undefined],
      [`${head}${entry(ED25519)}     - {user\n${entry(OTHER)}`, /near line 6: YAML/, { reason: "syntax" }],
    ] as const) {
      await folder.write("server.yaml", text);
      await refusal(async () => readServerConfig(folder.path), "invalid", problem, details);
    }
  });
});
