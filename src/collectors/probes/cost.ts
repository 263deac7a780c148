// Estimates what the probes cost in a day: connections, and bytes through free and metered proxies.

import { DAY } from '../../lib/time.ts';
import { type Collector, describeNumber, slotsPerDay, textIf } from '../collector.ts';
import type { Preview, ProxySource } from '../proxy-sources/source.ts';
import { previewSources } from '../proxy-sources/sources.ts';
import { configuredProxies } from '../proxy-sources/tested-proxies.ts';
import { isMetered, mostBytes, USUAL_BYTES } from './budget/byte-prices.ts';
import type { ProbeOptions } from './options.ts';
import { controlsOf, exitTargetOf, type LabelledTarget, targetsOf } from './targets.ts';
import { vantageOptions } from './vantage.ts';

const ASSUMED_FOUND = 100;
const SERIES_PER_CELL = 3;

/** How many proxies there are of each kind. Sources of the provider count as free: see the assumptions. */
interface FleetSize {
  readonly free: number;
  readonly metered: number;
}

export const costOf: Collector<ProbeOptions>['cost'] = (options, zone, now, settings = {}, known = {}) => {
  const effective = vantageOptions(options, settings);
  const sources = previewSources(effective, known.probed);
  const fromProvider = sources.filter(({ isFromProvider }) => isFromProvider);
  const fleet = fleetOf(configuredProxies(effective), sources);
  const slots = slotsPerDay(options.schedule, zone, now);
  const targets = targetsOf(options);
  const exit = exitTargetOf(options);
  const exitsPerDay = exit && options.exit ? Math.min(slots, DAY / options.exit.every) : 0;
  const bytesOfProxy = slots * usualBytes(targets) + (exit ? exitsPerDay * usualBytes([exit]) : 0);
  const free = fleet.free * bytesOfProxy;
  const metered = Math.min(fleet.metered * bytesOfProxy, options.max_bytes_per_day);
  const proxies = fleet.free + fleet.metered;
  const connections = slots * (proxies * targets.length + controlsOf(options).length) + proxies * exitsPerDay;
  return {
    requestsPerDay: fromProvider.length * Math.min(slots, DAY / options.discover_every),
    proxyBytesPerDay: free + metered,
    series: proxies * (targets.length * SERIES_PER_CELL + 2) + targets.length * 70,
    assumptions: [
      `${Math.round(connections).toLocaleString('en')} connections a day; ${sizeText(free)} through datacenter and ISP proxies, ${sizeText(metered)} through residential and mobile proxies and proxies of an unknown type`,
      `a probe takes ${[...new Set(targets.map(({ target }) => target.depth))].map((depth) => `${USUAL_BYTES[depth].toLocaleString('en')} bytes at depth ${depth}`).join(', ')}`,
      ...fromProvider.map(
        ({ name, productType, proxies: found }) =>
          `the source "${name}" has ${describeNumber(found, ASSUMED_FOUND, 'proxies')}${productType === undefined ? ', and none is residential or mobile' : ''}`,
      ),
    ],
    warnings: [
      ...sources.flatMap(({ warnings }) => warnings),
      ...textIf(proxies === 0, 'there are no proxies, so proxywatch probes nothing'),
      ...controlWarnings(options),
      ...(fleet.metered > 0 ? meteredWarnings(options, fleet.metered * bytesOfProxy, targets, exit) : []),
    ],
  };
};

/** With several controls, one that fails while another one gets an answer shows that its target is down. */
const controlWarnings = (options: ProbeOptions): string[] => {
  const [first, ...others] = controlsOf(options);
  if (!first || others.length > 0) return [];
  return [
    `there is only one control, "${first.label}", so an outage of this target cannot be told from a fault of this machine; add a second url to control.urls`,
  ];
};

type Configured = ReturnType<typeof configuredProxies>;
type Previewed = readonly (Pick<ProxySource, 'isFromProvider' | 'productType'> & Pick<Preview, 'proxies'>)[];

