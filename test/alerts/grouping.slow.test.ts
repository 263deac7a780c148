// Tests when receivers are notified of which group of alerts: timers, filters, repetitions, escalation and mutes.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { StoreError } from '../../src/store/errors.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, START } from './alert-rig.ts';
import { bodiesOf, hookOf, textOf } from './group-support.ts';

const started = async (more: Record<string, unknown> = {}, ...alerts: ReturnType<typeof alertNamed>[]) => {
  const receiver = await FakeReceiver.start();
  const low = alertNamed('Low');
  const rig = await AlertRig.start([low, ...alerts], { receivers: [hookOf(receiver, more)] });
  const texts = () => bodiesOf(receiver).map(textOf);
  const fire = async (...subjects: string[]) => {
    for (const subject of subjects) low.subjects.set(subject, 1);
    await rig.run();
  };
  const end = async (...subjects: string[]) => {
    for (const subject of subjects) low.subjects.delete(subject);
    await rig.run();
  };
  return {
    ...{ receiver, rig, low, texts, fire, end },
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
};

describe('a group', () => {
  it('is notified of group_wait after its first alert, then at group_interval, with all that changed', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(15 * SECOND);
    await test.fire('b');
    expect(test.texts()).toEqual([]);
    await test.rig.pass(15 * SECOND);
    expect(test.texts()).toEqual(['2/2: +a +b']);
    await test.fire('c');
    await test.end('a');
    await test.rig.pass(5 * MINUTE - 15 * SECOND);
    expect(test.texts()).toHaveLength(1);
    await test.rig.pass(15 * SECOND);
    expect(test.texts().slice(1)).toEqual(['1/2: +c -a b']);
    await test.rig.pass(HOUR);
    expect(test.texts()).toHaveLength(2);
  });

  it('that was notified long ago still waits group_wait for the alerts that follow a new one', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(HOUR);
    await test.fire('b');
    await test.rig.pass(15 * SECOND);
    await test.fire('c');
    await test.rig.pass(15 * SECOND);
    expect(test.texts()).toEqual(['1/1: +a', '2/3: +b +c a']);
  });

  it('has the labels of group_by; a label that an alert lacks is left out', async () => {
    const high = alertNamed('High');
    await using test = await started({ group_by: ['subject', 'alertname', 'graph'] }, high);
    high.subjects.set('b', 1);
    await test.fire('a', 'b');
    await test.rig.pass(MINUTE);
    const groups = bodiesOf(test.receiver).map(
      ({ groupLabels, groupKey }) => [groupKey, groupLabels] as const,
    );
    expect(groups.toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual(
      [
        { alertname: 'High', subject: 'b' },
        { alertname: 'Low', subject: 'a' },
        { alertname: 'Low', subject: 'b' },
      ].map((labels) => [JSON.stringify(labels), labels]),
    );
  });

  it('is not notified of an alert that began and ended between two notifications', async () => {
    await using test = await started();
    await test.fire('a');
    await test.end('a');
    await test.rig.pass(HOUR);
    await test.fire('b');
    await test.rig.pass(MINUTE);
    await test.fire('c');
    await test.end('c');
    await test.rig.pass(HOUR);
    expect(test.texts()).toEqual(['1/1: +b']);
  });

  it('is not notified of an alert that ended and began again between two notifications', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.end('a');
    await test.rig.restart();
    await test.fire('a');
    await test.rig.restart();
    await test.rig.pass(HOUR);
    await test.end('a');
    await test.rig.pass(MINUTE);
    expect(test.texts()).toEqual(['1/1: +a', '0/0: -a']);
  });

  it('is repeated every repeat_every while an alert still fires', async () => {
    await using test = await started({ repeat_every: '2h' });
    await test.fire('a', 'b');
    await test.rig.pass(2 * HOUR, 30 * SECOND);
    await test.rig.restart();
    expect(test.texts()).toHaveLength(1);
    await test.rig.pass(2 * HOUR + MINUTE, 30 * SECOND);
    expect(test.texts()).toEqual(['2/2: +a +b', '0/2: a b', '0/2: a b']);
    await test.end('a', 'b');
    await test.rig.pass(5 * HOUR, MINUTE);
    expect(test.texts().slice(3)).toEqual(['0/0: -a -b']);
  });

  it('is not repeated before group_interval', async () => {
    await using test = await started({ repeat_every: '1m', group_interval: '10m' });
    await test.fire('a');
    await test.rig.pass(11 * MINUTE);
    expect(test.texts()).toEqual(['1/1: +a', '0/1: a']);
  });

  it('is told the end of an alert that became pending again, with its times, also after a restart', async () => {
    const receiver = await FakeReceiver.start();
    await using _ = receiver;
    const low = alertNamed('Low', { holdMs: MINUTE });
    await using rig = await AlertRig.start([low], {
      receivers: [hookOf(receiver, { group_interval: '2h' })],
    });
    low.subjects.set('a', 1);
    await rig.run();
    await rig.pass(2 * MINUTE);
    low.subjects.clear();
    await rig.run();
    const endsAt = new Date(rig.clock.now()).toISOString();
    await rig.pass(MINUTE);
    low.subjects.set('a', 2);
    await rig.run();
    await rig.restart();
    low.subjects.clear();
    await rig.run();
    await rig.pass(2 * HOUR, MINUTE);
    expect(bodiesOf(receiver).map(textOf)).toEqual(['1/1: +a', '0/0: -a']);
    expect(bodiesOf(receiver)[1]?.alerts).toMatchObject([
      {
        startsAt: new Date(START + MINUTE).toISOString(),
        endsAt,
        annotations: { summary: 'a stands at 1.' },
      },
    ]);
  });
});

