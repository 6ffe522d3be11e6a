// Examples at the end of a command's help, by its full name. Each works as it stands, with your own names.

export const examples: Readonly<Record<string, readonly string[]>> = {
  cairn: ["cairn init server --space main --admin ada", "cairn server start", "cairn file list"],
  "cairn version": ["cairn version", "cairn version --json"],
  "cairn init server": [
    "cairn init server --space main --admin ada",
    "cairn init server --noui --non-interactive --data-dir /srv/cairn --address 0.0.0.0 --port 8743 --space main --admin ada",
  ],
  "cairn server start": ["cairn server start", "cairn server start --detach"],
  "cairn completion": [
    "source <(cairn completion bash)",
    "source <(cairn completion zsh)",
    "cairn completion fish > ~/.config/fish/completions/cairn.fish",
    "cairn completion powershell | Out-String | Invoke-Expression",
  ],
  "cairn doctor": ["cairn doctor", "cairn doctor --server-dir /srv/cairn --json"],
  "cairn file list": [
    "cairn file list",
    "cairn file list docs --json",
    "cairn file list --at 2026-11-01T00:00:00Z",
  ],
  "cairn file get": ["cairn file get notes.md", "cairn file get notes.md --version v3"],
  "cairn file put": [
    "cairn file put notes.md --from notes.md",
    "date | cairn file put log.md --from - --if-version v3",
  ],
  "cairn file edit": ["cairn file edit notes.md", "VISUAL='code --wait' cairn file edit notes.md"],
  "cairn file diff": ["cairn file diff notes.md", "cairn file diff notes.md --from v1 --to v4 --stat"],
  "cairn file delete": ["cairn file delete notes.md", "cairn file delete notes.md --if-version v3"],
  "cairn file destroy": ["cairn file destroy notes.md --version v2"],
  "cairn file history": ["cairn file history notes.md"],
  "cairn file revert": ["cairn file revert notes.md --to v2"],
  "cairn file undelete": ["cairn file list --deleted", "cairn file undelete notes.md"],
  "cairn space create": ["cairn space create research --template blank"],
  "cairn space delete": ["cairn space delete research --yes"],
  "cairn space adopt": ["cairn space adopt main"],
  "cairn space quotas": [
    "cairn space quotas main",
    "cairn space quotas main --max-files 1000 --max-file-size 0",
  ],
  "cairn space sync set": ["cairn space sync set main identity/ always"],
  "cairn user add": [
    "cairn user add bob --role contributor",
    "cairn user add eve --role viewer --space main,research",
  ],
  "cairn user role": ["cairn user role bob space-lead"],
  "cairn user password": ["cairn user password bob", "cairn user password bob < password.txt"],
  "cairn user enable": ["cairn user enable bob", "cairn auth token create bob"],
  "cairn auth token revoke": ["cairn auth token list bob", "cairn auth token revoke bob --id 2"],
  "cairn auth token create": ["cairn auth token create ada --label laptop"],
  "cairn auth login": [
    "cairn auth login ada --server https://context.example.org",
    "cairn auth login ada --server https://context.example.org < password.txt",
  ],
  "cairn auth whoami": [
    "cairn auth whoami --server https://context.example.org",
    "SERVICE_TOKEN=$TOKEN cairn auth whoami --server https://context.example.org",
  ],
  "cairn acl allow": ["cairn acl allow bob 'research/drafts/*.md' --can list,read,update"],
  "cairn acl unset": ["cairn acl unset bob 'main/finance/**'", "cairn acl unset bob"],
  "cairn acl deny": [
    "cairn acl deny bob 'main/finance/**'",
    "cairn acl deny bob 'main/**' --can create,update,delete",
  ],
  "cairn acl explain": ["cairn acl explain bob main/finance/plan.md --capability read"],
  "cairn audit list": [
    "cairn audit list --result denied",
    "cairn audit list --actor bob --since 2026-11-01 --json",
  ],
  "cairn audit verify": ["cairn audit verify", "cairn audit verify --file audit.jsonl"],
  "cairn audit acknowledge": ["cairn audit verify", "cairn audit acknowledge"],
  "cairn audit export": [
    "cairn audit export > audit.jsonl",
    "cairn audit export --format csv --since 2026-11-01",
  ],
  "cairn webhook add": ["cairn webhook add https://example.org/hook --events 'file.*,space.create'"],
  "cairn webhook redeliver": [
    "cairn webhook dead-letter",
    "cairn webhook redeliver d420be1ecd490691413b3fb0",
  ],
  "cairn backup create": [
    "cairn backup create",
    "cairn backup create --out /var/backups --server-dir /srv/cairn --json",
  ],
  "cairn backup verify": ["cairn backup verify cairn-backup-20261121T062000Z.tar.zst"],
  "cairn backup restore": [
    "cairn backup restore cairn-backup-20261121T062000Z.tar.zst --server-dir /srv/cairn-restored",
  ],
  "cairn history snapshot": ["cairn history snapshot before-cleanup"],
  "cairn history restore": ["cairn history snapshot before-cleanup", "cairn history restore 1"],
};
