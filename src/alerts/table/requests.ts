// Defines the alerts about the reasons why requests fail, and about addresses that use the logins of proxy users.

import { textOfClass } from '../../collectors/request-log/classes.ts';
import { MAX_USERS, recentRequests } from '../../collectors/request-log/expose.ts';
import { requestLog } from '../../collectors/request-log/request-log.ts';
import { HOUR, MINUTE, minuteText } from '../../lib/time.ts';
import { type LogWindow, MAX_CLIENTS, type UserClients } from '../../store/request-log-store.ts';
import { accountAlerts, type EvaluationContext, SAME_LABELS } from '../alert.ts';

/** With fewer requests, the share of failed ones means nothing. */
const MIN_REQUESTS = 100;
/**
 * Programs that read many sites meet these errors all the time, and codes of `other` can be answers of targets, so their share
 * must be so many times higher.
 */
const USUAL = ['target', 'policy', 'other'];
const USUAL_FACTOR = 5;

/** The networks that a message names. */
const SHOWN_NETWORKS = 3;

const shareOf = (classes: string): string =>
  `proxywatch_log_recent_errors{${classes}} / on (instance, account, product_type) group_left () (max by (instance, account, product_type) (proxywatch_log_recent_requests) >= ${MIN_REQUESTS})`;
const USUAL_SHARE = shareOf(`class=~"${USUAL.join('|')}"`);

/** Returns the user with the most errors of the class in the hours that the windows touch, if the samples show one. */
const topUser = async (
  { account, store }: EvaluationContext,
  name: string,
  windows: readonly LogWindow[],
): Promise<string> => {
  const [first, last] = [windows[0]?.from ?? 0, windows.at(-1)?.to ?? 0];
  const query = {
    from: Math.floor(first / HOUR) * HOUR,
    to: last,
    by: 'user',
    class: name,
    limit: 1,
  } as const;
  const [top] = (await store.requestLog.sums(account.name, query)).sums;
  return top?.name ? `, most often for user ${top.name}` : '';
};

export const REQUEST_ALERTS = accountAlerts({ trigger: 'request_log' }, [
  {
    name: 'RequestErrorsHigh',
    severity: 'warning',
    holdMs: 10 * MINUTE,
    keepFiringMs: 30 * MINUTE,
    labels: ['class', 'product_type'],
    threshold: {
      value: 0.1,
      unit: 'ratio',
      meaning: `The alert fires if more than this share of at least ${MIN_REQUESTS} requests failed for the same reason. For the classes ${USUAL.join(', ')}, the share must be ${USUAL_FACTOR} times higher`,
    },
    expression: (threshold) =>
      `(${shareOf(`class!~"${USUAL.join('|')}"`)} > ${threshold}) or ${SAME_LABELS} (${USUAL_SHARE} and ${SAME_LABELS} (${USUAL_SHARE} / ${USUAL_FACTOR} > ${threshold}))`,
    summary:
      '{value} of the {product_type} requests of account {account} failed with errors of the class {class}[: {reason}].',
    meaning:
      'In the newest counted hour, many requests failed for the same reason. Your programs cause `credentials`, `options` and `policy`. `quota` is a limit of bandwidth, requests or connections. The target causes `target`, and the provider `no_node` and `provider`. Most codes of `other` are not documented.',
    consequence:
      'Until the cause is removed, these requests are likely to fail, and failed requests can cost bytes.',
    section: 'errors',
    checks: [
      'Open {view}. It shows what to do first for each reason, and the users and host names with the most failed requests.',
      'Run `proxywatch probe PROXY URL --config config.yaml` with a proxy of this product type and a URL that your programs request. The last line says why the proxy fails, and what to do next.',
    ],
    remedy:
      'For `credentials`, compare the logins in your programs with those of the proxy users. For `quota`, look at “Balances and quotas”: if bytes are left, send fewer requests at once. For `provider` and `no_node`, report the code to the provider.',
    condition: `In the newest counted hour, a product type had at least ${MIN_REQUESTS} requests, and more than {threshold} of them failed with errors of the class. For the classes ${USUAL.map((name) => `\`${name}\``).join(', ')}, it is ${USUAL_FACTOR} times this share, because programs that read many sites meet these errors all the time. Requests without a code do not count as failed. The hour stays as it was while older time is counted after downtime.`,
    async *find(evaluation) {
      const { account, options, store, threshold } = evaluation;
      const state = options(requestLog) && (await store.requestLog.state(account.name));
      if (!state) return;
      const recent = recentRequests(state);
      for (const [productType, { requests, errors }] of recent)
        for (const [name, rows] of errors) {
          const factor = USUAL.includes(name) ? USUAL_FACTOR : 1;
          if (requests < MIN_REQUESTS || rows / requests / factor <= threshold) continue;
          // Samples do not say the product type.
          const isOnlyType = [...recent.values()].filter(({ errors: of }) => of.has(name)).length === 1;
          const user = isOnlyType ? await topUser(evaluation, name, state.recent) : '';
          const reason = `${textOfClass(name).meaning}${user}`;
          yield { labels: { class: name, product_type: productType }, value: rows / requests, reason };
        }
    },
  },
  {
    name: 'UnknownClientAddress',
    severity: 'warning',
    labels: ['proxy_user_id'],
    expression: () => 'proxywatch_user_unknown_client_addresses > 0',
    summary:
      'Unknown addresses use the login of proxy user {proxy_user_id} of account {account}[: {reason}].',
    meaning:
      'Requests with the login of the user came from addresses that are neither in your list `allow` nor in the list of addresses by which the user authenticates. A program of yours runs in a new place, or somebody else has the login.',
    consequence: 'If somebody else has the login, you pay for the bytes, and targets can block your proxies.',
    checks: [
      'Open {view}. “Client addresses” shows how many addresses use the login, and since when.',
      'Ask the owner of the user whether a program connects from a new place, such as a machine that probes the proxies. If it does, add its address to `request_log.client_addresses.allow`. To be quiet until you know, run `proxywatch silence add --alert UnknownClientAddress --subject ID --for 1d --comment asking`.',
    ],
    remedy:
      'If nobody knows the address, give the user a new password at the provider, and change it in your programs. Then look at “Use over time” for what the stranger used.',
    condition: `In the requests that were read of the newest 24 counted hours, at least one address was unknown. Without the alert, there can still be one, as long as not all requests were read: their number is then shown as unknown. The alert ends 24 hours after the last request that was read, and when a setting of \`client_addresses\` or the private key changes.`,
    async *find({ account, options, store }) {
      if (!options(requestLog)?.client_addresses) return;
      for (const found of await store.requestLog.clients(account.name, MAX_USERS))
        if (found.unknown)
          yield {
            labels: { proxy_user_id: found.user },
            value: found.unknown,
            reason: reasonOf(found),
          };
    },
  },
]);

const reasonOf = ({ unknown, clients, firstAt, networks }: UserClients): string => {
  const since = firstAt === null ? '' : `, first on ${minuteText(firstAt)}`;
  const from = networks.length > 0 ? `, from ${networks.slice(0, SHOWN_NETWORKS).join(', ')}` : '';
  const atLeast = unknown === MAX_CLIENTS ? 'at least ' : '';
  return `${atLeast}${unknown} of ${clients} addresses in 24 hours${since}${from}`;
};
