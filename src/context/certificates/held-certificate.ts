// A certificate with its key, in one PEM text: its dates, the domains that it is for, and when to renew it.

import { createPrivateKey, X509Certificate } from "node:crypto";

/** Let's Encrypt's advice: renew with a third of the lifetime left. */
const RENEWED_AT = 2 / 3;

export interface HeldCertificate {
  readonly pem: string;
  /** Ms since the epoch. */
  readonly expiresAt: number;
  readonly renewsAt: number;
  /** Lower case. */
  readonly domains: readonly string[];
}

/** Undefined unless it is a certificate with its own key. */
export function certificateIn(pem: string): HeldCertificate | undefined {
  try {
    const certificate = new X509Certificate(pem);
    if (!certificate.checkPrivateKey(createPrivateKey(pem))) return undefined;
    const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    const names = certificate.subjectAltName?.split(", ") ?? [];
    return {
      pem,
      expiresAt: until,
      renewsAt: Math.round(from + (until - from) * RENEWED_AT),
      domains: names.map((name) => name.replace(/^DNS:/, "").toLowerCase()),
    };
  } catch {
    return undefined;
  }
}

export function isFor(certificate: HeldCertificate, domains: readonly string[]): boolean {
  return domains.every((domain) => certificate.domains.includes(domain));
}

export function isForAny(certificate: HeldCertificate, domains: readonly string[]): boolean {
  return domains.some((domain) => certificate.domains.includes(domain));
}
