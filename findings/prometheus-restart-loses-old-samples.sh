#!/usr/bin/env bash
# After an orderly restart, Prometheus 3.5.3 loses out-of-order samples that it has accepted, without a race: whenever it
# compacts, each series with more than 32 of them loses the first 32. Prometheus 2.53.3 behaves the same way.
#
# The input is valid: remote write 1.0 with samples inside of out_of_order_time_window, sent while nothing compacts, and
# answered with 204. One series has a sample each minute. Each round sends 40 old samples of 5 new series, waits, moves the
# first series on by 150 minutes, which makes Prometheus compact, and queries. The restart is between two rounds.
#
# A restart loads out-of-order chunks that are in a block already from the last file of chunks_head, say 8. If no chunk was
# written since the restart, the next compaction notes file 8 as compacted, removes all files, and numbers new ones from 1.
# A chunk in files 1 to 8 then counts as compacted too, and is dropped before it is. A second sending does not help. With new
# files, the number exceeds 8 again, and nothing is lost any more. The loss of prometheus-loses-old-samples.sh needs samples
# that arrive during a compaction.
#
# Seen with Debian's prometheus 3.5.3+ds1-6 on 2026-11-28:
#   stored of 40 samples, at first and after a second sending, in rounds before the restart: 40 40; after it: 8 8
# Needs apt-get, dpkg and Node.js 18 or later. Takes about a minute. Exits with 1 if the round after the restart is whole.
set -eu
package=prometheus=3.5.3+ds1-6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Fetches the package from the mirror of the machine, with lists of its own, and unpacks it.
. /etc/os-release
mirror=$(apt-get update --print-uris | sed -n "s#^'\(.*\)/dists/$VERSION_CODENAME/InRelease'.*#\1#p" | head -n 1)
echo "deb $mirror sid main" >"$work/sources.list"
mkdir -p "$work"/{lists,archives}/partial
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work" -o APT::Sandbox::User=root -o Acquire::Languages=none)
cd "$work"
"${apt[@]}" update && "${apt[@]}" download "$package"
dpkg -x prometheus_*.deb root
root/usr/bin/prometheus --version 2>&1 | head -n 1
cat >prometheus.yml <<<'storage: {tsdb: {out_of_order_time_window: 30d}}'

cat >rounds.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

const [SERIES, SAMPLES, MINUTE] = [5, 40, 60_000];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const reserved = createServer().listen(0, '127.0.0.1');
await once(reserved, 'listening');
const address = `127.0.0.1:${reserved.address().port}`;
reserved.close();
const url = `http://${address}`;

let server;
const start = async () => {
  const options = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', '--storage.tsdb.retention.time=5y'];
  const web = [`--web.listen-address=${address}`, '--web.enable-remote-write-receiver'];
  server = spawn('root/usr/bin/prometheus', [...options, ...web], { stdio: 'ignore' });
  for (let tries = 0; tries < 200 && !(await fetch(`${url}/-/ready`).catch(() => {}))?.ok; tries += 1) await wait(50);
};
const end = async () => {
  const ended = once(server, 'close');
  server.kill();
  const timer = setTimeout(() => server.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(timer);
};

const varint = (number) => {
  const bytes = [];
  for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) + 128);
  return Buffer.from([...bytes, number]);
};
const message = (field, ...parts) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
};
const label = (name, value) => message(1, message(1, Buffer.from(name)), message(2, Buffer.from(value)));
const sample = (at) => {
  const value = Buffer.alloc(9, 9);
  value.writeDoubleLE(1, 1);
  return message(2, value, Buffer.from([16]), varint(at));
};
const series = (name, id, from, count) => {
  const samples = Array.from({ length: count }, (_, n) => sample(from + n * MINUTE));
  return message(1, label('__name__', name), label('id', `${id}`), ...samples);
};
/** A block of snappy with a single literal, which is not compressed. */
const snappy = (body) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length - 1);
  return Buffer.concat([varint(body.length), Buffer.from([63 << 2]), length, body]);
};
const headers = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};
const push = async (...all) => {
  const answer = await fetch(`${url}/api/v1/write`, { method: 'POST', headers, body: snappy(Buffer.concat(all)) });
  if (answer.status !== 204) throw new Error(`answered ${answer.status}: ${await answer.text()}`);
};
/** Waits until no compaction has ended for a second. */
const quiet = async () => {
  let [last, same] = ['', 0];
  for (let tries = 0; tries < 300 && same < 10; tries += 1) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const counts = /^prometheus_tsdb_(compactions|head_truncations)_total .*$/gm;
    const now = `${text.match(counts)}`;
    same = now === last ? same + 1 : 0;
    last = now;
    await wait(100);
  }
};

let newest = Date.parse('2026-03-30T00:00:00Z');
const advance = async (minutes) => {
  for (let passed = 0; passed < minutes; passed += 30, newest += 30 * MINUTE)
    await push(series('steady', 0, newest, 30));
  await quiet();
};
const stored = async (round) => {
  const query = `min(count_over_time(old{id=~"${round}-.*"}[2d]))`;
  const form = new URLSearchParams({ query, time: `${newest / 1000}` });
  const { data } = await (await fetch(`${url}/api/v1/query`, { method: 'POST', body: form })).json();
  return Number(data.result[0]?.value[1] ?? 0);
};
const round = async (number) => {
  const from = newest - 200 * MINUTE;
  const old = Array.from({ length: SERIES }, (_, id) => series('old', `${number}-${id}`, from, SAMPLES));
  await push(...old);
  await quiet();
  await advance(150);
  const first = await stored(number);
  await push(...old);
  await quiet();
  await advance(150);
  return [first, await stored(number)];
};

await start();
let [before, after] = [[], []];
try {
  await advance(240);
  for (let number = 0; number < 4; number += 1) before.push(await round(number));
  await end();
  await start();
  await advance(150);
  for (let number = 4; number < 7; number += 1) after.push(await round(number));
} finally {
  await end();
}
console.log(`stored of ${SAMPLES} samples at first and after a second sending, before the restart:`, before);
console.log('after it:', after);
const isWhole = (counts) => counts.every((count) => count === SAMPLES);
process.exitCode = before.every(isWhole) && after[0].every((count) => count === SAMPLES - 32) ? 0 : 1;
JS
node rounds.mjs
