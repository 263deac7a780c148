// A scrape of 600,000 series over loopback, against the same bytes from a static file, prom-client and the Pushgateway.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Case, median, type Reading, sum, temporaryFolder } from '../harness.ts';
import { answers, freePort, isInstalled, Measured, startScript } from '../processes.ts';
import { USERS_ONLY, UsersProvider } from '../users-provider.ts';
import { scrape, startDaemon } from '../world.ts';

const CPU = 'CPU of a scrape';
const TIME = 'time of a scrape';
const PEAK = 'peak RSS of the daemon';
const SCRAPES = 10;
const PUSHGATEWAY = 'prometheus-pushgateway';
const STATIC = 'static file';

export const exposition: Case = {
  title: 'a scrape of the series of 100,000 users (20,000 with --small)',
  figures: {
    [CPU]: { unit: 'ms', peers: { [STATIC]: 1.3 } },
    [TIME]: { unit: 'ms', peers: { [STATIC]: 1.2 } },
    [PEAK]: { unit: 'MB', most: 250 },
  },
  warmUps: 1,
  contenders: async ({ versions, stack, isSmall }) => {
    const turns: Record<string, () => Promise<Reading>> = {};
    const bodies: Buffer[] = [];
    for (const version of versions) {
      const provider = stack.use(new UsersProvider(isSmall ? 20_000 : 100_000));
      const folder = stack.use(temporaryFolder()).path;
      const options = { urls: [await provider.listen()], account: USERS_ONLY };
      const { process, origin } = await startDaemon(version, folder, options);
      stack.use(process);
      await provider.held();
      await provider.release();
      // The next poll waits, so that the exposition stays the same.
      await provider.held();
      const url = `${origin}/metrics`;
      bodies.push(await scrape(url));
      turns[version.name] = async () => ({
        ...(await scrapeAll(process, url, SCRAPES)),
        [PEAK]: process.memory.peak,
      });
    }
    const text = gunzipSync(bodies[0] ?? '');
    const series = text.toString().match(/^[^#\n]/gm)?.length;
    console.log(
      `${series} series in ${bodies.map((body) => body.length / 1e6).join(' and ')} MB, compressed`,
    );
    const file = join(stack.use(temporaryFolder()).path, 'metrics.gz');
    writeFileSync(file, bodies[0] ?? '');
    const startPeer = async (peer: Measured, url: string, count: number) => {
      stack.use(peer);
      await answers(url);
      return () => scrapeAll(peer, url, count);
    };
    const serve = async (kind: string, count: number) => {
      const port = await freePort();
      const peer = startScript('scrape-server.ts', kind, file, String(port));
      return startPeer(peer, `http://127.0.0.1:${port}/`, count);
    };
    turns[STATIC] = await serve('static', SCRAPES);
    turns['prom-client'] = await serve('prom-client', 1);
    if (!isInstalled(PUSHGATEWAY)) return turns;
    const address = `127.0.0.1:${await freePort()}`;
    const peer = new Measured(PUSHGATEWAY, [`--web.listen-address=${address}`, '--log.level=error']);
    turns[PUSHGATEWAY] = await startPeer(peer, `http://${address}/metrics`, 1);
    const pushed = await fetch(`http://${address}/metrics/job/bench`, { method: 'PUT', body: text });
    if (!pushed.ok) throw new Error(`${PUSHGATEWAY} answered ${pushed.status}: ${await pushed.text()}`);
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
