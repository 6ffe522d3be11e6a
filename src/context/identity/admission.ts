// The caller kinds that a route of the context server declares. The rules check permissions again when they act.

import type { Admission as KitAdmission } from "../../kit/http/admission.ts";
import type { Caller } from "./caller.ts";

/** `space` and `lead` refer to the space in the URL. */
export const callerKinds = ["open", "any", "space", "lead", "admin"] as const;
export type CallerKind = (typeof callerKinds)[number];

export type Admission = KitAdmission<CallerKind, Caller>;
