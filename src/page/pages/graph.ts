// The page of a graph of traffic: its bytes and requests in the chosen range.

import { card } from '../components.ts';
import { rangeControl, setUpRange } from '../sections/range-control.ts';
import { graphTraffic, trafficFrame } from '../sections/traffic.ts';
import type { Page } from './page.ts';

export const graphPage: Page = {
  content: () => card({ id: 'traffic', title: 'Traffic', controls: rangeControl }, trafficFrame),
  setUp: ({ view: { account, id }, onChange }) => {
    setUpRange(onChange);
    const traffic = graphTraffic(account, () => id);
    return { refreshers: [traffic] };
  },
};
