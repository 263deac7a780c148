// Lists the receivers of the week: each engine that can run here, with each protocol that it takes.

import { spawnSync } from 'node:child_process';
import { engines } from '../../engines.ts';
import { type Engine, startPrometheus, startVictoriaMetrics } from '../engines.ts';

type Protocol = '1.0' | '2.0' | 'otlp';

export interface WeekReceiver {
  readonly name: string;
  /** The engine and the protocol, for titles of tests. */
  readonly title?: string;
  readonly start: () => Promise<Engine>;
  /** The path for samples. */
  readonly path: string;
  /** The settings beside the addresses. */
  readonly settings: object;
}

const SETTINGS: Readonly<Record<Protocol, object>> = {
  '1.0': {},
  '2.0': { protocol: '2.0' },
  otlp: { type: 'otlp' },
};

const receiver = (
  engine: string,
  protocol: Protocol,
  start: () => Promise<Engine>,
  path = '/api/v1/write',
): WeekReceiver => ({
  ...{ name: `${engine.replaceAll(' ', '-')}_${protocol}`, title: `${engine} by ${protocol}` },
  ...{ start, path, settings: SETTINGS[protocol] },
});

const hasOption = (program: string, option: string): boolean => {
  const { stdout, stderr } = spawnSync(program, ['--help'], { encoding: 'utf8' });
  return `${stdout}${stderr}`.includes(option);
};

const WRITE = '--web.enable-remote-write-receiver';
/** Debian builds Prometheus without OTLP, and thus without this option. */
const OTLP = '--web.enable-otlp-receiver';

const prometheus = engines('prometheus').flatMap(({ name, path: program }) => {
  const start = (...args: readonly string[]) => startPrometheus('8d', [WRITE, ...args], program);
  return [
    receiver(name, '1.0', start),
    ...(/ [3-9]\./.test(name) ? [receiver(name, '2.0', start)] : []),
    ...(hasOption(program, OTLP)
      ? [receiver(name, 'otlp', () => start(OTLP), '/api/v1/otlp/v1/metrics')]
      : []),
  ];
});

/** No version so far takes remote write 2.0. */
const victoria = engines('victoria-metrics').flatMap(({ name, path: program }) => {
  const start = () => startVictoriaMetrics(program);
  return [
    receiver(name, '1.0', start),
    ...(hasOption(program, '-opentelemetry.')
      ? [receiver(name, 'otlp', start, '/opentelemetry/v1/metrics')]
      : []),
  ];
});

export const RECEIVERS: readonly WeekReceiver[] = [...prometheus, ...victoria];

/** The newest Prometheus and VictoriaMetrics by remote write 1.0, which lose samples. Engines of the PATH are first. */
export const LOSING: readonly WeekReceiver[] = [prometheus, victoria].flatMap((each) =>
  each
    .filter(({ settings }) => settings === SETTINGS['1.0'])
    .slice(0, 2)
    .slice(-1),
);
