// The callers that a route of the service can admit. `admin` is checked here and again in the rules. `ws`, `lead`, `owner`, `author` and `self`
// depend on the record, so the rules check them inside the transaction.

import type { Admission as KitAdmission } from "../../kit/http/admission.ts";
import type { Caller } from "./caller.ts";

export const callerKinds = ["open", "any", "ws", "lead", "owner", "author", "self", "admin"] as const;
export type CallerKind = (typeof callerKinds)[number];

export type Admission = KitAdmission<CallerKind, Caller>;
