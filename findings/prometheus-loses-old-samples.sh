#!/usr/bin/env bash
# Shows that Prometheus 2.42.0 loses out-of-order samples that it has accepted, if they arrive when it begins to compact
# such samples. Prometheus 2.53.3 and 3.5.3 behave the same way.
#
# The input is valid: remote write 1.0 with samples inside of out_of_order_time_window. All requests are answered with 204.
# In each round, one series moves on by 130 minutes, which makes Prometheus compact, 20,000 other series have one old sample
# each, and two clients send new series of 40 old samples.
#
# Seen: of some series, the first 32 samples are missing, and 8 are there. 32 is the size of a full out-of-order chunk. They
# do not come back. If the same samples are sent once more after the compaction, all of them are there.
#
# Needs apt-get, dpkg and Node.js 18 or later. Takes one to three minutes. Exits with 1 if no sample is lost, or if the second
# sending does not bring them back.
set -eu
folder=$(mktemp -d)
prometheus=
trap '[ -z "$prometheus" ] || kill "$prometheus" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
cd "$folder"
apt-get -o APT::Sandbox::User=root download -qq prometheus=2.42.0+ds-5+deb12u1 >/dev/null
dpkg -x prometheus_*.deb .
cat >prometheus.yml <<<'storage: {tsdb: {out_of_order_time_window: 30d}}'
port=$(node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); })")
usr/bin/prometheus --version 2>&1 | head -1
usr/bin/prometheus --config.file=prometheus.yml --storage.tsdb.path=data --storage.tsdb.retention.time=5y \
  --web.listen-address="127.0.0.1:$port" --web.enable-remote-write-receiver >prometheus.log 2>&1 &
prometheus=$!

cat >load.mjs <<'JS'
const url = `http://127.0.0.1:${process.argv[2]}`;
const [ROUNDS, VISITED, SERIES, SAMPLES, MINUTE] = [3, 20_000, 10, 40, 60_000];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

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
const series = (name, id, times) => message(1, label('__name__', name), label('id', `${id}`), ...times.map(sample));
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
const counts = async () => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return ['compactions_total', 'head_gc_duration_seconds_count'].map((name) =>
    Number(new RegExp(`^prometheus_tsdb_${name} (\\S+)$`, 'm').exec(text)?.[1]),
  );
};
/** Returns how many series have how many samples. */
const stored = async (round, at) => {
  const query = `count_values("n", count_over_time(fresh{id=~"${round}-.*"}[30m]))`;
  const form = new URLSearchParams({ query, time: `${at / 1000 + 1200}` });
  const { data } = await (await fetch(`${url}/api/v1/query`, { method: 'POST', body: form })).json();
  return Object.fromEntries(data.result.map(({ metric, value }) => [metric.n, Number(value[1])]));
};

for (let tries = 0; tries < 200 && !(await fetch(`${url}/-/ready`).catch(() => {}))?.ok; tries += 1) await wait(50);
let newest = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 40 * 24 * 60 * MINUTE;
for (let step = 0; step < 2; step += 1) await push(series('steady', 0, [(newest += 130 * MINUTE)]));
let [lost, isRepaired] = [0, true];
for (let round = 0; round < ROUNDS; round += 1) {
  const at = newest - 60 * MINUTE;
  for (const old of [newest - MINUTE, at - MINUTE])
    await push(...Array.from({ length: VISITED }, (_, id) => series('visited', id, [old])));
  const sent = [];
  let isOver = false;
  const client = async (name) => {
    for (let request = 0; !isOver && request < 1_000; request += 1) {
      const batch = Array.from({ length: SERIES }, (_, id) =>
        series('fresh', `${round}-${name}-${request}-${id}`, Array.from({ length: SAMPLES }, (_, n) => at + n * 1_000)),
      );
      await push(...batch);
      sent.push(batch);
    }
  };
  const before = await counts();
  newest += 130 * MINUTE;
  const clients = [client('a'), client('b')];
  await push(series('steady', 0, [newest]));
  let last = before;
  for (let [tries, quiet] = [0, 0]; tries < 1_000 && (quiet < 25 || last[1] < before[1] + 2); tries += 1) {
    await wait(20);
    const now = await counts();
    quiet = `${now}` === `${last}` ? quiet + 1 : 0;
    last = now;
  }
  isOver = true;
  await Promise.all(clients);
  const first = await stored(round, at);
  for (const batch of sent) await push(...batch);
  const second = await stored(round, at);
  const all = sent.length * SERIES;
  lost += all - (first[SAMPLES] ?? 0);
  isRepaired &&= second[SAMPLES] === all;
  console.log(`round ${round}: ${all} series of ${SAMPLES} samples; stored`, first, 'after a second sending', second);
}
console.log(`${lost} series lost accepted samples; the second sending brought all back: ${isRepaired}`);
process.exitCode = lost > 0 && isRepaired ? 0 : 1;
JS
node load.mjs "$port"
