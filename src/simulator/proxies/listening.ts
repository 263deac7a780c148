// Lets simulated proxies listen or refuse connections: by faults, by outages, and by what the account has.

import { proxyFailure } from '../faults/test-outcome.ts';
import { faultOfKind } from './proxy-faults.ts';
import type { Running } from './running-proxies.ts';
import type { SimulatedProxy } from './simulated-proxy.ts';
import type { VisitContext } from './visit-context.ts';

/** Returns a function that applies what is due now. One such work runs at a time. */
export const synchronizer = (visits: VisitContext, running: readonly Running[]): (() => Promise<void>) => {
  const apply = async (): Promise<void> => {
    if (visits.closing.aborted) return;
    await Promise.all(
      running.map(({ proxy, listener }) =>
        isRefusing(visits, proxy) ? listener.refuse() : listener.accept(),
      ),
    );
  };
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(apply);
    return last;
  };
};

const isRefusing = ({ scenario, outages, faults, now }: VisitContext, proxy: SimulatedProxy): boolean => {
  const at = now();
  if (proxy.proxyId !== null && !proxy.row(at)) return true;
  if (faultOfKind(faults.active(proxy.names, '', at), 'refused')) return true;
  const failure = proxyFailure(scenario, outages(), proxy.names, proxy.name, at);
  return failure !== undefined && failure.code !== 'connection_timeout';
};
