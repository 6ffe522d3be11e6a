// The key of an account at a certificate authority: signs requests (JWS, RFC 7515, with ES256) and proves control of a domain by its thumbprint
// (RFC 7638).

import { createHash, createPrivateKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";

interface PublicJwk {
  readonly crv: string;
  readonly kty: string;
  readonly x: string;
  readonly y: string;
}

export class AccountKey {
  readonly #key: KeyObject;
  readonly jwk: PublicJwk;
  /** Of the public key: its members in the order of the alphabet, without spaces. */
  readonly thumbprint: string;

  /** PEM. Raises an error of the system for anything else. */
  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    const { crv = "", kty = "", x = "", y = "" } = this.#key.export({ format: "jwk" });
    this.jwk = { crv, kty, x, y };
    this.thumbprint = digest(JSON.stringify(this.jwk));
  }

  static newPem(): string {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  }

  /** The proof that the domain's owner asks with this key (RFC 8555, section 8.1). */
  authorisation(token: string): string {
    return `${token}.${this.thumbprint}`;
  }

  /** The flattened JSON form. An undefined payload reads a resource (POST-as-GET). */
  signed(protectedHeader: object, payload: object | undefined): string {
    const head = encoded(JSON.stringify({ alg: "ES256", ...protectedHeader }));
    const body = payload === undefined ? "" : encoded(JSON.stringify(payload));
    const signature = sign("sha256", Buffer.from(`${head}.${body}`), {
      key: this.#key,
      dsaEncoding: "ieee-p1363",
    });
    return JSON.stringify({ protected: head, payload: body, signature: signature.toString("base64url") });
  }
}

/** SHA-256, in base64url. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64url");
}
