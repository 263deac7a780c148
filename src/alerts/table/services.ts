// Defines the alerts about purchased services, and about the store credit that renews them.

import { customer } from '../../collectors/customer/customer.ts';
import {
  type EffectiveStatus,
  ENDED,
  EXPIRED_REPORTED_MS,
  effectiveStatusOf,
  hasEnded,
  isExpiring,
  isRenewedByCredit,
  lacksProxies,
  missingProxies,
  removedServices,
  shownServices,
} from '../../collectors/services/effective-status.ts';
import { services } from '../../collectors/services/services.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { StoredService } from '../../store/service-store.ts';
import {
  type AccountAlert,
  accountAlerts,
  type EvaluationContext,
  type Finding,
  firesIf,
  SAME_LABELS,
} from '../alert.ts';
import { contextOf } from './readings.ts';

const EXPIRY = 'proxywatch_service_expiry_timestamp_seconds';
/** The time left when the provider last answered, so that time without polls changes nothing. */
const LEFT = `${EXPIRY} - ${SAME_LABELS} proxywatch_service_last_answer_timestamp_seconds`;

const ON_SERVICE = 'on (instance, account, service_id)';

const withStatus = (...statuses: readonly EffectiveStatus[]): string =>
  `${ON_SERVICE} proxywatch_service_standing{standing=~"${statuses.join('|')}"}`;

/** Holds for the services with one of these statuses. */
const whileStanding = (
  ...statuses: readonly EffectiveStatus[]
): Pick<AccountAlert, 'expression' | 'find'> => ({
  expression: () =>
    `proxywatch_service_standing{standing${statuses.length === 1 ? '=' : '=~'}"${statuses.join('|')}"} == 1`,
  async *find(evaluation) {
    const isMeant = (service: StoredService): boolean => statuses.includes(effectiveStatusOf(service));
    yield* findEach(evaluation, (service) => (isMeant(service) ? 1 : undefined));
    const context = statuses.includes('gone') ? contextOf(evaluation, services) : undefined;
    for (const service_id of context ? await removedServices(context) : [])
      yield { labels: { service_id }, value: 1 };
  },
});

