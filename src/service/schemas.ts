// The schemas that the API description names as components: all that the features export.

import { HealthProblem, HealthState } from "../kit/health.ts";
import type { SchemaModules } from "../kit/http/components.ts";
import * as approvals from "./approvals/schema.ts";
import * as attachments from "./attachments/schema.ts";
import * as audit from "./audit/schema.ts";
import * as backup from "./backup/schema.ts";
import * as blueprint from "./blueprint/schema.ts";
import * as catalog from "./catalog/schema.ts";
import * as conversation from "./conversation/schema.ts";
import * as egress from "./egress/schema.ts";
import * as files from "./files/schema.ts";
import * as gears from "./gears/schema.ts";
import * as identity from "./identity/schema.ts";
import * as journal from "./journal/schema.ts";
import * as library from "./library/schema.ts";
import * as memory from "./memory/schema.ts";
import * as overview from "./overview/schema.ts";
import * as people from "./people/schema.ts";
import * as search from "./search/schema.ts";
import * as snapshot from "./snapshot/schema.ts";
import * as terminal from "./terminal/schema.ts";
import * as transfer from "./transfer/schema.ts";
import * as turns from "./turns/schema.ts";
import * as usage from "./usage/schema.ts";
import * as workspaces from "./workspaces/schema.ts";

export const schemas: SchemaModules = [
  { HealthProblem, HealthState },
  approvals,
  attachments,
  audit,
  backup,
  blueprint,
  catalog,
  conversation,
  egress,
  files,
  gears,
  identity,
  journal,
  library,
  memory,
  overview,
  people,
  search,
  snapshot,
  terminal,
  transfer,
  turns,
  usage,
  workspaces,
];
