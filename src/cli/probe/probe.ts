// proxywatch probe: makes one probe through a proxy, and says why the proxy fails.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { isHttps } from '../../collectors/probes/targets.ts';
import { ConfigError } from '../../config/config-error.ts';
import { describeReadError } from '../../config/files.ts';
import { loadSettings } from '../../daemon/load-settings.ts';
import { makeProbe } from '../../prober/make-probe.ts';
import type { ProbeProxy, ProbeRequest, ProbeTarget } from '../../prober/probe.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { withAllShards } from '../options.ts';
import { conclusionOf, type Outcome } from './conclusion.ts';
import {
  type Configured,
  configuredOf,
  findProxy,
  findTarget,
  UsageError,
  type Wanted,
  withExpectations,
} from './find.ts';
import { createHider, jsonReport, textReport } from './report.ts';

export interface ProbeOptions extends Wanted {
  /** A name, an id, a line, or `-` for standard input. */
  readonly proxy: string;
  readonly url: string;
  readonly config?: string;
  readonly account?: string;
  readonly timeout: number;
  readonly caFile?: string;
  readonly targetCaFile?: string;
  readonly control?: boolean;
  readonly verbose?: boolean;
  readonly format: 'text' | 'json';
}

/** Returns 0 if the probe succeeded, 1 if it failed, and 2 if none could be made. */
export const probe = async (context: CommandContext, options: ProbeOptions): Promise<ExitCode> => {
  try {
    return await probeAndReport(context, options);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    context.stderr.write(error instanceof UsageError ? `error: ${error.message}\n` : `${error.message}\n`);
    return 2;
  }
};

const probeAndReport = async (context: CommandContext, options: ProbeOptions): Promise<ExitCode> => {
  const configured = readConfigured(context, options);
  const proxy = await proxyOf(context, options, configured);
  const target = targetOf(options, configured);
  const hide = createHider(proxy, target);
  const request = { target, timeouts: limits(options.timeout), signal: context.signal };
  const trace: ProbeRequest['trace'] = options.verbose
    ? ({ direction, text }) =>
        void context.stderr.write(`${direction} ${direction === '<' ? hide(text) : text}\n`)
    : undefined;
  const result = await makeProbe({ ...request, proxy, trace });
  const control = options.control ? await makeProbe({ ...request, proxy: null }) : undefined;
  const outcome: Outcome = { proxy, target, result, control };
  const report = options.format === 'json' ? jsonReport(outcome, hide) : textReport(outcome, hide);
  context.stdout.write(`${report}\n`);
  if (options.format === 'text') context.stdout.write(`${conclusionOf(outcome)}\n`);
  return result.failure ? 1 : 0;
};

const readConfigured = (
  { env }: CommandContext,
  { config, account }: ProbeOptions,
): Configured | undefined => {
  if (config !== undefined) return configuredOf(loadSettings(config, withAllShards(env)).config, account);
  if (account !== undefined)
    throw new UsageError(
      '--account: add --config too, because --account chooses an account of the configuration',
    );
  return undefined;
};

const proxyOf = async (
  { stdin }: CommandContext,
  { proxy: given, caFile }: ProbeOptions,
  configured: Configured | undefined,
): Promise<ProbeProxy> => {
  const text = given === '-' ? await firstLine(stdin) : given;
  const proxy = await findProxy(text, configured, given === '-');
  if (caFile === undefined) return proxy;
  if (proxy.protocol !== 'https')
    throw new UsageError(
      '--ca-file: only a proxy whose line begins with https:// uses TLS; to trust a target, use --target-ca-file',
    );
  return { ...proxy, ca: readPem(caFile, '--ca-file') };
};

const targetOf = (options: ProbeOptions, configured: Configured | undefined): ProbeTarget => {
  const { url, targetCaFile } = options;
  const target = withExpectations(findTarget(url, configured), options);
  if (targetCaFile === undefined) return target;
  if (!isHttps(target.url))
    throw new UsageError('--target-ca-file: a URL that begins with http:// has no TLS; leave the option out');
  return { ...target, ca: readPem(targetCaFile, '--target-ca-file') };
};

const limits = (ms: number): ProbeRequest['timeouts'] => ({
  ...{ resolve: ms, connect: ms, tunnel: ms, tls: ms, response: ms, total: ms },
});

/** More than this is no line of a proxy. */
const MAX_LINE_LENGTH = 10_000;

const firstLine = async (stdin: Readable): Promise<string> => {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > MAX_LINE_LENGTH) break;
  }
  return text.split(/\r?\n/)[0] ?? '';
};

/** Returns certificates. Throws UsageError, which begins with the option that names the file. */
const readPem = (file: string, option: string): string => {
  const text = readText(file, option);
  try {
    new X509Certificate(text);
  } catch {
    throw new UsageError(`${option}: ${file} contains no certificate (PEM)`);
  }
  return text;
};

const readText = (file: string, option: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option}: cannot read ${file} (${describeReadError(error)})`);
  }
};
