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
    threshold: { value: 7 * (DAY / SECOND), unit: 'seconds', meaning: 'until it expires, less than' },
    unit: 'timestamp',
    worst: 'lowest',
    expression: (threshold) =>
      [
        `${EXPIRY} and ${LEFT} < ${threshold} and ${LEFT} > -${EXPIRED_REPORTED_MS / SECOND}`,
        'and (proxywatch_service_automatic_collection == 0 or proxywatch_service_open_invoice == 1)',
        `unless ${withStatus(...ENDED)}`,
      ].join(' '),
    summary: 'The service {service_id} expires at {value}, and is not paid by itself or has an open invoice.',
    meaning:
      'The billing cycle ends soon. The service is not renewed by itself, or an invoice of it is open. Until a week after the end.',
    action: 'Pay the invoice or renew the service; turn on automatic collection to be spared this.',
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
    summary: 'The service {service_id} is paused.',
    meaning: 'The subscription is paused, so its proxies may stop working.',
    action: 'Resume it at the provider, unless that is meant.',
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
    summary: 'The service {service_id} ends when it expires: its cancellation is pending.',
    meaning: 'The service has been canceled for the end of its billing cycle.',
    action: 'Take the cancellation back at the provider before it expires, unless that is meant.',
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
    summary: 'The service {service_id} is not active any more.',
    meaning:
      'Its status is overdue, canceled, or one that is neither active nor paused, complete or awaiting fulfillment; or it is configured, and the provider does not know it. A canceled service is news until 7 days after the end of its cycle, any other for 30.',
    action:
      'See the label status of proxywatch_service_info: pay what is overdue, buy it anew, or take out of `services.ids` what is not there.',
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
    threshold: { value: 0, unit: 'count', meaning: 'proxies missing, more than' },
    unit: 'count',
    expression: (threshold) =>
      `proxywatch_service_proxies_missing > ${threshold} and ${withStatus('active')}`,
    summary: '{value} of the proxies bought with the service {service_id} are not in use.',
    meaning:
      'The service is active and has fewer proxies in use than were bought. Not said while it awaits fulfillment, is paused or not active.',
    action: 'See proxywatch_service_proxies by status, and ask the provider for the missing ones.',
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
