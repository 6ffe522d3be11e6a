// The first minutes of a server: its address, its first admin, its first space. Open only to a browser that has the code from the terminal, and only
// until the first admin exists. The answers are kept in memory until the last step.

import { changeListen } from "../config/editing.ts";
import { isSameSecret } from "../../kit/crypto.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { listenProblem, PORT_MAX } from "../../kit/network/hosts.ts";
import { parseName } from "../../kit/text/names.ts";
import { checkPasswordShape, hashPassword } from "../../kit/secrets/passwords.ts";
import { portProblem, unboundAddress } from "../../kit/network/port.ts";
import type { Caller } from "../identity/caller.ts";
import type { Logins } from "../people/logins.ts";
import { spaceNameProblem } from "../spaces/schema.ts";
import type { Spaces } from "../spaces/spaces.ts";
import { templateFiles } from "../spaces/templates.ts";

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** The answers so far. */
interface Draft {
  readonly listen: Listen;
  readonly admin?: { readonly name: string; readonly hash: string };
  readonly space?: { readonly name: string; readonly template: string };
}

interface SetupDeps {
  readonly directory: string;
  readonly code: string;
  /** The address of the server now. */
  readonly listen: () => Listen;
  readonly logins: Pick<Logins, "isUnclaimed" | "claim">;
  readonly spaces: Pick<Spaces, "create" | "names">;
  /** Creates the first space, before there is a user. */
  readonly operator: Caller;
  /** Makes the server listen elsewhere, once the answer is out. */
  readonly moveTo: (listen: Listen) => void;
}

export class Setup {
  readonly #deps: SetupDeps;
  /** The CSRF tokens of browsers that had the code. */
  readonly #admitted = new Set<string>();
  #draft: Draft;
  #changes = 0;
  #isFinishing = false;

  constructor(deps: SetupDeps) {
    this.#deps = deps;
    this.#draft = { listen: deps.listen() };
  }

  /** False for good once the first admin exists. */
  get isOpen(): boolean {
    return this.#deps.logins.isUnclaimed();
  }

  get draft(): Draft {
    return this.#draft;
  }

  /** The number of changes of the answers. All tabs and browsers with the code share the answers. */
  get changes(): number {
    return this.#changes;
  }

  #set(answer: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...answer };
    this.#changes += 1;
  }

  isAdmitted(csrf: string): boolean {
    return this.#admitted.has(csrf);
  }

  /** Raises `invalid` for another code, after the same time for each. */
  admit(csrf: string, code: string): void {
    if (!isSameSecret(code.trim(), this.#deps.code))
      throw fieldError("invalid", "code", "not the code that the terminal shows");
    this.#admitted.add(csrf);
  }

  /** Raises `invalid` unless something can listen there. */
  async setListen(host: string, portText: string): Promise<void> {
    const problem = listenProblem(host);
    if (problem !== undefined) throw fieldError("invalid", "address", problem);
    const port = /^[1-9][0-9]{0,4}$/.test(portText) ? Number(portText) : Number.NaN;
    if (!(port <= PORT_MAX)) throw fieldError("invalid", "port", `expected a number from 1 to ${PORT_MAX}`);
    const now = this.#deps.listen();
    // The own port is taken by this server. Another address is tried with any free port.
    const tried = port === now.port ? 0 : port;
    if (host !== now.host || tried !== 0) {
      const code = await portProblem(host, tried);
      if (code !== undefined) throw listenFailure(code, host, port);
    }
    this.#set({ listen: { host, port } });
  }

  /** Raises `invalid`. */
  async setAdmin(name: string, password: string, repeated: string): Promise<void> {
    const { text } = parseName("name", name);
    checkPasswordShape(password);
    if (password !== repeated) throw fieldError("invalid", "repeated", "not the same password");
    this.#set({ admin: { name: text, hash: await hashPassword(password) } });
  }

  /** Raises `invalid`. */
  setSpace(name: string, template: string): void {
    const problem = spaceNameProblem(name);
    if (problem !== undefined) throw fieldError("invalid", "space", problem);
    templateFiles(template);
    this.#set({ space: { name, template } });
  }

  /**
   * Creates everything, the admin last, because that ends the setup. A crash before that leaves a setup that can be repeated. `seen`: the `changes` of
   * the answers that the person read. Returns the secret of the admin's session, and where the server listens from now on. Raises `refused` if a step is
   * missing, `conflict` if there are newer answers, or it runs already or is over.
   */
  async finish(from: Exchange, seen: number): Promise<{ secret: string; listen: Listen }> {
    const { directory, logins, spaces, operator, moveTo } = this.#deps;
    const { admin, space, listen } = this.#draft;
    // A form that was under way while another browser, or another tab, finished.
    if (!this.isOpen) throw new AppError("conflict", "this server is set up already");
    if (!admin || !space) throw new AppError("refused", "a step is missing; go back to it");
    if (this.#isFinishing) throw new AppError("conflict", "the setup is already being completed");
    if (seen !== this.#changes)
      throw new AppError(
        "conflict",
        "an answer was changed after this page was loaded, maybe in another tab; check all of them, then continue",
      );
    this.#isFinishing = true;
    try {
      await changeListen(directory, { address: listen.host, port: listen.port });
      if (!spaces.names().includes(space.name)) await spaces.create(operator, space);
      const secret = await logins.claim(from, admin.name, admin.hash);
      const now = this.#deps.listen();
      if (now.host !== listen.host || now.port !== listen.port) moveTo(listen);
      return { secret, listen };
    } finally {
      this.#isFinishing = false;
    }
  }
}

function listenFailure(code: string, host: string, port: number): AppError {
  if (code === "EADDRINUSE") return fieldError("invalid", "port", `${port} is already in use`);
  if (code === "EACCES")
    return fieldError("invalid", "port", `${port} needs more rights than this program has`);
  return fieldError("invalid", "address", `${host} is ${unboundAddress(host, code)}`);
}
