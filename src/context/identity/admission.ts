// Who may call a route of the context server, as routes declare it. The rules decide again when they act.

import type { Admission as KitAdmission } from "../../kit/http/admission.ts";
import type { Caller } from "./caller.ts";

/** `space`, `lead`: of the space in the address. */
export const callerKinds = ["open", "any", "space", "lead", "admin"] as const;
export type CallerKind = (typeof callerKinds)[number];

export type Admission = KitAdmission<CallerKind, Caller>;
