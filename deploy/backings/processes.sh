# Sourced by up.sh and kubernetes.sh, which set `dir`, the folder of each program's output (<name>.log) and process id (<name>.pid).

# Prints a free port of 127.0.0.1.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

# start <name> <command...>: runs it in the background in a session of its own.
start() {
  local name=$1
  shift
  setsid "$@" >"$dir/$name.log" 2>&1 </dev/null &
  echo $! >"$dir/$name.pid"
}

# await <name> <seconds> <command...>: waits until the command succeeds. Ends the script with the program's output if it
# does not in time, or if the program ends.
await() {
  local name=$1 tries=$(($2 * 5))
  shift 2
  until "$@" >/dev/null 2>&1; do
    if [ $((tries -= 1)) -le 0 ] || ! kill -0 "$(<"$dir/$name.pid")" 2>/dev/null; then
      { echo "${0##*/}: $name does not answer; its output:"; tail -n 30 "$dir/$name.log"; } >&2
      exit 1
    fi
    sleep 0.2
  done
}
