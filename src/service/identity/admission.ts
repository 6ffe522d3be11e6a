// Who may call a route of the service, as routes declare it. `admin` is checked here as well as in the rules. The meaning of `ws`, `lead`,
// `owner`, `author` and `self` depends on the record, so their rules decide, inside the transaction.

import type { Admission as KitAdmission } from "../../kit/http/admission.ts";
import type { Caller } from "./caller.ts";

export const callerKinds = ["open", "any", "ws", "lead", "owner", "author", "self", "admin"] as const;
export type CallerKind = (typeof callerKinds)[number];

export type Admission = KitAdmission<CallerKind, Caller>;
