// Tests that the short form of uptimes by hour has the values of the long one.

import { expect, it } from 'vitest';
import { ApiHarness, type Json } from './api-harness.ts';

type Hours = Readonly<Record<'results' | 'successes' | 'own_failures', (number | null)[]>>;
interface Strip {
  readonly id: string;
  readonly hours: ({ readonly at: string } & Readonly<Record<keyof Hours, number | null>>)[];
}

it('has the hours of the requested proxies in few bytes', async () => {
  await using api = await ApiHarness.build();
  await api.run();
  const strips = (await api.items('uptimes')) as unknown as Strip[];
  expect(strips.length).toBeGreaterThan(2);
  const path = `uptimes/hours?account=main&id=nobody${strips.map(({ id }) => `&id=${id}`).join('')}`;
  const { from, data } = (await api.answer(path)) as unknown as {
    from: string;
    data: readonly (Hours & Json)[];
  };
  expect(from).toBe(strips[0]?.hours[0]?.at);
  const column = ({ hours }: Strip, key: keyof Hours) => hours.map((hour) => hour[key]);
  expect(data).toEqual(
    strips.map((strip) => ({
      ...{ account: 'main', id: strip.id, results: column(strip, 'results') },
      ...{ successes: column(strip, 'successes'), own_failures: column(strip, 'own_failures') },
    })),
  );
  expect(data.flatMap((each) => each.own_failures).some((own) => own !== null && own > 0)).toBe(true);
  // 25 rows of the page are about as much as one of their proxies.
  expect(JSON.stringify(data).length / data.length).toBeLessThan(400);
  expect((await api.answer('uptimes/hours?id=nobody')).data).toEqual([]);
  const { etag } = await api.request(path);
  expect((await api.request(path, etag ?? '')).status).toBe(304);
});
