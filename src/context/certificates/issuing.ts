// One order of a certificate, from the account to the PEM text: asks the authority, gives the proofs, and checks the result before it is used.

import type { AccountKey } from "../../kit/acme/account-key.ts";
import { certificateRequest } from "../../kit/acme/certificate-request.ts";
import { AcmeFailure, type AcmeClient, type Authorization } from "../../kit/acme/client.ts";
import type { AcmeConfig } from "../config/schema.ts";
import type { Challenger, Proof } from "./challenge.ts";
import { certificateIn, isFor, type HeldCertificate } from "./held-certificate.ts";

/** RFC 8555, section 8: characters of base64url only. */
const TOKEN = /^[\w-]{1,200}$/;

interface OrderParts {
  readonly client: AcmeClient;
  readonly key: AccountKey;
  readonly challenger: Challenger;
  readonly acme: Pick<AcmeConfig, "email" | "domains">;
  /** Ms since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Raises AcmeFailure, and what the challenger raises. */
export async function issued(parts: OrderParts): Promise<HeldCertificate> {
  const { client, challenger, acme, signal } = parts;
  await challenger.withdraw(signal);
  await client.register(acme.email);
  const { url, order } = await client.order(acme.domains);
  try {
    await proven(parts, order.authorizations);
    const request = certificateRequest(acme.domains);
    const chain = await client.certificate(url, order.finalize, request.der);
    return checked(`${request.key}${chain}`, parts);
  } finally {
    // With the signal of the order, a stop leaves the records to the next order.
    await challenger.withdraw(signal).catch(() => {});
  }
}

async function proven(parts: OrderParts, authorizations: readonly string[]): Promise<void> {
  const { client, challenger, signal } = parts;
  const asked: { readonly url: string; readonly challenge: string; readonly proof: Proof }[] = [];
  for (const url of authorizations) {
    const authorization = await client.authorization(url);
    if (authorization.status === "pending") asked.push({ url, ...askedFor(authorization, parts) });
  }
  if (asked.length === 0) return;
  await challenger.present(
    asked.map(({ proof }) => proof),
    signal,
  );
  for (const { challenge } of asked) await client.ready(challenge);
  for (const { url } of asked) await client.authorized(url);
}

function askedFor({ identifier, challenges }: Authorization, { challenger, key }: OrderParts) {
  const { value: domain } = identifier;
  const found = challenges.find(({ type }) => type === challenger.type);
  const token = found?.token ?? "";
  if (found === undefined || !TOKEN.test(token))
    throw new AcmeFailure(
      `${domain}: the authority does not offer ${challenger.type}; choose another tls.acme.challenge`,
    );
  return { challenge: found.url, proof: { domain, token, authorisation: key.authorisation(token) } };
}

function checked(pem: string, { acme, now }: OrderParts): HeldCertificate {
  const certificate = certificateIn(pem);
  if (certificate === undefined || !isFor(certificate, acme.domains) || certificate.expiresAt <= now)
    throw new AcmeFailure("the authority sent a certificate that does not fit the order");
  return certificate;
}
