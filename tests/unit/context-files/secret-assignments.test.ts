// Goal: finds secrets assigned to a name in settings, data and code, and passes harmless values of such names, by a table of each, in linear time.

import { describe, expect, test } from "bun:test";
import { threadTimeMs } from "../../../src/kit/clock.ts";
import { loadScan } from "../../../src/context/files/secret-rules.ts";
import { secretAssignments } from "../../../src/context/files/secret-assignments.ts";

const scan = await loadScan();

const BASE62 = "q7RtB2xLw9ZsK4vNc8Yd";
const HEX = "9f86d081884c7d659a2feaa0c55ad015";
const BASE64 = "dGhp5cyBp7cyBh0IHN1/cGVy+IHN4lY3J9dA==";
const CHOSEN = "Tr0ub4dor#3";

/** The value to find. */
const FOUND: readonly (readonly [text: string, value: string])[] = [
  // .env and shells
  [`API_KEY=${BASE62}`, BASE62],
  [`export STRIPE_SECRET="${BASE62}"`, BASE62],
  [`SESSION_SECRET=${HEX} # generated`, HEX],
  [`DB_PASSWORD='${CHOSEN}'`, CHOSEN],
  [`PGPASSWD=${CHOSEN}`, CHOSEN],
  [`TOKEN_2=${BASE62}`, BASE62],
  [`curl -H "Authorization: Bearer ${HEX}" https://api.example.org`, HEX],
  [`curl "https://api.example.org/v1?api_key=${BASE62}&page=2"`, BASE62],
  // YAML, TOML, JSON
  [`password: ${CHOSEN}`, CHOSEN],
  [`  secret_key: '${BASE64}'`, BASE64],
  [`token = "${BASE62}"`, BASE62],
  [`{"apiKey": "${BASE62}", "n": 1}`, BASE62],
  [`{"client_secret":"${HEX}"}`, HEX],
  [String.raw`"{\"password\":\"${CHOSEN}\"}"`, CHOSEN],
  // Code
  [`const apiKey: string = "${BASE62}";`, BASE62],
  [`let token = \`${BASE62}\`;`, BASE62],
  [`private static final String AUTH_KEY = "${BASE62}";`, BASE62],
  [`accessKey := "${BASE62}"`, BASE62],
  [`:encryption_key => '${HEX}',`, HEX],
  [`secretkey = "${BASE62}"`, BASE62],
  [`signing_key: str = "${BASE64}"`, BASE64],
  [`connect(user="ann", password="${CHOSEN}")`, CHOSEN],
  // Prose
  [`The token: ${BASE62}, valid until Friday`, BASE62],
];

const PASSES: readonly string[] = [
  // Placeholders
  "API_KEY=${API_KEY}",
  "API_KEY=$MY_API_KEY_2_OF_3",
  "API_KEY={{ vault.keys.k8s1a2b3c4d5 }}",
  "api_key: <your-key-1a2b3c4d5e6f>",
  'api_key = "your-api-key-1a2b3c4d"',
  'token: "xxxxxxxxxxxxxxxxxxxxxxxx"',
  'token: "XXXX-1A2B-3C4D-5E6F-XXXX"',
  'secret: "0000000000000000000000"',
  "password: ************",
  "password: changeme123!A",
  'password: "Password123!"',
  'password = "MyExample-1-Value"',
  "token=%TOKEN_A1B2C3D4E5F6%",
  "TOKEN=%(token_1a2b3c4d5e6f)s",
  "token: 1a2b3c4d…",
  'token: "9f86d081884c..."',
  `api_key = "1234567890abcdef1234567890abcdef"`,
  // One or more words
  "password: at least eight characters, please",
  "token: the-name-of-the-token-for-production",
  'secret = "correct-horse-battery-staple"',
  'secret_key: "default_signing_material_2024"',
  "Passwords: Choose1Strong!",
  `tokenizer: ${BASE62}`,
  `tokens: ${BASE62}`,
  `secretary: ${BASE62}`,
  // Names with another meaning
  `token_id: ${BASE62}`,
  `secretName: ${BASE62}`,
  `password_hash: ${HEX}`,
  `api_key_file: ${BASE62}`,
  `token_url=${BASE62}`,
  `next_page_token: ${BASE62}`,
  `publicToken: ${BASE62}`,
  `csrf_token: ${BASE62}`,
  `cache_key: ${HEX}`,
  `key: ${HEX}`,
  `commit: ${HEX}`,
  // Read from somewhere, or computed
  "const token = process.env.TOKEN_A1B2C3;",
  'const token = process.env["TOKEN_A1B2C3D4"];',
  "password = self.settings.v2.k8s1a2b3",
  "const secret = randomBytes(32).toString(a1b2c3d4e5f6);",
  "token = newToken2()",
  "derive(password: Uint8Array, rounds: number)",
  "password: z.string().min(8).max(256)",
  // Identifiers, paths, times, versions, hashes
  "api_key: 550e8400-e29b-41d4-a716-446655440000",
  "token: /etc/k8s1a2b3c4d5/value",
  "secret: ./k8s/prod1a2b3c4d5.yaml",
  "secret: https://vault.example.org/v1/a1b2c3d4e5f6",
  "token: 2026-11-21T06:20:00.412Z",
  "token: sha256-9f86d081884c7d659a2feaa0c55ad015",
  'password: "$argon2id$v=19$m=65536,t=2,p=1$a1B2c3D4e5F6"',
  "token: 12345678901234567890",
  "password: 12345678",
];

const find = (text: string) => scan({ path: "a.md", content: Buffer.from(text) });

describe("a secret assigned to a name", () => {
  for (const [text, value] of FOUND)
    test(`finds ${text}`, () => {
      const found = [...secretAssignments(text)].map(({ start, end }) => text.slice(start, end));
      expect(found).toEqual([value]);
      expect(find(`one\n${text}\n`)).toMatchObject({ line: 2 });
    });

  for (const text of PASSES)
    test(`passes ${text}`, () => {
      expect([...secretAssignments(text)]).toEqual([]);
      expect(find(`one\n${text}\n`)).toBeUndefined();
    });

  test("shows its name and at most a quarter of it, and passes when the line is marked", () => {
    expect(find(`password: ${CHOSEN}`)).toEqual({
      rule: "assigned secret",
      line: 1,
      snippet: "password: Tr…",
    });
    expect(find(`API_KEY=${BASE62}`)).toMatchObject({ snippet: "API_KEY=q7Rt…" });
    expect(find(`# secret:checked\npassword: ${CHOSEN}`)).toBeUndefined();
    expect(find(`password: ${CHOSEN} # secret:checked`)).toBeUndefined();
  });

  test("is named after its issuer if known", () => {
    const token = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
    expect(find(`token: ${token}`)!.rule).toStartWith("github/");
  });
});

test("takes linear time on any text", () => {
  const took = (text: string) => {
    const start = threadTimeMs();
    for (const _ of secretAssignments(text));
    return threadTimeMs() - start;
  };
  for (const piece of [
    "token",
    "token=",
    "api_key: ",
    "password:\t\t\t\t",
    `token='${"a1".repeat(255)}`,
    `token: ${"a.".repeat(20)}`,
    "secret_".repeat(6),
    "token:a ".repeat(4),
    `token="${"a1b2".repeat(4)}`,
  ]) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    // Quadratic time would be minutes; a busy machine does not turn milliseconds into seconds.
    expect([piece.slice(0, 20), took(text) < 3_000]).toEqual([piece.slice(0, 20), true]);
  }
});
