// All migrations in order, compiled into the binary. A released one is never edited: its hash is recorded where it was applied.

import type { Migration } from "../../kit/storage/migrate.ts";
import init from "./001_init.sql" with { type: "text" };
import gears from "./002_gears.sql" with { type: "text" };
import library from "./003_library.sql" with { type: "text" };
import egress from "./004_egress.sql" with { type: "text" };
import turns from "./005_turns.sql" with { type: "text" };
import steps from "./006_steps.sql" with { type: "text" };
import rightsAndTaint from "./008_rights_and_taint.sql" with { type: "text" };
import approvalsKeysAudit from "./009_approvals_keys_audit.sql" with { type: "text" };
import pages from "./010_pages.sql" with { type: "text" };
import workspaceStates from "./011_workspace_states.sql" with { type: "text" };
import memory from "./012_memory.sql" with { type: "text" };
import numbersAndTokens from "./013_numbers_and_tokens.sql" with { type: "text" };
import memoryWrites from "./014_memory_writes.sql" with { type: "text" };
import branches from "./015_branches.sql" with { type: "text" };
import providerStatus from "./016_provider_status.sql" with { type: "text" };
import workspaceLists from "./017_workspace_lists.sql" with { type: "text" };
import attachments from "./018_attachments.sql" with { type: "text" };
import search from "./019_search.sql" with { type: "text" };
import decisions from "./020_decisions.sql" with { type: "text" };
import arrivedTexts from "./021_arrived_texts.sql" with { type: "text" };
import libraryLists from "./022_library_lists.sql" with { type: "text" };
import importedTurns from "./023_imported_turns.sql" with { type: "text" };
import begunSaves from "./024_begun_saves.sql" with { type: "text" };
import wholeSchema from "./whole.sql" with { type: "text" };

// Sorted by name: that is the order in which their record is read.
export const migrations: readonly Migration[] = [
  { name: "001_init", sql: init },
  { name: "002_gears", sql: gears },
  { name: "003_library", sql: library },
  { name: "004_egress", sql: egress },
  { name: "005_turns", sql: turns },
  { name: "006_steps", sql: steps },
  { name: "008_rights_and_taint", sql: rightsAndTaint },
  { name: "009_approvals_keys_audit", sql: approvalsKeysAudit },
  { name: "010_pages", sql: pages },
  { name: "011_workspace_states", sql: workspaceStates },
  { name: "012_memory", sql: memory },
  { name: "013_numbers_and_tokens", sql: numbersAndTokens },
  { name: "014_memory_writes", sql: memoryWrites },
  { name: "015_branches", sql: branches },
  { name: "016_provider_status", sql: providerStatus },
  { name: "017_workspace_lists", sql: workspaceLists },
  { name: "018_attachments", sql: attachments },
  { name: "019_search", sql: search },
  { name: "020_decisions", sql: decisions },
  { name: "021_arrived_texts", sql: arrivedTexts },
  { name: "022_library_lists", sql: libraryLists },
  { name: "023_imported_turns", sql: importedTurns },
  { name: "024_begun_saves", sql: begunSaves },
];

/** The result of all migrations as one script (tests/house/whole-schema). */
export { wholeSchema };
