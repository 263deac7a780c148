// Tests how the page shows failed requests: exact numbers, estimates with their margin, and what is unknown.

import { expect, it } from 'vitest';
import type { RequestErrorSum, RequestErrors } from '../../src/page/answers.ts';
import { costTable, reasonTable } from '../../src/page/views/errors.ts';
import { textOf } from './overview-support.ts';

const SUM: RequestErrorSum = {
  ...{ account: 'main', name: 'alice', class: 'quota', meaning: 'a limit is exceeded' },
  ...{ advice: 'Check the balance.', errors: 1200, errors_margin: 90, bytes: 5_000_000 },
  share: 0.25,
};
const answer = (
  more: Partial<RequestErrors['accounts'][number]>,
  data: RequestErrorSum[],
): RequestErrors => ({
  accounts: [
    {
      ...{ account: 'main', from: '2026-07-06T00:00:00Z', to: '2026-07-07T00:00:00Z', counted_to: null },
      ...{ counted_seconds: 5_400, requests: 4_800, errors: 1_200, errors_margin: 0, bytes: 7_000_000 },
      ...{ sampled_errors: 1_000, others: 0 },
      ...more,
    },
  ],
  data,
  freshness: [],
});

it('says why requests fail, and how much of the day is counted', () => {
  const text = textOf(reasonTable(answer({}, [{ ...SUM, errors_margin: 0 }])));
  expect(text).toContain('1,200 of 4,800 requests failed in 1.5 counted hours of the last 24.');
  expect(text).toContain('a limit is exceeded 1,200 25% Check the balance.');
});

it('shows an estimate with its margin, without one if it is unknown, and what is not sampled', () => {
  const rest = { ...SUM, name: null, bytes: null };
  const text = textOf(costTable(answer({}, [SUM, { ...SUM, name: '' }, rest]), 'user'));
  expect(text).toContain(
    'Failed requests cost about 7 MB. Of 200 failed requests, the user, the host name and the bytes are not known, so the table shows too few.',
  );
  expect(text).toContain('alice about 1,200 ± 90 about 5 MB');
  expect(text).toContain('not given');
  expect(text).toContain('all others about 1,200 ± 90 unknown');
});

it('without errors, it says so, and shows no costs', () => {
  expect(textOf(reasonTable(answer({ errors: 0 }, [])))).toContain('No counted request failed.');
  expect(textOf(costTable(answer({ errors: 0 }, []), 'user'))).toBe('');
});
