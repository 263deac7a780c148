// A scrape of 600,000 series over loopback, against the same bytes from a static file, prom-client and the Pushgateway.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Case, median, type Reading, sum, type Turn, temporaryFolder } from '../harness.ts';
import { USERS_ONLY, UsersProvider } from '../listing-provider.ts';
import { answers, freePort, isInstalled, Measured, startScript } from '../processes.ts';
import { scrape, startDaemon } from '../world.ts';

const CPU = 'CPU of a scrape';
const TIME = 'time of a scrape';
const SCRAPES = 40;
const PUSHGATEWAY = 'prometheus-pushgateway';
const STATIC = 'static file';

export const exposition: Case = {
  title: 'a scrape of 600,000 series of 85,500 users (--small: only compared with a static file)',
  figures: {
    [CPU]: { unit: 'ms', peers: { [STATIC]: 1.3 } },
    [TIME]: { unit: 'ms', peers: { [STATIC]: 1.2 } },
  },
  warmUps: 1,
  contenders: async ({ versions, stack, isSmall }) => {
    const turns: Record<string, Turn> = {};
    const bodies: Buffer[] = [];
    for (const version of versions) {
      const provider = new UsersProvider(85_500);
      const options = { urls: [await provider.listen(stack)], account: USERS_ONLY };
      const { process, origin } = await startDaemon(stack, version, options);
      await provider.held();
      await provider.release();
      // The next poll waits, so that the exposition stays the same.
      await provider.held();
      const url = `${origin}/metrics`;
      bodies.push(await scrape(url));
      turns[version.name] = () => scrapeAll(process, url, SCRAPES);
    }
    const text = gunzipSync(bodies[0] ?? '');
    const series = text.toString().match(/^[^#\n]/gm)?.length;
    console.log(`${series} series in ${bodies.map((body) => body.length).join(' and ')} bytes, compressed`);
    const file = join(temporaryFolder(stack), 'metrics.gz');
    writeFileSync(file, bodies[0] ?? '');
    const add = async (name: string, count: number, start: (address: string) => Measured) => {
      const address = `127.0.0.1:${await freePort()}`;
      const peer = stack.use(start(address));
      await answers(`http://${address}/metrics`);
      turns[name] = () => scrapeAll(peer, `http://${address}/metrics`, count);
      return address;
    };
    const server = (kind: string) => (address: string) =>
      startScript('scrape-server.ts', kind, file, new URL(`http://${address}`).port);
    await add(STATIC, SCRAPES, server('static'));
    if (isSmall) return turns;
    await add('prom-client', 1, server('prom-client'));
    if (!isInstalled(PUSHGATEWAY)) return turns;
    const address = await add(
      PUSHGATEWAY,
      1,
      (address) => new Measured(PUSHGATEWAY, [`--web.listen-address=${address}`]),
    );
    const pushed = await fetch(`http://${address}/metrics/job/bench`, { method: 'PUT', body: text });
    if (!pushed.ok) throw new Error(`${PUSHGATEWAY}: ${await pushed.text()}`);
    return turns;
  },
};

const scrapeAll = async (process: Measured, url: string, count: number): Promise<Reading> => {
  const [cpu, times]: [number[], number[]] = [[], []];
  for (let n = 0; n < count; n += 1) {
    const [cpuMs, startedAt] = [process.cpuMs, performance.now()];
    await scrape(url);
    times.push(performance.now() - startedAt);
    cpu.push(process.cpuMs - cpuMs);
  }
  return { [CPU]: sum(cpu) / count, [TIME]: median(times) };
};
