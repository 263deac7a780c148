// Declares proxywatch probe, and parses its options.

import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../config/duration.ts';
import { PatternError, TextPattern } from '../../lib/text-pattern.ts';
import { SECOND } from '../../lib/time.ts';
import { DEPTHS } from '../../prober/probe.ts';
import { optional } from '../options.ts';
import type { CommandSpec } from './command.ts';

const DEFAULT_TIMEOUT_MS = 15 * SECOND;
const MAX_TIMEOUT_MS = 600 * SECOND;

/** The message of commander would repeat the arguments, and so a password with a space. */
const TOO_MANY =
  'error: too many arguments; expected the proxy and the URL. Write an argument that contains spaces in quotes.';

const parseTimeout = (text: string): number => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0 && ms <= MAX_TIMEOUT_MS) return ms;
  throw new InvalidArgumentError('Expected a duration such as 500ms or 30s, at most 10m.');
};

const parseStatus = (text: string): number[] => {
  const codes = text.split(',').map((code) => code.trim());
  if (codes.every((code) => /^[1-5]\d\d$/.test(code))) return codes.map(Number);
  throw new InvalidArgumentError('Expected status codes such as 200 or 200,204.');
};

const parsePattern = (text: string): TextPattern => {
  try {
    return new TextPattern(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new InvalidArgumentError(`Expected ${error.message}.`);
  }
};

const addHeader = (
  text: string,
  headers: Readonly<Record<string, TextPattern>> = {},
): Readonly<Record<string, TextPattern>> => {
  const [, name, pattern] = /^([\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name !== undefined && pattern !== undefined)
    return { ...headers, [name.toLowerCase()]: parsePattern(pattern) };
  throw new InvalidArgumentError('Expected a header and a regular expression, such as "server: nginx".');
};

export const PROBE: CommandSpec = {
  name: 'probe',
  summary: 'Probe a proxy from this machine, and explain why it fails.',
  description:
    'Connect to a URL through a proxy from this machine. Print each phase with its duration, the answer of the proxy, the certificate and the bytes. The last line says why the proxy fails, and what to do next.\n\nThe password of a proxy is visible to other users of this machine while it is an argument. Give - to read the proxy from standard input instead.',
  arguments: {
    proxy:
      'name or id of a proxy in the configuration, or a line such as host:port:username:password or socks5://host:port. If you give -, the command reads the line from standard input',
    url: 'name of a URL in the configuration, or an address that begins with https:// or http://',
  },
  options: [
    optional('--config <file>', 'configuration file (YAML) with proxies and URLs'),
    optional('--account <name>', 'only proxies and URLs of this account'),
    optional(
      '--depth <depth>',
      'how far the probe goes: to the tunnel, to TLS with the target, or to an answer (default: http, or the depth of the URL in the configuration)',
    ).choices(DEPTHS),
    optional('--timeout <duration>', 'time limit of the probe, such as 500ms or 30s', parseTimeout).default(
      DEFAULT_TIMEOUT_MS,
      '15s',
    ),
    optional('--ca-file <file>', 'certificates (PEM) to trust for TLS with the proxy'),
    optional('--target-ca-file <file>', 'certificates (PEM) to trust for TLS with the target'),
    optional(
      '--status <codes>',
      'expected status codes, separated by commas (default: 200 to 399)',
      parseStatus,
    ),
    optional(
      '--header <pattern>',
      'expected header and a regular expression (RE2 syntax), such as "server: nginx". You can repeat this option',
    ).argParser(addHeader),
    optional(
      '--body <regex>',
      'regular expression (RE2 syntax) that the first 64 kB of the body must match',
      parsePattern,
    ),
    optional(
      '--control',
      'also connect to the URL without the proxy, and compare. The target then sees the address of this machine',
    ),
    optional('-v, --verbose', 'print each step to standard error, without credentials'),
    optional('--format <format>', 'format of the output').choices(['text', 'json']).default('text'),
  ],
  exitCodes: {
    0: 'the probe succeeded',
    1: 'the probe failed',
    2: 'the command made no probe, because an argument, a file or the configuration has an error',
  },
  examples: ['socks5://192.0.2.7:1080 https://www.example.com/ --control'],
  customize: (command) =>
    command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2)).allowExcessArguments(),
  endsSoon: true,
  load: async (_options, command) => {
    if (command.args.length > 2) command.error(TOO_MANY);
    return (await import('../probe/probe.ts')).probe;
  },
};
