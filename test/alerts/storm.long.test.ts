// Tests storms: thousands of proxy users pass the steps of their quotas within minutes, and get new quotas later.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed } from './alert-rig.ts';
import { allNotified, bodiesOf, hookOf, quotaAlert, textOf } from './group-support.ts';

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
    const told = (await allNotified(rig.store)).filter(({ receiver: name }) => name === 'chat');
    return { messages: chatMessages.length, told: told.map(({ alert }) => alert.labels.subject).toSorted() };
  };
  const began = await phase((user) => exhausted.subjects.set(user, 0));
  await rig.pass(5 * MINUTE);
  const known = await allNotified(rig.store);
  const ended = await phase((user) => exhausted.subjects.delete(user));
  await rig.pass(5 * MINUTE);
  return { began, known, ended, left: await allNotified(rig.store), bodies: bodiesOf(receiver) };
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

/** Users that are low pass two further steps, some of them within one group_interval. */
const stormOfRises = async (isRestarted: boolean) => {
  await using receiver = await FakeReceiver.start();
  const low = quotaAlert('ProxyUserQuotaLow');
  const section = { ProxyUserQuotaLow: { steps: [0.8, 0.9, 0.95, 1] }, receivers: [hookOf(receiver)] };
  await using rig = await AlertRig.start([low], section);
  const users = Array.from({ length: USERS }, (_, user) => `user-${user}`);
  for (const user of users) low.subjects.set(user, 0.15);
  await rig.run();
  await rig.pass(5 * MINUTE);
  const before = receiver.accepted.length;
  for (let minute = 0; minute < 10; minute += 1) {
    for (const left of [0.08, 0.04]) {
      for (const user of users.slice(minute * PER_MINUTE, (minute + 1) * PER_MINUTE))
        low.subjects.set(user, left);
      await rig.run();
      if (isRestarted && minute % 4 === 1) await rig.restart();
      await rig.pass(MINUTE / 2);
    }
  }
  await rig.pass(5 * MINUTE);
  return { bodies: bodiesOf(receiver).slice(before), told: await allNotified(rig.store) };
};

it('a storm of rises is few messages with the present values, also if the daemon restarts in its middle', async () => {
  const { bodies, told } = await stormOfRises(false);
  expect(bodies.length).toBeLessThanOrEqual(MOST_MESSAGES);
  // A user that passes both steps between two messages is notified of once.
  const risen = bodies.reduce((sum, body) => sum + body.risen, 0);
  expect(risen).toBeGreaterThanOrEqual(USERS);
  expect(risen).toBeLessThanOrEqual(USERS + MOST_MESSAGES * PER_MINUTE);
  expect(bodies.every(({ firing, added, resolved }) => firing === USERS && added + resolved === 0)).toBe(
    true,
  );
  expect([told.length, new Set(told.map(({ alert }) => alert.step))]).toEqual([USERS, new Set([0.95])]);
  const restarted = await stormOfRises(true);
  expect(restarted.bodies.map(textOf)).toEqual(bodies.map(textOf));
});
