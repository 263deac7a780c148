// The account of the demo: lively enough that every dashboard and every kind of alert has something to show.

import { proxyAddress, services, userId, userPassword } from './identities.ts';
import { parseScenario, type ScenarioInput } from './scenario.ts';

export const demoScenario: ScenarioInput = {
  seed: 7,
  pace: null,
  users: 40,
  proxies: 60,
  services: 4,
  proxy_incident_ratio: 0.05,
  traffic: { late: { ratio: 0.02 }, revised: { ratio: 0.01 } },
  ledger: { top_up_bytes: 75_000_000_000, per_service: true },
  outages: [
    { kind: 'proxy', subject: proxyAddress(4).host },
    { kind: 'proxy', subject: proxyAddress(17).host, error_code: 'connection_timeout' },
    { kind: 'proxy', subject: proxyAddress(30).host, flap: { period_minutes: 180, bad_minutes: 60 } },
    {
      kind: 'tester',
      subject: 'singapore-1-digitalocean-proxytester-1',
      flap: { period_minutes: 120, bad_minutes: 30 },
    },
    { kind: 'target', subject: 'shop.example', flap: { period_minutes: 240, bad_minutes: 40 } },
  ],
};

/** The account's proxies as a customer would list them for tests. */
export const demoProxies = (): { name: string; product_type: string; proxy: string }[] => {
  const scenario = parseScenario(demoScenario);
  const owners = services(scenario);
  const password = userPassword(scenario.seed, 0);
  return Array.from({ length: scenario.proxies }, (_, index) => {
    const { host, httpPort } = proxyAddress(index);
    const type = owners[index % owners.length]?.type ?? '';
    return {
      name: `${type}-${index + 1}`,
      product_type: type,
      proxy: `${host}:${httpPort}:${userId(0)}:${password}`,
    };
  });
};
