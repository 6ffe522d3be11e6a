#compdef cairn
# Completion of cairn for zsh. To load it: source <(cairn completion zsh), or put it into a directory of $fpath as _cairn

_cairn_here() {
  below=() flags=() valued=()
  case $1 in
  'cairn')
    below=(
      'init:Make a new installation'
      'server:Start, stop and look after a context server'
      'file:Read and write the files of a space'
      'space:Make and look after spaces'
      'history:Name the state of a space, and bring it back'
      'user:People of a server and their roles'
      'auth:Sign in, and tokens'
      'acl:Rules of single users for single paths'
      'audit:What was changed and refused, by whom'
      'webhook:Send events to addresses elsewhere'
      'backup:Keep all of a server in one file, and bring it back'
      'backend:What spaces are stored with'
      'template:What a new space begins with'
      'completion:Print what makes your shell complete commands and flags'
      'doctor:Check a server and its data, and say how to mend what is wrong; changes nothing'
      'version:Print version, commit and date of this program'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn init')
    below=(
      'server:Make a new context server: directory, first space, first admin'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn init server')
    flags=(
      '--data-dir:Where its data goes (default: --server-dir, $SERVICE_SERVER_DIR, ~/.cairn/server)'
      '--server-dir:The same, as other commands call it'
      '--address:Address to listen on (default: 127.0.0.1)'
      '--port:Port to listen on (default: 8743)'
      '--space:Name of the first space'
      '--admin:Name of the first admin'
      '--template:What the space begins with: team (default) or blank'
      '--noui:Without a set-up page in the browser'
      '--non-interactive:Never ask anything'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--data-dir --server-dir --address --port --space --admin --template)
    ;;
  'cairn server')
    below=(
      'start:Start the server and stay until it is told to stop'
      'status:Say whether the server runs'
      'health:Ask the server whether it can work; fails when it can'\''t'
      'stop:Stop the server: open requests end first'
      'logs:Print the end of the log of a server that was started with --detach'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn server start')
    flags=(
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--detach:Run in the background; its log goes to logs/server.log'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir)
    ;;
  'cairn server status')
    flags=(
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir)
    ;;
  'cairn server health')
    flags=(
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--server:Address of a server elsewhere'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir --server)
    ;;
  'cairn server stop')
    flags=(
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir)
    ;;
  'cairn server logs')
    flags=(
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--lines:How many lines (default: 100)'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir --lines)
    ;;
  'cairn file')
    below=(
      'list:List the files of a space'
      'get:Print a file'
      'put:Write a file'
      'edit:Edit a file in your editor ($VISUAL, $EDITOR); it is written only if nobody else wrote it meanwhile'
      'history:List the versions of a file'
      'diff:Show what changed between two versions (default: the one before the newest, and the newest)'
      'revert:Make an earlier version the newest one'
      'delete:Delete a file; its versions are kept'
      'undelete:Bring a deleted file back'
      'destroy:Remove the content of one version for good'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn file list')
    flags=(
      '--space:The space (default: the only one there is)'
      '--deleted:Deleted files too'
      '--at:The space as it was then'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --at --server --server-dir --token-file)
    ;;
  'cairn file get')
    flags=(
      '--space:The space (default: the only one there is)'
      '--version:An earlier version (vN or N)'
      '-v:An earlier version (vN or N)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --version -v --server --server-dir --token-file)
    ;;
  'cairn file put')
    flags=(
      '--from:What to write; - is standard input'
      '--if-version:Only if this version is the current one (vN or N)'
      '--create:Only if there is no such file'
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--from --if-version --space --server --server-dir --token-file)
    ;;
  'cairn file edit')
    flags=(
      '--create:Begin a new file; only if there is none'
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --server --server-dir --token-file)
    ;;
  'cairn file history')
    flags=(
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --server --server-dir --token-file)
    ;;
  'cairn file diff')
    flags=(
      '--from:The older version'
      '--to:The newer version'
      '--unified:Lines around each change (default: 3)'
      '-U:Lines around each change (default: 3)'
      '--stat:Only how many lines'
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--from --to --unified -U --space --server --server-dir --token-file)
    ;;
  'cairn file revert')
    flags=(
      '--to:The version to go back to'
      '--if-version:Only if this version is the current one (vN or N)'
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--to --if-version --space --server --server-dir --token-file)
    ;;
  'cairn file delete')
    flags=(
      '--if-version:Only if this version is the current one (vN or N)'
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--if-version --space --server --server-dir --token-file)
    ;;
  'cairn file undelete')
    flags=(
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --server --server-dir --token-file)
    ;;
  'cairn file destroy')
    flags=(
      '--version:Which version (vN or N)'
      '-v:Which version (vN or N)'
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--version -v --space --server --server-dir --token-file)
    ;;
  'cairn space')
    below=(
      'list:List the spaces that you may see'
      'show:Show a space: totals, limits, sync rules'
      'create:Make a space'
      'delete:Delete a space with every version of every file'
      'adopt:Record what was put or edited in the working tree by hand'
      'quotas:Show or set the limits of a space; 0 means as the server has it'
      'sync:Which paths of a space travel'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn space list')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn space show')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn space create')
    flags=(
      '--template:What it begins with: team (default) or blank'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--template --server --server-dir --token-file)
    ;;
  'cairn space delete')
    flags=(
      '--yes:Yes, delete it'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn space adopt')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn space quotas')
    flags=(
      '--max-file-size:Largest file'
      '--max-space-size:All live files together'
      '--max-files:How many live files'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--max-file-size --max-space-size --max-files --server --server-dir --token-file)
    ;;
  'cairn space sync')
    below=(
      'show:Show which paths of a space travel'
      'set:Set how the paths below a prefix travel'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn space sync show')
    flags=(
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --server --server-dir --token-file)
    ;;
  'cairn space sync set')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn history')
    below=(
      'list:List the snapshots of a space'
      'snapshot:Name the space as it is now'
      'restore:Make a space what it was at a snapshot, by new versions; nothing is lost'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn history list')
    flags=(
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --server --server-dir --token-file)
    ;;
  'cairn history snapshot')
    flags=(
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --server --server-dir --token-file)
    ;;
  'cairn history restore')
    flags=(
      '--space:The space (default: the only one there is)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--space --server --server-dir --token-file)
    ;;
  'cairn user')
    below=(
      'list:List the users of a server'
      'add:Add a user; prints their first token once'
      'role:Change the role of a user'
      'reset-token:Revoke all tokens of a user and print a new one once'
      'password:Set the password of a user; it is asked for, or read from standard input'
      'disable:Disable a user and revoke all their tokens at once'
      'enable:Enable a user again'
      'remove:Remove a user with their tokens and rules'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn user list')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn user add')
    flags=(
      '--role:One of admin, space-lead, contributor, viewer'
      '--space:A space where the role counts; repeatable (default: every space)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--role --space --server --server-dir --token-file)
    ;;
  'cairn user role')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn user reset-token')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn user password')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn user disable')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn user enable')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn user remove')
    flags=(
      '--yes:Yes, remove them'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn auth')
    below=(
      'login:Sign in to a server (--server); the password is asked for, or read from standard input; the token is kept for you'
      'logout:Sign out of a server (--server): revokes the token that was kept'
      'whoami:Show who I am on a server'
      'token:Tokens of users'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn auth login')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn auth logout')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn auth whoami')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn auth token')
    below=(
      'create:Issue a token for a user; it is printed once'
      'list:List the tokens of a user; never the tokens themselves'
      'revoke:Revoke all tokens of a user, or one'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn auth token create')
    flags=(
      '--label:What it is for'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--label --server --server-dir --token-file)
    ;;
  'cairn auth token list')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn auth token revoke')
    flags=(
      '--id:Only this one'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--id --server --server-dir --token-file)
    ;;
  'cairn acl')
    below=(
      'list:List the rules of a user, or of everybody'
      'allow:Allow a user something that the role does not'
      'deny:Deny a user something; wins over everything else'
      'unset:Take away the rules of a user for a pattern, or all of them'
      'explain:Say whether a user may do something, and why'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn acl list')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn acl allow')
    flags=(
      '--can:Which of list, read, create, update, delete, separated by commas (default: all)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--can --server --server-dir --token-file)
    ;;
  'cairn acl deny')
    flags=(
      '--can:Which of list, read, create, update, delete, separated by commas (default: all)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--can --server --server-dir --token-file)
    ;;
  'cairn acl unset')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn acl explain')
    flags=(
      '--capability:One of list, read, create, update, delete (default: read)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--capability --server --server-dir --token-file)
    ;;
  'cairn audit')
    below=(
      'list:List what was changed and what was refused, newest first'
      'stats:Count the record by action and result'
      'verify:Recompute the chain and name the first line that was edited, removed or moved'
      'acknowledge:State that you know that the record does not hold: it is put on record, and no longer reported. Look at what verify says first'
      'export:Print the record as JSON lines or CSV'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn audit list')
    flags=(
      '--actor:Only what this user did'
      '--action:Only this, for example file.write'
      '--space:Only in this space'
      '--result:Only ok, denied or error'
      '--since:Not before: a time (RFC 3339) or a date'
      '--until:Not after: a time (RFC 3339) or a date'
      '--limit:At most so many (default: 100)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--actor --action --space --result --since --until --limit --server --server-dir --token-file)
    ;;
  'cairn audit stats')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn audit verify')
    flags=(
      '--file:Check a file by itself, without a server'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--file --server --server-dir --token-file)
    ;;
  'cairn audit acknowledge')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn audit export')
    flags=(
      '--format:jsonl (default) or csv'
      '--actor:Only what this user did'
      '--action:Only this, for example file.write'
      '--space:Only in this space'
      '--result:Only ok, denied or error'
      '--since:Not before: a time (RFC 3339) or a date'
      '--until:Not after: a time (RFC 3339) or a date'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--format --actor --action --space --result --since --until --server --server-dir --token-file)
    ;;
  'cairn webhook')
    below=(
      'list:List the webhooks of a server'
      'add:Send events to an address; prints the secret that signs them, once'
      'remove:Remove a webhook and the log of its deliveries'
      'rotate-secret:Give a webhook a new secret and print it, once'
      'enable:Send events to a webhook again, from now on'
      'disable:Send nothing to a webhook for the time being'
      'test:Send a webhook an event of the type webhook.test'
      'deliveries:List what was sent to a webhook, the newest first'
      'redeliver:Send a delivery again'
      'dead-letter:List what could not be delivered'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn webhook list')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook add')
    flags=(
      '--events:Types, groups such as file.*, or *, separated by commas (default: *)'
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--events --server --server-dir --token-file)
    ;;
  'cairn webhook remove')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook rotate-secret')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook enable')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook disable')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook test')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook deliveries')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook redeliver')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn webhook dead-letter')
    flags=(
      '--server:Address of a context server'
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--token-file:File that holds the access token for --server'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server --server-dir --token-file)
    ;;
  'cairn backup')
    below=(
      'create:Write all of a server into one file, as it is at one moment; it may run and be written to'
      'verify:Prove that a backup is whole: every content, count and record; names the first thing that is wrong'
      'restore:Make a server'\''s data directory from a backup, once all of it is proven'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn backup create')
    flags=(
      '--out:A directory, or the name of the new file (default: the current directory)'
      '--server-dir:Data directory (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--out --server-dir)
    ;;
  'cairn backup verify')
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn backup restore')
    flags=(
      '--server-dir:Directory to make: does not exist, or is empty (default: $SERVICE_SERVER_DIR)'
      '--broken-audit:Also when the audit record was broken already as the backup was made'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir)
    ;;
  'cairn backend')
    below=(
      'list:List what spaces can be stored with, and what is in use'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn backend list')
    flags=(
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir)
    ;;
  'cairn template')
    below=(
      'list:List the templates that a new space can begin with'
    )
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn template list')
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn completion')
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  'cairn doctor')
    flags=(
      '--server-dir:Data directory of a server on this machine (default: $SERVICE_SERVER_DIR, then the standard places)'
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    valued=(--server-dir)
    ;;
  'cairn version')
    flags=(
      '--json:Print data, and errors, as JSON'
      '--yaml:Print data, and errors, as YAML'
      '--quiet:Say nothing but data and errors'
      '--debug:Show where an error came from'
      '--no-color:No colours; $NO_COLOR says the same'
      '--help:Show this help'
      '-h:Show this help'
    )
    ;;
  esac
}

