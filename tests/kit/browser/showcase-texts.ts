// The words of the showcase: roles, files, instructions and the three versions of a gear. Invented, but as a release desk would have them.

export const ROLES = {
  orchestrator:
    "You run the release desk. You hand work to the agent that is best at it, check what comes back, and answer in plain words. You never state a change that nobody showed you.",
  scribe:
    "You write release notes. You state only what the change list shows, in plain words, newest first. A breaking change always says what to do.",
  scout:
    "You look things up. You say where a fact comes from and how old it is. When two sources disagree, you report both.",
  checker:
    "You read drafts against the change list, line by line, and name what is missing, wrong or unclear. You do not rewrite.",
} as const;

export const TONE_FIRST = `# Tone

Write for people who run this at work.

- Short sentences.
- No exclamation marks.
`;

export const TONE_SECOND = `# Tone

Write for people who run this at work and have five minutes.

- Short sentences. One idea each.
- No exclamation marks, no praise.
- Say what changed, then what to do.
`;

export const TONE_THIRD = `# Tone

Write for people who run this at work and have five minutes.

- Short sentences. One idea each.
- No exclamation marks, no praise.
- Say what changed, then what to do.
- Numbers with their unit. Dates as 14 November 2026.

## Words

| write    | not         |
| -------- | ----------- |
| start    | spin up     |
| remove   | nuke        |
| at least | more than ~ |
`;

export const TONE_PROPOSED = `${TONE_THIRD}
A breaking change stands first and begins with the word "Changed".
`;

export const FACTS = `State only what a file, a tool or a person in this workspace has shown. If you are not sure, say so and say what would settle it.
`;

const CHANGES = [
  { area: "tls", title: "minimum version is 1.3 (was 1.2)", pr: 481, breaking: true },
  { area: "store", title: "writes share one commit", pr: 467 },
  { area: "api", title: "lists answer [] when they are empty", pr: 470, breaking: true },
  { area: "api", title: "page size is at most 500", pr: 472 },
  { area: "cli", title: "unknown flags are errors", pr: 459, breaking: true },
  { area: "cli", title: "help names every command", pr: 460 },
  { area: "sync", title: "deletions travel both ways", pr: 474 },
  { area: "sync", title: "an unsent edit is never overwritten", pr: 476 },
  { area: "docs", title: "every link is tested", pr: 463 },
  { area: "log", title: "one line for each event", pr: 465 },
  { area: "start", title: "a refused start leaves no trace", pr: 478 },
  { area: "stop", title: "streams end within 10 seconds", pr: 480 },
];

export const FILES: Readonly<Record<string, string>> = {
  "changes.json": `${JSON.stringify(CHANGES, null, 2)}\n`,
  "README.md": `# Release desk

Everything for the next release. \`changes.json\` is written by the build; \`drafts\` by scribe.

1. The change list is complete when the branch is cut.
2. A draft is checked by **checker** before a person reads it.
`,
  "drafts/2.3.1.md": `## 2.3.1

Fixed    A stream that nobody reads no longer keeps its turn open.
Faster   Start-up takes 60 ms instead of 90 ms.
`,
  "notes/tls-defaults.md": `# TLS defaults of others

To be filled in by scout, with sources.
`,
  "scripts/cut-branch.sh": `#!/bin/sh
# Cuts the release branch and fails when the tree is not clean.
set -eu
version=\${1:?which version?}
test -z "$(git status --porcelain)" || { echo "the tree is not clean" >&2; exit 1; }
git switch -c "release/$version"
`,
};

export const DRAFT = `## 2.4.0

Changed  TLS 1.3 is the minimum. Set tls.min: "1.2" to keep old clients.
Changed  Lists answer [] when they are empty, never null.
Changed  Unknown flags are errors.
Faster   Concurrent writes share one commit.
`;

export const GEAR = {
  name: "changelog_draft",
  description: "Turns a change list into lines for the release notes",
  runtime: "python",
  args_schema: JSON.stringify({
    type: "object",
    properties: {
      from: { type: "string", description: "The previous version, such as 2.3.0" },
      to: { type: "string", description: "The version to be released" },
      file: { type: "string", description: "The change list", "x-file": true },
    },
    required: ["from", "to", "file"],
    additionalProperties: false,
  }),
};

export const GEAR_FIRST = `import json, sys
from pathlib import Path

args = json.load(sys.stdin)
changes = json.loads(Path("inputs", args["file"]).read_text())
for c in changes:
    print(f"- {c['area']}: {c['title']}  #{c['pr']}")
`;

export const GEAR_SECOND = `import json, sys
from pathlib import Path

args = json.load(sys.stdin)
changes = json.loads(Path("inputs", args["file"]).read_text())
breaking = [c for c in changes if c.get("breaking")]
print(f"{len(changes)} changes, {len(breaking)} breaking")
for c in changes:
    print(f"- {c['area']}: {c['title']}  #{c['pr']}")
`;

export const GEAR_THIRD = `import json, sys
from pathlib import Path

args = json.load(sys.stdin)
source = Path("inputs", args["file"])
if not source.exists():
    sys.exit(f"no change list at {source}")
changes = json.loads(source.read_text())
breaking = [c for c in changes if c.get("breaking")]
print(f"{len(changes)} changes, {len(breaking)} breaking")
for c in sorted(changes, key=lambda c: not c.get("breaking")):
    print(f"- {c['area']}: {c['title']}  #{c['pr']}")
`;

export const COUNT_GEAR = {
  name: "count_words",
  description: "Counts the words of a text",
  runtime: "bash",
  code: "wc -w\n",
  args_schema: JSON.stringify({
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  }),
  tags: ["text"],
  tests: [
    { name: "two words", args: { text: "one two" }, expected: "2" },
    { name: "nothing", args: { text: "" }, expected: "1" },
  ],
};

export const DESK_ANSWER = `Three people's worth of help sits behind this desk:

| agent | does | may use |
| --- | --- | --- |
| **scribe** | writes the notes from the change list | \`changelog_draft\` |
| **scout** | looks up facts outside | web search, each one approved by you |
| **checker** | reads drafts against the list | files only |

The change list has 12 entries, 3 of them breaking. I suggest:

1. scribe drafts 2.4.0,
2. scout checks the TLS default elsewhere,
3. checker reads the draft before you do.
`;

export const SCRIBE_REPORT = `Draft ready, in \`drafts/2.4.0.md\`. One change needs a word of warning:

\`\`\`md
${DRAFT.trim()}
\`\`\`

I also saved a new version of \`changelog_draft\` that puts breaking changes first and says which file is missing. It waits for approval.
`;
