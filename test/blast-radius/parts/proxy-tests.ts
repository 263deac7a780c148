// Lists the parts of proxy tests: the batches, and what the tests need to know before.

import { userId } from '../../../src/simulator/identities.ts';
import type { ProviderRequest } from '../../support/faulty-provider.ts';
import { BATCH_OF } from '../watched-account.ts';
import { type Part, RECONCILED } from './part.ts';
import { TESTED_INFO, testedExcept } from './test-sources.ts';

const batch = (name: string, isInBatch: (request: ProviderRequest) => boolean): Part => ({
  endpoint: 'proxy_test_run/create',
  name,
  collectors: ['proxy_tests'],
  matches: (request) => request.endpoint === 'proxy_test_run/create' && isInBatch(request),
  rests: [{ group: 'results' }, { group: 'fleet' }, { group: 'budget' }],
  derived: [],
});

export const TEST_PARTS: readonly Part[] = [
  batch('one batch of tests', BATCH_OF.firstProxy),
  batch('all batches of tests', () => true),
  {
    endpoint: 'proxy/search',
    name: 'a search for proxies to test',
    collectors: ['proxy_tests'],
    matches: ({ endpoint, query }) => endpoint === 'proxy/search' && 'proxy_type' in query,
    rests: [],
    derived: [...testedExcept('configured', 'service'), TESTED_INFO],
  },
  {
    endpoint: 'proxy_user/search',
    name: 'the login of a proxy user',
    collectors: ['proxy_tests'],
    matches: ({ endpoint, query }) => endpoint === 'proxy_user/search' && query.proxy_user_id === userId(2),
    rests: [],
    derived: [...testedExcept('configured', 'service'), TESTED_INFO],
  },
  {
    endpoint: 'proxy_user/search',
    name: 'the request for the customer of the keys',
    collectors: ['traffic', 'proxy_tests', 'quotes'],
    matches: ({ endpoint, query }) => endpoint === 'proxy_user/search' && query.per_page === '1',
    rests: [],
    derived: [RECONCILED],
  },
];