_cairn_value() {
  case $1 in
  'cairn init server --data-dir') kind=directory ;;
  'cairn init server --server-dir') kind=directory ;;
  'cairn init server --template') choices=(team blank) ;;
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
  'cairn space create --template') choices=(team blank) ;;
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
  'cairn space sync set 3') choices=(always init-only never) ;;
  'cairn history list --server-dir') kind=directory ;;
  'cairn history list --token-file') kind=file ;;
  'cairn history snapshot --server-dir') kind=directory ;;
  'cairn history snapshot --token-file') kind=file ;;
  'cairn history restore --server-dir') kind=directory ;;
  'cairn history restore --token-file') kind=file ;;
  'cairn user list --server-dir') kind=directory ;;
  'cairn user list --token-file') kind=file ;;
  'cairn user add --role') choices=(admin space-lead contributor viewer) ;;
  'cairn user add --server-dir') kind=directory ;;
  'cairn user add --token-file') kind=file ;;
  'cairn user role --server-dir') kind=directory ;;
  'cairn user role --token-file') kind=file ;;
  'cairn user role 2') choices=(admin space-lead contributor viewer) ;;
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
  'cairn acl explain --capability') choices=(list read create update delete) ;;
  'cairn acl explain --server-dir') kind=directory ;;
  'cairn acl explain --token-file') kind=file ;;
  'cairn audit list --result') choices=(ok denied error) ;;
  'cairn audit list --server-dir') kind=directory ;;
  'cairn audit list --token-file') kind=file ;;
  'cairn audit stats --server-dir') kind=directory ;;
  'cairn audit stats --token-file') kind=file ;;
  'cairn audit verify --file') kind=file ;;
  'cairn audit verify --server-dir') kind=directory ;;
  'cairn audit verify --token-file') kind=file ;;
  'cairn audit acknowledge --server-dir') kind=directory ;;
  'cairn audit acknowledge --token-file') kind=file ;;
  'cairn audit export --format') choices=(jsonl csv) ;;
  'cairn audit export --result') choices=(ok denied error) ;;
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
  'cairn completion 1') choices=(bash zsh fish powershell) ;;
  'cairn doctor --server-dir') kind=directory ;;
  esac
}

_cairn() {
  local here=cairn kind flag word
  local -i count=0 i=2
  local -a below flags valued choices
  _cairn_here $here
  while ((i < CURRENT)); do
    word=$words[i]
    case $word in
    -*=*) ;;
    -*)
      if (($valued[(Ie)$word])); then
        ((++i))
        if ((i >= CURRENT)); then flag=$word; fi
      fi
      ;;
    *)
      if (($below[(I)$word:*])); then
        here="$here $word"
        _cairn_here $here
      else
        ((++count))
      fi
      ;;
    esac
    ((++i))
  done
  if [[ -z $flag && $words[CURRENT] == --*=* ]]; then
    flag=${words[CURRENT]%%=*}
    compset -P 1 '*='
  fi
  if [[ -n $flag ]]; then
    _cairn_value "$here $flag"
  elif [[ $words[CURRENT] == -* ]]; then
    _describe -o option flags
    return
  elif (($#below)); then
    _describe command below
    return
  else
    _cairn_value "$here $((count + 1))"
  fi
  case $kind in
  directory) _files -/ ;;
  file) _files ;;
  *) compadd -- $choices ;;
  esac
}

if [[ $funcstack[1] == _cairn ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
