// The folder of one certificate authority: the account key, the certificate with its key, the outcome of the last order, and DNS records to remove.
// Private files, each replaced as a whole. A lock keeps a second server out, since both would order the same certificate.

import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createDirectory } from "../../kit/disk/create-directory.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import { isInUse } from "../../kit/disk/in-use.ts";
import { AppError } from "../../kit/error.ts";
import { openDatabase } from "../../kit/storage/db.ts";
import type { AcmeConfig } from "../config/schema.ts";
import { authorityFolder, CERTIFICATE_NAME } from "../config/tls-settings.ts";
import { certificateIn, type HeldCertificate } from "./held-certificate.ts";
import { NO_ORDERS, OrderState, TxtRecord } from "./schema.ts";

const ACCOUNT = "account.pem";
const STATE = "state.json";
const RECORDS = "dns-records.json";
const LOCK = "lock.db";
const Records = Type.Array(TxtRecord);

export class CertificateCache {
  readonly folder: string;

  constructor(acme: Pick<AcmeConfig, "cacheDirectory" | "authority">) {
    this.folder = authorityFolder(acme);
  }

  /** Creates the folder. Returns a function that gives it free. Raises `conflict` while another server has it. */
  lock(): () => void {
    createDirectory(this.folder);
    try {
      const held = openDatabase(join(this.folder, LOCK));
      return () => held.close();
    } catch (error) {
      if (!isInUse(error)) throw error;
      throw new AppError(
        "conflict",
        `tls.acme.cache_dir: ${this.folder} is in use by another server; give each server its own`,
      );
    }
  }

  /** PEM. Created by `create` the first time, and durable before it is used. */
  async accountKey(create: () => string): Promise<string> {
    const path = join(this.folder, ACCOUNT);
    if (existsSync(path)) return readRegularFile(path).toString("utf8");
    const key = create();
    await replaceFile(path, key);
    return key;
  }

  /** Undefined if there is none that works, whatever its dates and names. */
  certificate(): HeldCertificate | undefined {
    const text = this.#text(CERTIFICATE_NAME);
    return text === undefined ? undefined : certificateIn(text);
  }

  /** Key and chain in one file, so that a crash cannot part them. */
  keepCertificate(pem: string): Promise<void> {
    return replaceFile(join(this.folder, CERTIFICATE_NAME), pem);
  }

  state(): OrderState {
    return this.#record(OrderState, STATE) ?? NO_ORDERS;
  }

  keepState(state: OrderState): Promise<void> {
    return replaceFile(join(this.folder, STATE), JSON.stringify(state));
  }

  /** TXT records that may still be in a zone. */
  dnsRecords(): readonly TxtRecord[] {
    return this.#record(Records, RECORDS) ?? [];
  }

  keepDnsRecords(records: readonly TxtRecord[]): Promise<void> {
    return replaceFile(join(this.folder, RECORDS), JSON.stringify(records));
  }

  /** Undefined for a file that is gone or damaged: nothing is lost that the next order does not make again. */
  #record<S extends TSchema>(schema: S, name: string): Static<S> | undefined {
    try {
      const value: unknown = JSON.parse(this.#text(name) ?? "");
      return Value.Check(schema, value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  #text(name: string): string | undefined {
    const path = join(this.folder, name);
    return existsSync(path) ? readRegularFile(path).toString("utf8") : undefined;
  }
}
