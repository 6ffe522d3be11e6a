// Builds the turns feature: the engine and its recorder, viewing, and the inspection of sent prompts.

import { systemTimers } from "../../kit/clock.ts";
import type { AttachmentReader } from "../attachments/attachment-contents.ts";
import type { Attachments } from "../attachments/attachments.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Models } from "../catalog/models.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { SentPrompts } from "../conversation/sent-prompts.ts";
import { TokenCounts } from "../conversation/tokens.ts";
import type { GearRuns } from "../gears/runs.ts";
import type { Ground } from "../ground.ts";
import type { Instructions } from "../library/instructions.ts";
import type { CallModel } from "../llm/model.ts";
import type { Authentication } from "../people/authentication.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Usages } from "../usage/usage.ts";
import type { Access } from "../workspaces/access.ts";
import { ArrivedTexts } from "./arrived-texts.ts";
import { arrivingText } from "./arriving-text.ts";
import { Branches } from "./branches.ts";
import { Engine, type ContextFor } from "./engine.ts";
import { Inspection } from "./inspection.ts";
import { Openings, type KeptBlueprints, type WithdrawRequests } from "./openings.ts";
import { Recorder } from "./recorder.ts";
import { Standing } from "./standing.ts";
import { Steps } from "./steps.ts";
import { turnStore } from "./store.ts";
import { Summaries } from "./summaries.ts";
import { Turns } from "./turns.ts";
import { Viewing } from "./viewing.ts";

interface TurnNeeds {
  readonly attachments: Attachments;
  readonly attachmentReader: AttachmentReader;
  readonly access: Access;
  readonly authentication: Authentication;
  readonly blueprint: Blueprint;
  readonly callModel: CallModel;
  readonly contextFor: ContextFor;
  readonly conversation: Conversation;
  readonly gearRuns: GearRuns;
  readonly instructions: Instructions;
  readonly models: Models;
  readonly prompts: SentPrompts;
  readonly registry: ToolRegistry;
  readonly snapshots: KeptBlueprints;
  readonly usages: Usages;
  readonly withdrawRequests: WithdrawRequests;
}

export function buildTurns(ground: Ground, needs: TurnNeeds) {
  const { db, clock, log, background, journal, workers } = ground;
  const { access, authentication, blueprint, conversation, snapshots, usages } = needs;
  const { callModel, contextFor, gearRuns, instructions, models, prompts, registry, withdrawRequests } =
    needs;
  const store = turnStore(db);
  const recorder = new Recorder({ db, turns: store, prompts, conversation, journal, usages, clock });
  const arrived = new ArrivedTexts({ db, store, background, timers: systemTimers });
  const engine = new Engine({
    recorder,
    callModel,
    registry,
    models,
    blueprint,
    usages,
    attachmentReader: needs.attachmentReader,
    db,
    log,
    instructionsFor: (workspaceId, agentId) => instructions.instructionsFor(workspaceId, agentId),
    contextFor,
    listenTo: arrivingText({ arrived, journal, clock }),
  });
  const branches = new Branches({ db, store, conversation, journal, access });
  const openings = new Openings({
    store,
    conversation,
    blueprint,
    snapshots,
    branches,
    withdrawRequests,
    journal,
    clock,
  });
  const standing = new Standing({ store, authentication, access });
  const turns = new Turns({
    db,
    store,
    openings,
    branches,
    attachments: needs.attachments,
    models,
    modelOf: (workspaceId) => blueprint.orchestratorOf(workspaceId).model_id,
    engine,
    snapshots,
    access,
    standing,
    background,
    clock,
    log,
  });
  journal.whenRightsChange(() => turns.recheck());
  const viewing = new Viewing({ journal, store, turns, access, authentication });
  const counts = new TokenCounts(workers);
  const inspection = new Inspection({
    store,
    prompts,
    counts,
    conversation,
    blueprint,
    engine,
    turns,
    access,
  });
  const steps = new Steps({ store, turns, conversation, gearRuns: (turnId) => gearRuns.ofTurn(turnId) });
  const summaries = new Summaries({ store, access });
  return { turns, summaries, branches, viewing, inspection, steps, standing, recorder };
}
