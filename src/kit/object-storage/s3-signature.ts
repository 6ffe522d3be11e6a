// Signs requests to S3 (AWS Signature Version 4, in headers). Our own, because the runtime's client signs no `If-None-Match`, no lists and no parts of
// uploads that it does not send itself, and its requests follow redirects and have no deadline. No secret is ever in a URL.

import { rfc3339 } from "../clock.ts";
import { compare } from "../compare.ts";
import { hmacSha256, sha256Hex } from "../crypto.ts";
import { encodedPart } from "./s3-address.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface Signer {
  readonly credentials: S3Credentials;
  readonly region: string;
  /** In ms. The storage refuses a time that is several minutes off. */
  readonly now: number;
}

interface Unsigned {
  readonly method: string;
  readonly host: string;
  /** Encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body as hex. */
  readonly bodyHash: string;
}

/** Returns all headers of the request except `Host`, which the client sends by itself. */
export function signedHeaders(request: Unsigned, signer: Signer): Record<string, string> {
  const { credentials, region, now } = signer;
  const time = rfc3339(now).replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-content-sha256": request.bodyHash,
    "x-amz-date": time,
    ...(credentials.sessionToken !== undefined && { "x-amz-security-token": credentials.sessionToken }),
  };
  const signed = Object.entries({ ...headers, host: request.host }).sort(([a], [b]) => compare(a, b));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    request.method,
    request.path,
    queryText(request.query),
    ...signed.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, " ")}`),
    "",
    names,
    request.bodyHash,
  ].join("\n");
  const toSign = [ALGORITHM, time, scope, sha256Hex(canonical)].join("\n");
  const signature = hmacSha256(signingKey(credentials.secretAccessKey, scope), toSign).toString("hex");
  const authorization = `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** `SignatureKey` of the specification: the scope's parts, one after the other. */
function signingKey(secret: string, scope: string): string | Uint8Array {
  return scope.split("/").reduce<string | Uint8Array>((key, part) => hmacSha256(key, part), `AWS4${secret}`);
}

/** The query in the order that signatures demand, and as it is sent. */
export function queryText(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .sort(([a], [b]) => compare(a, b))
    .map(([name, value]) => `${encodedPart(name)}=${encodedPart(value)}`)
    .join("&");
}
