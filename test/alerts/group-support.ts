// Helps tests of grouped notifications: settings of a receiver, and what it was notified of.

import type { NotifiedAlert } from '../../src/store/alert-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { FakeReceiver, Received } from '../support/fake-receiver.ts';
import { alertNamed, type TestAlert } from './alert-rig.ts';

export interface Body {
  readonly receiver: string;
  readonly groupKey: string;
  readonly groupLabels: Record<string, string>;
  readonly status: string;
  readonly firing: number;
  readonly added: number;
  readonly silenced: number;
  readonly risen: number;
  readonly resolved: number;
  readonly truncatedAlerts: number;
  readonly alerts: readonly {
    readonly status: string;
    readonly labels: Record<string, string>;
    readonly value: number | null;
    readonly startsAt: string;
    readonly endsAt: string | null;
  }[];
}

export const bodyOf = ({ body }: Received): Body => JSON.parse(body);

/** Everything that the store says receivers were notified of. */
export const allNotified = async ({ alerts }: Store): Promise<NotifiedAlert[]> => {
  const notified: NotifiedAlert[] = [];
  for (let page = await alerts.notified(); page.length > 0; page = await alerts.notified(page.at(-1)))
    notified.push(...page);
  return notified;
};

/** A webhook with the default settings, under a path of its own. */
export const hookOf = ({ url }: FakeReceiver, more: Record<string, unknown> = {}) => {
  const name = String(more.name ?? 'hook');
  return { type: 'webhook', name, url: `${url}/${name}`, ...more };
};

export const bodiesOf = ({ accepted }: FakeReceiver, name = 'hook'): Body[] =>
  accepted.map(bodyOf).filter(({ receiver }) => receiver === name);

/**
 * Describes a notification, such as `2/4: +a +b ^c -d e`: 2 new ones of 4 that fire, one that rose, an end, and another
 * that still fires.
 */
export const textOf = ({ added, risen, firing, resolved, alerts }: Body): string => {
  const marked = alerts.map(({ labels }, index) => {
    const counts = [added, added + risen, added + risen + resolved];
    const mark = '+^-'[counts.findIndex((count) => index < count)] ?? '';
    return `${mark}${labels.subject ?? labels.alertname}`;
  });
  return `${added}/${firing}: ${marked.join(' ')}`;
};

/** An alert about quotas with steps. Its subjects are users, with the share that is left. */
export const quotaAlert = (name = 'Quota'): TestAlert => {
  const threshold = { value: 0.1, steps: [0.9, 1], unit: 'ratio', meaning: '' } as const;
  const alert = alertNamed(name, { threshold, unit: 'ratio', worst: 'lowest' });
  return {
    ...alert,
    async *find(evaluation) {
      for await (const finding of alert.find(evaluation))
        if (finding.value < evaluation.threshold) yield finding;
    },
  };
};
