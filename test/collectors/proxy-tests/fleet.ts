// Builds the matrix cells of a fleet of proxies, from a description of which tests fail, for tests of fault attribution.

import type { FaultCell } from '../../../src/collectors/faults/proxy-round.ts';
import { ERROR_SOURCE_CODES } from '../../../src/store/test-store.ts';

export interface Test {
  readonly proxy: number;
  readonly url: string;
  readonly tester: string;
  /** 0 is the newest round. */
  readonly round: number;
}

export interface Fleet {
  readonly proxies: number;
  readonly urls?: readonly string[];
  readonly testers?: readonly string[];
  readonly rounds?: number;
  readonly fails?: (test: Test) => boolean;
  readonly productType?: (proxy: number) => string;
  /** When the proxy's newest round was stored; the run began at 0. */
  readonly at?: (proxy: number) => number;
  readonly error?: TestError | ((test: Test) => TestError);
}

export interface TestError {
  readonly errorSource: string | null;
  readonly errorCode: string | null;
}

export const nameOf = (proxy: number): string => `p${String(proxy).padStart(4, '0')}`;

export const cellsOf = ({
  proxies,
  urls = ['a', 'b'],
  testers = ['t1', 't2'],
  rounds = 3,
  fails = () => false,
  productType = () => 'isp',
  at = () => 0,
  error = { errorSource: 'proxy', errorCode: 'timeout' },
}: Fleet): FaultCell[] =>
  Array.from({ length: proxies }, (_, proxy) =>
    urls.flatMap((url) =>
      testers.map((tester) => {
        const outcomes = Array.from({ length: rounds }, (_, round) => fails({ proxy, url, tester, round }));
        const history = outcomes.reduce((bits, failed, round) => bits | (Number(failed) << round), 0);
        const errors = outcomes.map((failed, round) => {
          if (!failed) return { errorSource: null, errorCode: null };
          return typeof error === 'function' ? error({ proxy, url, tester, round }) : error;
        });
        return {
          proxy: nameOf(proxy),
          url,
          tester,
          productType: productType(proxy),
          at: at(proxy),
          history,
          rounds,
          sources: errors.reduce(
            (bits, { errorSource }, round) => bits | (codeOf(errorSource) << (2 * round)),
            0,
          ),
          ...(errors[0] ?? { errorSource: null, errorCode: null }),
        };
      }),
    ),
  ).flat();

const codeOf = (source: string | null): number =>
  source === 'proxy' || source === 'target' ? ERROR_SOURCE_CODES[source] : 0;
