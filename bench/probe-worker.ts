// Makes probes in a process of its own, and measures their CPU time.

import { setTimeout } from 'node:timers/promises';
import { bareHttp, bareTunnel } from './probe-bare.ts';
import { probe, requestOf } from './probe-ours.ts';
import { measurePace, type PaceRequest } from './probe-pace.ts';
import type { ServerPorts } from './probe-servers.ts';

export const WORKS = ['tunnel', 'http', 'resumed'] as const;
export type Work = (typeof WORKS)[number];

export interface LoopRequest {
  readonly kind: 'ours' | 'bare';
  readonly work: Work;
  readonly ports: ServerPorts;
  readonly ms: number;
  /** Probes at the same time. */
  readonly parallel: number;
  /** Probes a second; 0 makes as many as possible. */
  readonly rate: number;
}

export interface LoopResult {
  readonly probes: number;
  readonly cpuMs: number;
  readonly wallMs: number;
}

const probeOf = ({ kind, work, ports }: LoopRequest): (() => Promise<void>) => {
  if (kind === 'ours') {
    const request = requestOf(ports, work === 'tunnel' ? 'tunnel' : 'http', {
      isResumed: work === 'resumed',
    });
    return () => probe(request);
  }
  return work === 'tunnel' ? () => bareTunnel(ports) : () => bareHttp(ports, work === 'resumed');
};

const measureLoop = async (request: LoopRequest): Promise<LoopResult> => {
  const { ms, parallel, rate } = request;
  const makeProbe = probeOf(request);
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  let probes = 0;
  const turn = async (index: number): Promise<void> => {
    for (let n = index; performance.now() - startedAt < ms; n += parallel) {
      if (rate > 0) await setTimeout(Math.max(0, (1_000 * n) / rate - (performance.now() - startedAt)));
      await makeProbe();
      probes += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, (_, index) => turn(index)));
  const { user, system } = process.cpuUsage(cpu);
  return { probes, cpuMs: (user + system) / 1_000, wallMs: performance.now() - startedAt };
};

process.on('disconnect', () => process.exit());
process.on('message', async (request: LoopRequest | PaceRequest) =>
  process.send?.('kind' in request ? await measureLoop(request) : await measurePace(request)),
);
process.send?.('ready');
