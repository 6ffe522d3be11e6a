// Goal: the import graph is the one that the architecture draws, and every rule about it is able to fail.

import { describe, expect, test } from "bun:test";
import * as rules from "./import-rules.ts";
import { describeRules, type RuleCase } from "./rule-cases.ts";
import { codeFiles, importsOf } from "./source.ts";

const cases: Readonly<Record<string, RuleCase>> = {
  "kit imports no feature": {
    rule: rules.kitKnowsNoFeature,
    refused: [
      ["src/kit/storage/db.ts", 'import { turn } from "../../service/turns/turn.ts";'],
      ["src/kit/http/guard.ts", 'import type { User } from "../../service/people/schema.ts";'],
      ["src/kit/terminal/cli.ts", 'const later = () => import("../../cli/main.ts");'],
    ],
    allowed: [
      [
        "src/kit/storage/db.ts",
        'import { readFileSync } from "node:fs";\nimport { clock } from "../clock.ts";',
      ],
    ],
  },
  "service and context meet at one door": {
    rule: rules.sidesStayApart,
    refused: [
      ["src/service/memory/space.ts", 'import { write } from "../../context/files/file.ts";'],
      ["src/context/files/file.ts", 'import { agent } from "../../service/blueprint/agent.ts";'],
      ["src/cli/version.ts", 'import { serve } from "../service/main.ts";'],
    ],
    allowed: [["src/service/memory/space.ts", 'import { client } from "../../context/client/client.ts";']],
  },
  "roles in a feature point down, and features meet through rules": {
    rule: rules.rolesPointDown,
    refused: [
      ["src/service/turns/schema.ts", 'import { rows } from "./store.ts";'],
      ["src/service/turns/store.ts", 'import { engine } from "./engine.ts";'],
      ["src/service/turns/engine.ts", 'import { routes } from "./routes.ts";'],
      ["src/service/turns/engine.ts", 'import { rows } from "../people/store.ts";'],
      ["src/service/turns/routes.ts", 'import { routes } from "../people/routes.ts";'],
      ["src/service/turns/engine.ts", 'import { start } from "../main.ts";'],
      ["src/service/turns/schema.ts", 'import { user } from "../people/user.ts";'],
    ],
    allowed: [
      [
        "src/service/turns/routes.ts",
        'import { engine } from "./engine.ts";\nimport { Turn } from "./schema.ts";',
      ],
      [
        "src/service/turns/engine.ts",
        'import { user } from "../people/user.ts";\nimport { rows } from "./store.ts";',
      ],
      ["src/service/server.ts", 'import { routes } from "./turns/routes.ts";'],
    ],
  },
  "a schema runs anywhere": {
    rule: rules.schemasRunAnywhere,
    refused: [["src/service/turns/schema.ts", 'import { Database } from "bun:sqlite";']],
    allowed: [["src/service/turns/schema.ts", 'import { Type } from "@sinclair/typebox";']],
  },
  "web imports types only": {
    rule: rules.webTakesTypesOnly,
    refused: [
      ["web/chat.tsx", 'import { engine } from "../src/service/turns/engine.ts";'],
      ["web/chat.tsx", 'import { Turn } from "../src/service/turns/schema.ts";'],
    ],
    allowed: [
      ["web/chat.tsx", 'import type { Turn } from "../src/service/turns/schema.ts";'],
      ["web/chat.tsx", 'import type { Engine } from "../src/service/turns/engine.ts";'],
    ],
  },
  "the product knows no tests and scripts": {
    rule: rules.productKnowsNoTools,
    refused: [["src/service/main.ts", 'import { model } from "../../tests/kit/model.ts";']],
    allowed: [["tests/unit/a.test.ts", 'import { model } from "../kit/model.ts";']],
  },
  "bin only starts": {
    rule: rules.binOnlyStarts,
    refused: [["bin/cairn.ts", 'import { version } from "../src/kit/version.ts";']],
    allowed: [["bin/cairn.ts", 'import { main } from "../src/cli/main.ts";']],
  },
  "scripts need no package": {
    rule: rules.scriptsNeedNoPackage,
    refused: [["release/test.ts", 'import { defineCommand } from "citty";']],
    allowed: [
      ["release/test.ts", 'import { rm } from "node:fs/promises";\nimport { fail } from "./step.ts";'],
    ],
  },
};

describeRules("import graph", codeFiles, cases);

describe("import graph", () => {
  test("every form of import is seen", () => {
    const text = [
      'import a from "./a.ts";',
      'import type { B } from "../b.ts";',
      "import {\n  c,\n  d,\n} from './c.ts';",
      'export * from "./d.ts";',
      'export { e } from "./e.ts";',
      'import "./f.ts";',
      'const g = () => import("./g.ts");',
      '// import h from "./h.ts";',
      'import packaged from "elysia";',
    ].join("\n");
    expect(importsOf({ path: "src/kit/x.ts", text })).toEqual([
      { target: "src/kit/a.ts", kind: "static" },
      { target: "src/b.ts", kind: "type" },
      { target: "src/kit/c.ts", kind: "static" },
      { target: "src/kit/d.ts", kind: "static" },
      { target: "src/kit/e.ts", kind: "static" },
      { target: "elysia", kind: "static" },
      { target: "src/kit/f.ts", kind: "static" },
      { target: "src/kit/g.ts", kind: "dynamic" },
    ]);
  });
});
