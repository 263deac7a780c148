// Makes paced probes of many proxies, and measures the event loop, the memory and the sockets.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { probe, requestOf } from './probe-ours.ts';
import type { ServerPorts } from './probe-servers.ts';

export interface PaceRequest {
  readonly ports: ServerPorts;
  /** Each has an address of its own in 127.0.0.0/8. */
  readonly proxies: number;
  /** The time between two rounds of all proxies and both urls. */
  readonly roundMs: number;
  /** How long it is measured. */
  readonly ms: number;
  /** The most probes at the same time. */
  readonly parallel: number;
}

export interface PaceResult {
  readonly probes: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly loopDelayP99Ms: number;
  readonly rssBytes: number;
  readonly mostSockets: number;
}

const SAMPLE_MS = 20;
const LOOP_RESOLUTION_MS = 1;
/** The depths of the two urls: the default, and the one that costs the most. */
const DEPTHS = ['tls', 'http'] as const;

const addressOf = (index: number): string => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;

export const measurePace = async ({
  ports,
  proxies,
  roundMs,
  ms,
  parallel,
}: PaceRequest): Promise<PaceResult> => {
  const hosts = Array.from({ length: proxies }, (_, index) => addressOf(index));
  const requests = hosts.flatMap((host) => DEPTHS.map((depth) => requestOf(ports, depth, { host })));
  const stepMs = roundMs / requests.length;
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  let [mostSockets, rssBytes] = [0, 0];
  const sampling = setInterval(() => {
    mostSockets = Math.max(mostSockets, openSockets());
    rssBytes = Math.max(rssBytes, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  delay.enable();
  const running = new Set<Promise<void>>();
  const problems: unknown[] = [];
  let probes = 0;
  for (; probes * stepMs < ms; probes += 1) {
    const request = requests[probes % requests.length];
    if (!request) break;
    await setTimeout(Math.max(0, probes * stepMs - (performance.now() - startedAt)));
    if (running.size >= parallel) await Promise.race(running);
    const made: Promise<void> = probe(request)
      .catch((error: unknown) => void problems.push(error))
      .finally(() => running.delete(made));
    running.add(made);
  }
  await Promise.all(running);
  delay.disable();
  clearInterval(sampling);
  if (problems.length > 0) throw problems[0];
  const { user, system } = process.cpuUsage(cpu);
  return {
    ...{ probes, mostSockets, rssBytes, cpuMs: (user + system) / 1_000 },
    wallMs: performance.now() - startedAt,
    loopDelayP99Ms: delay.percentile(99) / 1e6 - LOOP_RESOLUTION_MS,
  };
};
