// Defines the metric families of the probes. Results use the families of the proxy tests, with the vantage as the tester.

import { counter, gauge, histogram } from '../../lib/family.ts';

export const families = {
  phases: histogram(
    'proxywatch_probe_phase_seconds',
    'Durations of the phases of probes in seconds: resolve, connect, tunnel, tls and response. A phase that failed counts with its duration until the failure.',
    ['url', 'phase'],
  ),
  bytes: counter(
    'proxywatch_probe_bytes_total',
    'Number of bytes of probes on the raw socket, below TLS, by direction: sent or received. Controls do not count.',
    ['url', 'direction'],
  ),
  budgetRemaining: gauge(
    'proxywatch_probe_budget_remaining_bytes',
    'Number of bytes of the byte budget (max_bytes_per_day) that probes through residential and mobile proxies can still use, as of the last round.',
    [],
  ),
  controlSuccess: gauge(
    'proxywatch_probe_control_success',
    'Whether the last control of the URL, which needs no proxy, succeeded (1) or not (0). The series is missing before the first round, and without controls.',
    ['url'],
  ),
  controlsFailing: gauge(
    'proxywatch_probe_controls_failing_rounds',
    'Number of rounds in a row, with the newest one, in which no control got an answer and no proxy answered. The series is missing before the first round, and without controls.',
    [],
  ),
  inconclusive: gauge(
    'proxywatch_probes_inconclusive',
    'Number of proxies whose probes of the URL fail for an unknown cause.',
    ['url'],
  ),
  exitMismatch: gauge(
    'proxywatch_probe_exit_mismatch',
    'Whether the target saw another address or country than the proxy should have (1) or not (0). The series is missing while the expected or the seen one is unknown.',
    ['proxy_id'],
  ),
  refusals: counter(
    'proxywatch_probe_refusals_total',
    'Number of probes that a proxy refused, by the class of its code, HTTP status or SOCKS5 reply: credentials, options, target, policy, quota, no_node, provider or other. A refusal without a code of the provider counts only if its status or reply has a class.',
    ['class'],
  ),
} as const;