describe('a receiver', () => {
  it('gets only alerts that pass its filters, and the end of those that it was told of', async () => {
    const [info, critical] = [
      alertNamed('Info', { severity: 'info' }),
      alertNamed('Critical', { severity: 'critical' }),
    ];
    const own = {
      ...alertNamed('Own', { labels: [] }),
      scope: 'daemon' as const,
      find: () => [{ labels: {}, value: 1 }],
    };
    const low = alertNamed('Low');
    await using receiver = await FakeReceiver.start();
    const filters = {
      default: {},
      all: { min_severity: 'info' },
      pager: { min_severity: 'critical' },
      main: { accounts: ['main'] },
      listed: { alerts: ['Info', 'Low'] },
      both: { alerts: ['Info', 'Low'], min_severity: 'info', accounts: ['other'] },
    };
    const receivers = Object.entries(filters).map(([name, more]) =>
      hookOf(receiver, { name, group_by: [], group_wait: '0s', group_interval: '0s', ...more }),
    );
    await using rig = await AlertRig.start([info, critical, low, own], { receivers });
    rig.names = ['main', 'other'];
    await rig.reload();
    for (const alert of [info, critical, low]) alert.subjects.set('a', 1);
    for (const name of rig.names) await rig.run('traffic', 'ok', name);
    await rig.pass(MINUTE);
    const told = (name: string): string[] =>
      bodiesOf(receiver, name)
        .flatMap(({ alerts, added }) => alerts.slice(0, added))
        .map(({ labels: { alertname, account } }) => [alertname, account].filter(Boolean).join(' '))
        .toSorted();
    const [two, three] = [
      ['Critical main', 'Critical other'],
      ['Info main', 'Info other'],
    ];
    expect(Object.fromEntries(Object.keys(filters).map((name) => [name, told(name)]))).toEqual({
      default: [...two, 'Low main', 'Low other', 'Own'],
      all: [...two, ...three, 'Low main', 'Low other', 'Own'],
      pager: two,
      main: ['Critical main', 'Low main'],
      listed: ['Low main', 'Low other'],
      both: ['Info other', 'Low other'],
    });
    rig.section = { ...rig.section, receivers: [{ ...receivers[0], min_severity: 'critical' }] };
    await rig.reload();
    low.subjects.clear();
    for (const name of rig.names) await rig.run('traffic', 'ok', name);
    await rig.pass(MINUTE);
    const ended = bodiesOf(receiver, 'default').flatMap(({ alerts, added, resolved }) =>
      alerts
        .slice(added, added + resolved)
        .map(({ labels: { alertname, account } }) => `${alertname} ${account}`),
    );
    expect(ended).toEqual(['Low main', 'Low other']);
  });

  it('with send_resolved: false gets no ends, and an alert that fires again', async () => {
    await using test = await started({ send_resolved: false });
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.end('a');
    await test.rig.pass(HOUR);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    expect(test.texts()).toEqual(['1/1: +a', '1/1: +a']);
  });

  it('gets an alert with another severity as another alert', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(MINUTE);
    test.rig.section = { ...test.rig.section, Low: { severity: 'critical' } };
    await test.rig.reload();
    await test.rig.pass(5 * MINUTE);
    test.rig.section = { ...test.rig.section, Low: { severity: 'info' } };
    await test.rig.reload();
    await test.rig.pass(5 * MINUTE);
    const severities = bodiesOf(test.receiver).map(({ alerts }) =>
      alerts.map(({ status, labels }) => `${status} ${labels.severity}`),
    );
    expect(severities).toEqual([
      ['firing warning'],
      ['firing critical', 'resolved warning'],
      ['resolved critical'],
    ]);
  });

  it('with `after` gets only alerts that have fired for so long, also across a restart', async () => {
    await using test = await started({ after: '1h' });
    await test.fire('a', 'b');
    await test.rig.pass(30 * MINUTE, MINUTE);
    await test.end('b');
    await test.rig.restart();
    await test.rig.pass(30 * MINUTE, MINUTE);
    expect(test.texts()).toEqual([]);
    await test.rig.pass(30 * SECOND);
    expect(test.texts()).toEqual(['1/1: +a']);
  });

  it('that groups in another way keeps the groups of the alerts that it knows until they end', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(MINUTE);
    test.rig.section = { receivers: [hookOf(test.receiver, { group_by: [] })] };
    await test.rig.reload();
    await test.fire('b');
    await test.rig.pass(MINUTE);
    await test.rig.restart();
    await test.end('a', 'b');
    await test.rig.pass(10 * MINUTE);
    const former = '{"account":"main","alertname":"Low"}';
    expect(bodiesOf(test.receiver).map((body) => `${body.groupKey} ${textOf(body)}`)).toEqual([
      `${former} 1/1: +a`,
      '{} 1/1: +b',
      `${former} 0/0: -a`,
      '{} 0/0: -b',
    ]);
  });

  it('that was removed is forgotten, and gets everything again when it comes back', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(MINUTE);
    const { section } = test.rig;
    test.rig.section = { evaluate: true };
    await test.rig.reload();
    expect([await test.rig.store.alerts.notified(), await test.rig.store.alerts.groups()]).toEqual([[], []]);
    test.rig.section = section;
    await test.rig.reload();
    await test.rig.pass(SECOND);
    expect(test.texts()).toEqual(['1/1: +a', '1/1: +a']);
  });

  it('does not wait for the old time after the clock was set back', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(MINUTE);
    test.rig.clock.jumpTo(START - 24 * HOUR);
    await test.fire('b');
    await test.rig.pass(5 * MINUTE + 30 * SECOND);
    expect(test.texts()).toEqual(['1/1: +a', '1/2: +b a']);
  });
});

