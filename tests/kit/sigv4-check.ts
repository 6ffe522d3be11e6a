// Checks AWS Signature Version 4 as a storage does, in headers and in presigned URLs. Shares no code with the product, which signs.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const ALGORITHM = "AWS4-HMAC-SHA256";
const SKEW_MS_MAX = 15 * 60_000;
const UNSIGNED = "UNSIGNED-PAYLOAD";

interface SignedRequest {
  readonly method: string;
  /** As sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface Claim {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly time: string;
  readonly bodyHash: string;
  readonly token: string | undefined;
  readonly lifeMs: number;
}

/** Returns the code with which a storage refuses the request; undefined: the signature is right. */
export function signatureProblem(request: SignedRequest, pair: KeyPair, region: string): string | undefined {
  const claim = request.url.includes("X-Amz-Signature=") ? claimOfUrl(request) : claimOfHeaders(request);
  if (claim === undefined) return "AccessDenied";
  const [id, day, ...scope] = claim.credential.split("/");
  if (id !== pair.accessKeyId) return "InvalidAccessKeyId";
  if (scope.join("/") !== `${region}/s3/aws4_request`) return "AuthorizationHeaderMalformed";
  if (claim.token !== pair.sessionToken) return "InvalidToken";
  const made = Date.parse(
    claim.time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
  if (!(Math.abs(Date.now() - made) < Math.max(SKEW_MS_MAX, claim.lifeMs)) || !claim.time.startsWith(day!))
    return "RequestTimeTooSkewed";
  if (unsignedHeader(request, claim) !== undefined) return "AccessDenied";
  if (claim.bodyHash !== UNSIGNED && claim.bodyHash !== sha256(request.body))
    return "XAmzContentSHA256Mismatch";
  const expected = signatureOf(request, claim, pair.secretAccessKey);
  const isRight =
    claim.signature.length === expected.length &&
    timingSafeEqual(Buffer.from(claim.signature), Buffer.from(expected));
  return isRight ? undefined : "SignatureDoesNotMatch";
}

function claimOfHeaders({ headers }: SignedRequest): Claim | undefined {
  const authorization = headers.authorization ?? "";
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/.exec(
      authorization,
    );
  const time = headers["x-amz-date"];
  const bodyHash = headers["x-amz-content-sha256"];
  if (found === null || typeof time !== "string" || typeof bodyHash !== "string") return undefined;
  const [, credential = "", names = "", signature = ""] = found;
  const token = headers["x-amz-security-token"] as string | undefined;
  return { credential, signedHeaders: names.split(";"), signature, time, bodyHash, token, lifeMs: 0 };
}

function claimOfUrl({ url }: SignedRequest): Claim | undefined {
  const query = new Map(queryPairs(url));
  if (query.get("X-Amz-Algorithm") !== ALGORITHM) return undefined;
  return {
    credential: query.get("X-Amz-Credential") ?? "",
    signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
    signature: query.get("X-Amz-Signature") ?? "",
    time: query.get("X-Amz-Date") ?? "",
    bodyHash: UNSIGNED,
    token: query.get("X-Amz-Security-Token"),
    lifeMs: Number(query.get("X-Amz-Expires")) * 1000,
  };
}

/** `Host` and all headers of Amazon have to be signed; in a presigned URL, those that are sent. */
function unsignedHeader({ headers }: SignedRequest, { signedHeaders }: Claim): string | undefined {
  const due = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
  return due.find((name) => !signedHeaders.includes(name));
}

function signatureOf(request: SignedRequest, claim: Claim, secret: string): string {
  const { method, url, headers } = request;
  const path = decodeURIComponent(url.split("?")[0]!).split("/").map(strictlyEncoded).join("/");
  const query = queryPairs(url)
    .filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(strictlyEncoded))
    .sort(([a], [b]) => (a! < b! ? -1 : 1))
    .map((pair) => pair.join("="));
  const lines = claim.signedHeaders.map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`);
  const canonical = `${method}\n${path}\n${query.join("&")}\n${lines.join("")}\n${claim.signedHeaders.join(";")}\n${claim.bodyHash}`;
  const scope = claim.credential.split("/").slice(1);
  let key = Buffer.from(`AWS4${secret}`);
  for (const part of scope) key = createHmac("sha256", key).update(part).digest();
  const text = `${ALGORITHM}\n${claim.time}\n${scope.join("/")}\n${sha256(Buffer.from(canonical))}`;
  return createHmac("sha256", key).update(text).digest("hex");
}

/** Decoded. */
export function queryPairs(url: string): [string, string][] {
  const [, query = ""] = url.split("?");
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", value = ""] = pair.split("=").map(decodeURIComponent);
      return [name, value];
    });
}

function strictlyEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
