// Tests what explains that an alert is not active: turned off, not evaluated, suppressed, or no reason to fire.

import { expect, it } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { createNoticeView } from '../../src/daemon/notices.ts';
import type { NoticeQuery } from '../../src/http/alert-view.ts';
import type { InactiveAlert } from '../../src/store/notice.ts';
import { AlertRig, alertNamed } from './alert-rig.ts';

const OUTAGE = alertNamed('Outage', { trigger: 'runs', labels: [] });

const started = async (section: Record<string, unknown> = {}) => {
  const low = alertNamed('Low', {
    suppressedBy: [{ alert: 'Outage' }, { alert: 'Fault', equalLabels: ['subject'] }],
  });
  const fault = alertNamed('Fault', { trigger: 'time' });
  const own = { ...alertNamed('Own', { labels: [] }), scope: 'daemon' as const, find: () => [] };
  const outside = ALERTS.filter(({ scope }) => scope === 'outside');
  const table = [low, fault, OUTAGE, own, ...outside];
  OUTAGE.subjects.clear();
  const rig = await AlertRig.start(table, section);
  const find = (alert: string, more: { accounts?: string[]; subject?: string } = {}) => {
    const { accounts: requested = [], subject = null } = more;
    const settings = { alerts: { evaluate: rig.section.evaluate } } as never;
    const accounts = rig.names.map((name) => ({ name })) as never;
    const app = { alerting: rig.alerting, accounts, settings, store: rig.store };
    return createNoticeView(app, table).find({ alert, accounts: requested, subject });
  };
  return {
    ...{ rig, low, fault, find },
    inactive: (alert: string, subject?: string): Promise<readonly InactiveAlert[]> =>
      (find(alert, subject === undefined ? {} : { subject }) as NoticeQuery).inactive(),
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
};

const NOT_HELD = 'the condition of the alert does not hold now';

it('its condition does not hold, or has not been evaluated since the start', async () => {
  await using test = await started();
  const notEvaluated =
    'the condition has not been evaluated since the daemon last started or paused. proxywatch evaluates it after the next';
  expect(await test.inactive('Low')).toEqual([
    {
      account: 'main',
      status: 'not_evaluated',
      text: `${notEvaluated} successful run of the collector traffic`,
      suppressed: [],
    },
  ]);
  expect(await test.inactive('Fault')).toMatchObject([
    { status: 'not_evaluated', text: `${notEvaluated} runs` },
  ]);
  expect(await test.inactive('Own')).toMatchObject([{ account: null, status: 'not_evaluated' }]);
  await test.rig.run();
  await test.rig.pass(1_000);
  for (const alert of ['Low', 'Fault'])
    expect(await test.inactive(alert)).toEqual([
      { account: 'main', status: 'condition_false', text: NOT_HELD, suppressed: [] },
    ]);
  expect(await test.inactive('Own')).toMatchObject([
    { account: null, status: 'condition_false', text: NOT_HELD },
  ]);
});

it('it is turned off, or its collector is', async () => {
  await using test = await started({ Low: { enabled: false }, Own: { enabled: false } });
  const off = 'the alert is turned off in the configuration (enabled: false)';
  expect(await test.inactive('Low')).toMatchObject([{ account: 'main', status: 'disabled', text: off }]);
  expect(await test.inactive('Own')).toMatchObject([{ account: null, status: 'disabled', text: off }]);
  test.rig.section = { evaluate: true };
  test.rig.disabledCollectors.push('traffic');
  await test.rig.reload();
  expect(await test.inactive('Low')).toMatchObject([
    { status: 'collector_off', text: 'the alert needs the collector traffic, which is off' },
  ]);
});

it('other alerts suppress it, for some subjects or for all', async () => {
  await using test = await started();
  for (const subject of ['a', 'b']) test.low.subjects.set(subject, 1);
  test.fault.subjects.set('a', 1);
  await test.rig.run();
  expect(await test.inactive('Low')).toEqual([]);
  expect(await test.inactive('Low', 'a')).toEqual([
    {
      ...{ account: 'main', status: 'suppressed' },
      text: 'the condition holds for one subject, but a broader alert explains it and suppresses this alert: Fault',
      suppressed: [{ labels: { subject: 'a' }, suppressedBy: ['Fault'] }],
    },
  ]);
  expect(await test.inactive('Low', 'subject=c')).toMatchObject([{ status: 'condition_false' }]);
  OUTAGE.subjects.set('', 1);
  for (let more = 0; more < 20; more += 1) test.low.subjects.set(`more-${more}`, 1);
  await test.rig.run();
  const [all] = await test.inactive('Low');
  expect(all?.text).toBe(
    'the condition holds for 22 subjects, but a broader alert explains it and suppresses this alert: Outage, Fault',
  );
  expect(all?.suppressed).toHaveLength(10);
  expect(all?.suppressed[0]).toEqual({ labels: { subject: 'a' }, suppressedBy: ['Outage', 'Fault'] });
});

it('its evaluation fails', async () => {
  await using test = await started();
  await test.rig.run();
  test.low.subjects.set('a', 1);
  test.low.subjects[Symbol.iterator] = () => {
    throw new Error('the store is gone');
  };
  await test.rig.run();
  expect(await test.inactive('Low')).toMatchObject([
    {
      status: 'evaluation_failed',
      text: 'the last evaluation of the condition failed. The log has the error',
    },
  ]);
});

it('an alert that can suppress it cannot be evaluated', async () => {
  await using test = await started();
  test.low.subjects.set('a', 1);
  test.fault.subjects[Symbol.iterator] = () => {
    throw new Error('the store is gone');
  };
  await test.rig.run();
  expect(await test.inactive('Low')).toMatchObject([
    {
      status: 'not_evaluated',
      text: 'the condition holds, but proxywatch has not evaluated the alerts that can suppress this alert',
    },
  ]);
});

it('this daemon evaluates no alerts, or only Prometheus evaluates this one', async () => {
  await using test = await started({ evaluate: false });
  expect(await test.inactive('Low')).toMatchObject([
    { account: null, status: 'evaluation_off', text: expect.stringContaining('alerts.evaluate is false') },
  ]);
  test.rig.section = { evaluate: undefined };
  await test.rig.reload();
  expect(await test.inactive('Own')).toMatchObject([
    { account: null, status: 'evaluation_off', text: expect.stringContaining('has no receivers') },
  ]);
  expect(await test.inactive('ProxywatchDown')).toMatchObject([{ account: null, status: 'prometheus_only' }]);
});

it('the request must name a known alert, and no account for an alert about the daemon', async () => {
  await using test = await started();
  expect(test.find('Faul')).toEqual({ refusal: 'alert: "Faul" is not known. Did you mean Fault?' });
  expect(test.find('Own', { accounts: ['main'] })).toEqual({
    refusal: 'account: Own is about the daemon itself and has no account. Leave the account out',
  });
});

it('names the active subjects that are nearest to one that no active alert has', async () => {
  await using test = await started();
  const unchecked = `${NOT_HELD}. proxywatch does not check whether the subject exists`;
  await test.rig.run();
  expect(await test.inactive('Low', 'user-03')).toMatchObject([{ text: unchecked }]);
  for (const subject of ['other', 'user-002', 'user-003', 'a=b', 'USER-030'])
    test.low.subjects.set(subject, 1);
  await test.rig.run();
  const text = (subject: string, others: string) => [
    {
      status: 'condition_false',
      text: `no pending or firing alert has the subject "${subject}". Subjects that are active now: ${others}`,
    },
  ];
  expect(await test.inactive('Low', 'user-03')).toMatchObject(
    text('user-03', 'USER-030, user-003, user-002 and 2 more'),
  );
  expect(await test.inactive('Low', 'subject=othe')).toMatchObject(
    text('subject=othe', 'other, a=b, USER-030 and 2 more'),
  );
  expect(await test.inactive('Low', 'subject=a=b')).toEqual([]);
  test.low.subjects.clear();
  for (const name of ['a', 'b']) test.low.subjects.set(name, 1);
  await test.rig.run();
  expect(await test.inactive('Low', 'c')).toMatchObject(text('c', 'a, b'));
});

it('names a label in the subject that the alert does not have', async () => {
  await using test = await started();
  const mistake = (alert: string, subject: string) =>
    (test.find(alert, { subject }) as NoticeQuery).subjectMistake;
  expect(mistake('Low', 'id=7')).toBe('subject: Low has no label "id"; its label is subject');
  expect(mistake('Own', '7')).toBe('subject: Own has no subjects. Leave the subject out');
  expect([mistake('Low', 'subject=7'), mistake('Low', '7'), mistake('Low', '=7')]).toEqual([
    null,
    null,
    null,
  ]);
});