describe('a store that accepts no writes', () => {
  it('does not keep back the alerts about the daemon itself, and the others follow when it works again', async () => {
    let isFailing = false;
    const own = {
      ...alertNamed('StoreFailing', { labels: [] }),
      scope: 'daemon' as const,
      find: () => (isFailing ? [{ labels: {}, value: 1 }] : []),
    };
    await using receiver = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low, own], { receivers: [hookOf(receiver, { group_by: [] })] });
    low.subjects.set('a', 1);
    await rig.run();
    const { save } = rig.store.alerts;
    rig.store.alerts.save = () => Promise.reject(new StoreError('failed', 'the disk is full'));
    isFailing = true;
    await rig.pass(10 * MINUTE);
    const texts = () => bodiesOf(receiver).map(textOf);
    expect(texts()).toEqual(['1/1: +StoreFailing']);
    expect(rig.lines.filter(({ message }) => message.includes('could not queue'))).toHaveLength(1);
    rig.store.alerts.save = save;
    await rig.pass(MINUTE);
    await rig.restart();
    isFailing = false;
    low.subjects.clear();
    await rig.run();
    await rig.pass(10 * MINUTE);
    expect(texts().slice(1)).toEqual(['1/2: +a StoreFailing', '0/0: -a -StoreFailing']);
  });
});

