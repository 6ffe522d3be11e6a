// Encrypts secrets that a database keeps: provider keys, webhook secrets. The key lies in a file of its own, so that a copied database
// or a backup reveals nothing.
//
// Format: `sealed:1:` + base64url(nonce ‖ ciphertext ‖ tag), AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce. The additional data
// names the record that the secret belongs to: a value copied into another record does not open.

import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf, systemCode } from "../error.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { readRegularFile } from "../disk/regular-file.ts";
import { replaceFileNow } from "../disk/replace-file.ts";
import { secretBytes } from "../random.ts";

const PREFIX = "sealed:1:";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Loaded when a secret is there, because it takes 10 ms of a start. */
const ciphers = () => process.getBuiltinModule("node:crypto");

export class SecretBox {
  /** The absolute path of the key file. */
  readonly path: string;
  #key: Buffer | undefined;

  /** Does not read the key yet: a fresh data directory has no key until the first secret is stored. */
  constructor(path: string) {
    this.path = path;
  }

  /** True for a value that `seal` returned; false for text that an older version stored in the clear. */
  static isSealed(stored: string): boolean {
    return stored.startsWith(PREFIX);
  }

  /** `about` names the record, for example `provider:7`. Creates the key file when there is none. Raises `unavailable`, `invalid`. */
  seal(secret: string, about: string): string {
    const nonce = secretBytes(NONCE_BYTES);
    const cipher = ciphers().createCipheriv("aes-256-gcm", this.#loaded() ?? this.#created(), nonce);
    cipher.setAAD(Buffer.from(about));
    const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return PREFIX + sealed.toString("base64url");
  }

  /** Raises `unavailable` when the key file is missing or does not fit the value. */
  open(stored: string, about: string): string {
    const key = this.#loaded();
    if (!key)
      throw new AppError(
        "unavailable",
        `the key file ${this.path} is missing; restore it, or enter the secret again`,
      );
    const sealed = Buffer.from(stored.slice(PREFIX.length), "base64url");
    try {
      const decipher = ciphers().createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(about));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8");
      return text + decipher.final("utf8");
    } catch {
      // The right key may be restored while the program runs.
      this.#key = undefined;
      throw new AppError(
        "unavailable",
        `the key in ${this.path} cannot decrypt this secret; restore the right key file, or enter the secret again`,
      );
    }
  }

  #loaded(): Buffer | undefined {
    if (this.#key) return this.#key;
    let text: string;
    try {
      text = readRegularFile(this.path).toString("utf8").trim();
      // Restores permissions that a copy or an editor loosened.
      chmodSync(this.path, PRIVATE_FILE_MODE);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw new AppError("unavailable", `cannot read the key file ${this.path}: ${messageOf(error)}`);
    }
    const key = Buffer.from(text, "base64url");
    if (key.length !== KEY_BYTES)
      throw new AppError(
        "invalid",
        `${this.path} is not a key file: expected ${KEY_BYTES} bytes in base64url; restore the right one, or move it away and enter the secrets again`,
      );
    return (this.#key = key);
  }

  /**
   * The key is durable before any secret sealed with it can be stored, and its file appears complete: a full disk or a crash leaves no file that
   * looks like a wrong key. Only one process uses a data directory at a time.
   */
  #created(): Buffer {
    const key = secretBytes(KEY_BYTES);
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
      replaceFileNow(this.path, `${key.toString("base64url")}\n`, { isDurable: true });
    } catch (error) {
      throw new AppError("unavailable", `cannot create the key file ${this.path}: ${messageOf(error)}`);
    }
    return (this.#key = key);
  }
}
