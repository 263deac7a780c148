// Tests what doctor says about real engines that take remote write, or that need another setting or path.

import { expect, it } from 'vitest';
import { lineAbout } from '../../cli/remote-write-line.ts';
import { describeWith } from '../with-programs.ts';
import { startPrometheus, startVictoriaMetrics } from './engines.ts';

const ACCEPTS = /^ok {6}remote write engine: accepts requests; doctor sent no samples/;
const PATH = /^failed {2}remote write engine: answered 40\d.*\. Correct the path in url: \/api\/v1\/write/;

describeWith(['prometheus', 'victoria-metrics'], 'doctor', () => {
  it.each([
    ['Prometheus with a window', () => startPrometheus('8d'), '/api/v1/write', ACCEPTS],
    ['Prometheus without a window', () => startPrometheus(), '/api/v1/write', ACCEPTS],
    [
      'Prometheus that takes no remote write',
      () => startPrometheus('8d', []),
      '/api/v1/write',
      /^failed .* answered 404: .*\. Start Prometheus with --web\.enable-remote-write-receiver\.$/,
    ],
    ['Prometheus with a wrong path', () => startPrometheus('8d'), '/api/v1/wirte', PATH],
    ['Prometheus without a path', () => startPrometheus('8d'), '', PATH],
    ['VictoriaMetrics', startVictoriaMetrics, '/api/v1/write', ACCEPTS],
    ['VictoriaMetrics with a wrong path', startVictoriaMetrics, '/api/v1/wirte', PATH],
  ])('%s', async (_, start, path, expected) => {
    await using engine = await start();
    expect(await lineAbout({ url: engine.url + path })).toMatch(expected);
  });
});
