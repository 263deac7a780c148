// Tests the rows of the overview, one for each cause of alerts and verdicts.

import { describe, expect, it } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import type { Alert, Service } from '../../src/page/answers.ts';
import { ALERT_WORDS, CAUSES, causeOf } from '../../src/page/views/alert-words.ts';
import { causeTable } from '../../src/page/views/cause-table.ts';
import { causesOf } from '../../src/page/views/causes.ts';
import { type OverviewData, SUPPRESSED_BY } from '../../src/page/views/signs.ts';
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
  NO_FAULTS,
  NOW,
  page,
  rows,
  service,
} from './overview-support.ts';

describe('the causes', () => {
  it('have one row for all alerts about quotas', () => {
    const many = [1, 2, 3, 4, 5].map((id) => alert('ProxyUserQuotaExhausted', { proxy_user_id: `u${id}` }));
    const low = alert('ProxyUserQuotaLow', { proxy_user_id: 'u6' });
    const data = { ...GOOD, alerts: alerts(group(many as [Alert], { count: 18 }), group([low])) };
    expect(rows(data)).toHaveLength(1);
    expect(rows(data)[0]).toMatch(
      /^18 quotas are used up, 1 quota is low u1, u2, u3 and 16 more .*60 min ago the quotas Raise them.* nobody$/,
    );
  });

  it('put a service that ends soon above everything, in red', () => {
    const data: OverviewData = {
      ...GOOD,
      alerts: alerts(group([alert('ProxyFailing', { proxy_id: 'a' })])),
      services: page([service({ expires_at: iso(39), lacks_proxies: true })]),
    };
    expect(rows(data)[0]).toMatch(/^1 service lacks proxies API-1, paid until in 39 h .*✕ Urgent/);
    expect(rows(data)[1]).toMatch(/^1 proxy is at fault/);
    expect(headline(data)).toMatch(/^✕ Urgent 1 service lacks proxies\. 1 proxy is at fault\./);
  });

  it('name the service once that two alerts are about', () => {
    const two = ['ServiceExpiringSoon', 'ServicePendingCancellation'].map((name) =>
      group([alert(name, { service_id: 'API-1' })]),
    );
    expect(rows({ ...GOOD, alerts: alerts(...two) })[0]).toMatch(
      /^1 service expires, 1 service has a pending cancellation API-1, paid until in 30 d ServiceExp/,
    );
  });

  it('come from verdicts if no alert reports them, and say that nobody is notified', () => {
    const data: OverviewData = {
      ...GOOD,
      alerts: { ...alerts(), evaluated: false },
      faults: {
        ...faults(fault('proxy', 'fr-1')),
        ...{ total: 3, total_by_kind: { ...NO_FAULTS, proxy: 3 } },
      },
    };
    expect(rows(data)[0]).toMatch(
      /^3 proxies are at fault fr-1 and 2 more 8 of 8 tests fail .* 2 h ago .* nobody$/,
    );
  });

  it('say who was notified, and until when and why a cause is silenced', () => {
    const receivers = [
      { receiver: 'slack', status: 'notified' as const, notified_at: iso(-0.5) },
      { receiver: 'mail', status: 'filtered' as const, notified_at: null },
    ];
    const silenced_by = [{ silence: '1', comment: 'Anna moves', maintenance: null, until_resolved: false }];
    const silenced = alert('ProxyFailing', { proxy_id: 'b' }, { silenced_until: iso(2), silenced_by });
    const shown = rows({
      ...GOOD,
      alerts: alerts(group([silenced]), group([alert('ProxyFailing', { proxy_id: 'a' })], { receivers })),
    });
    expect(shown[0]).toMatch(/ slack 30 min ago, mail filtered$/);
    expect(shown[1]).toMatch(/Silenced, ends in 2 h \(Anna moves\)\..* – Silenced /);
  });

  it('are in work until their alert is resolved, with what ends only the silences of this cause', () => {
    const since = {
      state: 'active',
      comment: 'Anna is on it',
      starts_at: iso(-1),
      ends_at: iso(24),
    } as const;
    const scope = { account: 'main', alert: 'ProxyFailing', subject: null, until_resolved: true };
    const silenced_by = [{ silence: '1', comment: 'Anna is on it', maintenance: null, until_resolved: true }];
    const taken = alert('ProxyFailing', { proxy_id: 'a' }, { silenced_until: iso(24), silenced_by });
    const silences = ['1', '2'].map((id) => ({ id, ...since, ...scope }));
    const data = { ...GOOD, alerts: alerts(group([taken])) };
    expect(rows({ ...data, silences })[0]).toMatch(
      / Anna is on it, since 60 min ago, ends when the alert is resolved, or in 24 h End now .* – In work /,
    );
    expect(rows(data)[0]).toMatch(
      / Silenced, ends when the alert is resolved, or in 24 h \(Anna is on it\)\. /,
    );
    const open = alert('ProxyFailing', { proxy_id: 'b' });
    const pending = { ...GOOD, alerts: alerts(group([taken, open], { state: 'pending' })) };
    expect(rows(pending)[0]).toContain('– Pending');
    const shown = String(causeTable(causesOf(pending, NOW), { account: 'main', now: NOW, silences }));
    expect(shown).toContain('proxy_id=b');
    expect(shown).not.toContain('proxy_id=a');
    expect(String(causeTable(causesOf(data, NOW), { account: 'main', now: NOW, silences }))).toContain(
      'data-end="1"',
    );
  });

  it('have a button that tests their subject, unless they have several', () => {
    const testedIn = (id: string, ...others: string[]) => {
      const alertOf = (proxy_id: string) => alert('ProxyFailing', { proxy_id });
      const found = [alertOf(id), ...others.map(alertOf)] as const;
      const causes = causesOf({ ...GOOD, alerts: alerts(group(found)) }, NOW);
      return /data-test="\w+" data-id="\w+"/.exec(
        String(causeTable(causes, { account: 'main', now: NOW })),
      )?.[0];
    };
    expect(testedIn('a')).toBe('data-test="proxy" data-id="a"');
    expect(testedIn('a', 'b')).toBeUndefined();
  });

  it('do not repeat as failing collectors that the provider does not answer', () => {
    const data: OverviewData = {
      ...GOOD,
      collectors: [collector({ result: 'failed', failures_in_a_row: 2 })],
      alerts: alerts(group([alert('ProviderUnreachable', {}, { severity: 'critical' })])),
    };
    expect(rows(data)).toHaveLength(1);
    expect(headline(data)).toMatch(/^✕ Urgent The provider does not answer\./);
  });

  it('have one row for a forbidden endpoint and the collectors that fail because of it', () => {
    const failing = { result: 'failed', failures_in_a_row: 2 } as const;
    const because = (kind: string) => ({ ...failing, error: { kind, message: '' } });
    const forbidden = group([alert('ProviderEndpointForbidden', { api_endpoint: 'service/retrieve' })]);
    const fails = group([alert('CollectorFailing', { collector: 'services' })]);
    const collectors = [collector({ ...because('forbidden'), name: 'services' })];
    const data: OverviewData = { ...GOOD, collectors, alerts: alerts(fails, forbidden) };
    const one = /^1 endpoint is forbidden, 1 collector fails .* the rights of your API keys /;
    expect(rows(data)).toEqual([expect.stringMatching(one)]);
    expect(rows({ ...data, alerts: alerts(forbidden) })).toEqual([expect.stringMatching(one)]);
    const apart = [...collectors, collector({ ...because('timeout') })];
    expect(rows({ ...data, collectors: apart, alerts: alerts(forbidden) })).toHaveLength(2);
    expect(rows({ ...data, alerts: alerts(fails) })[0]).toContain(' not known ');
  });

  it('do not repeat the tests that the provider refuses, and repeat no outage as faults of proxies', () => {
    const failing = { result: 'failed', failures_in_a_row: 2, data_state: 'stale' } as const;
    const data: OverviewData = {
      ...GOOD,
      collectors: [collector({ ...failing, name: 'proxy_tests' })],
      alerts: alerts(group([alert('TestQuotaRefused', { collector: 'proxy_tests' })])),
    };
    expect(rows(data)).toHaveLength(1);
    const [refused] = rows({ ...data, collectors: [collector(failing)] }).slice(1);
    expect(refused).toMatch(/^1 collector fails traffic /);
    const outage = faults(fault('provider', ''), fault('proxy', 'fr-1'), fault('access', 'fr-1'));
    expect(rows({ ...GOOD, faults: outage })).toHaveLength(1);
  });

  it('show the collectors that fail during an outage for most proxies, also one that is silenced', () => {
    const outage = alert('ProviderOutage', {}, { severity: 'critical', silenced_until: iso(2) });
    const collectors = [collector({ result: 'failed', failures_in_a_row: 2 })];
    expect(headline({ ...GOOD, collectors, alerts: alerts(group([outage])) })).toBe(
      '! Needs you 1 collector fails. 1 silenced cause.',
    );
  });

  it('are explained by the alerts that suppress theirs', () => {
    const suppressors = Object.keys(SUPPRESSED_BY).map((name) => {
      const found = ALERTS.find((each) => each.name === name);
      const { suppressedBy = [] } = found?.scope === 'account' ? found : {};
      const ofAll = suppressedBy.filter(({ equalLabels = [] }) => equalLabels.length === 0);
      return [name, ofAll.map((each) => each.alert)];
    });
    expect(SUPPRESSED_BY).toEqual(Object.fromEntries(suppressors));
  });

  it('do not become urgent by a notice, or by an end that is long past', () => {
    const canceled = { service_id: 'API-2', is_pending_cancellation: true, expires_at: iso(39) };
    const shown = (...services: Service[]) => rows({ ...GOOD, services: page(services) })[0];
    expect(shown(service(canceled))).toMatch(
      /^1 service has a pending cancellation API-2, paid until in 39 h .*– Notice/,
    );
    expect(shown(service({ effective_status: 'paused' }), service(canceled))).toMatch(
      /^1 service is paused, 1 service has a pending cancellation .*! Warning/,
    );
    const overdue = (days: number) =>
      shown(service({ effective_status: 'not_active', expires_at: iso(-24 * days) }));
    expect(overdue(3)).toMatch(/^1 service is not active API-1, paid until .*✕ Urgent/);
    expect(overdue(20)).toMatch(/^1 service is not active API-1 .*! Warning/);
  });

  it('keep their own details open if one is silenced and one fires', () => {
    const [firing, silenced] = [{}, { silenced_until: iso(2) }].map((part, index) =>
      group([alert('ProxyFailing', { proxy_id: `fr-${index}` }, part)]),
    );
    const data = { ...GOOD, alerts: alerts(...[firing ?? [], silenced ?? []].flat()) };
    const keys = causeTable(causesOf(data, NOW), { account: 'main', now: NOW })
      .toString()
      .match(/data-key="[^"]*"/g);
    expect(keys).toEqual(['data-key="proxies firing"', 'data-key="proxies silenced"']);
  });

  it.each([
    ['ProviderRateLimited', 'your limits', /other programs.*requests_per_second/],
    ['ProviderUnreachable', 'the provider, or your network', /network, DNS and firewall/],
    ['ProviderEndpointForbidden', 'the rights of your API keys', /permit.*turn off the collector/],
    ['ReloadFailed', 'the configuration', /check-config/],
    ['NotificationsFailing', 'the receiver', /whether it runs, and its address and password/],
    ['RemoteWriteFailing', 'the receiver', /whether it runs/],
    ['BackupFailing', 'the disk of the backups', /free space.*rights/],
    ['SeriesDropped', 'the limit of series', /raise the limit/],
    ['TrafficDataLate', 'not known', /since when/],
    ['ProxyTestsStale', 'not known', /error of the collector/],
  ])('of %s have the fault and the next step of its alert', (name, words, next) => {
    const { fault, next: shown } = CAUSES[causeOf(name)];
    expect(fault).toBe(words);
    expect(shown).toMatch(next);
  });

  it('have words for every alert that the daemon evaluates', () => {
    const names = ALERTS.filter(({ scope }) => scope !== 'outside').map(({ name }) => name);
    expect(Object.keys(ALERT_WORDS).toSorted()).toEqual(names.toSorted());
  });
});
