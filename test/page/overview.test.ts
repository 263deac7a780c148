// Tests what the overview says to be wrong in one sentence, that is green only if all is known and without fault.

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COLLECTOR_NAMES } from '../../src/collectors/context.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { NAVIGATION, SECTION_COLLECTORS } from '../../src/page/address.ts';
import type { Alert, Service } from '../../src/page/answers.ts';
import { causesOf } from '../../src/page/views/causes.ts';
import { firstServices, serviceTable } from '../../src/page/views/market.ts';
import { headlineView, overviewAnswers } from '../../src/page/views/overview.ts';
import type { OverviewData } from '../../src/page/views/signs.ts';
import { COLLECTOR_SETTINGS, notMonitoredView } from '../../src/status-page/status-page.ts';
import {
  alert,
  alerts,
  collector,
  fault,
  faults,
  GOOD,
  group,
  headline,
  iso,
  NOW,
  page,
  service,
  targets,
  textOf,
  usedUp,
  users,
} from './overview-support.ts';

describe('the sentence at the top', () => {
  it('is green if everything that is monitored works', () => {
    expect(headline(GOOD)).toBe('✓ OK Everything that is monitored works.');
  });

  it('is not green if alerts are not evaluated here, as with rules in Prometheus', () => {
    expect(headline({ ...GOOD, alerts: { ...alerts(), evaluated: false } })).toBe(
      '– Not sure No fault is known. This daemon does not evaluate alerts.',
    );
  });

  it('links each verdict to its subjects if no alert reports it', () => {
    const two = ['a', 'b'];
    const data: OverviewData = {
      ...{ ...GOOD, alerts: { ...alerts(), evaluated: false }, ledger: usedUp(true) },
      collectors: two.map(() => collector({ data_state: 'stale' })),
      faults: faults(...two.flatMap((id) => [fault('target', id), fault('tester', id), fault('access', id)])),
      services: page(two.map((id) => service({ service_id: id, lacks_proxies: true }))),
    };
    const causes = causesOf(data, NOW);
    for (const place of ['balance', 'market', 'tests', 'collectors'])
      expect(String(headlineView(data, causes, NOW))).toContain(`href="#${place}"`);
    expect(causes.length).toBe(6);
  });

  it('links to the lists of its account', () => {
    const data = { ...GOOD, account: 'b', users: users({ exhausted: 2 }) };
    expect(String(headlineView(data, causesOf(data, NOW), NOW))).toContain(
      'href="?account=b&amp;view=users&state=exhausted"',
    );
  });

  it.each<[string, OverviewData, string]>([
    ['alerts are not read', { alerts: undefined as never }, 'A part is not read yet'],
    ['alerts are unknown', { alerts: 'unknown' }, 'a part is unknown'],
    ['users are unknown', { users: 'unknown' }, 'a part is unknown'],
    ['alerts are not evaluated yet', { alerts: { ...alerts(), evaluated_at: null } }, 'not evaluated yet'],
    [
      'evaluation has stopped',
      { alerts: { ...alerts(), evaluated_at: iso(-1) } },
      'last evaluated alerts 60 min ago',
    ],
    ['a collector has no data', { collectors: [collector({ data_state: 'no_data' })] }, '1 of 1 collectors'],
    [
      'a collector is stale',
      { collectors: [collector({ data_state: 'stale' })] },
      '1 collector has old data',
    ],
    [
      'a collector fails',
      { collectors: [collector({ result: 'failed', failures_in_a_row: 2 })] },
      '1 collector fails',
    ],
    ['no collector is on', { collectors: [] }, 'Nothing is monitored'],
    ['the account was removed', { isConfigured: false }, 'no longer has this account'],
    [
      'a notice fires',
      { alerts: alerts(group([alert('QuoteInvalid', {}, { severity: 'info' })])) },
      '1 order is not possible',
    ],
    [
      'an alert is pending',
      { alerts: alerts(group([alert('DataStale', {}, { state: 'pending' })])) },
      '1 pending cause',
    ],
    [
      'an alert is silenced',
      { alerts: alerts(group([alert('DataStale', {}, { silenced_until: iso(2) })])) },
      '1 silenced cause',
    ],
    [
      'another account has alerts',
      { others: [{ name: 'b', firing: 3, severity: 'critical' }] },
      '3 alerts fire in account b',
    ],
    ['a quota is used up', { users: users({ exhausted: 2 }) }, '2 quotas are used up'],
    ['all quotas are unknown', { users: users({ ok: 0, unknown: 5 }) }, 'All quotas are unknown'],
    [
      'a row of the ledger is unread',
      { ledger: page([{ balance: null, unread_rows: 1 }]) as never },
      'The residential balance is unknown',
    ],
    ['no test has a result', { targets: targets(0) as never }, 'No test has had a result for 24 hours'],
    ['targets are unknown', { targets: 'unknown' }, 'a part is unknown'],
    ['targets are not read', { targets: undefined as never }, 'A part is not read yet'],
    [
      'a service has no status',
      { services: page([service({ status: null, effective_status: 'unknown' })]) },
      '1 service has an unknown status',
    ],
    ['the store rejects writes', { notReady: ['the store rejects writes'] }, 'The daemon is not ready'],
  ])('is not green while %s', (_, part, words) => {
    const shown = headline({ ...GOOD, ...part });
    expect(shown).toContain(words);
    expect(shown).not.toMatch(/✓|Everything that is monitored works/);
  });

  it.each<[string, OverviewData, string]>([
    [
      'an alert is silenced',
      {
        alerts: alerts(group([alert('StoreFailing', {}, { severity: 'critical', silenced_until: iso(2) })])),
      },
      '– Silenced 1 silenced cause.',
    ],
    [
      'an alert is pending',
      { alerts: alerts(group([alert('DataStale', {}, { state: 'pending' })])) },
      '– Pending 1 pending cause.',
    ],
    ['a tester is at fault', { faults: faults(fault('tester', 'paris')) }, '– Notice 1 tester fails.'],
    [
      'another account has a critical alert',
      { others: [{ name: 'b', firing: 1, severity: 'critical' }] },
      '✕ Urgent 1 alert fires in account b.',
    ],
    [
      'another account has a notice, and an alert is pending',
      {
        others: [{ name: 'b', firing: 1, severity: 'info' }],
        alerts: alerts(group([alert('DataStale', {}, { state: 'pending' })])),
      },
      '– Notice 1 pending cause. 1 alert fires in account b.',
    ],
    [
      'nothing is known to be wrong, but a part is unknown',
      { users: 'unknown' },
      '– Not sure No fault is known. The daemon reported an error, so a part is unknown.',
    ],
    ['the ledger has no rows', { ledger: page([{ balance: null, unread_rows: 0 }]) as never }, '✓ OK'],
    ['an unused balance is used up', { ledger: usedUp(false) }, '✓ OK'],
    ['a balance in use is used up', { ledger: usedUp(true) }, '✕ Urgent The residential balance is used up.'],
    ['one run has failed', { collectors: [collector({ result: 'failed', failures_in_a_row: 1 })] }, '✓ OK'],
  ])('has the word and the parts that fit if %s', (_, part, words) => {
    const shown = headline({ ...GOOD, ...part });
    expect(words === '✓ OK' ? shown.slice(0, words.length) : shown).toBe(words);
  });

  it('counts the faults of each kind', () => {
    const proxies = Array.from({ length: 15 }, (_, index) => fault('proxy', `fr-${index}`));
    const all = faults(...proxies, fault('target', 'https://shop.example/'), fault('tester', 'paris'));
    // The answer has only the first faults.
    expect(headline({ ...GOOD, faults: { ...all, data: all.data.slice(0, 12) } })).toBe(
      '! Needs you 15 proxies are at fault. 1 target fails. 1 notice.',
    );
  });

  it('says what is wrong, with links, and how long the balance lasts', () => {
    const faulty = ['a', 'b'].map((id) => alert('ProxyFailing', { proxy_id: id }));
    const balance = { left_bytes: 5, exhausted_at: iso(48), forecast: 'expected' };
    const data: OverviewData = {
      ...GOOD,
      alerts: alerts(
        group(faulty as [Alert, Alert]),
        group([alert('ProxyUserQuotaExhausted', { proxy_user_id: 'u' })], { count: 9 }),
      ),
      ledger: page([{ balance }]) as never,
    };
    expect(headline(data)).toBe(
      '! Needs you 2 proxies are at fault. 9 quotas are used up. The balance lasts until 2026-03-03.',
    );
    const markup = headlineView(data, causesOf(data, NOW), NOW).toString();
    expect(markup.match(/<a /g)).toHaveLength(3);
  });
});

