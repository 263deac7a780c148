// Makes 17 months of history with corrections, pushes them to an engine, and sums them.

import { DAY, HOUR } from '../../../src/lib/time.ts';
import type { Sample, Series } from '../../../src/remote-write/series.ts';
import { writeRequestBody } from '../../../src/remote-write/write-request.ts';
import { hashText, mix } from '../../../src/simulator/random.ts';
import type { Engine } from './engines.ts';

/** The newest year with a 29 February that is over by at least four months. */
export const LEAP_YEAR = (() => {
  const newest = new Date(Date.now() - 180 * DAY).getUTCFullYear();
  return newest - (newest % 4);
})();
export const FIRST = Date.UTC(LEAP_YEAR - 1, 0);
const END = Date.UTC(LEAP_YEAR, 5);

/** Series by family: the labels of each, and the length of its rows. */
const FAMILIES: Readonly<Record<string, readonly [rowMs: number, labels: readonly Labels[]]>> = {
  traffic_bytes: [HOUR, [{}]],
  traffic_successful_requests: [HOUR, [{}]],
  traffic_failed_requests: [HOUR, [{}]],
  graph_bytes: [HOUR, [{ graph: 'residential' }, { graph: 'shop' }]],
  proxy_users_usage_bytes: [HOUR, [{ product_type: 'residential' }, { product_type: 'mobile' }]],
  residential_ledger_used_bytes: [DAY, [{ reason: 'usage' }, { reason: 'adjustment' }]],
  residential_ledger_added_bytes: [DAY, [{ reason: 'top_up' }]],
};
type Labels = Readonly<Record<string, string>>;

/** Every seventh row has one correction, and every 49th has two. */
const CORRECTED = 7;

const drawn = (name: string, at: number, below: number): number => mix(hashText(name), at / HOUR) % below;

const seriesOf = (name: string): Series[] => {
  const [rowMs, all] = FAMILIES[name] ?? [HOUR, []];
  const times = Array.from({ length: (END - FIRST) / rowMs }, (_, index) => FIRST + index * rowMs);
  return all.flatMap((labels) =>
    ['', '1', '2'].map((revision) => ({
      labels: Object.entries({
        __name__: `proxywatch_history_${name}`,
        account: 'main',
        ...labels,
        ...(revision && { revision }),
      }),
      samples: times
        .filter((_, index) => index % CORRECTED ** Number(revision) === 0)
        .map((at): Sample => {
          const value = drawn(JSON.stringify([name, labels, revision]), at, 1_000_000_007);
          return { at, value: revision === '' ? value : value - 500_000_000 };
        }),
    })),
  );
};

const SERIES = new Map(Object.keys(FAMILIES).map((name) => [`proxywatch_history_${name}`, seriesOf(name)]));

/** Returns the sum of all series of the family, or only of their corrections, over rows that start in the range. */
export const sumBetween = (
  family: string,
  from: number,
  to: number,
  kind: 'all' | 'corrections' = 'all',
): number => {
  const series = (SERIES.get(family) ?? []).filter(
    ({ labels }) => kind === 'all' || labels.some(([name]) => name === 'revision'),
  );
  return series
    .flatMap(({ samples }) => samples.filter(({ at }) => at >= from && at < to))
    .reduce((sum, { value }) => sum + value, 0);
};

/** Pushes month by month, as an engine would receive them. */
export const pushHistory = async (engine: Engine): Promise<void> => {
  for (let from = FIRST; from < END; from += 31 * DAY) {
    const batch = [...SERIES.values()].flat().map(({ labels, samples }) => ({
      labels,
      samples: samples.filter(({ at }) => at >= from && at < from + 31 * DAY),
    }));
    const response = await fetch(`${engine.url}/api/v1/write`, {
      method: 'POST',
      body: writeRequestBody(batch),
      headers: {
        'Content-Encoding': 'snappy',
        'Content-Type': 'application/x-protobuf',
        'X-Prometheus-Remote-Write-Version': '0.1.0',
      },
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  }
};
