# Completion of cairn for bash. To load it: source <(cairn completion bash)

_cairn_here() {
  commands= flags= valued=
  case $1 in
  'cairn')
    commands='init server file space history user auth acl audit webhook backup backend template completion doctor version'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn init')
    commands='server'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn init server')
    flags='--data-dir --server-dir --address --port --space --admin --template --noui --non-interactive --json --yaml --quiet --debug --no-color --help -h'
    valued='--data-dir --server-dir --address --port --space --admin --template'
    ;;
  'cairn server')
    commands='start status health stop logs'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn server start')
    flags='--server-dir --detach --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir'
    ;;
  'cairn server status')
    flags='--server-dir --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir'
    ;;
  'cairn server health')
    flags='--server-dir --server --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir --server'
    ;;
  'cairn server stop')
    flags='--server-dir --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir'
    ;;
  'cairn server logs')
    flags='--server-dir --lines --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir --lines'
    ;;
  'cairn file')
    commands='list get put edit history diff revert delete undelete destroy'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn file list')
    flags='--space --deleted --at --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --at --server --server-dir --token-file'
    ;;
  'cairn file get')
    flags='--space --version -v --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --version -v --server --server-dir --token-file'
    ;;
  'cairn file put')
    flags='--from --if-version --create --space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--from --if-version --space --server --server-dir --token-file'
    ;;
  'cairn file edit')
    flags='--create --space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --server --server-dir --token-file'
    ;;
  'cairn file history')
    flags='--space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --server --server-dir --token-file'
    ;;
  'cairn file diff')
    flags='--from --to --unified -U --stat --space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--from --to --unified -U --space --server --server-dir --token-file'
    ;;
  'cairn file revert')
    flags='--to --if-version --space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--to --if-version --space --server --server-dir --token-file'
    ;;
  'cairn file delete')
    flags='--if-version --space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--if-version --space --server --server-dir --token-file'
    ;;
  'cairn file undelete')
    flags='--space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --server --server-dir --token-file'
    ;;
  'cairn file destroy')
    flags='--version -v --space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--version -v --space --server --server-dir --token-file'
    ;;
  'cairn space')
    commands='list show create delete adopt quotas sync'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn space list')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn space show')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn space create')
    flags='--template --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--template --server --server-dir --token-file'
    ;;
  'cairn space delete')
    flags='--yes --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn space adopt')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn space quotas')
    flags='--max-file-size --max-space-size --max-files --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--max-file-size --max-space-size --max-files --server --server-dir --token-file'
    ;;
  'cairn space sync')
    commands='show set'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn space sync show')
    flags='--space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --server --server-dir --token-file'
    ;;
  'cairn space sync set')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn history')
    commands='list snapshot restore'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn history list')
    flags='--space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --server --server-dir --token-file'
    ;;
  'cairn history snapshot')
    flags='--space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --server --server-dir --token-file'
    ;;
  'cairn history restore')
    flags='--space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--space --server --server-dir --token-file'
    ;;
  'cairn user')
    commands='list add role reset-token password disable enable remove'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn user list')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn user add')
    flags='--role --space --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--role --space --server --server-dir --token-file'
    ;;
  'cairn user role')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn user reset-token')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn user password')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn user disable')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn user enable')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn user remove')
    flags='--yes --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn auth')
    commands='login logout whoami token'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn auth login')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn auth logout')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn auth whoami')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn auth token')
    commands='create list revoke'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn auth token create')
    flags='--label --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--label --server --server-dir --token-file'
    ;;
  'cairn auth token list')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn auth token revoke')
    flags='--id --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--id --server --server-dir --token-file'
    ;;
  'cairn acl')
    commands='list allow deny unset explain'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn acl list')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn acl allow')
    flags='--can --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--can --server --server-dir --token-file'
    ;;
  'cairn acl deny')
    flags='--can --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--can --server --server-dir --token-file'
    ;;
  'cairn acl unset')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn acl explain')
    flags='--capability --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--capability --server --server-dir --token-file'
    ;;
  'cairn audit')
    commands='list stats verify acknowledge export'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn audit list')
    flags='--actor --action --space --result --since --until --limit --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--actor --action --space --result --since --until --limit --server --server-dir --token-file'
    ;;
  'cairn audit stats')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn audit verify')
    flags='--file --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--file --server --server-dir --token-file'
    ;;
  'cairn audit acknowledge')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn audit export')
    flags='--format --actor --action --space --result --since --until --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--format --actor --action --space --result --since --until --server --server-dir --token-file'
    ;;
  'cairn webhook')
    commands='list add remove rotate-secret enable disable test deliveries redeliver dead-letter'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn webhook list')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook add')
    flags='--events --server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--events --server --server-dir --token-file'
    ;;
  'cairn webhook remove')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook rotate-secret')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook enable')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook disable')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook test')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook deliveries')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook redeliver')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn webhook dead-letter')
    flags='--server --server-dir --token-file --json --yaml --quiet --debug --no-color --help -h'
    valued='--server --server-dir --token-file'
    ;;
  'cairn backup')
    commands='create verify restore'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn backup create')
    flags='--out --server-dir --json --yaml --quiet --debug --no-color --help -h'
    valued='--out --server-dir'
    ;;
  'cairn backup verify')
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn backup restore')
    flags='--server-dir --broken-audit --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir'
    ;;
  'cairn backend')
    commands='list'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn backend list')
    flags='--server-dir --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir'
    ;;
  'cairn template')
    commands='list'
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn template list')
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn completion')
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  'cairn doctor')
    flags='--server-dir --json --yaml --quiet --debug --no-color --help -h'
    valued='--server-dir'
    ;;
  'cairn version')
    flags='--json --yaml --quiet --debug --no-color --help -h'
    ;;
  esac
}