/** The lines of files do not say the type of their proxies, so these count as metered, as they do in a round. */
const fleetOf = (configured: Configured, sources: Previewed): FleetSize => {
  const listed = configured.filter(({ proxy }) => isMetered(proxy.productType)).length;
  const [metered, free] = [true, false].map((isWanted) =>
    sources
      .filter((source) => isMeteredSource(source) === isWanted)
      .reduce((sum, { proxies = ASSUMED_FOUND }) => sum + proxies, 0),
  );
  return { free: configured.length - listed + (free ?? 0), metered: listed + (metered ?? 0) };
};

const isMeteredSource = ({ isFromProvider, productType }: Previewed[number]): boolean =>
  productType === undefined ? !isFromProvider : isMetered(productType);

const usualBytes = (targets: readonly LabelledTarget[]): number =>
  targets.reduce((sum, { target }) => sum + USUAL_BYTES[target.depth], 0);

const meteredWarnings = (
  { max_bytes_per_day: limit }: ProbeOptions,
  bytesPerDay: number,
  targets: readonly LabelledTarget[],
  exit: LabelledTarget | undefined,
): string[] => [
  ...budgetWarnings(limit, bytesPerDay, targets, exit),
  ...targets.flatMap((target) => gatewayWarnings(target, 'url')),
  ...(exit ? gatewayWarnings(exit, 'exit url') : []),
];

const budgetWarnings = (
  limit: number,
  bytesPerDay: number,
  targets: readonly LabelledTarget[],
  exit: LabelledTarget | undefined,
): string[] => {
  const size = (bytes: number): string => sizeTextLike(limit, bytes);
  const most = mostBytes(targets);
  if (most > limit)
    return [
      `max_bytes_per_day (${size(limit)}) is less than one proxy can take at all urls (${size(most)}), so proxywatch does not probe residential and mobile proxies; raise max_bytes_per_day`,
    ];
  const withExit = exit ? mostBytes([...targets, exit]) : 0;
  return [
    ...textIf(
      withExit > limit,
      `max_bytes_per_day (${size(limit)}) is less than one proxy can take at all urls and the exit url (${size(withExit)}), so proxywatch does not check the exits of residential and mobile proxies; raise max_bytes_per_day`,
    ),
    ...textIf(
      bytesPerDay > limit,
      `residential and mobile proxies would take ${size(bytesPerDay)} a day, more than max_bytes_per_day (${size(limit)}), so they take turns; raise max_bytes_per_day or use a longer schedule`,
    ),
  ];
};

/** The provider's gateways refuse other targets, so their probes would always fail. */
const gatewayWarnings = ({ label, target }: LabelledTarget, role: string): string[] => {
  const { protocol, port, hostname } = new URL(target.url.reveal());
  if (protocol === 'https:' && (port === '' || port === '443')) return [];
  if (hostname === 'ip-api.com') return [];
  return [
    `the ${role} "${label}" is not on port 443 (https), and the provider's residential and mobile gateways refuse such targets; use an https:// url`,
  ];
};

type Unit = readonly [name: string, bytes: number];

const BYTES: Unit = ['bytes', 1];
const DECIMAL: readonly Unit[] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];
const UNITS: readonly Unit[] = [
  ...([
    ['GB', 1e9],
    ['GiB', 2 ** 30],
    ['MB', 1e6],
    ['MiB', 2 ** 20],
    ['kB', 1e3],
    ['KiB', 2 ** 10],
  ] as const),
];

const sizeText = (bytes: number): string => inUnit(bytes, DECIMAL.find(([, size]) => bytes >= size) ?? BYTES);

/** Formats `bytes` in the unit in which an operator writes `limit`, so that both can be compared. */
const sizeTextLike = (limit: number, bytes: number): string =>
  inUnit(bytes, UNITS.find(([, size]) => limit >= size && limit % size === 0) ?? BYTES);

const inUnit = (bytes: number, [name, size]: Unit): string =>
  `${(bytes / size).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
