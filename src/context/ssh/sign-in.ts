// Signing in over SSH: by a public key of the list in `server.yaml` and nothing else. The list says which user a key is for; whether that user may sign
// in is asked from the store each time.

import type { AuthContext } from "ssh2";
import { nameKey } from "../../kit/text/names.ts";
import { fingerprintOf } from "../config/public-key.ts";
import type { Caller } from "../identity/caller.ts";
import type { Authentication } from "../people/authentication.ts";
import type { AllowList } from "./allow-list.ts";

/** A client offers each of its keys, and the one that is taken a second time. */
const TRIES_MAX = 20;
const NAMED_TRIES_MAX = 5;
const NAME_CHARACTERS_MAX = 100;
const METHODS = ["publickey"];
/** RSA signatures with SHA-1 are forgeable. */
const RSA_HASHES = ["sha256", "sha512"];

type About = Pick<Caller, "address" | "requestId">;

/** The attempts of one connection. */
export class SignIn {
  readonly #list: Pick<AllowList, "find">;
  readonly #authentication: Authentication;
  readonly #about: About;
  /** The keys that were tried in vain, for the audit record. */
  readonly #tried = new Set<string>();
  #tries = 0;
  /** The name that was given last. */
  name = "";

  constructor(list: Pick<AllowList, "find">, authentication: Authentication, about: About) {
    this.#list = list;
    this.#authentication = authentication;
    this.#about = about;
  }

  /** Empty: the client only asked which methods there are, or nothing. */
  get tried(): string {
    return [...this.#tried].join(", ");
  }

  /** Answers one attempt. `proven` is called with the key once a signature has proven it, before the client hears of it. False: too many attempts. */
  attempt(context: AuthContext, proven: (caller: Caller, key: Buffer) => void): boolean {
    this.#tries += 1;
    this.name = context.username.slice(0, NAME_CHARACTERS_MAX);
    if (this.#tries > TRIES_MAX) {
      context.reject([]);
      return false;
    }
    const { method, key, signature, blob } = context;
    if (method !== "publickey" || key === undefined) return this.#refuse(context, method);
    const known = this.#list.find(key.data);
    const what = `key ${fingerprintOf(key.data)}`;
    if (!known) return this.#refuse(context, what);
    if (nameKey(known.user) !== nameKey(context.username))
      return this.#refuse(context, `${what} of another user`);
    const caller = this.#authentication.byName(known.user, this.#about);
    if (!caller) return this.#refuse(context, `${what} of a user who is disabled or unknown`);
    // The client asks whether the key would do before it signs.
    if (signature === undefined || blob === undefined) {
      context.accept();
      return true;
    }
    const isRsa = known.key.type === "ssh-rsa";
    const isStrong = !isRsa || RSA_HASHES.includes(context.hashAlgo ?? "");
    if (!isStrong || known.key.verify(blob, signature, context.hashAlgo) !== true)
      return this.#refuse(context, `${what} with a wrong signature`);
    proven(caller, key.data);
    context.accept();
    return true;
  }

  #refuse(context: AuthContext, what: string): true {
    if (what !== "none" && this.#tried.size < NAMED_TRIES_MAX) this.#tried.add(what);
    context.reject(METHODS);
    return true;
  }
}
