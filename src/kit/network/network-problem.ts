// Says why a request got no answer, in words for people: failures of the network and of TLS, as the runtime names them.

import { messageOf, systemCode } from "../error.ts";

/** The runtime's advice to programmers, at the end of its messages. */
const ADVICE = / For more information, pass `verbose: true`.*$/;
const TRUST =
  "nothing on this machine vouches for its certificate; if it is the right server, set NODE_EXTRA_CA_CERTS to the file of its certificate or of the authority";
const PROBLEMS = new Map([
  ["ECONNREFUSED", "connection refused; check that the server is running and that the port is right"],
  ["ECONNRESET", "it closed the connection before an answer; check the address, and http or https in it"],
  ["ENOTFOUND", "host not found"],
  ["EPROTO", "it does not speak TLS there; check the port, and http or https in the address"],
  ["CERT_HAS_EXPIRED", "its certificate has expired; renew it on the server"],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet; check the clocks of both machines"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for other names; use one of those in the address"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", TRUST],
  ["SELF_SIGNED_CERT_IN_CHAIN", TRUST],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", TRUST],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", TRUST],
]);

/** Describes common failures of the network and of TLS in our own words. */
export function networkProblem(error: unknown): string {
  return knownProblem(error) ?? withoutAdvice(messageOf(error));
}

/** Undefined for any other failure. */
export function knownProblem(error: unknown): string | undefined {
  return PROBLEMS.get(systemCode(error) ?? "");
}

/** The message of a failure without what it tells programmers. */
export function withoutAdvice(message: string): string {
  return message.replace(ADVICE, "");
}
