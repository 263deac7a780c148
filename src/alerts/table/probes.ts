// Defines the alerts about probes, which are tests from the machine of proxywatch.

import type { CollectorName } from '../../collectors/context.ts';
import { lineDownRoundsOf, readControls } from '../../collectors/probes/control-state.ts';
import { readExits, readInconclusive } from '../../collectors/probes/current-state.ts';
import type { AccountAlert } from '../alert.ts';
import { vantageOf } from '../vantage.ts';
import { faultsOf } from './found-faults.ts';

const COLLECTOR: CollectorName = 'probes';

/** A fault and a wrong exit need no hold, because a fault takes several rounds to begin, and an exit is exact. */
const PROBE_ALERT = { scope: 'account', trigger: COLLECTOR, severity: 'warning', holdMs: 0 } as const;

export const PROBE_ALERTS: readonly AccountAlert[] = [
  {
    ...PROBE_ALERT,
    name: 'ProbesFailingHere',
    labels: [],
    threshold: {
      value: 2,
      unit: 'count',
      quantity: 'rounds of probes',
      meaning:
        'The alert fires if no control got an answer, and no proxy answered, in at least this number of rounds in a row',
    },
    unit: 'count',
    expression: (threshold) => `proxywatch_probe_controls_failing_rounds >= ${threshold}`,
    summary:
      'No control request of account {account} has got an answer for {value} rounds of probes in a row, and no probe has passed.',
    meaning:
      'The control requests do not use a proxy. None of them gets an answer, and no proxy answers, so this machine or its network connection is at fault.',
    consequence:
      'Until a control request gets an answer or a proxy answers, the probes do not show whether the proxies work. proxywatch neither finds nor ends faults by probes during this time.',
    section: 'tests',
    checks: [
      'Open {view}. If the provider’s testers still reach the targets through the proxies, only this machine cannot connect.',
      'On the machine of proxywatch, run `proxywatch probe PROXY URL --config config.yaml --control` with a proxy and the URL of a control. The command shows how the connection without a proxy fails.',
    ],
    remedy:
      'Check the network, DNS and firewall of this machine. If each control fails with a different error, check the URLs in `probes.control.urls`. If there is only one control, its target can be down instead. If this machine must not connect to the targets without a proxy, list other URLs in `probes.control.urls`, or set `probes.control: false`.',
    condition:
      'In at least {threshold} rounds of probes in a row, no control request got an answer, and no proxy answered. A control request that fails because of the status, the header, the body or the certificate of the target got an answer.',
    async *find(evaluation) {
      const context = vantageOf(evaluation);
      const value = context ? lineDownRoundsOf(await readControls(context)) : 0;
      if (value >= evaluation.threshold) yield { labels: {}, value };
    },
  },
  {
    ...PROBE_ALERT,
    alsoAfter: ['proxy_tests'],
    name: 'ProxyUnusableHere',
    labels: ['proxy_id'],
    unit: 'none',
    expression: () => 'proxywatch_fault{kind="access"} == 1',
    suppressedBy: [
      { alert: 'ProbesFailingHere' },
      { alert: 'ProviderOutage' },
      { alert: 'ProxyFailing', equalLabels: ['proxy_id'] },
    ],
    summary: 'Proxy {proxy_id} of account {account} cannot be used[: {reason}].',
    meaning:
      'The proxy failed in several rounds, and nothing shows a fault of the proxy itself. Its user name, password or options are refused, or it fails from the machine of proxywatch only, for example because of a firewall. If the provider’s testers have no newer results of the proxy, proxywatch cannot tell whether it fails elsewhere too.',
    consequence: 'Until you remove the cause, requests through the proxy are likely to fail.',
    checks: [
      'Open {view}. “From here” shows the reason, the phase that fails, the answer of the proxy and the id of the request.',
      'On the machine of proxywatch, run `proxywatch probe PROXY URL --config config.yaml` with the id of the proxy and the URL of the target. The last line says why the proxy fails, and what to do next.',
    ],
    remedy:
      'If the proxy refuses the user name and password, compare them with those at the provider, and check whether the provider authorizes the address of this machine. If the connection is refused or times out, check the firewall and the route between this machine and the proxy. If neither helps, quote the id of the request to the provider’s support.',
    condition:
      'The probes of the proxy failed in several rounds in a row, and the provider’s testers do not show that the proxy itself is the cause. `probes.fault_after` sets the number of rounds. If the testers have no results of the last 24 hours, the alert fires only in three cases: the proxy refuses the user name, password or options, the provider answers that it has no node, or at least half of ten or more proxies pass nothing from this machine. The alert also fires if the provider’s testers are refused in several rounds in a row (`proxy_tests.fault_after`). Refusals for a used-up quota do not count.',
    find: (evaluation) => faultsOf(evaluation, 'access', (proxy_id) => ({ proxy_id })),
  },
  {
    ...PROBE_ALERT,
    name: 'ProbesInconclusive',
    labels: ['url'],
    unit: 'count',
    expression: () => 'proxywatch_probes_inconclusive > 0',
    suppressedBy: [{ alert: 'ProbesFailingHere' }],
    summary:
      'Probes of target {url} fail through {value} proxies of account {account}, and the cause is unknown.',
    meaning:
      'At least half of the proxies fail at this target from the machine of proxywatch, and proxywatch cannot find the cause. The cause can be the target, the proxies, the provider or this machine.',
    consequence:
      'Until proxywatch finds the cause, it reports no fault for these failures. Requests from this machine through the proxies to this target are likely to fail.',
    checks: [
      'Open {view}. It shows the failed probes of this target with their error codes.',
      'Run `proxywatch probe PROXY URL --config config.yaml --control` with one of the proxies and the URL of the target. The command shows the phase that fails, and whether the target works without a proxy.',
    ],
    remedy:
      'If the target works without a proxy, run `proxywatch probe` with the same proxy and another URL. If this URL works, the target probably blocks the proxies. If it fails too, ask the provider’s support, and quote the id of the request. Add a second URL to `probes.urls`, and test the same URLs with `proxy_tests`. proxywatch can then compare the results, and find the cause the next time.',
    condition:
      'At least half of the proxies fail at the target in several rounds of probes in a row, and neither the errors nor other targets, the controls or the provider’s testers show the cause. `probes.fault_after` sets the number of rounds.',
    async *find(evaluation) {
      const context = vantageOf(evaluation);
      for (const [url, value] of context ? await readInconclusive(context) : [])
        if (value > 0) yield { labels: { url }, value };
    },
  },
  {
    ...PROBE_ALERT,
    name: 'ExitAddressWrong',
    labels: ['proxy_id'],
    unit: 'none',
    expression: () => 'proxywatch_probe_exit_mismatch == 1',
    summary:
      'Targets see another address or country than expected through proxy {proxy_id} of account {account}.',
    meaning:
      'A request through the proxy reached the URL of the exit check from another address than the inventory says. For a gateway, the address is in another country than the options in the user name ask for.',
    consequence:
      'Until the exit is correct, targets that allow only the expected address or country are likely to refuse requests through the proxy.',
    checks: [
      'Open {view}. “Exit” shows the address or country that was seen, the one that was expected, and since when.',
      'Run `proxywatch probe PROXY URL --config config.yaml --body ADDRESS` with the id of the proxy, the URL of the exit check and the expected address. If the probe succeeds, the exit is as expected again.',
    ],
    remedy:
      'Check in the account at the provider whether the address of the proxy changed. If it did not change, report the expected and the seen address or country to the provider.',
    condition:
      'The newest check of the exit saw another address than the inventory has, or for a gateway another country than the user name asks for. `probes.exit.every` sets the time between two checks of a proxy.',
    async *find(evaluation) {
      const context = vantageOf(evaluation);
      for (const { proxy, isMismatch } of context ? await readExits(context) : [])
        if (isMismatch) yield { labels: { proxy_id: proxy }, value: 1 };
    },
  },
];
