// Access to paths: roles, rules per user, and the explanation of a decision.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable, oneOf } from "../../kit/schema.ts";

export const roles = ["admin", "space-lead", "contributor", "viewer"] as const;
export const Role = oneOf(roles);
export type Role = (typeof roles)[number];

export const capabilities = ["list", "read", "create", "update", "delete"] as const;
export const Capability = oneOf(capabilities);
export type Capability = (typeof capabilities)[number];

export const effects = ["allow", "deny"] as const;

const ACL_RULES_PER_USER_MAX = 1_000;
const ACL_PATTERN_CHARACTERS_MAX = 1_024;
const ACL_REVISION_CHARACTERS_MAX = 64;

export const AclRule = closed({
  effect: oneOf(effects),
  path: Type.String({
    maxLength: ACL_PATTERN_CHARACTERS_MAX,
    description: "`<space>/<glob>`: `*` within one segment, `**` any depth",
  }),
  capabilities: Type.Array(Capability, { minItems: 1, maxItems: capabilities.length, uniqueItems: true }),
});
export type AclRule = Static<typeof AclRule>;

export const Acl = closed({
  user: Type.String(),
  rules: Type.Array(AclRule),
  revision: Type.String({ description: "changes whenever the rules change" }),
});
export type Acl = Static<typeof Acl>;
export const WriteAcl = closed({
  rules: Type.Array(AclRule, { maxItems: ACL_RULES_PER_USER_MAX }),
  revision: Type.Optional(
    Type.String({
      maxLength: ACL_REVISION_CHARACTERS_MAX,
      description: "revision of the rules as read; 412 if they have changed since",
    }),
  ),
});
export type WriteAcl = Static<typeof WriteAcl>;

/** `deny`, `allow`: decided by `rule`. `role`: no rule matches. `scope`: the role does not apply in that space. */
export const Explanation = closed({
  user: Type.String(),
  path: Type.String(),
  capability: Capability,
  allowed: Type.Boolean(),
  by: oneOf(["deny", "allow", "role", "scope", "disabled"] as const),
  rule: nullable(AclRule),
  reason: Type.String(),
});
export type Explanation = Static<typeof Explanation>;
