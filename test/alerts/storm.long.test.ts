// Tests a storm: thousands of proxy users run out of quota within minutes, and get new quotas later.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed } from './alert-rig.ts';
import { allTold, bodiesOf, hookOf, textOf } from './group-support.ts';

const USERS = 5_000;
/** Users whose quota ends in each minute. */
const PER_MINUTE = 700;
const MOST_MESSAGES = 5;

const storm = async (isRestarted: boolean) => {
  await using receiver = await FakeReceiver.start();
  const exhausted = alertNamed('ProxyUserQuotaExhausted', { trigger: 'proxy_users' });
  const receivers = [hookOf(receiver), hookOf(receiver, { name: 'chat', template: 'slack' })];
  await using rig = await AlertRig.start([exhausted], { receivers });
  const phase = async (change: (user: string) => void) => {
    const before = receiver.accepted.length;
    for (let minute = 0; minute < 10; minute += 1) {
      for (let user = minute * PER_MINUTE; user < Math.min(USERS, (minute + 1) * PER_MINUTE); user += 1)
        change(`user-${user}`);
      await rig.run('proxy_users');
      await rig.pass(20_000);
      if (isRestarted && minute % 4 === 1) await rig.restart();
      await rig.pass(MINUTE - 20_000);
    }
    const chatMessages = receiver.accepted.slice(before).filter(({ path }) => path === '/chat');
    const told = (await allTold(rig.store)).filter(({ receiver: name }) => name === 'chat');
    return { messages: chatMessages.length, told: told.map(({ alert }) => alert.labels.subject).toSorted() };
  };
  const began = await phase((user) => exhausted.subjects.set(user, 0));
  await rig.pass(5 * MINUTE);
  const known = await allTold(rig.store);
  const ended = await phase((user) => exhausted.subjects.delete(user));
  await rig.pass(5 * MINUTE);
  return { began, known, ended, left: await allTold(rig.store), bodies: bodiesOf(receiver) };
};

it('a storm is few messages that lose no user, also if the daemon restarts in its middle', async () => {
  const { began, known, ended, left, bodies } = await storm(false);
  expect(began.messages).toBeLessThanOrEqual(MOST_MESSAGES);
  expect(ended.messages).toBeLessThanOrEqual(MOST_MESSAGES);
  const users = Array.from({ length: USERS }, (_, user) => `user-${user}`).toSorted();
  for (const name of ['hook', 'chat'])
    expect(
      known
        .filter(({ receiver }) => receiver === name)
        .map(({ alert }) => alert.labels.subject)
        .toSorted(),
    ).toEqual(users);
  expect(left).toEqual([]);
  const sums = bodies.map(({ added, resolved, firing }) => ({ added, resolved, firing }));
  expect(sums.reduce((sum, { added }) => sum + added, 0)).toBe(USERS);
  expect(sums.reduce((sum, { resolved }) => sum + resolved, 0)).toBe(USERS);
  expect(sums.at(-1)).toMatchObject({ firing: 0 });
  const restarted = await storm(true);
  expect(restarted.bodies.map(textOf)).toEqual(bodies.map(textOf));
  expect([restarted.began, restarted.ended]).toEqual([began, ended]);
});
