// The address of a bucket in an S3-compatible storage, and the form of keys in addresses.

import { AppError } from "../error.ts";

const KEY_BYTES_MAX = 1024;
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const REGION = /^[A-Za-z0-9-]{1,64}$/;
/** XML cannot carry them. */
const CONTROL = /[\p{Cc}\uFFFE\uFFFF]/u;

export interface S3Place {
  /** Undefined: AWS. A host that begins with the bucket's name is the bucket's own; any other has its buckets as paths. */
  readonly endpoint?: string | undefined;
  readonly bucket: string;
  readonly region: string;
}

export interface S3Address {
  readonly origin: string;
  /** With the port, unless it is the usual one. */
  readonly host: string;
  /** Path of the bucket, without a slash at the end. */
  readonly path: string;
}

/** Raises `invalid`. */
export function s3Address({ endpoint, bucket, region }: S3Place): S3Address {
  if (!BUCKET.test(bucket))
    throw new AppError(
      "invalid",
      "bucket: expected 3 to 63 letters, digits, dots, hyphens and underscores, with a letter or digit at both ends",
    );
  if (!REGION.test(region))
    throw new AppError("invalid", "region: expected letters, digits and hyphens, such as us-east-1");
  const url = URL.parse(endpoint ?? awsEndpoint(bucket, region));
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new AppError("invalid", "endpoint: expected a URL that begins with https:// or http://");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new AppError("invalid", "endpoint: expected a URL without user, password, query and fragment");
  const base = url.pathname.replace(/\/+$/, "");
  const path = url.hostname.startsWith(`${bucket.toLowerCase()}.`) ? base : `${base}/${bucket}`;
  return { origin: url.origin, host: url.host, path };
}

/** A bucket with a dot in its name has no host of its own with a valid certificate. */
function awsEndpoint(bucket: string, region: string): string {
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const host = `s3.${region}.${domain}`;
  return bucket.includes(".") ? `https://${host}` : `https://${bucket}.${host}`;
}

/** Returns the key, encoded for a URL. Raises `invalid` for a key that S3 or URLs do not carry unchanged. */
export function encodedKey(key: string): string {
  if (key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX)
    throw new AppError("invalid", `key: expected 1 to ${KEY_BYTES_MAX} bytes`);
  if (CONTROL.test(key) || !key.isWellFormed())
    throw new AppError("invalid", "key: must not contain control characters or broken Unicode");
  const segments = key.split("/");
  if (segments.some((segment) => segment === "." || segment === ".."))
    throw new AppError("invalid", 'key: must not contain "." or ".." as a part of its path');
  return segments.map(encodedPart).join("/");
}

/** Percent-encodes all but the unreserved characters of RFC 3986, as signatures demand. */
export function encodedPart(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
