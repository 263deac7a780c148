// Builds the Proxy tests dashboard's row about probes from the machine that runs proxywatch.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { warnBelow } from '../panel.ts';
import { bars, graph, states } from '../time-series.ts';

const PHASES = 'proxywatch_probe_phase_seconds';
const phaseMean =
  `sum by (phase) (rate(${PHASES}_sum{${ACCOUNT_SELECTOR}, url=~"$url"}[$window]))` +
  ` / on (phase) sum by (phase) (rate(${PHASES}_count{${ACCOUNT_SELECTOR}, url=~"$url"}[$window]))`;

export const probesRow: Row = {
  title: 'Probes from this machine',
  collapsed: true,
  panels: [
    states({
      title: 'Controls',
      description:
        'Whether each control works, which needs no proxy. If no control gets an answer and no probe passes, this machine or its line is at fault.',
      unit: 'percentunit',
      width: 12,
      height: 8,
      steps: warnBelow(0.5, 1),
      queries: {
        '{{account}} {{url}}': `min by (account, url) (proxywatch_probe_control_success{${ACCOUNT_SELECTOR}})`,
      },
    }),
    graph({
      title: 'Mean duration of each phase',
      description: 'Mean duration of the phases of probes, over the period that the variable Window sets.',
      unit: 's',
      width: 12,
      queries: { '{{phase}}': phaseMean },
    }),
    bars({
      title: 'Refusals per hour by class',
      description: 'Number of probes that a proxy refused, by the class of its answer.',
      unit: 'short',
      width: 6,
      queries: {
        '{{class}}': `sum by (class) (increase(proxywatch_probe_refusals_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    bars({
      title: 'Bytes of probes per hour',
      description: 'Number of bytes on the raw socket, by direction.',
      unit: 'decbytes',
      width: 6,
      queries: {
        '{{direction}}': `sum by (direction) (increase(proxywatch_probe_bytes_total{${ACCOUNT_SELECTOR}, url=~"$url"}[$__interval]))`,
      },
    }),
    graph({
      title: 'Remaining byte budget',
      description:
        'Number of bytes of the byte budget (`max_bytes_per_day`) that probes through residential and mobile proxies can still use.',
      unit: 'decbytes',
      width: 6,
      queries: {
        '{{account}}': `min by (account) (proxywatch_probe_budget_remaining_bytes{${ACCOUNT_SELECTOR}})`,
      },
    }),
    graph({
      title: 'Proxies with a wrong exit',
      description: 'Number of proxies for which the target saw another address or country than expected.',
      unit: 'short',
      width: 6,
      queries: {
        '{{account}}': `sum by (account) (max by (account, proxy_id) (proxywatch_probe_exit_mismatch{${ACCOUNT_SELECTOR}}))`,
      },
    }),
  ],
};
