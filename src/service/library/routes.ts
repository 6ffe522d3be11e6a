// HTTP for the library: instructions, versions, bindings, and decisions on proposals.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { matchedVersion } from "../../kit/http/entity-tags.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { answerList } from "../../kit/http/list-answer.ts";
import { VERSIONED } from "../../kit/http/answer-headers.ts";
import { IF_MATCH } from "../../kit/http/request-headers.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { Empty, IdParams, PageQuery } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Instructions } from "./instructions.ts";
import type { Proposals } from "./proposals.ts";
import {
  BindInstruction,
  CreateInstruction,
  DecideProposal,
  Instruction,
  InstructionBinding,
  InstructionSummary,
  InstructionVersion,
  Proposal,
  UpdateInstruction,
} from "./schema.ts";

export function libraryRoutes(plugin: Admission, instructions: Instructions, proposals: Proposals) {
  return new Elysia({ name: "library", normalize: false, tags: ["library"] })
    .use(plugin)
    .use(instructionRoutes(plugin, instructions))
    .use(proposalRoutes(plugin, proposals))
    .get("/workspaces/:id/instructions", ({ caller, params }) => instructions.bindings(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Type.Array(InstructionBinding),
    })
    .post(
      "/workspaces/:id/instructions",
      async ({ caller, params, body, status }) =>
        instructions.bind(caller, params.id, body).then((made) => status(201, made)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        body: BindInstruction,
        response: { 201: InstructionBinding },
      },
    )
    .delete(
      "/instruction-bindings/:id",
      async ({ caller, params }) => instructions.unbind(caller, params.id),
      {
        caller: "ws",
        params: fromPath(IdParams),
        response: Empty,
      },
    );
}

function instructionRoutes(plugin: Admission, instructions: Instructions) {
  return new Elysia({ name: "instructions", normalize: false, prefix: "/instructions", tags: ["library"] })
    .use(plugin)
    .get("", ({ request }) => answerList(exchangeOf(request).id, instructions.pages()), {
      caller: "any",
      response: Type.Array(InstructionSummary),
    })
    .post(
      "",
      async ({ caller, body, status }) => instructions.create(caller, body).then((made) => status(201, made)),
      {
        caller: "any",
        body: CreateInstruction,
        response: { 201: Instruction },
      },
    )
    .get(
      "/:id",
      async ({ params, set }) => {
        const instruction = instructions.get(params.id);
        set.headers["etag"] = `"${instruction.version}"`;
        return instruction;
      },
      { caller: "any", params: fromPath(IdParams), response: Instruction, detail: VERSIONED },
    )
    .put(
      "/:id",
      async ({ caller, params, body, request, set }) => {
        const match = versionFrom(exchangeOf(request).headers["if-match"]);
        const expected = body.expected_version ?? match;
        const instruction = await instructions.update(
          caller,
          params.id,
          expected === undefined ? body : { ...body, expected_version: expected },
        );
        set.headers["etag"] = `"${instruction.version}"`;
        return instruction;
      },
      {
        caller: "author",
        params: fromPath(IdParams),
        body: UpdateInstruction,
        response: Instruction,
        detail: UPDATE,
      },
    )
    .delete("/:id", async ({ caller, params }) => instructions.remove(caller, params.id), {
      caller: "author",
      params: fromPath(IdParams),
      response: Empty,
    })
    .get("/:id/versions", ({ params, query }) => instructions.versions(params.id, query), {
      caller: "any",
      params: fromPath(IdParams),
      query: fromText(PageQuery),
      response: Type.Array(InstructionVersion),
    });
}

function proposalRoutes(plugin: Admission, proposals: Proposals) {
  return new Elysia({
    name: "instruction-proposals",
    normalize: false,
    prefix: "/instruction-proposals",
    tags: ["library"],
  })
    .use(plugin)
    .get("", ({ caller, request }) => answerList(exchangeOf(request).id, proposals.pages(caller)), {
      caller: "any",
      response: Type.Array(Proposal),
    })
    .get("/:id", ({ caller, params }) => proposals.get(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Proposal,
    })
    .post("/:id/decision", async ({ caller, params, body }) => proposals.decide(caller, params.id, body), {
      caller: "ws",
      params: fromPath(IdParams),
      body: DecideProposal,
      response: Proposal,
    });
}

const UPDATE = {
  description:
    "Absent fields are unchanged. `expected_version`, or If-Match: the version that was read; if the current version differs, the response is 412.",
  parameters: [IF_MATCH],
  ...VERSIONED,
};

/** Parses `"3"`; `*` means any version. Raises `invalid`. */
function versionFrom(header: string | undefined): number | undefined {
  const version = header === undefined ? "*" : matchedVersion(header);
  return version === "*" ? undefined : version;
}
