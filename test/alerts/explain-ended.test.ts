// Tests what explains which receivers were notified of an alert that has ended.

import { expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { START } from './alert-rig.ts';
import { at, started } from './explain-support.ts';

type Test = Awaited<ReturnType<typeof started>>;

/** Lets the alert fire for `ms`, and then end. */
const fireFor = async (test: Test, ms: number): Promise<void> => {
  await test.fire('a');
  await test.rig.pass(ms);
  test.low.subjects.clear();
  await test.rig.run();
};

/** Returns the status and text by receiver. */
const endedOf = async ({ rig }: Test) => {
  const [episode] = await rig.store.alertHistory.page({ state: 'resolved' }, 1);
  const notices = episode ? (await rig.alerting.explanations()).ended(episode, episode.endedAt ?? 0) : [];
  return Object.fromEntries(notices.map(({ receiver, status, text }) => [receiver, [status, text]]));
};

it('a notification is not said to be delivered before the receiver has accepted it', async () => {
  await using test = await started([{}]);
  test.server.status = 503;
  await fireFor(test, MINUTE);
  const of = `the notification of ${at(30_000)}`;
  expect(await endedOf(test)).toEqual({
    hook: ['waiting', `not notified yet: ${of} waits, because the receiver has not accepted it`],
  });
  test.server.status = 200;
  await test.rig.pass(10 * MINUTE);
  expect(await endedOf(test)).toEqual({ hook: ['notified', `notified: the receiver accepted ${of}`] });
});

it('names what was given up, and receivers that were removed', async () => {
  await using test = await started([{}]);
  test.server.status = 400;
  await fireFor(test, MINUTE);
  const givenUp = `not notified: proxywatch gave up the notification of ${at(30_000)}, because the receiver did not accept it`;
  expect(await endedOf(test)).toEqual({ hook: ['given_up', givenUp] });
  test.rig.section = { ...test.rig.section, receivers: [] };
  await test.rig.reload();
  expect(await endedOf(test)).toEqual({
    hook: ['given_up', `${givenUp}. The configuration no longer has this receiver`],
  });
});

it('names the filters and waits of receivers that were not notified', async () => {
  await using test = await started([
    { name: 'pager', min_severity: 'critical' },
    { name: 'manager', after: '1h' },
    { name: 'slow', group_wait: '10m' },
    { name: 'late', after: '3m', group_wait: '5m' },
    { type: 'heartbeat', url: 'http://127.0.0.1:1/ping' },
    { type: 'alertmanager', urls: ['http://127.0.0.1:1'] },
  ]);
  await fireFor(test, 5 * MINUTE);
  const before = 'not notified: the alert ended before this receiver';
  expect(await endedOf(test)).toEqual({
    pager: ['filtered', "not notified: severity warning is below this receiver's min_severity (critical)"],
    manager: ['kept_back', `${before}'s after (1h) had passed`],
    slow: ['kept_back', `${before}'s group_wait (10m) had passed`],
    late: ['kept_back', `${before}'s after (3m) and group_wait (5m) had passed`],
    heartbeat: ['no_alerts', 'gets only heartbeats, and no alerts'],
    alertmanager: ['unknown', expect.stringMatching(/^not known: the history does not record/)],
  });
});

it('names a silence that kept the notification back while it is stored, and else says that the reason is unknown', async () => {
  await using test = await started([{}]);
  const id = await test.rig.silence('a', START + HOUR);
  await fireFor(test, 5 * MINUTE);
  expect(await endedOf(test)).toEqual({
    hook: ['kept_back', `not notified: silence ${id} until ${at(HOUR)} (test)`],
  });
  await test.rig.alerting.mutes.forgetExpired(Number.POSITIVE_INFINITY);
  expect(await endedOf(test)).toEqual({
    hook: ['unknown', expect.stringMatching(/^not notified. The reason is not known: a silence, /)],
  });
});
