// Defines the alerts about purchased services.

import {
  type EffectiveStatus,
  effectiveStatusOf,
  missingProxies,
  removedServices,
  shownServices,
} from '../../collectors/services/effective-status.ts';
import { services } from '../../collectors/services/services.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { StoredService } from '../../store/service-store.ts';
import type { AccountAlert, EvaluationContext, Finding } from '../alert.ts';

const SERVICE_ALERT = { scope: 'account', trigger: 'services', labels: ['service_id'] } as const;

/** How long an expired service is reported by its expiry. After that only its status can be reported. */
const EXPIRED_REPORTED_MS = 7 * DAY;
const EXPIRY = 'proxywatch_service_expiry_timestamp_seconds';
/** The time left when the provider last answered, so that time without polls changes nothing. */
const LEFT = `${EXPIRY} - proxywatch_service_last_answer_timestamp_seconds`;

const withStatus = (...statuses: readonly EffectiveStatus[]): string =>
  `on (instance, account, service_id) proxywatch_service_standing{standing=~"${statuses.join('|')}"}`;
const ENDED: readonly EffectiveStatus[] = ['not_active', 'over'];
const hasEnded = (service: StoredService): boolean => ENDED.includes(effectiveStatusOf(service));

export const SERVICE_ALERTS: readonly AccountAlert[] = [
  {
    ...SERVICE_ALERT,
    name: 'ServiceExpiringSoon',
    severity: 'warning',
    holdMs: 0,
    threshold: {
      value: 7 * (DAY / SECOND),
      unit: 'seconds',
      meaning: 'The alert fires if the service expires within this time',
    },
    unit: 'timestamp',
    worst: 'lowest',
    expression: (threshold) =>
      [
        `${EXPIRY} and ${LEFT} < ${threshold} and ${LEFT} > -${EXPIRED_REPORTED_MS / SECOND}`,
        'and (proxywatch_service_automatic_collection == 0 or proxywatch_service_open_invoice == 1)',
        `unless ${withStatus(...ENDED)}`,
      ].join(' '),
    summary:
      'Service {service_id} of account {account} expires at {value}. It is not renewed by itself, or has an open invoice.',
    meaning:
      'The billing cycle of the service ends soon. The service is not renewed by itself, or one of its invoices is open.',
    consequence: 'If nobody pays or renews, the service may end, and its proxies may stop working.',
    checks: [
      'Check with the provider whether an invoice of the service is open.',
      'Check whether you still need the service.',
    ],
    remedy:
      'Pay the invoice or renew the service. Turn on automatic collection if you do not want this alert again.',
    condition:
      'The service expires within {threshold}, and automatic collection is off or an invoice is open. The alert goes on until a week after the expiry.',
    find: (evaluation) =>
      findEach(evaluation, (service) => {
        const { expiresAt, answeredAt, isAutomaticCollection, hasOpenInvoice } = service;
        if (expiresAt === null || hasEnded(service)) return undefined;
        const leftMs = expiresAt - answeredAt;
        const isDue = leftMs / SECOND < evaluation.threshold && leftMs > -EXPIRED_REPORTED_MS;
        return isDue && (isAutomaticCollection === false || hasOpenInvoice) ? expiresAt / SECOND : undefined;
      }),
  },
  {
    ...SERVICE_ALERT,
    name: 'ServicePaused',
    severity: 'warning',
    holdMs: 0,
    unit: 'none',
    expression: () => 'proxywatch_service_standing{standing="paused"} == 1',
    summary: 'Service {service_id} of account {account} is paused.',
    meaning: 'The subscription is paused.',
    consequence: 'Its proxies may stop working.',
    checks: [
      'Check whether somebody paused the service on purpose.',
      'Check whether the proxies of the service still work.',
    ],
    remedy: 'Resume the service at the provider, unless the pause is planned.',
    condition: 'The provider reports the service as paused.',
    find: (evaluation) =>
      findEach(evaluation, (service) => (effectiveStatusOf(service) === 'paused' ? 1 : undefined)),
  },
  {
    ...SERVICE_ALERT,
    name: 'ServicePendingCancellation',
    severity: 'info',
    holdMs: 0,
    unit: 'none',
    expression: () => `proxywatch_service_pending_cancellation == 1 unless ${withStatus(...ENDED)}`,
    summary: 'Service {service_id} of account {account} ends when it expires: its cancellation is pending.',
    meaning: 'The service has been canceled for the end of its billing cycle.',
    consequence: 'The service ends at its expiry, and its proxies with it.',
    checks: [
      'Check whether somebody canceled the service on purpose.',
      'Check when it expires (`proxywatch_service_expiry_timestamp_seconds`).',
    ],
    remedy: 'Take the cancellation back at the provider before the service expires, unless it is planned.',
    condition: 'The provider reports a pending cancellation, and the service has not ended yet.',
    find: (evaluation) =>
      findEach(evaluation, (service) =>
        service.isPendingCancellation && !hasEnded(service) ? 1 : undefined,
      ),
  },
  {
    ...SERVICE_ALERT,
    name: 'ServiceNotActive',
    severity: 'warning',
    holdMs: 0,
    unit: 'none',
    expression: () => 'proxywatch_service_standing{standing=~"not_active|gone"} == 1',
    summary: 'Service {service_id} of account {account} is not active any more.',
    meaning:
      'The service is overdue, canceled or in another state that is not active, or the provider does not know it.',
    consequence: 'Its proxies may have stopped working.',
    checks: [
      'Read the label `status` of `proxywatch_service_info`.',
      'Check with the provider whether the service is overdue or canceled.',
    ],
    remedy: 'Pay what is overdue, buy the service again, or remove an unknown one from `services.ids`.',
    condition:
      'The status is overdue, canceled, or another one that is neither active nor paused, complete or awaiting fulfillment. Or the service is in `services.ids`, and the provider does not know it. The alert about a canceled service ends 7 days after the end of its cycle, and one about any other status 30 days after it.',
    async *find(evaluation) {
      yield* findEach(evaluation, (service) => (effectiveStatusOf(service) === 'not_active' ? 1 : undefined));
      const context = readContextOf(evaluation);
      for (const service_id of context ? await removedServices(context) : [])
        yield { labels: { service_id }, value: 1 };
    },
  },
  {
    ...SERVICE_ALERT,
    name: 'ServiceProxiesMissing',
    severity: 'warning',
    // A proxy that is being replaced is missing for one poll.
    holdMs: HOUR,
    threshold: {
      value: 0,
      unit: 'count',
      meaning: 'The alert fires if more than this number of bought proxies are not in use',
    },
    unit: 'count',
    expression: (threshold) =>
      `proxywatch_service_proxies_missing > ${threshold} and ${withStatus('active')}`,
    summary: 'Proxies bought with service {service_id} of account {account} that are not in use: {value}.',
    meaning: 'The service is active and has fewer proxies in use than were bought.',
    consequence: 'You pay for proxies that you cannot use until the provider delivers them.',
    checks: [
      'Look at `proxywatch_service_proxies` by `status`.',
      'Check whether a replacement of proxies is under way at the provider.',
    ],
    remedy: 'Ask the provider for the missing proxies.',
    condition:
      'More than {threshold} of the bought proxies are not in use. The alert does not fire while the service awaits fulfillment, is paused or is not active.',
    find: (evaluation) =>
      findEach(evaluation, (service) => {
        const missing = missingProxies(service) ?? 0;
        return missing > evaluation.threshold && effectiveStatusOf(service) === 'active'
          ? missing
          : undefined;
      }),
  },
];

/** Returns the context that the collector's queries need; undefined while the collector is off. */
const readContextOf = ({ account, store, clock, options }: EvaluationContext) => {
  const own = options(services);
  return own && { account, store, clock, options: own };
};

async function* findEach(
  evaluation: EvaluationContext,
  measure: (service: StoredService) => number | undefined,
): AsyncGenerator<Finding> {
  const context = readContextOf(evaluation);
  for (const service of context ? await shownServices(context) : []) {
    const value = measure(service);
    if (value !== undefined) yield { labels: { service_id: service.id }, value };
  }
}
