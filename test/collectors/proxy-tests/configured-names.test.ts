// Tests which names the configuration makes the store keep.

import { expect, it } from 'vitest';
import { proxyTestOptions } from '../../../src/collectors/proxy-tests/options.ts';
import { configuredNames } from '../../../src/collectors/proxy-tests/targets.ts';

it('returns the labels of proxies, urls and testers, without secrets', () => {
  const options = proxyTestOptions.parse({
    urls: ['https://example.com/?token=hush', { name: 'shop', url: 'https://example.com/shop' }],
    tester_servers: ['london'],
    proxies: [
      { name: 'fr-1', proxy: '192.0.2.1:80:user:hush' },
      { proxy: '192.0.2.2:80:user:hush' },
      { search: {} },
    ],
  });
  expect([...configuredNames(options)]).toEqual([
    'fr-1',
    '192.0.2.2:80',
    'https://example.com/',
    'shop',
    'london',
  ]);
});
