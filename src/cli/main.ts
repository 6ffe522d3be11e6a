// The `cairn` command line: its commands and the flags that all of them take. Each group is a file, loaded when one of its commands runs. The
// root help lists this table, so it announces no command that does not exist.

import { exitCodeOf } from "../kit/error.ts";
import { later, runProgram, type Command, type Program } from "../kit/terminal/cli.ts";
import { spaceArgs } from "./connection-args.ts";
import { examples } from "./examples.ts";
import { topics } from "./topics.ts";

type Part = Command | (() => Promise<Command>);

function group(name: string, description: string, subCommands: Record<string, Part>): Command {
  return { meta: { name, description }, subCommands: subCommands as Record<string, Command> };
}

const init = () => import("./groups/init.ts");
const file = () => import("./groups/file.ts");
const freshness = () => import("./groups/freshness.ts");
const space = () => import("./groups/space.ts");
const user = () => import("./groups/user.ts");
const acl = () => import("./groups/acl.ts");
const audit = () => import("./groups/audit.ts");
const webhook = () => import("./groups/webhook.ts");
const server = () => import("./groups/server.ts");
const backup = () => import("./groups/backup.ts");
const replica = () => import("./groups/sync.ts");
const conflict = () => import("./groups/conflict.ts");
const daemon = () => import("./groups/daemon.ts");
const history = () => import("./groups/history.ts");
const context = () => import("./groups/context.ts");
const plugin = () => import("./groups/plugin.ts");

