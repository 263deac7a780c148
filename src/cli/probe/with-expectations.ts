// Adds the depth and the expectations of the command line to a target.

import { NO_ANSWER, NO_TLS } from '../../collectors/probes/mistakes.ts';
import { isHttps } from '../../collectors/probes/targets.ts';
import type { Depth, ProbeTarget } from '../../prober/probe.ts';
import type { ProbeOptions } from './options.ts';
import { UsageError } from './usage-error.ts';

type Wanted = Pick<ProbeOptions, 'depth' | 'status' | 'header' | 'body'>;

/** Throws UsageError if the depth could not show what is expected. */
export const withExpectations = (target: ProbeTarget, wanted: Wanted): ProbeTarget => {
  const { status, header, body } = wanted;
  const depth = depthOf(target, wanted);
  if (depth === 'tls' && !isHttps(target.url)) throw new UsageError(`--depth: ${NO_TLS}`);
  // A smaller depth than that of the configuration leaves its expectations out.
  if (depth !== 'http') return { ...target, depth, expect: undefined };
  const expect = {
    status: status ?? target.expect?.status,
    headers: header ?? target.expect?.headers,
    body: body ?? target.expect?.body,
  };
  return { ...target, depth, expect };
};

/** An expected answer needs a request, so it raises the depth of a configured URL. */
const depthOf = (target: ProbeTarget, { depth, status, header, body }: Wanted): Depth => {
  const [option] = Object.entries({ status, header, body }).flatMap(([name, value]) => (value ? [name] : []));
  if (option === undefined) return depth ?? target.depth;
  if (depth === undefined || depth === 'http') return 'http';
  throw new UsageError(`--${option}: ${NO_ANSWER}; use --depth http`);
};
