// proxywatch init: takes the keys of an account, tries them, writes a first configuration without them, and runs doctor.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describeInvalidBaseUrl, parseBaseUrl } from '../../config/network.ts';
import { identifier } from '../../config/primitives.ts';
import { createAccountClient } from '../../daemon/account-client.ts';
import { type Account, settingsSchema } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { describeMissingFolder } from '../../lib/missing-folder.ts';
import { MINUTE } from '../../lib/time.ts';
import { readCustomer } from '../../provider/customer.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { adviceOn } from '../doctor/account-session.ts';
import { doctor } from '../doctor/doctor.ts';
import { askKeys, isTerminal, type Keys, keysIn, PRIVATE_KEY, PUBLIC_KEY } from './ask-keys.ts';
import { configText } from './config-text.ts';

export interface InitOptions {
  /** The file to write. */
  readonly config: string;
  readonly name: string;
  readonly baseUrl?: string;
}

/** How long the keys are tried, including retries and the pauses that the provider asks for. */
const TRIED_MS = MINUTE;
/** How often the keys are asked for. */
const ATTEMPTS = 3;
const SECRETS = 'secrets';

/**
 * Writes nothing unless the provider knows the keys, and overwrites nothing. Returns 1 then, and if doctor finds that
 * anything failed. Throws the system's errors.
 */
export const init = async (context: CommandContext, options: InitOptions): Promise<ExitCode> => {
  const { stdout, stderr } = context;
  const files = filesOf(options);
  const problem = problemWith(options, files);
  const found = problem === undefined ? await findKeys(context, options) : { mistake: problem };
  if ('mistake' in found) {
    stderr.write(`error: ${found.mistake}\n`);
    return 1;
  }
  const { keys, isFromEnvironment } = found;
  if (!isFromEnvironment) writeKeys(files, keys);
  writeFileSync(options.config, textOf(options, files, isFromEnvironment), OWNER_ONLY);
  stdout.write(`${options.config}: written\n`);
  if (!isFromEnvironment)
    stdout.write(`${files.publicKey}, ${files.privateKey}: the keys, for your user only\n`);
  const code = await doctor(context, { config: options.config });
  if (code === 0) stdout.write(`Start the daemon with: proxywatch run --config ${options.config}\n`);
  return code;
};

const OWNER_ONLY = { mode: 0o600, flag: 'wx' } as const;

const filesOf = ({ config, name }: InitOptions) => ({
  folder: join(dirname(config), SECRETS),
  publicKey: join(dirname(config), SECRETS, `${name}_public_key`),
  privateKey: join(dirname(config), SECRETS, `${name}_private_key`),
});

type Files = ReturnType<typeof filesOf>;

const problemWith = ({ config, name, baseUrl }: InitOptions, { publicKey, privateKey }: Files) => {
  const { error } = identifier().safeParse(name);
  if (error) return `--name: ${error.issues[0]?.message}`;
  const existing = [config, publicKey, privateKey].find((file) => existsSync(file));
  if (existing !== undefined)
    return `${existing} exists. init overwrites no file: edit it, or give another file with --config`;
  if (baseUrl !== undefined && parseBaseUrl(baseUrl) === undefined)
    return `--base-url: ${describeInvalidBaseUrl(baseUrl)}`;
  return describeMissingFolder(config);
};

type Found = { readonly keys: Keys; readonly isFromEnvironment: boolean } | { readonly mistake: string };

const findKeys = async (context: CommandContext, options: InitOptions): Promise<Found> => {
  const given = keysIn(context);
  if (given) {
    const error = await tryKeys(context, options, given);
    return error
      ? { mistake: `the keys in ${PUBLIC_KEY} and ${PRIVATE_KEY}: ${describe(error)}` }
      : { keys: given, isFromEnvironment: true };
  }
  if (!isTerminal(context.stdin))
    return {
      mistake: `there are no keys. Set the variables ${PUBLIC_KEY} and ${PRIVATE_KEY}, or run init on a terminal, which asks for them`,
    };
  return askForKeys(context, options);
};

const askForKeys = async (context: CommandContext, options: InitOptions): Promise<Found> => {
  context.stderr.write(
    "Create a public and a private key in the provider's dashboard, and paste them here.\n",
  );
  let attempts = 0;
  for await (const keys of askKeys(context)) {
    attempts += 1;
    const error = await tryKeys(context, options, keys);
    if (!error) return { keys, isFromEnvironment: false };
    if (error.kind !== 'auth' || attempts === ATTEMPTS) return { mistake: describe(error) };
    context.stderr.write(`${describe(error)}\n`);
  }
  return { mistake: 'no keys were given, so nothing is written' };
};

const describe = (error: ProviderError): string => `${error.message}. ${adviceOn(error, [])}`;

/** Returns undefined if the provider knows the keys, also if they may not use this endpoint or have to wait. */
const tryKeys = async (
  { signal, version }: CommandContext,
  options: InitOptions,
  keys: Keys,
): Promise<ProviderError | undefined> => {
  await using client = createAccountClient(accountOf(options, keys), {
    clock: systemClock,
    userAgent: `proxywatch/${version}`,
    observer: { onResponse: () => {}, onServerDate: () => {} },
  });
  try {
    await readCustomer(client.forRun(systemClock.monotonic() + TRIED_MS), signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return error.kind === 'forbidden' || error.kind === 'rate_limited' ? undefined : error;
  }
};

const accountOf = ({ name, baseUrl }: InitOptions, { publicKey, privateKey }: Keys): Account => {
  const account = { name, public_key: publicKey, private_key: privateKey };
  const { accounts } = settingsSchema.parse({
    accounts: [{ ...account, ...(baseUrl && { base_url: baseUrl }) }],
  });
  return accounts[0] as Account;
};

const textOf = (options: InitOptions, files: Files, isFromEnvironment: boolean): string => {
  const pathOf = (file: string): string => JSON.stringify(relative(dirname(options.config), file));
  const keys = isFromEnvironment
    ? [`public_key: \${${PUBLIC_KEY}}`, `private_key: \${${PRIVATE_KEY}}`]
    : [`public_key_file: ${pathOf(files.publicKey)}`, `private_key_file: ${pathOf(files.privateKey)}`];
  return configText({ ...options, keys });
};

const writeKeys = ({ folder, publicKey, privateKey }: Files, keys: Keys): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(publicKey, `${keys.publicKey}\n`, OWNER_ONLY);
  writeFileSync(privateKey, `${keys.privateKey}\n`, OWNER_ONLY);
};
