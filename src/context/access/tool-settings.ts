// Names of files that other programs obey by themselves in the folder where a space is copied: settings of editors, AI tools and shells that start
// programs. Only leads change them, because they act on the machine of everybody who has a copy. Documents for people and models are not among them.

/**
 * Folders of settings begin with a dot: `.vscode`, `.claude`, `.cursor`, `.obsidian`, `.github`, and those of tools to come. Reserved names are
 * refused to everybody, as what they are (RESERVED_NAMES in versioned-store).
 */
const SETTINGS_FOLDER = /^\.(?!(?:cairn|sync|git|hg|svn)$)[^.]/;

const FILES: ReadonlySet<string> = new Set([
  // AI tools: servers and hooks to start.
  ".mcp.json",
  "opencode.json",
  "opencode.jsonc",
  ".crush.json",
  "crush.json",
  ".aider.conf.yml",
  // Shells and version managers.
  ".envrc",
  ".autoenv",
  ".autoenv.zsh",
  "mise.toml",
  ".mise.toml",
  "mise.local.toml",
  ".mise.local.toml",
  // Editors.
  ".exrc",
  ".vimrc",
  ".nvimrc",
  ".nvim.lua",
  ".lvimrc",
  ".dir-locals.el",
  ".dir-locals-2.el",
  // Package managers and runtimes.
  "bunfig.toml",
  ".yarnrc",
  ".yarnrc.yml",
  ".npmrc",
  ".pnpmfile.cjs",
  ".devcontainer.json",
  // A folder with this file is a repository, whose settings name programs.
  "head",
  // Desktops.
  "desktop.ini",
  "autorun.inf",
  ".directory",
]);
/** Workspaces of an editor, and files whose icon a desktop fetches. */
const ENDS = [".code-workspace", ".lnk", ".scf", ".url", ".library-ms", ".searchconnector-ms"];

/** `segments`: of a path, folded as disks compare names. */
export function isReadByTools(segments: readonly string[]): boolean {
  const name = segments.at(-1)!;
  if (FILES.has(name) || ENDS.some((end) => name.endsWith(end))) return true;
  return segments.slice(0, -1).some((folder) => SETTINGS_FOLDER.test(folder));
}
