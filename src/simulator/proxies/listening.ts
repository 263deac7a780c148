// Decides whether a simulated proxy refuses connections: by a fault, by an outage, or because the account lost it.

import { proxyFailure } from '../faults/test-outcome.ts';
import { faultOfKind } from './proxy-faults.ts';
import type { SimulatedProxy } from './simulated-proxy.ts';
import type { VisitContext } from './visit.ts';

export const isRefusing = (
  { scenario, outages, faults, now }: VisitContext,
  proxy: SimulatedProxy,
): boolean => {
  const at = now();
  if (proxy.proxyId !== null && !proxy.row(at)) return true;
  if (faultOfKind(faults.active(proxy.names, '', at), 'refused')) return true;
  const failure = proxyFailure(scenario, outages(), proxy.names, proxy.name, at);
  return failure !== undefined && failure.code !== 'connection_timeout';
};
