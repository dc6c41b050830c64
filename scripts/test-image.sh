#!/usr/bin/env bash
# Builds the image of the Dockerfile without a container engine, runs it, and checks that it serves
# and stops.
# Needs root on Debian, with: apt-get install buildah debootstrap
# The base image is made here, under the name in the Dockerfile: Debian with Node and npm of this
# machine.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in buildah debootstrap; do
  if ! command -v "$program" >/dev/null; then
    echo "test-image: $program is missing; on Debian, run: apt-get install buildah debootstrap" >&2
    exit 3
  fi
done
node scripts/ensure-installed.mjs

certificate=$(npm config get cafile)
npm_cli=$(readlink -f "$(command -v npm)")
# Under `npm run`, the settings of this npm would reach the one in the image.
for variable in $(compgen -e npm_); do unset "$variable"; done

work=$(mktemp -d)
port=$((20000 + $$ % 20000))
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
storage=(--root "$work/storage" --runroot "$work/run")
image_tool() { buildah "${storage[@]}" "$@"; }
fetch_page() {
  node -e 'fetch(process.argv[1]).then(async (response) => {
    console.log(await response.text())
    process.exitCode = response.ok ? 0 : 1
  })' "http://127.0.0.1:$port/$1"
}
cleanup() {
  if [ -n "${server:-}" ]; then kill "$server" 2>/dev/null || true; fi
  image_tool rm --all >/dev/null 2>&1 || true
  image_tool rmi --all --force >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

echo 'Making the base image …'
debootstrap --variant=minbase --include=ca-certificates bookworm "$work/base" >"$work/log" 2>&1 ||
  { tail -20 "$work/log"; exit 1; }
mkdir -p "$work/base/usr/local/lib/node_modules" "$work/base/usr/local/etc"
cp node_modules/node/bin/node "$work/base/usr/local/bin/node"
cp -rL "$(dirname "$npm_cli")/.." "$work/base/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
chroot "$work/base" useradd --uid 1000 --create-home node
# A certificate that npm needs on this machine is needed in the build too.
if [ -f "$certificate" ]; then
  cp "$certificate" "$work/base/usr/local/etc/npm-ca.pem"
  echo 'cafile=/usr/local/etc/npm-ca.pem' >"$work/base/usr/local/etc/npmrc"
fi
base=$(image_tool from scratch)
image_tool add --quiet "$base" "$work/base" / >/dev/null
image_tool commit --quiet --rm "$base" docker.io/library/node:24-bookworm-slim >/dev/null
rm -rf "$work/base"

echo 'Building the image …'
image_tool bud --pull-never --format docker --tag umpire . >"$work/log" 2>&1 ||
  { tail -80 "$work/log"; exit 1; }

echo 'Running it …'
container=$(image_tool from --pull-never umpire)
words='{{range .Docker.Config.Entrypoint}}{{.}} {{end}}{{range .Docker.Config.Cmd}}{{.}} {{end}}'
start=$(image_tool inspect --type image --format "$words" umpire)
read -ra command <<<"$start"
image_tool run --env "PORT=$port" --env HOST=127.0.0.1 "$container" -- "${command[@]}" \
  >"$work/log" 2>&1 &
server=$!
ready=''
for _ in $(seq 120); do
  if ! kill -0 "$server" 2>/dev/null; then break; fi
  if fetch_page readyz >/dev/null 2>&1; then
    ready=yes
    break
  fi
  sleep 0.5
done
if [ -z "$ready" ]; then
  cat "$work/log"
  echo 'test-image: the service in the image did not become ready' >&2
  exit 1
fi
if ! fetch_page '' | grep --quiet '<div id="root"'; then
  echo 'test-image: the image serves no page' >&2
  exit 1
fi
user=$(image_tool run "$container" -- id -un)
if [ "$user" != node ]; then
  echo "test-image: the image runs as $user, not as node" >&2
  exit 1
fi
echo 'Stopping it …'
# As a container engine does: the signal goes to the first program in the container.
for process in $(pgrep --full '^/usr/bin/tini -- node'); do
  if grep --null-data --quiet "^PORT=$port$" "/proc/$process/environ"; then
    kill -TERM "$process"
  fi
done
code=0
wait "$server" || code=$?
server=''
if [ "$code" != 0 ]; then
  cat "$work/log"
  echo "test-image: the image stopped with code $code after SIGTERM, not with 0" >&2
  exit 1
fi
echo 'The image builds, serves as an unprivileged user, and stops on SIGTERM.'
