// The text of a service definition that starts a copy's daemon when the person signs in: a systemd user unit, a launchd agent, or a Windows scheduled
// task. Pure: every path may hold spaces, quotes and characters that these formats give a meaning.

import { sha256Hex } from "../../kit/crypto.ts";
import { escapedMarkup } from "../../kit/text/markup.ts";

export type System = "linux" | "darwin" | "win32";

interface UnitSource {
  /** The program and its arguments, as the system starts them. */
  readonly command: readonly string[];
  /** The copy. */
  readonly directory: string;
  /** Of the person. */
  readonly home: string;
  /** Of the daemon, besides those of the session. Scheduled tasks have none of their own. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Unit {
  /** The name that the system knows it by. */
  readonly name: string;
  /** The file that the system reads. */
  readonly path: string;
  readonly text: string;
}

const DIGITS_OF_NAME = 8;

/** Copies of one person have units of their own. */
function nameFor(directory: string): string {
  return `cairn-sync-${sha256Hex(directory).slice(0, DIGITS_OF_NAME)}`;
}

export function unitFor(system: System, source: UnitSource): Unit {
  if (system === "darwin") return launchAgent(source);
  return system === "win32" ? scheduledTask(source) : systemdUnit(source);
}

function systemdUnit({ command, directory, home, variables }: UnitSource): Unit {
  const name = `${nameFor(directory)}.service`;
  const [program = "", ...args] = command;
  const line = [systemdWord(program), ...args.map((word) => systemdWord(word.replaceAll("$", "$$$$")))];
  const text = [
    "[Unit]",
    `Description=Sync ${systemdText(directory)} with its context server`,
    "After=network-online.target",
    "",
    "[Service]",
    "Type=exec",
    ...Object.entries(variables).map(([key, value]) => `Environment=${systemdWord(`${key}=${value}`)}`),
    `ExecStart=${line.join(" ")}`,
    "Restart=on-failure",
    "RestartSec=30",
    "Nice=5",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
  return { name, path: `${home}/.config/systemd/user/${name}`, text };
}

/** systemd.syntax: C-style escapes within double quotes; `%` starts a specifier. A `$` is doubled in arguments only. */
function systemdWord(word: string): string {
  const escaped = word
    .replace(/["\\]/g, "\\$&")
    .replaceAll("%", "%%")
    .replace(/\n/g, "\\n")
    .replace(/\t/g, "\\t");
  return `"${escaped}"`;
}

function systemdText(text: string): string {
  return text
    .replaceAll("%", "%%")
    .replace(/[\n\t]/g, " ")
    .replace(/\\$/, "\\\\");
}

function launchAgent({ command, directory, home, variables }: UnitSource): Unit {
  const name = `dev.cairn.${nameFor(directory)}`;
  const words = command.map((word) => `    <string>${escapedMarkup(word)}</string>`);
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key>",
    `  <string>${name}</string>`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...words,
    "  </array>",
    ...launchVariables(variables),
    "  <key>RunAtLoad</key>",
    "  <true/>",
    "  <key>KeepAlive</key>",
    "  <dict>",
    "    <key>SuccessfulExit</key>",
    "    <false/>",
    "  </dict>",
    "  <key>ThrottleInterval</key>",
    "  <integer>30</integer>",
    "  <key>ProcessType</key>",
    "  <string>Background</string>",
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
  return { name, path: `${home}/Library/LaunchAgents/${name}.plist`, text };
}

function launchVariables(variables: UnitSource["variables"]): string[] {
  const pairs = Object.entries(variables);
  if (pairs.length === 0) return [];
  const lines = pairs.map(
    ([key, value]) => `    <key>${escapedMarkup(key)}</key><string>${escapedMarkup(value)}</string>`,
  );
  return ["  <key>EnvironmentVariables</key>", "  <dict>", ...lines, "  </dict>"];
}

function scheduledTask({ command, directory, home }: UnitSource): Unit {
  const name = nameFor(directory);
  const [program = "", ...args] = command;
  const text = [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    "  <RegistrationInfo>",
    `    <Description>Sync ${escapedMarkup(directory)} with its context server</Description>`,
    "  </RegistrationInfo>",
    "  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>",
    "  <Settings>",
    "    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>",
    "    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>",
    "    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>",
    "    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>",
    "    <Hidden>true</Hidden>",
    "    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>",
    "  </Settings>",
    "  <Actions>",
    "    <Exec>",
    `      <Command>${escapedMarkup(program)}</Command>`,
    `      <Arguments>${escapedMarkup(args.map(windowsWord).join(" "))}</Arguments>`,
    "    </Exec>",
    "  </Actions>",
    "</Task>",
    "",
  ].join("\r\n");
  return { name, path: `${home}\\.cairn\\${name}.xml`, text };
}

/** As the C runtime of Windows splits a command line: backslashes count only before a quote. */
function windowsWord(word: string): string {
  if (word !== "" && !/[\s"]/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}