_cairn_value() {
  case $1 in
  'cairn init server --data-dir') kind=directory ;;
  'cairn init server --server-dir') kind=directory ;;
  'cairn init server --template') choices='team blank' ;;
  'cairn server start --server-dir') kind=directory ;;
  'cairn server status --server-dir') kind=directory ;;
  'cairn server health --server-dir') kind=directory ;;
  'cairn server stop --server-dir') kind=directory ;;
  'cairn server logs --server-dir') kind=directory ;;
  'cairn file list --server-dir') kind=directory ;;
  'cairn file list --token-file') kind=file ;;
  'cairn file get --server-dir') kind=directory ;;
  'cairn file get --token-file') kind=file ;;
  'cairn file put --from') kind=file ;;
  'cairn file put --server-dir') kind=directory ;;
  'cairn file put --token-file') kind=file ;;
  'cairn file edit --server-dir') kind=directory ;;
  'cairn file edit --token-file') kind=file ;;
  'cairn file history --server-dir') kind=directory ;;
  'cairn file history --token-file') kind=file ;;
  'cairn file diff --server-dir') kind=directory ;;
  'cairn file diff --token-file') kind=file ;;
  'cairn file revert --server-dir') kind=directory ;;
  'cairn file revert --token-file') kind=file ;;
  'cairn file delete --server-dir') kind=directory ;;
  'cairn file delete --token-file') kind=file ;;
  'cairn file undelete --server-dir') kind=directory ;;
  'cairn file undelete --token-file') kind=file ;;
  'cairn file destroy --server-dir') kind=directory ;;
  'cairn file destroy --token-file') kind=file ;;
  'cairn space list --server-dir') kind=directory ;;
  'cairn space list --token-file') kind=file ;;
  'cairn space show --server-dir') kind=directory ;;
  'cairn space show --token-file') kind=file ;;
  'cairn space create --template') choices='team blank' ;;
  'cairn space create --server-dir') kind=directory ;;
  'cairn space create --token-file') kind=file ;;
  'cairn space delete --server-dir') kind=directory ;;
  'cairn space delete --token-file') kind=file ;;
  'cairn space adopt --server-dir') kind=directory ;;
  'cairn space adopt --token-file') kind=file ;;
  'cairn space quotas --server-dir') kind=directory ;;
  'cairn space quotas --token-file') kind=file ;;
  'cairn space sync show --server-dir') kind=directory ;;
  'cairn space sync show --token-file') kind=file ;;
  'cairn space sync set --server-dir') kind=directory ;;
  'cairn space sync set --token-file') kind=file ;;
  'cairn space sync set 3') choices='always init-only never' ;;
  'cairn history list --server-dir') kind=directory ;;
  'cairn history list --token-file') kind=file ;;
  'cairn history snapshot --server-dir') kind=directory ;;
  'cairn history snapshot --token-file') kind=file ;;
  'cairn history restore --server-dir') kind=directory ;;
  'cairn history restore --token-file') kind=file ;;
  'cairn user list --server-dir') kind=directory ;;
  'cairn user list --token-file') kind=file ;;
  'cairn user add --role') choices='admin space-lead contributor viewer' ;;
  'cairn user add --server-dir') kind=directory ;;
  'cairn user add --token-file') kind=file ;;
  'cairn user role --server-dir') kind=directory ;;
  'cairn user role --token-file') kind=file ;;
  'cairn user role 2') choices='admin space-lead contributor viewer' ;;
  'cairn user reset-token --server-dir') kind=directory ;;
  'cairn user reset-token --token-file') kind=file ;;
  'cairn user password --server-dir') kind=directory ;;
  'cairn user password --token-file') kind=file ;;
  'cairn user disable --server-dir') kind=directory ;;
  'cairn user disable --token-file') kind=file ;;
  'cairn user enable --server-dir') kind=directory ;;
  'cairn user enable --token-file') kind=file ;;
  'cairn user remove --server-dir') kind=directory ;;
  'cairn user remove --token-file') kind=file ;;
  'cairn auth login --server-dir') kind=directory ;;
  'cairn auth login --token-file') kind=file ;;
  'cairn auth logout --server-dir') kind=directory ;;
  'cairn auth logout --token-file') kind=file ;;
  'cairn auth whoami --server-dir') kind=directory ;;
  'cairn auth whoami --token-file') kind=file ;;
  'cairn auth token create --server-dir') kind=directory ;;
  'cairn auth token create --token-file') kind=file ;;
  'cairn auth token list --server-dir') kind=directory ;;
  'cairn auth token list --token-file') kind=file ;;
  'cairn auth token revoke --server-dir') kind=directory ;;
  'cairn auth token revoke --token-file') kind=file ;;
  'cairn acl list --server-dir') kind=directory ;;
  'cairn acl list --token-file') kind=file ;;
  'cairn acl allow --server-dir') kind=directory ;;
  'cairn acl allow --token-file') kind=file ;;
  'cairn acl deny --server-dir') kind=directory ;;
  'cairn acl deny --token-file') kind=file ;;
  'cairn acl unset --server-dir') kind=directory ;;
  'cairn acl unset --token-file') kind=file ;;
  'cairn acl explain --capability') choices='list read create update delete' ;;
  'cairn acl explain --server-dir') kind=directory ;;
  'cairn acl explain --token-file') kind=file ;;
  'cairn audit list --result') choices='ok denied error' ;;
  'cairn audit list --server-dir') kind=directory ;;
  'cairn audit list --token-file') kind=file ;;
  'cairn audit stats --server-dir') kind=directory ;;
  'cairn audit stats --token-file') kind=file ;;
  'cairn audit verify --file') kind=file ;;
  'cairn audit verify --server-dir') kind=directory ;;
  'cairn audit verify --token-file') kind=file ;;
  'cairn audit acknowledge --server-dir') kind=directory ;;
  'cairn audit acknowledge --token-file') kind=file ;;
  'cairn audit export --format') choices='jsonl csv' ;;
  'cairn audit export --result') choices='ok denied error' ;;
  'cairn audit export --server-dir') kind=directory ;;
  'cairn audit export --token-file') kind=file ;;
  'cairn webhook list --server-dir') kind=directory ;;
  'cairn webhook list --token-file') kind=file ;;
  'cairn webhook add --server-dir') kind=directory ;;
  'cairn webhook add --token-file') kind=file ;;
  'cairn webhook remove --server-dir') kind=directory ;;
  'cairn webhook remove --token-file') kind=file ;;
  'cairn webhook rotate-secret --server-dir') kind=directory ;;
  'cairn webhook rotate-secret --token-file') kind=file ;;
  'cairn webhook enable --server-dir') kind=directory ;;
  'cairn webhook enable --token-file') kind=file ;;
  'cairn webhook disable --server-dir') kind=directory ;;
  'cairn webhook disable --token-file') kind=file ;;
  'cairn webhook test --server-dir') kind=directory ;;
  'cairn webhook test --token-file') kind=file ;;
  'cairn webhook deliveries --server-dir') kind=directory ;;
  'cairn webhook deliveries --token-file') kind=file ;;
  'cairn webhook redeliver --server-dir') kind=directory ;;
  'cairn webhook redeliver --token-file') kind=file ;;
  'cairn webhook dead-letter --server-dir') kind=directory ;;
  'cairn webhook dead-letter --token-file') kind=file ;;
  'cairn backup create --server-dir') kind=directory ;;
  'cairn backup verify 1') kind=file ;;
  'cairn backup restore --server-dir') kind=directory ;;
  'cairn backup restore 1') kind=file ;;
  'cairn backend list --server-dir') kind=directory ;;
  'cairn completion 1') choices='bash zsh fish powershell' ;;
  'cairn doctor --server-dir') kind=directory ;;
  esac
}

