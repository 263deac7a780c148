// Defines the configuration schema of the probes.

import { z } from 'zod';
import {
  cronExpression,
  duration,
  identifier,
  objectWithSecrets,
  relativePath,
  size,
} from '../../config/primitives.ts';
import { PatternError, TextPattern } from '../../lib/text-pattern.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { DEPTHS } from '../../prober/probe.ts';
import { probedEntries } from '../proxy-sources/entries.ts';
import { httpUrl, targetName } from '../url-label.ts';

const pattern = () =>
  z.string({ error: 'expected a regular expression' }).transform((text, context): TextPattern => {
    try {
      return new TextPattern(text);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      context.addIssue(`expected ${error.message}`);
      return z.NEVER;
    }
  });

const statusCode = () => z.int().min(100).max(599);

export const expectOptions = z.strictObject({
  status: z
    .union([statusCode().transform((status) => [status]), z.array(statusCode()).min(1)], {
      error: 'expected a status code from 100 to 599, or a list of them',
    })
    .optional()
    .describe('Status codes. The default is 200 to 399'),
  headers: z
    .record(z.string().min(1).toLowerCase(), pattern())
    .optional()
    .describe('Headers by name, each with a regular expression (RE2 syntax) that its value must match'),
  body: pattern()
    .optional()
    .describe('Regular expression (RE2 syntax) that the first 64 kB of the body must match'),
});

const caFile = relativePath()
  .optional()
  .describe('File with the certificates (PEM) to trust for TLS with the target, instead of the usual ones');

const probeUrl = objectWithSecrets(
  {
    name: targetName,
    depth: z
      .enum(DEPTHS)
      .optional()
      .describe(
        'How far a probe goes. tunnel: until the proxy has connected to the target. tls: until the certificate of the target is checked. http: until the target has answered a request. The default is tls, and http for a URL that begins with http://',
      ),
    expect: expectOptions.optional().describe('What the answer must have, at depth http'),
    ca_file: caFile,
  },
  { url: httpUrl().describe('URL of the target') },
);

export type ProbeUrl = z.output<typeof probeUrl>;

const plainUrl = httpUrl().transform((address): ProbeUrl => ({ url: address }));

const controlUrl = z.union([
  objectWithSecrets({ name: targetName, ca_file: caFile }, { url: httpUrl().describe('URL of the control') }),
  plainUrl,
]);

const phaseLimit = (value: string, text: string) =>
  duration({ min: 100, max: MINUTE }).prefault(value).describe(text);

export const probeOptions = z.strictObject({
  schedule: cronExpression().default('*/5 * * * *').describe('Schedule for probing the proxies'),
  vantage: identifier()
    .default('local')
    .describe(
      'Name of the machine that runs proxywatch. The name is the label `tester_server` of the results',
    ),
  urls: z
    .array(z.union([probeUrl, plainUrl]))
    .min(1, 'expected at least one url to probe')
    .describe('Targets for every proxy'),
  proxies: z
    .union([z.literal('same'), probedEntries()])
    .prefault('same')
    .describe('Proxies to probe. same: those of proxy_tests. Otherwise a list as in proxy_tests'),
  timeout: duration({ min: SECOND, max: MINUTE }).prefault('15s').describe('Time limit of one probe'),
  timeouts: z
    .strictObject({
      resolve: phaseLimit('5s', 'Time limit for finding the address of the proxy'),
      connect: phaseLimit('10s', 'Time limit for the connection to the proxy, with TLS if the proxy has TLS'),
      tunnel: phaseLimit('15s', 'Time limit for the answer of the proxy'),
      tls: phaseLimit('10s', 'Time limit for TLS with the target'),
      response: phaseLimit('15s', 'Time limit for the answer of the target'),
    })
    .prefault({})
    .describe('Time limits of the phases of a probe'),
  parallel: z.int().min(1).max(1_000).default(50).describe('Maximum number of connections at the same time'),
  max_bytes_per_day: size()
    .prefault('500MiB')
    .describe(
      'Byte budget: maximum number of bytes through residential and mobile proxies in any period of 24 hours, sent and received. Proxies of an unknown product type count too',
    ),
  control: z
    .union([
      z.literal(false),
      z.strictObject({
        urls: z
          .array(controlUrl)
          .min(1, 'expected at least one url, or control: false')
          .describe('URLs of the controls'),
      }),
    ])
    .optional()
    .describe(
      'URLs that every round requests without a proxy. If none of them gets an answer and no proxy answers, this machine is at fault and no proxy is. The default is the probes’ own urls. false: no controls, so that the targets never see the address of this machine',
    ),
  exit: objectWithSecrets(
    {
      every: duration({ min: MINUTE })
        .prefault('1h')
        .describe('Time after which the exit of a proxy is checked again'),
      ca_file: caFile,
    },
    {
      url: httpUrl().describe(
        'URL that answers with the address of the client, as text or as JSON with the key ip and optionally country',
      ),
    },
  )
    .optional()
    .describe('Checks that the target sees the address or the country that a proxy should have'),
  fault_after: z
    .int()
    .min(1)
    .max(8)
    .default(2)
    .describe('Number of rounds in a row in which a proxy must fail before proxywatch reports a fault'),
  discover_every: duration({ min: MINUTE })
    .prefault('1h')
    .describe('Time after which proxywatch reads the services and searches in proxies again to find proxies'),
});

export type ProbeOptions = z.infer<typeof probeOptions>;
