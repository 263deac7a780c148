// Helps tests of grouped notifications: settings of a receiver, and what it was notified of.

import type { ToldAlert } from '../../src/store/alert-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { FakeReceiver, Received } from '../support/fake-receiver.ts';

export interface Body {
  readonly receiver: string;
  readonly groupKey: string;
  readonly groupLabels: Record<string, string>;
  readonly status: string;
  readonly firing: number;
  readonly added: number;
  readonly resolved: number;
  readonly truncatedAlerts: number;
  readonly alerts: readonly {
    readonly status: string;
    readonly labels: Record<string, string>;
    readonly startsAt: string;
    readonly endsAt: string | null;
  }[];
}

export const bodyOf = ({ body }: Received): Body => JSON.parse(body);

/** Everything that the store says receivers were told. */
export const allTold = async ({ alerts }: Store): Promise<ToldAlert[]> => {
  const told: ToldAlert[] = [];
  for (let page = await alerts.told(); page.length > 0; page = await alerts.told(page.at(-1)))
    told.push(...page);
  return told;
};

/** A webhook with the default settings, under a path of its own. */
export const hookOf = ({ url }: FakeReceiver, more: Record<string, unknown> = {}) => {
  const name = String(more.name ?? 'hook');
  return { type: 'webhook', name, url: `${url}/${name}`, ...more };
};

export const bodiesOf = ({ accepted }: FakeReceiver, name = 'hook'): Body[] =>
  accepted.map(bodyOf).filter(({ receiver }) => receiver === name);

/** Describes a notification, such as `2/3: +a +b -c d`: 2 new ones of 3 that fire, an end, and another that still fires. */
export const textOf = ({ added, firing, resolved, alerts }: Body): string => {
  const marked = alerts.map(({ labels }, index) => {
    const mark = index < added ? '+' : index < added + resolved ? '-' : '';
    return `${mark}${labels.subject ?? labels.alertname}`;
  });
  return `${added}/${firing}: ${marked.join(' ')}`;
};