describe('an alert without a subject', () => {
  it('is linked to its own page', () => {
    const data = {
      ...GOOD,
      alerts: alerts(group([alert('ProviderUnreachable', {}, { severity: 'critical' })])),
    };
    expect(headlineView(data, causesOf(data, NOW), NOW).toString()).toContain(
      'view=alert&amp;id=ProviderUnreachable',
    );
  });
});

describe('the services', () => {
  const ended = ['a', 'b', 'c', 'd', 'e'].map((id, index) =>
    service({
      service_id: id,
      status: 'complete',
      effective_status: 'over',
      expires_at: iso(-9_000 - index),
    }),
  );
  const live = ['late', 'soon'].map((id) =>
    service({ service_id: id, expires_at: iso(id === 'soon' ? 5 : 50) }),
  );

  it('show those whose paid time ends first, and those that are over last', () => {
    const shown = textOf(firstServices([...live, ...ended], NOW));
    expect(shown).toMatch(/ soon .* late .* a /);
  });

  it('are red only if they are not active', () => {
    const shown = [ended[0], live[0]].flatMap((each) => each ?? []);
    const awaiting = service({ status: 'awaiting_fulfillment', effective_status: 'awaiting' });
    const markup = serviceTable([...shown, awaiting], NOW).toString();
    expect(markup.match(/badge \w+/g)).toEqual(['badge none', 'badge good', 'badge none']);
    const overdue = service({ status: 'overdue', effective_status: 'not_active' });
    expect(serviceTable([overdue], NOW).toString()).toContain('badge bad');
  });

  it.each<[string, string, Partial<Service>]>([
    ['fair', '! active, ends soon', { is_expiring: true, expires_at: iso(49) }],
    ['bad', '✕ active, ends soon', { is_expiring: true, expires_at: iso(47) }],
    ['bad', '✕ active, paid time ended', { is_expiring: true, expires_at: iso(-1) }],
    ['fair', '! active, 1 proxy missing', { lacks_proxies: true, missing_proxies: 1 }],
    ['bad', '✕ active, 2 proxies missing', { lacks_proxies: true, missing_proxies: 2, expires_at: iso(39) }],
    ['bad', '✕ paused', { status: 'paused', effective_status: 'paused', expires_at: iso(39) }],
    ['good', '✓ active', { expires_at: iso(39) }],
  ])('are %s as at the top if they are “%s”', (level, words, part) => {
    const [shown, data] = [service(part), { ...GOOD, services: page([service(part)]) }];
    expect(serviceTable([shown], NOW).toString()).toContain(`badge ${level}`);
    expect(textOf(serviceTable([shown], NOW))).toContain(`API-1 ${words} `);
    expect(headlineView(data, causesOf(data, NOW), NOW).toString()).toContain(`badge ${level}`);
  });

  it('count the proxies in use as the labels do', () => {
    const shown = service({ proxies: { in_use: 12, new: 1 }, proxies_in_use: 13 });
    expect(textOf(serviceTable([shown], NOW))).toContain(' 13 of 15 ');
  });
});