it('a notification that an earlier version queued has no group', async () => {
  await using test = await started();
  const body = JSON.stringify({ firing: 2, resolved: 1, alerts: [] });
  const notification = { receiver: 'hook', id: 'old', createdAt: START, body };
  await test.rig.store.alerts.save({ put: [], removed: [], notifications: [notification] });
  await test.rig.restart();
  expect(bodiesOf(test.receiver)).toMatchObject([
    { groupKey: '', groupLabels: {}, firing: 2, added: 2, resolved: 1, truncatedAlerts: 3 },
  ]);
});

describe('a mute', () => {
  it('keeps an alert back, which is due when the mute ends', async () => {
    await using test = await started();
    await test.rig.silence('a', START + 10 * MINUTE);
    await test.fire('a', 'b');
    await test.rig.pass(MINUTE);
    expect(test.texts()).toEqual(['1/1: +b']);
    await test.rig.restart();
    await test.rig.pass(9 * MINUTE - 15 * SECOND);
    expect(test.texts()).toHaveLength(1);
    await test.rig.pass(15 * SECOND);
    expect(test.texts().slice(1)).toEqual(['1/2: +a b']);
  });

  it('that begins while an alert waits keeps it back', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(15 * SECOND);
    await test.rig.silence('a', START + 10 * MINUTE);
    await test.rig.pass(9 * MINUTE);
    expect(test.texts()).toEqual([]);
    await test.rig.pass(45 * SECOND);
    expect(test.texts()).toEqual(['1/1: +a']);
  });

  it('that is removed early ends at once', async () => {
    await using test = await started();
    const id = await test.rig.silence('a', START + 10 * HOUR);
    await test.fire('a');
    await test.rig.pass(HOUR, MINUTE);
    await test.rig.alerting.mutes.remove(id, test.rig.clock.now());
    await test.rig.pass(30 * SECOND);
    expect(test.texts()).toEqual(['1/1: +a']);
  });

  it('does not keep back the end of an alert that was told', async () => {
    await using test = await started();
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.rig.silence('a', START + HOUR);
    await test.end('a');
    await test.rig.pass(5 * MINUTE);
    expect(test.texts()).toEqual(['1/1: +a', '0/0: -a']);
  });

  it('keeps repetitions back, and other notifications neither name the muted alert nor count it as firing', async () => {
    await using test = await started({ repeat_every: '1h' });
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.rig.silence('a', START + 3 * HOUR);
    await test.rig.pass(90 * MINUTE, MINUTE);
    expect(test.texts()).toHaveLength(1);
    await test.fire('b');
    await test.rig.restart();
    await test.rig.pass(15 * SECOND);
    expect(test.texts()).toHaveLength(1);
    await test.rig.pass(15 * SECOND);
    await test.end('b');
    await test.rig.pass(5 * MINUTE);
    expect(test.texts().slice(1)).toEqual(['1/1: +b', '0/0: -b']);
    const silenced = bodiesOf(test.receiver).map((body) => [body.silenced, body.truncatedAlerts]);
    expect(silenced).toEqual([
      [0, 0],
      [1, 0],
      [1, 0],
    ]);
    await test.rig.pass(2 * HOUR, MINUTE);
    expect(test.texts().slice(3)).toEqual(['0/1: a']);
  });
});