_cairn() {
  local here=cairn commands flags valued choices= kind= flag= word count=0 i=1
  local current=${COMP_WORDS[COMP_CWORD]}
  _cairn_here "$here"
  while ((i < COMP_CWORD)); do
    word=${COMP_WORDS[i]}
    case $word in
    -*=*) ;;
    -*)
      if [[ " $valued " == *" $word "* ]]; then
        ((++i))
        # To bash, the sign in --flag=value is a word of its own.
        if [[ ${COMP_WORDS[i]} == = ]]; then
          if ((i == COMP_CWORD)); then
            current=
          else
            ((++i))
          fi
        fi
        if ((i >= COMP_CWORD)); then flag=$word; fi
      fi
      ;;
    *)
      if [[ " $commands " == *" $word "* ]]; then
        here="$here $word"
        _cairn_here "$here"
      else
        ((++count))
      fi
      ;;
    esac
    ((++i))
  done
  if [[ -n $flag ]]; then
    _cairn_value "$here $flag"
  elif [[ $current == -* ]]; then
    choices=$flags
  elif [[ -n $commands ]]; then
    choices=$commands
  else
    _cairn_value "$here $((count + 1))"
  fi
  COMPREPLY=()
  case $kind in
  directory) set -- -d ;;
  file) set -- -f ;;
  *) set -- -W "$choices" ;;
  esac
  if [[ -n $kind ]]; then compopt -o filenames 2>/dev/null; fi
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen "$@" -- "$current")
}

complete -F _cairn cairn
