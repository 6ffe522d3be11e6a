// The proof of control over a domain that an authority asks for, and how it is given: by HTTP or by DNS.

export interface Proof {
  readonly domain: string;
  readonly token: string;
  /** The token with the thumbprint of the account key. */
  readonly authorisation: string;
}

export interface Challenger {
  /** As the authority calls it. */
  readonly type: "http-01" | "dns-01";
  /** Resolves once the authority can see all of them. */
  present(proofs: readonly Proof[], signal: AbortSignal): Promise<void>;
  /** Removes the proofs of the last order, also of one that a crash ended. Raises what the removal raises. */
  withdraw(signal: AbortSignal): Promise<void>;
}