export const SERVICE_ALERTS = accountAlerts(
  { trigger: 'services', severity: 'warning', labels: ['service_id'] },
  [
    {
      name: 'ServiceExpiringSoon',
      threshold: firesIf(7 * (DAY / SECOND), 'seconds', 'the service expires within this time'),
      unit: 'timestamp',
      worst: 'lowest',
      expression: (threshold) =>
        [
          `${EXPIRY} and ${SAME_LABELS} ${LEFT} < ${threshold} and ${SAME_LABELS} ${LEFT} > -${EXPIRED_REPORTED_MS / SECOND}`,
          `and ${SAME_LABELS} (proxywatch_service_automatic_collection == 0 or ${SAME_LABELS} proxywatch_service_open_invoice == 1)`,
          `unless ${withStatus(...ENDED)}`,
        ].join(' '),
      summary:
        'Service {service_id} of account {account} expires at {value}. Automatic collection is off, or an invoice is open.',
      meaning:
        'The billing cycle of the service ends soon, or it ended less than a week ago. The provider does not renew the service automatically, or an invoice of the service is open.',
      consequence:
        'If nobody pays the invoice or renews the service, the service can end and its proxies can stop working.',
      checks: [
        'Open {view}. It shows until when the service is paid, whether an invoice is open, and the proxies of the service.',
        'If you no longer need these proxies, let the service end, and run `proxywatch silence add --alert ServiceExpiringSoon --subject ID --for 7d --comment planned`.',
      ],
      remedy:
        'If you still need the service, pay the open invoice, or renew the service at the provider. With automatic collection, the provider renews it.',
      condition:
        'The service expires within {threshold}, and automatic collection is off or an invoice is open. The alert is resolved a week after the service has expired.',
      find: (evaluation) =>
        findEach(evaluation, (service) =>
          service.expiresAt !== null && isExpiring(service, evaluation.threshold * SECOND)
            ? service.expiresAt / SECOND
            : undefined,
        ),
    },
    {
      name: 'ServicePaused',
      summary: 'Service {service_id} of account {account} is paused.',
      meaning: 'The provider reports that the service is paused.',
      consequence: 'Until somebody resumes the service, its proxies can stop working.',
      checks: [
        'Open {view}. It shows the proxies of the service. Ask the people who manage the account whether somebody paused the service on purpose.',
        'Run `proxywatch probe PROXY URL --config config.yaml` with one of these proxies and a URL that your programs request. The command shows whether the proxy still works.',
      ],
      remedy: 'Ignore the alert if the pause is planned. Otherwise, resume the service at the provider.',
      condition: 'The provider reports that the service is paused.',
      ...whileStanding('paused'),
    },
    {
      name: 'ServicePendingCancellation',
      severity: 'info',
      expression: () => `proxywatch_service_pending_cancellation == 1 unless ${withStatus(...ENDED)}`,
      summary:
        'Service {service_id} of account {account} will end when it expires, because a cancellation is pending.',
      meaning: 'The service has a pending cancellation, which takes effect at the end of the billing cycle.',
      consequence: 'When the service expires, it ends, and you lose its proxies.',
      checks: [
        'Open {view}. You can withdraw the cancellation until the time in the column “Paid until”.',
        'If the cancellation is planned, run `proxywatch silence add --alert ServicePendingCancellation --subject ID --for 7d --comment planned`.',
      ],
      remedy: 'If nobody planned the cancellation, withdraw it at the provider before the service expires.',
      condition: 'The provider reports a pending cancellation, and the service has not ended yet.',
      find: (evaluation) =>
        findEach(evaluation, (service) =>
          service.isPendingCancellation && !hasEnded(service) ? 1 : undefined,
        ),
    },
    {
      name: 'ServiceNotActive',
      summary: 'Service {service_id} of account {account} is not active, or the provider does not know it.',
      meaning:
        'The service is overdue, canceled or in another status that is not active, or the provider does not know the service.',
      consequence: 'Until the service is active again, requests through its proxies can fail.',
      checks: [
        'Open {view}, and read the state of the service.',
        'Run `proxywatch probe PROXY URL --config config.yaml` with one of the proxies of the service and a URL that your programs request. The command shows whether the proxy still works.',
      ],
      remedy:
        'If the state does not show the reason, ask the provider. Pay an overdue invoice. If you still need a canceled service, buy it again. If the provider does not know the service, remove its id from `services.ids`.',
      condition:
        'The provider reports another status than active, paused, complete or awaiting fulfillment, such as overdue or canceled, or does not know a service in `services.ids`. The alert is resolved 7 days after the end of the billing cycle of a canceled service, and after 30 days with another such status.',
      ...whileStanding('not_active', 'gone'),
    },
    {
      name: 'ServiceProxiesMissing',
      // A proxy that is being replaced is missing for one poll.
      holdMs: HOUR,
      threshold: firesIf(0, 'count', 'more than this number of bought proxies are not in use'),
      expression: (threshold) =>
        `proxywatch_service_proxies_missing > ${threshold} and ${withStatus('active')}`,
      summary: 'Service {service_id} of account {account} does not use {value} of its bought proxies.',
      meaning: 'The service is active, but fewer proxies are in use than you bought.',
      consequence: 'Until all bought proxies are in use, you pay for proxies that you cannot use.',
      checks: [
        'Open {view}. It shows how many of the bought proxies are in use, and the status of each proxy. Ask the provider whether it is replacing proxies of the service.',
        'If the provider is replacing proxies, run `proxywatch silence add --alert ServiceProxiesMissing --subject ID --for 7d --comment planned`, and wait for the new proxies.',
      ],
      remedy: 'If the provider is not replacing proxies, ask it to deliver the missing ones.',
      condition: 'More than {threshold} bought proxies are not in use, and the service is active.',
      find: (evaluation) =>
        findEach(evaluation, (service) =>
          lacksProxies(service, evaluation.threshold) ? (missingProxies(service) ?? undefined) : undefined,
        ),
    },
    {
      name: 'CreditBelowRenewals',
      alsoAfter: ['customer'],
      labels: [],
      section: 'market',
      threshold: firesIf(
        7 * (DAY / SECOND),
        'seconds',
        'the store credit does not cover the renewals within this time',
      ),
      unit: 'count',
      expression: (threshold) =>
        [
          'sum by (instance, account) (max by (instance, account, service_id) (proxywatch_service_price) > 0',
          `and ${ON_SERVICE} (${EXPIRY} - on (instance, account) group_left ()`,
          `max by (instance, account) (proxywatch_customer_last_answer_timestamp_seconds) < ${threshold}) > 0`,
          `and ${ON_SERVICE} proxywatch_service_automatic_collection == 1`,
          `and ${ON_SERVICE} proxywatch_service_pending_cancellation == 0`,
          `and ${ON_SERVICE} proxywatch_service_payment_method == 0`,
          `and ${withStatus('active')}) - on (instance, account) max by (instance, account) (proxywatch_customer_credit) > 0`,
        ].join(' '),
      summary:
        'The store credit of account {account} is {value} cents too low for the automatic renewals of the next days.',
      meaning:
        'Services without a payment method renew automatically soon, and cost more than the store credit.',
      consequence:
        'If nobody adds credit, the provider can fail to renew the services, and their proxies can stop working.',
      checks: [
        'Open {view}. It shows the store credit, and the services that end first.',
        'Run `proxywatch invoice --config config.yaml --month MONTH` for this month. The command shows the price and the billing cycle of each service.',
      ],
      remedy:
        'Add credit or a payment method at the provider. If the provider charges another payment method of the customer, [turn off the alert](#change-an-alert).',
      condition:
        'The active services that renew automatically within {threshold} of the newest answer about the credit, without a payment method, cost more than the credit. Each service counts once, and one of which any of this is unknown does not count.',
      async *find(evaluation) {
        const context = contextOf(evaluation, services);
        if (!context || !contextOf(evaluation, customer)) return;
        const state = await context.store.customers.state(context.account.name);
        if (!state || state.credit === null) return;
        const due = (await shownServices(context))
          .filter((service) => isRenewedByCredit(service, state.answeredAt, evaluation.threshold * SECOND))
          .reduce((sum, { price }) => sum + (price ?? 0), 0);
        if (due > Math.max(0, state.credit)) yield { labels: {}, value: due - state.credit };
      },
    },
  ],
);

async function* findEach(
  evaluation: EvaluationContext,
  measure: (service: StoredService) => number | undefined,
): AsyncGenerator<Finding> {
  const context = contextOf(evaluation, services);
  for (const service of context ? await shownServices(context) : []) {
    const value = measure(service);
    if (value !== undefined) yield { labels: { service_id: service.id }, value };
  }
}
