// Defines the alerts about probes, which are tests from the machine of proxywatch.

import { lineDownRoundsOf, readControls } from '../../collectors/probes/controls.ts';
import { readExits, readInconclusive } from '../../collectors/probes/current-state.ts';
import { accountAlerts, firesIf } from '../alert.ts';
import { vantageOf, whileAtFault } from './readings.ts';

/** A fault and a wrong exit need no hold, because a fault takes several rounds to begin, and an exit is exact. */
export const PROBE_ALERTS = accountAlerts({ trigger: 'probes', alsoAtStart: true, severity: 'warning' }, [
  {
    name: 'ProbesFailingHere',
    threshold: firesIf(
      2,
      'count',
      'no control got an answer, and no proxy answered, in at least this number of rounds in a row',
    ),
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
      'Check the network, DNS and firewall of this machine. If each control fails with a different error, check `probes.control.urls`. The target of a single control can be down. If this machine must not connect to targets without a proxy, list other URLs, or set `probes.control: false`.',
    condition:
      'In at least {threshold} rounds of probes in a row, no control request and no proxy got an answer. A control that fails because of the target’s status, header, body or certificate got an answer.',
    async *find(evaluation) {
      const context = vantageOf(evaluation);
      const value = context ? lineDownRoundsOf(await readControls(context)) : 0;
      if (value >= evaluation.threshold) yield { labels: {}, value };
    },
  },
  {
    alsoAfter: ['proxy_tests'],
    name: 'ProxyUnusableHere',
    ...whileAtFault('access', 'proxy_id'),
    suppressedBy: [
      { alert: 'ProbesFailingHere' },
      { alert: 'ProviderOutage' },
      { alert: 'ProxyFailing', equalLabels: ['proxy_id'] },
    ],
    summary: 'Access to proxy {proxy_id} of account {account} is at fault[: {reason}].',
    meaning:
      'The proxy failed in several rounds, and nothing shows a fault of the proxy itself. Its user name, password or options are refused, or it fails from the machine of proxywatch only, for example because of a firewall. If the provider’s testers have no newer results of the proxy, proxywatch cannot tell whether it fails elsewhere too.',
    consequence: 'Until you remove the cause, requests through the proxy are likely to fail.',
    checks: [
      'Open {view}. “From here” shows the reason, the phase that fails, the answer of the proxy and the id of the request.',
      'On the machine of proxywatch, run `proxywatch probe PROXY URL --config config.yaml` with the id of the proxy and the URL of the target. The last line says why the proxy fails, and what to do next.',
    ],
    remedy:
      'If the proxy refuses the user name and password, compare them with the provider’s, and check whether the provider authorizes the address of this machine. If the connection is refused or times out, check the firewall and route to the proxy. Otherwise, give the provider’s support the id of the request.',
    condition:
      'The probes of the proxy failed in several rounds, and the provider’s testers do not show that the proxy is the cause. Without their results of the last 24 hours, the alert fires only if the proxy refuses the user name, password or options, the provider answers that it has no node, or at least half of ten or more proxies pass nothing from this machine. The alert also fires if the provider’s testers are refused in several rounds. Refusals for a used-up quota do not count.',
  },
  {
    name: 'ProbesInconclusive',
    labels: ['url'],
    unit: 'count',
    expression: () => 'proxywatch_probes_inconclusive > 0',
    suppressedBy: [{ alert: 'ProbesFailingHere' }],
    summary:
      'Probes of target {url} fail through {value} proxies of account {account}, and the cause is unknown.',
    meaning:
      'At least half of the proxies fail at this target from the machine of proxywatch, or the only proxy that works and has probes of it, and proxywatch cannot find the cause. The cause can be the target, the proxies, the provider or this machine.',
    consequence:
      'Until proxywatch finds the cause, it reports no fault for these failures. Requests from this machine through the proxies to this target are likely to fail.',
    checks: [
      'Open {view}. It shows the failed probes of this target with their error codes.',
      'Run `proxywatch probe PROXY URL --config config.yaml --control` with one of the proxies and the URL of the target. The command shows the phase that fails, and whether the target works without a proxy.',
    ],
    remedy:
      'If so, run `proxywatch probe` with the same proxy and another URL. If this URL works, the target probably blocks the proxies. Otherwise, give the provider’s support the id of the request. With a second URL in `probes.urls`, and the same URLs in `proxy_tests`, proxywatch can find the cause the next time.',
    condition:
      'At least half of the proxies, or the only one that works and has probes of the target, fail there in several rounds, and neither the errors nor other targets, the controls or the provider’s testers show the cause.',
    async *find(evaluation) {
      const context = vantageOf(evaluation);
      for (const [url, value] of context ? await readInconclusive(context) : [])
        if (value > 0) yield { labels: { url }, value };
    },
  },
  {
    name: 'ExitAddressWrong',
    labels: ['proxy_id'],
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
      'Check at the provider whether the address of the proxy changed. If it did not, report the expected and the seen address or country to the provider.',
    condition:
      'The newest check of the exit (`probes.exit.every`) saw another address than the inventory has, or for a gateway another country than the user name asks for.',
    async *find(evaluation) {
      const context = vantageOf(evaluation);
      for (const { proxy, isMismatch } of context ? await readExits(context) : [])
        if (isMismatch) yield { labels: { proxy_id: proxy }, value: 1 };
    },
  },
]);