describe('what is not monitored', () => {
  it('is one line, with a valid setting for each collector that is off', () => {
    expect(Object.keys(COLLECTOR_SETTINGS)).toEqual([...COLLECTOR_NAMES]);
    for (const name of COLLECTOR_NAMES) {
      const own = parse(COLLECTOR_SETTINGS[name] ?? '');
      const keys = { name: 'main', public_key: 'a', private_key: 'b' };
      const { accounts } = settingsSchema.parse({
        accounts: [{ ...keys, ...parse(COLLECTOR_SETTINGS.proxy_tests ?? ''), ...own }],
      });
      expect(accounts[0]).toHaveProperty(name);
    }
    const shown = notMonitoredView(COLLECTOR_NAMES.filter((name) => name !== 'quotes' && name !== 'catalog'));
    expect(textOf(shown)).toMatch(/^Not monitored: catalog, quotes\. How to turn them on/);
    expect(shown.toString()).toContain('href="#on-quotes"');
    expect(notMonitoredView(COLLECTOR_NAMES).toString()).toBe('');
  });

  it('is not in the navigation', () => {
    const needed = [...Object.values(SECTION_COLLECTORS), ...Object.values(NAVIGATION)].flat();
    expect(needed.filter((name) => !COLLECTOR_NAMES.some((known) => known === name))).toEqual([]);
  });
});

it('other accounts are named only while their alerts fire', () => {
  const account = (name: string, firing: number | null) => ({
    name,
    alerts: { firing, worst_severity: 'warning' },
    collectors: [],
  });
  const status = { accounts: [account('main', 1), account('b', 2), account('c', 0), account('d', null)] };
  expect(overviewAnswers(status as never, 'main').others).toEqual([
    { name: 'b', firing: 2, severity: 'warning' },
  ]);
  expect(overviewAnswers(status as never, 'gone').isConfigured).toBe(false);
});

it('the reasons why the daemon is not ready are known', () => {
  const status = { accounts: [], not_ready_reasons: ['the store rejects writes'] };
  expect(overviewAnswers(status, 'main').notReady).toEqual(['the store rejects writes']);
});
