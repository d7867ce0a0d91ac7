#!/bin/sh
# Starts the engine without the grader's secret, and then the grader, which ends on request.
set -eu

log="${ENGINE_LOG:-/var/log/engine.log}"
token="${GRADER_TOKEN:-}"
unset GRADER_TOKEN
# A Cloudflare Container has no iptables, and its /proc/sys is read-only. The entrypoint mounts an empty /tmp, so the log is elsewhere.
dockerd-entrypoint.sh dockerd --iptables=false --ip6tables=false --ip-forward=false > "$log" 2>&1 &
engine=$!

tries=0
until docker version > /dev/null 2>&1; do
	tries=$((tries + 1))
	if [ "$tries" -ge 300 ] || ! kill -0 "$engine" 2> /dev/null; then
		echo "The engine did not start:" >&2
		tail -n 40 "$log" >&2
		exit 1
	fi
	sleep 0.2
done

GRADER_TOKEN="$token" exec node "$(dirname "$0")/grader.mjs"
