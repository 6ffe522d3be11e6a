// The schema modules of all features, which the API description refers to by name.

import { HealthProblem, HealthState } from "../kit/health.ts";
import type { SchemaModules } from "../kit/http/components.ts";
import * as access from "./access/schema.ts";
import * as audit from "./audit/schema.ts";
import * as backup from "./backup/schema.ts";
import * as events from "./events/schema.ts";
import * as freshness from "./freshness/schema.ts";
import * as graph from "./graph/schema.ts";
import * as store from "./versioned-store/schema.ts";
import * as people from "./people/schema.ts";
import * as search from "./search/schema.ts";
import * as spaces from "./spaces/schema.ts";
import * as sync from "./sync/schema.ts";
import * as webhooks from "./webhooks/schema.ts";

export const schemas: SchemaModules = [
  { HealthProblem, HealthState },
  access,
  audit,
  backup,
  events,
  freshness,
  graph,
  store,
  people,
  search,
  spaces,
  sync,
  webhooks,
];