export const program: Program = {
  root: {
    meta: { name: "cairn", description: "Keep what people and AI tools know in versioned spaces." },
    subCommands: {
      init: {
        ...group("init", "Create a space, a client or a server; prompts for missing answers", {
          solo: async () => (await init()).initSolo,
          client: async () => (await init()).initClient,
          server: async () => (await init()).initServerCommand,
        }),
        args: async () => (await init()).wizardArgs,
        run: async ({ args }) => (await init()).runWizard(args),
      },
      server: group("server", "Start, stop and inspect a context server", {
        start: async () => (await server()).serverStart,
        status: async () => (await import("./groups/server-status.ts")).serverStatus,
        health: async () => (await server()).serverHealth,
        stop: async () => (await server()).serverStop,
        logs: async () => (await server()).serverLogs,
        tls: group("tls", "Manage the certificate of a server", {
          gen: async () => (await import("./groups/server-tls.ts")).tlsGen,
          acme: group("acme", "Get the certificate of a server from an authority", {
            enable: async () => (await import("./groups/server-acme.ts")).acmeEnable,
            status: async () => (await import("./groups/server-acme.ts")).acmeStatus,
          }),
        }),
      }),
      status: later(
        "Show the current space and its unrecorded changes",
        async () => (await import("./groups/status.ts")).statusCommand,
      ),
      file: group("file", "Read and write the files of a space", {
        list: async () => (await file()).fileList,
        get: async () => (await file()).fileGet,
        put: async () => (await file()).filePut,
        edit: async () => (await import("./groups/file-edit.ts")).fileEdit,
        history: async () => (await file()).fileHistory,
        diff: async () => (await file()).fileDiff,
        revert: async () => (await file()).fileRevert,
        delete: async () => (await file()).fileDelete,
        undelete: async () => (await file()).fileUndelete,
        destroy: async () => (await file()).fileDestroy,
      }),
      search: later(
        'Find files by words, "phrases" and prefixes (word*), best first',
        async () => (await import("./groups/search.ts")).searchCommand,
      ),
      space: group("space", "Create and manage spaces", {
        list: async () => (await space()).spaceList,
        show: async () => (await space()).spaceShow,
        create: async () => (await space()).spaceCreate,
        delete: async () => (await space()).spaceDelete,
        adopt: async () => (await space()).spaceAdopt,
        index: async () => (await space()).spaceIndex,
        quotas: async () => (await space()).spaceQuotas,
        sync: group("sync", "Choose which paths sync", {
          show: async () => (await space()).syncShow,
          set: async () => (await space()).syncSet,
        }),
      }),
      graph: later(
        "Show the links between the documents of a space",
        async () => (await import("./groups/graph.ts")).graphCommand,
      ),
      freshness: group("freshness", "Find and validate stale documents", {
        check: async () => (await freshness()).freshnessCheck,
        validate: async () => (await freshness()).freshnessValidate,
      }),
      history: group("history", "Take and restore snapshots of a space", {
        list: async () => (await history()).historyList,
        snapshot: async () => (await history()).historySnapshot,
        restore: async () => (await history()).historyRestore,
      }),
      user: group("user", "Manage the users of a server and their roles", {
        list: async () => (await user()).userList,
        show: async () => (await user()).userShow,
        add: async () => (await user()).userAdd,
        role: async () => (await user()).userRole,
        spaces: async () => (await user()).userSpaces,
        "reset-token": async () => (await user()).userResetToken,
        password: async () => (await user()).userPassword,
        disable: async () => (await user()).userDisable,
        enable: async () => (await user()).userEnable,
        delete: async () => (await user()).userDelete,
      }),
      auth: group("auth", "Sign in and manage tokens", {
        login: async () => (await user()).login,
        logout: async () => (await user()).logout,
        whoami: async () => (await user()).whoami,
        token: group("token", "Manage the tokens of users", {
          create: async () => (await user()).tokenCreate,
          list: async () => (await user()).tokenList,
          revoke: async () => (await user()).tokenRevoke,
        }),
      }),
      acl: group("acl", "Allow or deny paths for individual users", {
        list: async () => (await acl()).aclList,
        allow: async () => (await acl()).aclAllow,
        deny: async () => (await acl()).aclDeny,
        unset: async () => (await acl()).aclUnset,
        explain: async () => (await acl()).aclExplain,
      }),
      audit: group("audit", "Read, verify and export the audit record", {
        list: async () => (await audit()).auditList,
        stats: async () => (await audit()).auditStats,
        verify: async () => (await audit()).auditVerify,
        acknowledge: async () => (await audit()).auditAcknowledge,
        export: async () => (await audit()).auditExport,
      }),
      webhook: group("webhook", "Send events to other servers", {
        list: async () => (await webhook()).webhookList,
        add: async () => (await webhook()).webhookAdd,
        spaces: async () => (await webhook()).webhookSpaces,
        delete: async () => (await webhook()).webhookDelete,
        "rotate-secret": async () => (await webhook()).webhookRotateSecret,
        enable: async () => (await webhook()).webhookEnable,
        disable: async () => (await webhook()).webhookDisable,
        test: async () => (await webhook()).webhookTest,
        deliveries: async () => (await webhook()).webhookDeliveries,
        redeliver: async () => (await webhook()).webhookRedeliver,
        "dead-letter": async () => (await webhook()).webhookDeadLetter,
      }),
      backup: group("backup", "Back up and restore a whole server", {
        create: async () => (await backup()).backupCreate,
        verify: async () => (await backup()).backupVerify,
        restore: async () => (await backup()).backupRestore,
      }),
      activate: later("Connect the AI tools of a project to a space", async () => (await plugin()).activate),
      deactivate: later("Disconnect the AI tools of a project", async () => (await plugin()).deactivate),
      context: group("context", "Deliver the context of a space to AI tools, and verify receipts", {
        inject: async () => (await context()).contextInject,
        "verify-receipt": async () => (await context()).contextVerifyReceipt,
      }),
      export: later(
        "Print a whole space as one Markdown document",
        async () => (await context()).exportCommand,
      ),
      bench: group("bench", "Benchmark how context reaches AI tools", {
        context: async () => (await context()).benchContextCommand,
      }),
      sync: later("Exchange changes with the server, both ways", async () => (await replica()).sync),
      pull: later("Fetch changes from the server", async () => (await replica()).pull),
      push: later("Send local changes to the server", async () => (await replica()).push),
      conflict: group("conflict", "Resolve files that two people changed", {
        list: async () => (await conflict()).conflictList,
        show: async () => (await conflict()).conflictShow,
        resolve: async () => (await conflict()).conflictResolve,
      }),
      daemon: group("daemon", "Keep a folder in sync in the background", {
        install: async () => (await daemon()).daemonInstall,
        uninstall: async () => (await daemon()).daemonUninstall,
        unit: async () => (await daemon()).daemonUnit,
        status: async () => (await daemon()).daemonStatus,
        logs: async () => (await daemon()).daemonLogs,
        start: async () => (await daemon()).daemonStart,
        stop: async () => (await daemon()).daemonStop,
        run: async () => (await daemon()).daemonRun,
      }),
      plugin: group("plugin", "Connect individual AI tools", {
        list: async () => (await plugin()).pluginList,
        install: async () => (await plugin()).pluginInstall,
        remove: async () => (await plugin()).pluginRemove,
      }),
      backend: group("backend", "Show how spaces are stored", {
        list: async () => (await import("./groups/backend.ts")).backendList,
      }),
      template: group("template", "Show the templates for new spaces", {
        list: async () => (await import("./groups/template.ts")).templateList,
      }),
      ui: later("Show a local space in the browser", async () => (await import("./groups/ui.ts")).ui),
      mcp: later(
        "Serve a space to an AI tool over the Model Context Protocol (stdio)",
        async () => (await import("./groups/mcp.ts")).mcp,
      ),
      tui: later(
        "Browse a space or a server in a full-screen terminal interface",
        async () => (await import("./groups/tui.ts")).tui,
      ),
      config: group("config", "Check the configuration of a server", {
        check: async () => (await import("./groups/config.ts")).configCheck,
      }),
      completion: later("Print the completion script for your shell", async () =>
        (await import("./groups/completion.ts")).completionOf(() => program),
      ),
      doctor: later(
        "Check a server and its data without changing anything, and print fixes",
        async () => (await import("./groups/doctor.ts")).doctor,
      ),
      version: later(
        "Print version, commit and build date",
        async () => (await import("./version.ts")).versionCommand,
      ),
    } as Record<string, Command>,
  },
  globals: {
    json: { type: "boolean", description: "Print data and errors as JSON" },
    yaml: { type: "boolean", description: "Print data and errors as YAML" },
    quiet: { type: "boolean", description: "Print only data and errors" },
    debug: { type: "boolean", description: "Show where an error came from" },
    "no-color": { type: "boolean", description: "Disable colours, like $NO_COLOR" },
  },
  connection: spaceArgs,
  exitCode: exitCodeOf,
  examples,
  everyday: "file",
  manual: {
    cairn: "docs/context-server.md",
    "cairn acl": "docs/access.md",
    "cairn activate": "docs/ai-tools.md",
    "cairn bench": "docs/ai-tools.md",
    "cairn conflict": "docs/sync.md",
    "cairn context": "docs/ai-tools.md",
    "cairn daemon": "docs/sync.md",
    "cairn deactivate": "docs/ai-tools.md",
    "cairn export": "docs/ai-tools.md",
    "cairn freshness": "docs/graph.md",
    "cairn graph": "docs/graph.md",
    "cairn init": "docs/laptop.md",
    "cairn init client": "docs/sync.md",
    "cairn init server": "docs/context-server.md",
    "cairn mcp": "docs/mcp.md",
    "cairn plugin": "docs/ai-tools.md",
    "cairn pull": "docs/sync.md",
    "cairn push": "docs/sync.md",
    "cairn sync": "docs/sync.md",
    "cairn status": "docs/laptop.md",
    "cairn template": "docs/laptop.md",
    "cairn ui": "docs/laptop.md",
    "cairn search": "docs/space-search.md",
    "cairn tui": "docs/terminal-ui.md",
  },
  topics,
};

/** Returns the exit code: 0 done, 1 usage or local state, 2 network, credentials or rights, 3 the current version is not the expected one. */
export function main(argv: readonly string[]): Promise<number> {
  return runProgram(program, argv);
}
