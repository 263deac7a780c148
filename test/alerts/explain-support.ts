// Helps tests of explanations: a daemon with webhooks, and what is explained of its alerts.

import { MINUTE } from '../../src/lib/time.ts';
import type { Notice } from '../../src/store/notice.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, START } from './alert-rig.ts';
import { hookOf } from './group-support.ts';

/** Receivers without an address are webhooks. */
export const started = async (
  receivers: readonly Record<string, unknown>[],
  section: Record<string, unknown> = {},
) => {
  const server = await FakeReceiver.start();
  const low = alertNamed('Low');
  const slow = alertNamed('Slow', { holdMs: 10 * MINUTE });
  const rig = await AlertRig.start([low, slow], {
    receivers: receivers.map((more) => ('url' in more || 'urls' in more ? more : hookOf(server, more))),
    ...section,
  });
  const notices = async (name = 'Low', subject = 'a'): Promise<Notice[]> => {
    const explanations = await rig.alerting.explanations();
    await rig.alerting.idle();
    const alert = [...rig.alerting.active].find(
      (each) => each.alert === name && each.labels.subject === subject,
    );
    return alert ? await explanations.noticesOf(alert) : [];
  };
  return {
    ...{ server, rig, low, slow, notices },
    fire: async (...subjects: string[]) => {
      for (const subject of subjects) low.subjects.set(subject, 1);
      await rig.run();
    },
    texts: async (name?: string, subject?: string) =>
      Object.fromEntries((await notices(name, subject)).map(({ receiver, text }) => [receiver, text])),
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};

/** The time `ms` after the start, as texts show it. */
export const at = (ms: number): string => new Date(START + ms).toISOString().replace('.000Z', 'Z');
