// Goal: only files with a hash in the name, the page, and what a conversation is read from are kept for reading offline.

import { expect, test } from "bun:test";
import { treatmentOf } from "../../../web/api/offline/rules.ts";

for (const [treatment, requests] of [
  ["asset", ["GET /assets/index-a1b2.js", "GET /assets/inter.woff2"]],
  ["page", ["GET-PAGE /", "GET-PAGE /workspaces/3/files", "GET-PAGE /login"]],
  [
    "kept",
    [
      "GET /api/v1/whoami",
      "GET /api/v1/models",
      "GET /api/v1/providers",
      "GET /api/v1/teams",
      "GET /api/v1/workspaces/activity",
      "GET /api/v1/approvals",
      "GET /api/v1/workspaces",
      "GET /api/v1/workspaces/3",
      ...["blueprint", "turns", "entries", "decisions", "usage", "branches"].map(
        (one) => `GET /api/v1/workspaces/3/${one}`,
      ),
    ],
  ],
  ["forgets", ["POST /api/v1/logout", "POST /api/v1/login"]],
  [
    "network",
    [
      "GET /assets/../api/v1/users",
      "GET /sw.js",
      "GET-PAGE /diagram.html",
      "GET-PAGE /api/v1/whoami",
      "GET /api/v1/workspaces/3/events",
      "GET /api/v1/workspaces/3/file",
      "GET /api/v1/workspaces/3/files",
      "GET /api/v1/workspaces/x",
      "GET /api/v1/users",
      "GET /api/v1/audit",
      "GET /api/v1/health",
      "HEAD /api/v1/whoami",
      "POST /api/v1/workspaces/3/chat",
      "PUT /api/v1/workspaces/3/file",
      "DELETE /api/v1/workspaces/3",
    ],
  ],
] as const) {
  test(treatment, () => {
    const found = requests.map((request) => {
      const [method, path] = request.split(" ") as [string, string];
      return treatmentOf(method.replace("-PAGE", ""), path, { isNavigation: method.endsWith("-PAGE") });
    });
    expect(found).toEqual(requests.map(() => treatment));
  });
}
